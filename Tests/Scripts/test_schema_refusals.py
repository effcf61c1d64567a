# Plan: what migrate --schema refuses, notes and says of damage, and of which database.
# - the tables that hold the version are no migration's to change, by whatever statement: the file
#   is rolled back, and stock SQLite still finds them; adding rows is allowed;
# - an empty file is refused, one of comments is applied with a note;
# - PRAGMAs: every one that stock SQLite lists is known; others are unknown; looking is allowed;
# - a table of another tool's: the hint says what user_version would mean at once;
# - several databases: in the order named, each refusal with its name;
# - damage: all pages that do not authenticate, wherever SQLite met the first one;
# - after a file its version must be recorded and the schema readable; no step is left out unread;
# - --create: the salt of a dry run is the real one or none; no hint offers what does not work.
import os
import sqlite3

import pytest

from support import migrations, peers, program, samples
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
NEWEST = 4 if program.engine() >= (4,) else 3
OPENING = [] if NEWEST == 4 else [("cipher_compatibility", NEWEST)]
SIZE = 4096 if NEWEST == 4 else 1024


def rows(path, sql):
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def plain(path, script="CREATE TABLE kept(a); INSERT INTO kept VALUES(1);"):
    return samples.plain(path, script)


# the tables of the version

CHANGES = [
    "DROP TABLE schema_migrations;", "drop table if exists \"Schema_Migrations\"",
    "DROP TABLE dbseal_migrations;", "ALTER TABLE schema_migrations RENAME TO old;",
    "ALTER TABLE dbseal_migrations ADD COLUMN x;", "DELETE FROM schema_migrations;",
    "UPDATE main.schema_migrations SET version = version + 7;",
    "DELETE FROM dbseal_migrations WHERE version = 1;",
    "CREATE TRIGGER t BEFORE INSERT ON schema_migrations BEGIN SELECT RAISE(IGNORE); END;",
    "CREATE TRIGGER t AFTER INSERT ON kept BEGIN DELETE FROM schema_migrations; END;"
    "INSERT INTO kept VALUES(2);",
]


@pytest.mark.parametrize("sql", CHANGES)
def test_the_tables_of_the_version_stay(work, tmp_path, sql):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x);", "2.sql": f"CREATE TABLE b(x);\n{sql}"})
    path = plain(work / "a.db")
    result = program.run("migrate", "--json", "--schema", folder, path)
    assert result.exit == 11, result
    found = result.json
    assert found["flaw"] == "refused" and found["reason"] == "version_table"
    assert (found["file"], found["line"]) == ("2.sql", 2)
    assert [m["version"] for m in found["applied"]] == [1]
    assert rows(path, "SELECT version FROM schema_migrations") == [(1,)]
    assert rows(path, "SELECT version, name FROM dbseal_migrations") == [(1, "1.sql")]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name IN ('b', 't', 'old')") == []
    dry = program.run("migrate", "--json", "--dry-run", "--schema", folder, path)
    assert dry.exit == 11 and dry.json["reason"] == "version_table"


def test_a_file_may_add_versions_that_it_stands_for(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "9.sql": "CREATE TABLE a(x); INSERT INTO schema_migrations VALUES(3), (9);"})
    path = plain(work / "a.db", "CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL);")
    program.ok("migrate", "--schema", folder, path)
    assert rows(path, "SELECT version FROM schema_migrations ORDER BY 1") == [(3,), (9,)]


def test_with_user_version_the_table_is_like_any_other(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {"1.sql": "DROP TABLE schema_migrations;"})
    path = plain(work / "a.db", "CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL);")
    program.ok("migrate", "--track", "user_version", "--schema", folder, path)
    assert rows(path, "SELECT name FROM sqlite_master") == []


def test_the_hint_says_what_user_version_would_mean(work, tmp_path):
    folder = migrations.folder(tmp_path / "m")
    path = plain(work / "a.db", "CREATE TABLE schema_migrations(v TEXT);")
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, path)
    assert "user_version" in found["hint"] and "count as applied" not in found["hint"]
    path.unlink()
    path = plain(work / "a.db", "CREATE TABLE schema_migrations(v TEXT); PRAGMA user_version = 7;")
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, path)
    assert "files up to 7 would count as applied" in found["hint"]


