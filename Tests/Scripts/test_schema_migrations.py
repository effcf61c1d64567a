# Plan: migrate --schema, judged by stock SQLite and SQLCipher 4.19 over what it leaves.
# - plaintext and every format: the same content as a peer's that ran the files itself; a second run
#   finds nothing to do and leaves every byte;
# - the version row is in the file's transaction; FMDBMigrationManager's table is continued and left
#   readable; user_version instead of it;
# - status, check, to, baseline, create, a dry run; several databases; order, gaps, duplicates;
# - a failing file: file, line, statement, message; earlier ones stay.
import re
import sqlite3

import pytest

from support import migrations, peers, program, samples, summaries
from support.files import Snapshot, mode
from support.refusal import refuse

WORDS = "correct horse ' é"
RAW = "x'" + "a1b2c3d4" * 8 + "'"
# The newest format that the engine in the binary opens, and how a peer opens that.
NEWEST = 4 if program.engine() >= (4,) else 3


def compatible(format=NEWEST):
    return [] if format == 4 else [("cipher_compatibility", format)]


@pytest.fixture
def files(tmp_path):
    return migrations.folder(tmp_path / "migrations")




def rows(path, sql):
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def plain(path):
    return samples.plain(path, "CREATE TABLE kept(a); INSERT INTO kept VALUES(x'00ff');")


def sealed(path, key, format=NEWEST):
    return peers.create_sealed(
        path, key, compatible(format),
        lambda c: c.executescript("CREATE TABLE kept(a); INSERT INTO kept VALUES(x'00ff');"))


def everything(connection):
    """Every row of every table but dbseal's own, and the schema's text."""
    names = [r[0] for r in connection.execute(
        "SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type='table'"
        " AND name <> 'dbseal_migrations' ORDER BY name")]
    found = {}
    for name in names:
        table = name.decode()
        found[table] = connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()
    found["schema"] = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '%dbseal%'"
        " ORDER BY name").fetchall()
    return found


def expected(tmp_path, folder):
    """What a peer makes of the same database and the same files."""
    path = plain(tmp_path / "by peer.db")
    connection = peers.plain(path)
    migrations.library_migrate(connection, folder)
    found = everything(connection)
    connection.close()
    return found


def test_a_plaintext_database(tmp_path, work, files):
    path = plain(work / "a.db")
    found = program.ok("migrate", "--schema", files, path, stdin=b"")
    assert [(m["version"], m["file"], m["statements"]) for m in found["applied"]] == [
        (1, "001_first.sql", 4), (2, "2_second.sql", 1), (30, "30.sql", 2)]
    assert found["version_before"] is None and found["version"] == 30
    assert found["action"] == "apply" and found["encrypted"] is False
    connection = peers.plain(path)
    peers.sound(connection)
    assert everything(connection) == expected(tmp_path, files)
    assert migrations.library_applied(connection) == ([1, 2, 30], 30)
    details = connection.execute(
        "SELECT version, name, checksum FROM dbseal_migrations ORDER BY 1").fetchall()
    assert details == [
        (v, peers.text(n.encode()), peers.text(migrations.checksum(files / n).encode()))
        for v, n in ((1, "001_first.sql"), (2, "2_second.sql"), (30, "30.sql"))]
    connection.close()
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, path)
    assert found["applied"] == [] and found["version"] == 30
    before.unchanged()


@pytest.mark.parametrize("format", [1, 2, 3, 4])
def test_an_encrypted_database_of_every_format(tmp_path, work, keys, files, format):
    path = sealed(work / "a.db", WORDS, format)
    if format > NEWEST:
        return refuse(work, "unsupported", "migrate", "--schema", files, path, "--key-file",
                      keys.file(WORDS))
    salt = path.read_bytes()[:16]
    found = program.ok("migrate", "--schema", files, path, "--key-file", keys.file(WORDS))
    assert found["version"] == 30 and found["format"] == format and found["encrypted"] is True
    assert path.read_bytes()[:16] == salt
    connection = peers.sealed(path, WORDS, compatible(format))
    peers.sound(connection, cipher=True)
    assert everything(connection) == expected(tmp_path, files)
    connection.close()
    before = Snapshot(work)
    program.ok("migrate", "--schema", files, path, "--key-file", keys.file(WORDS))
    before.unchanged()


