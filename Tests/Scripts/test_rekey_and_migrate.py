# Plan: another key, another format, judged by peers that are not dbseal.
# - every format x rekey and migrate, up and down: a peer opens the output with the right key only;
# - a peer's own rekey is rekeyed again; a plaintext header; a log; a hot journal is elsewhere;
# - in place keeps mode, links and ids; a backup; several databases; a key from a terminal;
# - what was done before is said, whatever the settings, and needs no backup: several in a second run;
# - refusals leave every byte and time alone; a kill leaves the old file, which the old key opens.
import os
import signal
import subprocess
import sys
import time

import pytest

from support import decoder, peers, program, samples
from support.content import content
from support.files import Snapshot, mode
from support.refusal import refuse

OLD, NEW = "old pass phrase", "new pass phrase ' é"
# What is known, and no more: a database does not tell which key it had before.
AS_NEW = ("the database has the key that was given as the new one: it was rekeyed before, or the two"
          " keys are swapped")


def compatible(format):
    return [] if format == 4 else [("cipher_compatibility", format)]


def make(path, format=4, key=OLD, pragmas=()):
    return peers.create_sealed(path, key, compatible(format) + list(pragmas), samples.fill)


def seen(path, key, pragmas=()):
    connection = peers.sealed(path, key, pragmas)
    peers.sound(connection, cipher=True)
    found = content(connection)
    connection.close()
    return found


def opens_not(path, key, pragmas=()):
    with pytest.raises(peers.sqlcipher3.DatabaseError):
        peers.sealed(path, key, pragmas).execute("SELECT count(*) FROM sqlite_master").fetchone()


@pytest.fixture
def pair(keys):
    return ["--key-file", keys.file(OLD + "\n", "old"),
            "--new-key-file", keys.file(NEW + "\n", "new")]


@pytest.mark.parametrize("format", [1, 2, 3, 4])
def test_rekey_keeps_the_settings(work, pair, format):
    path = make(work / "a.db", format)
    before, salt = seen(path, OLD, compatible(format)), path.read_bytes()[:16]
    found = program.ok("rekey", path, *pair)
    assert found["format"] == format and found["unchanged"] is False
    assert path.read_bytes()[:16] != salt
    assert seen(path, NEW, compatible(format)) == before
    opens_not(path, OLD, compatible(format))


@pytest.mark.parametrize("old", [1, 3, 4])
@pytest.mark.parametrize("new", [1, 3, 4])
def test_keys_that_are_derived_before_the_source_is_open(work, pair, keys, old, new):
    # With three cores the output's key is derived for the settings that the source is taken to have,
    # which are wrong where the size does not tell.
    path = make(work / "a.db", old)
    before = seen(path, OLD, compatible(old))
    for out, options in (("same.db", ()), ("new.db", ("--format", new))):
        found = program.ok("rekey", path, work / out, *pair, *options, "--jobs", 3)
        format = new if options else old
        assert found["format"] == format
        assert seen(work / out, NEW, compatible(format)) == before
        opens_not(work / out, OLD, compatible(format))
    third = ["--key-file", keys.file("a third one\n", "third"), *pair[2:]]
    refuse(work, "wrong_key", "rekey", path, work / "out.db", *third, "--jobs", 3)


@pytest.mark.parametrize("old", [1, 2, 3, 4])
@pytest.mark.parametrize("new", [1, 2, 3, 4])
def test_rekey_and_migrate_to_any_format(work, pair, old, new):
    path = make(work / "a.db", old)
    before = seen(path, OLD, compatible(old))
    program.ok("rekey", path, work / "b.db", *pair, "--format", new)
    assert seen(work / "b.db", NEW, compatible(new)) == before
    opens_not(work / "b.db", OLD, compatible(new))
    found = program.ok("migrate", path, *pair[:2], "--format", new)
    assert found["unchanged"] is (old == new)
    assert seen(path, OLD, compatible(new)) == before


def test_a_peers_rekey_is_rekeyed_again(work, pair):
    path = make(work / "a.db", key="first")
    connection = peers.sealed(path, "first")
    connection.execute("PRAGMA rekey='" + OLD + "'")
    before = content(connection)
    connection.close()
    program.ok("rekey", path, *pair)
    assert seen(path, NEW) == before
    opens_not(path, OLD)
    opens_not(path, "first")


