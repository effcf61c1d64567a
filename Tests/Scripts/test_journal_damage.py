# Plan: a hot journal that is damaged. SQLite stops at the first record that fails, keeps a mix of two
# states and deletes the journal, all without a word; on a copy it is the judge of that mix.
# - whatever is broken among the records that a header counts, or in a header: verify says 5 and
#   where, and nothing is converted, migrated or removed;
# - what inspect --query reads is what SQLite would leave;
# - journals as SQLite itself leaves them in all its modes are sound, torn ends that no header counts
#   included.
import os
import shutil
import sqlite3
import struct

import pytest

from support import peers, program
from support.files import Snapshot
from support.kinds import KINDS, RAW, opened
from support.verdicts import verify

PAGE = 4096
MAGIC = bytes.fromhex("d9d505f920a163d7")
QUESTION = "SELECT substr(b, 1, 1) AS state, count(*) AS n FROM t GROUP BY 1"


def fill(connection):
    connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
    connection.executemany("INSERT INTO t VALUES(?, ?)", [(i, "o" * 500) for i in range(400)])


def begun(folder, kind, *pragmas):
    """A connection in the middle of a transaction that has spilled over old pages."""
    folder.mkdir(exist_ok=True)
    path = folder / "live.db"
    if kind == "plain":
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA page_size=4096")
        connection.execute("BEGIN")
        fill(connection)
        connection.execute("COMMIT")
        connection.close()
    else:
        peers.create_sealed(path, RAW, [], fill)
    connection = opened(path, kind)
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("PRAGMA cache_size=20")
    connection.execute("BEGIN")
    connection.execute("UPDATE t SET b = replace(b, 'o', 'n')")
    return connection


def crashed(work, tmp_path, kind, *pragmas):
    """A copy of such a database with its journal; their bytes are kept."""
    connection = begun(tmp_path / "live", kind, *pragmas)
    path = work / "crashed" / "a.db"
    path.parent.mkdir()
    for suffix in ("", "-journal"):
        shutil.copy(f"{tmp_path / 'live' / 'live.db'}{suffix}", f"{path}{suffix}")
    connection.execute("ROLLBACK")
    connection.close()
    return path


