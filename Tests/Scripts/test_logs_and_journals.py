# Plan: what lies beside a database belongs to it, and is only read.
# - committed frames of a -wal are part of the source, whatever the page size or key; uncommitted
#   and torn ones are not; the files stay byte for byte, no -shm is made;
# - an empty file beside a log: SQLite would remove the log, so what is there is told, and kept;
# - a log that may be missing is noted wherever something is claimed, in text too;
# - a hot journal is applied in memory; a journal that is not hot is not;
# The judge is the engine itself, on a copy of the same files.
import os
import random
from pathlib import Path

import pytest

from support import peers, program, samples
from support.content import content
from support.files import Snapshot
from support.kinds import KINDS, RAW, copied, hot, live, opened
from support.refusal import refuse


def converted(work, keys, kind, path, *options):
    """Converts there and proves that the folder was not touched; a judge over the output."""
    before = Snapshot(path.parent)
    command = "encrypt" if kind == "plain" else "decrypt"
    found = program.ok(command, path, work / "out.db", "--key-file", keys.raw(), *options)
    before.unchanged()
    judge = opened(work / "out.db", "sealed" if kind == "plain" else "plain")
    peers.sound(judge)
    return judge, found


def expected(tmp_path, path, kind, suffixes):
    """What the engine itself reads from a copy."""
    return content(opened(copied(path, tmp_path / "judged", suffixes), kind))


@KINDS
@pytest.mark.parametrize("suffixes", [["", "-wal"], ["", "-wal", "-shm"]], ids=["wal", "wal+shm"])
def test_committed_rows_of_the_log_are_included(work, keys, tmp_path, kind, suffixes):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    for i in range(90):
        connection.execute("INSERT INTO gaps VALUES(?, ?)", ("log", i))
    connection.execute("CREATE TABLE made_in_the_log AS SELECT * FROM people")
    path = copied(tmp_path / "live.db", tmp_path / "crashed", suffixes)
    wanted = content(connection)
    connection.close()
    judge, found = converted(work, keys, kind, path)
    assert content(judge) == wanted
    assert found["notes"], "the log is not mentioned"


@KINDS
def test_a_transaction_that_was_not_committed_is_not_included(work, keys, tmp_path, kind):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO gaps VALUES('committed', 1)")
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN")
    connection.execute("UPDATE people SET name = hex(zeroblob(400))")
    path = copied(tmp_path / "live.db", tmp_path / "crashed", ["", "-wal"])
    connection.execute("ROLLBACK")
    wanted = content(connection)
    connection.close()
    assert content(converted(work, keys, kind, path)[0]) == wanted


@KINDS
@pytest.mark.parametrize("cut", [1, 100, 4096 + 24, 20000])
def test_a_torn_log_counts_up_to_its_last_whole_commit(work, keys, tmp_path, kind, cut):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    for i in range(10):
        connection.execute("INSERT INTO gaps VALUES(?, zeroblob(9000))", (i,))
    path = copied(tmp_path / "live.db", tmp_path / "crashed", ["", "-wal"])
    connection.close()
    os.truncate(f"{path}-wal", os.path.getsize(f"{path}-wal") - cut)
    wanted = expected(tmp_path, path, kind, ["", "-wal"])
    assert content(converted(work, keys, kind, path)[0]) == wanted


def crashed(connection, tmp_path):
    """The live database as a crash would leave it, with its log, and what it holds. Closes it."""
    path = copied(tmp_path / "live.db", tmp_path / "crashed", ["", "-wal"])
    wanted = content(connection)
    connection.close()
    return path, wanted


@KINDS
def test_a_log_that_grows_and_shrinks_the_database(work, keys, tmp_path, kind):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("CREATE TABLE big AS SELECT zeroblob(30000) AS z FROM people")
    connection.execute("DROP TABLE big")
    connection.execute("VACUUM")
    path, wanted = crashed(connection, tmp_path)
    assert content(converted(work, keys, kind, path)[0]) == wanted


