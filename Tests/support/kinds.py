# Databases of both kinds, plaintext and encrypted under one raw key, and what a crash leaves beside
# them.
import shutil

import pytest

from support import peers, samples

RAW = "x'" + "a1b2c3d4" * 8 + "'"
KINDS = pytest.mark.parametrize("kind", ["plain", "sealed"])


def key_of(kind):
    """What opens a database of that kind; nothing opens a plaintext one."""
    return RAW if kind == "sealed" else None


def opened(path, kind):
    """A judge over it."""
    return peers.plain(path) if kind == "plain" else peers.sealed(path, RAW)


def made(path, kind, script=samples.SAMPLE, edit=None):
    """Makes a database of that kind; `edit` gets the open connection afterwards."""
    if kind == "plain":
        samples.plain(path, script)
    else:
        peers.create_sealed(path, RAW, [], lambda c: c.executescript(script))
    if edit:
        connection = opened(path, kind)
        edit(connection)
        connection.close()
    return path


def live(path, kind, mode):
    """A connection to a new database in that journal mode."""
    connection = opened(made(path, kind), kind)
    connection.execute(f"PRAGMA journal_mode={mode}").fetchall()
    return connection


def copied(path, folder, suffixes):
    """Copies a database and files beside it, as a crash would leave them."""
    folder.mkdir(exist_ok=True)
    for suffix in suffixes:
        shutil.copy2(f"{path}{suffix}", folder / f"a.db{suffix}")
    return folder / "a.db"


def hot(folder, kind, extra=()):
    """A database with a hot journal beside it, in a folder of its own."""
    connection = live(folder / "live.db", kind, "DELETE")
    for statement in extra:
        connection.execute(statement)
    connection.execute("PRAGMA cache_size=1")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN")
    connection.execute("UPDATE people SET name = hex(zeroblob(300))")
    connection.execute("CREATE TABLE unfinished AS SELECT zeroblob(3000) AS z FROM people")
    path = copied(folder / "live.db", folder / "crashed", ["", "-journal"])
    connection.execute("ROLLBACK")
    connection.close()
    return path
