# Plan: what is in an encrypted database is written nowhere but to the output of decrypt, and a key is
# written nowhere at all. strace gives every byte that any command handed to the system, in any thread:
# - each command, with the biggest sorts, transactions and caches that SQLite would like to put in files,
#   over databases of text in UTF-8 and UTF-16, with a log, and with temporary folders named to it;
# - runs that fail in the middle (full disk, failed sync or rename), that are killed, or that are told
#   wrong keys;
# - a marker in the data, and the key as text, hex, UTF-16, derived and in halves, are in no write to any
#   file, pipe or socket; decrypt and --query write the marker where they should (so it would be seen);
# - no file is made outside of the folder, no memory file, and no file but a -shm is written by a map.
import os
import shutil

import pytest

from support import peers, program
from support.secrets import derived, forms, found, traced

WORDS, NEW = "the words that open it", "and the words after these"
FEW = [("kdf_iter", 1000)]
MARK = "VerySecretContent"
ROWS = 400


def fill(rows, encoding="UTF-8"):
    def run(connection):
        connection.execute("COMMIT")
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("BEGIN")
        connection.executescript(f"""
          CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b BLOB);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
            INSERT INTO t SELECT i, '{MARK}' || (i * 7919 % {rows}) || hex(zeroblob(200)),
              CAST('{MARK}' AS BLOB) FROM n;
          CREATE INDEX t_a ON t(a);""")
    return run


def needles(*databases):
    """Everything that must not be written."""
    wanted = {"marker": MARK.encode(), "marker as UTF-16": MARK.encode("utf-16-le"),
              "marker as UTF-16BE": MARK.encode("utf-16-be"), "marker as hex": MARK.encode().hex().encode()}
    wanted |= forms("key", WORDS) | forms("new key", NEW)
    for path in databases:
        if os.path.exists(path):
            salt = path.read_bytes()[:16]
            for name, words in (("key", WORDS), ("new key", NEW)):
                wanted |= derived(f"{name} of {path.name}", words, salt, 1000)
    return wanted


class Place:
    """A folder with a database, and where temporary files would go."""

    def __init__(self, work, keys, rows=ROWS, encoding="UTF-8", log=False):
        self.work, self.keys = work, keys
        self.db = peers.create_sealed(work / "app.db", WORDS, FEW, fill(rows, encoding))
        if log:
            self._add_log()
        self.tmp = work / "tmp"
        self.tmp.mkdir()
        self.old = ["--key-file", keys.file(WORDS, "old")]
        self.new = ["--new-key-file", keys.file(NEW, "new")]

    def _add_log(self):
        connection = peers.sealed(self.db, WORDS, FEW)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"INSERT INTO t(a) SELECT '{MARK} in the log' || id FROM t")
        saved = {end: open(f"{self.db}{end}", "rb").read() for end in ("", "-wal")}
        connection.close()
        for end, data in saved.items():
            (self.work / f"app.db{end}").write_bytes(data)

    def run(self, *args, exit=0, **more):
        env = {name: str(self.tmp) for name in ("TMPDIR", "SQLITE_TMPDIR", "TMP", "TEMP")}
        trace = traced(self.keys.folder, *args, env=env, cwd=self.work, **more)
        assert exit is None or trace.exit == exit, (trace.exit, trace.err)
        assert os.listdir(self.tmp) == []
        self.look_at_files(trace)
        return trace

    def look_at_files(self, trace):
        for call, path, flags in trace.opens:
            assert call != "memfd_create", path
            if "O_WRONLY" in flags or "O_RDWR" in flags or "O_CREAT" in flags:
                whole = os.path.join(self.work, path)
                assert whole.startswith((str(self.work), "/dev/null")), (path, flags)
        assert [path for path in trace.maps if path and not path.endswith("-shm")] == []

    def silent(self, trace, *databases, allowed=lambda place: False):
        """Nothing secret went anywhere; `allowed` names places for the marker."""
        wanted = needles(self.db, *databases)
        written = trace.written()
        assert written, "strace saw no write"
        for place, data in written.items():
            hits = found(wanted, data)
            if allowed(place):
                assert "marker" in hits or "marker as UTF-16" in hits, place
                hits = [hit for hit in hits if "marker" not in hit]
            assert hits == [], place


@pytest.fixture
def place(work, keys):
    return Place(work, keys)


SOURCE = ["--source-kdf-iter", "1000"]
READ = ["--kdf-iter", "1000"]


def commands(place):
    """Name to arguments, for what reads or writes encrypted databases alone."""
    for end in ("", "-wal"):
        if os.path.exists(f"{place.db}{end}"):
            shutil.copy(f"{place.db}{end}", place.work / f"copy.db{end}")
    (place.work / "sql").mkdir(exist_ok=True)
    (place.work / "sql/1.sql").write_text(
        "CREATE TABLE more AS SELECT * FROM t; CREATE INDEX more_b ON more(b, a);"
        "UPDATE t SET b = a; DELETE FROM more WHERE id % 3 = 0;")
    return {
        "rekey": ["rekey", *SOURCE, *place.old, *place.new, "app.db", "out.db"],
        "rekey in place": ["rekey", *SOURCE, *place.old, *place.new, "--backup", ".old", "app.db"],
        "migrate the format": ["migrate", *SOURCE, *READ, "--page-size", "8192", *place.old, "app.db",
                               "out.db"],
        "migrate a schema": ["migrate", *SOURCE, *place.old, "--schema", "sql", "app.db"],
        "migrate in a dry run": ["migrate", *SOURCE, *place.old, "--schema", "sql", "--dry-run",
                                 "app.db"],
        "verify": ["verify", *READ, *place.old, "--digest", "app.db"],
        "verify against": ["verify", *READ, *place.old, "--against", "copy.db", "--against-kdf-iter",
                           "1000", "app.db"],
        "inspect": ["inspect", *READ, *place.old, "--tables", "app.db"],
        "a query": ["inspect", *READ, *place.old, "--query",
                    "SELECT count(*) FROM (SELECT DISTINCT a, b FROM t ORDER BY b, a)", "app.db"],
    }


