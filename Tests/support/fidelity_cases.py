# The schemas and contents that an SQL-level copy loses, changes or fails on. Each is a name and a
# function that makes a plaintext database at a path; some add queries whose answers must survive.
import sqlite3
import subprocess

from support import peers, samples

CASES = {}
QUERIES = {}


def sql(name, script, queries=(), pragmas=(), page_size=4096):
    def make(path):
        connection = sqlite3.connect(path, isolation_level=None)
        peers.equip(connection)
        connection.execute(f"PRAGMA page_size={page_size}")
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        connection.executescript(script)
        connection.close()
    CASES[name], QUERIES[name] = make, queries


def made(function):
    CASES[function.__name__.replace("_", "-")] = function
    QUERIES[function.__name__.replace("_", "-")] = ()
    return function


def schema_row(connection, kind, name, table, root, text):
    connection.execute("PRAGMA writable_schema=ON")
    row = (kind, name, table, root, text)
    connection.execute("INSERT INTO sqlite_master VALUES(?,?,?,?,?)", row)


def edit_schema(connection, table, text):
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET sql=? WHERE name=?", (text, table))


for version in (7, -1, -2147483648, 2147483647):
    sql(f"user-version {version}", f"CREATE TABLE t(a); PRAGMA user_version={version}")
sql("application-id", "CREATE TABLE t(a); PRAGMA application_id=-2")
for mode in ("NONE", "FULL", "INCREMENTAL"):
    sql(f"auto-vacuum {mode}", samples.SAMPLE + "DELETE FROM people WHERE id > 200;",
        pragmas=[f"auto_vacuum={mode}"])
for encoding in ("UTF-8", "UTF-16le", "UTF-16be"):
    sql(f"encoding {encoding}", samples.SAMPLE + "INSERT INTO gaps VALUES('ключ 🔑', 'é');",
        pragmas=[f"encoding='{encoding}'"])
for size in (512, 1024, 8192, 65536):
    sql(f"page-size {size}", samples.SAMPLE, page_size=size)
sql("rowids with gaps", """
    CREATE TABLE t(a); INSERT INTO t(rowid, a) VALUES(-9223372036854775808, 'lowest'), (-5, 'b'),
    (0, 'c'), (7, 'd'), (1000000, 'e'), (9223372036854775807, 'highest');
    CREATE TABLE u(a TEXT PRIMARY KEY); INSERT INTO u(rowid, a) VALUES(10, 'x'), (3, 'y');""")
sql("localized collation", """
    CREATE TABLE t(a TEXT COLLATE LOCALIZED, b); CREATE INDEX i ON t(a COLLATE LOCALIZED, b);
    INSERT INTO t VALUES('b', 1), ('a', 2), ('ä', 3);
    CREATE TABLE w(a TEXT COLLATE LOCALIZED PRIMARY KEY, b) WITHOUT ROWID;
    INSERT INTO w SELECT a, b FROM t;""")
sql("unknown function", """
    CREATE TABLE t(a CHECK(myfn(a) > 0), b DEFAULT 5); CREATE INDEX i ON t(myfn(a));
    CREATE INDEX p ON t(b) WHERE myfn(b) = 5;
    INSERT INTO t(a) VALUES(3), (1), (2);
    CREATE VIEW v AS SELECT myfn(a) FROM t;
    CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT myfn(new.a); END;""")
sql("orphans", """
    PRAGMA foreign_keys=OFF;
    CREATE TABLE a_child(p REFERENCES z_parent(id)); CREATE TABLE z_parent(id INTEGER PRIMARY KEY);
    INSERT INTO a_child VALUES(1), (99); INSERT INTO z_parent VALUES(1);""",
    queries=["PRAGMA foreign_key_check"])
sql("views on missing tables", """
    CREATE TABLE t(a); CREATE VIEW broken AS SELECT * FROM gone;
    CREATE VIEW fine AS SELECT a FROM t;
    INSERT INTO t VALUES(1);
    CREATE TRIGGER g INSTEAD OF INSERT ON fine BEGIN DELETE FROM t; END;""")