# files without statements

@pytest.mark.parametrize("text", ["", " \n\t\r\n", ";\n;", "\ufeff\n"])
def test_an_empty_file_is_refused(work, tmp_path, text):
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE TABLE a(x);", "2.sql": text})
    path = plain(work / "a.db")
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, path)
    assert found["flaw"] == "empty" and found["file"] == "2.sql"
    # Not before it is its turn, and not where it stands recorded already.
    program.ok("migrate", "--schema", folder, "--to", "1", path)
    program.ok("migrate", "--schema", folder, "--baseline", "2", path)
    program.ok("migrate", "--schema", folder, path)


def test_a_file_of_comments_is_applied_with_a_note(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {"1.sql": "-- nothing; yet\n/* */", "2.sql": "SELECT 1"})
    path = plain(work / "a.db")
    for options in (["--dry-run"], []):
        found = program.ok("migrate", "--schema", folder, *options, path)
        assert [n["note"] for n in found["notes"]] == ["no_statements"]
        assert "1.sql" in found["notes"][0]["message"]
    assert rows(path, "SELECT version FROM schema_migrations") == [(1,), (2,)]


# PRAGMAs

@pytest.mark.parametrize("sql", [
    "PRAGMA nonsense = 1;", "PRAGMA main.nope(1);", "PRAGMA journal_mod = wal;", "PRAGMA nope;"])
def test_pragmas_that_sqlite_does_not_have(work, tmp_path, sql):
    folder = migrations.folder(tmp_path / "m", {"1.sql": sql})
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, plain(work / "a.db"))
    assert found["reason"] == "unknown_pragma"


def test_no_pragma_of_stock_sqlite_is_unknown(work, tmp_path):
    connection = sqlite3.connect(":memory:")
    names = [r[0] for r in connection.execute("PRAGMA pragma_list")]
    assert len(names) > 50
    path = plain(work / "a.db")
    for name in names:
        folder = migrations.folder(tmp_path / name, {"1.sql": f"PRAGMA {name} = 1;"})
        result = program.run("migrate", "--json", "--dry-run", "--schema", folder, path)
        if result.json.get("reason") == "unknown_pragma":
            # An older engine's gap, and named as such.
            assert "needs SQLite" in result.json["message"], name


@pytest.mark.parametrize("name", [
    "synchronous", "main.journal_mode", "page_size", "foreign_keys", "cache_size", "auto_vacuum",
    "encoding", "page_count", "freelist_count", "database_list"])
def test_pragmas_that_only_look(work, tmp_path, name):
    folder = migrations.folder(tmp_path / "m", {"1.sql": f"PRAGMA {name};"})
    program.ok("migrate", "--schema", folder, plain(work / "a.db"))


# several databases

def test_several_are_said_in_the_order_named_and_by_name(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {"3_v.sql": "VACUUM;"})
    (work / "empty.db").write_bytes(b"")
    paths = [plain(work / "s1.db"), work / "empty.db", plain(work / "s2.db"), work / "missing.db",
             plain(work / "s3.db")]
    result = program.run("migrate", "--json", "--schema", folder, *paths)
    assert result.exit == 1
    found = result.objects
    assert [f.get("database") for f in found[:-1]] == [str(p) for p in paths]
    assert [f["code"] for f in found[:-1]] == [
        "migration_failed", "wrong_kind", "migration_failed", "io", "migration_failed"]
    text = program.run("migrate", "--schema", folder, *paths)
    lines = [line for line in text.err.decode().splitlines() if line.startswith("dbseal: ")]
    assert len(lines) == 5
    for path, line in zip(paths, lines):
        assert line.startswith(f"dbseal: {path}: "), lines


