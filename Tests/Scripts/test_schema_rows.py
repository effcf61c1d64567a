# Plan: what a database claims about its own trees and pages is believed as far as SQLite does.
# - rows of sqlite_master that SQLite reads are converted, odd root pages included; rows that it
#   calls malformed are damage, never a failed proof and never a table that is silently missing;
# - pages that nothing uses are named, and are lost only where the old file is kept;
# - header versions: what SQLite opens is converted, what it does not is "unsupported".
# The judge is stock SQLite, before and after.
import sqlite3

import pytest

from support import expectations, peers, program
from support.content import content
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
SCRIPT = """
CREATE TABLE t(a); INSERT INTO t VALUES(1), ('two');
CREATE TABLE u(a PRIMARY KEY); INSERT INTO u VALUES(7);
CREATE TABLE gone(a); INSERT INTO gone VALUES('unreachable words');
CREATE TABLE big(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000)
  INSERT INTO big SELECT hex(i * 7919) FROM n;
CREATE VIEW v AS SELECT a FROM t;
CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END;
CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('hey');
"""


def made(path, change=None, encoding="UTF-8", vacuum="NONE"):
    """A plaintext database whose schema rows are then changed under SQLite."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(
        f"PRAGMA encoding='{encoding}'; PRAGMA auto_vacuum={vacuum}; BEGIN; {SCRIPT} COMMIT;")
    if change:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(change)
    connection.close()
    return path


def judged(path):
    """Stock SQLite's word on a database: the rows of its tables, or what it says instead."""
    connection = sqlite3.connect(path)
    try:
        return [connection.execute(q).fetchall() for q in (
            "SELECT * FROM t", "SELECT * FROM u WHERE a = 7", "SELECT count(*), max(a) FROM big",
            "SELECT * FROM v", "SELECT * FROM f")]
    except sqlite3.DatabaseError as error:
        return str(error)
    finally:
        connection.close()


def encrypted(work, keys, path, *options):
    return program.ok("encrypt", path, work / "out.db", "--key-file", keys.raw(), *options)


def refused(work, keys, path, code="damaged"):
    return refuse(work, code, "encrypt", path, work / "out.db", "--key-file", keys.raw())


READ = {
    "trigger": "rootpage=3 WHERE name='g'", "virtual": "rootpage=3 WHERE name='f'",
    "blob": "rootpage=CAST(rootpage AS BLOB) WHERE name='t'",
    "index blob": "rootpage=CAST(rootpage AS BLOB) WHERE name LIKE '%auto%u%'",
    "sql blob": "sql=CAST(sql AS BLOB) WHERE name='t'",
    "virtual, commented": "sql='create /*x*/ virtual table f using fts5(x)' WHERE name='f'",
}


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
@pytest.mark.parametrize("row", READ)
def test_rows_that_sqlite_reads_are_converted(work, keys, row, encoding):
    path = made(work / "a.db", f"UPDATE sqlite_master SET {READ[row]}", encoding)
    before = judged(path)
    assert isinstance(before, list), before
    encrypted(work, keys, path)
    program.ok("decrypt", work / "out.db", work / "back.db", "--key-file", keys.raw())
    assert judged(work / "back.db") == before
    peers.sound(peers.sealed(work / "out.db", RAW))
    peers.sound(peers.plain(work / "back.db"))


MALFORMED = {
    "table 0": "rootpage=0 WHERE name='t'", "index 0": "rootpage=0 WHERE name LIKE '%auto%u%'",
    "null": "rootpage=NULL WHERE name='t'", "view null": "rootpage=NULL WHERE name='v'",
    "text": "rootpage=rootpage||'x' WHERE name='t'", "real": "rootpage=rootpage+0.5 WHERE name='t'",
    "beyond": "rootpage=99999 WHERE name='t'",
    "sql null": "sql=NULL WHERE name='t'", "type null": "type=NULL WHERE name='t'", "name null": "name=NULL WHERE name='t'",
    "table name null": "tbl_name=NULL WHERE name='t'",
}


@pytest.mark.parametrize("row", MALFORMED)
def test_rows_that_sqlite_calls_malformed_are_damage_of_their_page(work, keys, row):
    path = made(work / "a.db", f"UPDATE sqlite_master SET {MALFORMED[row]}")
    assert "malformed" in judged(path)
    found = refused(work, keys, path)
    assert found["page"] == (99999 if row == "beyond" else 1), found


@pytest.mark.parametrize("serial", [127, 10, 11, 1, 0])
def test_a_damaged_type_of_the_sql_column(work, keys, serial):
    # The header of the record of table t: its length, then the types of five columns.
    path = made(work / "a.db")
    data = bytearray(path.read_bytes())
    sql = b"CREATE TABLE t(a)"
    header = bytes([6, 23, 15, 15, 1, 13 + 2 * len(sql)])
    at = data.index(header + b"tablett")
    data[at + 5] = serial
    path.write_bytes(data)
    assert "malformed" in judged(path)
    assert refused(work, keys, path)["page"] == 1


