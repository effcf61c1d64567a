# How secrets are looked for: the forms in which a text, a key or what is derived from it may appear, and
# where: what a run gave to the system to write (by strace), and the memory of a process (as root).
import hashlib
import os
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

import pytest

from support import program, shim

WRITES = "write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,sendfile,splice,copy_file_range"
OPENS = "openat,open,creat,memfd_create,mmap"


def forms(name, data):
    """Name to bytes: the data, its hex, UTF-16 in both orders, and each half of it."""
    data = data.encode() if isinstance(data, str) else data
    half = len(data) // 2
    return {
        name: data, f"{name} as hex": data.hex().encode(), f"{name} as HEX": data.hex().upper().encode(),
        f"{name} as UTF-16": b"".join(bytes([byte, 0]) for byte in data),
        f"{name} as UTF-16BE": b"".join(bytes([0, byte]) for byte in data),
        f"first half of {name}": data[:half], f"second half of {name}": data[half:]}


def derived(name, passphrase, salt, rounds=256000):
    """The same of both keys that format 4 derives, by hashlib."""
    key = hashlib.pbkdf2_hmac("sha512", passphrase.encode(), salt, rounds, 32)
    mac = hashlib.pbkdf2_hmac("sha512", key, bytes(byte ^ 0x3a for byte in salt), 2, 32)
    return forms(f"derived {name}", key) | forms(f"tag key of {name}", mac)


def found(needles, data):
    """Names of what is in the data."""
    return sorted(name for name, needle in needles.items() if needle in data)


# ---- what is written ---------------------------------------------------------------------------


@dataclass
class Trace:
    """What a run did, as strace saw it."""
    exit: int
    out: bytes
    err: bytes
    # (call, path of the descriptor, number of the descriptor, bytes), in order.
    writes: list
    # (path, flags) of what was opened or made.
    opens: list
    # Whole lines of execve.
    programs: list
    # Paths of files that were mapped shared and writable.
    maps: list

    def written(self):
        """Place to all bytes that went there: a path, or what the descriptor was."""
        places = {}
        for _, path, _, data in self.writes:
            places.setdefault(path, []).append(data)
        return {path: b"".join(pieces) for path, pieces in places.items()}


def traced(folder, *args, env=None, stdin=b"", cwd=None, inject=()):
    """Runs dbseal under strace, which may make calls fail (`call:error=…:when=N`)."""
    if os.geteuid() != 0:
        pytest.skip("dbseal shows its memory to root only, so nobody else sees what it writes")
    log = folder / "strace.log"
    command = ["strace", "-f", "-q", "-v", "-y", "-xx", "-s", "16000000", "-o", str(log), "-e",
               f"trace=execve,execveat,{WRITES},{OPENS}"
               + "".join("," + rule.split(":")[0] for rule in inject)]
    for rule in inject:
        command += ["-e", "inject=" + rule]
    done = subprocess.run(command + [str(program.BIN)] + [str(arg) for arg in args], input=stdin,
                          capture_output=True, env=program.clean_env(env), cwd=cwd, timeout=300)
    trace = Trace(done.returncode, done.stdout, done.stderr, [], [], [], [])
    with open(log, "rb") as file:
        for line in file:
            _read(line, trace)
    log.unlink()
    return trace


CALL = re.compile(rb"^\d+ +(\w+)\((.*)", re.S)
TEXT = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
DESCRIPTOR = re.compile(rb"(\d+)<([^>]*)>")


def _plain(text):
    return bytes.fromhex(text.replace(b"\\x", b"").decode()) if b"\\x" in text else text


def _read(line, trace):
    match = CALL.match(line)
    if not match:
        return
    call, rest = match.group(1).decode(), match.group(2)
    if call.startswith("exec"):
        trace.programs.append(TEXT.sub(lambda m: _plain(m.group(1)), line))
    elif call in WRITES.split(","):
        which = DESCRIPTOR.match(rest)
        assert which, line[:300]
        pieces = TEXT.findall(rest)
        assert all(not cut for _, cut in pieces), "strace cut what was written"
        data = b"".join(_plain(piece) for piece, _ in pieces)
        trace.writes.append((call, os.fsdecode(_plain(which.group(2))), int(which.group(1)), data))
    elif call in ("openat", "open", "creat", "memfd_create"):
        path = TEXT.search(rest)
        flags = rest[path.end():].split(b")")[0].decode() if path else ""
        failed = b"= -1 " in line
        if path and not failed:
            trace.opens.append((call, os.fsdecode(_plain(path.group(1))), flags))
    elif call == "mmap" and b"MAP_SHARED" in rest and b"PROT_WRITE" in rest:
        which = DESCRIPTOR.search(rest)
        trace.maps.append(os.fsdecode(_plain(which.group(2))) if which else "")


# ---- what is in memory -------------------------------------------------------------------------


@dataclass
class Place:
    """Where a needle was found."""
    address: int
    region: str
    flags: set


def memory(pid, needles):
    """Name of each needle that the memory of a process holds, and where. Needs root."""
    hits = {}
    for first, last, region, flags in _regions(pid):
        try:
            with open(f"/proc/{pid}/mem", "rb", 0) as file:
                file.seek(first)
                data = file.read(last - first)
        except OSError:  # the kernel's own pages
            continue
        for name, needle in needles.items():
            at = data.find(needle)
            while at >= 0:
                hits.setdefault(name, []).append(Place(first + at, region, flags))
                at = data.find(needle, at + 1)
    return hits


def _regions(pid):
    """Address range, name and flags (as smaps calls them) of each readable region."""
    regions = []
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)", line)
            if head:
                regions.append([int(head[1], 16), int(head[2], 16), head[4], set(), head[3]])
            elif line.startswith("VmFlags:"):
                regions[-1][3] = set(line.split()[1:])
    return [region[:4] for region in regions if "r" in region[4]]


def state(pid):
    """The letter of a process's state: `T` is stopped, `Z` is over."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


class Stopped:
    """A run of dbseal that stands still just before a call on files in a folder, or at its end."""

    def __init__(self, folder, call, *args, at=1, env=None, stdin=b"", **more):
        env = shim.environment(folder, None, call, at, "stop") | (env or {})
        # A file, because nobody would empty a pipe.
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(program.BIN)] + [str(arg) for arg in args], env=program.clean_env(env),
            stdin=subprocess.PIPE, stdout=self.said, stderr=subprocess.STDOUT, **more)
        self.process.stdin.write(stdin)
        self.process.stdin.close()
        end = time.monotonic() + 60
        while state(self.process.pid) not in "TtZ":
            assert time.monotonic() < end, f"did not come to {call}"
            time.sleep(0.005)
        assert state(self.process.pid) != "Z", self.output()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.said.close()

    def finish(self):
        """Lets it go on; its exit status."""
        self.process.send_signal(signal.SIGCONT)
        return self.process.wait(60)

    def output(self):
        """What it said on both streams so far."""
        self.said.seek(0)
        return self.said.read()
