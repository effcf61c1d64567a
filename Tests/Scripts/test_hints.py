# Plan: a hint can be followed.
# - the option for a plaintext header, and for its salt, is the command's own, and does it;
# - a file that is too short for the settings that were named is not called cut where it is sound
#   under others;
# - a key that is missing is named with the options that give it;
# - what was tried before a key was called wrong is named, setting by setting;
# - settings under another command's name, or of the side that is written, and a salt that may be wrong;
# - what said where the key is, and no other option, is named where it gives none;
# - a database in the place of a key or a list is told, and its mode is left alone;
# - the bare option, where the old key's was meant;
# - an unknown action of key, a folder that is not there, an empty list of keys; words for one and none.
import sqlite3
import subprocess

import pytest

from support import peers, program, samples
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
SALT = "00112233445566778899aabbccddeeff"
HEADER = [("cipher_plaintext_header_size", "32"), ("cipher_salt", f"x'{SALT}'")]


@pytest.mark.parametrize("command,prefix", [
    ("decrypt", "--"), ("rekey", "--source-"), ("migrate", "--source-"), ("verify", "--")])
def test_a_plaintext_header(work, keys, command, prefix):
    path = peers.create_sealed(work / "a.db", RAW, HEADER, samples.fill)
    new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
    target = [] if command == "verify" else [work / "b.db"]
    args = [command, "--key-file", keys.raw(), path, *target, *new]
    found = refuse(work, "wrong_kind", *args)
    header, salt = f"{prefix}plaintext-header", f"{prefix}salt"
    assert header in found["hint"] and salt in found["hint"] and "32" in found["hint"]
    found = refuse(work, "usage", *args, header, "32")
    assert found["hint"].startswith(salt + " ")
    program.ok(*args, header, "32", salt, SALT)


def test_encrypt_says_how_a_plaintext_header_is_read(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, HEADER, samples.fill)
    found = refuse(work, "wrong_kind", "encrypt", "--key-file", keys.raw(), path, work / "b.db")
    assert "decrypt" in found["hint"] and "--plaintext-header 32" in found["hint"]


@pytest.mark.parametrize("right", [True, False], ids=["key", "other key"])
@pytest.mark.parametrize("format,size", [(1, 1024), (2, 1024), (3, 1024), (4, 1024)])
def test_a_small_file_of_another_format_is_not_cut(work, keys, format, size, right):
    path = peers.create_sealed(
        work / "a.db", RAW, [("cipher_compatibility", format), ("cipher_page_size", size)],
        lambda c: c.execute("CREATE TABLE t(a)"))
    assert path.stat().st_size == 2 * size
    key = keys.raw() if right else keys.raw("0f" * 32, "other")
    for named in (["--page-size", "4096"], ["--format", "4", "--page-size", "4096"],
                  ["--format", "3", "--page-size", "8192"]):
        found = refuse(work, "wrong_key", "verify", path, "--key-file", key, *named)
        assert "shorter than a page" in found["message"], found
        if not right:
            assert found["hint"].startswith("leave the settings out"), found
            continue
        assert "cut" not in found["hint"]
        settings = found["hint"].split(" with ")[1].split(" and ")[0].split()
        program.ok("verify", path, "--key-file", key, *settings)


