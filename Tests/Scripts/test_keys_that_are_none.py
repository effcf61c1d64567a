# Plan: what was hardly meant as the key is noted before it is all that opens a database, and bytes do not
# lose one.
# - the name of a file, placeholders, control characters, in a variable and in a file, of encrypt, rekey and a new
#   database of migrate --schema: a note, none for what only looks alike, nor with --passphrase; it opens as SQLCipher
#   would open it; as a key that opens nothing it is called what it is, in a manifest too;
# - bytes that are no text in UTF-8 seal only with --key-binary, as a peer seals with all of them; where a peer did, and
#   the final byte was dropped as a line end, that is found;
# - a carriage return at the end: its name, and a remedy that works when it is typed.
import json
import os
import subprocess

import pytest

from support import peers, program, samples
from support.refusal import refuse

FAST = ["--kdf-iter", "10"]
# What every engine can make.
CREATED = ["--format", "3", "--kdf-iter", "10"]
WORDS = "some words"
NONE = {
    "null": "missing", "Null": "missing", "undefined": "missing", "None": "missing", "nil": "missing",
    "***": "missing", "********": "missing", "$KEY": "missing", "${APP_KEY}": "missing",
    "$(DB_KEY)": "missing", "%APP_KEY%": "missing", "{{ app.key }}": "missing", "${{ secrets.KEY }}": "missing",
    "[MASKED]": "missing", "hunter\x1b[D\x1b[D": "control", "hun\x08ter words": "control", "two\tfields of text": "control",
    "first line\nsecond line": "control", '{"key": "a value"}': "JSON", "763130" + "ab" * 40: "encrypted",
}
FINE = ["nullable", "a $KEY", "$", "**a**", "5$", "$5.00", "{{", "%%", "100%", "(KEY)", "[words]", "{words}", "Gr\xfcn & co",
        "no/such/file", "nothing.here"]


def forms(found):
    return [one["message"] for one in found["notes"] if one["note"] == "key_form"]


def sealed_under_words(work):
    return peers.create_sealed(work / "r.db", WORDS, [("kdf_iter", 10)], samples.fill)


def sealed_with(path, key):
    peers.sound(peers.sealed(path, key, [("kdf_iter", 10)]))


@pytest.mark.parametrize("key", [*NONE, *FINE])
def test_what_is_hardly_a_key(work, source, keys, key):
    expected = [True] * (key in NONE)
    args = ["encrypt", source, work / "o.db", *FAST, "--key-env", "K"]
    found = program.ok(*args, env={"K": key}, cwd=work)
    assert [NONE[key] in each for each in forms(found)] == expected, found
    sealed_with(work / "o.db", key)
    os.remove(work / "o.db")
    found = program.ok(*args, "--passphrase", env={"K": key}, cwd=work)
    assert forms(found) == [], found
    if "\n" not in key:
        found = program.ok("rekey", sealed_under_words(work), "--source-kdf-iter", "10", *FAST, "--key-env", "K",
                           "--new-key-file", keys.file(key + "\n", "new"), env={"K": WORDS}, cwd=work)
        assert [NONE[key] in each for each in forms(found)] == expected, found
    peers.create_sealed(work / "b.db", "other words", [("kdf_iter", 10)], samples.fill)
    found = refuse(work, "wrong_key", "verify", work / "b.db", *FAST, "--key-env", "K", env={"K": key}, cwd=work)
    assert (found["key_shape"] in ("placeholder", "control_characters", "json", "encrypted")) is (key in NONE)
    assert (NONE.get(key, "check the key") in found["hint"]) or not key.isascii(), found


@pytest.mark.parametrize("where", ["whole", "here", "link"])
def test_the_name_of_a_file(work, source, keys, where):
    path = keys.file(WORDS)
    (work / "app.key").symlink_to(path)
    name = {"whole": str(path), "here": "plain.db", "link": "app.key"}[where]
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    env = {"env": {"K": name}, "cwd": work}
    for args in (["encrypt", source, work / "o.db", *FAST, "--key-env", "K"],
                 ["rekey", sealed_under_words(work), "--source-kdf-iter", "10", *FAST, "--key-file", path,
                  "--new-key-env", "K"],
                 ["migrate", "--schema", work / "m", "--create", work / "c.db", *CREATED, "--key-env", "K"]):
        found = program.ok(*args, **env)
        assert ["name of a file" in each for each in forms(found)] == [True], found
    sealed_with(work / "o.db", name)
    found = program.ok("encrypt", source, work / "p.db", *FAST, "--passphrase", "--key-env", "K", **env)
    assert forms(found) == [], found
    # As the key of another database it is called so, and what it names is the key.
    peers.create_sealed(work / "b.db", WORDS, [("kdf_iter", 10)], samples.fill)
    found = refuse(work, "wrong_key", "verify", work / "b.db", *FAST, "--key-env", "K", **env)
    assert found["key_shape"] == "file_name" and "--key-file" in found["hint"], found
    if where != "here":
        program.ok("verify", work / "b.db", *FAST, "--key-file", name, cwd=work)
    (work / "fixtures.json").write_text(json.dumps(
        {"dbseal_manifest": 1, "databases": [{"file": "b.db", "key_env": "K", "kdf_iter": 10}]}))
    done = program.run("verify", "--json", "--manifest", work / "fixtures.json", **env)
    found = [one for one in done.objects if "database" in one][0]
    assert found["code"] == "wrong_key" and found["key_shape"] == "file_name", found
    # A folder, or nothing of that name, is no key file.
    os.remove(work / "o.db")
    for other in (str(work), str(work / "gone")):
        found = program.ok("encrypt", source, work / "o.db", *FAST, "--key-env", "K", env={"K": other})
        assert forms(found) == [], found
        os.remove(work / "o.db")


