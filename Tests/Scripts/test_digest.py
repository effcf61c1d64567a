# Plan: verify --digest and --expect-digest.
# - the digest is what the program in Docs/digest.md computes, over stock SQLite and, for encrypted
#   databases, over SQLCipher 4.19: page sizes, encodings, every kind of table, value and name;
# - it is the same for a copy that was encrypted, rekeyed by a peer, vacuumed, re-laid, analyzed;
# - one change of a value, a class, a rowid, the schema or a number makes another one;
# - random databases: the documented digest, and equal to their sealed copy (DBSEAL_DIGESTS=1000 for
#   more of them);
# - what this engine cannot read, or what is damaged, gets no digest;
# - a database that looks sound page by page and is not is no trap.
# Whatever the outcome, the folder stays byte for byte.
import os
import shutil
import sqlite3

import pytest

from support import digest, peers, program, samples
from support.files import Snapshot
from support.generator import Generator
from support.peers import change

RAW = "x'" + "a1b2c3d4" * 8 + "'"
OTHER = "x'" + "0f1e2d3c" * 8 + "'"
# Kinds of tables, one a line; what the old engine does not know is in MODERN.
TABLES = """
CREATE TABLE empty(a);
CREATE TABLE vals(a, r REAL, n NUMERIC, t TEXT, i INTEGER, b BLOB);
CREATE TABLE folded(a TEXT COLLATE NOCASE, b, c, PRIMARY KEY(b DESC, a)) WITHOUT ROWID;
CREATE TABLE covered(a PRIMARY KEY, b UNIQUE, d REAL, UNIQUE(b, a, d)) WITHOUT ROWID;
CREATE TABLE taken(rowid, _rowid_, oid);
CREATE TABLE half_taken(rowid, OID);
CREATE TABLE alias(x, id INTEGER PRIMARY KEY);
CREATE TABLE seq(a INTEGER PRIMARY KEY AUTOINCREMENT, b);
CREATE TABLE gone(a INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE "a'b ""q"" [x] é"("c""q", "select", "é" DEFAULT 'ü');
CREATE TABLE foreign_order(a TEXT COLLATE LOCALIZED PRIMARY KEY, b) WITHOUT ROWID;
CREATE TABLE foreign_check(a TEXT COLLATE LOCALIZED UNIQUE, b CHECK(myfn(b) > 0));
CREATE VIRTUAL TABLE words USING fts4(x);
CREATE VIRTUAL TABLE boxes USING rtree(id, a, b);
CREATE VIEW broken AS SELECT * FROM nowhere;
CREATE TRIGGER fails AFTER INSERT ON empty BEGIN SELECT nofunction(1); END;
INSERT INTO words VALUES('hello world');
INSERT INTO boxes VALUES(1, 2, 3);
INSERT INTO "a'b ""q"" [x] é" DEFAULT VALUES;
INSERT INTO taken VALUES(1, 2, 3), (1, 2, 3), (3, 2, 1);
INSERT INTO half_taken VALUES(1, 2), (3, 4);
INSERT INTO alias VALUES('x', -5), ('y', 9223372036854775807);
INSERT INTO gone VALUES(1);
INSERT INTO seq(b) VALUES(1), (2);
DROP TABLE gone;
"""
MODERN = """
CREATE TABLE made(a, v AS (myfn(a)), s AS (myfn(a) + 1) STORED, z);
CREATE TABLE strictly(a INTEGER PRIMARY KEY, b REAL, c ANY, d TEXT) STRICT;
CREATE INDEX on_expression ON foreign_check(myfn(b)) WHERE myfn(a) IS NOT NULL;
INSERT INTO made(a, z) VALUES(1, 2), (3, 4);
INSERT INTO strictly VALUES(5, 1, 1, 'x'), (6, 1.5, '1', 'y');
"""
VALUES = [
    None, 0, 1, -1, 127, 128, 2**63 - 1, -2**63, 1.0, -0.0, 0.1, 1e308, float("inf"), 2.0**53,
    float(2**60), "", "a\0b", "é", "1", "1.0", "\U0001f600", b"", b"\0x", b"a\0b"]


