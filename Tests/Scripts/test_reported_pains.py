# Plan: what people report about other tools does not happen here.
# - rekey and migrate where nothing can be written, under a lock, on a file that is not there, with
#   an empty new key (who wants none is shown decrypt), with a wrong key or settings that were not
#   named: a status, nothing changed;
# - migrate takes raw keys with NUL bytes, a log and a hot journal along;
# - kinds of keys: digits as a passphrase and as a raw key, another salt, a key typed into a shell,
#   a blob literal, a key as an app stores it; options in other letters are none;
# - a library without encryption in the way of the right one never makes plaintext;
# - a database of another product (which is said), an empty one beside its journal, a leaf that
#   count(*) never reads, a page of yesterday.
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from support import peers, program, samples
from support.content import content
from support.files import Snapshot
from support.others import Holder
from support.refusal import refuse
from test_system import NOBODY, as_nobody, public  # noqa: F401

DIGITS = "a1b2c3d4" * 8
RAW = f"x'{DIGITS}'"
NEW = "0f" * 32
SALT = "00112233445566778899aabbccddeeff"
OLD3 = [("cipher_compatibility", 3)]
BOTH = pytest.mark.parametrize("command", ["rekey", "migrate"])


def three(path, key=RAW):
    """A database that `migrate` has work on."""
    return peers.create_sealed(path, key, OLD3, samples.fill)


def asked(command, keys, old=RAW):
    new = ["--new-key-file", keys.raw(NEW, "new")] if command == "rekey" else []
    return [command, "--key-file", keys.file(old, "old"), *new]


def seen(path, key=RAW, pragmas=()):
    connection = peers.sealed(path, key, pragmas)
    peers.sound(connection)
    found = content(connection)
    connection.close()
    return found


# where nothing can be written

@BOTH
def test_a_write_protected_file(work, keys, command):
    three(work / "a.db").chmod(0o444)
    refuse(work, "io", *asked(command, keys), work / "a.db")
    seen(work / "a.db", RAW, OLD3)


@BOTH
def test_a_folder_of_somebody_else(public, command):  # noqa: F811
    three(public / "db/a.db")
    (public / "new").write_text(f"x'{NEW}'")
    (public / "new").chmod(0o600)
    if NOBODY:
        for path in (public / "db/a.db", public / "new"):
            os.chown(path, int(NOBODY), int(NOBODY))
    (public / "db").chmod(0o555)
    new = ["--new-key-file", "new"] if command == "rekey" else []
    refuse(public / "db", "io", command, "--key-file", "key", *new, "db/a.db", **as_nobody(public))


@BOTH
def test_a_file_system_that_is_mounted_read_only(work, keys, command):
    (work / "disk").mkdir()
    three(work / "disk/a.db")
    before = Snapshot(work)
    root = [] if os.getuid() == 0 else ["--map-root-user"]
    script = 'mount --bind disk disk && mount -o remount,ro,bind disk && exec "$@"'
    done = subprocess.run(
        ["unshare", *root, "--mount", "sh", "-c", script, "sh", program.BIN,
         *asked(command, keys), "disk/a.db"], cwd=work, capture_output=True,
        env=program.clean_env())
    assert done.returncode == 9 and done.stderr.startswith(b"dbseal: "), done
    before.unchanged()
    seen(work / "disk/a.db", RAW, OLD3)


@BOTH
@pytest.mark.parametrize("key", [RAW, "wrong words"], ids=["right key", "wrong key"])
def test_an_exclusive_lock_is_no_wrong_key(work, keys, command, key):
    peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    with Holder(work / "a.db", RAW):
        for target in ([], [work / "b.db"]):
            refuse(work, "locked", *asked(command, keys, key), "--busy-timeout", "0",
                   work / "a.db", *target)


@BOTH
@pytest.mark.parametrize("target", [[], ["out.db"]], ids=["in place", "target"])
def test_a_name_that_is_misspelt(work, keys, command, target):
    refuse(work, "io", *asked(command, keys), "nofile.db", *target, cwd=work)
    assert os.listdir(work) == []


# keys

