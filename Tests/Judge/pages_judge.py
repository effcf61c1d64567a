"""Makes databases with stock SQLite and judges what became of them, for PagesRelayoutTests.

  pages_judge.py make DIR KIND SEED [KIND SEED ...]     writes DIR/KIND-SEED.db
  pages_judge.py check DIR                              compares DIR/NAME@PAGESIZE-RESERVE.out
                                                        with DIR/NAME.db, prints what differs

DBSEAL_PENDING_BYTE moves the byte that SQLite locks (a test control of SQLite), so that databases
much smaller than 1 GiB have a lock-byte page.
"""
import ctypes
import glob
import os
import random
import re
import shutil
import sqlite3
import sys

LIBRARY = ctypes.CDLL("libsqlite3.so.0" if sys.platform.startswith("linux") else "libsqlite3.dylib")
RESERVE_BYTES = 38
PENDING_BYTE = 11
PAGE_SIZES = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]


def move_pending_byte():
    value = os.environ.get("DBSEAL_PENDING_BYTE")
    if value:
        LIBRARY.sqlite3_test_control(PENDING_BYTE, ctypes.c_uint(int(value)))


def set_reserve(path, reserve):
    """Sets the reserve of an existing database by VACUUM; Python's module has no call for it, and
    the handle here knows no collations: call it before there are tables."""
    handle = ctypes.c_void_p()
    LIBRARY.sqlite3_open(path.encode(), ctypes.byref(handle))
    count = ctypes.c_int(reserve)
    LIBRARY.sqlite3_file_control(handle, b"main", RESERVE_BYTES, ctypes.byref(count))
    message = ctypes.c_char_p()
    code = LIBRARY.sqlite3_exec(handle, b"VACUUM", None, None, ctypes.byref(message))
    LIBRARY.sqlite3_close(handle)
    with open(path, "rb") as file:
        found = file.read(21)[20]
    if code or found != reserve:
        raise SystemExit(f"{path}: reserve {found}, not {reserve}: {code} {message.value}")