@pytest.mark.parametrize("vacuum", ["NONE", "FULL"])
def test_pages_that_nothing_uses_are_named(work, keys, vacuum):
    path = made(work / "a.db", "DELETE FROM sqlite_master WHERE name='gone'", vacuum=vacuum)
    with sqlite3.connect(path) as connection:
        verdict = "".join(row[0] for row in connection.execute("PRAGMA integrity_check"))
    connection.close()
    assert "never used" in verdict
    page = path.read_bytes().index(b"unreachable words") // 4096 + 1
    notes = {note["note"]: note["message"] for note in encrypted(work, keys, path)["notes"]}
    assert f"page {page}," in notes["unused_pages"], notes
    assert b"unreachable" not in (work / "out.db").read_bytes()


@pytest.mark.parametrize("options", [["--in-place"], ["--shred"]])
def test_pages_that_nothing_uses_are_not_lost_with_the_source(work, keys, options):
    path = made(work / "a.db", "DELETE FROM sqlite_master WHERE name='gone'")
    page = path.read_bytes().index(b"unreachable words") // 4096 + 1
    target = [] if options == ["--in-place"] else [work / "out.db"]
    found = refuse(work, "damaged", "encrypt", path, *target, *options, "--key-file", keys.raw())
    assert found["page"] == page and "--backup" in found["hint"], found
    found = program.ok("encrypt", path, "--in-place", "--backup", ".old", "--key-file", keys.raw())
    assert expectations.notes(found) == ["unused_pages"]


def test_an_exact_copy_keeps_the_pages_that_nothing_uses(work, keys):
    key = keys.raw()
    peers.create_sealed(work / "sealed.db", RAW, [], lambda c: c.executescript(SCRIPT))
    peer = peers.sealed(work / "sealed.db", RAW)
    peer.execute("PRAGMA writable_schema=ON")
    peer.execute("DELETE FROM sqlite_master WHERE name='gone'")
    peer.close()
    found = program.ok("decrypt", "--exact", work / "sealed.db", work / "out.db", "--key-file", key)
    assert "unused_pages" in expectations.notes(found)
    assert b"unreachable words" in (work / "out.db").read_bytes()


def test_free_pages_pointer_maps_and_a_sound_database_make_no_note(work, keys):
    path = made(work / "a.db", "DELETE FROM big WHERE rowid % 2", vacuum="INCREMENTAL")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM big WHERE rowid < 2500")
    connection.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 0
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    assert expectations.notes(encrypted(work, keys, path)) == []


@pytest.mark.parametrize("how", ["count", "a page in use"])
def test_a_broken_list_of_free_pages(work, keys, how):
    path = made(work / "a.db", "DELETE FROM big")
    data = bytearray(path.read_bytes())
    trunk = int.from_bytes(data[32:36], "big")
    assert trunk > 0
    if how == "count":
        data[39] += 1
    else:
        data[(trunk - 1) * 4096 + 8:(trunk - 1) * 4096 + 12] = (2).to_bytes(4, "big")
    path.write_bytes(data)
    before = judged(path)
    found = encrypted(work, keys, path)
    assert expectations.notes(found) == ["free_list_broken"], found
    program.ok("decrypt", work / "out.db", work / "back.db", "--key-file", keys.raw())
    assert judged(work / "back.db") == before
    peers.sound(peers.plain(work / "back.db"))
    refuse(work, "damaged", "encrypt", path, "--in-place", "--key-file", keys.raw())


@pytest.mark.parametrize("byte, value", [(18, 0), (18, 3), (18, 255), (19, 0)])
def test_versions_that_sqlite_opens_are_converted(work, keys, byte, value):
    path = made(work / "a.db")
    with open(path, "r+b") as file:
        file.seek(byte)
        file.write(bytes([value]))
    before = judged(path)
    assert isinstance(before, list), before
    encrypted(work, keys, path)
    program.ok("decrypt", work / "out.db", work / "back.db", "--key-file", keys.raw())
    assert judged(work / "back.db") == before
    assert (work / "back.db").read_bytes()[byte] == value
    assert content(peers.sealed(work / "out.db", RAW)) == content(peers.plain(path))


@pytest.mark.parametrize("value", [3, 255])
def test_a_read_version_that_no_sqlite_has_is_unsupported(work, keys, value):
    path = made(work / "a.db")
    with open(path, "r+b") as file:
        file.seek(19)
        file.write(bytes([value]))
    assert judged(path) == "file is not a database"
    found = refused(work, keys, path, "unsupported")
    assert str(value) in found["message"], found
