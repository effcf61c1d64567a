# Plan: a signal ends a run soon, however many rounds a key has.
# - of one database and of several, whose derivations are gathered; a new key, an old one, one of a list;
# - the run dies by the signal, nothing was made, and what was there is as it was.
# The number of rounds would take a quarter of an hour or more, so that a run that went on fails here.
import signal

import pytest

from support import peers, program, samples
from support.files import Snapshot

ROUNDS = "2147483647"


@pytest.fixture
def several(work):
    return [samples.plain(work / f"{name}.db") for name in "abc"]


def interrupted(work, number, *args):
    before = Snapshot(work)
    process = program.start(*args, "--progress", "json")
    try:
        lines = iter(process.stderr.readline, b"")
        assert any(b"deriving" in line for line in lines), "it never began"
        process.send_signal(number)
        process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -number, process.returncode
    before.unchanged()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("several_files", [False, True])
def test_a_new_key(work, keys, several, outside, number, several_files):
    place = [*several, "--output-dir", outside] if several_files else [several[0], work / "out.db"]
    interrupted(work, number, "encrypt", "--key-file", keys.file("words"), "--kdf-iter", ROUNDS,
                *place)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("command", ["verify", "decrypt", "migrate", "rekey", "try"])
def test_the_key_that_it_has(work, keys, command):
    path = peers.create_sealed(work / "a.db", "words", [], samples.fill)
    key, new = keys.file("words"), keys.file("others", "new")
    option = "--source-kdf-iter" if command in ("migrate", "rekey") else "--kdf-iter"
    words = {
        "verify": ["verify", path], "decrypt": ["decrypt", path, work / "out.db"],
        "migrate": ["migrate", path], "rekey": ["rekey", path, "--new-key-file", new],
        "try": ["verify", path]}[command]
    source = "--try-keys" if command == "try" else "--key-file"
    interrupted(work, signal.SIGINT, *words, source, key, option, ROUNDS)