def test_a_file_that_was_cut_below_a_page_is(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    path.write_bytes(path.read_bytes()[:1500])
    assert refuse(work, "wrong_kind", "verify", path, "--key-file", keys.raw(), "--format", "4")[
        "kind"] == "truncated"


def without_terminal(*args):
    done = subprocess.run(
        ["setsid", "--wait", str(program.BIN), *map(str, args)], stdin=subprocess.DEVNULL,
        capture_output=True, env=program.clean_env())
    assert done.returncode == 3, done
    return done.stderr.decode()


def test_the_key_that_is_missing(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    said = without_terminal("rekey", path)
    assert "hint: use --key-file, " in said and "$DBSEAL_KEY_FILE" in said
    said = without_terminal("rekey", "--key-file", keys.raw(), path)
    assert "hint: use --new-key-file, " in said and "$DBSEAL_NEW_KEY_FILE" in said
    assert "no new key" in said


@pytest.mark.parametrize("options,said", [
    ([], "formats 4, 3, 2, 1"), (["--format", "3"], "format 3"),
    (["--source-page-size", "8192"], "formats 4, 3, 2, 1 with page size 8192"),
    (["--format", "4", "--source-page-size", "8192", "--kdf-iter", "5"],
     "format 4 with page size 8192 and 5 rounds"),
    (["--format", "3", "--hmac-algorithm", "sha256", "--kdf-iter", "5", "--hmac-pgno", "be"],
     "format 3 with 5 rounds, tags by sha256 and page numbers in order be"),
    (["--format", "2", "--hmac-salt-mask", "0b"], "format 2 with salt mask 0b"),
])
def test_what_was_tried(work, keys, options, said):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    found = refuse(work, "wrong_key", "decrypt", "--key-file", keys.raw("0f" * 32), path,
                   work / "b.db", *options)
    assert found["message"].endswith(f"authenticate ({said})"), found["message"]
    assert not any("custom" in name for name in found["tried"])


FORMAT_3 = [("cipher_compatibility", "3"), ("kdf_iter", "1"), ("cipher_page_size", "4096")]


def test_what_a_command_calls_a_setting_that_it_reads(work, keys):
    path = peers.create_sealed(work / "a.db", "some words", FORMAT_3, samples.fill)
    key = ["--key-file", keys.file("some words")]
    for command in ("verify", "inspect"):
        found = refuse(work, "usage", command, path, *key, "--source-page-size", "4096")
        assert f"for {command} it is --page-size" in found["hint"], found
    found = refuse(work, "usage", "decrypt", path, work / "b.db", "--source-format", "3")
    assert "for decrypt it is --format" in found["hint"], found
    # What encrypt calls so is what it writes.
    found = refuse(work, "usage", "encrypt", path, work / "b.db", "--source-kdf-iter", "3")
    assert "it is --" not in found["hint"], found


@pytest.mark.parametrize("command", ["rekey", "migrate", "decrypt"])
def test_settings_to_write_in_the_place_of_those_to_read(work, keys, command):
    settings = [("cipher_compatibility", "3"), ("kdf_iter", "7"), ("cipher_page_size", "2048")]
    path = peers.create_sealed(work / "a.db", "some words", settings, samples.fill)
    new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
    args = [command, path, work / "b.db", "--key-file", keys.file("some words"), *new]
    given = ["--page-size", "2048"] + (
        [] if command == "decrypt" else ["--format", "3", "--kdf-iter", "7"])
    found = refuse(work, "wrong_key", *args, *given)
    flags = [f"--source-{word[2:]}" for word in given if word.startswith("--")]
    assert all(flag in found["hint"] for flag in flags), found
    right = [f"--source-{word[2:]}" if word.startswith("--") else word for word in given]
    if command == "decrypt":
        right += ["--format", "3", "--kdf-iter", "7"]
    program.ok(*args, *right)


def test_a_salt_that_is_another(work, keys):
    path = peers.create_sealed(work / "a.db", "some words", HEADER, samples.fill)
    wrong = "ff" + SALT[2:]
    for command, prefix in (("verify", "--"), ("decrypt", "--"), ("rekey", "--source-")):
        target = [] if command == "verify" else [work / "b.db"]
        new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
        args = [command, path, *target, "--key-file", keys.file("some words"), *new,
                f"{prefix}plaintext-header", "32", f"{prefix}salt"]
        found = refuse(work, "wrong_key", *args, wrong)
        assert f"{prefix}salt {wrong}" in found["hint"], found
        program.ok(*args, SALT)
        (work / "b.db").unlink(missing_ok=True)


@pytest.mark.parametrize("words,message,hint", [
    (["key", "ls"], "key has no action of that name", "list"), (["key", "get", "app"], "key", "show"),
    (["key", "genrate"], "genrate", "key generate"), (["help", "key", "genrate"], "genrate", "generate"),
    (["key", "generate", "app.key"], "takes no operand", "--output names a file"),
    (["key", "list", "x"], "and 1 was given", "--help"),
    (["key", "show", "x", "y"], "and 3 were given", "--help")])
def test_the_actions_of_key(work, words, message, hint):
    found = refuse(work, "usage", *words)
    assert message in found["message"] and hint in found["hint"], found
    assert any(each in found["hint"] for each in ("dbseal key", "did you mean", "--keyring")), found


def test_the_help_of_an_action():
    for words in (["help", "key", "generate"], ["key", "generate", "--help"]):
        assert program.run(*words).out == program.run("help", "key").out
    done = program.run("help", "verify", "key")
    assert done.exit == 2 and b"help takes [COMMAND], and 2 were given" in done.err, done
    done = program.run("generate")
    assert done.exit == 2 and b"dbseal key generate makes a key" in done.err, done


def test_a_directory_for_a_key(work):
    found = refuse(work, "exists", "key", "generate", "--output", work)
    assert "is a directory" in found["message"] and found["hint"] == "name a file in it", found


def test_a_tilde_that_no_shell_took(work, sealed):
    for option in ("--key-file=~/app.key", "--new-key-file=~/app.key"):
        more = ["--key-env", "K"] if "new" in option else []
        found = refuse(work, "no_key", "rekey" if more else "verify", sealed, *more, option,
                       env={"K": RAW})
        assert f"{option.split('=')[0]} ~/" in found["hint"], found


@pytest.mark.parametrize("command", ["verify", "encrypt", "decrypt", "rekey"])
@pytest.mark.parametrize("kind", ["plain", "sealed"])
def test_a_database_and_its_key_file_are_swapped(work, source, sealed, keys, command, kind):
    """The key file is what is looked at first, and it is no database."""
    database = source if kind == "plain" else sealed
    key = keys.file("some words")
    new = ["--new-key-file", key] if command == "rekey" else []
    target = [] if command == "verify" else [work / "out.db"]
    found = refuse(work, "wrong_kind", command, "--key-file", database, *new, key, *target)
    assert str(database) in found["hint"] and "--key-file names the key file" in found["hint"], found


def test_a_salt_that_is_needed_or_would_be_lost(work, sealed, keys):
    path = peers.create_sealed(work / "a.db", "some words", HEADER, samples.fill)
    key = ["--key-file", keys.file("some words")]
    found = refuse(work, "usage", "inspect", path, *key)
    assert "--plaintext-header 32" in found["hint"] and "--salt" in found["hint"], found
    for args in (["inspect", path], ["verify", path], ["decrypt", path, work / "b.db"]):
        done = program.run(*args, *key, *([] if args[0] == "inspect" else ["--plaintext-header", "32"]))
        assert done.exit == 2 and f"dbseal: {path}: ".encode() in done.err, done
    program.ok("inspect", path, *key, "--plaintext-header", "32", "--salt", SALT)
    # In place nobody could read the new salt anywhere.
    args = ["rekey", path, *key, "--source-plaintext-header", "32", "--source-salt", SALT,
            "--new-key-file"]
    found = refuse(work, "usage", *args, keys.raw("0f" * 32, "new"))
    assert "dbseal key generate --with-salt" in found["hint"], found
    done = program.run(*args, keys.raw("0f" * 32, "new"))
    assert f"dbseal: {path}: ".encode() in done.err, done
    program.ok("key", "generate", "--with-salt", "--output", keys.folder / "with")
    program.ok(*args, keys.folder / "with")
    found = refuse(work, "usage", "migrate", sealed, "--plaintext-header", "32", "--key-env", "K",
                   env={"K": RAW})
    assert "--salt" in found["hint"] and "generate" not in found["hint"], found


@pytest.mark.parametrize("env,options,named", [
    ({"DBSEAL_KEY_FILE": "/nope"}, [], "$DBSEAL_KEY_FILE"),
    ({"DBSEAL_KEY_FILE": ""}, [], "$DBSEAL_KEY_FILE"),
    ({"DBSEAL_KEY_COMMAND": ""}, [], "$DBSEAL_KEY_COMMAND"),
    ({"DBSEAL_KEY_COMMAND": "false"}, [], "$DBSEAL_KEY_COMMAND"),
    ({}, ["--try-keys", "/nope"], "--try-keys"), ({}, ["--key-file", "/nope"], "--key-file"),
    ({"DBSEAL_NEW_KEY_FILE": "/nope"}, ["--key-env", "OLD"], "$DBSEAL_NEW_KEY_FILE"),
    ({}, ["--key-env", "OLD", "--new-key-file", "/nope"], "--new-key-file")])
def test_what_said_where_the_key_is(work, sealed, env, options, named):
    command = "rekey" if "OLD" in options else "verify"
    found = refuse(work, "no_key", command, sealed, *options, env={**env, "OLD": RAW})
    said = found["message"] + found["hint"]
    assert named in said, found
    others = {"$DBSEAL_KEY_FILE", "$DBSEAL_NEW_KEY_FILE", "--key-file", "--new-key-file", "--try-keys"}
    words = set(said.replace(",", " ").replace(":", " ").split())
    assert not (others - {named}) & words, found


@pytest.mark.parametrize("option", ["--key-file", "--try-keys", "--new-key-file"])
@pytest.mark.parametrize("mode", [0o600, 0o644])
@pytest.mark.parametrize("kind", ["plain", "sealed", "large"])
def test_a_database_in_the_place_of_a_key(work, source, sealed, option, mode, kind):
    path = {"plain": source, "sealed": sealed, "large": work / "large.db"}[kind]
    if kind == "large":
        path.write_bytes(source.read_bytes().ljust(3 << 20, b"\0"))
    path.chmod(mode)
    database = peers.create_sealed(work / "other.db", RAW, [], samples.fill)
    command = ["rekey", "--key-env", "OLD"] if option.startswith("--new") else ["verify"]
    found = refuse(work, "no_key", *command, option, path, database, env={"OLD": RAW})
    assert "database, not a key" in found["message"], found
    assert "chmod" not in found["hint"] and option in found["hint"], found


@pytest.mark.parametrize("null", [[], ["-0"]])
def test_a_database_in_the_place_of_a_list(work, source, sealed, null):
    for path in (source, sealed):
        found = refuse(work, "usage", "verify", "--files-from", path, *null)
        assert "is a database" in found["message"] and "--files-from" in found["hint"], found


@pytest.mark.parametrize("word,meant", [
    ("--old-key-file", "--key-file"), ("--old-key-env", "--key-env"),
    ("--old-keyring", "--keyring"), ("--current-key-command", "--key-command"),
    ("--new-keyfile", "--new-key-file")])
def test_the_option_that_was_meant(work, sealed, word, meant):
    assert refuse(work, "usage", "rekey", word, "k", sealed)["hint"] == f"did you mean {meant}?"


def test_a_folder_that_is_not_there(work, source):
    found = refuse(work, "io", "encrypt", source, "--output-dir", work / "it's new")
    command = found["hint"].split(": ", 1)[1]
    subprocess.run(["sh", "-c", command], check=True)
    assert (work / "it's new").is_dir()


def test_a_list_without_a_key(work, sealed, keys):
    for data in ("", "\n\n"):
        found = refuse(work, "no_key", "verify", sealed, "--try-keys", keys.file(data, "list"))
        assert "the list holds no key" in found["message"], found


def test_a_database_without_tables_says_so(work):
    connection = sqlite3.connect(work / "a.db")
    connection.execute("PRAGMA user_version = 5")
    connection.close()
    done = program.run("inspect", "--tables", work / "a.db")
    assert done.exit == 0 and b"  tables: none\n" in done.out, done


def test_one_round_is_one(work, keys):
    path = peers.create_sealed(work / "a.db", "some words", FORMAT_3, samples.fill)
    found = refuse(work, "wrong_key", "verify", path, "--key-file", keys.file("no words of it", "no"),
                   "--kdf-iter", "1")
    assert " 1 round" in found["message"] and "1 rounds" not in found["message"], found
