# Plan: verify as a command.
# - kinds: plaintext needs no key and asks for none, refuses a key or a setting that is named, and
#   says so where one from a variable was not needed; what is no
#   database, a wrong key, a missing file are what they are for every command;
# - several files: a line or an object each, in order whatever --jobs says, a summary, exit 1;
# - --quick, --sample, -q, -v; names that want to move the cursor; SIGINT.
import json
import os
import random
import signal
import sqlite3
import time

import pytest

from support import migrations, peers, program, samples, summaries
from support.files import Snapshot, change, flip
from support.kinds import RAW
from support.refusal import refuse
from support.verdicts import verify

PAGE = 4096


def test_a_plaintext_database_needs_no_key_and_none_is_asked_for(work, keys, source):
    assert "no tags" in verify(source, keys, key=None)["message"]
    result = program.run_tty("verify", source)
    assert result.exit == 0 and b"ok: 37 pages" in result.out, result


def test_a_key_in_the_environment_is_no_claim_and_a_named_one_is(work, keys, source):
    path, unused = keys.file(RAW), b"note: " + os.fsencode(source) + b": it is not encrypted; the key"
    for variable in ({"DBSEAL_KEY": "some words"}, {"DBSEAL_KEY_FILE": str(path)},
                     {"DBSEAL_KEY_COMMAND": "false"}):
        result = program.run("verify", source, env=variable)
        assert result.exit == 0 and unused in result.err, result
        notes = program.ok("verify", source, env=variable)["notes"]
        assert [note["note"] for note in notes] == ["key_not_used"]
    assert program.ok("verify", source)["notes"] == []
    found = refuse(work, "wrong_kind", "verify", source, "--key-file", path)
    assert found["kind"] == "plaintext"


@pytest.mark.parametrize("option", [
    ["--format", "4"], ["--page-size", "4096"], ["--kdf-iter", "4000"], ["--hmac-pgno", "le"],
    ["--plaintext-header", "0"], ["--salt", "00" * 16]])
def test_a_named_setting_is_a_claim_too(work, source, option):
    assert refuse(work, "wrong_kind", "verify", source, *option)["kind"] == "plaintext"


def test_an_encrypted_one_has_nothing_to_say_about_its_key(sealed, keys):
    env = {"DBSEAL_KEY_FILE": str(keys.file(RAW))}
    assert program.ok("verify", sealed, env=env)["notes"] == []


@pytest.mark.parametrize("name, data, code", [
    ("empty", b"", "wrong_kind"), ("text", b"CREATE TABLE t(a);\n" * 300, "wrong_kind"),
    ("short", random.Random(1).randbytes(300), "wrong_kind"),
    ("random", random.Random(1).randbytes(8192), "wrong_key"),
    ("journal", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(4096), "wrong_kind"),
    ("wal", b"\x37\x7f\x06\x82" + bytes(4096), "wrong_kind")])
def test_what_is_no_database(work, keys, name, data, code):
    (work / "file").write_bytes(data)
    refuse(work, code, "verify", work / "file", "--key-file", keys.file(RAW))


def test_the_magic_with_junk_behind_it(work, keys):
    path = work / "plain.db"
    path.write_bytes(b"SQLite format 3\0" + random.Random(1).randbytes(8176))
    found = verify(path, keys, "damaged", key=None)
    assert found["verdicts"]["references"]["reason"] == "damaged_header"


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65536])
@pytest.mark.parametrize("at, data", [
    (6, b"@"), (0, b"R"), (15, b"\1"), (0, bytes(16)), (0, bytes(range(7, 23)))],
    ids=["byte 6", "byte 0", "byte 15", "zeros", "other bytes"])