def everything(connection):
    """Fills a database with every kind of table, value and name that the engine knows."""
    peers.equip(connection)
    connection.executescript(TABLES + (MODERN if program.engine() >= (4,) else ""))
    for value in VALUES:
        connection.execute("INSERT INTO vals VALUES(?, ?, ?, ?, ?, ?)", (value,) * 6)
    connection.execute("DELETE FROM vals WHERE rowid = 3")
    connection.execute(
        "INSERT INTO vals(a) VALUES(CAST(x'ff00fe' AS TEXT)), (zeroblob(9000)), (CAST(x'41' AS TEXT)),"
        " (CAST(x'00d8' AS TEXT))")
    for number in range(300):
        connection.execute("INSERT INTO folded VALUES(?, ?, NULL)", (f"K{number}", number * 1.0))
        connection.execute(
            "INSERT INTO covered VALUES(?, ?, ?)", (f"k{number}", -number, number))
    for number in range(40):
        connection.execute("INSERT INTO foreign_order VALUES(?, ?)", (f"é{number}", number))
        connection.execute("INSERT INTO foreign_check VALUES(?, ?)", (f"é{number}", number + 1))
    # Rows that do not hold the columns that were added later.
    connection.execute("CREATE TABLE short(a)")
    connection.execute("INSERT INTO short VALUES(1), (2)")
    for column in ("d DEFAULT 'x''y'", "r REAL DEFAULT 3", "n DEFAULT -5", "b DEFAULT x'00ff'",
                   "t TEXT DEFAULT 12 NOT NULL", "e"):
        connection.execute("ALTER TABLE short ADD COLUMN " + column)
    connection.execute("INSERT INTO short(a, d) VALUES(9, NULL)")
    # A statement and a value that do not fit in a page, and more columns than one answer has.
    connection.execute(f"CREATE TABLE long(a /*{'x' * 140000}*/, b)")
    connection.execute("INSERT INTO long VALUES(1, ?)", ("y" * 300000,))
    connection.execute(f"CREATE TABLE wide({','.join(f'c{n}' for n in range(1999))})")
    connection.execute("INSERT INTO wide(c0, c1998) VALUES(1, 2), (NULL, 'end')")
    for number in range(60):
        connection.execute(f"CREATE TABLE t{number}(a)")
        connection.execute(f"INSERT INTO t{number} VALUES(?)", (number,))
    connection.execute("DROP TABLE t7")
    connection.execute("ANALYZE")
    connection.execute("PRAGMA user_version = -7")
    connection.execute("PRAGMA application_id = 2130706433")


def make(path, fill=everything, page_size=4096, encoding="UTF-8", auto_vacuum=0):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute(f"PRAGMA encoding = '{encoding}'")
    connection.execute(f"PRAGMA auto_vacuum = {auto_vacuum}")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    fill(connection)
    if connection.in_transaction:
        connection.execute("COMMIT")
    connection.close()
    return path


def ours(path, keys, *options, key=None):
    """The digest as dbseal says it, as JSON and as text."""
    named = ["--key-file", keys.file(key)] if key else []
    before = Snapshot(path.parent)
    # Most of these schemas need what no plain engine has, so the structure is not checked.
    result = program.run("verify", "--json", "--quick", "--digest", *named, *options, path)
    text = program.run("verify", "--quick", "--digest", *named, *options, path)
    before.unchanged()
    assert result.exit == 0, result
    assert result.json["digest"].encode() in text.out, text
    return result.json["digest"]


def judged(path):
    """The digest as the documentation's program has it, over stock SQLite."""
    connection = peers.plain(path)
    try:
        return digest.of(connection)
    finally:
        connection.close()


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
@pytest.mark.parametrize("page_size,auto_vacuum", [(512, 0), (1024, 1), (4096, 0), (65536, 2)])
def test_the_digest_is_the_documented_one(work, keys, encoding, page_size, auto_vacuum):
    path = make(work / "a.db", everything, page_size, encoding, auto_vacuum)
    assert ours(path, keys) == judged(path)


