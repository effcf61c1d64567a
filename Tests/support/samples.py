# Databases that tests start from. `SAMPLE` is SQL that every engine from 3.15 understands, without
# randomness, so that each peer makes the same content.
import sqlite3

SAMPLE = """
CREATE TABLE people(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, mark REAL, doc BLOB);
CREATE INDEX people_name ON people(name, mark DESC);
CREATE TABLE gaps(a, b);
CREATE TABLE pairs(k TEXT, v TEXT, PRIMARY KEY(k, v)) WITHOUT ROWID;
CREATE VIEW names AS SELECT name FROM people;
CREATE TABLE log(what TEXT);
CREATE TRIGGER people_log AFTER INSERT ON people BEGIN
  INSERT INTO log VALUES('new ' || new.id); END;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
  INSERT INTO people(name, mark, doc)
  SELECT 'person ' || (i * 7919 % 1000), i / 3.0, CASE WHEN i % 10 = 0
    THEN CAST(replace(hex(zeroblob(i * 20)), '00', char(65 + i % 26)) AS BLOB) END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO gaps(rowid, a, b) SELECT i * 3 - 100, i, hex(i * 31) FROM n;
INSERT INTO gaps VALUES(NULL, ''), (x'', 'é'), (9223372036854775807, -1e300);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
  INSERT INTO pairs SELECT 'k' || (i % 17), 'v' || i FROM n;
DELETE FROM people WHERE id % 11 = 0;
PRAGMA user_version = -7;
PRAGMA application_id = 252006673;
"""

# Parents and children, three tables deep.
FAMILY = """
CREATE TABLE parent(id INTEGER PRIMARY KEY, a TEXT);
CREATE TABLE child(p REFERENCES parent(id), q REFERENCES other(x));
CREATE TABLE other(x TEXT PRIMARY KEY, y);
CREATE INDEX child_p ON child(p);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
  INSERT INTO parent SELECT i, 'a' || i FROM n;
INSERT INTO other SELECT 'x' || id, id FROM parent;
INSERT INTO child SELECT id, 'x' || id FROM parent;
"""

# Makes a schema of the sample that no engine of today understands.
FUTURE = ["PRAGMA writable_schema = ON",
          "UPDATE sqlite_master SET sql = 'CREATE TABLE gaps(a, b) FROM THE FUTURE'"
          " WHERE name = 'gaps'"]


def plain(path, script=SAMPLE, page_size=4096, pragmas=()):
    """Makes a plaintext database with stock SQLite."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size={page_size}")
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA synchronous=OFF")
    connection.executescript("BEGIN;" + script + "COMMIT;" if "VACUUM" not in script else script)
    connection.close()
    return path


def with_log(path):
    """A plaintext database with committed rows in its log, and nobody who has it open."""
    plain(path, pragmas=["journal_mode=WAL"])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO gaps VALUES('from the log', 1)")
    places = [path, path.with_name(path.name + "-wal")]
    saved = [place.read_bytes() for place in places]
    connection.close()
    for place, data in zip(places, saved):
        place.write_bytes(data)
    return path


def fill(connection):
    """Puts the sample into any open database, whatever its engine."""
    connection.executescript(SAMPLE)