NAMES = ["rekey", "rekey in place", "migrate the format", "migrate a schema", "migrate in a dry run",
         "verify", "verify against", "inspect", "a query"]
# An engine of before format 4 migrates no schema of a database of format 4.
SCHEMA = ["migrate a schema", "migrate in a dry run"] if program.engine() >= (4,) else []
NAMES = [name for name in NAMES if "schema" not in name and "dry" not in name] + SCHEMA


@pytest.mark.parametrize("kind", ["UTF-8", "UTF-16le", "log"])
@pytest.mark.parametrize("name", NAMES)
def test_commands(work, keys, name, kind):
    place = Place(work, keys, encoding="UTF-8" if kind == "log" else kind, log=kind == "log")
    trace = place.run(*commands(place)[name])
    place.silent(trace, work / "out.db")


@pytest.mark.parametrize("name", [*SCHEMA, "verify", "a query"])
def test_more_than_a_cache_holds(work, keys, name):
    """Several times the 2 MB of SQLite's page cache: it spills, and sorters would go to files."""
    place = Place(work, keys, rows=6000)
    assert os.path.getsize(place.db) > 5_000_000
    trace = place.run(*commands(place)[name])
    place.silent(trace)


def test_encrypt(place, keys):
    """The source is plaintext by itself; nothing but the encrypted output is made of it."""
    connection = peers.plain(_plain(place))
    connection.close()
    for where in (["plain.db", "out.db"], ["--in-place", "plain.db"]):
        trace = place.run("encrypt", *READ, *place.old, *where)
        place.silent(trace, place.work / "out.db")


def _plain(place):
    import sqlite3
    path = place.work / "plain.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    fill(ROWS)(connection)
    connection.close()
    return path


def test_shred_writes_nothing_but_zeros(place):
    path = _plain(place)
    size = os.path.getsize(path)
    trace = place.run("encrypt", *READ, *place.old, "--shred", "plain.db", "out.db")
    place.silent(trace, place.work / "out.db")
    assert trace.written()[str(path)] == bytes(size)


def test_decrypt_writes_to_its_output_alone(place):
    for where, end in ((["app.db", "out.db"], "/.out.db.dbseal-"), (["--in-place", "app.db"],
                                                                    "/.app.db.dbseal-")):
        trace = place.run("decrypt", *READ, *place.old, *where)
        wanted = [p for p in trace.written() if end in p]
        assert len(wanted) == 1
        place.silent(trace, allowed=lambda p: p in wanted)


def test_a_query_writes_to_standard_output_alone(place):
    trace = place.run("inspect", *READ, *place.old, "--query", "SELECT a FROM t ORDER BY b, a", "app.db")
    out = {path for _, path, number, _ in trace.writes if number == 1}
    place.silent(trace, allowed=lambda p: p in out)


FAILURES = ["pwrite64:error=ENOSPC:when=1", "pwrite64:error=ENOSPC:when=4", "pwrite64:error=EIO:when=2",
            "fsync:error=EIO:when=1", "fsync:error=EIO:when=2", "renameat:error=EIO:when=1",
            "renameat2:error=EIO:when=1", "pwrite64:signal=SIGKILL:when=3",
            "fsync:signal=SIGKILL:when=1", "pwrite64:signal=SIGTERM:when=2"]


@pytest.mark.parametrize("rule", FAILURES)
@pytest.mark.parametrize("name", ["rekey in place", *SCHEMA[:1]])
def test_failures(place, name, rule):
    trace = place.run(*commands(place)[name], exit=None, inject=[rule])
    place.silent(trace)
    for left in os.listdir(place.work):
        if ".dbseal-" in left:
            assert "SIGKILL" in rule
            assert found(needles(place.db), (place.work / left).read_bytes()) == []
            (place.work / left).unlink()


def test_wrong_keys(place, keys):
    """What would open the file is tried in other forms of the key, and told without the key."""
    for words in (WORDS + "\n", f'"{WORDS}"', WORDS.upper(), "x'12"):
        path = keys.file(words.encode() + b"\n", "wrong")
        trace = place.run("verify", *READ, "--key-file", path, "--key-binary", "app.db", exit=None)
        assert trace.exit != 0
        place.silent(trace)


def test_key_files_of_dbseal_itself(place):
    """A generated key goes to its file (or standard output) once, and nowhere else."""
    trace = place.run("key", "generate", "--output", "app.key")
    digits = (place.work / "app.key").read_bytes().strip()
    assert [p for p, data in trace.written().items() if digits in data] == [
        p for p in trace.written() if "/.app.key.dbseal-" in p] != []
    trace = place.run("key", "generate")
    holders = {number for _, _, number, data in trace.writes if trace.out.strip() in data}
    assert holders == {1}


def test_the_needles_would_be_found(place):
    """The same search over files that hold what is looked for."""
    plain = _plain(place).read_bytes()
    assert "marker" in found(needles(place.db), plain)
    assert found(needles(place.db), place.db.read_bytes()) == []
    shutil.copy(program.BIN, place.work / "copy")
    trace = place.run("decrypt", *READ, *place.old, "app.db", "out.db")
    assert "marker" in found(needles(place.db), b"".join(trace.written().values()))
