# Other programs have the database open while dbseal works on it. Plan, for rollback journals and logs,
# plaintext and encrypted databases (the others are SQLite and SQLCipher 4.19 themselves):
# - a reader in a transaction, a writer with its changes, one that waits for readers to go, an
#   exclusive one, one that keeps its lock, one that is idle, and a process that only has the file open:
#   each command reads the committed state whole, or is refused with 8 and names the process, and
#   nothing changes; who was there goes on as if nothing had been
# - what is refused is waited for with a long --busy-timeout, and what was committed meanwhile counts
# - money moves between rows all the time: every output, and everything that is read, is one moment
import random
import shutil
import time

import pytest

from support import program
from support.files import Snapshot
from support.kinds import KINDS, RAW, key_of, opened
from support.others import Holder, Writer

from beside import at_work, commands, judge, money, sums, words
from test_faults import ALL

MODES = pytest.mark.parametrize("mode", ["DELETE", "WAL"])
# Whether commands that read, conversions in place, and schema migrations are refused under it.
REFUSED = {
    "DELETE": {"reader": (0, 8, 8), "writer": (0, 8, 8), "exclusive": (8, 8, 8), "locker": (8, 8, 8),
               "idle": (0, 8, 0), "opener": (0, 8, 0), "waiting writer": (8, 8, 8)},
    # Readers and the writer do not mind each other there.
    "WAL": {"reader": (0, 8, 0), "writer": (0, 8, 8), "exclusive": (0, 8, 8), "locker": (8, 8, 8),
            "idle": (0, 8, 0), "opener": (0, 8, 0)},
}
CASES = [(mode, other) for mode in REFUSED for other in REFUSED[mode]]


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