@pytest.mark.parametrize("compatibility", [1, 2, 3, 4])
def test_the_digest_of_a_peers_database_is_what_the_peer_computes(work, keys, compatibility):
    settings = [("cipher_compatibility", compatibility)]
    path = peers.create_sealed(work / "a.db", RAW, settings, everything)
    connection = peers.sealed(path, RAW, settings)
    right = digest.of(connection)
    connection.close()
    assert ours(path, keys, key=RAW) == right


def test_an_empty_database_has_a_digest(work, keys):
    path = make(work / "a.db", lambda c: c.execute("PRAGMA user_version = 1"))
    assert ours(path, keys) == judged(path)


def test_copies_have_the_same_digest(work, keys):
    path = make(work / "a.db")
    right = judged(path)
    program.ok("encrypt", path, work / "sealed.db", "--key-file", keys.file(RAW))
    assert ours(work / "sealed.db", keys, key=RAW) == right
    connection = peers.sealed(work / "sealed.db", RAW)
    connection.execute(f'PRAGMA rekey = "{OTHER}"')
    connection.close()
    assert ours(work / "sealed.db", keys, key=OTHER) == right
    program.ok("migrate", "--format", "3", work / "sealed.db", "--key-file", keys.file(OTHER))
    assert ours(work / "sealed.db", keys, key=OTHER) == right
    program.ok("decrypt", work / "sealed.db", work / "plain.db", "--key-file", keys.file(OTHER))
    assert ours(work / "plain.db", keys) == right


def test_what_is_no_content_does_not_count(work, keys):
    path = make(work / "a.db", page_size=1024)
    right = judged(path)
    change(path, "CREATE TABLE filler AS SELECT zeroblob(900000) z", "DROP TABLE filler")
    assert ours(path, keys) == right, "free pages"
    change(path, "PRAGMA journal_mode = WAL", "UPDATE short SET a = a", "PRAGMA wal_checkpoint")
    assert ours(path, keys) == right, "WAL, and rows that hold their defaults now"
    change(path, "PRAGMA journal_mode = DELETE", "DROP TABLE sqlite_stat1")
    assert ours(path, keys) == right, "statistics"
    # Every table that has gaps in its rowids and no index would be numbered anew by VACUUM alone.
    change(path, f"VACUUM INTO '{str(work / 'b.db').replace(chr(39), chr(39) * 2)}'")
    assert ours(work / "b.db", keys) == right, "VACUUM INTO"
    change(path, "CREATE INDEX held ON vals(n)")
    right = judged(path)
    change(path, "PRAGMA auto_vacuum = FULL", "PRAGMA page_size = 8192", "VACUUM")
    assert ours(path, keys) == judged(path) == right, "VACUUM to another page size"


def test_vacuum_that_numbers_rows_anew_shows(work, keys):
    path = make(work / "a.db", samples.fill)
    old = ours(path, keys)
    change(path, "VACUUM")
    assert ours(path, keys) == judged(path) != old


def test_the_encoding_does_not_count(work, keys):
    def fill(connection):
        connection.execute("CREATE TABLE t(a TEXT PRIMARY KEY, b) WITHOUT ROWID")
        connection.execute("CREATE TABLE u(a)")
        # UTF-8 and UTF-16 order these differently.
        for text in ("a", "\uffee", "\U00010000", "é", ""):
            connection.execute("INSERT INTO t VALUES(?, ?)", (text, text))
            connection.execute("INSERT INTO u VALUES(?)", (text,))

    found = {ours(make(work / f"{encoding}.db", fill, encoding=encoding), keys)
             for encoding in ("UTF-8", "UTF-16le", "UTF-16be")}
    assert len(found) == 1