@pytest.mark.parametrize("pragmas,options", [
    ([("cipher_page_size", 8192), ("kdf_iter", 1000)],
     ["--source-page-size", "8192", "--source-kdf-iter", "1000"]),
    ([("cipher_hmac_algorithm", "HMAC_SHA256")], ["--source-hmac-algorithm", "sha256"]),
    ([("cipher_plaintext_header_size", 32), ("cipher_salt", "x'" + "5a" * 16 + "'")],
     ["--source-plaintext-header", "32", "--source-salt", "5a" * 16]),
], ids=["page size", "tag", "plaintext header"])
def test_settings_of_its_own(tmp_path, work, keys, files, pragmas, options):
    path = work / "a.db"
    peers.create_sealed(
        path, WORDS, pragmas,
        lambda c: c.executescript("CREATE TABLE kept(a); INSERT INTO kept VALUES(x'00ff');"))
    args = ["migrate", "--schema", files, path, "--key-file", keys.file(WORDS), *options]
    if NEWEST < 4:
        refuse(work, "unsupported", *args)
        return
    program.ok(*args)
    connection = peers.sealed(path, WORDS, pragmas)
    peers.sound(connection, cipher=True)
    assert everything(connection) == expected(tmp_path, files)
    connection.close()


def test_a_log_stays_a_log(work, files):
    path = samples.plain(work / "a.db", "CREATE TABLE kept(a);", pragmas=["journal_mode=WAL"])
    program.ok("migrate", "--schema", files, path)
    assert sorted(p.name for p in work.iterdir()) == ["a.db"]
    assert path.read_bytes()[18:20] == b"\x02\x02"
    other = sqlite3.connect(path)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert other.execute("SELECT max(version) FROM schema_migrations").fetchone() == (30,)
    other.close()


def test_with_another_connection_open(work, files):
    path = samples.plain(work / "a.db", "CREATE TABLE kept(a);", pragmas=["journal_mode=WAL"])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("INSERT INTO kept VALUES(1)")
    program.ok("migrate", "--schema", files, path)
    assert other.execute("SELECT count(*) FROM people").fetchone() == (1,)
    other.close()


def test_the_library_goes_on_where_dbseal_ended(work, files):
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", files, "--to", "2", path)
    connection = peers.plain(path)
    assert migrations.library_applied(connection) == ([1, 2], 2)
    migrations.library_migrate(connection, files)
    assert migrations.library_applied(connection) == ([1, 2, 30], 30)
    sql = connection.execute(
        "SELECT sql FROM sqlite_master WHERE name = 'schema_migrations'").fetchone()[0]
    assert sql == peers.text(b"CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL)")
    connection.close()
    found = program.ok("migrate", "--schema", files, path)
    assert found["applied"] == []
    assert [(m["version"], m["state"], m["applied_at"] is None) for m in found["migrations"]] == [
        (1, "applied", False), (2, "applied", False), (30, "applied", True)]


def test_dbseal_goes_on_where_the_library_ended(work, files):
    path = plain(work / "a.db")
    third = (files / "30.sql").rename(files.parent / "later")
    connection = peers.plain(path)
    migrations.library_migrate(connection, files)
    connection.close()
    third.rename(files / "30.sql")
    found = program.ok("migrate", "--schema", files, path)
    assert [m["version"] for m in found["applied"]] == [30]
    assert rows(path, "SELECT version FROM schema_migrations ORDER BY 1") == [(1,), (2,), (30,)]


def test_versions_of_64_bits_and_gaps(work, tmp_path):
    newest = 2**63 - 1
    folder = migrations.folder(tmp_path / "m", {
        "20140101120000_a.sql": "CREATE TABLE a(x);", f"{newest}_z.sql": "CREATE TABLE z(x);",
        "0_zero.sql": "CREATE TABLE zero(x);", "010.sql": "CREATE TABLE ten(x);"})
    path = plain(work / "a.db")
    found = program.ok("migrate", "--schema", folder, path)
    assert [m["version"] for m in found["applied"]] == [0, 10, 20140101120000, newest]
    assert found["version"] == newest
    assert rows(path, "SELECT max(version) FROM schema_migrations") == [(newest,)]


# name: whether FMDBMigrationManager's regular expression takes it.
NAMES = ["1.sql", "02_a.sql", "3_a b-c_d.sql", "4_größe.sql", "5_.sql", "6_a_.sql", "7a.sql",
         "8_a.b.sql", "x9.sql", "10_a.SQL", "11_a.sql.bak", "12__a.sql", "README.md", "13-a.sql"]


def test_names_are_read_as_the_library_reads_them(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {n: "SELECT 1;" for n in NAMES + [".hidden"]})
    found = program.ok("migrate", "--schema", folder, plain(work / "a.db"))
    taken = [n for n in NAMES if migrations.NAME.match(n)]
    assert len(taken) == 5
    assert sorted(m["file"] for m in found["applied"]) == sorted(taken)
    note = next(n for n in found["notes"] if n["note"] == "ignored_files")
    assert "10_a.SQL" in note["message"] and ".hidden" not in note["message"]


# status, check, to