def test_raw_keys_and_a_plaintext_header(work, keys):
    path = make(work / "a.db")
    before = seen(path, OLD)
    raw = "a1b2c3d4" * 8
    ask = ["rekey", path, "--key-file", keys.file(OLD + "\n", "old"), "--new-key-file",
           keys.raw(raw), "--plaintext-header", "32"]
    # In place, a salt that stands in no file would be known from the report alone.
    refuse(work, "usage", *ask)
    found = program.ok(*ask, "--salt", "0123456789abcdef" * 2)
    assert path.read_bytes()[:16] == b"SQLite format 3\0"
    assert seen(path, f"x'{raw}'", program.pragmas(found)) == before
    back = ["--key-file", keys.raw(raw), "--new-key-file", keys.file(NEW + "\n", "new"),
            "--source-plaintext-header", "32", "--source-salt", found["salt"]]
    refuse(work, "usage", "rekey", path, *back)
    other = program.ok("rekey", path, work / "b.db", *back)
    assert other["salt"] != found["salt"]
    assert seen(work / "b.db", NEW, program.pragmas(other)) == before
    program.ok("rekey", path, *back, "--plaintext-header", "0")
    assert seen(path, NEW) == before


def test_a_log_is_included_and_gone_and_the_mode_of_journaling_stays(work, pair):
    path = make(work / "a.db")
    code = ("import os, sqlcipher3, sys; c = sqlcipher3.connect(sys.argv[1], isolation_level=None)\n"
            "c.execute(\"PRAGMA key='\" + sys.argv[2] + \"'\")\n"
            "c.execute('PRAGMA journal_mode=WAL'); c.execute('CREATE TABLE late(a)')\n"
            "c.execute('INSERT INTO late VALUES(42)'); os._exit(0)")
    subprocess.run([sys.executable, "-c", code, path, OLD], check=True)
    assert (work / "a.db-wal").stat().st_size > 0
    program.ok("rekey", path, *pair)
    assert [p.name for p in work.glob("a.db*")] == ["a.db"]
    connection = peers.sealed(path, NEW)
    assert connection.execute("SELECT a FROM late").fetchone() == (42,)
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == peers.text(b"wal")
    connection.close()


def test_in_place_keeps_mode_link_and_ids(work, pair):
    path = make(work / "it's \"odd\" ; é.db", 3, pragmas=())
    path.chmod(0o640)
    (work / "link.db").symlink_to(path.name)
    before = seen(path, OLD, compatible(3))
    program.ok("migrate", work / "link.db", *pair[:2], "--backup", ".v3")
    assert (work / "link.db").is_symlink() and mode(path) == 0o640
    assert seen(path, OLD) == before and before["application_id"] == 252006673
    assert seen(work / (path.name + ".v3"), OLD, compatible(3)) == before


def test_several_databases(work, pair):
    paths = [make(work / f"{name}.db") for name in "abc"]
    result = program.run("rekey", "--json", "--in-place", *paths, *pair)
    assert result.exit == 0 and result.objects[-1]["summary"]["succeeded"] == 3
    for path in paths:
        seen(path, NEW)
        opens_not(path, OLD)


def test_keys_from_a_terminal(work, keys):
    path = make(work / "a.db")
    result = program.run_tty("rekey", path, answers=[
        ("Key of", OLD), ("New key of", NEW), ("again", NEW)])
    assert result.exit == 0, result
    seen(path, NEW)


def test_migrate_leaves_alone_what_is_as_asked_for(work, pair):
    path = make(work / "a.db")
    before = Snapshot(work)
    found = program.ok("migrate", path, *pair[:2])
    assert found["unchanged"] is True and found["proof"] is None
    before.unchanged()