def test_a_plaintext_database_with_a_damaged_magic(work, keys, page_size, at, data):
    path = samples.plain(work / "plain.db", pragmas=[f"page_size={page_size}"])
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size={page_size}")
    connection.execute("VACUUM")
    assert connection.execute("PRAGMA page_size").fetchone() == (page_size,)
    connection.close()
    change(path, at, data)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        sqlite3.connect(path).execute("SELECT * FROM sqlite_master").fetchall()
    found = verify(path, keys, "damaged", key=None)
    assert "first 16 bytes" in found["message"], found
    refuse(work, "damaged", "encrypt", path, work / "out.db", "--key-file", keys.file(RAW))
    assert refuse(work, "wrong_kind", "verify", path, "--key-file", keys.file(RAW))["kind"] == (
        "plaintext")
    looked = program.run("inspect", "--json", path).json
    assert looked["kind"] == "plaintext" and not looked["may_be_encrypted"], looked
    text = program.run("inspect", path)
    assert text.exit == 0 and b"first 16 bytes are damaged" in text.out, text
    change(path, 0, b"SQLite format 3\0")  # the judge: nothing else is wrong with it
    peers.sound(peers.plain(path))


def test_a_wrong_key(work, keys, sealed):
    found = refuse(work, "wrong_key", "verify", sealed, "--key-file", keys.file("x'" + "0" * 64 + "'"))
    assert found["pages_tried"] > 1


def test_no_key_where_one_is_needed(work, keys, sealed, source):
    refuse(work, "no_key", "verify", sealed)
    result = program.run_tty("verify", sealed, answers=[("Key of ", "x'" + "a1b2c3d4" * 8 + "'")])
    assert result.exit == 0, result


def test_a_file_that_is_not_there(work, keys):
    refuse(work, "io", "verify", work / "nothing.db", "--key-file", keys.file(RAW))


def test_a_folder_is_no_database(work, keys):
    (work / "folder").mkdir()
    refuse(work, "wrong_kind", "verify", work / "folder")


@pytest.fixture
def many(work):
    """Ten databases: sealed and plain in turn, one of each damaged."""
    paths = []
    for i in range(10):
        path = work / f"{i}.db"
        if i % 2:
            samples.plain(path, "CREATE TABLE t(a); INSERT INTO t VALUES(1);")
        else:
            peers.create_sealed(path, RAW, [], samples.fill)
        paths.append(path)
    flip(paths[4], 8 * PAGE + 1)
    change(paths[7], PAGE, b"\x99")
    return paths


@pytest.mark.parametrize("jobs", ["1", "2", "7"])
def test_several_files_are_answered_in_order(work, keys, many, jobs):
    # Only the sealed ones want the key; it comes from the environment, where it claims nothing.
    env = {"DBSEAL_KEY": RAW}
    before = Snapshot(work)
    result = program.run("verify", "--json", "--jobs", jobs, work / "no.db", *many, env=env)
    text = program.run("verify", "-j", jobs, work / "no.db", *many, env=env)
    before.unchanged()
    assert result.exit == text.exit == 1
    *objects, summary = result.objects
    assert [o["database"] for o in objects] == [str(p) for p in [work / "no.db", *many]]
    codes = [o["code"] for o in objects]
    assert codes == ["io"] + ["ok"] * 4 + ["damaged"] + ["ok"] * 2 + ["damaged"] + ["ok"] * 2
    assert summaries.of(summary, many) == {"summary": {
        "command": "verify", "ok": False, "code": "check_failed", "exit": 1, "files": 11,
        "succeeded": 8, "failed": 3, "skipped": 0, "unchanged": 0, "failures": {"damaged": 2, "io": 1}}}
    lines = text.out.decode().splitlines()
    assert [line for line in lines if ".db: ok: " in line] == [
        line for i in (0, 1, 2, 3, 5, 6, 8, 9) for line in lines if f"/{i}.db: ok: " in line]
    assert summaries.text(lines[-1]) == (
        "8 of 11 databases passed, 3 failed (2 damaged, 1 io)")


@pytest.mark.parametrize("command", [
    ["verify"], ["inspect", "--tables"], ["migrate", "--schema"]], ids=lambda c: c[0])