def test_status_says_what_is_what_and_changes_nothing(work, keys, files):
    path = sealed(work / "a.db", RAW, 3)
    key = ["--key-file", keys.raw()]
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--status", path, *key)
    assert [m["state"] for m in found["migrations"]] == ["pending"] * 3
    assert found["pending"] == 3 and found["version"] is None
    result = program.run("migrate", "--schema", files, "--status", "--check", path, *key)
    assert result.exit == 1, result
    # What is wrong is said even by one that is to be quiet.
    result = program.run("migrate", "-q", "--schema", files, "--status", "--check", path, *key)
    assert result.exit == 1 and result.out == b"", result
    assert result.err == f"dbseal: {path}: no version, 0 applied, 3 pending\n".encode(), result
    result = program.run("migrate", "--json", "--schema", files, "--status", "--check", path, *key)
    assert result.exit == 1 and result.json["code"] == "check_failed"
    assert result.json["ok"] is False
    before.unchanged()
    program.ok("migrate", "--schema", files, "--to", "2", path, *key)
    (files / "2_second.sql").write_text(migrations.SECOND + "-- edited")
    (files / "001_first.sql").unlink()
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--status", path, *key)
    assert [(m["version"], m["state"], m["file"]) for m in found["migrations"]] == [
        (1, "missing", "001_first.sql"), (2, "changed", "2_second.sql"), (30, "pending", "30.sql")]
    text = program.run("migrate", "--schema", files, "--status", path, *key)
    assert b"1 applied" not in text.out and b"pending  30.sql" in text.out, text
    before.unchanged()


def test_check_is_content_when_all_was_applied(work, files):
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", files, path)
    program.ok("migrate", "--schema", files, "--status", "--check", path)
    assert program.run("migrate", "-q", "--schema", files, "--status", "--check", path).text == ""


@pytest.mark.parametrize("options", [[], ["--status"], ["--dry-run"]])
def test_a_key_that_was_not_needed_is_noted(work, keys, files, options):
    env = {"DBSEAL_KEY_FILE": str(keys.raw())}
    args = ["migrate", "--schema", files, *options]
    found = program.ok(*args, plain(work / "a.db"), env=env)
    assert [note["note"] for note in found["notes"]] == ["key_not_used"]
    result = program.run(*args, plain(work / "b.db"), env=env)
    assert b"b.db: it is not encrypted; the key was not used\n" in result.err, result
    assert program.ok(*args, plain(work / "c.db"))["notes"] == []
    assert program.ok(*args, sealed(work / "d.db", RAW), env=env)["notes"] == []
    refuse(work, "wrong_kind", *args, "--source-format", "4", work / "a.db")


def test_to_a_version_and_not_back(work, files):
    path = plain(work / "a.db")
    found = program.ok("migrate", "--schema", files, "--to", "2", path)
    assert found["version"] == 2 and found["pending"] == 1
    program.ok("migrate", "--schema", files, "--to", "2", path)
    program.ok("migrate", "--schema", files, path)
    found = refuse(work, "migration_failed", "migrate", "--schema", files, "--to", "2", path)
    assert found["flaw"] == "beyond" and found["version"] == 30
    refuse(work, "usage", "migrate", "--schema", files, "--to", "7", path)


# order, duplicates, checksums

def test_out_of_order(work, files):
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", files, path)
    (files / "5_late.sql").write_text("CREATE TABLE late(x);")
    found = refuse(work, "migration_failed", "migrate", "--schema", files, path)
    assert found["flaw"] == "out_of_order" and found["files"] == ["5_late.sql"]
    found = program.ok("migrate", "--schema", files, "--allow-out-of-order", path)
    assert [m["version"] for m in found["applied"]] == [5]
    assert rows(path, "SELECT count(*) FROM late") == [(0,)]


@pytest.mark.parametrize("files,flaw", [
    ({"1_a.sql": "", "01_b.sql": ""}, "duplicate"), ({"9223372036854775808.sql": ""}, "version"),
    ({"README.md": ""}, "none"), ({"1.sql": b"SELECT 1;\nSELECT '\xff';"}, "not_text"),
    ({"1.sql": "SELECT 1;".encode("utf-16")}, "not_text"),
    ({"1.sql": b"CREATE TABLE a(x);\n\0DROP TABLE a;"}, "not_text"),
])
def test_folders_that_cannot_be_applied(work, tmp_path, files, flaw):
    folder = migrations.folder(tmp_path / "m", files)
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, plain(work / "a.db"))
    assert found["flaw"] == flaw


def test_no_such_folder(work, tmp_path):
    refuse(work, "io", "migrate", "--schema", tmp_path / "none", plain(work / "a.db"))


def test_a_changed_file_stops_everything(work, files):
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", files, "--to", "2", path)
    (files / "001_first.sql").write_text(migrations.FIRST + "-- later")
    found = refuse(work, "migration_failed", "migrate", "--schema", files, path)
    assert found["flaw"] == "changed" and found["files"] == ["001_first.sql"]
    # The hint can be typed, and what is pending stays so.
    option, version = re.search(r"(--baseline) (\d+) ", found["hint"]).groups()
    assert version == "1"
    program.ok("migrate", "--schema", files, option, version, path)
    found = program.ok("migrate", "--schema", files, path)
    assert [m["version"] for m in found["applied"]] == [30]


