# Plan: a key is in no arguments and no environment, but for the variable that its user put it in.
# - of every way to give a key, for each key of a command: each program that is started (strace, arguments
#   and environment), and the arguments of dbseal itself, hold it in no form;
# - DBSEAL_KEY and every variable that an option or a field of a manifest names are handed on to nobody;
#   all others are; no descriptor above 2 is handed on;
# - once read, it is not in /proc/PID/environ of dbseal either, and a variable serves two keys;
# - another process of the same user sees neither environment nor memory of a run;
# - migrations, checks and queries start no program at all;
# - no file is asked for by the name of a key, where a run looks whether one is called so (strace).
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import peers, program, samples
from support.secrets import Stopped, forms, found, traced

WORDS, OTHER = "a passphrase for looking at", "quite another set of words"
FEW = ["--kdf-iter", "10"]
READ_FEW = ["--source-kdf-iter", "10"]


@pytest.fixture
def locked(work):
    """A database under WORDS, with few rounds."""
    return peers.create_sealed(work / "locked.db", WORDS, [("kdf_iter", 10)], samples.fill)


def ways(keys, words, prefix=""):
    """Name to options, environment, standard input and whether a program is started."""
    path = keys.file(words + "\n", "words" + prefix)
    name = "DBSEAL_" + prefix.upper().replace("-", "_") + "KEY"
    return {
        "file": ([f"--{prefix}key-file", path], {}, b"", False),
        "standard input": ([f"--{prefix}key-file", "-"], {}, words.encode(), False),
        "descriptor": ([f"--{prefix}key-fd", "0"], {}, words.encode(), False),
        "variable": ([f"--{prefix}key-env", "MINE"], {"MINE": words}, b"", False),
        "own variable": ([], {name: words}, b"", False),
        "file by variable": ([], {name + "_FILE": str(path)}, b"", False),
        "command": ([f"--{prefix}key-command", f"cat '{path}'"], {}, b"", True),
        "command by variable": ([], {name + "_COMMAND": f"cat '{path}'"}, b"", True),
    }


def look(trace, expected):
    """No program but dbseal itself was given a key; that many more were started."""
    needles = forms("words", WORDS) | forms("other", OTHER)
    first, *others = trace.programs
    # The last argument of execve is the environment, which is the tester's own.
    assert found(needles, first[:first.rindex(b"[")]) == []
    started = [line for line in others if b"ENOENT" not in line]
    assert len(started) == expected, started
    for line in started:
        assert found(needles, line) == [], line[:200]
    assert found(needles, trace.out + trace.err) == []


WAYS = ["file", "standard input", "descriptor", "variable", "own variable", "file by variable",
        "command", "command by variable"]


@pytest.mark.parametrize("way", WAYS)
def test_the_key_of_a_database(work, keys, locked, way):
    options, env, stdin, starts = ways(keys, WORDS)[way]
    trace = traced(keys.folder, "verify", *FEW, locked, *options, env=env, stdin=stdin)
    assert trace.exit == 0, trace.err
    look(trace, int(starts))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("prefix", ["new-", "against-"])
def test_the_other_key(work, keys, locked, way, prefix):
    options, env, stdin, starts = ways(keys, OTHER if prefix == "new-" else WORDS, prefix)[way]
    # The first key comes by a command: it must not be given the second.
    first = ["--key-command", f"cat '{keys.file(WORDS, 'first')}'"]
    if prefix == "new-":
        args = ["rekey", *READ_FEW, *FEW, locked, work / "new.db"]
    else:
        other = shutil.copy(locked, work / "other.db")
        args = ["verify", *FEW, locked, "--against", other, "--against-kdf-iter", "10"]
    trace = traced(keys.folder, *args, *first, *options, env=env, stdin=stdin)
    assert trace.exit == 0, trace.err
    # A key that seals is asked for twice.
    look(trace, 1 + int(starts) * (2 if prefix == "new-" else 1))


