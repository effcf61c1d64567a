# Plan: a link, FIFO or folder that somebody plants where dbseal is about to write leads it nowhere.
# - at the moment between the look and the call (the shim plants it): at every file that a command makes
#   (temporary, journal, log) and at every name that a file is given (target, in place, backup, key file);
# - planted before: at a target (with --force the link itself is replaced), a backup, a journal, a log;
#   under the name of a left temporary file;
# - whatever comes of the run, what the link leads to is as it was, nothing is made at the end of a
#   dangling one, and the run ends; where it succeeds, the output is a regular file that a judge opens.
import os

import pytest

from support import peers, program, samples, shim
from support.refusal import refuse

from cases import NEW, OLD, Scene, cases

RAW = "x'" + "a1b2c3d4" * 8 + "'"
MARK = b"precious bytes of somebody else " * 200
PLANTS = {
    "link": 'rm -rf "$SHIM_PATH"; ln -s "{victim}" "$SHIM_PATH"',
    "dangling link": 'rm -rf "$SHIM_PATH"; ln -s "{nothing}" "$SHIM_PATH"',
    "fifo": 'rm -rf "$SHIM_PATH"; mkfifo "$SHIM_PATH"',
    "folder": 'rm -rf "$SHIM_PATH"; mkdir "$SHIM_PATH"',
}


@pytest.fixture
def victim(tmp_path):
    path = tmp_path / "victim"
    path.write_bytes(MARK)
    yield path
    assert path.read_bytes() == MARK, "what a link leads to was written"
    assert not os.path.lexists(tmp_path / "nothing"), "a dangling link was followed"


def planting(kind, victim):
    return "!" + PLANTS[kind].format(victim=victim, nothing=victim.parent / "nothing")


# SQLite of before 2020 follows a link that appears in the moment before it makes a journal, and the
# journals of schema migrations are SQLite's own.
CASES = [case for case in cases() if program.engine() >= (4,) or not case.changes]


@pytest.mark.parametrize("kind", PLANTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_at_every_file_that_is_made(case, kind, tmp_path, victim):
    scene = Scene(case, tmp_path)
    points = 0
    for at in range(1, 50):
        scene.reset()
        result, events = shim.run(scene.folder, scene.record, *scene.args, call="create", at=at,
                                  do=planting(kind, victim), timeout=60)
        fault = next((event for event in events if event.call == "FAULT"), None)
        if fault is None:
            break
        points += 1
        assert result.exit >= 0, (at, result)
        if result.exit == 0:
            assert scene.is_new(scene.leftovers()) is None, (at, scene.is_new())
        else:
            assert result.err.startswith(b"dbseal: "), result
        check(victim)
    assert points >= 1


def check(victim):
    assert victim.read_bytes() == MARK and not os.path.lexists(victim.parent / "nothing")


# What a rename or a link is about to make, planted just before: the record has the old name, so the
# new one is named here.
@pytest.mark.parametrize("kind", PLANTS)
@pytest.mark.parametrize("what", ["target", "forced target", "in place", "backup", "key file"])
def test_at_every_name_that_is_given(work, keys, source, tmp_path, victim, kind, what):
    old = ["--key-file", keys.file(OLD, "old")]
    name, call, args = {
        "target": ("out.db", "rename", ["encrypt", *old, source, work / "out.db"]),
        "forced target": ("out.db", "rename", ["encrypt", *old, "--force", source, work / "out.db"]),
        "in place": ("plain.db", "rename", ["encrypt", *old, "--in-place", source]),
        "backup": ("plain.db.old", "link", ["encrypt", *old, "--in-place", "--backup", ".old", source]),
        "key file": ("app.key", "rename", ["key", "generate", "--output", work / "app.key"]),
    }[what]
    do = planting(kind, victim).replace("$SHIM_PATH", str(work / name))
    result, events = shim.run(work, tmp_path / "record", *args, call=call, at=1, do=do)
    assert any(event.call == "FAULT" for event in events)
    check(victim)
    place = work / name
    if result.exit == 0:
        assert place.is_file() and not place.is_symlink()
        if what != "key file":
            peers.sound(peers.sealed(place, OLD))
    else:
        # It stands as it was planted.
        assert place.is_symlink() or not place.is_file(), result
    assert result.exit != 0 or what in ("forced target", "in place"), result


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey", "migrate"])
def test_a_link_as_a_forced_target_is_replaced_itself(work, keys, source, sealed, victim, command):
    (work / "out.db").symlink_to(victim)
    old = ["--key-file", keys.raw()]
    more = ["--new-key-file", keys.file(NEW, "n")] if command == "rekey" else (
        ["--page-size", "8192"] if command == "migrate" else [])
    path = source if command == "encrypt" else sealed
    refuse(work, "exists", command, *old, *more, path, work / "out.db")
    program.ok(command, *old, *more, "--force", path, work / "out.db")
    assert not (work / "out.db").is_symlink() and (work / "out.db").is_file()


def test_a_forced_target_keeps_a_link_as_its_backup(work, keys, source, victim):
    """The old file under its name is the link, and that is what is kept."""
    (work / "out.db").symlink_to(victim)
    program.ok("encrypt", "--force", "--backup", ".old", "--key-file", keys.raw(), source,
               work / "out.db")
    assert os.readlink(work / "out.db.old") == str(victim)


@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder"])
def test_a_backup_that_is_there(work, keys, source, victim, kind):
    place = work / "plain.db.old"
    os.system(planting(kind, victim)[1:].replace("$SHIM_PATH", str(place)))
    refuse(work, "exists", "encrypt", "--in-place", "--backup", ".old", source, "--key-file", keys.raw())


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", PLANTS)
@pytest.mark.parametrize("command", ["schema", "in place", "verify"])
# (An engine of before format 4 refuses the schema of this one, and follows nothing either.)
def test_beside_a_database(work, keys, sealed, victim, kind, suffix, command):
    place = work / f"sealed.db{suffix}"
    os.system(planting(kind, victim)[1:].replace("$SHIM_PATH", str(place)))
    (work / "sql").mkdir()
    (work / "sql/1.sql").write_text("CREATE TABLE more AS SELECT * FROM people;")
    args = {"schema": ["migrate", "--schema", work / "sql"], "verify": ["verify"],
            "in place": ["rekey", "--new-key-file", keys.file(NEW, "n")]}[command]
    result = program.run(*args, "--key-file", keys.raw(), sealed, timeout=60)
    assert result.exit >= 0
    check(victim)
    if result.exit == 0 and command != "verify":
        peers.sound(peers.sealed(sealed, NEW if command == "in place" else RAW))


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "second name"])
def test_under_the_name_of_a_leftover(work, keys, source, victim, kind):
    place = work / ".out.db.dbseal-0abcde"
    if kind == "second name":
        os.link(victim, place)
    else:
        os.system(planting(kind, victim)[1:].replace("$SHIM_PATH", str(place)))
    program.ok("encrypt", source, work / "out.db", "--key-file", keys.raw())
    peers.sound(peers.sealed(work / "out.db", RAW))
    check(victim)
    # What no run of dbseal can have left stays; a second name is a regular file, and one name less.
    assert os.path.lexists(place) == (kind != "second name")
    if kind != "second name":
        place.rmdir() if kind == "folder" else place.unlink()
