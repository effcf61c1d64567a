# Plan: permissions, limits, signals. (Disks that are full, and others at work: Tests/Faults.)
# - io (9): an ordinary user who may not read, or not write; a limit on the size of files;
# - read-only folders and files are no obstacle for a source;
# - SIGINT and SIGTERM in the middle leave nothing and are what the program dies of; SIGKILL leaves
#   the old files whole, and the next run removes what it left.
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support import peers, program, samples
from support.files import Snapshot
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"


# An ordinary user: nobody where the tests run as root, and else whoever runs them.
NOBODY = "65534" if os.getuid() == 0 else None


@pytest.fixture
def public():
    """A folder that everyone can reach, with the binary in it, and key files for nobody."""
    with tempfile.TemporaryDirectory(prefix="dbseal-test-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        shutil.copy(program.BIN, folder / "program")
        (folder / "program").chmod(0o755)
        (folder / "key").write_text(RAW)
        (folder / "key").chmod(0o600)
        (folder / "db").mkdir()
        (folder / "out").mkdir()
        (folder / "out").chmod(0o777)
        if NOBODY:
            os.chown(folder / "key", int(NOBODY), int(NOBODY))
        yield folder
        for path in (folder / "db", folder / "out"):
            path.chmod(0o777)


def as_nobody(public):
    return {"user": NOBODY, "binary": public / "program", "cwd": public}


def test_a_source_that_may_not_be_read(public):
    samples.plain(public / "db/a.db")
    (public / "db/a.db").chmod(0)
    refuse(public / "out", "io", "encrypt", "db/a.db", "out/a.db", "--key-file", "key",
           **as_nobody(public))


def test_a_folder_that_may_not_be_written(public):
    samples.plain(public / "db/a.db")
    (public / "db").chmod(0o555)
    refuse(public / "db", "io", "encrypt", "db/a.db", "db/b.db", "--key-file", "key",
           **as_nobody(public))
    refuse(public / "db", "io", "encrypt", "--in-place", "db/a.db", "--key-file", "key",
           **as_nobody(public))


def test_shredding_is_not_begun_where_the_source_cannot_be_removed(public):
    samples.plain(public / "db/a.db")
    (public / "db/a.db").chmod(0o666)
    (public / "db").chmod(0o555)
    before = Snapshot(public / "db")
    refuse(public / "out", "io", "encrypt", "--shred", "db/a.db", "out/a.db", "--key-file", "key",
           **as_nobody(public))
    before.unchanged()


@pytest.mark.parametrize("log", [False, True], ids=["no log", "log"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_read_only_folder_is_no_obstacle_for_a_source(public, command, log):
    path = public / "db/a.db"
    if command == "encrypt":
        samples.plain(path)
        connection = peers.plain(path)
    else:
        peers.create_sealed(path, RAW, [], samples.fill)
        connection = peers.sealed(path, RAW)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO gaps VALUES('from the log', 1)")
    saved = {s: Path(f"{path}{s}").read_bytes() for s in ("", "-wal")}
    connection.close()
    if log:
        for suffix, data in saved.items():
            Path(f"{path}{suffix}").write_bytes(data)
    for name in os.listdir(public / "db"):
        (public / "db" / name).chmod(0o444)
    (public / "db").chmod(0o555)
    before = Snapshot(public / "db")
    program.ok(command, "db/a.db", "out/a.db", "--key-file", "key", **as_nobody(public))
    before.unchanged()
    if NOBODY:
        os.chown(public / "out/a.db", 0, 0)
    judge = (peers.sealed(public / "out/a.db", RAW) if command == "encrypt"
             else peers.plain(public / "out/a.db"))
    assert judge.execute("SELECT b FROM gaps WHERE a='from the log'").fetchall() == [(1,)]


def test_a_size_limit_is_an_io_error(work, keys):
    samples.plain(work / "big.db", "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(5000000));")
    before = Snapshot(work)
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", program.BIN, "encrypt", "big.db", "out.db",
         "--key-file", keys.raw()], cwd=work, capture_output=True, env=program.clean_env())
    assert done.returncode == 9, done
    before.unchanged()


def test_a_closed_standard_output_loses_nothing(work, keys, source):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", program.BIN, "encrypt", source, work / "out.db",
         "--key-file", keys.raw()], capture_output=True, env=program.clean_env())
    assert done.returncode in (0, 9), done
    if done.returncode == 0:
        peers.sound(peers.sealed(work / "out.db", RAW))
    assert [n for n in os.listdir(work) if n.startswith(".")] == []


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A plaintext database of 200 MB: a conversion takes long enough to be interrupted."""
    path = tmp_path_factory.mktemp("large") / "large.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; CREATE TABLE t(a); "
        "BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) "
        "INSERT INTO t SELECT zeroblob(4000000) FROM n; COMMIT;")
    connection.close()
    return path


def interrupted(folder, with_signal, *args):
    """Starts a run, waits for its temporary file to grow, sends the signal; the exit status."""
    process = program.start(*args)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        names = [n for n in os.listdir(folder) if ".dbseal-" in n]
        if names and os.path.getsize(folder / names[0]) > 0:
            break
        time.sleep(0.001)
    process.send_signal(with_signal)
    out, err = process.communicate(timeout=60)
    program.no_secret(out, err)
    return process.returncode


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
@pytest.mark.parametrize("how", ["target", "in place"])
def test_a_signal_leaves_nothing_and_is_died_of(work, keys, large, sent, how):
    shutil.copy2(large, work / "a.db")
    before = Snapshot(work)
    where = [work / "a.db", work / "out.db"] if how == "target" else ["--in-place", work / "a.db"]
    status = interrupted(work, sent, "encrypt", *where, "--key-file", keys.raw())
    assert status == -sent
    before.unchanged()


def test_a_kill_leaves_the_old_file_whole_and_the_next_run_cleans_up(work, keys, large):
    shutil.copy2(large, work / "a.db")
    before = Snapshot(work)
    args = ["encrypt", "--in-place", work / "a.db", "--key-file", keys.raw()]
    assert interrupted(work, signal.SIGKILL, *args) == -signal.SIGKILL
    left = [n for n in os.listdir(work) if ".dbseal-" in n]
    before.unchanged(ignore=left)
    assert len(left) == 1 and (work / left[0]).stat().st_mode & 0o777 == 0o600
    found = program.ok(*args)
    assert os.listdir(work) == ["a.db"]
    assert left[0] in str(found["notes"]), found
    peers.sound(peers.sealed(work / "a.db", RAW))
