# Signals at random moments of a run, from its first instruction to a little after its end. Plan, for
# every command that writes and the ways of placing its output:
#   1 SIGKILL: the database is the old one, byte for byte, or the new one, as a judge opens it; at most
#     one temporary file is left, and none with a database's name
#   2 the same command again does the work and says what it removed; or finds it done, and says that
#   3 SIGINT and SIGTERM: nothing is left, the old one stands, and the process died of the signal; where
#     the work was done by then, it says so with 0, and the new one is there
# The short form takes a small database and a few rounds. With SOAK_SECONDS the database has 200 MB, and
# the rounds go on so long; the counts are printed. SOAK_SEED repeats the choices, not their moments.
import hashlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import migrations, peers, program, samples

SECONDS = float(os.environ.get("SOAK_SECONDS", "0"))
ROWS = 90_000 if SECONDS else 2_000
SEED = int(os.environ.get("SOAK_SEED", time.time_ns() % 1_000_000 if SECONDS else 1))
OLD = "x'" + "a1b2c3d4" * 8 + "'"
NEW = "x'" + "0f1e2d3c" * 8 + "'"
SQL = "UPDATE t SET n = n + 1 WHERE id % 20 = 0;"
CONTENT = ("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, a BLOB); CREATE INDEX t_n ON t(n);"
           f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})"
           " INSERT INTO t SELECT i, i * 7919 % 100003, randomblob(1500 + i % 1200) FROM n;")
# An engine of before format 4 migrates schemas in format 3.
IS_OLD = program.engine() < (4,)


@dataclass
class Job:
    """A command, what it starts from, and what its success leaves: name to what opens it."""
    name: str
    words: str
    source: str
    after: dict
    # What the same command answers where it was done already.
    again: int = 0
    target: bool = False


JOBS = [
    Job("encrypt to a target", "encrypt {old} {f}/a.db {f}/out.db", "plain",
        {"a.db": "plain", "out.db": "sealed"}, again=7),
    Job("encrypt in place", "encrypt {old} --in-place {f}/a.db", "plain", {"a.db": "sealed"}, again=6),
    Job("encrypt and shred", "encrypt {old} --shred {f}/a.db {f}/out.db", "plain",
        {"out.db": "sealed"}, again=9),
    Job("decrypt over a target", "decrypt {old} --force {f}/a.db {f}/out.db", "sealed",
        {"a.db": "sealed", "out.db": "plain"}, target=True),
    Job("decrypt in place with a backup", "decrypt {old} --in-place --backup .old {f}/a.db", "sealed",
        {"a.db": "plain", "a.db.old": "sealed"}, again=6),
    Job("rekey in place", "rekey {old} {new} {f}/a.db", "sealed", {"a.db": "new"}, again=4),
    Job("rekey to a target", "rekey {old} {new} {f}/a.db {f}/out.db", "sealed",
        {"a.db": "sealed", "out.db": "new"}, again=7),
    Job("migrate in place", "migrate --format 4 {old} {f}/a.db", "format3", {"a.db": "sealed"}),
    Job("migrate a schema", "migrate --schema {sql} {old} {f}/a.db", "format3" if IS_OLD else "sealed",
        {"a.db": "migrated"}),
]
counts = {}


def opened(path, kind):
    """A judge over it."""
    if kind == "plain":
        return peers.plain(path)
    is_old = kind == "format3" or (kind == "migrated" and IS_OLD)
    return peers.sealed(path, NEW if kind == "new" else OLD,
                        [("cipher_compatibility", 3)] if is_old else [])


def digest(connection, sound=True):
    """Of all rows, after a look at the structure."""
    if sound:
        peers.sound(connection)
    found = hashlib.sha256()
    for row in connection.execute("SELECT id, n, a FROM t ORDER BY id"):
        found.update(b"%d %d " % row[:2] + bytes(row[2]))
    connection.close()
    return found.hexdigest()


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """The databases to start from, made by judges, with their bytes' and their contents' sums."""
    folder = tmp_path_factory.mktemp("images")
    samples.plain(folder / "plain", CONTENT)
    for name, pragmas in (("sealed", []), ("format3", [("cipher_compatibility", 3)])):
        connection = peers.sealed(empty(folder / name), OLD, pragmas)
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("ATTACH ? AS source KEY ''", (str(folder / "plain"),))
        connection.execute("SELECT sqlcipher_export('main', 'source')").fetchall()
        connection.close()
    shutil.copy(folder / "plain", folder / "changed")
    peers.change(folder / "changed", SQL)
    contents = {"changed": digest(peers.plain(folder / "changed"))}
    contents["same"] = digest(peers.plain(folder / "plain"))
    for name in ("sealed", "format3"):
        assert digest(opened(folder / name, name)) == contents["same"]
    return folder, {name: checksum(folder / name) for name in ("plain", "sealed", "format3")}, contents


def empty(path):
    path.touch()
    return path


