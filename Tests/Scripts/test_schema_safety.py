# Plan: what can go wrong around migrate --schema; each has its exit status, and nothing half done.
# - wrong key, no key, wrong kinds; tables that others made; damage, named by pages;
# - locked (8), waited for, several runners at once; read-only (9);
# - SIGINT in a statement and while waiting; SIGKILL; a hot journal;
# - what this engine cannot do (10).
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from support import migrations, peers, program, samples
from support.files import Snapshot
from support.others import Holder
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
# The newest format that the engine in the binary opens, and how a peer opens that.
NEWEST = 4 if program.engine() >= (4,) else 3
OPENING = [] if NEWEST == 4 else [("cipher_compatibility", NEWEST)]
# About a minute of work in one statement.
LONG = ("CREATE TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
        " WHERE i < 300000000) SELECT count(*) AS c FROM n;")


@pytest.fixture
def files(tmp_path):
    return migrations.folder(tmp_path / "migrations")


def plain(path):
    return samples.plain(path, "CREATE TABLE kept(a); INSERT INTO kept VALUES(1);")


def sealed(path):
    return peers.create_sealed(path, RAW, OPENING, samples.fill)


def rows(path, sql):
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


# keys and kinds

def test_a_wrong_key(work, keys, files):
    for options in ([], ["--status"], ["--dry-run"], ["--baseline", "2"]):
        refuse(work, "wrong_key", "migrate", "--schema", files, sealed_once(work), "--key-file",
               keys.raw("0f" * 32), *options)


def sealed_once(work):
    path = work / "a.db"
    return path if path.exists() else sealed(path)


def test_no_key(work, files):
    refuse(work, "no_key", "migrate", "--schema", files, sealed(work / "a.db"))


@pytest.mark.parametrize("data,kind", [
    (b"", "empty"), (b"hello\n" * 500, "other"), (bytes.fromhex("d9d505f920a163d7") + bytes(500),
                                                  "journal")])
def test_what_is_no_database(work, keys, files, data, kind):
    (work / "a.db").write_bytes(data)
    found = refuse(work, "wrong_kind", "migrate", "--schema", files, work / "a.db")
    assert found["kind"] == kind


def test_a_plaintext_header_that_was_not_named(work, keys, files):
    path = peers.create_sealed(
        work / "a.db", RAW,
        [("cipher_plaintext_header_size", 32), ("cipher_salt", "x'" + "5a" * 16 + "'")],
        samples.fill)
    found = refuse(work, "wrong_kind", "migrate", "--schema", files, path, "--key-file", keys.raw())
    assert "--source-plaintext-header" in found["hint"]


def test_a_missing_database_is_not_made(work, files):
    refuse(work, "io", "migrate", "--schema", files, work / "a.db")


@pytest.mark.parametrize("script", [
    "CREATE TABLE schema_migrations(version varchar(128) primary key);",
    "CREATE TABLE schema_migrations(version uint64, dirty bool);",
    "CREATE VIEW schema_migrations AS SELECT 1 AS version;",
    "CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL);"
    "INSERT INTO schema_migrations VALUES('v1');",
    "CREATE TABLE Schema_Migrations(version INTEGER UNIQUE NOT NULL);"
    "CREATE TABLE dbseal_migrations(a);",
])
def test_tables_that_others_made(work, files, script):
    path = samples.plain(work / "a.db", script)
    found = refuse(work, "migration_failed", "migrate", "--schema", files, path)
    assert found["flaw"] == "foreign_table"


# locks

def test_a_writer_is_waited_for(work, files):
    path = plain(work / "a.db")
    with Holder(path, statements=["BEGIN IMMEDIATE"]) as holder:
        running = program.start("migrate", "--schema", files, path)
        time.sleep(0.3)
        assert running.poll() is None
        holder.stdin.close()
        assert running.wait(20) == 0
        holder.stdin = None
    assert rows(path, "SELECT max(version) FROM schema_migrations") == [(30,)]


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_runners_side_by_side_do_everything_once(work, tmp_path, mode):
    many = migrations.folder(tmp_path / "many", {
        f"{n:03}.sql": f"CREATE TABLE t{n}(x); INSERT INTO t{n} VALUES({n});" for n in range(1, 31)})
    path = samples.plain(work / "a.db", "CREATE TABLE kept(a);", pragmas=[f"journal_mode={mode}"])
    running = [program.start("migrate", "--json", "--busy-timeout", "60", "--schema", many, path)
               for _ in range(5)]
    found = [p.communicate(timeout=120) for p in running]
    assert [p.returncode for p in running] == [0] * 5, found
    assert b"".join(out for out, _ in found).count(b'"statements":2') == 30
    assert rows(path, "SELECT count(*), max(version) FROM schema_migrations") == [(30, 30)]
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