sql("triggers with side effects", """
    CREATE TABLE t(a); CREATE TABLE log(a); CREATE TABLE victim(a);
    INSERT INTO victim VALUES(1), (2);
    CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.a); DELETE FROM victim; END;
    CREATE TRIGGER h BEFORE INSERT ON victim BEGIN SELECT RAISE(ABORT, 'no'); END;
    INSERT INTO t VALUES(1); """)
sql("sqlite_sequence", """
    CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t(a) VALUES(1), (2), (3);
    DELETE FROM t WHERE id = 3;""")
sql("empty sqlite_sequence", """
    CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE u(a); DROP TABLE t;""",
    queries=["SELECT count(*) FROM sqlite_sequence"])
sql("stat1", samples.SAMPLE + "ANALYZE;", queries=["SELECT * FROM sqlite_stat1"])
sql("generated columns", """
    CREATE TABLE t(a, b AS (a * 2) STORED, c AS (a + 1), d); CREATE INDEX i ON t(c);
    CREATE UNIQUE INDEX j ON t(b); INSERT INTO t(a, d) VALUES(1, 'x'), (2, 'y'), (3, NULL);""",
    queries=["SELECT a, b, c FROM t WHERE c = 3"])
sql("strict tables", """
    CREATE TABLE t(a INT, b TEXT, c ANY, d REAL, PRIMARY KEY(a)) STRICT;
    INSERT INTO t VALUES(1, 'x', '001', 2), (2, NULL, x'00', 2.5);
    CREATE TABLE w(a TEXT PRIMARY KEY, b ANY) STRICT, WITHOUT ROWID;
    INSERT INTO w VALUES('k', 1);""")
for version in (3, 4):
    sql(f"fts{version}", f"""
        CREATE VIRTUAL TABLE f USING fts{version}(title, body);
        INSERT INTO f VALUES('one', 'the quick brown fox'), ('two', 'lazy dogs sleep');
        INSERT INTO f(title, body) SELECT 'n' || i, 'word' || i FROM
        (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        SELECT i FROM n);
        DELETE FROM f WHERE title = 'n5';""",
        queries=["SELECT rowid, title FROM f WHERE f MATCH 'quick'", "SELECT count(*) FROM f"])
sql("fts4 contentless", """
    CREATE VIRTUAL TABLE f USING fts4(content='', body); INSERT INTO f(docid, body)
    VALUES(7, 'alpha beta'), (9, 'beta');""", queries=["SELECT docid FROM f WHERE f MATCH 'beta'"])
sql("fts5", """
    CREATE VIRTUAL TABLE f USING fts5(title, body, tokenize='porter');
    INSERT INTO f VALUES('one', 'running foxes'), ('two', 'dogs');""",
    queries=["SELECT rowid, title FROM f WHERE f MATCH 'run'"])
sql("fts5 contentless", """
    CREATE VIRTUAL TABLE f USING fts5(body, content=''); INSERT INTO f(rowid, body)
    VALUES(5, 'alpha beta'), (6, 'beta');""", queries=["SELECT rowid FROM f WHERE f MATCH 'beta'"])
sql("fts5 external content", """
    CREATE TABLE docs(id INTEGER PRIMARY KEY, body);
    INSERT INTO docs VALUES(1, 'alpha'), (3, 'beta gamma');
    CREATE VIRTUAL TABLE f USING fts5(body, content='docs', content_rowid='id');
    INSERT INTO f(f) VALUES('rebuild');""",
    queries=["SELECT rowid, body FROM f WHERE f MATCH 'gamma'"])
sql("rtree", """
    CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO r SELECT i, i, i + 1.5, -i, i FROM n;""",
    queries=["SELECT id, x1 FROM r WHERE x0 > 50 AND x1 < 60 ORDER BY id"])
sql("odd names", """
    CREATE TABLE "a'b"("c""q" TEXT, "select", [x y]); CREATE TABLE "select"("rowid", "oid", a);
    CREATE TABLE "we ird-""n"(" " TEXT); CREATE INDEX "i'x" ON "a'b"("c""q");
    CREATE TABLE "таблица"("ключ"); CREATE TABLE ""("" ); CREATE TABLE "sqlite"(a);
    INSERT INTO "a'b" VALUES('v', 1, 2); INSERT INTO "select" VALUES(5, 6, 7);
    INSERT INTO "таблица" VALUES('я');""")
