# Other programs that have a database open while dbseal works on it, as processes of their own.
import subprocess
import sys

_OPEN = """
import random, sys, time
if sys.argv[2]:
    import sqlcipher3 as sqlite3
else:
    import sqlite3
c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
if sys.argv[2]: c.execute('PRAGMA key="' + sys.argv[2] + '"')
"""
_HOLD = """
lines = sys.argv[3:]
at = lines.index("")
for line in lines[:at]: c.execute(line).fetchall()
print("ready", flush=True)
if lines[at + 1:2 + at] != ["at once"]: sys.stdin.read()
for line in lines[at + 2:]: c.execute(line).fetchall()
"""
_KEEP = """
import sys
file = open(sys.argv[1], "rb"); print("ready", flush=True); sys.stdin.read()
"""
_WRITE = """
c.execute("PRAGMA synchronous=OFF"); c.execute("PRAGMA wal_autocheckpoint=20")
print("ready", flush=True)
end = time.time() + 60
while time.time() < end:
    a, b, n = random.randrange(200), random.randrange(200), random.randrange(50)
    c.execute("BEGIN IMMEDIATE")
    c.execute("UPDATE money SET sum = sum - ? WHERE id = ?", (n, a))
    c.execute("UPDATE money SET sum = sum + ?, note = hex(randomblob(500)) WHERE id = ?", (n, b))
    c.execute("COMMIT")
    time.sleep(0.001)
"""


class _Program:
    """A process of its own, while the block runs."""

    def __init__(self, code, path, key, *words):
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, path, key or "", *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n"
        return self.process

    def __exit__(self, *_):
        if self.process.stdin:
            self.process.communicate(b"")


class Opener(_Program):
    """Has a file open and does nothing with it."""

    def __init__(self, path):
        super().__init__(_KEEP, path, None)


class Holder(_Program):
    """Holds a lock on a database by what `statements` left open. When the block ends, or `at_once` (and
    then it may have to wait), it goes on with `then`, and nothing may have come in its way."""

    def __init__(self, path, key=None, statements=("BEGIN EXCLUSIVE", "CREATE TABLE held(a)"),
                 then=(), at_once=False):
        super().__init__(_OPEN + _HOLD, path, key, *statements, "", "at once" if at_once else "wait",
                         *then)

    def __exit__(self, failure, *_):
        super().__exit__()
        assert failure or self.process.wait(90) == 0, "it was disturbed"


class Writer(_Program):
    """Moves money between the 200 rows of `MONEY`, whose sum stays, all the time."""

    MONEY = ("CREATE TABLE money(id INTEGER PRIMARY KEY, sum INTEGER, note TEXT);"
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)"
             " INSERT INTO money SELECT i, 100, hex(zeroblob(500)) FROM n;")
    SUM = (20000, 200)

    def __init__(self, path, key=None):
        super().__init__(_OPEN + _WRITE, path, key)

    def __exit__(self, failure, *_):
        disturbed = self.process.poll() is not None
        self.process.terminate()
        self.process.communicate()
        assert failure or not disturbed, "the writer was disturbed"