# Bytes that are no text.

BYTES = {"LF": bytes(range(0x80, 0x9f)) + b"\n", "CRLF": bytes(range(0x80, 0x9e)) + b"\r\n",
         "blank before": b" " + bytes(range(0x81, 0x9f)) + b"\n", "plain": bytes(range(0x80, 0xa0)),
         "Latin-1": "Gr\xfcn & co".encode("latin-1")}


def with_bytes(path, data):
    """A connection of SQLCipher whose key is all of the bytes; PRAGMA hexkey takes up to 40."""
    connection = peers.sqlcipher3.connect(str(path), isolation_level=None)
    connection.text_factory = peers.text
    connection.execute(f"PRAGMA hexkey = '{data.hex()}'")
    connection.execute("PRAGMA kdf_iter = 10")
    return connection


@pytest.mark.parametrize("how", ["file", "standard input", "descriptor", "command"])
@pytest.mark.parametrize("kind", BYTES)
def test_bytes_seal_only_as_bytes(work, source, keys, kind, how):
    data = BYTES[kind]
    path, more = keys.file(data), {}
    options = {"file": ["--key-file", path], "standard input": ["--key-file", "-"], "descriptor": ["--key-fd", "0"],
               "command": ["--key-command", f"cat '{path}'"]}[how]
    if how in ("standard input", "descriptor"):
        more = {"stdin": data}
    args = ["encrypt", source, work / "o.db", *FAST, *options]
    found = refuse(work, "no_key", *args, **more)
    assert "not text in UTF-8" in found["message"] and "--key-binary" in found["hint"], found
    program.ok(*args, "--key-binary", **more)
    connection = with_bytes(work / "o.db", data)
    peers.sound(connection)
    connection.close()
    # Opening is as it was: the rest of a line, where it opens.
    if kind in ("plain", "Latin-1"):
        program.ok("verify", work / "o.db", *FAST, *options, **more)


@pytest.mark.parametrize("kind", ["LF", "CRLF", "blank before"])
def test_a_byte_that_was_taken_for_a_line_end(work, keys, kind):
    path = work / "a.db"
    connection = with_bytes(path, BYTES[kind])
    samples.fill(connection)
    connection.close()
    options = ["--key-file", keys.file(BYTES[kind])]
    found = refuse(work, "wrong_key", "verify", path, *FAST, *options)
    fact = "with_carriage_return" if kind == "CRLF" else "with_newline"
    assert found["fits"]["key"] == fact and "--key-binary" in found["hint"], found
    program.ok("verify", path, *FAST, *options, "--key-binary")


@pytest.mark.parametrize("args", [["rekey"], ["migrate"]])
def test_a_new_key_of_bytes(work, keys, args):
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    key = keys.file(BYTES["LF"])
    if args == ["rekey"]:
        args = ["rekey", sealed_under_words(work), "--key-file", keys.file(WORDS, "old"), "--source-kdf-iter", "10",
                "--new-key-file", key]
    else:
        args = ["migrate", "--schema", work / "m", "--create", work / "c.db", "--key-file", key]
    found = refuse(work, "no_key", *args)
    assert "not text in UTF-8" in found["message"], found
    assert f"{'--new-' if args[0] == 'rekey' else '--'}key-binary" in found["hint"], found


# A carriage return.

@pytest.mark.parametrize("end, fact", [("\r", "without_carriage_return"), ("\r\n", "without_newline"),
                                       ("\n", "without_newline")])
def test_a_carriage_return_in_a_variable(work, end, fact):
    words = "Gr\xfcn & co 42"
    path = peers.create_sealed(work / "a.db", words, [("kdf_iter", 10)], samples.fill)
    env = {"K": words + end}
    found = refuse(work, "wrong_key", "verify", path, *FAST, "--key-env", "K", env=env)
    assert found["fits"]["key"] == fact, found
    assert ("carriage return" in found["hint"]) is (end == "\r"), found
    remedy = found["hint"].split("which ")[1].split(" takes out")[0].replace("NAME", "K")
    done = subprocess.run(
        ["sh", "-c", f'{remedy}; export K; exec "$0" "$@"', program.BIN, "verify", *FAST, "--key-env", "K", path],
        capture_output=True, env=program.clean_env(env))
    assert done.returncode == 0, (remedy, done)


def test_a_carriage_return_in_a_file(work, keys, source):
    path = peers.create_sealed(work / "a.db", WORDS, [("kdf_iter", 10)], samples.fill)
    key, new = keys.file(WORDS + "\r"), keys.file("", "right")
    found = refuse(work, "wrong_key", "verify", path, *FAST, "--key-file", key)
    assert found["fits"]["key"] == "without_carriage_return", found
    remedy = found["hint"].split("which ")[1].split(" takes out")[0]
    remedy = remedy.replace("<FILE", f"<'{key}'").replace(">NEW-FILE", f">'{new}'")
    subprocess.run(["sh", "-c", remedy], check=True)
    program.ok("verify", path, *FAST, "--key-file", new)
    found = program.ok("encrypt", source, work / "o.db", *FAST, "--key-file", key)
    assert ["carriage return" in each for each in forms(found)] == [True], found
