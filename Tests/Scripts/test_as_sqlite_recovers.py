# Plan: logs, journals and pages that a naive reader takes otherwise than SQLite does. Stock SQLite,
# opening a copy, says what is right.
# - a copy page for page of a database with a broken tree is no proof: refused, as relayout refuses it
# - encrypt never copies deleted content, whatever the geometry of the source
# - a super-journal whose name is no text and which is gone means committed
# - records of a journal that are not wanted are not checked, where no header counts them
# - a log of another version is never passed over, and never removed
# - a log whose last frame says more pages than the header: the header stands
import os
import shutil
import sqlite3
import struct

from support import peers, program, samples

PAGE = 4096
MAGIC = bytes.fromhex("d9d505f920a163d7")


def exact(work, keys):
    """A plaintext database with the geometry of an encrypted one, made by decrypt --exact."""
    source = samples.plain(work / "source.db")
    program.ok("encrypt", source, work / "sealed.db", "--key-file", keys.raw())
    program.ok("decrypt", "--exact", work / "sealed.db", work / "exact.db", "--key-file", keys.raw())
    return work / "exact.db"


def spoil(path):
    root = peers.plain(path).execute(
        "SELECT rootpage FROM sqlite_master WHERE name='people'").fetchone()[0]
    with open(path, "r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(bytes(PAGE))


def refused(code, *args):
    result = program.run(*args)
    assert result.exit == code, result
    return result


def test_a_broken_tree_is_refused_whatever_the_geometry(work, keys):
    path = exact(work, keys)
    spoil(path)
    refused(5, "encrypt", path, work / "out.db", "--key-file", keys.raw())


def test_a_broken_tree_is_refused_by_an_exact_copy(work, keys):
    # The peer seals what nobody checks: a database whose tables share a root.
    key = f"x'{'ab' * 32}'"
    path = peers.create_sealed(work / "sealed.db", key, [], samples.fill)
    connection = peers.sealed(path, key)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master "
                       "WHERE name='gaps') WHERE name='log'")
    connection.close()
    refused(5, "decrypt", "--exact", path, work / "out.db", "--key-file", keys.file(key))


def test_encrypt_leaves_deleted_content_behind(work, keys):
    path = exact(work, keys)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA secure_delete=OFF")
    connection.execute("INSERT INTO gaps VALUES('deleted-marker-0123456789', 1)")
    connection.execute("DELETE FROM gaps WHERE rowid=last_insert_rowid()")
    connection.close()
    assert b"deleted-marker-0123456789" in path.read_bytes()
    program.ok("encrypt", path, work / "out.db", "--key-file", keys.raw())
    program.ok("decrypt", "--exact", work / "out.db", work / "back.db", "--key-file", keys.raw())
    assert b"deleted-marker-0123456789" not in (work / "back.db").read_bytes()


def crashed(folder):
    """A database whose writer died with a hot journal: row 1 says 'new' on the disk."""
    path = folder / "hot.db"
    connection = sqlite3.connect(folder / "work.db", isolation_level=None)
    connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
    connection.execute("INSERT INTO t VALUES(1, 'old')")
    connection.close()
    old = (folder / "work.db").read_bytes()
    connection = sqlite3.connect(folder / "work.db", isolation_level=None)
    connection.execute("UPDATE t SET b='new'")
    connection.close()
    path.write_bytes((folder / "work.db").read_bytes())
    return path, old


def record(number, page, nonce, sound=True):
    total = (nonce + sum(page[i] for i in range(len(page) - 200, 0, -200))) & 0xFFFFFFFF
    return struct.pack(">I", number) + page + struct.pack(">I", total if sound else total ^ 1)


def header(records, pages):
    return (MAGIC + struct.pack(">IIIII", records, 7, pages, 512, PAGE)).ljust(512, b"\0")


def agrees(folder, path, work, keys):
    """Encrypted and decrypted again, the rows are those that SQLite finds in a copy."""
    judge = folder / "judge.db"
    for suffix in ("", "-journal", "-wal"):
        if os.path.exists(f"{path}{suffix}"):
            shutil.copy(f"{path}{suffix}", f"{judge}{suffix}")
    wanted = sqlite3.connect(judge).execute("SELECT * FROM t").fetchall()
    program.ok("encrypt", path, work / "out.db", "--key-file", keys.raw())
    program.ok("decrypt", work / "out.db", work / "back.db", "--key-file", keys.raw())
    assert sqlite3.connect(work / "back.db").execute("SELECT * FROM t").fetchall() == wanted
    return wanted


