# What the sweeps over faults, kills and power cuts run: every command that writes, in every way of
# placing its output, over small databases with raw keys, so that a run takes milliseconds. Each case
# knows what its folder may look like afterwards: as before, or as after success, whole.
import functools
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from support import peers, program, samples
from support.content import content

OLD = "x'" + "a1b2c3d4" * 8 + "'"
NEW = "x'" + "0f1e2d3c" * 8 + "'"
OTHER = "x'" + "77" * 32 + "'"


@dataclass
class Case:
    name: str
    # Words of the command line; {f} is the folder, {old}, {new} and {sql} lie outside of it.
    words: str
    # Name to how it is made, before the run.
    before: dict
    # Name to the key that opens it after success (None: plaintext); what is missing is gone.
    after: dict
    # The content after success is another one (schema migrations).
    changes: bool = False
    # A failure may leave the content in other bytes: a log written back, a journal rolled back.
    settles: bool = False
    # What is there after success has the settings of format 3.
    is_format3: bool = False
    # A source that is removed last: it may still be there, whatever it holds by then.
    removes: set = field(default_factory=set)


def cases():
    """All of them."""
    found = []
    for command, more, source, key in (
            ("encrypt", "--key-file {old}", "plain", OLD),
            ("decrypt", "--key-file {old}", "sealed", None),
            ("rekey", "--key-file {old} --new-key-file {new}", "sealed", NEW),
            ("migrate", "--format 4 --key-file {old}", "format3", OLD)):
        start = f"{command} {more}"
        kept = None if source == "plain" else OLD
        in_place = "" if command in ("rekey", "migrate") else " --in-place"
        app = {"app.db": source}
        found += [
            Case(f"{command} to a target", start + " {f}/app.db {f}/out.db", app,
                 {"app.db": kept, "out.db": key}),
            Case(f"{command} over a target", start + " --force {f}/app.db {f}/out.db",
                 app | {"out.db": "other"}, {"app.db": kept, "out.db": key}),
            Case(f"{command} in place", start + in_place + " {f}/app.db", app, {"app.db": key}),
            Case(f"{command} in place with a backup",
                 start + in_place + " --backup .old {f}/app.db", app,
                 {"app.db": key, "app.db.old": kept}),
            Case(f"{command} in place with a log", start + in_place + " {f}/app.db",
                 {"app.db": source + " wal", "app.db-wal": source + " wal-wal"}, {"app.db": key},
                 settles=True),
        ]
    # An engine of before format 4 migrates schemas in format 3.
    is_old = program.engine() < (4,)
    source, words = ("format3", " --format 3") if is_old else ("sealed", "")
    found += [
        Case("encrypt and shred", "encrypt --key-file {old} --shred {f}/app.db {f}/out.db",
             {"app.db": "plain"}, {"out.db": OLD}, removes={"app.db"}),
        Case("migrate a schema", "migrate --key-file {old} --schema {sql} {f}/app.db",
             {"app.db": source}, {"app.db": OLD}, changes=True, settles=True, is_format3=is_old),
        Case("create by a schema",
             "migrate --key-file {old}" + words + " --create --schema {sql} {f}/new.db",
             {}, {"new.db": OLD}, changes=True, is_format3=is_old),
    ]
    return found