def layout(journal):
    """The offsets of the headers and of the records that they count, by the file format."""
    headers, records, at = [], [], 0
    while journal[at:at + 8] == MAGIC:
        headers.append(at)
        count, = struct.unpack(">I", journal[at + 8:at + 12])
        at += 512
        for _ in range(count if count != 0xFFFFFFFF else (len(journal) - at) // (PAGE + 8)):
            records.append(at)
            at += PAGE + 8
        at = (at + 511) // 512 * 512
    return headers, records


def judged(path, kind, folder):
    """What SQLite makes of a copy; None where it cannot read it."""
    folder.mkdir()
    for suffix in ("", "-journal"):
        shutil.copy(f"{path}{suffix}", f"{folder / 'a.db'}{suffix}")
    connection = opened(folder / "a.db", kind)
    try:
        return [(state[1].decode(), count) for state, count in connection.execute(QUESTION)]
    except Exception as error:
        assert "malformed" in str(error) or "not a database" in str(error), error
        return None
    finally:
        connection.close()


def number(journal, at, value):
    journal[at:at + 4] = struct.pack(">I", value)


# name: (what breaks it, what verify says)
FAULTS = {
    "checksum": (lambda j, h, r: j.__setitem__(r[17] + PAGE + 4, j[r[17] + PAGE + 4] ^ 1),
                 ("checksum", 18)),
    "content": (lambda j, h, r: j.__setitem__(r[17] + 4 + PAGE - 200, j[r[17] + PAGE - 196] ^ 8),
                ("checksum", 18)),
    "first": (lambda j, h, r: j.__setitem__(r[0] + PAGE + 4, j[r[0] + PAGE + 4] ^ 1),
              ("checksum", 1)),
    "page 0": (lambda j, h, r: number(j, r[17], 0), ("page_number", 18)),
    "page beyond": (lambda j, h, r: number(j, r[17], 0x100000), ("page_number", 18)),
    "page twice": (lambda j, h, r: j.__setitem__(slice(r[17], r[17] + 4), j[r[16]:r[16] + 4]),
                   ("repeated", 18)),
    "cut": (lambda j, h, r: j.__delitem__(slice(r[17] + 50, None)), ("cut", 18)),
    "nonce": (lambda j, h, r: j.__setitem__(15, j[15] ^ 1), ("checksum", 1)),
    "count too large": (lambda j, h, r: number(j, 8, 9999), (None, None)),
    "count too small": (lambda j, h, r: number(j, 8, 1), ("count", 2)),
    "first header": (lambda j, h, r: j.__setitem__(3, j[3] ^ 16), ("header", 0)),
    "sector size": (lambda j, h, r: number(j, 20, 513), ("header", 0)),
    "later header": (lambda j, h, r: j.__setitem__(h[1] + 7, j[h[1] + 7] ^ 1), ("header", None)),
}


def spoil(path, fault):
    """Breaks the journal; how many records it had."""
    journal = bytearray(open(f"{path}-journal", "rb").read())
    headers, records = layout(journal)
    assert len(headers) > 1 and len(records) > 30, "the transaction did not spill as it should"
    FAULTS[fault][0](journal, headers, records)
    with open(f"{path}-journal", "wb") as file:
        file.write(journal)
    return len(records)


@KINDS
@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_journal_is_damage(work, keys, tmp_path, kind, fault):
    path = crashed(work, tmp_path, kind)
    assert judged(path, kind, tmp_path / "whole") == [("o", 400)]
    total = spoil(path, fault)
    mix = judged(path, kind, tmp_path / "judged")
    cause, record = FAULTS[fault][1]
    assert mix != [("o", 400)], "SQLite rolls this back in full"
    found = verify(path, keys, "damaged", key=RAW if kind == "sealed" else None)
    assert "journal" in found["message"], found
    flaw = found["verdicts"]["pages"]["journal_flaw"]
    assert flaw["flaw"] == (cause or flaw["flaw"]), flaw
    if record is not None:
        assert flaw["record"] == record
    if cause in ("checksum", "page_number", "repeated"):
        assert flaw["records"] == total
    named = ["--key-file", keys.file(RAW)]
    if mix is not None:
        result = program.run("inspect", *named[:2 if kind == "sealed" else 0], "--output-format",
                             "csv", "--query", QUESTION, path)
        rows = [tuple(row.split(",")) for row in result.out.decode().split()[1:]]
        assert rows == [(state, str(count)) for state, count in mix], result
        assert b"journal" in result.err, result
    before = Snapshot(path.parent)
    command = "encrypt" if kind == "plain" else "decrypt"
    for target in ([path, work / "out.db"], ["--in-place", path]):
        result = program.run(command, *named, *target)
        assert result.exit == 5 and b"journal" in result.err, result
        assert b"keep the -journal" in result.err, result
    scripts = tmp_path / "schema"
    scripts.mkdir()
    (scripts / "001_more.sql").write_text("CREATE TABLE more(a);")
    result = program.run("migrate", "--schema", scripts, *(named if kind == "sealed" else []), path)
    assert result.exit == 5 and b"journal" in result.err, result
    before.unchanged()
    assert not (work / "out.db").exists()


@KINDS
@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL", "FULL", "EXTRA"])
@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST"])
def test_a_journal_as_sqlite_leaves_it_is_sound(work, keys, tmp_path, kind, mode, synchronous):
    folder = tmp_path / "live"
    connection = begun(folder, kind, f"journal_mode={mode}", f"synchronous={synchronous}")
    connection.execute("COMMIT")  # PERSIST leaves a long journal for the next one to write over
    (work / "crashed").mkdir()
    path = work / "crashed" / "a.db"
    steps = ["BEGIN", "UPDATE t SET b = replace(b, 'n', 'x') WHERE a < 150", "SAVEPOINT s",
             "UPDATE t SET b = replace(b, 'n', 'y') WHERE a > 100", "ROLLBACK TO s",
             "DELETE FROM t WHERE a > 200", "INSERT INTO t SELECT a + 1000, b || b FROM t"]
    for step in steps:
        connection.execute(step)
        if not os.path.exists(f"{folder / 'live.db'}-journal"):
            continue
        for suffix in ("", "-journal"):
            shutil.copy(f"{folder / 'live.db'}{suffix}", f"{path}{suffix}")
        found = verify(path, keys, key=RAW if kind == "sealed" else None)
        assert found["verdicts"]["pages"]["journal_flaw"] is None
    assert found["verdicts"]["pages"]["journal_pages"] > 0
    connection.execute("ROLLBACK")
    connection.close()


def test_a_journal_that_names_a_super_journal_is_sound(work, keys, tmp_path):
    path = crashed(work, tmp_path, "plain")
    with open(f"{path}-journal", "rb") as file:
        journal = file.read()
    end = layout(journal)[1][-1] + PAGE + 8
    name = os.fsencode(f"{path}-mj0123")
    with open(name, "wb") as file:
        file.write(b"an empty one is none\0")
    signed = sum(c - 256 if c > 127 else c for c in name) & 0xFFFFFFFF
    tail = (struct.pack(">I", 0x40000000 // PAGE + 1) + name
            + struct.pack(">II", len(name), signed) + MAGIC)
    with open(f"{path}-journal", "wb") as file:
        file.write(journal[:end].ljust((end + 511) // 512 * 512, b"\0") + tail)
    pages = verify(path, keys, key=None)["verdicts"]["pages"]
    assert pages["journal_flaw"] is None and pages["journal_pages"] > 0
    assert judged(path, "plain", tmp_path / "judged") == [("o", 400)]
    with open(name, "wb"):
        pass
    assert judged(path, "plain", tmp_path / "again") != [("o", 400)]
    assert verify(path, keys, key=None)["verdicts"]["pages"]["journal_pages"] is None


def uncounted(path, cut=None, bad=None):
    """Makes the journal one of a writer that does not sync, cut in that record or with a bad one."""
    journal = bytearray(open(f"{path}-journal", "rb").read())
    records = layout(journal)[1]
    assert len(records) > 30 and journal[8:12] == b"\xff" * 4
    if cut is not None:
        del journal[records[cut] + 50:]
    if bad is not None:
        journal[records[bad] + PAGE + 7] ^= 1
    with open(f"{path}-journal", "wb") as file:
        file.write(journal)
    return len(records)


@KINDS
def test_the_torn_end_of_a_journal_without_counts_is_normal(work, keys, tmp_path, kind):
    path = crashed(work, tmp_path, kind, "synchronous=OFF")
    uncounted(path, cut=-1)
    assert judged(path, kind, tmp_path / "judged") is not None
    found = verify(path, keys, key=RAW if kind == "sealed" else None)
    assert found["verdicts"]["pages"]["journal_flaw"] is None


@KINDS
def test_sound_records_behind_a_bad_one_are_lost_and_that_is_damage(work, keys, tmp_path, kind):
    path = crashed(work, tmp_path, kind, "synchronous=OFF")
    total = uncounted(path, bad=9)
    assert judged(path, kind, tmp_path / "judged") != [("o", 400)]
    found = verify(path, keys, "damaged", key=RAW if kind == "sealed" else None)
    assert found["verdicts"]["pages"]["journal_flaw"] == {
        "flaw": "checksum", "record": 10, "records": total}


def test_records_that_were_never_counted_are_the_normal_end(work, keys, tmp_path):
    path = crashed(work, tmp_path, "plain")
    journal = bytearray(open(f"{path}-journal", "rb").read())
    number(journal, layout(journal)[0][-1] + 8, 0)
    with open(f"{path}-journal", "wb") as file:
        file.write(journal)
    assert verify(path, keys, key=None)["verdicts"]["pages"]["journal_flaw"] is None
