# Plan: an output that is not what was written is never named (70).
# - while dbseal proves its output, somebody changes bytes of it, as a bad disk would: the run fails,
#   the output is removed, the source stays; to a target, over a target, and in place.
import os
import time

import pytest

from support import peers, program, samples
from support.files import Snapshot

RAW, NEW = "a1b2c3d4" * 8, "0123456789abcdef" * 4
BULK = samples.SAMPLE + "CREATE TABLE bulk AS SELECT randomblob(120000000) AS b;"


def spoil(folder, name, size, process):
    """Changes bytes all over the temporary file once it has its size, until dbseal ends."""
    found = None
    step = 0
    while process.poll() is None:
        if found is None:
            names = [n for n in os.listdir(folder) if n.startswith(f".{name}.dbseal-")]
            found = folder / names[0] if names else None
            continue
        try:
            with open(found, "r+b", buffering=0) as file:
                # A plaintext output has no tags, and is a little smaller.
                there = os.fstat(file.fileno()).st_size
                if there < size * 0.95:
                    continue
                for place in range(5000 + step, there - 5000, 400009):
                    file.seek(place)
                    byte = file.read(1)
                    file.seek(place)
                    file.write(bytes([byte[0] ^ 1]))
                step += 1
        except FileNotFoundError:
            time.sleep(0.001)


@pytest.mark.parametrize("kind", ["encrypt", "decrypt", "force", "rekey"])
def test_a_spoiled_output_is_never_named(work, keys, kind):
    key = ["--key-file", keys.raw(RAW)]
    if kind in ("encrypt", "force"):
        path = samples.plain(work / "a.db", BULK)
    else:
        path = peers.create_sealed(work / "a.db", f"x'{RAW}'", [], lambda c: c.executescript(BULK))
    args = {
        "encrypt": ["encrypt", *key, path, work / "t.db"],
        "decrypt": ["decrypt", *key, path, work / "t.db"],
        "force": ["encrypt", "--force", *key, path, work / "t.db"],
        "rekey": ["rekey", *key, "--new-key-file", keys.raw(NEW, "new"), path],
    }[kind]
    if kind == "force":
        samples.plain(work / "t.db")
    before = Snapshot(work)
    process = program.start(args[0], "--json", *args[1:])
    spoil(work, "a.db" if kind == "rekey" else "t.db", path.stat().st_size, process)
    out, err = process.communicate()
    assert process.returncode == 70, (out, err)
    assert b'"code":"self_check_failed"' in out
    before.unchanged()