def test_a_super_journal_that_is_gone_and_no_text_means_committed(work, keys):
    path, old = crashed(work)
    body = header(1, len(old) // PAGE) + record(2, old[PAGE:2 * PAGE], 7)
    name = os.fsencode(work) + b"/caf\xe9-mj0123"
    signed = sum(c - 256 if c > 127 else c for c in name) & 0xFFFFFFFF
    tail = (struct.pack(">I", 0x40000000 // PAGE + 1) + name
            + struct.pack(">II", len(name), signed) + MAGIC)
    (work / "hot.db-journal").write_bytes(body + tail)
    assert agrees(work, path, work, keys) == [(1, "new")]


def test_unwanted_records_are_not_checked(work, keys):
    path, old = crashed(work)
    body = header(0xFFFFFFFF, len(old) // PAGE) + record(2, old[PAGE:2 * PAGE], 7)
    body += record(9999, bytes(PAGE), 7, sound=False) + record(2, bytes(PAGE), 7, sound=False)
    (work / "hot.db-journal").write_bytes(body)
    assert agrees(work, path, work, keys) == [(1, "old")]


def logged(work):
    """A database whose committed row is only in its log."""
    connection = sqlite3.connect(work / "work.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("CREATE TABLE t(a, b)")
    connection.execute("INSERT INTO t VALUES(1, 'in the log')")
    path = work / "log.db"
    for suffix in ("", "-wal"):
        shutil.copy(work / f"work.db{suffix}", work / f"log.db{suffix}")
    connection.close()
    return path


def summed(data, start, big, sums):
    for at in range(start[0], start[1], 8):
        x, y = struct.unpack((">" if big else "<") + "II", data[at:at + 8])
        sums[0] = (sums[0] + x + sums[1]) & 0xFFFFFFFF
        sums[1] = (sums[1] + y + sums[0]) & 0xFFFFFFFF


def resum(log):
    """Makes all checksums of a log right again."""
    big, sums = log[3] == 0x83, [0, 0]
    summed(log, (0, 24), big, sums)
    log[24:32] = struct.pack(">II", *sums)
    for at in range(32, len(log), 24 + PAGE):
        summed(log, (at, at + 8), big, sums)
        summed(log, (at + 24, at + 24 + PAGE), big, sums)
        log[at + 16:at + 24] = struct.pack(">II", *sums)


def test_a_log_of_another_version_is_never_passed_over(work, keys):
    path = logged(work)
    log = bytearray((work / "log.db-wal").read_bytes())
    log[4:8] = struct.pack(">I", 3_007_001)
    resum(log)
    (work / "log.db-wal").write_bytes(log)
    for args in (["--in-place", path], [path, work / "out.db"]):
        found = refused(10, "encrypt", *args, "--key-file", keys.raw())
        assert b"3007001" in found.err
        assert (work / "log.db-wal").read_bytes() == log


def test_the_header_stands_above_the_size_in_the_log(work, keys):
    path = logged(work)
    log = bytearray((work / "log.db-wal").read_bytes())
    last = len(log) - 24 - PAGE
    # As a writer with a chunk size leaves it: preallocated pages behind those of the header.
    log[last + 4:last + 8] = struct.pack(">I", 16)
    resum(log)
    (work / "log.db-wal").write_bytes(log)
    assert agrees(work, path, work, keys) == [(1, "in the log")]


def test_a_log_smaller_than_the_header_says_is_damage(work, keys):
    path = logged(work)
    log = bytearray((work / "log.db-wal").read_bytes())
    log[len(log) - 20 - PAGE:len(log) - 16 - PAGE] = struct.pack(">I", 1)
    resum(log)
    (work / "log.db-wal").write_bytes(log)
    try:
        shutil.copytree(work, work / "judge", ignore=shutil.ignore_patterns("judge"))
        sqlite3.connect(work / "judge" / "log.db").execute("SELECT * FROM t").fetchall()
        raise AssertionError("SQLite reads it")
    except sqlite3.DatabaseError:
        pass
    refused(5, "encrypt", path, work / "out.db", "--key-file", keys.raw())