def test_several_creations_in_order(work, tmp_path, keys):
    folder = migrations.folder(tmp_path / "m")
    plain(work / "2.db")
    paths = [work / f"{n}.db" for n in (1, 2, 3)]
    result = program.run("migrate", "--json", "--schema", folder, "--create", "--format", NEWEST,
                         "--key-file", keys.raw(), *paths)
    assert [f.get("database") for f in result.objects[:-1]] == [str(p) for p in paths]
    assert [f["code"] for f in result.objects[:-1]] == ["ok", "exists", "ok"]


# damage

def fill(connection):
    """Rows on some hundred pages, parents and children."""
    connection.execute("CREATE TABLE parent(id INTEGER PRIMARY KEY, b TEXT)")
    connection.execute("CREATE TABLE child(p REFERENCES parent(id), b TEXT)")
    for n in range(2000):
        connection.execute("INSERT INTO parent VALUES(?, ?)", (n, "x" * 40))
        connection.execute("INSERT INTO child VALUES(?, ?)", (n, "y" * 40))


@pytest.mark.parametrize("sql", [
    "CREATE TABLE z AS SELECT p.b FROM child JOIN parent p ON p.id = p;",  # a statement meets it
    "CREATE TABLE z(x);",  # the check of the references does
])
@pytest.mark.parametrize("options", [["--dry-run"], []])
def test_all_damaged_pages_are_named(work, keys, tmp_path, sql, options):
    path = peers.create_sealed(work / "a.db", RAW, OPENING, fill)
    data = bytearray(path.read_bytes())
    pages = [10, 20, 30]
    assert len(data) > SIZE * 35
    for page in pages:
        data[(page - 1) * SIZE + 100] ^= 0x40
    path.write_bytes(data)
    folder = migrations.folder(tmp_path / "m", {"1.sql": sql})
    found = refuse(work, "damaged", "migrate", "--schema", folder, path, "--key-file",
                   keys.raw(), *options)
    assert found["damaged_pages"] == pages and found["damaged_total"] == 3
    assert found["hint"]


def test_a_plaintext_tree_that_the_references_meet(work, tmp_path):
    path = plain(work / "a.db", "CREATE TABLE parent(id INTEGER PRIMARY KEY);"
                 "CREATE TABLE child(p REFERENCES parent(id)); INSERT INTO child VALUES(NULL);")
    root = rows(path, "SELECT rootpage FROM sqlite_master WHERE name = 'child'")[0][0]
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096] = 0x77
    path.write_bytes(data)
    folder = migrations.folder(tmp_path / "m", {"1.sql": "CREATE TABLE z(x);"})
    for options in (["--dry-run"], []):
        found = refuse(work, "damaged", "migrate", "--schema", folder, path, *options)
        assert found["hint"] and "malformed" in found["sqlite_message"]


# sentences

def test_no_semicolon_is_said_twice(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x);", "2.sql": "INSERT INTO nowhere VALUES(1);"})
    text = program.run("migrate", "--schema", folder, plain(work / "a.db")).err.decode()
    assert "nowhere VALUES(1); applied before, and permanent: 1.sql\n" in text


# new databases

def test_the_salt_of_a_dry_run_is_the_real_one(work, tmp_path, keys):
    folder = migrations.folder(tmp_path / "m")
    path = work / "a.db"
    args = ["migrate", "--schema", folder, "--create", "--format", NEWEST, path, "--key-file"]
    salt = "00112233445566778899aabbccddeeff"
    assert program.ok(*args, keys.raw(), "--dry-run")["salt"] is None
    assert program.ok(*args, keys.raw(), "--dry-run", "--salt", salt)["salt"] == salt
    own = keys.raw("a1b2c3d4" * 8 + salt, "own")
    assert program.ok(*args, own, "--dry-run")["salt"] == salt
    assert program.ok(*args, own)["salt"] == salt
    assert path.read_bytes()[:16].hex() == salt


def test_nothing_offers_to_replace_what_is_there(work, tmp_path, keys):
    folder = migrations.folder(tmp_path / "m")
    path = plain(work / "a.db")
    found = refuse(work, "exists", "migrate", "--schema", folder, "--create", "--key-file",
                   keys.raw(), path)
    assert "--force" not in found["hint"] and found["path"] == str(path)
    path.unlink()
    (work / "a.db-wal").write_bytes(b"x")
    found = refuse(work, "exists", "migrate", "--schema", folder, "--create", "--key-file",
                   keys.raw(), path)
    assert "--force" not in (found["hint"] or "")