def test_a_key_that_some_lack_is_no_obstacle_for_the_others(work, tmp_path, many, command):
    """Without a key, or where its source fails, what needs none is done; the others say why."""
    if command[0] == "migrate":
        command = [*command, migrations.folder(tmp_path / "sql", {"1.sql": "CREATE TABLE new(a);"})]
    paths = many[:4]
    needs = [path.read_bytes()[:6] != b"SQLite" for path in paths]
    assert sorted(needs) == [False, False, True, True]
    for env in ({}, {"DBSEAL_KEY_FILE": str(tmp_path / "none")}):
        result = program.run(command[0], "--json", *command[1:], *paths, env=env)
        codes = [line.get("code") for line in result.objects[:-1]]
        assert result.exit == 1 and codes == ["no_key" if need else "ok" for need in needs], result
        # Where nothing can be done without, it is said once.
        sealed = [path for path, need in zip(paths, needs) if need]
        result = program.run(*command, *sealed, env=env)
        assert result.exit == 3 and result.err.count(b"dbseal: ") == 1, result


def test_several_sound_files(work, keys, many):
    sound = [many[0], many[1], many[2]]
    result = program.run("verify", *sound, env={"DBSEAL_KEY": RAW})
    assert result.exit == 0 and len(result.out.splitlines()) == 4, result


def test_a_batch_asks_for_its_key_once(work, keys, many):
    result = program.run_tty("verify", "-q", many[0], many[2], many[1],
                             answers=[("Key of 2 databases", RAW)])
    assert result.exit == 0, result


def test_quick_stops_after_the_pages(work, keys, sealed):
    connection = peers.sealed(sealed, RAW)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET rootpage=3 WHERE name='gaps'")
    connection.close()
    verify(sealed, keys, "damaged")
    verdicts = verify(sealed, keys, "ok", "--quick")["verdicts"]
    assert verdicts["structure"]["verdict"] == verdicts["references"]["verdict"] == "skipped"
    flip(sealed, 5 * PAGE)
    verify(sealed, keys, "damaged", "--quick")


