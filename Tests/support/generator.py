# Random databases, each made whole from one seed: page size, encoding, auto_vacuum, reserved
# bytes, tables with and without rowid, indexes, values of every kind and length, deletions, free
# pages, deep trees. The same seed makes the same content.
import ctypes
import random
import sqlite3

import apsw

PAGE_SIZES = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)


class Generator:
    """One random database."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.page_size = self.random.choice(PAGE_SIZES)
        # Mostly small ones, so that there can be many; now and then one with depth.
        self.budget = self.random.choice((0, 3, 30, 30, 100, 300, 1000, 5000))
        # Bytes of text and blobs that may still be made.
        self.bytes = self.random.choice((100_000, 500_000, 5_000_000))

    def make(self, path):
        pick = self.random
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA page_size={self.page_size}")
        connection.execute(f"PRAGMA auto_vacuum={pick.choice((0, 0, 1, 2))}")
        connection.execute(f"PRAGMA encoding='{pick.choice(('UTF-8', 'UTF-16le', 'UTF-16be'))}'")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(f"PRAGMA secure_delete={pick.choice((0, 1))}")
        connection.execute("BEGIN")
        connection.execute(f"PRAGMA user_version={pick.randint(-2**31, 2**31 - 1)}")
        connection.execute(f"PRAGMA application_id={pick.randint(-2**31, 2**31 - 1)}")
        tables = pick.choice((0, 1, 2, 3, 5, 40))
        for number in range(tables):
            self.table(connection, f"t{number}", self.budget // max(tables, 1))
        connection.execute("COMMIT")
        if tables and pick.random() < 0.2:
            connection.execute(f"DROP TABLE t{pick.randrange(tables)}")
        if pick.random() < 0.1:
            connection.execute("ANALYZE")
        if pick.random() < 0.1:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.close()
        if pick.random() < 0.15:
            self.reserve(path)
        return path

    def reserve(self, path):
        """Rebuilds the file with reserved bytes at the end of every page."""
        count = self.random.choice((1, 8, 16, 32)) if self.page_size == 512 else \
            self.random.randint(1, 200)
        connection = apsw.Connection(str(path))
        value = ctypes.c_int(count)
        connection.file_control("main", 38, ctypes.addressof(value))
        connection.execute("VACUUM")
        connection.close()

    def table(self, connection, name, rows):
        pick = self.random
        count = pick.randint(1, 6)
        columns = [f"c{i}" for i in range(count)]
        kind = pick.choice(("rowid", "rowid", "integer", "text", "without", "without"))
        if kind == "rowid":
            body = ", ".join(columns)
        elif kind == "integer":
            body = ", ".join(["c0 INTEGER PRIMARY KEY"] + columns[1:])
        elif kind == "text":
            body = ", ".join(columns) + ", UNIQUE(c0)"
        else:
            key = pick.sample(columns, pick.randint(1, count))
            body = ", ".join(columns) + f", PRIMARY KEY({', '.join(key)})"
        connection.execute(f"CREATE TABLE {name}({body})" +
                           (" WITHOUT ROWID" if kind == "without" else ""))
        early = pick.random() < 0.5
        if early:
            self.indexes(connection, name, columns)
        marks = ", ".join("?" * count)
        for _ in range(rows):
            values = [self.value() for _ in columns]
            if kind == "integer":
                values[0] = pick.choice((None, pick.randint(-2**40, 2**40)))
            if kind == "rowid" and pick.random() < 0.1:
                connection.execute(
                    f"INSERT OR IGNORE INTO {name}(rowid, {', '.join(columns)}) "
                    f"VALUES(?, {marks})", [pick.randint(-2**62, 2**62)] + values)
            else:
                connection.execute(f"INSERT OR IGNORE INTO {name} VALUES({marks})", values)
        if not early:
            self.indexes(connection, name, columns)
        if pick.random() < 0.3:
            connection.execute(
                f"DELETE FROM {name} WHERE abs(length(c0)) % {pick.randint(1, 4)} = 0")

    def indexes(self, connection, name, columns):
        for number in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            parts = self.random.sample(columns, self.random.randint(1, len(columns)))
            words = [p + self.random.choice(("", " DESC", " COLLATE NOCASE")) for p in parts]
            where = self.random.choice(("", "", f" WHERE {parts[0]} IS NOT NULL"))
            connection.execute(
                f"CREATE INDEX {name}_i{number} ON {name}({', '.join(words)}){where}")

    def value(self):
        pick = self.random
        kind = pick.randrange(9)
        if kind == 0:
            return None
        if kind in (1, 2):
            bits = pick.randrange(64)
            return pick.randint(-2**bits, 2**bits - 1)
        if kind == 3:
            return pick.choice((0.0, -0.0, 0.5, 1e300, pick.random(), float(pick.randrange(1000))))
        length = self.length() if self.bytes > 0 else pick.randrange(12)
        self.bytes -= length
        if kind in (4, 5, 6):
            return "".join(pick.choices("abcdefghij é漢🔑", k=length))
        return pick.randbytes(length)

    def length(self):
        pick = self.random
        # Around a page's size the local part of a payload ends: these lengths find off-by-ones.
        near = max(0, int(self.page_size * pick.choice((0.125, 0.25, 1, 1, 2))) +
                   pick.randint(-60, 60))
        return pick.choices(
            (pick.randrange(12), pick.randrange(200), near, pick.randrange(20000),
             pick.randrange(300000)), weights=(50, 30, 12, 2, 0.1))[0]
