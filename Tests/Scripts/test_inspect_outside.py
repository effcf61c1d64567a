# Plan: inspect without a key says what a file is, and touches nothing.
# - each kind, in JSON and in text, exit 0; a missing or unreadable file is exit 9
# - header fields as stock SQLite's PRAGMAs say them, those of the log and of a hot journal included
# - what lies beside it: a log and its frames, a torn tail, journals hot, finished and at work
# - a log or journal that is named itself: its page size, and whose it may be
# - who has it open; links; several files; nothing is asked for, and no key source is tried
import json
import os
import random
import shutil
import sqlite3

import pytest

from support import peers, program, samples
from support.files import Snapshot
from support.others import Holder, Opener

RAW = "x'" + "a1b2c3d4" * 8 + "'"


def look(path, *options, **more):
    """Inspects with --json, and proves that the folder did not change."""
    before = Snapshot(path.parent)
    found = program.ok("inspect", path, *options, **more)
    before.unchanged()
    return found


def reasons(found):
    return [reason["reason"] for reason in found["reasons"]]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_encrypted_databases_of_every_format(work, number):
    path = peers.create_sealed(work / "a.db", "pass words", [("cipher_compatibility", number)],
                               samples.fill)
    found = look(path)
    assert found["kind"] == "sqlcipher"
    assert found["salt"] == path.read_bytes()[:16].hex()
    assert found["first_bytes"] == path.read_bytes()[:32].hex()
    assert found["size"] == path.stat().st_size
    assert (4096 if number == 4 else 1024) in found["page_sizes"]
    assert found["header"] is None and found["user_version"] is None


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_plaintext_header_fields(work, page_size):
    path = samples.plain(work / "p.db", page_size=page_size, pragmas=["auto_vacuum=INCREMENTAL"])
    found, judge = look(path), peers.plain(path)
    assert found["kind"] == "plaintext" and found["salt"] is None
    assert "first_page_fits" in reasons(found)

    def pragma(name):
        return judge.execute(f"PRAGMA {name}").fetchone()[0]
    for field in ("user_version", "application_id", "page_size"):
        assert found[field] == pragma(field), field
    header = found["header"]
    assert header["pages"] == pragma("page_count")
    assert header["free_pages"] == pragma("freelist_count")
    assert header["schema_version"] == pragma("schema_version")
    assert header["auto_vacuum"] == "incremental" and header["journal_mode"] == "rollback"
    assert header["writer"] == sqlite3.sqlite_version


def test_a_plaintext_header_over_ciphertext(work):
    peers.create_sealed(work / "h.db", RAW[:-1] + "00" * 16 + "'",
                        [("cipher_plaintext_header_size", 32)], samples.fill)
    found = look(work / "h.db")
    assert found["kind"] == "sqlcipher_plaintext_header" and found["salt"] is None
    assert found["may_be_encrypted"] is True
    # 32 bytes are plain: sqlite.org/fileformat2.html says what is in them.
    judge = peers.sealed(work / "h.db", RAW[:-1] + "00" * 16 + "'",
                         [("cipher_plaintext_header_size", 32)])
    pages = judge.execute("PRAGMA page_count").fetchone()[0]
    judge.close()
    assert found["header"] == {
        "page_size": 4096, "reserve": 80, "pages": pages, "journal_mode": "rollback",
        "change_counter": int.from_bytes((work / "h.db").read_bytes()[24:28], "big"),
        "free_pages": None, "auto_vacuum": None, "encoding": None, "user_version": None,
        "application_id": None, "schema_version": None, "schema_format": None, "writer": None}
    assert found["user_version"] is None and found["application_id"] is None
    text = program.run("inspect", work / "h.db").out.decode()
    assert f"header: {pages} pages" in text and "user_version" not in text
    # Of a file that was cut, the count that nothing confirms is not believed.
    os.truncate(work / "h.db", (pages - 1) * 4096)
    assert look(work / "h.db")["header"]["pages"] is None


def test_a_longer_plaintext_header_is_read_as_far_as_it_goes(work):
    for size, writer in ((96, False), (112, True)):
        path = work / f"{size}.db"
        peers.create_sealed(path, RAW[:-1] + "00" * 16 + "'",
                            [("cipher_plaintext_header_size", size)],
                            lambda c: c.executescript("PRAGMA user_version = -7; CREATE TABLE t(a)"))
        header = look(path)["header"]
        assert (header["user_version"], header["encoding"]) == (-7, "UTF-8")
        assert header["auto_vacuum"] == "none" and header["free_pages"] == 0
        assert (header["writer"] is not None) is writer


