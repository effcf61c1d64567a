# Plan: verify over what lies beside a database.
# - committed frames are part of it; an unfinished transaction and a torn end are normal and said;
# - a bad frame before commits, any broken bit in the header of the log, frames that another key sealed: damage;
# - a hot journal is applied in memory; a read-only place is enough.
# The judge of what SQLite makes of a log is SQLite, on a copy.
import os
import shutil

import pytest

from support import peers, program, samples
from support.files import Snapshot, change, flip
from support.kinds import KINDS, RAW, copied, hot, key_of, live, opened
from support.verdicts import verify

FRAME = 24 + 4096


def log_of(tmp_path, kind, commits=5, unfinished=False):
    """A database with that many commits in its log, as a crash leaves it."""
    connection = live(tmp_path / "live.db", kind, "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    for i in range(commits):
        connection.execute("INSERT INTO gaps VALUES(?, zeroblob(9000))", (f"commit {i}",))
    if unfinished:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.execute("UPDATE people SET name = hex(zeroblob(400))")
    path = copied(tmp_path / "live.db", tmp_path / "crashed", ["", "-wal"])
    if unfinished:
        connection.execute("ROLLBACK")
    connection.close()
    return path


def check(path, keys, kind, code="ok", *options):
    found = verify(path, keys, code, *options, key=key_of(kind))
    return found, found["verdicts"]["pages"]["wal"]


def commits(path):
    """The numbers of the frames that commit, from 1, by the file format."""
    with open(f"{path}-wal", "rb") as file:
        data = file.read()
    starts = range(32, len(data) - FRAME + 1, FRAME)
    return [n for n, at in enumerate(starts, 1) if any(data[at + 4:at + 8])]


@KINDS
def test_committed_rows_of_the_log_are_part_of_it(keys, tmp_path, kind):
    path = log_of(tmp_path, kind)
    rows = opened(copied(path, tmp_path / "judged", ["", "-wal"]), kind).execute(
        "SELECT count(*) FROM gaps").fetchone()[0]
    found, log = check(path, keys, kind, "ok", "--expect-table", f"gaps={rows}")
    assert log["committed"] == commits(path)[-1] and log["ignored"] == log["uncommitted"] == 0
    assert "wal_included" in [note["note"] for note in found["notes"]]
    check(path, keys, kind, "check_failed", "--expect-table", f"gaps={rows - 5}")


@KINDS
def test_an_unfinished_transaction_is_normal(keys, tmp_path, kind):
    path = log_of(tmp_path, kind, unfinished=True)
    log = check(path, keys, kind)[1]
    frames = (os.path.getsize(f"{path}-wal") - 32) // FRAME
    assert log["committed"] == commits(path)[-1] < frames
    assert log["committed"] + log["uncommitted"] + log["ignored"] == frames
    assert log["lost"] == log["lost_commits"] == 0


@KINDS
@pytest.mark.parametrize("cut", [1, 4096 + 24, 4096 + 124])
def test_a_torn_end_is_normal(keys, tmp_path, kind, cut):
    path = log_of(tmp_path, kind)
    os.truncate(f"{path}-wal", os.path.getsize(f"{path}-wal") - cut)
    log = check(path, keys, kind)[1]
    assert log["committed"] == commits(path)[-1] and log["lost_commits"] == 0


@KINDS
def test_a_torn_last_frame_is_normal(keys, tmp_path, kind):
    path = log_of(tmp_path, kind)
    flip(f"{path}-wal", os.path.getsize(f"{path}-wal") - 100)
    log = check(path, keys, kind)[1]
    assert log["ignored"] == 1 and log["lost"] == 0


@KINDS
@pytest.mark.parametrize("at", [0, 9, 17, 24, 3000], ids=lambda n: f"byte {n}")
def test_commits_behind_a_bad_frame_are_lost_and_that_is_damage(keys, tmp_path, kind, at):
    path = log_of(tmp_path, kind, commits=4)
    first = commits(path)[0]
    flip(f"{path}-wal", 32 + first * FRAME + at)  # the frame behind the first commit
    rows = opened(copied(path, tmp_path / "judged", ["", "-wal"]), kind).execute(
        "SELECT count(*) FROM gaps WHERE a LIKE 'commit %'").fetchone()[0]
    assert rows == 1  # SQLite loses three of four commits without a word
    found, log = check(path, keys, kind, "damaged")
    assert log["first_bad"] == first + 1 and log["committed"] == first
    assert log["lost_commits"] == 3 and "-wal" in found["message"]
    assert found["verdicts"]["structure"]["verdict"] == "sound"
    inspected(path, keys, kind, first + 1, 3)


def inspected(path, keys, kind, bad, lost, sidecar=True):
    """inspect says the same, with a key and, where the log can be read without one, from outside."""
    options = ["--key-file", keys.file(RAW)] if kind == "sealed" else ["--tables"]
    found = program.ok("inspect", *options, path)
    assert [(item["first_bad"], item["lost_commits"]) for item in found["damage"]] == [(bad, lost)]
    assert found["damage_total"] == 1 and ", damaged" in found["message"]
    if sidecar:
        log = program.ok("inspect", path)["sidecars"][0]
        assert (log["first_bad"], log["lost_commits"]) == (bad, lost)
        text = program.run("inspect", path).out.decode()
        assert "damaged" in text and "or from before" not in text
    result = program.run("inspect", "--query", "SELECT 1", *options[:2 * (kind == "sealed")], path)
    assert result.exit == 0 and b"-wal" in result.err


@KINDS
def test_frames_before_a_bad_one_are_no_transaction_that_never_ended(keys, tmp_path, kind):
    path = log_of(tmp_path, kind, commits=4)
    ends = commits(path)
    assert ends[1] - ends[0] > 2
    flip(f"{path}-wal", 32 + (ends[1] - 1) * FRAME + 3000)  # the second commit's last frame
    options = ["--key-file", keys.file(RAW)] if kind == "sealed" else []
    text = program.run("verify", *options, path).text
    assert "lost" in text or "ignores" in text
    assert "never ended" not in text
    found, log = check(path, keys, kind, "damaged")
    assert log["uncommitted"] == ends[1] - ends[0] - 1
    inspected(path, keys, kind, ends[1], 2)


@KINDS
def test_a_log_whose_header_is_broken(keys, tmp_path, kind):
    path = log_of(tmp_path, kind)
    flip(f"{path}-wal", 20)
    found, log = check(path, keys, kind, "damaged")
    assert log["first_bad"] == 0 and log["committed"] == 0 and log["lost_commits"] > 0
    inspected(path, keys, kind, 0, log["lost_commits"], sidecar=False)


@pytest.mark.parametrize("frames", ["one", "many"])
def test_no_bit_of_the_header_of_a_log_breaks_unseen(work, keys, tmp_path, frames):
    connection = live(tmp_path / "live.db", "plain", "WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    for i in range(1 if frames == "one" else 20):
        connection.execute(f"PRAGMA user_version={i + 50}")
    path = copied(tmp_path / "live.db", tmp_path / "crashed", ["", "-wal"])
    connection.close()
    with open(f"{path}-wal", "rb") as file:
        log = file.read()
    assert (commits(path) == [1]) is (frames == "one")
    unseen = []
    for bit in range(256):
        change(f"{path}-wal", bit // 8, bytes([log[bit // 8] ^ 1 << bit % 8]))
        result = program.run("verify", "--quick", path)
        if result.exit != 5 or b"-wal" not in result.err:
            unseen.append((bit, result))
        change(f"{path}-wal", bit // 8, log[bit // 8:bit // 8 + 1])
    assert not unseen
    assert program.run("verify", "--quick", path).exit == 0


@KINDS
@pytest.mark.parametrize("data", [b"", b"\0" * 20, b"\0" * 9000, b"noise" * 3000],
                         ids=["empty", "short", "zeros", "noise"])
def test_a_log_that_never_was_one(keys, tmp_path, kind, data):
    path = log_of(tmp_path, kind, commits=1)
    with open(f"{path}-wal", "wb") as file:
        file.write(data)
    check(path, keys, kind)


def test_frames_that_another_key_sealed(keys, tmp_path):
    path = log_of(tmp_path, "sealed")
    other = tmp_path / "other"
    other.mkdir()
    peers.create_sealed(other / "a.db", "x'" + "9f" * 32 + "'", [], samples.fill)
    connection = peers.sealed(other / "a.db", "x'" + "9f" * 32 + "'")
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("UPDATE people SET name = 'x' WHERE id = 150")
    shutil.copy(other / "a.db-wal", f"{path}-wal")
    connection.close()
    found, log = check(path, keys, "sealed", "damaged")
    assert len(log["bad_tags"]) == log["committed"] > 0
    assert set(found["damaged_pages"]) == {frame["page"] for frame in log["bad_tags"]}


@KINDS
def test_a_hot_journal_is_applied_in_memory(keys, tmp_path, kind):
    path = hot(tmp_path, kind)
    found = verify(path, keys, key=key_of(kind))
    assert found["verdicts"]["pages"]["journal_pages"] > 0
    assert [note["note"] for note in found["notes"]] == ["journal_applied"]
    os.remove(f"{path}-journal")  # what a copy without its journal is
    result = program.run("verify", "--json", *(["--key-file", keys.file(RAW)] if kind == "sealed"
                                               else []), path)
    assert result.exit == 5, result


@KINDS
@pytest.mark.parametrize("log", [False, True], ids=["no log", "log"])
def test_a_read_only_place_is_enough(keys, tmp_path, kind, log):
    path = log_of(tmp_path, kind)
    if not log:
        os.remove(f"{path}-wal")
    for name in os.listdir(path.parent):
        os.chmod(path.parent / name, 0o444)
    key = keys.file(RAW)
    for folder in (path.parent, *path.parents):
        if str(folder) == "/tmp":
            break
        os.chmod(folder, 0o555)
    os.chmod(key.parent, 0o755)
    os.chown(key, 65534, 65534)
    before = Snapshot(path.parent)
    named = ["--key-file", key] if kind == "sealed" else []
    result = program.run("verify", *named, path, user=65534)
    before.unchanged()
    for folder in (path.parent, tmp_path):
        os.chmod(folder, 0o755)
    assert result.exit == 0, result