def test_a_byte_order_mark_is_no_statement(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {"1.sql": b"\xef\xbb\xbfCREATE TABLE a(x);"})
    program.ok("migrate", "--schema", folder, path := plain(work / "a.db"))
    assert rows(path, "SELECT count(*) FROM a") == [(0,)]


# baseline

def test_baseline_records_and_runs_nothing(work, files):
    path = plain(work / "a.db")
    found = program.ok("migrate", "--schema", files, "--baseline", "2", path)
    assert [m["version"] for m in found["applied"]] == [1, 2] and found["pending"] == 1
    assert rows(path, "SELECT version FROM schema_migrations ORDER BY 1") == [(1,), (2,)]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name='people'") == []
    before = Snapshot(work)
    assert program.ok("migrate", "--schema", files, "--baseline", "2", path)["applied"] == []
    before.unchanged()
    refuse(work, "usage", "migrate", "--schema", files, "--baseline", "3", path)


def test_a_dry_baseline(work, files):
    path = plain(work / "a.db")
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--baseline", "2", "--dry-run", path)
    assert [m["version"] for m in found["applied"]] == [1, 2]
    before.unchanged()


# user_version

def test_user_version_is_the_store(work, files):
    path = samples.plain(work / "a.db", "CREATE TABLE kept(a); PRAGMA user_version = 1;")
    connection = sqlite3.connect(path)
    connection.executescript(migrations.FIRST)
    connection.close()
    found = program.ok("migrate", "--schema", files, "--track", "user_version", path)
    assert [m["version"] for m in found["applied"]] == [2, 30]
    assert found["track"] == "user_version" and found["version_before"] == 1
    assert rows(path, "PRAGMA user_version") == [(30,)]
    assert rows(path, "SELECT count(*) FROM sqlite_master WHERE name LIKE '%migrations%'") == [(0,)]


def test_user_version_does_not_move_with_a_failure(work, files):
    path = plain(work / "a.db")
    (files / "31.sql").write_text("CREATE TABLE a(x); CREATE TABLE a(x);")
    found = refuse_after(work, path, files, "--track", "user_version")
    assert [m["version"] for m in found["applied"]] == [1, 2, 30]
    assert rows(path, "PRAGMA user_version") == [(30,)]


def test_user_version_holds_31_bits(work, tmp_path):
    for name in ("2147483648.sql", "0.sql"):
        folder = migrations.folder(tmp_path / name, {name: "SELECT 1;"})
        found = refuse(work, "migration_failed", "migrate", "--schema", folder, "--track",
                       "user_version", plain(work / f"{name}.db"))
        assert found["flaw"] == "version"


def test_a_file_beyond_the_store_stops_only_those_who_want_it(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x);", "20240101120000_later.sql": "CREATE TABLE b(x);"})
    path = plain(work / "a.db")
    track = ["migrate", "--schema", folder, "--track", "user_version"]
    found = refuse(work, "migration_failed", *track, path)
    assert found["flaw"] == "version" and "--to" in found["hint"]
    assert "--track schema_migrations" in found["hint"]
    assert program.ok(*track, "--to", "1", path)["version"] == 1
    assert rows(path, "PRAGMA user_version") == [(1,)]
    program.ok("migrate", "--schema", folder, "--track", "schema_migrations", plain(work / "b.db"))


def test_user_version_baseline(work, files):
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", files, "--track", "user_version", "--baseline", "30", path)
    assert rows(path, "PRAGMA user_version") == [(30,)]
    assert rows(path, "SELECT name FROM sqlite_master") == [("kept",)]


# failures

def refuse_after(work, path, files, *options):
    """A run whose last file fails; the JSON object."""
    result = program.run("migrate", "--json", "--schema", files, path, *options)
    assert result.exit == 11, result
    assert sorted(p.name for p in work.iterdir()) == [path.name]
    return result.json


@pytest.mark.parametrize("format", [None, NEWEST])
def test_a_failing_file_is_rolled_back_and_earlier_ones_stay(work, keys, files, format):
    path = plain(work / "a.db") if format is None else sealed(work / "a.db", RAW)
    options = [] if format is None else ["--key-file", keys.raw()]
    (files / "31_bad.sql").write_text(
        "-- two good ones\nCREATE TABLE half(x);\nINSERT INTO people(name)\n  VALUES('half');\n\n"
        "INSERT INTO nowhere\n  VALUES(1);\nCREATE TABLE other(x);\n")
    (files / "32.sql").write_text("CREATE TABLE never(x);")
    found = refuse_after(work, path, files, *options)
    assert (found["file"], found["line"]) == ("31_bad.sql", 6)
    assert found["statement"] == "INSERT INTO nowhere VALUES(1);"
    assert found["sqlite_message"] == "no such table: nowhere"
    assert [m["version"] for m in found["applied"]] == [1, 2, 30]
    connection = peers.plain(path) if format is None else peers.sealed(path, RAW, compatible())
    peers.sound(connection, cipher=format is not None)
    assert migrations.library_applied(connection) == ([1, 2, 30], 30)
    tables = {r[0][1] for r in connection.execute("SELECT name FROM sqlite_master")}
    assert not tables & {b"half", b"other", b"never"}
    assert connection.execute("SELECT count(*) FROM people").fetchone() == (1,)
    connection.close()
    text = program.run("migrate", "--schema", files, path, *options)
    assert text.exit == 11 and b"31_bad.sql, line 6 failed and was rolled back: no such table" in (
        text.err), text