def test_what_a_command_sees_of_the_environment(work, keys, locked):
    seen = keys.folder / "seen"
    env = {"MINE": WORDS, "DBSEAL_KEY": OTHER, "DBSEAL_NEW_KEY": OTHER, "DBSEAL_AGAINST_KEY": OTHER,
           "STAYS": "yes"}
    line = f"sh -c 'cat /proc/self/environ > \"{seen}\"; cat \"{keys.file(OTHER, 'o')}\"'"
    done = program.run("rekey", *READ_FEW, *FEW, locked, work / "new.db", "--key-env", "MINE",
                       "--new-key-command", line, env=env)
    assert done.exit == 0, done
    names = {part.split(b"=")[0] for part in seen.read_bytes().split(b"\0")}
    assert names & {name.encode() for name in env} == {b"STAYS"}
    assert found(forms("words", WORDS) | forms("other", OTHER), seen.read_bytes()) == []


@pytest.mark.parametrize("words", [
    "key list", "key generate --keyring test-launched", "verify --keyring test-launched locked.db",
    "rekey --key-env MINE --new-keyring test-launched locked.db"])
def test_what_the_library_of_a_key_store_starts(work, keys, locked, words):
    """GLib starts dbus-launch where the address of the bus says so."""
    seen, folder = keys.folder / "seen", keys.folder / "bin"
    folder.mkdir()
    launcher = folder / "dbus-launch"
    launcher.write_text(f"#!/bin/sh\ncat /proc/self/environ >>'{seen}'\nexit 1\n")
    launcher.chmod(0o755)
    env = {"MINE": WORDS if "MINE" in words else "", "DBSEAL_KEY": OTHER, "DBSEAL_NEW_KEY": OTHER,
           "DBSEAL_AGAINST_KEY": OTHER, "STAYS": "yes", "DBUS_SESSION_BUS_ADDRESS": "autolaunch:", "DISPLAY": ":99",
           "PATH": f"{folder}:{os.environ['PATH']}"}
    done = program.run(*words.split(), *(FEW if "verify" in words else []), env=env, cwd=work)
    assert done.exit == (0 if "list" in words else 3), done
    assert b"STAYS=yes" in seen.read_bytes(), done
    assert found(forms("words", WORDS) | forms("other", OTHER), seen.read_bytes()) == []


@pytest.mark.parametrize("first", [True, False])
def test_what_a_command_of_a_manifest_sees(work, keys, locked, first):
    """Not the variables of the other entries either, whichever comes first."""
    seen, other = keys.folder / "seen", shutil.copy(locked, work / "other.db")
    shutil.copy(locked, work / "third.db")
    command = f"sh -c 'cat /proc/self/environ > \"{seen}\"; cat \"{keys.file(WORDS, 'o')}\"'"
    entries = [{"file": locked.name, "kdf_iter": 10, "key_command": command},
               {"file": other.name, "kdf_iter": 10, "key_env": "ENTRY"},
               {"file": "third.db", "kdf_iter": 10, "encrypted": True}]
    path = work / "fixtures.json"
    path.write_text(json.dumps({"dbseal_manifest": 1,
                                "databases": entries if first else entries[::-1]}))
    done = program.run("verify", "--manifest", path, "--key-env", "LINE",
                       env={"ENTRY": WORDS, "LINE": WORDS, "STAYS": "yes"})
    assert done.exit == 0, done
    names = {part.split(b"=")[0] for part in seen.read_bytes().split(b"\0")}
    assert names & {b"ENTRY", b"LINE", b"STAYS"} == {b"STAYS"}


def test_what_a_command_sees_of_descriptors(work, keys, locked):
    seen, old, stray = keys.folder / "seen", keys.file(WORDS, "old"), keys.file(OTHER, "stray")
    files = [os.open(path, os.O_RDONLY) for path in (old, stray)]
    line = f"sh -c 'ls -l /proc/$$/fd > \"{seen}\"; cat \"{keys.file(OTHER, 'o')}\"'"
    done = program.run("rekey", *READ_FEW, *FEW, locked, work / "new.db", "--key-fd", files[0],
                       "--new-key-command", line, fds=files)
    for file in files:
        os.close(file)
    assert done.exit == 0, done
    listed = seen.read_text()
    assert "/dev/null" in listed and str(old) not in listed and str(stray) not in listed, listed


