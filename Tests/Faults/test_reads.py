# Every call on files fails once in the commands that only read. Plan:
#   1 open, read, stat and list fail with EIO, over plaintext, encrypted and WAL databases
#   2 the run ends with `io`, or does without what could not be read and says the same as else; a read
#     error is never called damage, a wrong key, or another kind of file
#   3 nothing in the folder changed
import pytest

from support import shim

from cases import Case, Scene
from test_faults import ALL

KEY = "--key-file {old} "
READERS = [
    ("verify", "plain", ""), ("verify", "sealed", KEY), ("verify --quick", "sealed wal", KEY),
    ("verify --digest", "format3", KEY), ("inspect", "sealed", ""), ("inspect --tables", "sealed", KEY),
    ("inspect --query SELECT", "plain", ""), ("migrate --dry-run", "format3", KEY),
]


def scene_of(words, image, key, folder):
    before = {"app.db": image}
    if image.endswith("wal"):
        before["app.db-wal"] = image + "-wal"
    return Scene(Case(words, words, before, {}), folder)


@pytest.mark.parametrize("command, image, key", READERS if ALL else READERS[:3],
                         ids=lambda value: value.strip() or "none")
def test_a_read_error_is_a_read_error(command, image, key, tmp_path):
    scene = scene_of(command + " " + key + "{f}/app.db", image, key, tmp_path)
    args = [a if a != "SELECT" else "SELECT count(*) FROM people" for a in scene.args]
    usual, _ = shim.run(scene.folder, scene.record, *args)
    assert usual.exit == 0, usual
    wrong, points = [], 0
    for call in ("open", "read", "stat", "list"):
        at = 0
        while True:
            at += 1
            result, events = shim.run(
                scene.folder, scene.record, *args, call=call, at=at, do=shim.ERRORS["EIO"])
            fault = next((event for event in events if event.call == "FAULT"), None)
            if fault is None:
                break
            points += 1
            if not (result.exit == 9 or result.exit == 0):
                wrong.append(f"{call} {at} on {fault.path[-12:]}: exit {result.exit}: {result.err!r}")
    print(f"{command} of {image}: {points} faults")
    assert scene.is_old() is None, scene.is_old()
    assert points > 5
    assert not wrong, f"{len(wrong)} of {points}:\n" + "\n".join(wrong)