@pytest.mark.parametrize("written", [[], ["--format", "3"], ["--kdf-iter", "1000"]])
@pytest.mark.parametrize("read", [[], ["--source-format", "4"]])
def test_a_second_run_says_what_was_rekeyed(work, pair, written, read):
    done, left, again = (make(work / name) for name in ("a.db", "b.db", "c.db"))
    run = ["rekey", "--in-place", "--backup", ".old", *written, *read, *pair]
    for path in (done, again):
        program.ok(*run, path)
    result = program.run("rekey", "--json", *run[1:], done, left, again)
    assert result.exit == 1, result
    first, second, third, _ = result.objects
    assert second["ok"]
    for each in (first, third):
        assert each["code"] == "wrong_key" and each["fits"]["key"] == "new_key", each
        assert each["hint"] == AS_NEW
    pragmas = {"--format": [("cipher_compatibility", 3)], "--kdf-iter": [("kdf_iter", 1000)]}
    assert seen(done, NEW, pragmas[written[0]] if written else [])
    assert seen(work / "a.db.old", OLD)


def test_swapped_keys_are_not_called_a_rekey(work, keys, pair):
    path = make(work / "a.db")
    swapped = ["--key-file", pair[3], "--new-key-file", pair[1]]
    assert (pair[0], pair[2]) == ("--key-file", "--new-key-file")
    found = refuse(work, "wrong_key", "rekey", path, *swapped)
    assert found["fits"]["key"] == "new_key" and found["hint"] == AS_NEW, found
    assert "the two keys are swapped" in program.run("rekey", path, *swapped).text
    assert seen(path, OLD)


def test_a_third_key_is_not_called_the_new_one(work, keys, pair):
    make(work / "a.db", key="a third pass phrase")
    assert refuse(work, "wrong_key", "rekey", work / "a.db", *pair)["fits"] is None


def test_a_second_migrate_needs_no_backup(work, pair):
    path = make(work / "a.db", 3)
    run = ["migrate", "--backup", ".v3", *pair[:2], path]
    program.ok(*run)
    before = Snapshot(work)
    assert program.ok(*run)["unchanged"] is True
    before.unchanged()
    # Where there is work to do, what is there is kept.
    found = refuse(work, "exists", *run, "--format", "3")
    assert found["obstacle"] == "backup"
    refuse(work, "exists", *run, "--format", "3", "--dry-run")


def test_a_backup_is_named_as_the_database_was(work, pair):
    make(work / "real.db")
    (work / "link.db").symlink_to("real.db")
    found = program.ok("rekey", "--backup", ".1", *pair, "real.db", cwd=work)
    assert found["backup"] == "real.db.1"
    back = ["--key-file", pair[3], "--new-key-file", pair[1]]
    # Beside the link there is none.
    found = program.ok("rekey", "--backup", ".2", *back, "link.db", cwd=work)
    assert found["backup"] == str(work / "real.db.2") and (work / "real.db.2").is_file()


def test_what_an_old_engine_cannot_open_is_named(work, keys, pair):
    path = make(work / "a.db")
    new = ["--new-key-file", keys.raw("ab" * 80, "long")]
    notes = program.ok("rekey", path, *pair[:2], *new)["notes"]
    said = [n["message"] for n in notes if n["note"] == "not_opened_by_sqlcipher"]
    assert len(said) == (program.engine() < (4, 7))
    assert all("raw key of 160 digits" in each for each in said) or program.engine() < (4,), said


def test_a_dry_run_changes_nothing(work, pair):
    path = make(work / "a.db", 3)
    before = Snapshot(work)
    assert program.ok("rekey", path, *pair, "--dry-run")["dry_run"] is True
    assert program.ok("migrate", path, *pair[:2], "--dry-run")["dry_run"] is True
    before.unchanged()


def test_refusals(work, keys, pair):
    path = make(work / "a.db")
    old, new = pair[:2], pair[2:]
    refuse(work, "wrong_key", "rekey", path, "--key-file", keys.file("qwertz-4711", "o"), *new)
    refuse(work, "usage", "rekey", path, *old, "--new-key-file", pair[1])
    refuse(work, "no_key", "rekey", path, *old, "--new-key-file", keys.file("\n", "empty"))
    samples.plain(work / "plain.db")
    found = refuse(work, "wrong_kind", "rekey", work / "plain.db", *pair)
    assert "encrypt" in found["hint"]
    refuse(work, "wrong_kind", "migrate", work / "plain.db", *old)
    with open(path, "rb") as held, subprocess.Popen(
            ["sleep", "60"], stdin=held) as process:
        found = refuse(work, "locked", "rekey", path, *pair)
        assert process.pid in [holder["pid"] for holder in found["holders"]]
        process.kill()
    os.link(path, work / "hard.db")
    refuse(work, "exists", "rekey", path, *pair)
    refuse(work, "exists", "rekey", path, work / "plain.db", *pair)
    seen(path, OLD)