CHANGES = [
    "UPDATE kinds SET a = '1' WHERE rowid = 1", "UPDATE kinds SET a = 1.0 WHERE rowid = 1",
    "UPDATE kinds SET a = x'31' WHERE rowid = 1", "UPDATE kinds SET a = NULL WHERE rowid = 1",
    "UPDATE kinds SET a = 2 WHERE rowid = 1", "UPDATE kinds SET rowid = 9 WHERE rowid = 1",
    "DELETE FROM kinds WHERE rowid = 1", "INSERT INTO kinds VALUES(1)",
    "UPDATE kinds SET a = x'' WHERE a = ''", "UPDATE kinds SET a = NULL WHERE a = ''",
    "UPDATE kinds SET a = '1 ' WHERE rowid = 1", "UPDATE kinds SET a = 0.0 WHERE rowid = 3",
    "UPDATE keyed SET v = 2", "UPDATE keyed SET k = 'b'", "DELETE FROM keyed",
    "INSERT INTO keyed VALUES('b', 1)", "PRAGMA user_version = 6", "PRAGMA application_id = 7",
    "CREATE INDEX i ON kinds(a)", "CREATE VIEW v AS SELECT 1", "CREATE VIEW v AS SELECT 2",
    "ALTER TABLE kinds ADD COLUMN b", "ALTER TABLE kinds ADD COLUMN b DEFAULT 1",
    "ALTER TABLE kinds RENAME TO sorts", "UPDATE sqlite_sequence SET seq = 5",
    "INSERT INTO counted VALUES(2)", "CREATE TABLE another(a)"]


def test_every_change_makes_another_digest(work, keys):
    def fill(connection):
        connection.executescript("""
            CREATE TABLE kinds(a); INSERT INTO kinds VALUES(1), (''), (-0.0);
            CREATE TABLE keyed(k PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO keyed VALUES('a', 1);
            CREATE TABLE counted(a INTEGER PRIMARY KEY AUTOINCREMENT);
            INSERT INTO counted VALUES(1);
            PRAGMA user_version = 5; PRAGMA application_id = 5;""")

    origin = make(work / "a.db", fill)
    found = {ours(origin, keys): "nothing"}
    for sql in CHANGES:
        shutil.copy(origin, work / "b.db")
        change(work / "b.db", sql)
        new = ours(work / "b.db", keys)
        assert new == judged(work / "b.db"), sql
        assert new not in found, f"{sql}: the same as after {found[new]}"
        found[new] = sql


def test_swapping_two_values_between_columns_or_rows_shows(work, keys):
    def fill(connection):
        connection.executescript("CREATE TABLE t(a, b); INSERT INTO t VALUES('x', 'yz'), ('p', 'q');")

    path = make(work / "a.db", fill)
    found = [ours(path, keys)]
    for sql in ("UPDATE t SET a = 'xy', b = 'z' WHERE rowid = 1", "UPDATE t SET a = b, b = a",
                "UPDATE t SET rowid = 3 - rowid + 10"):
        change(path, sql)
        found.append(ours(path, keys))
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("seed", range(int(os.environ.get("DBSEAL_DIGESTS", 40))))
def test_random_databases(work, keys, seed):
    path = Generator(seed).make(work / "a.db")
    if path.stat().st_size == 0:
        return  # no database: SQLite writes nothing before there is something to write
    program.ok("encrypt", path, work / "b.db", "--key-file", keys.file(RAW))
    # SQLite 3.15 finds rows missing from sound indexes: where a table without rowid has a key column
    # in an index under another collation, later versions store that column twice.
    quick = ["--quick"] if program.engine() < (4,) else []
    found = program.ok("verify", *quick, "--digest", "--against", path, "--key-file",
                       keys.file(RAW), work / "b.db")
    assert found["digest"] == judged(path)
    assert found["verdicts"]["content"]["verdict"] == "equal"


