# Runs the built binary as a user does: arguments, environment, standard input, a terminal. Every
# run also proves that no key that the test made shows up in anything that the binary printed.
import fcntl
import functools
import json
import os
import pty
import re
import select
import subprocess
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("DBSEAL_BIN", ROOT / ".build/release/dbseal")).absolute()
# Code to exit status: the table in Docs/guide.md.
EXIT = {
    "ok": 0, "check_failed": 1, "usage": 2, "no_key": 3, "wrong_key": 4, "damaged": 5,
    "wrong_kind": 6, "exists": 7, "locked": 8, "io": 9, "unsupported": 10,
    "migration_failed": 11, "self_check_failed": 70,
}
_secrets = set()


def missing():
    """What the run cannot do without, as sentences."""
    return [] if os.access(BIN, os.X_OK) else [f"no binary at {BIN}: run make release"]


@functools.cache
def version_text():
    done = subprocess.run([BIN, "--version"], capture_output=True, text=True, env=clean_env())
    return " ".join(done.stdout.split())


@functools.cache
def engine():
    """Version of the SQLCipher inside the binary, as a tuple: (3, 4, 1) or (4, 6, 1)."""
    found = re.search(r"SQLCipher\D{0,20}?(\d+)\.(\d+)\.(\d+)", version_text())
    assert found, f"--version does not name its SQLCipher: {version_text()}"
    return tuple(int(part) for part in found.groups())


def clean_env(extra=None):
    """The environment without anything that dbseal reads, be it of the tester's terminal, and without a
    desktop session, where the tester's own keys are."""
    own = ("CREDENTIALS_DIRECTORY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY",
           "WAYLAND_DISPLAY", "TERM", "NO_COLOR", "COLUMNS")
    env = {k: v for k, v in os.environ.items() if not k.startswith("DBSEAL_") and k not in own}
    env.update(extra or {})
    return env


def remember(secret):
    """From now on this text (bytes, or its hex) must be in no output."""
    secret = secret.encode() if isinstance(secret, str) else secret
    if len(secret) >= 6:
        _secrets.add(secret)
        _secrets.add(secret.hex().encode())


def forget_all():
    _secrets.clear()


class Keys:
    """Key files of mode 0600, whose content is remembered as secret."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        forget_all()

    def file(self, text, name="key", mode=0o600):
        data = text.encode() if isinstance(text, str) else text
        remember(data.strip())
        path = self.folder / name
        # In one step: a run that was started with this file a moment ago may be about to read it.
        new = self.folder / f"{name}.new"
        new.write_bytes(data)
        new.chmod(mode)
        return new.replace(path)

    def raw(self, digits="a1b2c3d4" * 8, name="raw"):
        """A raw key of 64, 96 or 160 digits: no derivation, so runs are quick."""
        remember(digits)
        return self.file(f"x'{digits}'\n", name)


@dataclass
class Result:
    exit: int
    out: bytes
    err: bytes
    args: list = field(default_factory=list)

    @property
    def json(self):
        """The one object on standard output."""
        lines = self.out.splitlines()
        assert len(lines) == 1, f"not one line of JSON: {self}"
        return json.loads(lines[0])

    @property
    def objects(self):
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def text(self):
        return (self.out + self.err).decode(errors="replace")


def no_secret(*outputs):
    for secret in _secrets:
        for output in outputs:
            assert secret not in output, "a key was printed"


def run(*args, env=None, stdin=b"", cwd=None, fds=(), user=None, timeout=120, binary=None,
        memory=None, file_size=None):
    """Runs dbseal; `user` runs it as nobody, `memory` bounds its address space and `file_size` what
    it writes, in bytes. A signal's death is a negative exit."""
    argv = [str(binary or BIN)] + [a if isinstance(a, bytes) else str(a) for a in args]
    if user:
        argv = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] + argv
    if memory:
        argv = ["prlimit", f"--as={memory}"] + argv
    if file_size:
        argv = ["sh", "-c", 'trap "" XFSZ; exec prlimit --fsize="$0" "$@"', str(file_size)] + argv
    feed = {"stdin": stdin} if not isinstance(stdin, bytes) else {"input": stdin}
    done = subprocess.run(
        argv, capture_output=True, env=clean_env(env), cwd=cwd, pass_fds=fds, timeout=timeout,
        **feed)
    no_secret(done.stdout, done.stderr)
    return Result(done.returncode, done.stdout, done.stderr, argv)


def start(*args, env=None, cwd=None):
    """Starts dbseal and lets it run."""
    return subprocess.Popen(
        [str(BIN)] + [str(a) for a in args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=clean_env(env), cwd=cwd)


def ok(*args, **more):
    """Runs with --json and proves success; gives the object."""
    result = run(args[0], "--json", *args[1:], **more)
    assert result.exit == 0, result
    found = result.json
    assert found["ok"] is True and found["code"] == "ok" and found["exit"] == 0, found
    return found


def run_tty(*args, answers=(), env=None, cwd=None, timeout=60, binary=None, columns=80, then=None):
    """Runs dbseal on a terminal of its own; `answers` are (prompt, reply) in order. `then`: a number
    of columns that the terminal has from the first thing that it shows on."""
    parent, child = pty.openpty()
    termios.tcsetwinsize(child, (24, columns))

    def own_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [str(binary or BIN)] + [str(a) for a in args], stdin=child, stdout=child, stderr=child,
        env=clean_env(env), cwd=cwd, preexec_fn=own_terminal)
    shown, seen, end = b"", 0, time.monotonic() + timeout
    todo = list(answers)
    while time.monotonic() < end:
        ready = select.select([parent], [], [], 0.05)[0]
        if ready:
            shown += os.read(parent, 65536)
            if then:
                termios.tcsetwinsize(child, (24, then))
        elif process.poll() is not None:
            break
        if todo and todo[0][0].encode() in shown[seen:]:
            seen = len(shown)
            time.sleep(0.05)
            os.write(parent, todo.pop(0)[1].encode() + b"\n")
    if process.poll() is None:
        process.kill()
        raise AssertionError(f"still waiting after {timeout} s: {shown!r}")
    echo = bool(termios.tcgetattr(child)[3] & termios.ECHO)
    os.close(child)
    os.close(parent)
    no_secret(shown)
    assert echo, "the terminal was left without echo"
    assert not todo, f"never asked for {todo[0][0]!r}: {shown!r}"
    return Result(process.returncode, shown, b"", list(args))


def pragmas(found):
    """The PRAGMAs that a report says open its output, as (name, value)."""
    return [(p["name"], p["value"]) for p in found["pragmas"]]
