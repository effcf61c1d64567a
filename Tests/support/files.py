# Looks at a folder before and after a run, so that a test can say: nothing changed, nothing was
# left. Looks at names, kinds, sizes, modes, bytes and modification times. And damages files.
import hashlib
import os
import stat


def _describe(path):
    found = os.lstat(path)
    kind = stat.S_IFMT(found.st_mode)
    entry = {"mode": oct(found.st_mode), "mtime": found.st_mtime_ns, "links": found.st_nlink}
    if stat.S_ISREG(kind):
        entry["size"] = found.st_size
        try:
            with open(path, "rb") as file:
                entry["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        except PermissionError:
            entry["sha256"] = "not readable"
    elif stat.S_ISLNK(kind):
        entry["to"] = os.readlink(path)
    if stat.S_ISDIR(kind):
        del entry["mtime"]  # a temporary file that came and went moves it
        del entry["links"]
    return entry


class Snapshot:
    """Everything under a folder, at one moment."""

    def __init__(self, folder):
        self.folder = folder
        self.entries = {}
        for root, folders, files in os.walk(os.fsencode(folder)):
            for name in folders + files:
                path = os.path.join(root, name)
                self.entries[os.path.relpath(path, os.fsencode(folder))] = _describe(path)

    def unchanged(self, new=(), gone=(), ignore=()):
        """Proves that nothing changed since, except the names said."""
        after = Snapshot(self.folder).entries
        new, gone, ignore = ({os.fsencode(n) for n in names} for names in (new, gone, ignore))
        assert set(after) - set(self.entries) - ignore == new, (
            f"left behind or missing: {set(after) - set(self.entries)}, expected {new}")
        assert set(self.entries) - set(after) - ignore == gone, (
            f"removed: {set(self.entries) - set(after)}, expected {gone}")
        for name in set(self.entries) & set(after) - ignore:
            assert self.entries[name] == after[name], f"{name} was changed"


def mode(path):
    """Permission bits."""
    return stat.S_IMODE(os.lstat(path).st_mode)


def change(path, at, data):
    """Overwrites bytes of a file."""
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def flip(path, at):
    """Turns one bit of a file."""
    with open(path, "rb") as file:
        file.seek(at)
        byte = file.read(1)[0]
    change(path, at, bytes([byte ^ 4]))
