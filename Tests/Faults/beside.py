# What the tests of others at work share: the programs that have a database open, the commands to run
# beside them, and how to see what came of it.
import fcntl
import os
import struct
import time

from support import migrations, peers, program
from support.kinds import RAW, key_of, live
from support.others import Holder, Opener, Writer

NEW = "x'" + "0f1e2d3c" * 8 + "'"
MOVE = ("UPDATE money SET sum = sum - 7 WHERE id = 1", "UPDATE money SET sum = sum + 7 WHERE id = 2")
READ = "SELECT count(*) FROM money"
# What each does, and goes on with at the end.
OTHERS = {
    "reader": (("BEGIN", READ), (READ, "COMMIT")),
    "writer": (("BEGIN IMMEDIATE", *MOVE), ("COMMIT",)),
    "exclusive": (("BEGIN EXCLUSIVE", *MOVE), ("COMMIT",)),
    "locker": (("PRAGMA locking_mode=EXCLUSIVE", READ, "BEGIN", *MOVE, "COMMIT"), (READ,)),
    "idle": ((READ,), ("BEGIN", *MOVE, "COMMIT")),
}


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
    if program.engine() < (4,):
        del found["schema"]  # it runs in the engine, which does not open format 4
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