class Place:
    """The folder of one job, which is put in order only where the last run changed it."""

    def __init__(self, job, base, images):
        self.job, self.base, self.folder = job, Path(base), Path(base) / "f"
        self.images, self.sums, self.contents = images
        keys = program.Keys(self.base / "keys")
        places = {
            "f": self.folder, "sql": migrations.folder(self.base / "sql", {"1.sql": SQL}),
            "old": f"--key-file {keys.file(OLD, 'old')}",
            "new": f"--new-key-file {keys.file(NEW, 'new')}"}
        self.args = job.words.format(**places).split()
        self.start = {"a.db": job.source} | ({"out.db": "plain"} if job.target else {})
        self.folder.mkdir()
        self.marks = {}
        # What a run takes.
        self.seconds = 0.0

    def mark(self, name):
        found = os.stat(self.folder / name)
        return found.st_ino, found.st_size, found.st_mtime_ns

    def reset(self):
        for name in os.listdir(self.folder):
            if name not in self.marks or self.mark(name) != self.marks[name]:
                (self.folder / name).unlink()
        for name, image in self.start.items():
            if not (self.folder / name).exists():
                shutil.copy(self.images / image, self.folder / name)
            self.marks[name] = self.mark(name)

    def leftovers(self):
        return {name for name in os.listdir(self.folder) if ".dbseal-" in name}

    def content(self, name, kind, sound=True):
        """What a database holds, read from a copy where opening it would roll back a journal."""
        path = self.folder / name
        if os.path.exists(f"{path}-journal"):
            for suffix in ("", "-journal"):
                shutil.copy(f"{path}{suffix}", self.base / f"copy{suffix}")
            path = self.base / "copy"
        try:
            return digest(opened(path, kind), sound)
        except Exception as error:  # whatever a judge says against it
            return f"{name} does not open: {error}"

    def is_old(self):
        """Whether the databases are those from before; of a migration, what they hold."""
        names = set(os.listdir(self.folder)) - self.leftovers()
        if names == {"a.db", "a.db.old"} and os.path.samefile(*(self.folder / n for n in names)):
            names.remove("a.db.old")  # kept already, and not exchanged yet
        if "migrated" in self.job.after.values():
            return names <= {"a.db", "a.db-journal"} and (
                self.content("a.db", self.job.source) == self.contents["same"])
        return names == set(self.start) and all(
            checksum(self.folder / name) == self.sums[image] for name, image in self.start.items())

    def is_new(self, sound=True):
        """None where all is as after success, else what is not. `sound`: structure and rows."""
        wanted = self.job.after
        names = set(os.listdir(self.folder))
        going = {"a.db"} - set(wanted)
        if names - going != set(wanted):
            return f"the names are {sorted(names)}"
        for name, kind in wanted.items():
            if name == "a.db.old" or (name == "a.db" and "out.db" in wanted):
                if checksum(self.folder / name) != self.sums[kind]:
                    return f"{name} was changed"
                continue
            expected = self.contents["changed" if kind == "migrated" else "same"]
            found = self.content(name, kind, sound)
            if found != expected:
                return f"{name} holds something else: {found}"
        return None

    def strike(self, number, seconds):
        """One round; what came of it. Asserts all that was promised."""
        self.reset()
        process = program.start(*self.args)
        began = time.monotonic()
        try:
            process.wait(timeout=seconds)
            # Quicker than thought.
            self.seconds = (self.seconds + time.monotonic() - began) / 2
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        out, err = process.communicate(timeout=300)
        what = f"{self.job.name}, signal {number} after {seconds:.3f} s (seed {SEED}): {err!r}"
        left = self.leftovers()
        if process.returncode == 0:
            assert not left and self.is_new() is None, f"{what}: {self.is_new()}"
            return "finished before"
        assert process.returncode == -number, f"{what}: exit {process.returncode}"
        if number != signal.SIGKILL:
            assert set(os.listdir(self.folder)) == set(self.start), f"{what}: {left}"
            assert self.is_old(), f"{what}: not as before"
            return f"{number.name}, as before"
        assert len(left) <= 1, f"{what}: {left}"
        is_old = self.is_old()
        if not is_old:
            assert not left and self.is_new() is None, f"{what}: {left}, {self.is_new()}"
        again = program.run(*self.args, timeout=300)
        if is_old or self.job.again == 0:
            found = self.is_new(sound=False)
            assert again.exit == 0 and found is None, f"{what}: then {again}, {found}"
            assert all(name in again.text for name in left), f"{what}: nothing said of {left}"
        else:
            # A source that was going may be there still, whole or overwritten in part.
            going = "a.db" not in self.job.after and (self.folder / "a.db").exists()
            assert again.exit in ((6, 7) if going else (self.job.again,)), f"{what}: then {again}"
            assert self.is_new() is None, f"{what}: then {self.is_new()}"
        return f"killed: {'old' if is_old else 'new'}{', with a temporary file' if left else ''}"

    def measure(self):
        """One run to its end, which is looked at too."""
        self.reset()
        began = time.monotonic()
        done = program.run(*self.args, timeout=300)
        self.seconds = time.monotonic() - began
        assert done.exit == 0 and self.is_new() is None, (done, self.is_new())


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_signals_at_random_moments(job, tmp_path, images):
    chance, place, count = random.Random(f"{SEED} {job.name}"), Place(job, tmp_path, images), Counter()
    place.measure()
    signals = [signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGTERM]
    end = time.monotonic() + SECONDS / len(JOBS)
    rounds = 0
    while rounds < 3 or (SECONDS and time.monotonic() < end):
        count[place.strike(signals[rounds % 5], chance.random() * place.seconds * 1.05)] += 1
        rounds += 1
    print(f"\n{job.name} ({place.seconds:.2f} s): {rounds} rounds: "
          + "; ".join(f"{what} {number}" for what, number in sorted(count.items())))
    shutil.rmtree(place.folder)
