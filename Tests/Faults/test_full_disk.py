# A disk that is full, for real: a small tmpfs. It gives out pages of 4 KiB, so a sweep over every page
# of free space, from none to what the run needs and a little more, leaves out no amount that differs.
# Plan, for every command that writes and every way of placing its output:
#   1 where the space check knows, it refuses before anything is written; where others fill the disk
#     behind its back (the shim makes the file system say that it has plenty), the writes fail
#   2 either way the folder is as before, whole, or as after success; the exit status is 9 with the
#     word space, or 0; and the check refuses exactly what would not have fitted
#   3 once there is room, the same command does its work
# - schema migrations that fill the disk: those before stay, the one at fault is rolled back
# - a file system without room for one more file, and a quota that is used up
# The short form looks for the least room that is enough by halving; DBSEAL_FAULTS=all tries every page.
import errno
import os

import pytest

from support import migrations, peers, program, samples, shim
from support.content import content
from support.disk import SmallDisk, copied

import test_faults
from cases import OLD, Scene, cases
from test_faults import ALL, FEW

PAGE = SmallDisk.PAGE
CHANGES = ("create", "write", "truncate", "rename", "link", "unlink", "sync", "mkdir")
CHOSEN = pytest.mark.parametrize(
    "case", [c for c in cases() if ALL or c.name in FEW], ids=lambda c: c.name)


@pytest.fixture
def disk(tmp_path):
    with SmallDisk(tmp_path / "disk", "4m") as disk:
        yield disk


def judge(scene, result, events, roomy):
    """What is wrong after a run, or None."""
    if result.exit == 0:
        return scene.is_new()
    if result.exit != 9 or not result.err.startswith(b"dbseal: ") or b"space" not in result.err:
        return "no disk was full"
    if not roomy and not scene.case.changes:
        if b"not enough space" not in result.err:
            return "the check did not know"
        changed = [event.call for event in events if event.call in CHANGES]
        if changed:
            return f"it was not refused before the work: {changed}"
    return scene.is_old()


class Sweep:
    """Runs of one case, each with some pages or files free."""

    def __init__(self, scene, disk, leave, roomy=False):
        self.scene, self.disk, self.leave, self.roomy = scene, disk, leave, roomy
        self.wrong, self.points = [], 0

    def run(self):
        return shim.run(self.disk.inside / "f", self.scene.record, *self.scene.args,
                        using=self.disk.run, env={"SHIM_ROOMY": "1"} if self.roomy else {})

    def passes(self, number):
        """Whether a run with so much room succeeds."""
        self.disk.clear()
        self.scene.reset()
        self.leave(number)
        result, events = self.run()
        self.points += 1
        found = judge(self.scene, result, events, self.roomy)
        if found is None and result.exit != 0:
            self.disk.clear()
            again, _ = self.run()
            found = f"with room: {again}" if again.exit else self.scene.is_new()
        if found:
            self.wrong.append(f"{number} free: exit {result.exit}: {found}: {result.err!r}")
        return result.exit == 0

    def least(self, most):
        """The least room that is enough."""
        if ALL:
            at = next(number for number in range(most) if self.passes(number))
        else:
            low, at = -1, most
            while at - low > 1:
                middle = (low + at) // 2
                low, at = (low, middle) if self.passes(middle) else (middle, at)
        # More is enough too.
        for number in (at + 1, at + 2, most):
            assert self.passes(number), f"{at} is enough and {number} is not: {self.wrong}"
        return at


@CHOSEN
def test_every_page_of_free_space(case, tmp_path, disk):
    scene = Scene(case, tmp_path, disk)
    most = disk.free() // PAGE - 1
    found, points = {}, 0
    for roomy in (False, True):
        sweep = Sweep(scene, disk, lambda pages: disk.leave(pages * PAGE), roomy)
        found[roomy] = sweep.least(most)
        points += sweep.points
        assert not sweep.wrong, f"{len(sweep.wrong)}:\n" + "\n".join(sweep.wrong)
    print(f"{case.name}: {points} runs, {found[True]} pages are enough")
    assert found[True] > 0
    assert found[False] == found[True], "the check and the disk differ"


@CHOSEN
def test_no_room_for_one_more_file(case, tmp_path, disk):
    scene = Scene(case, tmp_path, disk)
    sweep = Sweep(scene, disk, disk.leave_files, roomy=True)
    at = sweep.least(16)
    assert not sweep.wrong, "\n".join(sweep.wrong)
    assert 0 < at < 6


