# Another dbseal works on the same file, or for the same target. Plan:
# - in place beside one that reads: refused with 8, which names it; the reader is not disturbed
# - one that reads beside one in place: refused, or it waits and finds the new file
# - two in place: one after the other, or refused, and the database has the key of the one that won
# - two for one target: the second finds the name taken
import json
import os
import shutil
import signal
import time

import pytest

from support import peers, program, samples
from support.content import content
from support.files import Snapshot
from support.kinds import RAW

from beside import PENDING, is_locked
from test_faults import ALL

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