@pytest.mark.parametrize("data,said,unsaid", [
    (b"", "remove it", "is migrated"), (b"words\n" * 300, "another file", "is migrated")])
def test_a_hint_about_what_is_there_is_about_what_it_is(work, tmp_path, data, said, unsaid):
    folder = migrations.folder(tmp_path / "m")
    path = work / "a.db"
    path.write_bytes(data)
    create = ["migrate", "--schema", folder, "--create", "--plaintext", path]
    hint = refuse(work, "exists", *create)["hint"]
    assert said in hint and unsaid not in hint
    refuse(work, "wrong_kind", "migrate", "--schema", folder, path)
    path.unlink()
    program.ok(*create)
    assert "without --create it is migrated" in refuse(work, "exists", *create)["hint"]
    program.ok("migrate", "--schema", folder, path)


# what must not be left behind

def test_a_trigger_that_keeps_the_version_away(work, tmp_path):
    """It was there before: nothing refuses it, and the file would be applied for ever."""
    folder = migrations.folder(tmp_path / "m", {"2.sql": "CREATE TABLE b(x);"})
    path = plain(work / "a.db", """
        CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL);
        INSERT INTO schema_migrations VALUES(1);
        CREATE TRIGGER t BEFORE INSERT ON schema_migrations BEGIN SELECT RAISE(IGNORE); END;""")
    found = refuse(work, "migration_failed", "migrate", "--schema", folder, path)
    assert found["flaw"] == "not_recorded" and found["file"] == "2.sql"
    assert rows(path, "SELECT name FROM sqlite_master WHERE name = 'b'") == []


@pytest.mark.parametrize("edit", [
    "UPDATE sqlite_master SET sql = 'garbage' WHERE name = 'kept';",
    "UPDATE sqlite_master SET rootpage = 99 WHERE name = 'kept';",
    "DELETE FROM sqlite_master WHERE name = 'kept';"])
def test_an_edited_schema_that_nobody_can_read(work, tmp_path, edit):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x);", "2.sql": f"PRAGMA writable_schema = 1;\n{edit}"})
    path = plain(work / "a.db")
    # SQLite 3.15 has no way to read an edited schema again.
    wanted = 11 if NEWEST == 4 else 10
    assert program.run("migrate", "--dry-run", "--schema", folder, path).exit == wanted
    result = program.run("migrate", "--json", "--schema", folder, path)
    assert result.exit == wanted and result.json["file"] == "2.sql", result
    assert rows(path, "SELECT a FROM kept") == [(1,)]
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "SELECT version FROM schema_migrations") == [(1,)]


def test_an_edited_schema_that_is_sound(work, tmp_path):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql ="
                 " 'CREATE TABLE kept(a CHECK(a < 9))' WHERE name = 'kept';"})
    path = plain(work / "a.db")
    result = program.run("migrate", "--schema", folder, path)
    if NEWEST != 4:
        assert result.exit == 10 and "3.30" in result.text
        return
    assert result.exit == 0, result
    with pytest.raises(sqlite3.IntegrityError):
        rows(path, "INSERT INTO kept VALUES(10)")


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_migration_that_cannot_be_read_is_not_left_out(work, tmp_path, kind):
    folder = migrations.folder(tmp_path / "m", {
        "1.sql": "CREATE TABLE a(x);", "3.sql": "CREATE TABLE c(x);"})
    step = folder / "2_step.sql"
    if kind == "link":
        step.symlink_to("nowhere")
    elif kind == "folder":
        step.mkdir()
    else:
        os.mkfifo(step)
    path = plain(work / "a.db")
    found = refuse(work, "io" if kind == "link" else "migration_failed", "migrate", "--schema",
                   folder, path)
    assert "2_step.sql" in found["message"]
