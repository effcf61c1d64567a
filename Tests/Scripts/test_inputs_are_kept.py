# Plan: the files that a run reads beside its databases - keys, lists, a journal - are never lost.
# - each way to name one, against each name that an output, a backup, a sidecar or a shredded source has,
#   forced or not: exists (7), the folder as it was, byte for byte;
# - by another link to the same file, too;
# - what SQLite does to a key file beside a database is why: shown with stock SQLite;
# - a new key file or journal gets no such name;
# - a report of success does not outlive a list that fails; a list of keys is not repeated.
import os
import shutil
import sqlite3

import pytest

from support import peers, program, reports, samples
from support.files import Snapshot
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
NEW = "x'" + "d4c3b2a1" * 8 + "'"
SUFFIXES = ["-wal", "-journal", "-shm"]


@pytest.fixture
def place(work):
    """plain.db, sealed.db, and no key yet."""
    samples.plain(work / "plain.db")
    peers.create_sealed(work / "sealed.db", RAW, [], samples.fill)
    (work / "dir").mkdir()
    return work


def key(path, text=RAW):
    program.remember(text)
    path.write_text(text + "\n")
    path.chmod(0o600)
    return path


def kept(work, *args, **more):
    found = refuse(work, "exists", *args, **more)
    assert found["obstacle"] == "input", found
    return found


FORCED = {
    "the target": ("key", "encrypt -f --key-file key plain.db key"),
    "shredded": ("key", "encrypt -f --shred --key-file key plain.db key"),
    "decrypted": ("key", "decrypt -f --key-file key sealed.db key"),
    "a dry run": ("key", "decrypt -n -f --key-file key sealed.db key"),
    "migrated": ("key", "migrate -f --key-file key sealed.db key"),
    "keys to try": ("key", "decrypt -f --try-keys key sealed.db key"),
    "in a folder": ("dir/plain.db", "encrypt -f --key-file dir/plain.db --output-dir dir plain.db"),
    "a backup": ("plain.db.key", "encrypt --in-place --backup .key --key-file plain.db.key plain.db"),
    "a stale log": ("t.db-wal", "encrypt -f --key-file t.db-wal plain.db t.db"),
}


@pytest.mark.parametrize("name, line", FORCED.values(), ids=FORCED)
def test_forced_or_not_the_key_stays(place, name, line):
    key(place / name)
    kept(place, *line.split(), cwd=place)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("line", [
    "encrypt --in-place --key-file plain.db@ plain.db",
    "encrypt --shred --key-file plain.db@ plain.db out.db",
    "rekey --key-file key --new-key-file sealed.db@ sealed.db",
    "decrypt --in-place --key-file sealed.db@ sealed.db",
    "migrate --key-file sealed.db@ sealed.db",
    "migrate --schema sql --key-file sealed.db@ sealed.db",
])
def test_a_key_with_the_name_of_a_sidecar(place, suffix, line):
    (place / "sql").mkdir()
    (place / "sql" / "1_a.sql").write_text("CREATE TABLE made(a);")
    key(place / "key")
    name = next(word for word in line.split() if word.endswith("@")).replace("@", suffix)
    key(place / name, NEW if "rekey" in line else RAW)
    kept(place, *line.replace("@", suffix).split(), cwd=place)


def test_the_new_key_is_the_target(place):
    key(place / "old")
    key(place / "key", NEW)
    kept(place, "rekey", "-f", "--key-file", "old", "--new-key-file", "key", "sealed.db", "key",
         cwd=place)


@pytest.mark.parametrize("variable", ["DBSEAL_KEY_FILE", "DBSEAL_NEW_KEY_FILE"])
def test_a_key_that_a_variable_names(place, variable):
    key(place / "old")
    key(place / "key", NEW)
    env = {"DBSEAL_KEY_FILE": "old", variable: "key"}
    kept(place, "decrypt", "-f", "sealed.db", "key", cwd=place, env=env)


@pytest.mark.parametrize("line", [
    "cat key", "sh -c 'head -n 1 <key'", "sh -c 'cat \"./key\" | tr -d x'", "env FILE=key cat key"])