def sources(kind, keys):
    """Options, environment, descriptors and standard input that name the new key."""
    text = NEW + "\n"
    program.remember(NEW)
    if kind == "fd":
        read, write = os.pipe()
        os.write(write, text.encode())
        os.close(write)
        return ["--new-key-fd", read], {}, (read,), b""
    if kind == "command":
        return ["--new-key-command", f"cat '{keys.file(text, 'n')}'"], {}, (), b""
    if kind == "stdin":
        return ["--new-key-file", "-"], {}, (), text.encode()
    return {
        "env": (["--new-key-env", "N"], {"N": NEW}, (), b""),
        "DBSEAL_NEW_KEY": ([], {"DBSEAL_NEW_KEY": NEW}, (), b""),
        "DBSEAL_NEW_KEY_FILE": ([], {"DBSEAL_NEW_KEY_FILE": str(keys.file(text, "n"))}, (), b""),
        "DBSEAL_NEW_KEY_COMMAND": (
            [], {"DBSEAL_NEW_KEY_COMMAND": f"cat '{keys.file(text, 'n')}'"}, (), b""),
    }[kind]


@pytest.mark.parametrize("kind", ["fd", "command", "stdin", "env", "DBSEAL_NEW_KEY",
                                  "DBSEAL_NEW_KEY_FILE", "DBSEAL_NEW_KEY_COMMAND"])
def test_every_source_of_the_new_key(work, keys, kind):
    path = make(work / "a.db")
    words, env, fds, stdin = sources(kind, keys)
    program.ok("rekey", path, "--key-file", keys.file(OLD + "\n", "old"), *words, env=env, fds=fds,
               stdin=stdin)
    opens_not(path, OLD)
    seen(path, NEW)


@pytest.mark.parametrize("mode", ["NONE", "FULL", "INCREMENTAL"])
@pytest.mark.parametrize("command", ["rekey", "migrate"])
def test_auto_vacuum_stays(work, pair, mode, command):
    path = work / "a.db"
    connection = peers.sqlcipher3.connect(str(path), isolation_level=None)
    peers.unlock(connection, OLD, compatible(3))
    connection.execute(f"PRAGMA auto_vacuum={mode}")
    samples.fill(connection)
    wanted = connection.execute("PRAGMA auto_vacuum").fetchone()
    connection.close()
    before = seen(path, OLD, compatible(3))
    program.ok(command, path, *(pair if command == "rekey" else pair[:2]))
    key, opening = (NEW, compatible(3)) if command == "rekey" else (OLD, [])
    assert seen(path, key, opening) == before
    connection = peers.sealed(path, key, opening)
    assert connection.execute("PRAGMA auto_vacuum").fetchone() == wanted
    connection.close()


def test_a_hot_journal_is_rolled_back(work, pair):
    """The old pages of an unfinished transaction arrive, and the journal goes with the old file."""
    path = make(work / "a.db")
    before = seen(path, OLD)
    connection = peers.sealed(path, OLD)
    for statement in ["PRAGMA cache_size=1", "BEGIN", "UPDATE people SET name = hex(zeroblob(300))",
                      "CREATE TABLE unfinished AS SELECT zeroblob(3000) AS z FROM people"]:
        connection.execute(statement)
    (work / "crashed").mkdir()
    crashed = work / "crashed/a.db"
    for suffix in ["", "-journal"]:
        (work / f"crashed/a.db{suffix}").write_bytes((work / f"a.db{suffix}").read_bytes())
    connection.execute("ROLLBACK")
    connection.close()
    assert crashed.read_bytes() != path.read_bytes()
    program.ok("rekey", crashed, *pair)
    assert [p.name for p in (work / "crashed").iterdir()] == ["a.db"]
    assert seen(crashed, NEW) == before


