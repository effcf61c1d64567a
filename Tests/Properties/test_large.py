# Plan (DBSEAL_SLOW=1): databases beyond 1 GiB, where the lock-byte page lies, at several page
# sizes and with auto_vacuum, whose pointer-map pages can meet it. Stock SQLite checks the result
# of decrypt(encrypt(x)), SQLCipher 4.19 the encrypted file; memory stays bounded.
import os
import sqlite3

import pytest

from support import peers, program

pytestmark = pytest.mark.slow
DIGITS = "12345678" * 8
GIB = 1 << 30


def large(path, page_size, auto_vacuum):
    """More than 1 GiB of rows with an index, on both sides of the lock-byte page."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in (f"page_size={page_size}", f"auto_vacuum={auto_vacuum}", "synchronous=OFF",
                   "journal_mode=OFF", "cache_size=-200000"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, tag TEXT, body BLOB)")
    connection.execute("CREATE INDEX i ON t(tag)")
    connection.execute("BEGIN")
    row, count = 0, 10000
    while connection.execute("PRAGMA page_count").fetchone()[0] * page_size < 1.15 * GIB:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT INTO t SELECT i, 'tag ' || (i * 7919 % 100003), randomblob(200 + i % 7000) "
            "FROM n", (row, row + count - 1))
        row += count
    connection.execute("COMMIT")
    connection.close()


def numbers(connection):
    """A check of every row that needs no memory: counts, sums, and a running total of bytes."""
    return connection.execute(
        "SELECT count(*), sum(id), sum(length(body)), sum(unicode(tag)), "
        "sum(id * (instr(body, x'00') + 1) % 1000003), min(hex(substr(body, -8))) FROM t").fetchone()


@pytest.mark.parametrize("page_size, auto_vacuum", [(512, 0), (1024, 1), (4096, 0), (65536, 2)])
def test_a_database_beyond_the_lock_byte_page(work, keys, page_size, auto_vacuum):
    source, sealed, back = work / "plain.db", work / "sealed.db", work / "back.db"
    large(source, page_size, auto_vacuum)
    wanted = numbers(peers.plain(source))
    key = keys.raw(DIGITS)
    found = program.ok("encrypt", source, sealed, "--key-file", key, timeout=600)
    assert os.path.getsize(sealed) > GIB
    judge = peers.sealed(sealed, f"x'{DIGITS}'", program.pragmas(found))
    peers.sound(judge, cipher=True)
    assert numbers(judge) == wanted
    judge.close()
    os.remove(source)
    program.ok("decrypt", sealed, back, "--key-file", key, "--page-size", page_size, timeout=600)
    judge = peers.plain(back)
    peers.sound(judge)
    assert numbers(judge) == wanted
