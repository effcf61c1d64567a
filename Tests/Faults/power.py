# What a disk holds after a power cut, by a simple model of what file systems promise: of a file, what
# was written before its last sync is there; each later write is there, is not, or is there in part, by
# sectors of 512 bytes; its length is any that it had since. Of names, changes before the folder's last
# sync are there, and of those behind it any first few, in their order; a rename is there or is not.
import os
from dataclasses import dataclass, field

SECTOR = 512


@dataclass
class _File:
    """A file's bytes as synced, and the changes since."""
    synced: bytes = b""
    # ("write", offset, data) or ("truncate", size)
    since: list = field(default_factory=list)

    def sync(self):
        self.synced = self.after(self.since)
        self.since = []

    def after(self, changes):
        data = bytearray(self.synced)
        for kind, at, bytes_ in changes:
            if kind == "truncate":
                data = data[:at] + bytes(max(0, at - len(data)))
            else:
                data += bytes(max(0, at - len(data)))
                data[at:at + len(bytes_)] = bytes_
        return bytes(data)

    def torn(self, random):
        """The bytes after a cut."""
        if not self.since:
            return self.synced
        way = random.randrange(4)
        if way == 0:  # nothing of it
            return self.synced
        if way == 1:  # all of it
            return self.after(self.since)
        kept = []
        for kind, at, data in self.since:
            if kind == "truncate":
                if random.random() < 0.5:
                    kept.append((kind, at, data))
                continue
            for start in range(0, len(data), SECTOR):
                if random.random() < 0.5:
                    kept.append(("write", at + start, data[start:start + SECTOR]))
        return self.after(kept)


class Disk:
    """Plays a record of events, and says what a cut after some of them can leave."""

    def __init__(self, folder, start):
        self.folder = str(folder)
        # Name to file: as the program sees it, and as it is certain to be after a cut.
        self.names = {name: _File(data) for name, data in start.items()}
        self.certain = dict(self.names)
        # Changes of names since the folder's sync.
        self.changes = []

    def _name(self, path):
        return os.path.relpath(path, self.folder)

    def play(self, event):
        """One event."""
        name = self._name(event.path)
        match event.call:
            case "create":
                if name not in self.names:
                    self._change("add", name, _File())
            case "write":
                self.names[name].since.append(("write", event.offset, event.data))
            case "truncate":
                self.names[name].since.append(("truncate", event.offset, b""))
            case "sync" if name == ".":
                self.certain = dict(self.names)
                self.changes = []
            case "sync":
                self.names[name].sync()
            case "rename":
                self._change("rename", name, self._name(event.other))
            case "link":
                self._change("add", self._name(event.other), self.names[name])
            case "unlink":
                self._change("remove", name, None)

    def _change(self, *change):
        self.changes.append(change)
        _apply(self.names, change)

    def cut(self, random):
        """Names and bytes after a cut now."""
        names = dict(self.certain)
        for change in self.changes[:random.randint(0, len(self.changes))]:
            _apply(names, change)
        # A file under two names is one.
        bytes_ = {id(file): file.torn(random) for file in names.values()}
        return {name: bytes_[id(file)] for name, file in names.items()}


def _apply(names, change):
    kind, name, what = change
    if kind == "add":
        names[name] = what
    elif kind == "remove":
        names.pop(name, None)
    elif name in names:
        names[what] = names.pop(name)