def test_a_longer_reserve_than_the_codecs(work, pair, keys):
    """The header of a plaintext file may ask for more reserve than the cipher does."""
    raw = "0123456789abcdef" * 4
    path = work / "a.db"
    script = (f"PRAGMA key=\"x'{raw}'\";\n.filectrl reserve_bytes 100\n" + samples.SAMPLE)
    subprocess.run([peers.SHELL_NEW, path], input=script.encode(), check=True, capture_output=True)
    before = seen(path, f"x'{raw}'")
    program.ok("decrypt", "--exact", "--key-file", keys.raw(raw), path, work / "exact.db")
    assert (work / "exact.db").read_bytes()[20] == 100
    program.ok("rekey", path, "--key-file", keys.raw(raw), *pair[2:])
    assert seen(path, NEW) == before
    program.ok("decrypt", "--exact", "--key-file", pair[3], path, work / "exact.db", "--force")
    assert (work / "exact.db").read_bytes()[20] == 80


@pytest.mark.parametrize("vacuum", ["NONE", "INCREMENTAL"])
def test_every_page_keeps_its_number(work, keys, vacuum):
    """Free pages, pointer maps and what they hold come along, byte for byte."""
    raw, new = "a1b2c3d4" * 8, "0123456789abcdef" * 4
    path = make(work / "a.db", key=f"x'{raw}'", pragmas=[("auto_vacuum", vacuum)])
    connection = peers.sealed(path, f"x'{raw}'")
    connection.execute("DELETE FROM people WHERE id % 3 = 0 OR id > 200")
    connection.execute("DROP TABLE pairs")
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 5
    connection.close()
    before = decoder.decode(path.read_bytes(), f"x'{raw}'", decoder.Settings())
    program.ok("rekey", path, "--key-file", keys.raw(raw), "--new-key-file", keys.raw(new, "new"))
    assert decoder.decode(path.read_bytes(), f"x'{new}'", decoder.Settings()) == before


def test_owner_and_backup(work, pair, keys):
    path = make(work / "a.db")
    os.chown(path, 12345, 23456)
    found = program.ok("rekey", path, *pair, "--backup", ".old")
    status = path.stat()
    assert (status.st_uid, status.st_gid) == (12345, 23456)
    assert found["backup"] == str(path) + ".old"
    seen(work / "a.db.old", OLD)
    # Where nothing stood at the target, nothing is kept, and nothing is said to be.
    (work / "out").mkdir()
    found = program.ok("rekey", work / "a.db.old", "--output-dir", work / "out", "--force",
                       "--backup", ".was", *pair)
    assert found["backup"] is None
    assert [p.name for p in (work / "out").iterdir()] == ["a.db.old"]


def test_force_allows_links_and_idle_openers(work, pair):
    path = make(work / "a.db")
    os.link(path, work / "hard.db")
    with open(path, "rb") as held, subprocess.Popen(["sleep", "60"], stdin=held) as process:
        program.ok("rekey", path, *pair, "--force")
        process.kill()
    seen(path, NEW)
    seen(work / "hard.db", OLD)


@pytest.mark.parametrize("wait", [0.05, 0.15, 0.25, 0.35, 0.45])
def test_a_kill_leaves_old_or_new(work, pair, wait):
    path = make(work / "a.db")
    connection = peers.sealed(path, OLD)
    connection.execute("CREATE TABLE bulk AS SELECT randomblob(30000000) AS b")
    connection.close()
    before, old = seen(path, OLD), path.read_bytes()
    process = program.start("rekey", path, *pair)
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    left = [p.name for p in work.iterdir() if p.name != "a.db"]
    assert all(name.startswith(".a.db.dbseal-") for name in left), left
    if path.read_bytes() == old:
        result = program.run("rekey", path, *pair)
        assert result.exit == 0 and all(name in result.text for name in left), result
    else:
        assert not left
    assert [p.name for p in work.iterdir()] == ["a.db"]
    assert seen(path, NEW) == before
    opens_not(path, OLD)
