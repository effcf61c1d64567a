# A key file under the same faults and kills as a database: afterwards there is none, or a whole one, and
# the exit status told which. A temporary file that a kill left is removed by the next run.
import os
import re

from support import program, shim

LINE = re.compile(rb"x'[0-9a-f]{64}'\n")
CALLS = {"open": ("EACCES",), "write": ("ENOSPC", "EINTR", "short"), "read": ("EIO", "short"),
         "sync": ("EIO",), "rename": ("EIO",), "stat": ("EIO",), "unlink": ("EIO",)}


def made(folder):
    """Whether the key is there; nothing else may be."""
    names = os.listdir(folder)
    assert names in ([], ["app.key"]), names
    if not names:
        return False
    path = folder / "app.key"
    assert LINE.fullmatch(path.read_bytes()) and path.stat().st_mode & 0o777 == 0o600
    return True


def clean(folder):
    for name in os.listdir(folder):
        (folder / name).unlink()


def test_every_call_fails_once(tmp_path):
    folder, record = tmp_path / "f", tmp_path / "record"
    folder.mkdir()
    args = ("key", "generate", "--output", folder / "app.key")
    points = 0
    for call, kinds in CALLS.items():
        for kind in kinds:
            for at in range(1, 1000):
                clean(folder)
                result, events = shim.run(folder, record, *args, call=call, at=at,
                                          do=shim.ERRORS.get(kind, kind))
                if not any(event.call == "FAULT" for event in events):
                    assert result.exit == 0 and made(folder), result
                    break
                points += 1
                if result.exit != 0:
                    assert result.err.startswith(b"dbseal: "), result
                # The name is given, and could not be made durable: that is said.
                assert made(folder) == (result.exit == 0 or b"complete" in result.err), (
                    call, at, kind, result)
    assert points > 8


def test_killed_at_each_call(tmp_path):
    folder, record = tmp_path / "f", tmp_path / "record"
    folder.mkdir()
    args = ("key", "generate", "--output", folder / "app.key")
    kills = 0
    for call in CALLS:
        for at in range(1, 1000):
            clean(folder)
            result, events = shim.run(folder, record, *args, call=call, at=at, do="kill")
            if result.exit == 0:
                break
            kills += 1
            again = program.run(*args)
            assert again.exit in (0, 7) and made(folder), (call, at, again)
    assert kills > 5
