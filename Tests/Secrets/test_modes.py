# Plan: nobody but the owner can read what nobody else could read before, at any moment.
# - every command that writes, in every way of placing its output, under a umask that denies nothing: the
#   mode of each file at the moment it is made, and each later change, recorded by the shim; what is made
#   is never open to more than the source is, and plaintext never to anybody but its owner;
# - at each change of a name, sync and removal, every file of the folder is looked at again;
# - key files and new databases are 0600.
import os

import pytest

from support import program, shim
from support.files import mode

from cases import Scene, cases


@pytest.fixture(autouse=True)
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def modes(events):
    """(call, name, mode) of every file that was made or whose mode was changed."""
    return [(event.call, os.path.basename(event.path), event.offset) for event in events
            if event.call in ("create", "chmod")]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
@pytest.mark.parametrize("start", [0o600, 0o640, 0o644], ids=oct)
def test_modes_while_a_command_runs(case, start, tmp_path):
    scene = Scene(case, tmp_path)
    for name in scene.start:
        (scene.folder / name).chmod(start)
    result, events = shim.run(scene.folder, scene.record, *scene.args)
    assert result.exit == 0, result
    made = modes(events)
    assert made, "nothing was made"
    allowed = 0o600 if case.name.startswith("decrypt") else start
    for call, name, found in made:
        assert found & ~allowed == 0, (call, name, oct(found))
        if call == "create" and ".dbseal-" in name:
            assert found == 0o600, (name, oct(found))
    for name in case.after:
        # The backup and the source that stays are the old file.
        own = start if name == "app.db.old" or (name == "app.db" and "out.db" in case.after) else allowed
        assert mode(scene.folder / name) & ~own == 0, name


def test_a_new_database_and_a_new_key(tmp_path):
    folder, record = tmp_path / "f", tmp_path / "record"
    folder.mkdir()
    result, events = shim.run(folder, record, "key", "generate", "--output", folder / "app.key")
    assert result.exit == 0 and modes(events)
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql/1.sql").write_text("CREATE TABLE t(a);")
    number = "4" if program.engine() >= (4,) else "3"  # the newest that the engine writes
    result, more = shim.run(folder, record, "migrate", "--create", "--format", number, "--schema",
                            tmp_path / "sql", folder / "new.db", "--key-file", folder / "app.key")
    assert result.exit == 0 and modes(more)
    for call, name, found in modes(events) + modes(more):
        assert found == 0o600, (call, name, oct(found))
    assert {mode(folder / name) for name in os.listdir(folder)} == {0o600}
