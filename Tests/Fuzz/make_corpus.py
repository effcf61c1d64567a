#!/usr/bin/env python3
"""Makes the inputs that fuzzing starts from: databases and journals of stock SQLite, the encrypted
fixtures, and command lines, keys and scripts as people write them. `make fuzz-corpus` calls it and
then has libFuzzer keep those that reach something new."""

import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "Fixtures"


def database(folder, name, sql, page=512, pragmas=()):
    path = folder / name
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in (f"page_size={page}", *pragmas):
        connection.execute(f"PRAGMA {pragma}")
    connection.executescript(sql)
    connection.close()
    return path.read_bytes()


ROWS = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
          INSERT INTO t SELECT i, {} FROM n;"""


def databases(folder):
    """Small ones of each structure that a tree can have."""
    one = "CREATE TABLE t(a INTEGER PRIMARY KEY, b);"
    yield "empty", database(folder, "a", "")
    yield "table", database(folder, "b", one + "INSERT INTO t VALUES(1, 'x'), (9, 2.5);")
    yield "depth", database(folder, "c", one + ROWS.format(60, "hex(zeroblob(12))"))
    yield "index", database(
        folder, "d", one + "CREATE INDEX i ON t(b);" + ROWS.format(24, "printf('%020d', i)"))
    yield "overflow", database(
        folder, "e", one + "INSERT INTO t VALUES(1, zeroblob(1500)), (2, zeroblob(700));")
    yield "without-rowid", database(
        folder, "f", "CREATE TABLE t(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID;"
        + ROWS.format(20, "printf('%030d', i)"))
    yield "vacuum", database(
        folder, "g", one + ROWS.format(30, "zeroblob(40)"), pragmas=("auto_vacuum=FULL",))
    yield "free", database(
        folder, "h", one + ROWS.format(30, "zeroblob(90)") + "DELETE FROM t WHERE a > 6;")
    yield "views", database(
        folder, "i", one + "CREATE VIEW v AS SELECT 1; CREATE TRIGGER r AFTER INSERT ON t"
        " BEGIN SELECT 1; END; CREATE TABLE u(x UNIQUE);")
    yield "utf16", database(
        folder, "j", "CREATE TABLE \"tä\"(a); INSERT INTO \"tä\" VALUES('é');", 1024,
        ("encoding='UTF-16le'",))
    yield "schema-depth", database(
        folder, "k", "".join(f"CREATE TABLE t{i}(a /*{'x' * 60}*/);" for i in range(9)))
    yield "long-sql", database(folder, "l", f"CREATE TABLE t(a /*{'y' * 900}*/);")


def wal(folder):
    connection = sqlite3.connect(folder / "w", isolation_level=None)
    connection.executescript("PRAGMA page_size=512; PRAGMA journal_mode=WAL;"
                             "CREATE TABLE t(a); INSERT INTO t VALUES(1);")
    log = (folder / "w-wal").read_bytes()
    connection.close()
    return log


def journal(folder):
    connection = sqlite3.connect(folder / "x", isolation_level=None)
    connection.executescript("PRAGMA page_size=512; PRAGMA cache_size=1; CREATE TABLE t(a);"
                             "INSERT INTO t VALUES(zeroblob(3000)); BEGIN; UPDATE t SET a = 1;")
    connection.execute("PRAGMA cache_spill=1")
    found = folder / "x-journal"
    made = found.read_bytes() if found.exists() else b""
    connection.execute("ROLLBACK")
    connection.close()
    return made


def schema_records():
    for row in (
            ("table", "t", "t", b"\x02", "CREATE TABLE t(a)"),
            ("index", "i", "t", b"\x01\x00", "CREATE UNIQUE INDEX i ON t(a)"),
            ("index", "sqlite_autoindex_t_1", "t", b"\x03", None),
            ("view", "v", "v", b"", "create /* x */ view v as select 1"),
            ("table", "f", "f", b"\x00", "CREATE VIRTUAL TABLE f USING fts5(a)")):
        types, body = [], b""
        for value in row:
            if value is None:
                types.append(0)
            elif isinstance(value, bytes):
                types.append(len(value) or 8)
                body += value
            else:
                types.append(13 + 2 * len(value))
                body += value.encode()
        head = b"".join(bytes([t]) if t < 128 else bytes([128 | t >> 7, t & 127]) for t in types)
        yield bytes([len(head) + 1]) + head + body


HEX = "a1b2c3d4" * 8
ARGUMENTS = [
    "encrypt a.db b.db --key-file=k --page-size 8192 -j4",
    "decrypt --in-place a.db --backup=.old -qf",
    "rekey a.db --new-key-env N --kdf-iter=5 --hmac-salt-mask 0x3a --salt " + "0" * 32,
    "verify a b c --expect-table t=3 --expect-table u --json --busy-timeout=0.5",
    "migrate a.db --schema d --to 7 --dry-run", "inspect a.db --query x --output-format csv",
    "key generate --raw", "help verify", "-vv", "--help", "encrypt --key=secret a b",
    f"verify x'{HEX}' a", f"--color=always verify -- -a {HEX}", "verfy a", "encrypt --keyfile x",
    "migrate a --expect-user-version -5", "encrypt -j a", "encrypt  b", f"{HEX}",
]
KEYS = [
    b"secret\n", b"two\nlines\n", HEX.encode(), f"x'{HEX}'".encode(), f"X'{HEX}{'0' * 32}'\r\n".encode(),
    b"PRAGMA key = 'abc';\n", b"\xef\xbb\xbfpass", b"\xff\xfep\0a\0s\0s\0", "pässwörd".encode(),
    "pa\u0308ss".encode(), b"p\xe4ss", b"c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", b"  'quoted' ;", b"x'12'",
    b"0x" + ":".join(HEX[i:i + 2] for i in range(0, 64, 2)).encode(), b"v10abc" * 9,
    b"pass show 'my db' | head \"a\\\"b\" c\\ d",
]
SCRIPTS = [
    b"1_a.sql\nCREATE TABLE t(a); -- x\nINSERT INTO t VALUES('a;b');\n",
    b"002.sql\nCREATE TRIGGER r AFTER INSERT ON t BEGIN\n SELECT ';'; END;\nDROP TABLE t;",
    b"3_b-c d.sql\nexplain query plan create temp trigger x begin select 1; end; ;; SELECT [a;b];",
    b"4_.sql\n/* ; */ PRAGMA main.user_version = 3; PRAGMA \"key\"='x';BEGIN;",
    b"x.sql\n\xef\xbb\xbfSELECT `a``;b`, \"c;\"\";\" /* open", b"5.sql\n;;\n",
]


def inputs(folder):
    """(target, name, bytes) of each."""
    random.seed(1)
    made = dict(databases(folder))
    for name, data in made.items():
        yield "pages", name, bytes([random.randrange(6), random.choice([0, 16, 32, 80]), 0]) + data
    yield "pages", "lock-page", bytes([0, 0, 1]) + made["depth"]
    yield "header", "plain", b"\0" + made["table"][:600]
    yield "header", "magic", b"\x01" + made["empty"][16:200] + bytes(400)
    yield "header", "random-behind", b"\x03" + made["table"][16:100]
    yield "header", "zeros", b"\x04"
    yield "header", "text", b"\0" + b"hello, world\n" * 40
    yield "header", "encrypted", b"\0" + (FIXTURES / "raw64.db").read_bytes()[:1024]
    yield "header", "header32", b"\0" + (FIXTURES / "header32.db").read_bytes()[:1024]
    log, hot = wal(folder), journal(folder)
    yield "header", "wal", b"\0" + log[:64]
    yield "header", "journal", b"\x10" + bytes.fromhex("d9d505f920a163d7") + bytes(30)
    yield "log", "real", b"\x01" + log
    yield "log", "frames", bytes([0, 0]) + b"saltsalt" + bytes([1, 0, 7, 0, 2, 2, 8, 0, 3, 3, 9, 0])
    yield "log", "faults", bytes([6, 1]) + b"saltsalt" + bytes(
        [1, 2, 7, 0, 2, 2, 8, 4, 1, 3, 9, 0, 2, 3, 9, 1, 1, 3, 9, 0, 0, 0, 0, 0])
    yield "log", "claims", bytes([2, 2]) + b"saltsalt" + bytes([255, 0, 9, 9, 9, 255]) + b"\xff" * 5
    if hot:
        yield "journal", "real", b"\x01" + hot
    yield "journal", "records", bytes([0, 0, 4, 9]) + bytes(4) + bytes([0, 0, 3]) + bytes(
        [1, 7, 0, 2, 8, 0, 3, 9, 0]) + bytes(4) + bytes([0, 255, 2, 4, 1, 0, 1, 2, 1])
    yield "journal", "faults", bytes([2, 1, 0, 5]) + b"abcd" + bytes(
        [2, 1, 4, 5, 1, 7, 0, 9, 8, 0, 3, 9, 1, 1, 1, 0]) + bytes([1, 2, 3, 4, 16, 0, 1, 1, 1, 0, 9])
    for index, record in enumerate(schema_records()):
        yield "schema", str(index), bytes([2]) + (300 * index).to_bytes(4, "big") + record
    for index in range(6):
        settings = bytes([random.randrange(64) | 4, index, index, random.choice([0, 90, 200]), 2, 1,
                          0x3a, index % 3])
        yield "codec", f"seal-{index}", settings + bytes([index % 4]) + random.randbytes(120)
    for name, key in (("format1", 0), ("raw64", 1), ("page512-engine3", 0)):
        settings = bytes([4, 0, 0, 0, 2, 1, 0x3a, 0])
        yield "codec", name, settings + bytes([0x40 | key]) + b"k" * 48 + (
            FIXTURES / f"{name}.db").read_bytes()[:1200]
    for index, line in enumerate(ARGUMENTS):
        yield "arguments", f"{index:02}", line.replace(" ", "\n").encode()
    for index, key in enumerate(KEYS):
        yield "keys", f"{index:02}", key
    for index, script in enumerate(SCRIPTS):
        yield "scripts", str(index), script


def main():
    target = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        for name, file, data in inputs(folder):
            (target / name).mkdir(parents=True, exist_ok=True)
            (target / name / file).write_bytes(data)
    finally:
        shutil.rmtree(folder)


main()
