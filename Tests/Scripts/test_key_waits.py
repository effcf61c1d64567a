# Plan: a key that does not come is not waited for without an end, and a file that is no key is told
# apart by its sentence.
# - a FIFO without a writer, one whose writer says nothing or only half, a silent descriptor, standard
#   input, a command that hangs, one that prints and goes on, one that ignores SIGTERM: exit 3 after the
#   time that --key-timeout says; what was started is gone, and what that started in its turn;
# - the terminal is as it was after a command that had turned its echo off, however it was ended;
# - a writer that takes its time, but not too much, is heard;
# - every kind of bad key file with a sentence of its own, for each of a command's keys.
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from support import peers, program
from support.refusal import refuse

WORDS = "words that come late"


def late(work, source, *options, **more):
    found = refuse(work, "no_key", "encrypt", source, work / "out.db", "--key-timeout", "0.5",
                   *options, **more)
    assert "0.5 seconds" in found["message"] and "--key-timeout" in found["hint"], found


def test_a_fifo_that_nobody_writes(work, source, keys):
    os.mkfifo(keys.folder / "pipe", 0o600)
    late(work, source, "--key-file", keys.folder / "pipe")
    late(work, source, "--key-command", f"cat '{keys.folder / 'pipe'}'")


@pytest.mark.parametrize("half", [b"", b"half a "])
def test_writers_that_do_not_finish(work, source, keys, half):
    reading, writing = os.pipe()
    os.write(writing, half)
    late(work, source, "--key-fd", str(reading), fds=[reading])
    os.write(writing, half)
    late(work, source, "--key-file", "-", stdin=os.fdopen(reading, "rb", closefd=False))
    os.close(reading)
    os.close(writing)


def test_a_writer_that_takes_its_time(work, source, keys):
    path = keys.folder / "pipe"
    os.mkfifo(path, 0o600)
    program.remember(WORDS)

    def write():
        time.sleep(0.3)
        with open(path, "wb", buffering=0) as pipe:
            for part in (WORDS[:5], WORDS[5:], "\n"):
                pipe.write(part.encode())
                time.sleep(0.2)

    thread = threading.Thread(target=write)
    thread.start()
    program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-file", path)
    thread.join()
    peers.sound(peers.sealed(work / "out.db", WORDS, [("kdf_iter", 10)]))


def left(mark):
    found = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split()
    return [each for each in found if int(each) != os.getpid()]


@pytest.mark.parametrize("script", [
    "exec sleep 600.{0}", "echo words; exec sleep 600.{0}", "echo words; exec >&-; exec sleep 600.{0}",
    "trap '' TERM; while :; do sleep 0.1; : 600.{0}; done"])
def test_commands_that_hang_are_ended(work, source, script):
    mark = f"{os.getpid()}{abs(hash(script)) % 10000}"
    script = script.format(mark)
    late(work, source, "--key-command", f'sh -c "{script}"')
    assert left("600[.]" + mark) == []


@pytest.mark.parametrize("script", [
    "sleep 600.{0}", "sleep 600.{0} & sleep 600.{0}", "(sleep 600.{0}; true); true",
    "sh -c 'sleep 600.{0}; true' & wait", "trap '' TERM; sh -c 'trap : TERM; sleep 600.{0}; true'; true"])
@pytest.mark.parametrize("how", ["time", "signal"])
def test_what_a_command_started_is_ended_with_it(work, source, keys, script, how):
    """Also where the command itself goes at once, and its child would be nobody's."""
    mark = f"{os.getpid()}{abs(hash(script)) % 10000}"
    path = keys.folder / "script"
    path.write_text("#!/bin/sh\n" + script.format(mark) + "\n")
    path.chmod(0o700)
    if how == "time":
        late(work, source, "--key-command", f"sh '{path}'")
    else:
        process = program.start("encrypt", source, work / "out.db", "--key-command", f"sh '{path}'")
        end = time.monotonic() + 30
        while not left("600[.]" + mark) and time.monotonic() < end:
            time.sleep(0.01)
        assert left("600[.]" + mark), "it was never started"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGTERM
    assert left("600[.]" + mark) == []


@pytest.fixture
def asking(keys):
    """A command that asks for a password, as age and pinentry do, and then does something."""
    def make(then):
        path = keys.folder / "asking"
        path.write_text("#!/bin/sh\nstty -echo -icanon </dev/tty\nprintf 'Password: ' >/dev/tty\n"
                        + then + "\n")
        path.chmod(0o700)
        return ["--key-command", shlex.quote(str(path))]
    return make