def connect(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.text_factory = bytes
    db.create_collation("LOCALIZED", lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
    return db


def value(rng, biggest):
    kind = rng.randrange(9)
    if kind == 0:
        return None
    if kind == 1:
        return rng.choice([0, 1, -1, 127, 128, -(2**31), 2**40, 2**63 - 1, -(2**63)])
    if kind == 2:
        return rng.choice([0.0, -0.0, 1.5, 3.0, 1e300])
    if kind == 3:
        return rng.randbytes(rng.randrange(biggest))
    if kind == 4:
        return b"\0" * rng.randrange(biggest)
    return "".join(rng.choices("abcdef ö€𝄞'\"", k=rng.randrange(rng.choice([4, 30, biggest]))))


def start(path, rng, page_size=None, vacuum=None, encoding=None):
    """A database without tables, of the given or of random settings."""
    db = connect(path)
    db.execute(f"pragma page_size={page_size or rng.choice(PAGE_SIZES)}")
    db.execute(f"pragma auto_vacuum={rng.choice([0, 0, 1, 2]) if vacuum is None else vacuum}")
    db.execute(f"pragma encoding='{encoding or rng.choice(['UTF-8', 'UTF-16le', 'UTF-16be'])}'")
    db.execute(f"pragma user_version={rng.choice([0, 7, -1, 2147483647])}")
    db.execute(f"pragma application_id={rng.choice([0, 252006673])}")
    if rng.randrange(2):
        db.execute("create table gone(a)")
        db.execute("drop table gone")
        db.close()
        set_reserve(path, rng.choice([0, 8, 16, 32]))
        db = connect(path)
    db.execute("pragma synchronous=off")
    return db


def fill(db, rng, tables, rows, biggest):
    for t in range(tables):
        shape = rng.randrange(4)
        name = f'"t{t} {rng.randrange(99)}"'
        if shape == 0:
            db.execute(f"create table {name}(a text primary key, b, c) without rowid")
        elif shape == 1:
            db.execute(f"create table {name}(a integer primary key autoincrement, b unique, c)")
        else:
            db.execute(f"create table {name}(a, b collate LOCALIZED, c)")
        for i in range(rng.randrange(3)):
            db.execute(f"create index \"i{t}_{i}\" on {name}({rng.choice(['b', 'c', 'b,c', 'c,a'])})")
        if rng.randrange(5) == 0:
            continue
        for i in range(rng.randrange(rows)):
            a = rng.randrange(2**40) if shape == 1 else f"{i}-{value(rng, biggest)}"
            b = f"{i}{value(rng, biggest)}"
            db.execute(f"insert or ignore into {name} values(?,?,?)", (a, b, value(rng, biggest)))
        if rng.randrange(2):
            db.execute(f"delete from {name} where random() % 3 = 0")


def extras(db):
    db.execute("create table log(x)")
    db.execute("create view v as select * from log where x > 'gone'")
    db.execute("create trigger tr after insert on log begin update log set x = x; end")
    db.execute("create virtual table r using rtree(id, a, b)")
    db.execute("insert into r values(1, 2, 3)")
    db.execute("create virtual table f using fts4(body)")
    db.executemany("insert into f values(?)", [(f"word{i} " * (i % 50),) for i in range(200)])
    db.execute("create table seq(a integer primary key autoincrement)")
    db.execute("insert into seq values(9223372036854775807)")
    db.execute("analyze")


def make_random(path, rng):
    db = start(path, rng)
    db.execute("begin")
    fill(db, rng, rng.randrange(1, 8), rng.choice([5, 60, 300]), rng.choice([20, 300, 5000]))
    if rng.randrange(2):
        extras(db)
    db.execute("commit")
    if rng.randrange(4) == 0:
        db.execute("pragma journal_mode=wal")
    db.close()


def make_empty(path, rng):
    db = start(path, rng)
    db.execute("create table gone(a)")
    db.execute("drop table gone")
    db.close()


def make_plain(path, rng):
    """Known to the tests: pages of 512 bytes, table t at page 2, its leaves from page 3 on, and at
    the end of the file the overflow chain of the one long value."""
    db = connect(path)
    db.execute("pragma page_size=512")
    db.execute("create table t(a, b)")
    db.execute("pragma user_version=-5")
    db.execute("pragma application_id=252006673")
    db.execute("pragma default_cache_size=77")
    db.execute("begin")
    db.executemany("insert into t values(?,?)", ((f"row {i} ", i) for i in range(400)))
    db.execute("insert into t values(?, 0)", ("long" * 900,))
    db.execute("commit")
    db.execute("vacuum")
    db.close()


def make_freed(path, rng):
    """Free pages; their number is kept as user_version."""
    db = connect(path)
    db.execute("pragma page_size=512")
    db.execute("create table t(a)")
    db.execute("begin")
    db.executemany("insert into t values(?)", ((b"x" * 450,) for _ in range(400)))
    db.execute("delete from t where rowid > 20")
    db.execute("commit")
    count = db.execute("pragma freelist_count").fetchone()[0]
    db.execute(f"pragma user_version={count}")
    db.close()


def make_deep(path, rng):
    """Many levels: small pages, long keys."""
    db = start(path, rng, page_size=512)
    db.execute("begin")
    db.execute("create table t(a, b)")
    rows = ((f"{i * 7919 % 30011:06}" + "k" * rng.randrange(150), i) for i in range(30000))
    db.executemany("insert into t values(?,?)", rows)
    db.execute("create index i on t(a)")
    db.execute("create table w(a primary key, b) without rowid")
    db.execute("insert into w select a, b from t where b % 3 = 0")
    db.execute("commit")
    db.close()


def make_vacuum(path, rng):
    """A megabyte in a database with pointer-map pages."""
    db = start(path, rng, page_size=1024, vacuum=rng.choice([1, 2]))
    db.execute("begin")
    db.execute("create table t(a, b)")
    for i in range(2500):
        db.execute("insert into t values(?,?)", (rng.randbytes(rng.choice([9, 300, 2500])), i))
    db.execute("create index i on t(a)")
    db.execute("commit")
    db.close()


def make_tables(path, rng):
    db = start(path, rng, page_size=rng.choice([512, 1024, 4096]))
    db.execute("begin")
    for i in range(1200):
        db.execute(f"create table t{i}(a{', b unique' if i % 3 == 0 else ''})")
        if i % 4 == 0:
            db.execute(f"insert into t{i}(a) values(?)", (value(rng, 900),))
    for i in range(0, 1200, 7):
        db.execute(f"drop table t{i}")
    db.execute("commit")
    db.close()


def make_schema(path, rng):
    """Rows of sqlite_master around the sizes at which page 1 has no room for them."""
    size = rng.choice(PAGE_SIZES)
    db = start(path, rng, page_size=size, encoding="UTF-8")
    length = rng.choice([size - 200, size - 150, size - 130, size - 110, size * 3, size // 2])
    for i in range(rng.choice([1, 1, 2, 3, 40])):
        db.execute(f"create table t{i}(a /*{'x' * max(1, length - rng.randrange(60))}*/)")
        db.execute(f"insert into t{i} values(?)", (i,))
    db.close()


def make_fit(path, rng):
    """One row of sqlite_master whose length steps over every size near the end of the page."""
    db = start(path, rng, page_size=512, vacuum=rng.choice([0, 1]), encoding="UTF-8")
    db.execute(f"create table t(a /*{'x' * rng.randrange(250, 480)}*/)")
    db.close()


def make_chains(path, rng):
    db = start(path, rng)
    db.execute("create table t(a, b)")
    db.execute("create table w(a primary key, b) without rowid")
    for i in range(12):
        size = rng.choice([400, 479, 505, 1000, 4000, 70000, 400000, 3000000 if i == 0 else 9])
        db.execute("insert into t values(?, ?)", (i, rng.randbytes(size + rng.randrange(9))))
        db.execute("insert into w values(?, ?)", (rng.randbytes(size % 77777), i))
    db.execute("create index i on t(b)")
    db.execute("delete from t where a % 5 = 4")
    db.close()


def make_fill(path, rng):
    """A record count that steps over every way in which a tree can end."""
    db = start(path, rng, page_size=512, encoding="UTF-8")
    db.execute("begin")
    db.execute("create table w(a primary key) without rowid")
    db.execute("create table t(a integer primary key, b)")
    size = rng.choice([3, 40, 90, 100, 110, 300])
    for i in range(rng.randrange(1, 700)):
        db.execute("insert into w values(?)", (f"{i:05}" + "z" * size,))
        db.execute("insert into t values(?, ?)", (i * 1000003, "z" * size))
    db.execute("commit")
    db.close()


def dump(db):
    """Everything that a conversion must keep, as Python values with their types."""
    schema = db.execute("select rowid, type, name, tbl_name, sql, rootpage > 0 from sqlite_master")
    rows = [("schema", [repr(r) for r in schema])]
    tables = db.execute(
        "select name, sql from sqlite_master where type = 'table' and rootpage > 0").fetchall()
    for name, sql in tables:
        quoted = '"' + name.decode().replace('"', '""') + '"'
        columns = "*" if re.search(rb"without\s+rowid\s*$", sql or b"", re.I) else "rowid, *"
        found = db.execute(f"select {columns} from {quoted} not indexed").fetchall()
        rows.append((name, [repr(r) for r in found]))
    return rows


def pragmas(db):
    names = ["user_version", "application_id", "encoding", "auto_vacuum", "schema_version",
             "default_cache_size"]
    return [(n, db.execute(f"pragma {n}").fetchone()) for n in names]


def use(path):
    """Works with the output as an application would: grows, shrinks, vacuums."""
    copy = path + ".used"
    shutil.copy(path, copy)
    db = connect(copy)
    db.execute("create table dbseal_new(a, b unique)")
    db.execute("begin")
    db.executemany("insert into dbseal_new values(?, ?)",
                   ((b"z" * (i % 3000), i) for i in range(400)))
    db.execute("commit")
    db.execute("delete from dbseal_new where b % 2")
    tables = db.execute("select name from sqlite_master where type = 'table' and rootpage > 0 "
                        "and name not like 'sqlite_%' limit 2").fetchall()
    for (name,) in tables:
        db.execute('drop table "' + name.decode().replace('"', '""') + '"')
    db.execute("pragma incremental_vacuum").fetchall()
    found = db.execute("pragma integrity_check").fetchall()
    db.close()
    for end in ["", "-wal", "-shm"]:
        if os.path.exists(copy + end):
            os.remove(copy + end)
    return [] if found == [(b"ok",)] else [f"after use: {found[:3]}"]


def check(source, out, expected):
    page_size, reserve = map(int, re.search(r"@(\d+)-(\d+)\.out$", out).groups())
    data = open(out, "rb").read()
    before = open(source, "rb").read(100)
    wrong = []
    if len(data) % page_size or data[18:20] != before[18:20] or data[20] != reserve:
        wrong.append(f"size {len(data)}, versions {data[18:20]}, reserve {data[20]}")
    if reserve and any(data[i - reserve:i].strip(b"\0")
                       for i in range(page_size, len(data) + 1, page_size)):
        wrong.append("reserve bytes are not zero")
    db = connect(out)
    found = db.execute("pragma integrity_check").fetchall()
    if found != [(b"ok",)]:
        wrong.append(f"integrity_check: {found[:5]}")
    if db.execute("pragma freelist_count").fetchone() != (0,):
        wrong.append("free pages")
    if db.execute("pragma page_size").fetchone() != (page_size,):
        wrong.append("page size")
    if db.execute("pragma page_count").fetchone() != (len(data) // page_size,):
        wrong.append("page count")
    if (pragmas(db), dump(db)) != expected:
        wrong.append("content differs")
    db.close()
    return wrong or use(out)


def main():
    move_pending_byte()
    verb, folder, *rest = sys.argv[1:]
    if verb == "make":
        for kind, seed in zip(rest[::2], rest[1::2]):
            path = os.path.join(folder, f"{kind}-{seed}.db")
            globals()[f"make_{kind}"](path, random.Random(f"{kind}{seed}"))
        return 0
    failures = 0
    for source in sorted(glob.glob(os.path.join(folder, "*.db"))):
        db = connect(source)
        if db.execute("pragma integrity_check").fetchall() != [(b"ok",)]:
            raise SystemExit(f"{source}: the source itself is broken")
        expected = (pragmas(db), dump(db))
        db.close()
        outputs = glob.glob(glob.escape(source[:-3]) + "@*.out")
        if not outputs:
            failures += 1
            print(f"{os.path.basename(source)}: no output")
        for out in sorted(outputs):
            for line in check(source, out, expected):
                failures += 1
                print(f"{os.path.basename(out)}: {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
