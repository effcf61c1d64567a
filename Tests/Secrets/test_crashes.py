# Plan: a crash shows nothing of a key.
# - the limit of core files is 0 and cannot be raised, and the process is not dumpable, whatever the
#   caller allows; a process beside it, with the same limits, is;
# - each signal by which a process crashes, sent while keys are in memory, is what it dies of, without a
#   core file (the kernel's own word), without a line of output, and with Swift's crash report asked for.
import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support import peers, program, samples
from support.secrets import Stopped, forms, found

WORDS = "a passphrase that is in a register"
CRASHES = [signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP]


@pytest.fixture
def locked(work):
    return peers.create_sealed(work / "locked.db", WORDS, [("kdf_iter", 10)], samples.fill)


def allow_core_files():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def reports():
    """What turns Swift's crash report on, with the program that writes it where it is installed."""
    swift = shutil.which("swift")
    tools = Path(swift).resolve().parent.parent / "libexec/swift/linux" if swift else Path("/none")
    found = sorted(tools.glob("swift-backtrace*"))
    program_text = f",swift-backtrace={found[-1]}" if found else ""
    return {"SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no" + program_text}


def decrypting(work, keys, locked):
    """A run that has derived its keys and is about to make its output."""
    return Stopped(work, "create", "decrypt", "--kdf-iter", "10", locked, work / "out.db",
                   "--key-file", keys.file(WORDS), env=reports(), preexec_fn=allow_core_files, cwd=work)


def test_limits(work, keys, locked):
    with decrypting(work, keys, locked) as run:
        limits = Path(f"/proc/{run.process.pid}/limits").read_text()
        line = next(line for line in limits.splitlines() if "core file" in line)
        assert line.split()[-3:-1] == ["0", "0"], line
        assert run.finish() == 0


def test_not_dumpable(tmp_path):
    """What cannot be dumped has files in /proc that belong to root (proc(5), /proc/PID)."""
    user = 65534 if os.getuid() == 0 else os.getuid()
    nobody = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    copy = Path("/tmp") / f"dbseal-test-{os.getpid()}"
    shutil.copy(program.BIN, copy)
    owners = []
    try:
        for args in ([copy, "key", "store", "app", "--key-file", "-"], ["sleep", "60"]):
            process = subprocess.Popen((nobody if os.getuid() == 0 else []) + [str(a) for a in args],
                                       stdin=subprocess.PIPE, env=program.clean_env())
            try:
                process.wait(0.5)
            except subprocess.TimeoutExpired:
                owners.append(os.stat(f"/proc/{process.pid}/environ").st_uid)
            process.kill()
            process.wait()
    finally:
        copy.unlink()
    assert owners == [0, user]


@pytest.mark.parametrize("sent", CRASHES, ids=lambda number: number.name)
def test_crashes_say_nothing(work, keys, locked, sent):
    with decrypting(work, keys, locked) as run:
        run.process.send_signal(sent)
        run.process.send_signal(signal.SIGCONT)
        _, status = os.waitpid(run.process.pid, 0)
        run.process.returncode = -sent
        out = run.output()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == sent
    assert not os.WCOREDUMP(status)
    assert out == b"" and found(forms("words", WORDS), out) == []
    left = [name for name in os.listdir(work) if ".dbseal-" in name]
    assert sorted(os.listdir(work)) == sorted(["locked.db", *left])
    for name in left:
        (work / name).unlink()
