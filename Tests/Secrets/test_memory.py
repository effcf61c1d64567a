# Plan: what of a key is in memory, and for how long (read by root from /proc/PID/mem).
# - at work, a passphrase is there once, in memory that is pinned and left out of dumps, and in no other
#   form, however it was given; what is derived from it is there, because the pages need it (so the search
#   finds what is there);
# - at the end of a run, after success and after failure, nothing is left: not the key, its hex, UTF-16 or
#   halves, nor the derived keys;
# - a typed key, and one that is shown, leaves nothing either.
import os
import pty
import signal
import subprocess
import time

import pytest

from support import peers, program, samples, shim
from support.secrets import Stopped, derived, forms, memory, state

WORDS, NEW = "the words that are to be wiped", "what comes in their place, 99"
ROUNDS = 1000
FEW = ["--kdf-iter", str(ROUNDS)]
SOURCE = ["--source-kdf-iter", str(ROUNDS)]

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root may read another's memory")


@pytest.fixture
def locked(work):
    return peers.create_sealed(work / "locked.db", WORDS, [("kdf_iter", ROUNDS)], samples.fill)


def needles(*databases):
    wanted = forms("key", WORDS) | forms("new key", NEW)
    for path in databases:
        if path.exists():
            salt = path.read_bytes()[:16]
            for name, words in (("key", WORDS), ("new key", NEW)):
                wanted |= derived(f"{name} of {path.name}", words, salt, ROUNDS)
    return wanted


def given(keys):
    """Name to options, environment and standard input."""
    path = keys.file(WORDS + "\n", "words")
    return {"file": (["--key-file", path], {}, b""), "input": (["--key-file", "-"], {}, WORDS.encode()),
            "variable": (["--key-env", "MINE"], {"MINE": WORDS}, b""),
            "own variable": ([], {"DBSEAL_KEY": WORDS}, b""),
            "command": (["--key-command", f"cat '{path}'"], {}, b"")}


@pytest.mark.parametrize("way", ["file", "input", "variable", "own variable", "command"])
@pytest.mark.parametrize("command", ["decrypt", "rekey"])
def test_once_and_pinned_at_work(work, keys, locked, way, command):
    options, env, stdin = given(keys)[way]
    more = FEW if command == "decrypt" else SOURCE + FEW + ["--new-key-file", keys.file(NEW, "new")]
    with Stopped(work, "create", command, *more, locked, work / "out.db", *options, env=env,
                 stdin=stdin) as run:
        hits = memory(run.process.pid, needles(locked))
        assert run.finish() == 0
    for name in ("key", "new key") if command == "rekey" else ("key",):
        assert len(hits[name]) == 1, hits[name]
        # lo: pinned; dd: not in a dump (proc(5), VmFlags).
        assert {"lo", "dd"} <= hits[name][0].flags, hits[name]
    halves = {"first half of key", "second half of key", "first half of new key",
              "second half of new key"}
    other = {name for name in hits if name not in {"key", "new key"} | halves
             and "derived" not in name and "tag key" not in name}
    assert other == set()
    assert all(len(hits.get(name, [])) <= 1 for name in halves)
    assert "derived key of locked.db" in hits, "the search finds nothing at all"
    assert not any(name.endswith(("hex", "HEX")) for name in hits)


def commands(work, keys, locked):
    """Name to arguments and the exit status; the key comes first."""
    (work / "sql").mkdir()
    (work / "sql/1.sql").write_text("CREATE TABLE more AS SELECT * FROM people;")
    new = ["--new-key-file", keys.file(NEW, "new")]
    plain = samples.plain(work / "plain.db")
    return {
        "encrypt": (["encrypt", *FEW, plain, work / "out.db"], 0),
        "decrypt": (["decrypt", *FEW, locked, work / "out.db"], 0),
        "rekey": (["rekey", *SOURCE, *FEW, *new, locked, work / "out.db"], 0),
        "migrate": (["migrate", *SOURCE, *FEW, "--page-size", "8192", locked, work / "out.db"], 0),
        "migrate a schema": (["migrate", *SOURCE, "--schema", work / "sql", locked], 0),
        "verify": (["verify", *FEW, "--digest", locked], 0),
        "inspect": (["inspect", *FEW, "--tables", locked], 0),
        "query": (["inspect", *FEW, "--query", "SELECT * FROM people ORDER BY name", locked], 0),
        "wrong settings": (["verify", "--kdf-iter", "77", locked], 4),
        "an existing target": (["decrypt", *FEW, locked, plain], 7),
        "a full target": (["decrypt", *FEW, locked, "/sys/out.db"], 9),
        "store": (["key", "store", f"test-{os.getpid()}-memory"], 0),
    }


NAMES = ["encrypt", "decrypt", "rekey", "migrate", "migrate a schema", "verify", "inspect", "query",
         "wrong settings", "an existing target", "a full target", "store"]
if program.engine() < (4,):  # which migrates no schema of a database of format 4
    NAMES.remove("migrate a schema")
EARLY = ["an existing target", "a full target"]


# Refused before a key is taken, a variable stays as its user set it.
@pytest.mark.parametrize("name, way", [(name, way) for name in NAMES for way in ("file", "own variable")
                                       if way == "file" or name not in EARLY])
def test_nothing_at_the_end(work, keys, locked, name, way):
    args, status = commands(work, keys, locked)[name]
    options, env, _ = given(keys)[way]
    with Stopped(work, "exit", *args, *options, env=env) as run:
        hits = memory(run.process.pid, needles(locked, work / "out.db"))
        assert run.finish() == status
    if name == "store":
        program.run("key", "delete", args[2])
    assert hits == {}


def test_nothing_of_a_typed_key(work, locked):
    env = program.clean_env(shim.environment(work, None, "exit", 1, "stop"))
    child, terminal = pty.fork()
    if child == 0:
        os.execve(program.BIN, [str(program.BIN), "verify", *FEW, str(locked)], env)
    seen = b""
    while b"ey" not in seen:
        seen += os.read(terminal, 1000)
    time.sleep(0.1)
    os.write(terminal, WORDS.encode() + b"\n")
    end = time.monotonic() + 60
    while state(child) not in "TtZ" and time.monotonic() < end:
        time.sleep(0.01)
    assert state(child) in "Tt", os.read(terminal, 10000)
    hits = memory(child, needles(locked))
    os.kill(child, signal.SIGCONT)
    try:
        while os.read(terminal, 10000):
            pass
    except OSError:  # the terminal's other end closed
        pass
    assert os.waitpid(child, 0)[1] == 0
    os.close(terminal)
    assert hits == {}


def test_nothing_of_a_key_that_is_shown(work, keys):
    name = f"test-{os.getpid()}-shown"
    done = program.run("key", "store", name, "--key-file", keys.file(WORDS))
    assert done.exit == 0, done
    try:
        with Stopped(work, "exit", "key", "show", name) as run:
            hits = memory(run.process.pid, needles())
            assert run.finish() == 0 and run.output() == WORDS.encode() + b"\n"
    finally:
        subprocess.run([program.BIN, "key", "delete", name], check=True, capture_output=True,
                       env=program.clean_env())
    assert hits == {}


def test_nothing_of_a_key_that_was_made(work):
    with Stopped(work, "exit", "key", "generate", "--output", work / "app.key") as run:
        key = (work / "app.key").read_bytes().strip()[2:-1]
        raw = bytes.fromhex(key.decode())
        hits = memory(run.process.pid, forms("digits", key) | forms("bytes", raw))
        assert run.finish() == 0
    assert hits == {}