def test_a_sample_says_how_many_pages_it_looked_at(work, keys, sealed):
    pages = os.path.getsize(sealed) // PAGE
    for percent in (1, 10, 50, 99, 100):
        found = verify(sealed, keys, "ok", "--quick", "--sample", str(percent))
        wanted = -(-pages * percent // 100)
        verdict = found["verdicts"]["pages"]
        assert verdict["checked"] == wanted and verdict["total"] == pages
        assert verdict["sample"] == (percent if wanted < pages else None)
        if wanted < pages:
            assert f"{wanted} of {pages} pages, a sample of {percent} percent" in found["message"]


def test_samples_differ_and_find_damage_in_the_end(work, keys, sealed):
    flip(sealed, 20 * PAGE)
    exits = {program.run("verify", "--quick", "--sample", "30", "--key-file", keys.file(RAW),
                         sealed).exit for _ in range(60)}
    assert exits == {0, 5}  # either is missing once in a thousand million runs


def test_damage_that_a_sample_passed_over_is_listed_in_full(work, keys, sealed):
    for page in (5, 9, 21):
        flip(sealed, (page - 1) * PAGE + 30)
    for _ in range(5):
        found = verify(sealed, keys, "damaged", "--sample", "3")
        if found["damaged_pages"] == [5, 9, 21]:
            return
        assert set(found["damaged_pages"]) < {5, 9, 21}, found
    raise AssertionError("five samples of two pages met damage, and that is most unlikely")


def test_quiet_says_only_what_is_wrong(work, keys, sealed):
    good = program.run("verify", "-q", "--key-file", keys.file(RAW), sealed)
    assert (good.exit, good.out, good.err) == (0, b"", b"")
    flip(sealed, 5 * PAGE)
    bad = program.run("verify", "-q", "--key-file", keys.file(RAW), sealed)
    assert bad.exit == 5 and bad.out == b"" and b"(page 6)" in bad.err


def test_verbose_says_all_four_verdicts(work, keys, sealed):
    lines = program.run("verify", "-v", "--key-file", keys.file(RAW), sealed).out.decode()
    for word in ("pages: 39 pages authenticate (format 4)", "structure: sound",
                 "references: sound", "expectations: none", "user_version: -7"):
        assert word in lines, lines


def test_names_cannot_move_the_cursor(work, keys):
    name = "a\x1b[2Jb\nc\u202e"
    path = samples.plain(work / "plain.db", f"""CREATE TABLE "{name}"(x REFERENCES p(x));
        CREATE TABLE p(x PRIMARY KEY); INSERT INTO "{name}" VALUES(1);""")
    result = program.run_tty("verify", path, "--expect-table", name + "=5")
    assert result.exit == 1
    for raw in ("\x1b[2J", "\u202e"):
        assert raw.encode() not in result.out, result.out
    found = program.run("verify", "--json", path)
    assert b"\x1b" not in found.out
    assert found.json["verdicts"]["references"]["violations"][0]["table"] == name


def test_a_key_in_an_argument_is_not_repeated(work, source):
    result = program.run("verify", source, "--against-key=hunter2hunter2")
    assert result.exit == 2 and b"hunter2" not in result.err


def test_a_signal_ends_a_long_check_at_once(work, keys):
    path = work / "plain.db"
    connection = sqlite3.connect(path)
    connection.executescript("""PRAGMA synchronous=OFF; CREATE TABLE t(a, b, c);
        CREATE INDEX i ON t(a, b); CREATE INDEX j ON t(b, c); CREATE INDEX k ON t(c, a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
        INSERT INTO t SELECT i * 7919 % 1000003, hex(i), i FROM n;""")
    connection.close()
    before = Snapshot(work)
    process = program.start("verify", "--json", path)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    before.unchanged()
    assert process.returncode == -signal.SIGINT, (process.returncode, out)
    assert json.loads(out.splitlines()[0])["code"] == "interrupted"


def test_a_link_and_a_hard_link_are_read_like_the_file(work, keys, sealed):
    (work / "link.db").symlink_to(sealed)
    os.link(sealed, work / "hard.db")
    for name in ("link.db", "hard.db"):
        verify(work / name, keys)


def test_json_has_the_fields_that_are_documented(work, keys, sealed):
    documented = (program.ROOT / "Docs/json.md").read_text()
    found = verify(sealed, keys)

    def names(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield key
                yield from names(inner)
    for name in set(names(found)):
        assert f"`{name}`" in documented, name


def test_damage_that_only_an_expectation_meets(work, keys, sealed):
    for page in (5, 9, 21):
        flip(sealed, (page - 1) * PAGE + 30)
    # The sample is page 1 or not, and people is on most of the pages.
    for _ in range(3):
        found = verify(sealed, keys, "damaged", "--quick", "--sample", "1", "--expect-table",
                       "people=273", "--expect-table", "gaps=203", "--expect-table", "pairs=150")
        assert found["damaged_pages"], found
    (difference, *_) = found["verdicts"]["expectations"]["differences"]
    assert difference["expectation"] == "unknown" and "pages are damaged" in difference["message"]


def test_a_broken_tree_that_only_an_expectation_meets(work, keys, source):
    connection = peers.plain(source)
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name='gaps'").fetchone()[0]
    connection.close()
    change(source, (root - 1) * PAGE, bytes([9]) * PAGE)
    assert verify(source, keys, "ok", "--quick", key=None)
    found = verify(source, keys, "damaged", "--quick", "--expect-table", "gaps=203", key=None)
    assert f"page {root}" in found["message"]


def test_one_file_by_several_names(work, keys):
    path = samples.plain(work / "plain.db", pragmas=["journal_mode=WAL"])
    for i in range(6):
        (work / f"{i}.db").symlink_to(path)
    result = program.run("verify", "-j", "6", "--busy-timeout", "0",
                         *[work / f"{i}.db" for i in range(6)])
    assert result.exit == 0, result


def test_a_plaintext_header_that_nobody_named(work, keys):
    salt = "00112233445566778899aabbccddeeff"
    pragmas = [("cipher_plaintext_header_size", 32), ("cipher_salt", f"x'{salt}'")]
    path = peers.create_sealed(work / "sealed.db", RAW, pragmas, samples.fill)
    found = refuse(work, "wrong_kind", "verify", path, "--key-file", keys.file(RAW))
    assert found["kind"] == "sqlcipher_plaintext_header"
    assert "--plaintext-header" in found["hint"]