# files that cannot be written

def test_a_write_protected_file(work, files):
    path = plain(work / "a.db")
    path.chmod(0o444)
    refuse(work, "io", "migrate", "--schema", files, path)
    program.ok("migrate", "--schema", files, "--status", path)
    program.ok("migrate", "--schema", files, "--dry-run", path)
    program.ok("migrate", "--schema", files, "--force", path) if os.getuid() == 0 else None


def test_nothing_to_do_on_what_cannot_be_written(work, files):
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", files, path)
    path.chmod(0o444)
    before = Snapshot(work)
    assert program.ok("migrate", "--schema", files, path)["applied"] == []
    before.unchanged()


# signals and crashes

def wait_for_journal(process, folder):
    """Until the run is inside of its long statement."""
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        if rows_quietly(folder / "a.db") == 30:
            time.sleep(0.2)
            return
        time.sleep(0.01)
    raise AssertionError(process.communicate())


def rows_quietly(path):
    try:
        return rows(path, "SELECT max(version) FROM schema_migrations")[0][0]
    except sqlite3.OperationalError:
        return None


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_a_signal_rolls_the_file_back(work, files, sent):
    path = plain(work / "a.db")
    (files / "31.sql").write_text("CREATE TABLE half(x);\n" + LONG)
    process = program.start("migrate", "--json", "--schema", files, path)
    wait_for_journal(process, work)
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert process.returncode == -sent, (out, err)
    assert b'"code":"interrupted"' in out and b"nothing was changed" not in out
    assert out.count(b'"checksum"') == 3
    assert os.listdir(work) == ["a.db"]
    assert rows(path, "SELECT max(version) FROM schema_migrations") == [(30,)]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name='half'") == []


def test_a_signal_ends_the_waiting(work, files):
    path = plain(work / "a.db")
    with Holder(path, statements=["BEGIN IMMEDIATE"]):
        process = program.start("migrate", "--busy-timeout", "600", "--schema", files, path)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT, (out, err)
    assert rows(path, "SELECT name FROM sqlite_master") == [("kept",)]


def test_a_signal_ends_a_dry_run(work, files):
    path = plain(work / "a.db")
    (files / "31.sql").write_text(LONG)
    before = Snapshot(work)
    process = program.start("migrate", "--dry-run", "--schema", files, path)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT, (out, err)
    before.unchanged()


def test_a_kill_leaves_whole_files_only(work, files):
    path = plain(work / "a.db")
    (files / "31.sql").write_text("CREATE TABLE half(x);\n" + LONG)
    process = program.start("migrate", "--schema", files, path)
    wait_for_journal(process, work)
    process.kill()
    process.communicate()
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "SELECT max(version) FROM schema_migrations") == [(30,)]
    (files / "31.sql").write_text("CREATE TABLE half(x);")
    program.ok("migrate", "--schema", files, path)
    assert os.listdir(work) == ["a.db"]


def hot_journal(path):
    """Leaves a journal of a change that was never committed, as a crash does."""
    script = ("import sqlite3, os, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
              "c.execute('PRAGMA cache_size=1'); c.execute('BEGIN')\n"
              "c.execute('UPDATE kept SET a = zeroblob(200000)')\n"
              "c.execute('CREATE TABLE junk AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT"
              " i + 1 FROM n WHERE i < 3000) SELECT i, zeroblob(500) FROM n'); os._exit(1)")
    subprocess.run([sys.executable, "-c", script, path], check=False)
    assert os.path.getsize(f"{path}-journal") > 512


