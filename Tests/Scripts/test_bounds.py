# Plan: work and memory follow what is there, not what a file claims.
# - a log or journal that claims billions of pages is damage, and no memory is taken for them;
# - SQL of hundreds of megabytes in a schema row goes by in pieces;
# - a tail of terabytes that is a hole is sound at once, and is not when something stands in it;
# - a thousand threads are not more than what helps;
# - with any address space, however small, a run ends well or with a sentence, and memory that may not be
#   pinned is not spoken of.
# Each runs with a bounded address space, and leaves nothing behind.
import os
import sqlite3
import struct
import subprocess

import pytest

from support import crafted, expectations, peers, program, samples
from support.refusal import refuse

from test_system import public  # noqa: F401

MIB = 1 << 20
TOO_MANY = 0x7fff_0000


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
    crafted.log(work / "plain.db-wal", page, TOO_MANY)
    found = refuse(work, "damaged", "encrypt", source, work / "out.db", "--key-file", keys.raw(),
                   memory=400 * MIB)
    assert found["expected_size"] == TOO_MANY * 4096, found


def test_a_log_that_claims_what_is_there_is_read(work, keys, source):
    page = claiming(source.read_bytes()[:4096], os.path.getsize(source) // 4096)
    crafted.log(work / "plain.db-wal", page, os.path.getsize(source) // 4096)
    found = program.ok("encrypt", source, work / "out.db", "--key-file", keys.raw(),
                       memory=400 * MIB)
    assert expectations.notes(found) == ["wal_included"]


def test_a_journal_that_claims_billions_of_pages(work, keys, source):
    page = claiming(source.read_bytes()[:4096], TOO_MANY)
    crafted.journal(work / "plain.db-journal", page, records=1, pages=TOO_MANY)
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
                   memory=330 * MIB)
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


BASIS = 300  # MiB of address space that no run here should need
KINDS = ["encrypt", "decrypt", "rekey", "verify", "inspect"]


@pytest.mark.parametrize("command", KINDS)
def test_too_little_memory_is_said_before_the_work(work, keys, command):
    """From what the loader itself needs up to enough, in steps: success, or a sentence and no debris."""
    rows = """CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
              WHERE i < 12000) INSERT INTO t SELECT hex(randomblob(400)) FROM n;"""
    if command == "encrypt":
        path = samples.plain(work / "a.db", rows)
    else:
        path = peers.create_sealed(work / "a.db", "x'" + "a1b2c3d4" * 8 + "'", [],
                                   lambda c: c.executescript(rows))
    key = ["--key-file", keys.raw()]
    new = ["--new-key-file", keys.file("x'" + "77" * 32 + "'", "new")]
    args = {"encrypt": [path, work / "out.db"], "decrypt": [path, work / "out.db"],
            "rekey": [*new, path, work / "out.db"], "verify": [path],
            "inspect": ["--tables", path]}[command]
    seen, least = set(), None
    for size in [*range(24, 132, 4), 200, BASIS]:
        result = program.run(command, *args, *key, memory=size * MIB)
        least = least or (size if result.err.startswith(b"dbseal: ") else None)
        if result.exit != 0 and least is None:
            continue  # the loader did not get as far as main
        assert result.exit in (0, 9), (size, result)
        if result.exit == 9:
            assert b"memory" in result.err, (size, result)
        seen.add(result.exit)
        assert set(os.listdir(work)) <= {"a.db", "out.db"}, size
        (work / "out.db").unlink(missing_ok=True)
    assert seen == {0, 9}


@pytest.mark.parametrize("limit", [0, 8192, 65536])
def test_memory_that_cannot_be_pinned_is_nobody_s_concern(public, limit):  # noqa: F811
    """SQLCipher writes a line to standard error for each piece of memory that it could not pin."""
    samples.plain(public / "db/a.db")
    done = subprocess.run(
        ["prlimit", f"--memlock={limit}", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
         public / "program", "encrypt", "--json", "db/a.db", "out/a.db", "--key-file", "key"],
        capture_output=True, cwd=public, env=program.clean_env())
    assert done.returncode == 0 and done.stderr == b"", done
