# Plan: a key in the place of its name (`--key-env "$KEY"`) is in nothing that a run says or writes.
# - every option that takes the name of a key, or says something about one, of every command, taken from
#   its help: with a raw key, parts and spellings of one, and passphrases; once, twice, joined and misplaced;
# - the variables that name a key, and the fields of a manifest;
# - in text, JSON and every form of report, on both streams and in the files;
# - the words of a command that cannot be run, or fails;
# - what is there is named all the same: a variable, a file, a key in a store;
# - what looks like a raw key becomes no name of a key: it could not be typed again.
import json
import re

import pytest

from support import key_stores, program
from support.refusal import refuse

DIGITS = "7622c01d" * 8
KEYS = {
    "raw": f"x'{DIGITS}'", "digits": DIGITS, "with salt": DIGITS + "00ffa1b2" * 4,
    "short": f"x'{DIGITS[:40]}'", "a part": DIGITS[:40], "base64": "dQ7hK2p+x0Zl/4mB9sTqUw1YcRkE3vNfGa6jXoPiHy8=",
    "word": "S3cretPassw0rd", "words": "correct horse battery", "small": "hunterhunter",
    "signs": "pa$$w(rd&more", "not UTF-8": b"p\xe4ssw\xf6rtlich"}
COMMANDS = ["encrypt", "decrypt", "rekey", "verify", "migrate", "inspect", "key"]
OPTION = re.compile(r"^  (?:-\w, |    )--([\w-]+) ([A-Z]\S*)")
# Of key, what names a key that is to be made: a name that somebody chose.
NAMES = {"key": {"output", "keyring"}}


def options(command):
    """Long names of the options about keys that take a value, as the help lists them."""
    found, inside = [], False
    for line in program.run(command, "--help").out.decode().splitlines():
        if line and not line.startswith(" "):
            inside = bool(re.match(r"(Key of|New key)", line))
        match = OPTION.match(line)
        if inside and match:
            found.append(match[1])
    return found


CASES = [(command, option) for command in COMMANDS for option in options(command)]


