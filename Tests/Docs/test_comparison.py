# Plan: what the table of README.md says of the `sqlcipher` shell and of SQLite3 Multiple Ciphers is what
# they do here, and what it says of dbseal, on the same files. The versions are those of the table.
import re
import shutil
import sqlite3
import subprocess

import apsw
import pytest

from support import files, peers, program

TABLE = re.search(r"## Beside other tools\n\n(.*?)\n\n", (program.ROOT / "README.md").read_text(),
                  re.DOTALL).group(1).splitlines()
NUMBERS = "PRAGMA user_version = 7; PRAGMA application_id = 99;"
TABLES = "CREATE TABLE t(a TEXT, b); INSERT INTO t VALUES ('x', 1), ('y', 2);" + NUMBERS


def row(begin):
    """The cells of a row: the shell's, SQLite3 Multiple Ciphers', DB Browser's, dbseal's."""
    found = [line.split(" | ") for line in TABLE if line.startswith("| " + begin)]
    assert len(found) == 1, begin
    return found[0][1:]


@pytest.fixture
def plain(work):
    """A plaintext database, and one with a collation that only an app has."""
    sqlite3.connect(work / "plain.db").executescript(TABLES).close()
    app = sqlite3.connect(work / "app.db")
    app.create_collation("LOCALIZED", lambda a, b: (a > b) - (a < b))
    app.executescript(TABLES + "CREATE INDEX i ON t(a COLLATE LOCALIZED);").close()
    return work


def shell(path, sql):
    return subprocess.run([peers.SHELL_NEW, str(path), sql], capture_output=True, text=True)


def export(source, target):
    return shell(source, f"ATTACH '{target.name}' AS e KEY 'k'; SELECT sqlcipher_export('e');"
                 .replace(target.name, str(target).replace("'", "''")))


def ciphers(path, key=None):
    """A connection of SQLite3 Multiple Ciphers, as SQLCipher 4 has it."""
    connection = apsw.Connection(str(path))
    connection.pragma("cipher", "sqlcipher")
    connection.pragma("legacy", 4)
    if key is not None:
        connection.pragma("key", key)
    return connection


def test_the_versions_are_those_that_are_here():
    built = peers.shell_version(peers.SHELL_NEW)
    assert f"shell {built}" in TABLE[0] or built.startswith("3")
    assert re.search(r"Ciphers (\S+) ", TABLE[0]).group(1) == apsw.mc_version.split()[-1]


def test_header_numbers(plain, keys):
    said = row("`user_version`")
    export(plain / "plain.db", plain / "shell.db")
    numbers = shell(plain / "shell.db", "PRAGMA key='k'; PRAGMA user_version; PRAGMA application_id")
    assert numbers.stdout.split() == ["ok", "0", "0"] and said[0] == "both 0"
    shutil.copy(plain / "plain.db", plain / "mc.db")
    ciphers(plain / "mc.db").pragma("rekey", "k")
    connection = ciphers(plain / "mc.db", "k")
    assert [connection.pragma(name) for name in ("user_version", "application_id")] == [7, 99]
    assert said[1] == "both kept"
    program.ok("encrypt", plain / "plain.db", plain / "out.db", "--key-file", keys.raw())
    out = peers.sealed(plain / "out.db", "x'" + "a1b2c3d4" * 8 + "'")
    assert [out.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("user_version", "application_id")] == [7, 99]


def test_a_collation_of_the_app(plain, keys):
    said = row("a collation")
    done = export(plain / "app.db", plain / "shell.db")
    assert done.returncode == 1 and (plain / "shell.db").stat().st_size > 0
    assert said[0] == "the export fails, and part of a file is left"
    shutil.copy(plain / "app.db", plain / "mc.db")
    with pytest.raises(apsw.SQLError, match="no such collation"):
        ciphers(plain / "mc.db").pragma("rekey", "k")
    program.ok("encrypt", plain / "app.db", plain / "out.db", "--key-file", keys.raw())


def test_wrong_keys(plain, keys):
    assert '"file is not a database"' == row("a wrong key")[0] == row("a wrong key")[1]
    sealed = peers.create_sealed(
        plain / "sealed.db", "right", [], lambda connection: connection.executescript(TABLES))
    before = sealed.read_bytes()
    assert "file is not a database" in shell(sealed, "PRAGMA key='bad'; SELECT * FROM t;").stderr
    with pytest.raises(apsw.NotADBError, match="file is not a database"):
        ciphers(sealed, "bad").execute("SELECT * FROM t").fetchall()
    done = shell(sealed, "PRAGMA key='bad'; PRAGMA rekey='new';")
    assert done.stdout.split() == ["ok", "ok"] and done.returncode == 0
    assert sealed.read_bytes() == before and row("`rekey`")[0] == 'answers "ok" and changes nothing'
    with pytest.raises(apsw.NotADBError):
        ciphers(sealed, "bad").pragma("rekey", "new")
    bad, new = keys.file("bad", "bad"), keys.file("another key", "new")
    done = program.run("rekey", "--key-file", bad, "--new-key-file", new, sealed)
    assert done.exit == 4 and sealed.read_bytes() == before


def test_no_source(work, keys):
    done = export(work / "none.db", work / "made.db")
    assert done.returncode == 0 and (work / "none.db").exists() and (work / "made.db").exists()
    assert row("the source")[0] == "exit 0 and two new files"
    done = program.run("encrypt", work / "no.db", work / "out.db", "--key-file", keys.raw())
    assert done.exit == 9 and not {"no.db", "out.db"} & {path.name for path in work.iterdir()}


def test_damage(work, keys):
    sealed = peers.create_sealed(
        work / "sealed.db", "right", [], lambda connection: connection.executescript(TABLES))
    files.flip(sealed, 4096 + 100)
    assert row("a damaged page")[0] == row("a damaged page")[1] == "an error when a query gets there"
    assert shell(sealed, "PRAGMA key='right'; SELECT name FROM sqlite_master;").returncode == 0
    assert shell(sealed, "PRAGMA key='right'; SELECT * FROM t;").returncode != 0
    connection = ciphers(sealed, "right")
    assert connection.execute("SELECT name FROM sqlite_master").fetchall()
    with pytest.raises(apsw.Error):
        connection.execute("SELECT * FROM t").fetchall()
    done = program.run("verify", "--key-file", keys.file("right", "right"), sealed)
    assert done.exit == 5 and "page 2 does not authenticate: table t" in done.text


def test_ciphers():
    connection, others = apsw.Connection(":memory:"), 0
    for name in ("aes128cbc", "aes256cbc", "chacha20", "rc4", "ascon128", "aegis"):
        others += connection.pragma("cipher", name) == name
    assert others == 6 and row("other ciphers")[1] == "six"
