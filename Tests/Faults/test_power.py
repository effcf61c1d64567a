# A power cut at any moment leaves the old database or the new one. Plan, for each command and way of
# placing its output:
#   1 a run is recorded with every write, sync and change of a name
#   2 after each sync or change of a name, and between some writes, what a disk may hold then is laid
#     out, several times at random with a fixed seed
#   3 the database is the old one or the new one, whole, as a judge opens it; where a backup or another
#     TARGET is concerned, the source is never without one of them
#   4 after the command's success has been told, it is the new one
import random
import shutil

import pytest

from support import shim

from cases import Scene, cases
from power import Disk
from test_faults import ALL, FEW

ROUNDS = 20 if ALL else 4


def lay(scene, disk):
    """Puts a disk's content in the folder."""
    shutil.rmtree(scene.folder)
    scene.folder.mkdir()
    for name, data in disk.items():
        (scene.folder / name).write_bytes(data)


def judge(scene):
    """What is wrong with what the cut left, or None."""
    left = scene.leftovers() | scene.case.removes
    if scene.is_new(left) is None:
        return None
    # The second name of the old file comes before the exchange.
    second = {name for name in scene.case.after if name.endswith(".old")}
    return scene.is_old(scene.leftovers() | second)


@pytest.mark.parametrize("case", [c for c in cases() if ALL or c.name in FEW], ids=lambda c: c.name)
def test_power_fails_at_any_moment(case, tmp_path):
    scene = Scene(case, tmp_path)
    scene.reset()
    result, events = shim.run(scene.folder, scene.record, *scene.args)
    assert result.exit == 0, result
    disk, wrong, points = Disk(scene.folder, scene.start), [], 0
    chance = random.Random(5)
    seen = set()
    for number, event in enumerate(events):
        disk.play(event)
        if event.call not in ("sync", "rename", "unlink", "link") and number % (1 if ALL else 7):
            continue
        for _ in range(ROUNDS):
            image = disk.cut(chance)
            mark = tuple(sorted((name, hash(data)) for name, data in image.items()))
            if mark in seen:
                continue
            seen.add(mark)
            points += 1
            lay(scene, image)
            found = judge(scene)
            if found:
                wrong.append(f"after {number} {event.call} {event.path[-30:]}: {found}")
    for _ in range(ROUNDS):
        lay(scene, disk.cut(chance))
        found = scene.is_new()
        if found and not case.removes:
            wrong.append(f"after success: {found}")
    print(f"{case.name}: {points} cuts")
    assert points >= 3
    assert not wrong, f"{len(wrong)} of {points}:\n" + "\n".join(wrong[:20])
