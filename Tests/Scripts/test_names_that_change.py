# Plan: a name that means another file by the time that the work is done.
# - a newer file that took the source's name during a conversion in place, or with --shred, or the
#   name of a TARGET with --force, is nobody's to destroy: locked (8), and it stands as it was;
# - a second run that waited for the first one's lock works on what the first one made;
# - an output never gets the name of a companion of a database that is there, nor two outputs of
#   one run such names;
# - a source that cannot be removed after success: io (9), which says that the output is complete;
# - a backup that a killed run left half-made is no obstacle; a file size limit is no crash.
import os
import resource
import shutil
import subprocess
import time

import pytest

from support import peers, program, samples
from support.refusal import refuse

OLD, NEW, THIRD = "a1b2c3d4" * 8, "0123456789abcdef" * 4, "89abcdef" * 8
BULK = samples.SAMPLE + "CREATE TABLE bulk AS SELECT randomblob(90000000) AS b;"


def temporary(folder, name):
    return [n for n in os.listdir(folder) if n.startswith(f".{name}.dbseal-")]


def during(folder, name, what, *args):
    """Starts dbseal, does `what` once its temporary file is there, and gives the exit status."""
    process = program.start(*args)
    while not temporary(folder, name):
        assert process.poll() is None, process.communicate()
        time.sleep(0.0005)
    what()
    process.communicate(timeout=60)
    return process.returncode


@pytest.fixture
def newer(work, tmp_path):
    path = samples.plain(tmp_path / "newer", "CREATE TABLE newer(a); INSERT INTO newer VALUES(1);")
    data = path.read_bytes()
    return path, data


def test_a_newer_source_in_place(work, keys, newer):
    path = peers.create_sealed(work / "a.db", f"x'{OLD}'", [], lambda c: c.executescript(BULK))
    exit = during(work, "a.db", lambda: os.rename(newer[0], path), "rekey", "--key-file",
                  keys.raw(OLD), "--new-key-file", keys.raw(NEW, "new"), path)
    assert exit == 8 and path.read_bytes() == newer[1]
    assert os.listdir(work) == ["a.db"]


def test_a_newer_source_of_shred(work, keys, newer):
    path = samples.plain(work / "a.db", BULK)
    exit = during(work, "e.db", lambda: os.rename(newer[0], path), "encrypt", "--shred",
                  "--key-file", keys.raw(OLD), path, work / "e.db")
    assert exit in (8, 9) and path.read_bytes() == newer[1]


def test_a_newer_target(work, keys, newer):
    source = samples.plain(work / "a.db", BULK)
    samples.plain(work / "t.db")
    exit = during(work, "t.db", lambda: os.rename(newer[0], work / "t.db"), "encrypt", "--force",
                  "--key-file", keys.raw(OLD), source, work / "t.db")
    assert exit == 8 and (work / "t.db").read_bytes() == newer[1]


def test_a_source_that_was_removed(work, keys):
    path = peers.create_sealed(work / "a.db", f"x'{OLD}'", [], lambda c: c.executescript(BULK))
    exit = during(work, "a.db", path.unlink, "rekey", "--key-file", keys.raw(OLD),
                  "--new-key-file", keys.raw(NEW, "new"), path)
    assert exit == 8 and os.listdir(work) == []


def test_a_second_run_sees_the_first(work, keys):
    path = peers.create_sealed(work / "a.db", f"x'{OLD}'", [], lambda c: c.executescript(BULK))
    second = []

    def start():
        second.append(program.start("rekey", "--force", "--key-file", keys.raw(OLD),
                                    "--new-key-file", keys.raw(THIRD, "third"), path))

    assert during(work, "a.db", start, "rekey", "--force", "--key-file", keys.raw(OLD),
                  "--new-key-file", keys.raw(NEW, "new"), path) == 0
    second[0].communicate(timeout=60)
    # By then the database has the first run's key, and the old one is wrong.
    assert second[0].returncode == 4
    connection = peers.sealed(path, f"x'{NEW}'")
    assert connection.execute("SELECT length(b) FROM bulk").fetchone() == (90000000,)
    connection.close()


@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_no_output_is_a_companion_of_another_database(work, keys, suffix):
    key = ["--key-file", keys.raw(OLD)]
    source = samples.plain(work / "s.db")
    samples.plain(work / "x.db")
    refuse(work, "exists", "encrypt", *key, source, work / f"x.db{suffix}")
    refuse(work, "exists", "encrypt", "--force", *key, source, work / f"x.db{suffix}")
    (work / "in").mkdir()
    (work / "out").mkdir()
    names = [work / "in/z.db", work / f"in/z.db{suffix}"]
    for name in names:
        shutil.copy(source, name)
    for order in (names, names[::-1]):
        refuse(work, "usage", "encrypt", "--output-dir", work / "out", *key, *order)


def test_a_source_that_cannot_be_removed(work, keys):
    """The folder of the source takes no changes for an ordinary user, and nor does the sync."""
    folder = work / "in"
    folder.mkdir()
    path = samples.plain(folder / "a.db")
    if subprocess.run(["chattr", "+a", folder], capture_output=True).returncode != 0:
        pytest.skip("this file system has no attributes, or this is not root")
    try:
        result = program.run("encrypt", "--json", "--shred", "--key-file", keys.raw(OLD), path,
                             work / "e.db")
    finally:
        subprocess.run(["chattr", "-a", folder], check=True)
    assert result.exit == 9, result
    assert "complete" in result.json["message"] and result.json["target"] == str(work / "e.db")
    connection = peers.sealed(work / "e.db", f"x'{OLD}'")
    assert connection.execute("SELECT count(*) FROM people").fetchone()[0] > 0
    connection.close()


def test_a_backup_that_was_left_half_made(work, keys):
    path = peers.create_sealed(work / "a.db", f"x'{OLD}'", [], samples.fill)
    before = path.read_bytes()
    os.link(path, work / "a.db.old")
    program.ok("rekey", "--backup", ".old", "--key-file", keys.raw(OLD), "--new-key-file",
               keys.raw(NEW, "new"), path)
    assert (work / "a.db.old").read_bytes() == before and path.stat().st_nlink == 1
    peers.sealed(path, f"x'{NEW}'").execute("SELECT count(*) FROM people").fetchone()


def test_a_limit_on_the_size_of_files(work, keys):
    path = samples.plain(work / "a.db", BULK)
    before = path.read_bytes()
    done = subprocess.run(
        [program.BIN, "encrypt", "--in-place", "--key-file", keys.raw(OLD), path],
        capture_output=True, env=program.clean_env(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    assert done.returncode == 9 and b"too large" in done.stderr, done
    assert path.read_bytes() == before and os.listdir(work) == ["a.db"]
