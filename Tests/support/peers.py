# The judges that are not dbseal: SQLCipher 4.19 and 4.12 from Python, the sqlcipher shells, and
# stock SQLite. Right values in these tests come from them and never from dbseal's own output.
import functools
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

from support.program import ROOT

PEERS = Path(os.environ.get("DBSEAL_PEERS", ROOT / ".build/peers")).absolute()
PYTHON_A = PEERS / "a/bin/python"
PYTHON_B = PEERS / "b/bin/python"
# The distribution's shell: 3.4.1 on Debian 12. The other is the one that `make deps` builds.
SHELL_OLD = os.environ.get("DBSEAL_SQLCIPHER_OLD", "/usr/bin/sqlcipher")
SHELL_NEW = os.environ.get("DBSEAL_SQLCIPHER", str(ROOT / ".build/sqlcipher/bin/sqlcipher"))
# The PRAGMAs after the key by which a 3.x engine opens an older format.
OLD_OPENING = {3: "", 2: "PRAGMA kdf_iter=4000;",
               1: "PRAGMA kdf_iter=4000; PRAGMA cipher_use_hmac=OFF;"}

try:
    import apsw
    import sqlcipher3
except ImportError as error:
    apsw = sqlcipher3 = None
    _import_error = error


def missing():
    """The peers that are not there, as sentences."""
    found = []
    if sqlcipher3 is None:
        found.append(f"run pytest with {PYTHON_A}: {_import_error}")
    if not os.access(PYTHON_B, os.X_OK):
        found.append(f"no SQLCipher 4.12 peer at {PYTHON_B}: run make peers")
    for shell in (SHELL_OLD, SHELL_NEW):
        if not shutil.which(shell):
            found.append(f"no sqlcipher shell at {shell}: run make deps peers")
    return found


def describe():
    return (f"SQLCipher {sealed_version()}, shells {shell_version(SHELL_OLD)} and "
            f"{shell_version(SHELL_NEW)}, SQLite {sqlite3.sqlite_version}")


@functools.cache
def sealed_version():
    return sqlcipher3.connect(":memory:").execute("PRAGMA cipher_version").fetchone()[0]


def text(data):
    """Keeps text apart from blobs, and invalid UTF-8 as it is."""
    return ("text", bytes(data))


def plain(path, timeout=5):
    """Opens a database with stock SQLite; it must exist."""
    assert os.path.exists(path), path
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    connection.text_factory = text
    equip(connection)
    return connection


def sealed(path, key, pragmas=(), module=None):
    """Opens a database with SQLCipher 4.19. `key` is `x'…'` for a raw key."""
    assert os.path.exists(path), path
    connection = (module or sqlcipher3).connect(str(path), isolation_level=None)
    connection.text_factory = text
    unlock(connection, key, pragmas)
    equip(connection)
    return connection


def unlock(connection, key, pragmas=()):
    """Gives a connection its key, byte for byte, and then the cipher settings in order."""
    connection.execute(key_pragma(key))
    # This one setting is the process's and not the connection's, in every engine.
    connection.execute("PRAGMA cipher_hmac_salt_mask = \"x'3a'\"")
    for name, value in pragmas:
        connection.execute(f"PRAGMA {name} = {quoted(value)}")


def key_pragma(key):
    """The PRAGMA for a text as the key. (`hexkey` would take any bytes, but only 40 of them.)"""
    return "PRAGMA key='" + key.replace("'", "''") + "'"


def quoted(value):
    value = str(value)
    return value if value.replace("_", "").isalnum() else f'"{value}"'


def sql_literal(text):
    """A text as SQLite's own quote() writes it."""
    return sqlite3.connect(":memory:").execute("SELECT quote(?)", (text,)).fetchone()[0]


def equip(connection):
    """What apps register and plain engines lack; judges need it to read such schemas."""
    connection.create_collation("LOCALIZED", lambda a, b: (a > b) - (a < b))
    connection.create_function("myfn", 1, lambda x: x, deterministic=True)


def change(path, *statements):
    """Changes a plaintext database with stock SQLite; its path."""
    connection = plain(path)
    for sql in statements:
        connection.execute(sql)
    connection.close()
    return path


def create_sealed(path, key, pragmas=(), fill=None):
    """Makes a new encrypted database with SQLCipher 4.19; `fill` gets the connection."""
    connection = sqlcipher3.connect(str(path), isolation_level=None)
    unlock(connection, key, pragmas)
    if fill:
        connection.execute("BEGIN")
        fill(connection)
        if connection.in_transaction:
            connection.execute("COMMIT")
    connection.close()
    return path


def create_sealed_412(path, key, pragmas, script):
    """Makes a new encrypted database with SQLCipher 4.12, in its own Python."""
    lines = [key_pragma(key)] + [f"PRAGMA {n} = {quoted(v)}" for n, v in pragmas]
    code = ("import sys, sqlcipher3; c = sqlcipher3.connect(sys.argv[1], isolation_level=None)\n"
            "for line in sys.argv[3:]: c.execute(line)\n"
            "c.executescript(sys.argv[2]); c.close()\n")
    subprocess.run([PYTHON_B, "-c", code, path, script] + lines, check=True)
    return path


@functools.cache
def shell_version(shell):
    """SQLCipher's version in a shell, as text."""
    done = subprocess.run(
        [shell, ":memory:", "PRAGMA key='k'; PRAGMA cipher_version;"], capture_output=True,
        text=True)
    return done.stdout.split()[-2 if "community" in done.stdout else -1]


def shell(which, path, key, script, format=None):
    """Runs SQL in a sqlcipher shell over a keyed database; gives its standard output."""
    opening = key_pragma(key) + ";"
    if format and shell_version(which).startswith("3"):
        opening += OLD_OPENING[format]
    elif format:
        opening += f"PRAGMA cipher_compatibility={format};"
    done = subprocess.run(
        [which, "-batch", "-bail", str(path)], input=opening + "\n" + script,
        capture_output=True, text=True, errors="surrogateescape")
    assert done.returncode == 0 and "Error" not in done.stderr, done
    lines = done.stdout.splitlines()
    return [line for line in lines if line != "ok" or "integrity_check" in script]


def sound(connection, cipher=False):
    """integrity_check and foreign_key_check clean; with `cipher`, every page's tag too."""
    rows = connection.execute("PRAGMA integrity_check").fetchall()
    assert rows == [(text(b"ok"),)], rows
    if cipher:
        rows = connection.execute("PRAGMA cipher_integrity_check").fetchall()
        assert rows == [] or b"not enabled" in rows[0][0][1], rows
