# Other programs have the database open while dbseal works on it. Plan, for rollback journals and logs,
# plaintext and encrypted databases (the others are SQLite and SQLCipher 4.19 themselves):
# - a reader in a transaction, a writer with its changes, one that waits for readers to go, an
#   exclusive one, one that keeps its lock, one that is idle, and a process that only has the file open:
#   each command reads the committed state whole, or is refused with 8 and names the process, and
#   nothing changes; who was there goes on as if nothing had been
# - what is refused is waited for with a long --busy-timeout, and what was committed meanwhile counts
# - another dbseal on the same file or for the same target: one after the other, or refused
# - money moves between rows all the time: every output, and everything that is read, is one moment
import fcntl
import json
import os
import random
import shutil
import signal
import struct
import time

import pytest

from support import migrations, peers, program, samples
from support.content import content
from support.files import Snapshot
from support.kinds import KINDS, RAW, key_of, live, opened
from support.others import Holder, Opener, Writer

from test_faults import ALL

NEW = "x'" + "0f1e2d3c" * 8 + "'"
MODES = pytest.mark.parametrize("mode", ["DELETE", "WAL"])
MOVE = ("UPDATE money SET sum = sum - 7 WHERE id = 1", "UPDATE money SET sum = sum + 7 WHERE id = 2")
READ = "SELECT count(*) FROM money"
# What each does, and goes on with at the end; None: the money has moved then.
OTHERS = {
    "reader": (("BEGIN", READ), (READ, "COMMIT")),
    "writer": (("BEGIN IMMEDIATE", *MOVE), ("COMMIT",)),
    "exclusive": (("BEGIN EXCLUSIVE", *MOVE), ("COMMIT",)),
    "locker": (("PRAGMA locking_mode=EXCLUSIVE", READ, "BEGIN", *MOVE, "COMMIT"), (READ,)),
    "idle": ((READ,), ("BEGIN", *MOVE, "COMMIT")),
}
# Whether commands that read, conversions in place, and schema migrations are refused under it.
REFUSED = {
    "DELETE": {"reader": (0, 8, 8), "writer": (0, 8, 8), "exclusive": (8, 8, 8), "locker": (8, 8, 8),
               "idle": (0, 8, 0), "opener": (0, 8, 0), "waiting writer": (8, 8, 8)},
    # Readers and the writer do not mind each other there.
    "WAL": {"reader": (0, 8, 0), "writer": (0, 8, 8), "exclusive": (0, 8, 8), "locker": (8, 8, 8),
            "idle": (0, 8, 0), "opener": (0, 8, 0)},
}
CASES = [(mode, other) for mode in REFUSED for other in REFUSED[mode]]


def commands(kind, keys):
    """What can be done with such a database: name to whether it reads (0), works in place (1) or
    migrates the schema (2), the words, and what opens its output."""
    key = ["--key-file", keys.file(RAW)]
    files = migrations.folder(keys.folder / "sql", {"1.sql": "CREATE TABLE extra(a);"})
    found = {
        "verify": (0, ["verify"], None),
        "inspect": (0, ["inspect", "--tables"], None),
        "query": (0, ["inspect", "--query", "SELECT sum(sum) FROM money"], None),
        "schema": (2, ["migrate", "--schema", files], None),
    }
    if kind == "plain":
        found |= {"encrypt": (0, ["encrypt", *key], RAW), "in place": (1, ["encrypt", *key], RAW)}
        return found
    new = ["--new-key-file", keys.file(NEW, "new")]
    found = {name: (sort, [*words, *key], out) for name, (sort, words, out) in found.items()}
    return found | {
        "decrypt": (0, ["decrypt", *key], None), "rekey": (0, ["rekey", *key, *new], NEW),
        "migrate": (0, ["migrate", "--format", "3", *key], RAW),
        "in place": (1, ["rekey", *key, *new], NEW),
    }


def words(name, command, path, target):
    """The whole command line, and whether there will be an output."""
    sort, args, _ = command
    if sort == 1:
        return [*args, "--in-place", path], True
    makes = name in ("encrypt", "decrypt", "rekey", "migrate")
    return [*args, path, *([target] if makes else [])], makes


def judge(path, key, name=""):
    if key is None:
        return peers.plain(path)
    return peers.sealed(path, key, [("cipher_compatibility", 3)] if name == "migrate" else [])


def sums(connection):
    """All the money, and how much of it is in row 1."""
    peers.sound(connection)
    found = connection.execute("SELECT sum(sum), count(*) FROM money").fetchone()
    first = connection.execute("SELECT sum FROM money WHERE id = 1").fetchone()[0]
    connection.close()
    return found, first


def money(path, kind, mode):
    connection = live(path, kind, mode)
    connection.executescript(Writer.MONEY)
    connection.close()
    return path


def is_locked(path, start, pid=None):
    """Whether somebody else holds a lock on that byte; `pid`: that one."""
    with open(path, "rb+") as file:
        question = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, start, 1, 0)
        answer = struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_GETLK, question)[:28])
    return answer[0] != fcntl.F_UNLCK and pid in (None, answer[4])