def test_a_constraint_that_rolls_back_by_itself(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x UNIQUE); INSERT INTO a VALUES(1);",
        "2.sql": "INSERT INTO a VALUES(2);\nINSERT OR ROLLBACK INTO a VALUES(1);\n"
                 "INSERT INTO a VALUES(3);"})
    path = plain(work / "a.db")
    found = refuse_after(work, path, folder)
    assert found["line"] == 2 and "UNIQUE" in found["sqlite_message"]
    assert rows(path, "SELECT x FROM a") == [(1,)]


REFUSED = [
    ("BEGIN;", "transaction"), ("begin immediate;", "transaction"), ("COMMIT", "transaction"),
    ("END;", "transaction"), ("ROLLBACK;", "transaction"), ("SAVEPOINT a;", "transaction"),
    ("RELEASE a;", "transaction"), ("VACUUM;", "not_in_transaction"),
    ("ATTACH 'b.db' AS b;", "other_database"), ("DETACH b;", "other_database"),
    ("PRAGMA journal_mode = WAL;", "idle_pragma"), ("pragma main.page_size=512;", "idle_pragma"),
    ("PRAGMA foreign_keys = ON;", "foreign_keys"), ("PRAGMA \"foreign_keys\"=0", "foreign_keys"),
    ("PRAGMA rekey = 'x';", "cipher_pragma"), ("PRAGMA cipher_migrate;", "cipher_pragma"),
    ("\ufeffCOMMIT;", "transaction"), (" \x0bCOMMIT;", "transaction"),
    ("PRAGMA cache_size = 1;", "useless_pragma"), ("PRAGMA journal_mod = 1;", "unknown_pragma"),
]


@pytest.mark.parametrize("sql,reason", REFUSED)
def test_statements_that_are_no_part_of_a_transaction(work, tmp_path, sql, reason):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x);", "2.sql": f"CREATE TABLE b(x);\n/* ; */ -- ;\n{sql}"})
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, plain(work / "a.db"))
    assert found["flaw"] == "refused" and found["reason"] == reason
    assert (found["file"], found["line"]) == ("2.sql", 3)


@pytest.mark.parametrize("sql", [
    "PRAGMA key = 'a very secret word';", "ATTACH 'b' AS b KEY 'a very secret word';"])
def test_a_key_in_a_file_is_not_repeated(work, tmp_path, keys, sql):
    program.remember("a very secret word")
    folder = migrations.folder(tmp_path / "m", {"1.sql": sql})
    refuse(work, "migration_failed", "migrate", "--schema", folder, plain(work / "a.db"))


# foreign keys

PARENTS = ("CREATE TABLE parent(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE child(p REFERENCES"
           " parent(id) ON DELETE CASCADE); INSERT INTO parent VALUES(1, 'x'), (2, 'y');"
           "INSERT INTO child VALUES(1), (2);")
REBUILT = ("CREATE TABLE new(id INTEGER PRIMARY KEY, a TEXT NOT NULL);\n"
           "INSERT INTO new SELECT * FROM parent;\nDROP TABLE parent;\n"
           "ALTER TABLE new RENAME TO parent;\n")


def test_a_table_is_made_anew_without_losing_its_children(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {"1.sql": PARENTS, "2.sql": REBUILT})
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", folder, path)
    connection = peers.plain(path)
    peers.sound(connection)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("SELECT count(*) FROM child").fetchone() == (2,)
    connection.close()