@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_key_that_a_command_reads(place, line, by):
    key(place / "key")
    options, env = (["--key-command", line], {}) if by == "option" else ([], {"DBSEAL_KEY_COMMAND": line})
    kept(place, "encrypt", "-f", *options, "plain.db", "key", cwd=place, env=env)
    kept(place, "rekey", "-f", "--key-file", "other", "--new-key-command", "cat key", "sealed.db", "key",
         cwd=place)


def test_a_command_may_be_told_of_the_database(place):
    """It looks up the key by that name."""
    key(place / "key")
    line = "sh -c 'test -e \"$0\" && cat key' {}"
    program.ok("migrate", "--key-command", line.format("sealed.db"), "sealed.db", cwd=place)
    program.ok("decrypt", "-f", "--key-command", line.format("plain.db"), "sealed.db", "plain.db", cwd=place)


@pytest.mark.parametrize("how", ["a symbolic link", "a hard link", "the other way round"])
def test_another_name_of_the_key(place, how):
    key(place / "key")
    if how == "a hard link":
        os.link(place / "key", place / "other")
    else:
        (place / "other").symlink_to("key")
    named, target = ("key", "other") if how != "the other way round" else ("other", "key")
    kept(place, "encrypt", "-f", "--key-file", named, "plain.db", target, cwd=place)


def test_a_list_and_a_journal(place, keys):
    (place / "dir" / "plain.db").write_text("plain.db\n")
    args = ["encrypt", "-f", "--key-file", keys.raw(), "--output-dir", "dir", "--files-from",
            "dir/plain.db", "--json"]
    before = Snapshot(place)
    result = program.run(*args, cwd=place)
    before.unchanged()
    assert result.objects[0]["code"] == "exists" and result.objects[0]["obstacle"] == "input", result
    refuse(place, "exists", "encrypt", "--in-place", "--resume", "plain.db-wal", "--key-file",
           keys.raw(), "plain.db", cwd=place)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_new_key_beside_a_database(place, suffix):
    found = refuse(place, "exists", "key", "generate", "--output", f"plain.db{suffix}", cwd=place)
    assert found["obstacle"] == "companion", found


def test_sqlite_removes_a_key_beside_a_database(place):
    key(place / "plain.db-journal")
    connection = sqlite3.connect(place / "plain.db")
    connection.execute("CREATE TABLE made(a)")
    connection.close()
    assert not (place / "plain.db-journal").exists()


def test_what_has_another_name_is_no_obstacle(place):
    key(place / "key")
    shutil.copy(place / "key", place / "copy")
    program.ok("encrypt", "-f", "--key-file", "key", "plain.db", "copy", cwd=place)
    assert (place / "key").read_text() == RAW + "\n"
    peers.sound(peers.sealed(place / "copy", RAW))


@pytest.mark.parametrize("form", ["junit", "tap"])
@pytest.mark.parametrize("list, code", [("nolist", "io"), ("empty", "usage")])
def test_a_report_of_a_list_that_fails(place, form, list, code):
    (place / "empty").touch()
    args = ["verify", "--report", form, "--report-file", "report"]
    program.ok(*args, "plain.db", cwd=place)
    before = (place / "report").read_bytes()
    result = program.run(*args, "--files-from", list, cwd=place)
    assert result.exit == program.EXIT[code], result
    after = (place / "report").read_bytes()
    assert after != before
    if form == "junit":
        assert [case[1] for case in reports.junit(after)] == ["error"]
    else:
        assert b"Bail out!" in after and b"\nok " not in after


@pytest.mark.parametrize("text", ["secret one\n", "a.b/secret\n", "secret one\nsecret two\n"])
@pytest.mark.parametrize("command", ["verify", "inspect", "migrate"])
def test_a_key_file_in_the_place_of_a_list(place, keys, text, command):
    for line in text.splitlines():
        program.remember(line)
    (place / "k").write_text(text)
    options = ["--key-file", keys.raw()] if command == "migrate" else []
    refuse(place, "usage", command, "--files-from", "k", *options, cwd=place)


def test_one_name_that_exists_makes_it_a_list(place):
    (place / "list").write_text("gone.db\nplain.db\n")
    result = program.run("verify", "--files-from", "list", cwd=place)
    assert result.exit == 1 and b"gone.db: " in result.err, result