PENDING = 0x40000000


class WaitingWriter:
    """A writer whose commit waits for a reader: newcomers have to wait behind it."""

    def __init__(self, path, key):
        self.path, self.key = path, key
        self.reader = Holder(path, key, *OTHERS["reader"])

    def __enter__(self):
        self.reader.__enter__()
        self.writer = Holder(self.path, self.key, *OTHERS["writer"], at_once=True)
        process = self.writer.__enter__()
        while not is_locked(self.path, PENDING):
            assert process.poll() is None, "it did not have to wait"
            time.sleep(0.01)
        return process

    def __exit__(self, *error):
        self.reader.__exit__(*error)
        self.writer.__exit__(*error)


def at_work(other, path, kind):
    if other == "opener":
        return Opener(path)
    if other == "waiting writer":
        return WaitingWriter(path, key_of(kind))
    return Holder(path, key_of(kind), *OTHERS[other])


@KINDS
@pytest.mark.parametrize("mode, other", CASES)
def test_each_command_beside_each_program(work, keys, kind, mode, other):
    path = money(work / "a.db", kind, mode)
    with at_work(other, path, kind) as process:
        # What changes the database comes last.
        for name, command in sorted(commands(kind, keys).items(), key=lambda item: item[1][0] == 2):
            sort, _, key = command
            args, makes = words(name, command, path, work / "out.db")
            before = Snapshot(work)
            result = program.run(args[0], "--json", "--busy-timeout", "0.05", *args[1:])
            expected = REFUSED[mode][other][sort]
            assert result.exit == expected, (name, result)
            if expected == 8:
                # With a log, a look at who is there touches the index, as every reader does.
                before.unchanged(ignore=["a.db-shm"])
                holders = [holder["pid"] for holder in result.json["holders"]]
                assert process.pid in holders, (name, result)
            elif makes:
                before.unchanged(new=["out.db"], ignore=["a.db-shm"])
                found = sums(judge(work / "out.db", key, name))
                assert found[0] == Writer.SUM
                # Not what is not committed; the one that keeps its lock has committed.
                assert found[1] == (93 if other == "locker" else 100), (name, found)
                (work / "out.db").unlink()
            elif name == "query":
                assert result.json["rows"] == [[Writer.SUM[0]]], result
    # Who was there has gone on.
    assert sums(opened(path, kind)) == (Writer.SUM, 100 if other in ("reader", "opener") else 93)


@KINDS
@pytest.mark.parametrize("mode, other", [
    case for case in CASES if case[1] not in ("idle", "opener") and max(REFUSED[case[0]][case[1]])])
def test_what_is_refused_is_waited_for(work, keys, kind, mode, other):
    for name, command in commands(kind, keys).items():
        sort, _, key = command
        if REFUSED[mode][other][sort] == 0 or not (ALL or name in ("verify", "schema", "in place")):
            continue
        path = money(work / "a.db", kind, mode)
        args, makes = words(name, command, path, work / "out.db")
        # In place nothing waits for a process that has the file open, which it may never close; with
        # --force it waits for the lock alone.
        force = ["--force"] if sort == 1 else []
        with at_work(other, path, kind):
            running = program.start(args[0], "--busy-timeout", "60", *force, *args[1:])
            time.sleep(0.15)
            assert running.poll() is None, (name, running.communicate())
        out, err = running.communicate(timeout=60)
        assert running.returncode == 0, (name, out, err)
        output = work / "out.db" if makes and sort == 0 else path
        found = sums(judge(output, key, name) if makes else opened(path, kind))
        assert found == (Writer.SUM, 100 if other == "reader" else 93), (name, found)
        for path in work.iterdir():
            path.unlink()


@pytest.mark.parametrize("key", [RAW, "wrong words"], ids=["right key", "wrong key"])
def test_a_lock_is_no_wrong_key(work, keys, key):
    path = money(work / "a.db", "sealed", "DELETE")
    with Holder(path, RAW):
        result = program.run("decrypt", "--json", "--busy-timeout", "0", path, work / "out.db",
                             "--key-file", keys.file(key))
        assert result.exit == 8 and "--busy-timeout" in result.json["hint"], result


# Another dbseal.

BULK = samples.SAMPLE + "CREATE TABLE bulk AS SELECT randomblob(60000000) AS b;"
SHARED = PENDING + 2


@pytest.fixture(scope="module")
def bulky(tmp_path_factory):
    path = samples.plain(tmp_path_factory.mktemp("bulky") / "bulky.db", BULK)
    return path


def stopped(path, *args):
    """A dbseal that holds its lock on `path`, and does not get on until it is sent SIGCONT."""
    for _ in range(20):
        process = program.start(*args)
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if is_locked(path, SHARED):
                return process
            process.send_signal(signal.SIGCONT)
            time.sleep(0.002)
        process.communicate()
    raise AssertionError("it was always done before")