def test_broken_references_are_rolled_back(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": PARENTS, "2.sql": REBUILT + "DELETE FROM parent WHERE id = 2;"})
    path = plain(work / "a.db")
    found = refuse_after(work, path, folder)
    assert found["flaw"] == "broken_references" and found["file"] == "2.sql"
    assert found["broken"] == 1 and found["broken_before"] == 0
    assert rows(path, "SELECT id FROM parent") == [(1,), (2,)]
    assert rows(path, "SELECT version FROM schema_migrations") == [(1,)]


def test_references_that_were_broken_before_are_noted(work, tmp_path):
    path = samples.plain(work / "a.db", PARENTS + "DELETE FROM parent WHERE id = 1;")
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE TABLE b(x);"})
    found = program.ok("migrate", "--schema", folder, path)
    assert [n["note"] for n in found["notes"]] == ["broken_references"]
    (folder / "2.sql").write_text("INSERT INTO child VALUES(77);")
    found = refuse_after(work, path, folder)
    assert (found["broken"], found["broken_before"]) == (2, 1)


def test_references_that_sqlite_cannot_check(work, tmp_path):
    # The parent's column is neither a key nor unique.
    bad = "CREATE TABLE p(a); CREATE TABLE c(x REFERENCES p(a)); INSERT INTO c VALUES(1);"
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE TABLE b(x);", "2.sql": bad})
    path = plain(work / "a.db")
    found = refuse_after(work, path, folder)
    assert found["flaw"] == "unchecked_references" and found["file"] == "2.sql"
    path = samples.plain(work / "b.db", bad)
    (folder / "2.sql").unlink()
    found = program.ok("migrate", "--schema", folder, path)
    assert [n["note"] for n in found["notes"]] == ["unchecked_references"]


HALF = ("CREATE TABLE p(a); CREATE TABLE p2(id INTEGER PRIMARY KEY);"
        "CREATE TABLE c(x REFERENCES p(a), w REFERENCES p2(id));"
        "INSERT INTO p2 VALUES(3); INSERT INTO c VALUES(5, 3);")


def test_a_reference_that_sqlite_cannot_check_hides_no_other(work, tmp_path):
    path = samples.plain(work / "a.db", HALF)
    folder = migrations.folder(tmp_path / "m", {"1.sql": "INSERT INTO c(w) VALUES(3);"})
    found = program.ok("migrate", "--schema", folder, path)
    assert [n["note"] for n in found["notes"]] == ["unchecked_references"]
    (folder / "2.sql").write_text("INSERT INTO c(w) VALUES(77);")
    found = refuse_after(work, path, folder)
    assert found["flaw"] == "broken_references" and found["file"] == "2.sql"
    assert (found["broken"], found["broken_before"]) == (1, 0)
    assert rows(path, "SELECT w FROM c") == [(3,), (3,)]
    # One more that cannot be checked is worse too; that one becomes checkable is not.
    (folder / "2.sql").write_text("CREATE TABLE d(y REFERENCES p(a));")
    assert refuse_after(work, path, folder)["flaw"] == "unchecked_references"
    (folder / "2.sql").write_text("CREATE UNIQUE INDEX p_a ON p(a);")
    found = program.ok("migrate", "--schema", folder, path)
    assert [m["state"] for m in found["migrations"]] == ["applied", "applied"]


# the schema table, and what one file leaves to the next

def test_the_schema_table_can_be_edited(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x CHECK(x < 10));",
        "2.sql": "PRAGMA writable_schema = ON;\nUPDATE sqlite_master SET sql = 'CREATE TABLE a(x"
                 " CHECK(x < 99))' WHERE name = 'a';\nPRAGMA schema_version = 1000;"})
    path = plain(work / "a.db")
    if program.engine() < (4,):  # SQLite 3.15 cannot be made to read an edited schema again
        result = program.run("migrate", "--schema", folder, path)
        assert result.exit == 10 and "3.30" in result.text, result
        return
    program.ok("migrate", "--schema", folder, path)
    assert rows(path, "SELECT sql FROM sqlite_master WHERE name='a'") == [
        ("CREATE TABLE a(x CHECK(x < 99))",)]
    (folder / "3.sql").write_text("UPDATE sqlite_master SET sql = 'x' WHERE name = 'a';")
    assert "may not be modified" in refuse_after(work, path, folder)["sqlite_message"]


def test_full_text_search(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE VIRTUAL TABLE words USING fts4(body);",
        "2.sql": "INSERT INTO words VALUES('one; two'), ('three');"
                 "INSERT INTO words(words) VALUES('optimize');"})
    path = plain(work / "a.db")
    program.ok("migrate", "--schema", folder, "--dry-run", path)
    program.ok("migrate", "--schema", folder, path)
    assert rows(path, "SELECT body FROM words WHERE words MATCH 'two'") == [("one; two",)]


# dry run

@pytest.mark.parametrize("kind", ["plain", "wal", "3", "4"])
def test_a_dry_run_shows_and_changes_nothing(work, keys, files, kind):
    options = []
    if kind in "34":
        path = sealed(work / "a.db", RAW, int(kind))
        options = ["--key-file", keys.raw()]
    else:
        pragmas = ["journal_mode=WAL"] if kind == "wal" else []
        path = samples.plain(work / "a.db", "CREATE TABLE kept(a);", pragmas=pragmas)
    (files / "31.sql").write_text("DROP TABLE kept;\nPRAGMA application_id = 9;")
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--dry-run", path, *options)
    before.unchanged()
    assert [m["version"] for m in found["applied"]] == [1, 2, 30, 31] and found["dry_run"] is True
    changes = [(c["old"], c["new"]) for c in found["schema_changes"]]
    assert ("CREATE TABLE kept(a);", None) in changes
    assert ("PRAGMA application_id = 0;", "PRAGMA application_id = 9;") in changes
    assert (None, "CREATE INDEX people_name ON people(name);") in changes
    text = program.run("migrate", "--schema", files, "--dry-run", path, *options)
    lines = text.out.decode().splitlines()
    assert "- CREATE TABLE kept(a);" in lines and "+ CREATE TRIGGER people_log AFTER INSERT ON " \
        "people BEGIN" in lines, text
    before.unchanged()


