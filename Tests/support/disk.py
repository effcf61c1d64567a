# A file system whose free space a test chooses: a tmpfs in a mount namespace of its own, which ends
# with the process that holds it, however the test ends. dbseal is run inside of it; the test looks in
# from outside, through /proc.
import os
import subprocess
from pathlib import Path

from support import program

# An ordinary user may mount where it is root of a user namespace of its own.
ROOT = os.getuid() == 0


class SmallDisk:
    """A disk, while the block runs."""

    # What a tmpfs gives out: any other free space is the same as the next lower multiple.
    PAGE = os.sysconf("SC_PAGESIZE")

    def __init__(self, place, size, inodes=64):
        self.inside = Path(place)
        self.inside.mkdir()
        script = ('mount -t tmpfs -o "size=$1,nr_inodes=$2,mode=700" none "$0" && echo ready && '
                  'exec cat')
        self.process = subprocess.Popen(
            ["unshare", *([] if ROOT else ["--map-root-user"]), "--mount", "sh", "-c", script,
             self.inside, str(size), str(inodes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # What dbseal sees as `inside`.
        self.outside = Path(f"/proc/{self.process.pid}/root{self.inside}")

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_):
        self.process.communicate()

    def free(self):
        """Bytes that are left."""
        found = os.statvfs(self.outside)
        return found.f_bavail * found.f_bsize

    def clear(self):
        """Gives all room back."""
        for path in self.outside.glob("filler*"):
            path.unlink()

    def leave(self, size):
        """Fills the disk up so that `size` bytes are left."""
        with open(self.outside / "filler", "wb") as file:
            rest = self.free() - size
            assert rest >= 0, f"only {self.free()} are free"
            if rest:
                os.posix_fallocate(file.fileno(), 0, rest)
        assert self.free() == size

    def leave_files(self, count):
        """Fills the disk up with empty files so that `count` more can be made."""
        self.clear()
        number = 0
        while os.statvfs(self.outside).f_ffree > count:
            (self.outside / f"filler-{number}").touch()
            number += 1
        assert os.statvfs(self.outside).f_ffree == count

    def run(self, *args, env=None):
        """Runs dbseal where the disk is."""
        enter = ["--target", self.process.pid, "--mount"]
        if not ROOT:
            enter += ["--user", "--preserve-credentials"]
        variables = [f"{name}={value}" for name, value in (env or {}).items()]
        return program.run(*enter, "env", *variables, program.BIN, *args, binary="nsenter")


def copied(path, folder, suffixes=("",)):
    """What is on a small disk, where a judge can open it."""
    for suffix in suffixes:
        copy = folder / f"copy.db{suffix}"
        copy.unlink(missing_ok=True)
        if os.path.exists(f"{path}{suffix}"):
            copy.write_bytes(Path(f"{path}{suffix}").read_bytes())
    return folder / "copy.db"