def pieces(key):
    """What must not be found: the key, its digits, a long half of it, and how messages escape it."""
    data = key if isinstance(key, bytes) else key.encode()
    escaped = b"".join(bytes([b]) if 0x20 <= b < 0x7f else b"\\x%02x" % b for b in data)
    return {data, data.strip(b"x'"), data[:max(8, len(data) // 2)], escaped, escaped[1:],
            escaped.replace(b"\\", b"\\\\")}


def hidden(key, result, *files):
    for said in (result.out, result.err, *[path.read_bytes() for path in files if path.exists()]):
        for piece in pieces(key):
            assert piece.lower() not in said.lower(), (piece, result)


def test_the_help_lists_them():
    found = {option for _, option in CASES}
    assert {"key-file", "key-fd", "key-env", "key-command", "keyring", "try-keys", "new-key-env",
            "new-keyring", "against-key-file", "against-key-command", "keyring-backend",
            "key-timeout"} <= found
    assert len(CASES) > 50, CASES


@pytest.mark.parametrize("name", ["raw", "a part", "base64", "word", "signs", "not UTF-8"])
@pytest.mark.parametrize("command,option", CASES)
def test_an_option(work, sealed, command, option, name):
    key = KEYS[name]
    flag = f"--{option}"
    joined = flag.encode() + b"=" + (key if isinstance(key, bytes) else key.encode())
    rest = {
        "encrypt": [work / "out.db"], "decrypt": [work / "out.db"],
        "rekey": ["--key-env", "K"] if option.startswith("new-") else ["--new-key-env", "K"],
        "verify": ["--against", sealed, "--key-env", "K"] if option.startswith("against-") else [],
    }.get(command, [])
    subject = ["store", "app"] if command == "key" else [sealed]
    env = {"K": "x'" + "a1b2c3d4" * 8 + "'"}
    before = set(work.iterdir())
    plain = [command, *subject, *rest]
    runs = [[*plain, flag, key], [*plain, "--json", flag, key], [*plain, "--json", joined],
            [*plain, flag, key, flag, key], [flag, key, *plain], [*plain, flag + "x", key]]
    for run in runs:
        result = program.run(*run, env=env)
        assert result.exit != 0, result
        hidden(key, result)
    assert set(work.iterdir()) == before


@pytest.mark.parametrize("form", ["junit", "tap"])
@pytest.mark.parametrize("name", KEYS)
def test_a_report(work, sealed, form, name):
    report = work / "report"
    for option in options("verify"):
        more = ["--against", sealed] if option.startswith("against-") else []
        for place in ([], ["--report-file", report]):
            result = program.run("verify", sealed, *more, "--report", form, *place, f"--{option}",
                                 KEYS[name])
            assert result.exit != 0, result
            hidden(KEYS[name], result, report)
            report.unlink(missing_ok=True)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("field", ["key_file", "key_env", "key_command", "keyring"])
def test_a_field_of_a_manifest(work, sealed, field, name):
    key = KEYS[name]
    if isinstance(key, bytes):
        key = key.decode("latin-1")
    folder = work / "fixtures"
    folder.mkdir()
    manifest, report = folder / "m.json", work / "report.xml"
    manifest.write_text(json.dumps(
        {"dbseal_manifest": 1, "databases": [{"file": "../sealed.db", field: key}]}))
    for more in ([], ["--json"], ["--report", "junit", "--report-file", report], ["--report", "tap"]):
        result = program.run("verify", "--manifest", manifest, *more)
        assert result.exit != 0 and field.encode() in result.out + result.err, result
        hidden(key, result, report)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("variable", ["KEY_FILE", "KEY_COMMAND", "NEW_KEY_FILE", "NEW_KEY_COMMAND"])
def test_a_variable(work, sealed, variable, name):
    more = ["--key-env", "K"] if variable.startswith("NEW") else []
    env = {"K": "x'" + "a1b2c3d4" * 8 + "'", f"DBSEAL_{variable}": KEYS[name]}
    for form in ([], ["--json"]):
        result = program.run("rekey", *form, sealed, *more, env=env)
        assert result.exit == 3 and b"$DBSEAL_" + variable.encode() in result.out + result.err, result
        hidden(KEYS[name], result)


@pytest.mark.parametrize("name", [name for name in KEYS if name not in ("not UTF-8", "signs")])
def test_a_command_that_holds_one(work, sealed, name):
    for line in (f"false '{KEYS[name]}'".replace("'x'", '"x\'').replace("''", "'\""),
                 "sh -c 'exit 3' \"" + KEYS[name] + '"'):
        for form in ([], ["--json"]):
            result = program.run("verify", *form, sealed, "--key-command", line)
            assert result.exit == 3, result
            hidden(KEYS[name], result)


@pytest.mark.parametrize("words", [["key"], ["key", "--json"], [], ["help"]])
@pytest.mark.parametrize("name", ["raw", "word", "words", "base64", "not UTF-8"])
def test_a_word_where_an_action_or_a_command_is_wanted(work, words, name):
    result = program.run(*words, KEYS[name])
    assert result.exit == 2, result
    hidden(KEYS[name], result)


@pytest.mark.parametrize("option", ["--salt", "--format", "--page-size", "--expect-digest", "--jobs",
                                    "--expect-user-version", "--report", "--progress"])
def test_a_raw_key_as_the_value_of_another_option(work, sealed, option):
    for name in ("raw", "digits", "with salt", "short"):
        for form in ([], ["--json"]):
            result = program.run("verify", *form, sealed, option, KEYS[name])
            # A digest may be written so; then it is the key of the database that is missing.
            assert result.exit == (3 if option == "--expect-digest" and name in ("raw", "digits")
                                   else 2), result
            hidden(KEYS[name], result)


def test_a_list_of_names_that_is_one_of_keys(work):
    (work / "list").write_bytes(b"p\xe4sswort\n")
    hidden(b"p\xe4sswort", program.run("verify", "--files-from", work / "list"))


def test_what_is_there_is_named(work, sealed, keys, stored):
    found = refuse(work, "no_key", "verify", sealed, "--key-env", "APP_KEY", env={"APP_KEY": ""})
    assert found["message"].startswith("$APP_KEY: "), found
    (work / "word").write_text("")
    (work / "word").chmod(0o600)
    found = refuse(work, "no_key", "verify", sealed, "--key-file", "word", cwd=work)
    assert found["message"].startswith("key file word: "), found
    for path in ("app.key", "./word2", "/no/such/key"):
        found = refuse(work, "no_key", "verify", sealed, "--key-file", path, cwd=work)
        assert found["message"].startswith(f"key file {path}: "), found
    name = stored("empty")
    key_stores.keep_in_kernel(name, b"\n")
    found = refuse(work, "no_key", "verify", sealed, "--keyring", name)
    assert name in found["message"], found


@pytest.mark.parametrize("options", [["generate", "--keyring"], ["generate", "--output"],
                                     ["generate", "-o"], ["store", "--key-env", "K"]])
@pytest.mark.parametrize("name", ["raw", "digits", "with salt"])
def test_no_name_is_made_that_looks_like_a_key(work, options, name):
    found = refuse(work, "usage", "key", *options, KEYS[name], cwd=work, env={"K": "words"})
    assert "looks like a raw key" in found["message"], found
    assert KEYS[name] not in key_stores.kernel_names()
    # A file may be called so, where that is meant.
    program.ok("key", "generate", "--output", f"./{DIGITS}", cwd=work)