@pytest.mark.parametrize("way", ["variable", "own variable"])
def test_a_variable_is_empty_once_it_was_read(work, keys, locked, way):
    options, env, _, _ = ways(keys, WORDS)[way]
    with Stopped(work, "create", "decrypt", *FEW, locked, work / "plain.db", *options,
                 env=env | {"STAYS": "here"}) as run:
        if os.geteuid() != 0:
            pytest.skip("only root may look at the environment of a process that forbids it")
        environ = Path(f"/proc/{run.process.pid}/environ").read_bytes()
        assert b"STAYS=here" in environ
        assert found(forms("words", WORDS), environ) == []
        assert run.finish() == 0


def test_a_variable_for_two_keys(work, locked):
    other = shutil.copy(locked, work / "other.db")
    done = program.run("verify", *FEW, locked, "--key-env", "MINE", "--against", other,
                       "--against-key-env", "MINE", "--against-kdf-iter", "10", env={"MINE": WORDS})
    assert done.exit == 0, done


def test_nobody_else_looks_in():
    """Not even another process of the same user, who is an ordinary one."""
    with tempfile.TemporaryDirectory(prefix="dbseal-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(program.BIN, folder / "program")
        script = f"""
          export DBSEAL_KEY='{WORDS}'
          sleep 30 & other=$!
          "{folder}/program" key store app --key-file - < "{folder}/pipe" & run=$!
          exec 3> "{folder}/pipe"
          sleep 0.5
          cat /proc/$other/environ > /dev/null && echo sees another
          for what in environ mem maps; do cat /proc/$run/$what > /dev/null && echo sees $what; done
          kill $other $run
          wait
        """
        os.mkfifo(folder / "pipe", 0o666)
        os.chmod(folder / "pipe", 0o666)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = subprocess.run((nobody if os.getuid() == 0 else []) + ["sh", "-c", script],
                              capture_output=True, env=program.clean_env())
        assert done.stdout == b"sees another\n", done
        assert done.stderr.lower().count(b"permission denied") == 3, done


def test_no_program_is_started(work, keys, locked):
    (work / "sql").mkdir()
    (work / "sql/1.sql").write_text("CREATE TABLE more(a);")
    path = keys.file(WORDS, "k")
    # An engine of before format 4 migrates schemas of format 3.
    number = "4" if program.engine() >= (4,) else "3"
    for args in (["verify", *FEW, locked], ["inspect", *FEW, locked, "--tables"],
                 ["inspect", *FEW, locked, "--query", "SELECT 1"],
                 ["migrate", *READ_FEW, "--format", number, locked, work / "new.db"],
                 ["migrate", "--schema", work / "sql", work / "new.db"]):
        trace = traced(keys.folder, *args, "--key-file", path)
        assert trace.exit == 0, trace.err
        look(trace, 0)


@pytest.mark.parametrize("words", [
    OTHER, "/" + OTHER, "some/" + OTHER, "/usr/" + OTHER, "./" + OTHER, "/usr/../" + OTHER,
    "/usr/lib/" + OTHER + "/x"])
@pytest.mark.parametrize("command", ["encrypt", "rekey", "verify"])
def test_no_file_is_asked_for_by_a_key(work, keys, locked, tmp_path, command, words):
    log = tmp_path / "calls"
    key = ["--key-file", keys.file(words, "other")]
    args = {"encrypt": ["encrypt", samples.plain(work / "plain.db"), work / "new.db", *FEW, *key],
            "rekey": ["rekey", *READ_FEW, *FEW, locked, work / "new.db", "--key-file", keys.file(WORDS),
                      "--new-key-file", key[1]],
            "verify": ["verify", *FEW, locked, *key]}[command]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-s", "200", "-e", "trace=file", "-o", str(log), str(program.BIN),
         *map(str, args)], capture_output=True, env=program.clean_env(), cwd=work)
    assert done.returncode == (4 if command == "verify" else 0), done
    calls = log.read_bytes()
    assert b"locked.db" in calls or b"plain.db" in calls
    assert OTHER.encode() not in calls