def test_in_place_beside_a_run_that_reads(work, keys, bulky):
    path = shutil.copy(bulky, work / "a.db")
    before = Snapshot(work)
    reading = stopped(path, "verify", "--json", path)
    result = program.run("encrypt", "--json", "--in-place", "--busy-timeout", "0.2", "--key-file",
                         keys.raw(), path)
    reading.send_signal(signal.SIGCONT)
    out, _ = reading.communicate(timeout=60)
    assert result.exit == 8, result
    assert (reading.pid, "dbseal") in [(h["pid"], h["name"]) for h in result.json["holders"]]
    assert reading.returncode == 0 and json.loads(out)["ok"]
    before.unchanged()


def test_a_run_that_reads_beside_one_in_place(work, keys, bulky):
    path = shutil.copy(bulky, work / "a.db")
    changing = stopped(path, "encrypt", "--in-place", "--key-file", keys.raw(), path)
    refused = program.run("verify", "--json", "--busy-timeout", "0.2", path)
    assert refused.exit == 8 and refused.json["holders"][0]["pid"] == changing.pid, refused
    waiting = program.start("verify", "--json", "--busy-timeout", "60", "--key-file", keys.raw(), path)
    changing.send_signal(signal.SIGCONT)
    changing.communicate(timeout=60)
    assert changing.returncode == 0
    out, _ = waiting.communicate(timeout=60)
    # It came for a plaintext database and finds an encrypted one; or it came too late for that.
    assert waiting.returncode in (0, 6, 8), out
    assert os.listdir(work) == ["a.db"]
    assert program.run("verify", "--key-file", keys.raw(), path).exit == 0


def test_two_rekeys_of_one_database(work, keys):
    """Whoever is second waits for nothing: it is refused, or finds the other's key in use."""
    path, seen = work / "a.db", set()
    old = ["--key-file", keys.raw("a1b2c3d4" * 8)]
    new = [(f"{n:02x}" * 32) for n in (1, 2)]
    for force in ([], ["--force"]) * (10 if ALL else 2):
        peers.create_sealed(path, RAW, [], lambda c: c.executescript(
            samples.SAMPLE + "CREATE TABLE bulk AS SELECT randomblob(2000000) AS b;"))
        before = content(peers.sealed(path, RAW))
        running = [program.start("rekey", *force, *old, "--new-key-file", keys.raw(digits, digits[:4]),
                                 path) for digits in new]
        for process in running:
            process.communicate(timeout=60)
        exits = [process.returncode for process in running]
        seen.add(tuple(sorted(exits)))
        assert sorted(exits) in ([0, 4], [0, 8]), exits
        assert os.listdir(work) == ["a.db"]
        judge = peers.sealed(path, f"x'{new[exits.index(0)]}'")
        assert content(judge) == before
        judge.close()
        path.unlink()
    print(f"two rekeys: {seen}")


def test_two_runs_for_one_target(work, keys, bulky):
    target = work / "out.db"
    for _ in range(10 if ALL else 2):
        running = [program.start("encrypt", "--key-file", keys.raw(), bulky, target) for _ in "12"]
        exits = sorted(process.communicate(timeout=60) and process.returncode for process in running)
        assert exits == [0, 7] and os.listdir(work) == ["out.db"], exits
        target.unlink()


# Money that moves.

@KINDS
@MODES
def test_everything_that_is_read_is_one_moment(work, keys, tmp_path, kind, mode):
    path = money(tmp_path / "live.db", kind, mode)
    chance, count = random.Random(7), 0
    shutil.copy(path, tmp_path / "still.db")
    reading = {name: command for name, command in commands(kind, keys).items() if command[0] == 0}
    reading["digest"] = (0, [*reading["verify"][1], "--digest"], None)
    reading["against"] = (0, [*reading["verify"][1], "--against", tmp_path / "still.db"], None)
    if kind == "sealed":
        reading["exact"] = (0, [*reading["decrypt"][1], "--exact"], None)
    with Writer(path, key_of(kind)):
        for name, command in list(reading.items()) * (20 if ALL else 3):
            args, makes = words(name, command, path, work / "out.db")
            if name == "exact":
                args, makes = [*args, work / "out.db"], True
            time.sleep(chance.random() * 0.03)  # at another place of its doings
            result = program.run(args[0], "--json", "--busy-timeout", "60", *args[1:])
            count += 1
            if name == "against":
                # Money has moved since the copy, and nothing else differs.
                assert result.exit in (0, 1) and "people" not in result.json["message"], result
                continue
            assert result.exit == 0, (name, result)
            if name == "query":
                assert result.json["rows"] == [[Writer.SUM[0]]], result
            if makes:
                assert sums(judge(work / "out.db", command[2], name))[0] == Writer.SUM, name
                (work / "out.db").unlink()
    print(f"{kind}, {mode}: {count} readings under a writer")
    assert sums(opened(path, kind))[0] == Writer.SUM