@pytest.mark.parametrize("case", [c for c in cases() if c.name in (
    "encrypt to a target", "rekey in place with a log", "migrate a schema", "create by a schema")],
    ids=lambda c: c.name)
def test_a_quota_that_is_used_up(case, tmp_path):
    scene, wrong, points = Scene(case, tmp_path), [], 0
    for call in ("open", "write", "reserve", "truncate", "sync", "link"):
        for at in range(1, 1000, 1 if ALL else 3):
            scene.reset()
            result, events = shim.run(scene.folder, scene.record, *scene.args, call=call, at=at,
                                      do=str(errno.EDQUOT))
            fault = [event for event in events if event.call == "FAULT"]
            if not fault:
                break
            points += 1
            found = test_faults.judge(scene, result, events)
            if result.exit and (result.exit != 9 or b"quota" not in result.err):
                found = f"unsaid, {found}"
            if found:
                wrong.append(f"{call} {at} on {fault[0].path}: {result.exit}: {found}: {result.err!r}")
    assert points >= 5
    assert not wrong, "\n".join(wrong)


def test_a_key_file_on_a_full_disk(tmp_path, disk):
    path = disk.inside / "app.key"
    for pages, exit in ((0, 9), (1, 0)):
        disk.leave(pages * PAGE)
        result = disk.run("key", "generate", "--output", path)
        assert result.exit == exit, result
        assert sorted(os.listdir(disk.outside)) == (["filler"] if exit else ["app.key", "filler"])
        assert exit == 0 or b"no space left" in result.err
    assert len((disk.outside / "app.key").read_bytes()) == 68


STEPS = {
    "1.sql": "CREATE TABLE one(a); INSERT INTO one VALUES(1);",
    "2.sql": ("CREATE TABLE two(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
              "WHERE i < 60) INSERT INTO two SELECT hex(zeroblob(1000)) FROM n;"),
    "3.sql": "UPDATE two SET a = a || 'b'; CREATE INDEX two_a ON two(a);",
}


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize("kind", ["plain", "sealed"])
def test_migrations_that_fill_the_disk(tmp_path, keys, disk, kind, mode):
    if kind == "plain":
        samples.plain(tmp_path / "a.db")
        connection = peers.plain(tmp_path / "a.db")
    else:
        is_old = program.engine() < (4,)
        pragmas = [("cipher_compatibility", 3)] if is_old else []
        peers.create_sealed(tmp_path / "a.db", OLD, pragmas, samples.fill)
        connection = peers.sealed(tmp_path / "a.db", OLD, pragmas)
    connection.execute(f"PRAGMA journal_mode={mode}").fetchall()
    before = content(connection)
    connection.close()
    data = (tmp_path / "a.db").read_bytes()
    args = ["migrate", "--schema", migrations.folder(tmp_path / "sql", STEPS), disk.inside / "a.db"]
    if kind == "sealed":
        args[1:1] = ["--key-file", keys.file(OLD)]
    seen = set()
    for pages in range(0, 300, 1 if ALL else 9):
        disk.clear()
        for name in os.listdir(disk.outside):
            (disk.outside / name).unlink()
        (disk.outside / "a.db").write_bytes(data)
        disk.leave(pages * PAGE)
        result = disk.run(*args)
        copy = copied(disk.outside / "a.db", tmp_path, ("", "-wal", "-journal"))
        judge = peers.plain(copy) if kind == "plain" else peers.sealed(copy, OLD, pragmas)
        peers.sound(judge)
        found = content(judge)
        applied = [row[0] for row in found.get(b"schema_migrations", [])]
        judge.close()
        applied = len(applied)
        seen.add(applied)
        assert [label in found for label in (b"one", b"two")] == [applied > 0, applied > 1], result
        assert all(found[t] == before[t] for t in before if isinstance(t, bytes)), result
        if result.exit == 0:
            assert applied == 3
            break
        assert result.exit == 9 and b"space" in result.err and applied < 3, (pages, result)
        assert (b"permanent: " in result.err) == (applied > 0), (pages, result)
        disk.clear()
        assert disk.run(*args).exit == 0, pages
        left = set(os.listdir(disk.outside))
        assert left == {"a.db"}, left
    assert result.exit == 0 and seen >= {0, 1, 2, 3}, seen