EMPTY = {
    "device": (["--new-key-file", "/dev/null"], {}), "variable": ([], {"DBSEAL_NEW_KEY": ""}),
    "named variable": (["--new-key-env", "K"], {"K": ""}),
    "unset variable": (["--new-key-env", "K"], {}), "command": (["--new-key-command", "true"], {}),
    "standard input": (["--new-key-file", "-"], {}),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_new_key_is_none(work, keys, sealed, name):
    options, env = EMPTY[name]
    for target in ([], [work / "out.db"]):
        refuse(work, "no_key", "rekey", "--key-file", keys.raw(), *options, sealed, *target,
               env=env)
    seen(sealed)


@pytest.mark.parametrize("name", EMPTY)
def test_who_wants_no_key_is_shown_decrypt(work, keys, sealed, name):
    options, env = EMPTY[name]
    found = refuse(work, "no_key", "rekey", "--key-file", keys.raw(), *options, sealed, env=env)
    assert "the new key" in found["message"], found
    # A variable that is not set is forgotten, and no wish for a database without a key.
    assert ("dbseal decrypt" in found["hint"]) == (name != "unset variable"), found
    assert "--new-key-file" in found["hint"], found


def test_an_empty_key_protects_nothing(work, keys, source):
    for options, env in ((["--key-file", "/dev/null"], {}), (["--key-env", "K"], {}),
                         ([], {"DBSEAL_KEY": ""}), (["--key-command", "echo"], {})):
        for target in ([work / "out.db"], ["--in-place"]):
            found = refuse(work, "no_key", "encrypt", *options, source, *target, env=env)
            assert "the database's key" in found["message"] and "--key-file" in found["hint"]


def test_no_new_database_under_an_empty_key(work, tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m/1.sql").write_text("CREATE TABLE t(a);")
    refuse(work, "no_key", "migrate", "--schema", tmp_path / "m", "--create", "--key-file",
           "/dev/null", work / "a.db")


@pytest.mark.parametrize("target", [[], ["out.db"]], ids=["in place", "target"])
def test_migrate_with_a_wrong_key_or_settings_that_were_not_named(work, keys, target):
    three(work / "a.db", "right words")
    refuse(work, "wrong_key", *asked("migrate", keys, "wrong words"), "a.db", *target, cwd=work)
    own = [*OLD3, ("kdf_iter", 777)]
    peers.create_sealed(work / "b.db", "right words", own, samples.fill)
    before = seen(work / "b.db", "right words", own)
    args = [*asked("migrate", keys, "right words"), "b.db", *target]
    refuse(work, "wrong_key", *args, cwd=work)
    program.ok(*args, "--source-format", "3", "--source-kdf-iter", "777", cwd=work)
    assert seen(work / (target or ["b.db"])[0], "right words") == before


@pytest.mark.parametrize("format", [1, 2, 3])
@pytest.mark.parametrize("digits", [
    "3f2a00" + "11" * 29, "00" * 31 + "01", "00" + "7c" * 31 + SALT],
    ids=["NUL inside", "NULs first", "with salt"])
def test_a_raw_key_with_nul_bytes_survives_migrate(work, keys, format, digits):
    old = [("cipher_compatibility", format)]
    path = peers.create_sealed(work / "a.db", f"x'{digits}'", old, samples.fill)
    before = seen(path, f"x'{digits}'", old)
    program.ok("migrate", "--key-file", keys.raw(digits), path)
    assert seen(path, f"x'{digits}'") == before


def test_a_passphrase_of_digits_is_no_raw_key(work, keys):
    path = three(work / "a.db", DIGITS)
    refuse(work, "wrong_key", "decrypt", "--raw-key", "--key-file", keys.file(DIGITS), path,
           work / "out.db")
    program.ok("decrypt", "--key-file", keys.file(DIGITS), path, work / "out.db")


@pytest.mark.parametrize("digits", [DIGITS, DIGITS + SALT, DIGITS + NEW + SALT],
                         ids=["64", "96", "160"])
def test_digits_taken_as_a_raw_key_get_a_hint(work, keys, digits):
    path = three(work / "a.db", digits)
    found = refuse(work, "wrong_key", "decrypt", "--raw-key", "--key-file", keys.file(digits),
                   path, work / "out.db")
    assert "passphrase" in found["hint"] and "--raw-key" in found["hint"], found


@BOTH
@pytest.mark.parametrize("bytes", [77, 80, 92])
def test_a_key_that_an_app_stores_encrypted_is_no_damage(work, keys, command, bytes):
    three(work / "a.db")
    stored = "763131" + "9c" * bytes
    found = refuse(work, "wrong_key", *asked(command, keys, stored), work / "a.db")
    assert "encrypted itself" in found["hint"], found
    if bytes != 77:
        found = refuse(work, "no_key", *asked(command, keys, stored), "--raw-key", work / "a.db")
        assert "encrypted itself" in found["hint"], found


def test_a_raw_key_with_its_salt_and_with_another(work, keys):
    path = peers.create_sealed(work / "a.db", f"x'{DIGITS}{SALT}'", [], samples.fill)
    assert path.read_bytes()[:16].hex() == SALT
    program.ok("decrypt", "--key-file", keys.raw(), path, work / "out.db")
    found = refuse(work, "wrong_key", "decrypt", "--key-file", keys.raw(DIGITS + "ff" * 16), path,
                   work / "other.db")
    assert "salt" in found["hint"] and "own digits" in found["hint"], found


@pytest.mark.parametrize("shell, format", [(peers.SHELL_NEW, 4), (peers.SHELL_OLD, 3)],
                         ids=["new", "old"])
def test_a_raw_key_is_typed_into_a_shell(work, keys, source, shell, format):
    program.ok("encrypt", "--format", format, "--raw-key", "--key-file", keys.file(DIGITS), source,
               work / "s.db")
    done = subprocess.run([shell, "-batch", "-bail", work / "s.db"], capture_output=True,
                          input=f'PRAGMA key="{RAW}"; SELECT count(*) FROM people;'.encode())
    assert done.stdout.split()[-1] == b"273", done


def test_a_blob_literal_is_a_passphrase_of_those_bytes(work, keys):
    connection = peers.sqlcipher3.connect(":memory:", isolation_level=None)
    connection.execute(f"ATTACH ? AS out KEY {RAW}", (str(work / "a.db"),))
    connection.executescript("CREATE TABLE out.t(a); INSERT INTO out.t VALUES(5);")
    connection.close()
    data = bytes.fromhex(DIGITS)
    refuse(work, "wrong_key", "decrypt", "--key-file", keys.raw(), work / "a.db", work / "b.db")
    program.ok("decrypt", "--key-binary", "--key-file", keys.file(data, "bytes"), work / "a.db",
               work / "b.db")
    assert peers.plain(work / "b.db").execute("SELECT a FROM t").fetchone() == (5,)


@pytest.mark.parametrize("words", [
    ["--Key-File", "KEY"], ["--KEY-FILE", "KEY"], ["--key-file ", "KEY"], ["--key_file", "KEY"],
    ["--key-file", "KEY", "--format", "4 "], ["--key-file", "KEY", "--Format", "4"],
    ["--key-file", "KEY", "--kdf-algorithm", "SHA 256"]], ids=lambda words: words[-2])
def test_an_option_in_other_letters_is_none(work, keys, source, words):
    words = [keys.raw() if word == "KEY" else word for word in words]
    refuse(work, "usage", "encrypt", *words, source, work / "out.db")


# the library

@pytest.mark.parametrize("how", ["LD_PRELOAD", "LD_LIBRARY_PATH"])
def test_a_library_without_encryption_never_makes_plaintext(work, keys, source, tmp_path, how):
    stock = next(Path("/usr/lib").rglob("libsqlite3.so.0")).resolve()
    (tmp_path / "lib").mkdir()
    for name in ("libsqlcipher.so.0", "libsqlite3.so.0"):
        shutil.copy(stock, tmp_path / "lib" / name)
    env = {how: str(stock if how == "LD_PRELOAD" else tmp_path / "lib")}
    result = program.run("encrypt", source, work / "out.db", "--key-file", keys.raw(), env=env)
    if result.exit == 0:
        assert seen(work / "out.db")["application_id"] == 252006673
    else:
        assert result.exit in (10, 127), result
        assert os.listdir(work) == ["plain.db"]


# logs and journals

def crashed(folder, mode):
    """Committed rows in a log, or a half-written change and its hot journal; no writer."""
    path = three(folder / "live.db")
    connection = peers.sealed(path, RAW, OLD3)
    connection.execute(f"PRAGMA journal_mode={mode}").fetchall()
    if mode == "WAL":
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("INSERT INTO gaps VALUES('from the log', 1)")
    wanted = content(connection)
    if mode == "DELETE":
        for line in ("PRAGMA cache_size=1", "BEGIN", "UPDATE people SET name = hex(zeroblob(300))",
                     "CREATE TABLE unfinished AS SELECT zeroblob(3000) AS z FROM people"):
            connection.execute(line)
    files = {s: (folder / f"live.db{s}").read_bytes()
             for s in ("", "-wal" if mode == "WAL" else "-journal")}
    if connection.in_transaction:
        connection.execute("ROLLBACK")
    connection.close()
    return files, wanted


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("target", [False, True], ids=["in place", "target"])
def test_migrate_includes_what_lies_beside(work, keys, tmp_path, mode, target):
    files, wanted = crashed(tmp_path, mode)
    for suffix, data in files.items():
        (work / f"a.db{suffix}").write_bytes(data)
    before = Snapshot(work)
    program.ok(*asked("migrate", keys), work / "a.db", *([work / "b.db"] if target else []))
    if target:
        before.unchanged(new=["b.db"])
    else:
        assert os.listdir(work) == ["a.db"]
    found = seen(work / ("b.db" if target else "a.db"))
    assert found == wanted


def test_an_empty_database_beside_its_journal(work, keys):
    connection = sqlite3.connect(work / "live.db", isolation_level=None)
    connection.executescript("PRAGMA cache_size=1; BEGIN; CREATE TABLE t(a);")
    connection.execute("INSERT INTO t VALUES(zeroblob(500000))")
    journal = (work / "live.db-journal").read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    os.remove(work / "live.db")
    (work / "a.db").touch()
    (work / "a.db-journal").write_bytes(journal)
    found = program.ok("inspect", work / "a.db")
    assert found["kind"] == "empty" and len(found["sidecars"]) == 1, found
    assert program.ok("inspect", work / "a.db-journal")["kind"] != "empty"
    for command in ("encrypt", "decrypt", "migrate"):
        target = [work / "out.db"]
        refuse(work, "wrong_kind", command, "--key-file", keys.raw(), work / "a.db", *target)


# kinds and checks

PRODUCTS = ["chacha20", "aes128cbc", "aes256cbc", "rc4", "ascon128"]


def foreign(path, cipher):
    connection = peers.apsw.Connection(str(path))
    connection.execute(f"PRAGMA cipher='{cipher}'").fetchall()
    connection.execute("PRAGMA key='some words'").fetchall()
    connection.execute("CREATE TABLE t AS SELECT zeroblob(9000) AS a")
    connection.close()
    assert path.read_bytes()[:16] != b"SQLite format 3\0"
    return path


# Of these, all leave bytes 16 to 23 in clear but this one.
UNSIGNED = "rc4"


@pytest.mark.parametrize("cipher", PRODUCTS)
def test_a_database_of_another_product(work, keys, cipher):
    path = foreign(work / "a.db", cipher)
    found = program.ok("inspect", path)
    signed = cipher != UNSIGNED
    assert found["kind"] == ("other" if signed else "sqlcipher")
    assert found["other_format"] == ("sqlite_encryption" if signed else None)
    key = ["--key-file", keys.file("some words")]
    refuse(work, "wrong_kind", "encrypt", *key, path, work / "out.db")
    for args in (["decrypt", *key, path, work / "out.db"], ["verify", *key, path],
                 ["inspect", "--tables", *key, path]):
        found = refuse(work, "wrong_kind" if signed else "wrong_key", *args)
        if signed:
            assert "SQLCipher" in found["message"] and "Multiple Ciphers" in found["hint"], found


@pytest.mark.parametrize("command", ["decrypt", "verify", "rekey", "migrate", "inspect"])
def test_that_it_may_be_no_sqlcipher_is_said(work, keys, command):
    foreign(work / "a.db", UNSIGNED)
    new = ["--new-key-file", keys.raw(NEW, "new")] if command == "rekey" else []
    more = {"decrypt": ["out.db"], "inspect": ["--tables"]}.get(command, [])
    found = refuse(work, "wrong_key", command, "--key-file", keys.file("some words"), *new, "a.db",
                   *more, cwd=work)
    for name in ("SQLCipher", "SQLite3 Multiple Ciphers", "wxSQLite3", "SEE", "Realm"):
        assert name in found["hint"], found
    assert found["fits"] is None


@pytest.mark.parametrize("kind", ["plain", "sealed"])
def test_a_leaf_that_a_count_never_reads(work, keys, kind):
    rows = ("CREATE TABLE t(a, b); CREATE INDEX i ON t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION "
            "ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO t SELECT i, hex(zeroblob(100)) "
            "FROM n;")
    plain = samples.plain(work.parent / "p.db", rows)
    judge = sqlite3.connect(plain)
    page, = judge.execute("SELECT max(pageno) FROM dbstat WHERE name='t' AND pagetype='leaf'"
                          ).fetchone()
    judge.close()
    path = work / "a.db"
    named = ["--key-file", keys.raw()]
    if kind == "plain":
        shutil.copy(plain, path)
    else:
        peers.create_sealed(path, RAW, [], lambda c: c.executescript(rows))
        page = 5
    with open(path, "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(bytes(4096))
    judge = peers.plain(path) if kind == "plain" else peers.sealed(path, RAW)
    if kind == "plain":
        assert judge.execute("SELECT count(*) FROM t").fetchone() == (400,)
    judge.close()
    refuse(work, "damaged", "encrypt" if kind == "plain" else "decrypt", *named, path,
           work / "out.db")
    with_key = named if kind == "sealed" else []
    assert program.run("verify", *with_key, path).exit == 5
    found = program.ok("inspect", "--tables", *with_key, path)
    assert found["damage"] and str(page) in str(found["damage"]), found


def test_a_page_of_yesterday_passes_and_nobody_promises_otherwise(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], lambda c: c.executescript(
        "CREATE TABLE t(a); INSERT INTO t VALUES('old');"))
    old = path.read_bytes()
    connection = peers.sealed(path, RAW)
    connection.execute("UPDATE t SET a='new'")
    connection.close()
    now = path.read_bytes()
    assert len(now) == len(old) == 8192 and now[4096:] != old[4096:]
    path.write_bytes(now[:4096] + old[4096:])
    # The judge passes it too; what can be said is said.
    peers.sound(peers.sealed(path, RAW), cipher=True)
    program.ok("verify", "--key-file", keys.raw(), path)
    assert "older copy" in " ".join(program.run("help", "verify").out.decode().split())


@pytest.mark.parametrize("torn", [lambda d: d[:100], lambda d: bytes(512) + d[512:],
                                  lambda d: bytes(len(d))], ids=["cut", "sector", "page"])
@pytest.mark.parametrize("command", ["inspect", "verify", "migrate"])
def test_page_one_of_a_plaintext_database_stands_in_its_log(work, tmp_path, torn, command):
    connection = sqlite3.connect(tmp_path / "l.db", isolation_level=None)
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; "
                             "CREATE TABLE t(a); INSERT INTO t VALUES(7);")
    main, log = ((tmp_path / f"l.db{s}").read_bytes() for s in ("", "-wal"))
    connection.close()
    for folder in (work, tmp_path):
        (folder / "a.db").write_bytes(torn(main))
        (folder / "a.db-wal").write_bytes(log)
    judge = sqlite3.connect(tmp_path / "a.db")
    assert judge.execute("SELECT a FROM t").fetchall() == [(7,)]
    judge.close()
    (tmp_path / "m").mkdir()
    (tmp_path / "m/1.sql").write_text("CREATE TABLE u(a);")
    more = {"inspect": ["--tables"], "verify": ["--expect-table", "t=1"],
            "migrate": ["--schema", tmp_path / "m", "--status"]}[command]
    before = Snapshot(work)
    program.ok(command, *more, work / "a.db")
    before.unchanged()
