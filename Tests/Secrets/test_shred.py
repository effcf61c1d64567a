# Plan: --shred overwrites what it removes, and nothing else.
# - source, log and journal are overwritten from end to end and synced before they lose their names, after
#   the output has its own (recorded by the shim);
# - what leads elsewhere is not overwritten: a source with a second name, and in the place of a -wal, -shm or
#   -journal a link, a second name of another file, a FIFO or a folder, there before or planted in the
#   last moment; --force does it for the source alone, and to all its names;
# - a failure in the middle says that the output is complete, and what is left to do.
import os

import pytest

from support import peers, program, samples, shim
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
MARK = b"precious bytes of somebody else " * 100


@pytest.fixture
def victim(tmp_path):
    path = tmp_path / "victim"
    path.write_bytes(MARK)
    return path


def shred(work, keys, source, *more):
    return ["encrypt", "--shred", *more, source, work / "out.db", "--key-file", keys.raw()]


@pytest.mark.parametrize("log", [False, True], ids=["no log", "log"])
def test_overwritten_synced_and_then_removed(work, keys, tmp_path, log):
    path = samples.with_log(work / "plain.db") if log else samples.plain(work / "plain.db")
    names = ["plain.db-wal", "plain.db"] if log else ["plain.db"]
    sizes = {name: os.path.getsize(work / name) for name in names}
    result, events = shim.run(work, tmp_path / "record", *shred(work, keys, path))
    assert result.exit == 0, result
    assert os.listdir(work) == ["out.db"]
    named = next(i for i, e in enumerate(events) if e.call == "rename")
    for name in names:
        mine = [(i, e) for i, e in enumerate(events) if e.path == str(work / name)]
        writes = [(i, e) for i, e in mine if e.call == "write"]
        covered = bytearray(b"\1" * sizes[name])
        for _, event in writes:
            covered[event.offset:event.offset + len(event.data)] = event.data
        assert bytes(covered) == bytes(sizes[name]), name
        sync = next(i for i, e in mine if e.call == "sync" and i > writes[-1][0])
        removed = next(i for i, e in mine if e.call == "unlink")
        assert named < writes[0][0] and writes[-1][0] < sync < removed
    peers.sound(peers.sealed(work / "out.db", RAW), cipher=True)


KINDS = ["link", "dangling link", "second name", "fifo", "folder"]


def plant(kind, place, victim):
    if kind == "link":
        place.symlink_to(victim)
    elif kind == "dangling link":
        place.symlink_to(victim.parent / "nothing")
    elif kind == "second name":
        os.link(victim, place)
    elif kind == "fifo":
        os.mkfifo(place)
    else:
        place.mkdir()


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_what_leads_elsewhere_beside_the_source(work, keys, source, victim, kind, suffix, force):
    plant(kind, work / f"plain.db{suffix}", victim)
    before = source.read_bytes()
    found = refuse(work, "exists", *shred(work, keys, source, *force))
    assert found["obstacle"] == "shared" and found["path"] == str(work / f"plain.db{suffix}")
    assert victim.read_bytes() == MARK and source.read_bytes() == before


PLANTS = {"link": 'ln -s "{victim}" "{place}"', "second name": 'ln "{victim}" "{place}"',
          "fifo": 'mkfifo "{place}"', "folder": 'mkdir "{place}"'}


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", PLANTS)
def test_what_is_planted_in_the_last_moment(work, keys, source, victim, tmp_path, kind, suffix):
    """Just before the output gets its name: the looks that were taken before saw nothing."""
    do = "!" + PLANTS[kind].format(victim=victim, place=work / f"plain.db{suffix}")
    result, events = shim.run(work, tmp_path / "record", *shred(work, keys, source), call="rename", at=1,
                              do=do)
    assert any(event.call == "FAULT" for event in events)
    assert victim.read_bytes() == MARK and not os.path.exists(victim.parent / "nothing")
    # A log that appeared is a change of the source, an index or a journal are found by the shredder.
    assert result.exit in (8, 9) or not os.path.lexists(work / f"plain.db{suffix}"), result
    assert result.exit != 0 and source.exists(), result


def test_a_source_with_a_second_name(work, keys, source):
    os.link(source, work / "second.db")
    before = source.read_bytes()
    found = refuse(work, "exists", *shred(work, keys, source))
    assert found["obstacle"] == "shared" and "--force" in found["hint"]
    program.ok(*shred(work, keys, source, "--force"))
    assert not source.exists() and (work / "second.db").read_bytes() == bytes(len(before))


def test_a_link_to_the_source(work, keys, source):
    """The database goes; the link stays and leads to nothing."""
    (work / "link.db").symlink_to("plain.db")
    program.ok(*shred(work, keys, work / "link.db"))
    assert not source.exists() and os.path.islink(work / "link.db")


@pytest.mark.parametrize("call", ["write", "sync", "unlink"])
def test_a_failure_in_the_middle(work, keys, source, tmp_path, call):
    seen = 0
    for number in range(1, 40):
        (work / "out.db").unlink(missing_ok=True)
        source.unlink(missing_ok=True)
        samples.plain(source)
        result, events = shim.run(work, tmp_path / "record", *shred(work, keys, source), call=call,
                                  at=number, do=shim.ERRORS["EIO"])
        fault = next((event for event in events if event.call == "FAULT"), None)
        if fault is None:
            break
        if fault.path != str(source):
            continue
        seen += 1
        assert result.exit == 9 and b"complete" in result.err and b"by hand" in result.err, result
        peers.sound(peers.sealed(work / "out.db", RAW), cipher=True)
    assert seen >= 1