KINDS = {
    "empty": (b"", "empty", "no_bytes"),
    "short": (b"SQLite format 3\0" + bytes(200), "truncated", "too_short"),
    "zeros": (bytes(8192), "other", "zeros"),
    "text": (b"CREATE TABLE t(a);\n" * 400, "other", "text"),
    "regular": (bytes(range(4)) * 2048, "other", "regular"),
    "random": (random.Random(1).randbytes(8192), "sqlcipher", "random"),
    "random-odd": (random.Random(1).randbytes(8000), "sqlcipher", "no_whole_pages"),
}


@pytest.mark.parametrize("name", KINDS)
def test_other_kinds(work, name):
    data, kind, reason = KINDS[name]
    (work / "a").write_bytes(data)
    found = look(work / "a")
    assert found["kind"] == kind and reason in reasons(found), found
    text = program.run("inspect", work / "a")
    assert text.exit == 0 and text.err == b""
    assert text.out.decode().startswith(f"{work / 'a'}: ")


def test_what_is_no_regular_file(work):
    os.mkfifo(work / "fifo")
    for path, what in ((work / "fifo", "pipe"), (work, "directory"), ("/dev/null", "device")):
        found = program.ok("inspect", path)
        assert found["kind"] == "other" and reasons(found) == ["not_regular"]
        assert found["reasons"][0]["message"] == f"it is a {what}"
        for command in (["verify"], ["decrypt", "--output-dir", work], ["inspect", "--tables"]):
            failed = program.run(*command, "--json", path)
            assert failed.exit == 6 and failed.json["code"] == "wrong_kind", failed
            assert failed.json["kind"] == "other" and failed.json["file_type"] == what
            assert what in failed.json["message"]


def test_one_byte_is_one(work):
    (work / "a").write_bytes(b"a")
    assert look(work / "a")["reasons"][0]["message"] == "its only byte is text"


def test_a_key_file_is_not_shown(work):
    secret = "a1b2c3d4" * 8
    program.remember(secret)
    (work / "key").write_text(f"x'{secret}'\n")
    (work / "bytes").write_bytes(bytes.fromhex(secret))
    for name in ("key", "bytes"):
        assert look(work / name)["first_bytes"] == ""
        program.run("inspect", "-v", work / name)


def test_missing_and_unreadable(work, tmp_path):
    result = program.run("inspect", "--json", work / "none.db")
    assert result.exit == 9 and result.json["code"] == "io"
    assert os.listdir(work) == []
    path = samples.plain(work / "a.db")
    path.chmod(0)
    work.chmod(0o755)
    tmp_path.chmod(0o755)
    assert program.run("inspect", "--json", path, user=65534).json["code"] == "io"


def test_several_files(work, source, sealed):
    result = program.run("inspect", "--json", source, work / "none.db", sealed)
    assert result.exit == 1
    first, second, third, last = result.objects
    assert (first["kind"], second["code"], third["kind"]) == ("plaintext", "io", "sqlcipher")
    assert last["summary"]["failed"] == 1 and last["summary"]["exit"] == 1
    text = program.run("inspect", source, sealed)
    assert text.exit == 0
    assert [line.split(":")[0] for line in text.out.decode().splitlines()
            if line and not line.startswith(" ")] == [str(source), str(sealed)]


def test_nothing_is_asked_for(work, source, sealed):
    for path in (source, sealed):
        result = program.run_tty("inspect", path)
        assert result.exit == 0 and b"Key of" not in result.out
    marker = work / "ran"
    env = {"DBSEAL_KEY_COMMAND": f"touch '{marker}'".replace("it's", "it\"'\"s")}
    assert program.ok("inspect", source, env=env)["kind"] == "plaintext"
    assert not marker.exists(), "a key was fetched for a plaintext database"


def test_a_link_is_followed_and_said(work, source):
    (work / "link").symlink_to(source.name)
    found = program.ok("inspect", work / "link")
    assert found["kind"] == "plaintext" and found["target"] == os.path.realpath(source)


def test_who_has_it_open(work, sealed):
    with Opener(sealed) as other:
        assert other.pid in [h["pid"] for h in program.ok("inspect", sealed)["holders"]]
    assert program.ok("inspect", sealed)["holders"] == []


# What lies beside a database.

def left(folder, live, suffixes):
    """A copy of a database and what is beside it, as a crash would leave them."""
    for suffix in suffixes:
        shutil.copy2(f"{live}{suffix}", folder / f"a.db{suffix}")
    return folder / "a.db"