@KINDS
def test_an_empty_log_and_a_log_of_another_time(work, keys, tmp_path, kind):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("INSERT INTO gaps VALUES('new', 1)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path = copied(tmp_path / "live.db", tmp_path / "crashed", [""])
    wanted = content(connection)
    connection.close()
    def named(found):
        return [note["note"] for note in found["notes"] if note["note"].startswith("wal")]
    Path(f"{path}-wal").touch()
    judge, found = converted(work, keys, kind, path)
    assert content(judge) == wanted
    assert named(found) == [], found
    judge.close()
    os.remove(work / "out.db")
    Path(f"{path}-wal").write_bytes(b"\x37\x7f\x06\x82" + random.Random(1).randbytes(10000))
    judge, found = converted(work, keys, kind, path)
    assert content(judge) == wanted
    assert named(found) == ["wal_unusable"], found


@KINDS
def test_the_header_says_wal_and_no_log_is_there(work, keys, tmp_path, kind):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path = copied(tmp_path / "live.db", tmp_path / "crashed", [""])
    wanted = content(connection)
    connection.close()
    judge, found = converted(work, keys, kind, path)
    assert content(judge) == wanted
    assert "wal_missing" in [note["note"] for note in found["notes"]], found


@KINDS
def test_a_hot_journal_is_applied_in_memory(work, keys, tmp_path, kind):
    path = hot(tmp_path, kind)
    wanted = expected(tmp_path, path, kind, ["", "-journal"])
    assert b"unfinished" not in [row[2][1] for row in wanted["schema"]]
    judge, found = converted(work, keys, kind, path)
    assert content(judge) == wanted
    assert found["notes"], "the journal is not mentioned"


@KINDS
def test_a_hot_journal_with_another_sector_size_is_applied_too(work, keys, tmp_path, kind):
    path = hot(tmp_path, kind, ["DELETE FROM people WHERE id % 3 = 0", "PRAGMA auto_vacuum=FULL"])
    wanted = expected(tmp_path, path, kind, ["", "-journal"])
    assert content(converted(work, keys, kind, path)[0]) == wanted


@KINDS
def test_a_journal_that_is_not_hot_is_left_alone(work, keys, tmp_path, kind):
    connection = live(tmp_path / "live.db", kind, "PERSIST")
    connection.execute("INSERT INTO gaps VALUES('committed', 1)")
    path = copied(tmp_path / "live.db", tmp_path / "crashed", ["", "-journal"])
    wanted = content(connection)
    connection.close()
    assert content(converted(work, keys, kind, path)[0]) == wanted


def test_a_link_to_a_database_finds_the_log_beside_the_real_file(work, keys):
    path = samples.plain(work / "plain.db", pragmas=["journal_mode=WAL"])
    connection = peers.plain(path)
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO gaps VALUES('from the log', 1)")
    (work / "crashed").mkdir()
    for suffix in ("", "-wal"):
        (work / "crashed" / f"real.db{suffix}").write_bytes((work / f"plain.db{suffix}").read_bytes())
    connection.close()
    (work / "link.db").symlink_to(work / "crashed" / "real.db")
    key = keys.raw()
    program.ok("encrypt", work / "link.db", work / "sealed.db", "--key-file", key)
    program.ok("decrypt", work / "sealed.db", work / "out.db", "--key-file", key)
    question = "SELECT count(*) FROM gaps"
    assert (peers.plain(work / "out.db").execute(question).fetchone()
            == peers.plain(path).execute(question).fetchone())


def emptied(tmp_path, kind):
    """An empty file beside a log with committed rows."""
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    # Every page has to be in it.
    connection.execute("VACUUM")
    connection.execute("INSERT INTO gaps VALUES('in the log', 1)")
    path, wanted = crashed(connection, tmp_path)
    path.write_bytes(b"")
    return path, wanted


@KINDS
def test_the_engine_removes_the_log_of_an_empty_file(tmp_path, kind):
    path, _ = emptied(tmp_path, kind)
    judge = opened(path, kind)
    assert judge.execute("SELECT count(*) FROM sqlite_master").fetchall() == [(0,)]
    assert not os.path.exists(f"{path}-wal")


@KINDS
def test_an_empty_file_beside_its_log_is_damage_and_is_saved(work, keys, tmp_path, kind):
    path, wanted = emptied(tmp_path, kind)
    key = [] if kind == "plain" else ["--key-file", keys.raw()]
    before = Snapshot(path.parent)
    for options in ([], ["--quick"]):
        result = program.run("verify", "--json", path, *options, *key)
        assert result.exit == 5 and result.json["code"] == "damaged", result
        assert "empty" in result.json["message"] and "TARGET" in result.json["hint"]
        assert result.json["verdicts"]["pages"]["size"] == 0
        assert [note["note"] for note in result.json["notes"]] == ["wal_included", "file_empty"]
    said = program.run("verify", path, *key)
    assert b"-wal" in said.err and b": ok" not in said.out, said
    assert "file_empty" in [n["note"] for n in program.ok("inspect", path)["notes"]]
    found = program.ok("inspect", "--tables", path, *key)
    assert {t["name"]: t["rows"] for t in found["tables"]}["gaps"] == 204
    assert found["damage"][0]["size"] == 0
    before.unchanged()
    judge, found = converted(work, keys, kind, path)
    assert content(judge) == wanted
    assert [note["note"] for note in found["notes"]][:2] == ["wal_included", "file_empty"]


@pytest.mark.parametrize("command", [
    ["verify"], ["decrypt"], ["rekey"], ["migrate", "--format", "4"]],
    ids=lambda command: command[0])
def test_nobody_is_told_to_use_an_empty_plaintext_file(work, keys, tmp_path, command):
    # Done by hand: sqlite3 begins with removing the log.
    path, wanted = emptied(tmp_path, "plain")
    key = ["--key-file", keys.raw()]
    new = ["--new-key-file", keys.raw("0f" * 32, "n")] if command == ["rekey"] else []
    targets = [[]] if command == ["verify"] else [[work / "out.db"], ["--in-place"]]
    for target in targets:
        found = refuse(path.parent, "damaged", *command, path, *target, *key, *new)
        assert "the -wal alone" in found["message"], found
        assert f"encrypt {path} TARGET" in found["hint"], found
        assert "as it is" not in found["hint"] and found["expected_size"] > 0, found
    program.ok("encrypt", path, work / "whole.db", *key)
    assert content(peers.sealed(work / "whole.db", RAW)) == wanted


@KINDS
def test_no_migration_removes_the_log_of_an_empty_file(work, keys, tmp_path, kind):
    path, wanted = emptied(tmp_path, kind)
    (work / "1_a.sql").write_text("CREATE TABLE new(a);")
    key = [] if kind == "plain" else ["--key-file", keys.raw()]
    for options in ([], ["--dry-run"], ["--baseline", "1"], ["--force"]):
        refuse(path.parent, "damaged", "migrate", "--schema", work, path, *key, *options)
    rekeyed = ["encrypt"] if kind == "plain" else ["rekey", "--new-key-file", keys.raw("0f" * 32, "n")]
    program.ok(*rekeyed, "--in-place", path, "--key-file", keys.raw())
    judge = peers.sealed(path, RAW if kind == "plain" else "x'" + "0f" * 32 + "'")
    assert content(judge) == wanted


@KINDS
def test_a_log_that_may_be_missing_is_noted_in_text(work, keys, tmp_path, kind):
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path = copied(tmp_path / "live.db", tmp_path / "crashed", [""])
    connection.close()
    key = ["--key-file", keys.raw()]
    own = [] if kind == "plain" else key
    runs = [["verify", path, *own], ["inspect", "--tables", path, *own],
            ["inspect", "--query", "SELECT 1", path, *own],
            ["inspect", "--query", "SELECT * FROM made_in_the_log", path, *own]]
    if kind == "plain":
        runs.append(["encrypt", path, work / "a.db", *key])
    else:
        runs += [["decrypt", path, work / "b.db", *key], ["migrate", path, work / "d.db", *key,
                                                         "--page-size", "8192"],
                 ["rekey", path, work / "c.db", *key, "--new-key-file", keys.raw("0f" * 32, "new")]]
    for run in runs:
        result = program.run(*run)
        assert b"there is no -wal" in result.err, result
        assert b"there is no -wal" not in program.run(*run, "-q").err
    result = program.run(*runs[3], "--json")
    assert result.exit == 2 and [n["note"] for n in result.json["notes"]] == ["wal_missing"]