def test_an_expected_digest_is_met_or_not(work, keys):
    path = make(work / "a.db", samples.fill)
    right = judged(path)
    for text in (right, right.upper()):
        found = program.ok("verify", "--expect-digest", text, path)
        assert found["digest"] == right
        assert found["verdicts"]["expectations"] == {
            "verdict": "met", "checked": 1, "differences": []}
    wrong = right[:-1] + ("0" if right[-1] != "0" else "1")
    result = program.run("verify", "--json", "--expect-digest", wrong, path)
    assert result.exit == 1 and result.json["code"] == "check_failed"
    difference, = result.json["verdicts"]["expectations"]["differences"]
    assert (difference["expectation"], difference["expected"], difference["found"]) == (
        "digest", wrong, right)
    assert program.run("verify", "--expect-digest", right[:-2], path).exit == 2


def test_several_files_get_a_digest_each(work, keys):
    paths = [make(work / f"{n}.db", samples.fill) for n in range(3)]
    change(paths[1], "DELETE FROM log")
    result = program.run("verify", "--json", "--digest", *paths)
    assert result.exit == 0
    assert [o["digest"] for o in result.objects[:-1]] == [judged(path) for path in paths]
    result = program.run("verify", "--expect-digest", judged(paths[0]), *paths)
    assert result.exit == 1 and b"2 of 3" in result.out, result


def test_a_damaged_database_has_no_digest(work, keys, sealed):
    size = sealed.stat().st_size
    with open(sealed, "r+b") as file:
        file.seek(size - 4096 + 100)
        byte = file.read(1)[0]
        file.seek(size - 4096 + 100)
        file.write(bytes([byte ^ 1]))
    key = keys.file(RAW)
    for options in ([], ["--quick"]):
        result = program.run("verify", "--json", "--digest", *options, "--key-file", key, sealed)
        assert result.exit == 5 and result.json["digest"] is None, result
        assert result.json["verdicts"]["content"]["reason"] == "damaged_pages"
    result = program.run("verify", "--json", "--expect-digest", "00" * 32, "--key-file", key, sealed)
    assert result.exit == 5, result


def test_damage_that_a_sample_passed_over_is_found_by_the_digest(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], lambda c: c.executescript(
        "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE"
        " i < 3000) INSERT INTO t SELECT hex(zeroblob(400)) FROM n;"))
    data = bytearray(path.read_bytes())
    number = len(data) // 4096 // 2
    data[(number - 1) * 4096 + 50] ^= 1
    path.write_bytes(data)
    result = program.run("verify", "--json", "--quick", "--sample", "1", "--digest", "--key-file",
                         keys.file(RAW), path)
    found = result.json
    assert result.exit == 5 and found["damaged_pages"] == [number], result
    assert found["digest"] is None and found["verdicts"]["content"]["verdict"] == "not_read"


def test_a_page_that_stands_in_two_trees_is_damage_and_no_trap(work):
    """Each level points twice to the next: SQLite alone would read two to the power of twenty."""
    path = work / "a.db"
    change(make(path, lambda c: c.execute("CREATE TABLE t(a)")), *[
        "INSERT INTO t VALUES(zeroblob(900))"] * 600)
    connection = sqlite3.connect(path)
    root = connection.execute("SELECT rootpage FROM sqlite_master").fetchone()[0]
    connection.close()
    data = bytearray(path.read_bytes())
    start = (root - 1) * 4096
    assert data[start] == 5, "the root is an interior page"
    first = int.from_bytes(data[start + 12:start + 14], "big")
    second = int.from_bytes(data[start + 14:start + 16], "big")
    data[start + second:start + second + 4] = data[start + first:start + first + 4]
    path.write_bytes(data)
    result = program.run("verify", "--json", "--quick", "--digest", path, timeout=20)
    assert result.exit == 5 and result.json["code"] == "damaged", result


def test_a_table_that_the_engine_does_not_understand_is_unsupported(work):
    path = make(work / "a.db", samples.fill)
    change(path, *samples.FUTURE)
    result = program.run("verify", "--json", "--quick", "--digest", path)
    assert result.exit == 10 and result.json["code"] == "unsupported", result
    content = result.json["verdicts"]["content"]
    assert content["verdict"] == "not_read" and content["reason"] == "schema_not_understood"
    assert "gaps" in content["sqlite_message"]