def logged(tmp_path, key=None):
    """A database with a log that was not written back, and the number of its frames."""
    live = tmp_path / "live.db"
    if key:
        peers.create_sealed(live, key, [], samples.fill)
    else:
        samples.plain(live)
    connection = peers.sealed(live, key) if key else peers.plain(live)
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA user_version=41")
    connection.execute("INSERT INTO gaps SELECT a, b FROM gaps")
    frames = (os.path.getsize(f"{live}-wal") - 32) // (4096 + 24)
    return live, connection, frames


@pytest.mark.parametrize("key", [None, RAW], ids=["plain", "sealed"])
def test_a_log_and_its_frames(work, tmp_path, key):
    live, connection, frames = logged(tmp_path, key)
    path = left(work, live, ["", "-wal"])
    connection.close()
    found = look(path)
    assert found["page_size"] == 4096
    assert [s["suffix"] for s in found["sidecars"]] == ["-wal"]
    log = found["sidecars"][0]
    assert log["state"] == "log" and log["committed"] == frames and log["beyond"] == 0
    if key is None:
        assert found["user_version"] == 41  # it stands in the log alone
    with open(f"{path}-wal", "ab") as file:
        file.write(random.Random(1).randbytes(2 * 4120))
    assert look(path)["sidecars"][0]["beyond"] == 2
    alone = look(work / "a.db-wal")
    assert alone["kind"] == "wal" and alone["page_size"] == 4096
    assert alone["belongs_to"] == {"path": os.path.realpath(path), "exists": True}
    path.unlink()
    assert look(work / "a.db-wal")["belongs_to"]["exists"] is False


def test_an_index_in_use(work, tmp_path):
    live, connection, _ = logged(tmp_path)
    index = look(left(work, live, ["", "-wal", "-shm"]))["sidecars"][-1]
    assert (index["suffix"], index["state"]) == ("-shm", "idle")
    connection.close()
    with Holder(live, statements=["SELECT count(*) FROM gaps"]):
        index = program.ok("inspect", live)["sidecars"][-1]
        assert (index["suffix"], index["state"]) == ("-shm", "in_use")


def test_a_log_that_was_left_behind(work, tmp_path):
    live, connection, _ = logged(tmp_path)
    path = left(work, live, [""])
    connection.close()
    assert [n["note"] for n in look(path)["notes"]] == ["wal_missing"]
    assert look(samples.plain(work / "b.db"))["notes"] == []


def test_a_log_that_sqlite_would_not_believe(work, source):
    (work / "plain.db-wal").write_bytes(b"junk" * 100)
    assert look(source)["sidecars"][0]["state"] == "invalid"
    (work / "plain.db-wal").write_bytes(b"")
    assert look(source)["sidecars"][0]["state"] == "empty"


def test_a_hot_journal(work, tmp_path):
    live = samples.plain(tmp_path / "live.db")
    connection = peers.plain(live)
    connection.execute("PRAGMA cache_size=2")
    connection.execute("BEGIN")
    connection.execute("PRAGMA user_version=99")
    connection.execute("UPDATE people SET name = name || 'x'")
    path = left(work, live, ["", "-journal"])
    connection.execute("ROLLBACK")
    connection.close()
    found = look(path)
    assert found["sidecars"][0]["state"] == "hot"
    assert found["user_version"] == -7  # what SQLite reads after its rollback
    alone = look(work / "a.db-journal")
    assert alone["kind"] == "journal" and alone["page_size"] == 4096
    assert alone["belongs_to"]["path"] == os.path.realpath(path)


def test_a_finished_journal(work):
    path = samples.plain(work / "a.db")
    connection = peers.plain(path)
    connection.execute("PRAGMA journal_mode=PERSIST").fetchall()
    connection.execute("INSERT INTO gaps VALUES(1, 2)")
    connection.close()
    assert os.path.getsize(work / "a.db-journal") > 0
    assert look(path)["sidecars"][0]["state"] == "finished"


def test_a_journal_of_a_writer_at_work(work, source):
    writing = ["PRAGMA cache_size=2", "BEGIN", "UPDATE people SET name = name || 'x'"]
    with Holder(source, statements=writing):
        assert program.ok("inspect", source)["sidecars"][0]["state"] == "active"


def test_the_start_decides_whatever_the_size(work, source, sealed):
    """A terabyte of nothing behind a database is not read: it would take minutes."""
    for path in (source, sealed):
        os.truncate(path, 1 << 40)
        result = program.run("inspect", "--json", path, timeout=5)
        assert result.exit == 0 and json.loads(result.out)["size"] == 1 << 40
        os.truncate(path, 4096)