def test_a_dry_run_of_something_that_fails(work, files):
    (files / "31.sql").write_text("DROP TABLE nothing;")
    found = refuse(work, "migration_failed", "migrate", "--schema", files, "-n",
                   plain(work / "a.db"))
    assert found["file"] == "31.sql" and found["applied"] == []


def test_a_dry_run_over_a_log_that_is_not_checkpointed(work, files):
    path = work / "a.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.executescript("PRAGMA journal_mode=WAL; CREATE TABLE kept(a); INSERT INTO kept"
                         " VALUES(1);")
    (files / "31.sql").write_text("CREATE TABLE copy AS SELECT a FROM kept;")
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--dry-run", path)
    before.unchanged(ignore=["a.db-shm"])
    assert found["version"] == 31
    writer.close()


# create

@pytest.mark.parametrize("format", [1, 2, 3, 4])
def test_create_an_encrypted_database(work, keys, files, format):
    path = work / "new.db"
    args = ["migrate", "--schema", files, "--create", "--format", format, path, "--key-file",
            keys.file(WORDS)]
    if format > NEWEST:
        refuse(work, "unsupported", *args)
        return
    found = program.ok(*args)
    assert found["action"] == "create" and found["version"] == 30 and found["format"] == format
    assert sorted(p.name for p in work.iterdir()) == ["new.db"] and mode(path) == 0o600
    connection = peers.sealed(path, WORDS, compatible(format))
    peers.sound(connection, cipher=True)
    assert connection.execute("SELECT count(*) FROM people").fetchone() == (1,)
    assert migrations.library_applied(connection) == ([1, 2, 30], 30)
    connection.close()
    assert path.read_bytes()[:16].hex() == found["salt"]


@pytest.mark.parametrize("options", [
    ["--page-size", "8192", "--kdf-iter", "1000"], ["--hmac-algorithm", "none"],
    ["--hmac-salt-mask", "11"], ["--salt", "5a" * 16], ["--plaintext-header", "32"],
    ["--hmac-algorithm", "sha256", "--kdf-algorithm", "sha256", "--hmac-pgno", "be"],
    ["--fast-kdf-iter", "7"],
], ids=lambda options: options[0])
def test_create_with_settings_of_its_own(work, keys, files, options):
    path = work / "new.db"
    args = ["migrate", "--schema", files, "--create", path, "--key-file", keys.file(WORDS),
            *options]
    if NEWEST < 4:
        refuse(work, "unsupported", *args)
        return
    found = program.ok(*args)
    connection = peers.sealed(path, WORDS, program.pragmas(found))
    peers.sound(connection, cipher=True)
    assert connection.execute("SELECT count(*) FROM people").fetchone() == (1,)
    connection.close()
    if options[0] == "--salt":
        assert found["salt"] == "5a" * 16 and path.read_bytes()[:16] == b"\x5a" * 16


def test_create_with_a_raw_key(work, keys, files):
    path = work / "new.db"
    found = program.ok("migrate", "--schema", files, "--create", "--format", NEWEST, path,
                       "--key-file", keys.raw())
    assert path.read_bytes()[:16].hex() == found["salt"]
    connection = peers.sealed(path, RAW, compatible())
    peers.sound(connection, cipher=True)
    connection.close()


def test_create_with_a_raw_key_and_its_salt(work, keys, files):
    digits = "a1b2c3d4" * 8 + "0f" * 16
    path = work / "new.db"
    program.ok("migrate", "--schema", files, "--create", "--format", NEWEST, path, "--key-file",
               keys.raw(digits))
    assert path.read_bytes()[:16] == b"\x0f" * 16
    connection = peers.sealed(path, f"x'{digits}'", compatible())
    peers.sound(connection, cipher=True)
    connection.close()


def test_create_a_plaintext_database(work, files):
    path = work / "new.db"
    found = program.ok("migrate", "--schema", files, "--create", "--plaintext", "--to", "2", path)
    assert found["version"] == 2 and found["encrypted"] is False and mode(path) == 0o600
    connection = peers.plain(path)
    peers.sound(connection)
    assert migrations.library_applied(connection) == ([1, 2], 2)
    connection.close()


def test_create_asks_for_a_new_key_twice(work, files):
    path = work / "new.db"
    found = program.run_tty("migrate", "--schema", files, "--create", "--format", NEWEST, path,
                            answers=[("New key of", WORDS), ("again", WORDS)])
    assert found.exit == 0, found
    connection = peers.sealed(path, WORDS, compatible())
    peers.sound(connection, cipher=True)
    connection.close()