def test_a_hot_journal_is_rolled_back_by_a_run_and_by_nothing_else(work, files):
    path = plain(work / "a.db")
    hot_journal(path)
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--status", path)
    assert found["pending"] == 3
    found = program.ok("migrate", "--schema", files, "--dry-run", path)
    assert not any("junk" in str(c) for c in found["schema_changes"])
    before.unchanged()
    program.ok("migrate", "--schema", files, path)
    assert os.listdir(work) == ["a.db"]
    assert rows(path, "SELECT a FROM kept") == [(1,)]
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


def test_a_kill_in_a_creation_leaves_a_temporary_file_for_the_next_run(work, keys, files):
    (files / "31.sql").write_text(LONG)
    options = ["--create", "--format", NEWEST, "--key-file", keys.raw()]
    process = program.start("migrate", "--schema", files, work / "a.db", *options)
    end = time.monotonic() + 30
    while time.monotonic() < end and not any(p.stat().st_size for p in work.iterdir()):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    left = os.listdir(work)
    assert len(left) == 1 and left[0].startswith(".a.db.dbseal-")
    (files / "31.sql").unlink()
    found = program.ok("migrate", "--schema", files, work / "a.db", *options)
    assert left[0] in str(found["notes"])
    assert os.listdir(work) == ["a.db"]


# damage

def flip(path, page, size):
    data = bytearray(path.read_bytes())
    data[(page - 1) * size + 100] ^= 0x40
    path.write_bytes(data)


def test_a_damaged_page_is_named(work, keys, tmp_path):
    path = sealed(work / "a.db")
    size = 4096 if NEWEST == 4 else 1024
    flip(path, 5, size)
    flip(path, 7, size)
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a AS SELECT * FROM people;"
                 "CREATE TABLE b AS SELECT * FROM gaps; CREATE TABLE c AS SELECT * FROM pairs;"})
    for options in (["--dry-run"], []):
        found = refuse(work, "damaged", "migrate", "--schema", folder, path, "--key-file",
                       keys.raw(), *options)
        assert set(found["damaged_pages"]) <= {5, 7} and found["damaged_pages"], found
    assert found["damaged_pages"] == [5, 7]


def test_a_broken_tree_is_damage(work, tmp_path):
    path = plain(work / "a.db")
    root = rows(path, "SELECT rootpage FROM sqlite_master")[0][0]
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096] = 0x77
    path.write_bytes(data)
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE TABLE b AS SELECT * FROM kept;"})
    for options in (["--dry-run"], []):
        refuse(work, "damaged", "migrate", "--schema", folder, path, *options)


# engines

def test_a_module_that_the_engine_does_not_have(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE VIRTUAL TABLE a USING nosuch(x);"})
    found = refuse(work, "unsupported", "migrate", "--schema", folder, plain(work / "a.db"))
    assert found["module"] == "nosuch" and found["file"] == "1.sql"


@pytest.mark.parametrize("sql,needs", [
    ("CREATE TABLE b(x INTEGER) STRICT;", "3.37"), ("ALTER TABLE kept RENAME COLUMN a TO b;", "3.25"),
    ("ALTER TABLE kept DROP COLUMN a;", "3.35"), ("PRAGMA legacy_alter_table = ON;", None),
])
def test_sql_that_is_newer_than_the_engine(work, tmp_path, sql, needs):
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE TABLE x(y);\n" + sql})
    path = samples.plain(work / "a.db", "CREATE TABLE kept(a, c);")
    if program.engine() >= (4, 5):
        program.ok("migrate", "--schema", folder, path)
    elif needs is None:
        found = refuse(work, "migration_failed", "migrate", "--schema", folder, path)
        assert found["reason"] == "unknown_pragma"
    else:
        found = refuse(work, "unsupported", "migrate", "--schema", folder, path)
        assert found["needs"] == needs and found["line"] == 2


def test_a_format_that_the_engine_cannot_open(work, keys, files):
    path = peers.create_sealed(work / "a.db", RAW, [], lambda c: c.execute("CREATE TABLE kept(a)"))
    key = ["--key-file", keys.raw()]
    # Looking needs no engine that opens the format.
    program.ok("migrate", "--schema", files, "--status", path, *key)
    if NEWEST == 4:
        program.ok("migrate", "--schema", files, path, *key)
    else:
        refuse(work, "unsupported", "migrate", "--schema", files, path, *key)
        refuse(work, "unsupported", "migrate", "--schema", files, "--create", work / "b.db", *key)
