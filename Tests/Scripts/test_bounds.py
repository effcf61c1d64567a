# Plan: work and memory follow what is there, not what a file claims.
# - a log or journal that claims billions of pages is damage, and no memory is taken for them;
# - SQL of hundreds of megabytes in a schema row goes by in pieces;
# - a tail of terabytes that is a hole is sound at once, and is not when something stands in it;
# - a thousand threads are not more than what helps.
# Each runs with a bounded address space, and leaves nothing behind.
import os
import sqlite3
import struct

import pytest

from support import expectations, peers, program, samples
from support.refusal import refuse

MIB = 1 << 20
TOO_MANY = 0x7fff_0000


def checksum(data, start=(0, 0)):
    """The log's checksum over little-endian words (walformat.html)."""
    a, b = start
    words = struct.unpack(f"<{len(data) // 4}I", data)
    for x, y in zip(words[::2], words[1::2]):
        a = (a + x + b) & 0xffffffff
        b = (b + y + a) & 0xffffffff
    return a, b


def write_log(path, page, claimed):
    """A log of one committed frame: page 1, and that many pages in the database."""
    size = len(page)
    head = struct.pack(">IIIIII", 0x377f0682, 3007000, size, 0, 1, 2)
    sums = checksum(head)
    head += struct.pack(">II", *sums)
    frame = struct.pack(">II", 1, claimed)
    sums = checksum(page, checksum(frame, sums))
    path.write_bytes(head + frame + struct.pack(">IIII", 1, 2, *sums) + page)


def claiming(page, pages):
    """Page 1 with that many pages in its header, which is valid."""
    page = bytearray(page)
    page[28:32] = struct.pack(">I", pages)
    page[92:96] = page[24:28]
    return bytes(page)


@pytest.mark.parametrize("inside", [True, False], ids=["header agrees", "header is stale"])
def test_a_log_that_claims_billions_of_pages(work, keys, source, inside):
    page = claiming(source.read_bytes()[:4096], TOO_MANY)
    if not inside:
        page = page[:92] + bytes(4) + page[96:]
    write_log(work / "plain.db-wal", page, TOO_MANY)
    found = refuse(work, "damaged", "encrypt", source, work / "out.db", "--key-file", keys.raw(),
                   memory=400 * MIB)
    assert found["expected_size"] == TOO_MANY * 4096, found


def test_a_log_that_claims_what_is_there_is_read(work, keys, source):
    page = claiming(source.read_bytes()[:4096], os.path.getsize(source) // 4096)
    write_log(work / "plain.db-wal", page, os.path.getsize(source) // 4096)
    found = program.ok("encrypt", source, work / "out.db", "--key-file", keys.raw(),
                       memory=400 * MIB)
    assert expectations.notes(found) == ["wal_included"]


def test_a_journal_that_claims_billions_of_pages(work, keys, source):
    data = source.read_bytes()
    page = claiming(data[:4096], TOO_MANY)
    record = struct.pack(">I", 1) + page
    total = sum(page[i] for i in range(4096 - 200, 0, -200))
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 1, 0, TOO_MANY, 512, 4096)
    (work / "plain.db-journal").write_bytes(
        head.ljust(512, b"\0") + record + struct.pack(">I", total))
    refuse(work, "damaged", "encrypt", source, work / "out.db", "--key-file", keys.raw(),
           memory=400 * MIB)


def test_long_sql_in_the_schema_goes_by_in_pieces(work, keys):
    path = work / "a.db"
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE t(a /* {'x' * (40 * MIB)} */)")
    connection.execute("INSERT INTO t VALUES(1)")
    connection.commit()
    connection.close()
    key = keys.raw()
    # The proof is SQLite's own reading, which takes several times the text; ours takes none.
    program.ok("encrypt", path, work / "out.db", "--key-file", key, memory=500 * MIB)
    program.ok("decrypt", work / "out.db", work / "back.db", "--key-file", key, memory=500 * MIB)
    with sqlite3.connect(work / "back.db") as back, sqlite3.connect(path) as original:
        question = "SELECT length(sql), substr(sql, -20) FROM sqlite_master"
        assert back.execute(question).fetchall() == original.execute(question).fetchall()
        assert back.execute("SELECT * FROM t").fetchall() == [(1,)]


def test_too_little_memory_for_sqlite_is_no_failed_proof(work, keys):
    path = work / "a.db"
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE t(a /* {'x' * (300 * MIB)} */)")
    connection.commit()
    connection.close()
    found = refuse(work, "io", "encrypt", path, work / "out.db", "--key-file", keys.raw(),
                   memory=400 * MIB)
    assert "memory" in found["message"], found


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_tail_of_a_terabyte_that_is_a_hole(work, keys, command, source):
    key = keys.raw()
    path = source
    if command == "decrypt":
        path = peers.create_sealed(work / "sealed.db", "x'" + "a1b2c3d4" * 8 + "'", [],
                                   samples.fill)
    size = os.path.getsize(path)
    os.truncate(path, 1 << 40)
    found = program.ok(command, path, work / "out.db", "--key-file", key, timeout=60)
    assert f"{(1 << 40) - size} bytes" in found["notes"][0]["message"]
    os.remove(work / "out.db")
    with open(path, "r+b") as file:
        file.seek((1 << 40) - 5000)
        file.write(b"x")
    result = program.run(command, "--json", path, work / "out.db", "--key-file", key, timeout=60)
    assert (result.exit, result.json["code"]) == (5, "damaged")
    assert not (work / "out.db").exists()


def test_more_threads_than_help_are_not_started(work, keys):
    path = samples.plain(work / "a.db", samples.SAMPLE + """
      CREATE TABLE more(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
        WHERE i < 60000) INSERT INTO more SELECT hex(randomblob(400)) FROM n;""")
    found = program.ok("encrypt", path, work / "out.db", "--key-file", keys.raw(), "-j", "1024",
                       memory=1600 * MIB)
    assert found["ok"]