def test_the_terminal_is_as_it_was_after_a_command_that_took_too_long(work, source, asking):
    """run_tty fails where echo is left off."""
    done = program.run_tty("encrypt", source, work / "out.db", "--key-timeout", "1",
                           *asking("exec sleep 600"))
    assert done.exit == 3 and b"Password: \r\n" in done.out, done
    assert b"did not come within 1 second" in done.out


@pytest.mark.parametrize("then, status", [
    ("kill -9 $$", 3), ("trap '' INT; kill -INT $PPID; exec sleep 600", -signal.SIGINT)],
    ids=["itself", "dbseal"])
def test_the_terminal_is_as_it_was_after_a_signal(work, source, asking, then, status):
    done = program.run_tty("encrypt", source, work / "out.db", *asking(then))
    assert done.exit == status and b"Password: \r\n" in done.out, done


def test_in_the_background_the_terminal_is_left_alone(work, source):
    """Who changes it there is stopped, for ever."""
    line = shlex.join([str(program.BIN), "encrypt", str(source), str(work / "out.db"), "--key-timeout",
                       "1", "--key-command", "sleep 600"])
    done = program.run_tty(
        "-c", f"set -m; {line} & sleep 0.3; stty -echo; wait $!; stty echo; echo ended with $?",
        binary="/bin/bash")
    assert b"ended with 0" in done.out and b"did not come within" in done.out, done


def test_what_left_the_group_stays(work, source, keys):
    """An agent that a command starts for later is none of ours."""
    mark = f"{os.getpid()}7"
    late(work, source, "--key-command",
         f"sh -c 'setsid sleep 600.{mark} >/dev/null 2>&1 & sleep 601.{mark}'")
    stays = left("600[.]" + mark)
    assert stays and left("601[.]" + mark) == []
    for each in stays:
        os.kill(int(each), signal.SIGKILL)


def test_a_command_does_not_inherit_the_other_key(work, sealed, keys):
    seen = keys.folder / "environment"
    program.remember("x'" + "a1b2c3d4" * 8 + "'")
    done = program.run("rekey", sealed, work / "new.db", "--key-env", "OLD", "--new-key-command",
                       f"sh -c 'env > \"{seen}\"; echo the new words'",
                       env={"OLD": "x'" + "a1b2c3d4" * 8 + "'", "OTHER": "stays"})
    assert done.exit == 0, done
    assert b"OTHER=stays" in seen.read_bytes()
    program.no_secret(seen.read_bytes())


def test_a_command_may_say_things(work, source):
    done = program.run("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-command",
                       "sh -c 'echo \"unlocking the vault\" >&2; echo words'")
    assert done.exit == 0 and b"unlocking the vault" in done.err, done


BAD = {
    "two lines": (b"one\ntwo\n", "line"), "utf-8 mark": (b"\xef\xbb\xbfkey\n", "byte-order mark"),
    "utf-16": ("key\n".encode("utf-16"), "UTF-16"), "nul": (b"k\0y", "NUL"),
    "empty": (b"", "empty"), "line end": (b"\r\n", "empty"),
    "100 kB of lines": (b"0123456789abcde\n" * 6400, "line"),
    "over 1 MiB": (b"k" * ((1 << 20) + 1), "longer than 1048576"),
    "another's raw key": (b"x'zz'", "raw key"),
}


@pytest.mark.parametrize("prefix", ["", "new-", "against-"])
@pytest.mark.parametrize("kind", [*BAD, "open to others", "folder", "missing", "socket"])
def test_every_bad_key_file_has_its_sentence(work, sealed, keys, kind, prefix):
    good = keys.raw()
    path = keys.folder / "bad"
    said = {"open to others": "others can read it (mode 644)", "folder": "directory",
            "missing": "no such file", "socket": "no such device"}.get(kind)
    if kind in BAD:
        data, said = BAD[kind]
        keys.file(data, "bad")
    elif kind == "open to others":
        keys.file("a key", "bad", mode=0o644)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        subprocess.run([sys.executable, "-c",
                        "import socket,sys;socket.socket(socket.AF_UNIX).bind(sys.argv[1])", path],
                       check=True)
    other = shutil.copy(sealed, keys.folder / "other.db")
    command = {"": ["verify", sealed], "new-": ["rekey", sealed, "--key-file", good],
               "against-": ["verify", sealed, "--key-file", good, "--against", other]}[prefix]
    found = refuse(work, "no_key", *command, f"--{prefix}key-file", path)
    assert said in found["message"], found
    if prefix and found["hint"] and "binary" in found["hint"]:
        assert f"--{prefix}key-binary" in found["hint"], found


def test_100_kb_in_one_line_are_a_key(work, source, keys):
    program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-file",
               keys.file("k" * 100000 + "\r\n"))
    peers.sound(peers.sealed(work / "out.db", "k" * 100000, [("kdf_iter", 10)]))
