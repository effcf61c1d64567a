# Folders of migrations, and FMDBMigrationManager's own way of applying and reading them, written
# anew in Python over a peer's connection: BEGIN, the file, the version row, COMMIT.
import hashlib
import re

NAME = re.compile(r"^(\d+)_?((?<=_)[\w\s-]+)?(?<!_)\.sql$")

FIRST = """-- The first tables.
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE log(what TEXT);
CREATE TRIGGER people_log AFTER INSERT ON people BEGIN
  INSERT INTO log VALUES(CASE WHEN new.id > 0 THEN 'a;b' ELSE 'c' END);
  /* a comment; with a semicolon */
END;
INSERT INTO people VALUES(1, 'it''s; one');
"""
SECOND = "ALTER TABLE people ADD COLUMN born TEXT;"
THIRD = "CREATE INDEX people_name ON people(name);\nUPDATE people SET born = '1900' WHERE id = 1;\n"


def folder(path, files=None):
    """Makes a folder of files, by name; three good ones where none are said."""
    path.mkdir(exist_ok=True)
    for name, text in (files or {
            "001_first.sql": FIRST, "2_second.sql": SECOND, "30.sql": THIRD}).items():
        data = text if isinstance(text, bytes) else text.encode()
        (path / name).write_bytes(data)
    return path


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def library_applied(connection):
    """What FMDBMigrationManager's appliedVersions and currentVersion answer."""
    has = connection.execute(
        "SELECT name FROM sqlite_master WHERE type='table' AND name='schema_migrations'").fetchone()
    if not has:
        return [], 0
    rows = sorted(r[0] for r in connection.execute("SELECT version FROM schema_migrations"))
    newest = connection.execute("SELECT MAX(version) FROM schema_migrations").fetchone()[0]
    return rows, newest or 0


def library_migrate(connection, path):
    """What its migrateDatabaseToVersion: does with all files of a folder."""
    if not library_applied(connection)[0]:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations(version INTEGER UNIQUE NOT NULL)")
    applied = library_applied(connection)[0]
    files = sorted((int(NAME.match(p.name).group(1)), p) for p in path.iterdir()
                   if NAME.match(p.name))
    for version, file in files:
        if version in applied:
            continue
        connection.executescript(
            f"BEGIN;{file.read_text()}\n;INSERT INTO schema_migrations(version)"
            f" VALUES({version});COMMIT;")
