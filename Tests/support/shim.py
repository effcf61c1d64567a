# Runs dbseal with Tests/Faults/shim.c preloaded: the n-th call of a kind fails, comes short or kills
# the process, or everything that is done to files is recorded.
import errno
import functools
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from support import program

SOURCE = program.ROOT / "Tests/Faults/shim.c"
# What the shim counts.
CALLS = ("open", "read", "write", "sync", "rename", "link", "unlink", "truncate", "stat", "map",
         "list", "chmod", "chown", "xattr", "reserve", "writeback")
# What a file system may answer.
ERRORS = {name: str(getattr(errno, name)) for name in ("EIO", "ENOSPC", "EACCES", "EINTR")}


@functools.cache
def library():
    """The compiled shim; it stays until the tests end."""
    folder = tempfile.TemporaryDirectory(prefix="dbseal-shim-")
    library.folder = folder
    path = os.path.join(folder.name, "shim.so")
    # `now`: a function that is looked up at its first call has all registers saved on the stack, where
    # Tests/Secrets would find what dbseal itself left nowhere.
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", path, SOURCE,
                    "-ldl", "-Wl,-z,now"], check=True)
    return path


@dataclass
class Event:
    """A call that succeeded, or the one that was made to fail (`FAULT`). `offset` of a `create`, `open`
    or `chmod` is the mode of the file."""
    call: str
    path: str
    other: str
    offset: int
    data: bytes


def events(path):
    """What a record holds."""
    found, data = [], Path(path).read_bytes()
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        call, name, other, offset, size = data[at:end].decode().split("\t")
        at = end + 1 + int(size)
        found.append(Event(call, name, other, int(offset), data[end + 1:at]))
    return found


def environment(folder, record=None, call=None, at=0, do=None):
    """The variables of a run with the shim."""
    env = {"LD_PRELOAD": library(), "SHIM_ROOT": str(folder)}
    if record:
        env["SHIM_RECORD"] = str(record)
    if call:
        env |= {"SHIM_CALL": call, "SHIM_AT": str(at), "SHIM_DO": do}
    return env


def run(folder, record, *args, call=None, at=0, do=None, env=None, using=program.run, **more):
    """Runs dbseal over files in `folder`, as `using` runs it; its result and the events."""
    Path(record).unlink(missing_ok=True)
    env = environment(folder, record, call, at, do) | (env or {})
    result = using(*args, env=env, **more)
    return result, events(record)