def test_create_makes_nothing_where_a_file_fails(work, keys, files):
    (files / "31.sql").write_text("DROP TABLE nothing;")
    found = refuse(work, "migration_failed", "migrate", "--schema", files, "--create", "--format",
                   NEWEST, work / "new.db", "--key-file", keys.raw())
    assert found["file"] == "31.sql" and found["applied"] == []


def test_create_never_replaces(work, keys, files):
    path = plain(work / "a.db")
    refuse(work, "exists", "migrate", "--schema", files, "--create", path, "--key-file", keys.raw())
    refuse(work, "exists", "migrate", "--schema", files, "--create", "--plaintext", path)
    (work / "b.db-wal").write_bytes(b"x")
    refuse(work, "exists", "migrate", "--schema", files, "--create", "--plaintext", work / "b.db")


def test_a_dry_creation(work, keys, files):
    before = Snapshot(work)
    found = program.ok("migrate", "--schema", files, "--create", "--dry-run", work / "new.db",
                       "--key-file", keys.raw())
    before.unchanged()
    assert found["version"] == 30 and len(found["schema_changes"]) >= 5


# several databases, and words that do not go together

def test_several_databases(work, keys, files):
    key = ["--key-file", keys.raw()]
    good = [sealed(work / f"{n}.db", RAW) for n in "ab"]
    bad = sealed(work / "c.db", RAW)
    connection = peers.sealed(bad, RAW, compatible())
    connection.execute("CREATE TABLE people(x)")
    connection.close()
    result = program.run("migrate", "--json", "--schema", files, good[0], bad, good[1], *key)
    assert result.exit == 1, result
    lines = result.objects
    assert [line.get("exit") for line in lines[:3]] == [0, 11, 0]
    assert lines[3]["summary"]["succeeded"] == 2 and lines[3]["summary"]["failed"] == 1
    for path in good:
        connection = peers.sealed(path, RAW, compatible())
        assert migrations.library_applied(connection) == ([1, 2, 30], 30)
        connection.close()
    result = program.run("migrate", "--schema", files, "--status", "--check", *good, bad, *key)
    assert result.exit == 1 and b"2 of 3 databases up to date, 1 failed" in result.out, result


def test_plaintext_and_encrypted_side_by_side(work, keys, files):
    a, b = plain(work / "a.db"), sealed(work / "b.db", RAW)
    result = program.run("migrate", "--schema", files, a, b, env={"DBSEAL_KEY": RAW})
    assert result.exit == 0, result
    # Who names a key believes every one of them to be encrypted.
    (files / "31.sql").write_text("CREATE TABLE last(x);")
    result = program.run("migrate", "--json", "--schema", files, a, b, "--key-file", keys.raw())
    assert [line.get("code") for line in result.objects[:2]] == ["wrong_kind", "ok"], result


@pytest.mark.parametrize("options", [
    ["--status"], ["--check"], ["--to", "1"], ["--baseline", "1"], ["--create"], ["--plaintext"],
    ["--allow-out-of-order"], ["--track", "user_version"],
])
def test_what_goes_with_a_folder_only(work, options):
    refuse(work, "usage", "migrate", plain(work / "a.db"), *options)


@pytest.mark.parametrize("options", [
    ["--status", "--create"], ["--status", "--baseline", "1"], ["--create", "--baseline", "1"],
    ["--check"], ["--plaintext"], ["--format", "4"], ["--page-size", "512"],
    ["--create", "--plaintext", "--format", "4"], ["--create", "--source-format", "4"],
    ["--track", "user_version", "--allow-out-of-order"], ["--output-dir", "out"],
    ["--backup", ".old"], ["--status", "--dry-run"], ["--baseline", "1", "--to", "1"],
    ["--to", "9223372036854775808"], ["--track", "other"],
], ids=" ".join)
def test_words_that_do_not_go_together(work, files, options):
    refuse(work, "usage", "migrate", "--schema", files, plain(work / "a.db"), *options)


def test_text_and_verbose(work, files):
    path = plain(work / "a.db")
    found = program.run("migrate", "--schema", files, "--verbose", path)
    assert found.out.decode().splitlines() == [
        f"migrated {path}: 3 migrations (001_first.sql, 2_second.sql, 30.sql),"
        " version none -> 30",
        "  001_first.sql: 4 statements", "  2_second.sql: 1 statement", "  30.sql: 2 statements"]
    found = program.run("migrate", "--schema", files, path)
    assert found.out.decode() == f"{path}: nothing to do, version 30\n"
    found = program.run("migrate", "--schema", files, path, plain(work / "b.db"))
    last = found.out.decode().splitlines()[-1]
    assert summaries.text(last) == "2 of 2 databases up to date"
    assert program.run("migrate", "-q", "--schema", files, path).out == b""