@functools.cache
def _images():
    """The bytes of every database that a case starts from."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        script = samples.SAMPLE
        samples.plain(folder / "plain", script, 1024)
        pages = [("cipher_page_size", 1024)]
        peers.create_sealed(folder / "sealed", OLD, [], samples.fill)
        peers.create_sealed(folder / "format3", OLD, [("cipher_compatibility", 3)], samples.fill)
        peers.create_sealed(folder / "other", OTHER, pages, samples.fill)
        for name in ("plain", "sealed", "format3"):
            shutil.copy(folder / name, folder / f"{name} wal")
            path = folder / f"{name} wal"
            connection = (peers.plain(path) if name == "plain" else peers.sealed(
                path, OLD, [("cipher_compatibility", 3)] if name == "format3" else []))
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("INSERT INTO log VALUES('only in the log')")
            for end in ("", "-wal"):
                found[f"{name} wal{end}"] = Path(f"{path}{end}").read_bytes()
            connection.close()
        for name in ("plain", "sealed", "format3", "other"):
            found[name] = (folder / name).read_bytes()
    return found


class Scene:
    """A case's folder, which is made anew for every run: in `base`, or on a small disk."""

    def __init__(self, case, base, disk=None):
        self.case = case
        self.base = Path(base)
        self.folder = (disk.outside if disk else self.base) / "f"
        self.record = self.base / "record"
        keys = program.Keys(self.base / "keys")
        (self.base / "sql").mkdir(exist_ok=True)
        (self.base / "sql/1.sql").write_text("CREATE TABLE extra(a); INSERT INTO extra VALUES(1);")
        self.places = {"f": disk.inside / "f" if disk else self.folder, "old": keys.file(OLD, "old"), "sql": self.base / "sql",
                       "new": keys.file(NEW, "new")}
        self.args = [word.format(**self.places) for word in case.words.split()]
        self.reset()
        self.held = self._content(self.start[case.before and "app.db"]) if case.before else None

    @property
    def start(self):
        return {name: _images()[image] for name, image in self.case.before.items()}

    def reset(self):
        """The folder as it is before a run."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, data in self.start.items():
            (self.folder / name).write_bytes(data)

    def names(self):
        return set(os.listdir(self.folder))

    def leftovers(self):
        return {name for name in self.names() if ".dbseal-" in name}

    def _content(self, _):
        """What the source holds, read by a judge from a copy."""
        with tempfile.TemporaryDirectory() as folder:
            for name, data in self.start.items():
                Path(folder, name).write_bytes(data)
            return self.read(Path(folder, "app.db"), self._old_key(), True)

    def _old_key(self):
        image = self.case.before.get("app.db", "")
        return None if image.startswith("plain") else OLD

    def read(self, path, key, is_old=False):
        """A database's content, by a judge, without leaving anything beside it."""
        format3 = self.case.is_format3 or (
            is_old and self.case.before.get("app.db", "").startswith("format3"))
        with tempfile.TemporaryDirectory() as folder:
            for end in ("", "-wal", "-journal"):
                if os.path.exists(f"{path}{end}"):
                    shutil.copy(f"{path}{end}", f"{folder}/db{end}")
            copy = f"{folder}/db"
            pragmas = [("cipher_compatibility", 3)] if format3 else []
            connection = peers.plain(copy) if key is None else peers.sealed(copy, key, pragmas)
            found = content(connection)
            peers.sound(connection)
            connection.close()
            return found

    def is_old(self, ignoring=()):
        """None where everything is as before, else what is not."""
        names = self.names() - set(ignoring)
        if names == set(self.start) and all(
                (self.folder / n).read_bytes() == data for n, data in self.start.items()):
            return None
        if self.case.settles and "app.db" in names and names <= set(self.start) | {
                "app.db-journal", "app.db-wal", "app.db-shm"}:
            try:
                found = self.read(self.folder / "app.db", self._old_key(), True)
            except Exception as error:  # whatever a judge says against it
                return f"the old database does not open: {error}"
            return None if found == self.held else "the content is another one"
        return f"not as before: {sorted(names)}"

    def is_new(self, ignoring=()):
        """None where everything is as after success, else what is not."""
        names = self.names() - set(ignoring)
        if names != set(self.case.after):
            return f"not as after success: {sorted(names)}"
        for name, key in self.case.after.items():
            is_source = self.case.is_format3 or name in ("app.db.old",) or (
                name == "app.db" and "out.db" in self.case.after)
            try:
                found = self.read(self.folder / name, key, is_source)
            except Exception as error:
                return f"{name} does not open: {error}"
            if self.case.changes:
                if found.get(b"extra") != [(1, 1)]:
                    return f"{name} was not migrated"
            elif found != self.held:
                return f"{name} has another content"
        return None