sql("odd bytes", """
    CREATE TABLE t(a, b NUMERIC, c REAL, d TEXT, e BLOB); CREATE INDEX i ON t(a);
    INSERT INTO t(a) VALUES(CAST(x'ff00fe' AS TEXT)), ('a' || char(0) || 'b'), (-0.0), (''), (NULL),
    (zeroblob(0)), (zeroblob(5000)), (9223372036854775807), (-9223372036854775808), (1e308 * 10),
    (-1e308 * 10), (4.9e-324), (0.1), (1.0), (x'00'), (CAST(x'c328' AS TEXT)), (127), (128), (-129),
    (32768), (8388608), (2147483648), (140737488355328);
    INSERT INTO t(b, c, d, e) SELECT a, a, a, a FROM t;""")
sql("added columns", """
    CREATE TABLE t(a); INSERT INTO t VALUES(1), (2);
    ALTER TABLE t ADD COLUMN d DEFAULT 'dflt';
    ALTER TABLE t ADD COLUMN e INTEGER NOT NULL DEFAULT 9;
    INSERT INTO t VALUES(3, NULL, 4);""", queries=["SELECT d, e, count(*) FROM t GROUP BY 1, 2"])
sql("dropped columns", """
    CREATE TABLE t(a, b, c); INSERT INTO t VALUES(1, 2, 3); ALTER TABLE t DROP COLUMN b;""")
sql("overflow", """
    CREATE TABLE t(a TEXT, b BLOB); CREATE INDEX i ON t(a);
    INSERT INTO t VALUES(hex(zeroblob(40000)), zeroblob(3000000)), ('x', zeroblob(1000000)),
    (hex(zeroblob(2000)), NULL);""")
sql("nothing at all", "PRAGMA user_version=0; VACUUM;")
sql("free pages", "PRAGMA secure_delete=OFF;" + samples.SAMPLE + """
    CREATE TABLE big(a); INSERT INTO big SELECT zeroblob(2000) FROM people; DROP TABLE big;""")


@made
def broken_check_and_not_null(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, NULL), (200, 2);")
    edit_schema(connection, "t", "CREATE TABLE t(a CHECK(a > 100), b NOT NULL)")
    connection.close()


@made
def unknown_modules(path):
    samples.plain(path)
    connection = sqlite3.connect(path, isolation_level=None)
    # As an application leaves them: with the tables in which they keep their content.
    for name, module, tokenizer in (("m1", "fts4", "icu zh_CN"),
                                    ("m3", "fts5", "'signal_tokenizer'")):
        create = f"CREATE VIRTUAL TABLE {name} USING {module}(x"
        connection.execute(create + ")")
        connection.execute(f"INSERT INTO {name} VALUES('one two')")
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_master SET sql=? WHERE name=?",
                           (f"{create}, tokenize={tokenizer})", name))
    for name, module in (("m2", "spellfix1"), ("m4", "nowhere(a, 'b')")):
        schema_row(connection, "table", name, name, 0,
                   f"CREATE VIRTUAL TABLE {name} USING {module}")
    connection.close()


@made
def reserved_bytes(path):
    samples.plain(path)
    subprocess.run(["sqlite3", path, ".filectrl reserve_bytes 8", "VACUUM"], check=True,
                   capture_output=True)
    assert path.read_bytes()[20] == 8


@made
def stat4(path):
    # Written by the 4.19 engine over a plaintext file: stock SQLite here is built without STAT4.
    samples.plain(path)
    connection = peers.sqlcipher3.connect(str(path), isolation_level=None)
    connection.execute("ANALYZE")
    assert connection.execute("SELECT count(*) FROM sqlite_stat4").fetchone()[0] > 0
    connection.close()


@made
def ten_thousand_tables(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    for i in range(10000):
        connection.execute(f"CREATE TABLE table_{i}(a INTEGER PRIMARY KEY, b)")
        if i % 7 == 0:
            connection.execute(f"INSERT INTO table_{i}(b) VALUES('row of {i}')")
    connection.execute("COMMIT")
    connection.close()


@made
def wal_mode(path):
    samples.plain(path, pragmas=["journal_mode=WAL"])
    assert path.read_bytes()[18:20] == b"\2\2"
