# Every command that writes is killed (SIGKILL) at each of its calls on files. Plan:
#   1 afterwards the database is the old one or the new one, whole, as a judge opens it
#   2 besides, at most a temporary file is left, and where a backup was asked for, the old file under
#     its second name
#   3 the same command again does the work, removes what was left and says so; where the work was
#     done already, the new file is as it should be
# The short form kills at every third call; DBSEAL_FAULTS=all at each, in all cases.
import os

import pytest

from support import shim

from cases import Scene, cases
from test_faults import ALL, FEW


def again(scene):
    """What is wrong after the same command ran once more, or None."""
    left = scene.leftovers()
    result, _ = shim.run(scene.folder, scene.record, *scene.args)
    if result.exit != 0:
        return f"the next run failed: {result.exit} {result.err.decode()}"
    if left and not any(name in result.text for name in left):
        return f"the next run does not say that it removed {left}: {result.text}"
    return scene.is_new()


def judge(scene):
    """What is wrong after the kill, or None."""
    left = scene.leftovers()
    if len(left) > 1:
        return f"more than one temporary file: {left}"
    second = {name for name in scene.case.after if name.endswith(".old")} & scene.names()
    if scene.is_new(left | scene.case.removes) is None and not left:
        return None
    kept = second if second and os.path.samefile(
        scene.folder / "app.db", scene.folder / "app.db.old") else set()
    return scene.is_old(left | kept) or again(scene)


@pytest.mark.parametrize("case", [c for c in cases() if ALL or c.name in FEW], ids=lambda c: c.name)
def test_killed_at_each_call(case, tmp_path):
    scene = Scene(case, tmp_path)
    wrong, points, at = [], 0, 1
    while True:
        scene.reset()
        result, events = shim.run(
            scene.folder, scene.record, *scene.args, call="any", at=at, do="kill")
        if result.exit == 0:
            break
        assert result.exit == -9, result
        points += 1
        found = judge(scene)
        if found:
            wrong.append(f"call {at}, {events[-1].other} {os.path.basename(events[-1].path)}: {found}")
        at += 1 if ALL else 3
    print(f"{case.name}: {points} kills")
    assert points > 10
    assert not wrong, f"{len(wrong)} of {points}:\n" + "\n".join(wrong)
