# Plan: names, keys and moments at which something was lost or a success was none.
# - a target or backup that is a companion of a database at hand (or the reverse) is refused
# - a database that somebody opens during the work is not exchanged under him
# - a salt that stands nowhere is never the only thing left of a database
# - a failed key command is a failure, whatever signals the caller ignores
# - a passphrase that SQLCipher takes as a raw key is refused at once
# - files of others beside the target are not taken for leftovers
# - signals that end a process leave no temporary file
# - JSON is JSON whatever the name; a backup is named only where one was made
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from support import files, peers, program, samples


def refused(code, *args, **more):
    result = program.run(*args, **more)
    assert result.exit == code, result
    return result


@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_companions_are_refused(work, keys, suffix):
    path = samples.plain(work / "a.db")
    before = files.Snapshot(work)
    key = keys.raw()
    for args in ([path, f"{path}{suffix}"], ["--force", path, f"{path}{suffix}"],
                 ["--in-place", f"--backup={suffix}", path]):
        assert b"companion" in refused(7, "encrypt", "--json", *args, "--key-file", key).out
    (work / f"b.db{suffix}").write_bytes(path.read_bytes())
    refused(7, "encrypt", "--force", work / f"b.db{suffix}", work / "b.db", "--key-file", key)
    (work / f"b.db{suffix}").unlink()
    before.unchanged()


def test_a_database_opened_during_the_work_is_not_exchanged(work, keys):
    path = samples.plain(work / "a.db", pragmas=["journal_mode=WAL"])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
                       "FROM n WHERE i < 150000) SELECT i, hex(randomblob(300)) FROM n")
    connection.close()
    process = program.start("encrypt", "--in-place", path, "--key-file", keys.raw())
    while not any(".dbseal-" in name for name in os.listdir(work)):
        assert process.poll() is None
        time.sleep(0.001)
    late = open(path, "rb")
    out, err = process.communicate()
    assert process.returncode == 8, (out, err)
    late.close()
    assert sqlite3.connect(path).execute("SELECT count(*) FROM big").fetchone() == (150000,)


@pytest.mark.parametrize("how", ["--in-place", "--shred"])
def test_a_salt_in_no_file_is_given_and_not_made_up(work, keys, how):
    path = samples.plain(work / "a.db")
    target = [] if how == "--in-place" else [work / "out.db"]
    before = path.read_bytes()
    args = ["encrypt", how, "--plaintext-header", "32", path, *target, "--key-file", keys.raw()]
    refused(2, *args)
    assert path.read_bytes() == before
    program.ok(*args, "--salt", "ab" * 16)


def test_a_failed_command_is_no_key_whatever_is_ignored(work, keys):
    path = samples.plain(work / "a.db")
    result = subprocess.run(
        [sys.executable, "-c", "import os, signal, sys; signal.signal(signal.SIGCHLD, "
         "signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])", str(program.BIN), "encrypt", path,
         work / "out.db", "--key-command", "sh -c 'printf partial; exit 1'"],
        capture_output=True, check=False)
    assert result.returncode == 3, result
    assert not (work / "out.db").exists()


def test_a_command_that_goes_on_can_be_ended(work, keys):
    path = samples.plain(work / "a.db")
    process = program.start("encrypt", path, work / "out.db", "--key-command",
                            "sh -c 'trap \"\" TERM; echo k; exec >&-; sleep 15'")
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    # Not until the pipes close: what the command started holds them.
    assert process.wait(timeout=10) == -signal.SIGTERM


@pytest.mark.parametrize("end", ["'", "z", '"'])
@pytest.mark.parametrize("digits", [64, 96])
def test_a_passphrase_that_is_taken_as_raw_is_refused(work, keys, digits, end):
    path = samples.plain(work / "a.db")
    key = keys.file("x'" + "ab" * (digits // 2) + end)
    refused(3, "encrypt", "--passphrase", path, work / "out.db", "--key-file", key)
    # The judge is 4.6: what its shell makes under this text opens with the digits as a raw key.
    # (4.19 looks at the last character; one key must not mean two things.)
    raw = "x'" + "ab" * (digits // 2) + "'"
    typed = (raw[:-1] + end).replace('"', '""')
    for key, sql in ((typed, "CREATE TABLE t(a);"), (raw, "SELECT 'opens', count(*) FROM t;")):
        judged = subprocess.run(
            [peers.SHELL_NEW, work / "peer.db"], input=f'PRAGMA key="{key}"; {sql}',
            capture_output=True, text=True, check=False)
    assert "opens|0" in judged.stdout, judged


def test_files_of_others_are_no_leftovers(work, keys):
    path = samples.plain(work / "a.db")
    for name in ("backup", "abcdef", "ABC123", "1abc2", "1abc234"):
        (work / f".a.db.dbseal-{name}").write_bytes(b"precious")
    program.ok("encrypt", "--in-place", path, "--key-file", keys.raw())
    for name in ("backup", "abcdef", "ABC123", "1abc2", "1abc234"):
        file = work / f".a.db.dbseal-{name}"
        assert file.read_bytes() == b"precious"
        file.unlink()


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM, signal.SIGXCPU])
def test_signals_that_end_a_process_leave_nothing(work, keys, number):
    path = samples.plain(work / "a.db")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
                       "FROM n WHERE i < 150000) SELECT i, hex(randomblob(300)) FROM n")
    connection.close()
    for _ in range(20):
        process = program.start("encrypt", path, work / "out.db", "--key-file", keys.raw())
        while not any(".dbseal-" in name for name in os.listdir(work)) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(number)
        process.communicate()
        if process.returncode != 0:
            break
        (work / "out.db").unlink()  # it was done before the signal came
    assert process.returncode == -number
    assert sorted(os.listdir(work)) == ["a.db"]


@pytest.mark.parametrize("name", ["\u202eevil", "a\u0085b", "\u2066x", "\u200f"])
def test_json_is_json_whatever_the_name(work, keys, name):
    result = refused(9, "encrypt", "--json", work / name, work / "out.db", "--key-file", keys.raw())
    assert json.loads(result.out)["database"] == str(work / name)
    assert name[0] not in result.out.decode() or name[0] == "a"


def test_a_backup_is_named_only_where_one_was_made(work, keys):
    path = samples.plain(work / "a.db")
    key = keys.raw()
    args = ["encrypt", "--force", "--backup", ".old", path, work / "out.db", "--key-file", key]
    assert program.ok(*args)["backup"] is None
    found = program.ok(*args)
    assert found["backup"] == str(work / "out.db.old") and (work / "out.db.old").exists()


def test_a_dry_run_knows_a_folder_that_cannot_be_written(work, keys):
    path = samples.plain(work / "a.db")
    # A folder on which even root cannot write.
    for flag in ([], ["--dry-run"]):
        refused(9, "encrypt", *flag, path, "/sys/out.db", "--key-file", keys.raw())


def test_page_one_may_stand_in_the_log(work, keys):
    connection = sqlite3.connect(work / "work.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("CREATE TABLE t(a)")
    connection.execute("INSERT INTO t VALUES(7)")
    main, log = (work / "work.db").read_bytes(), (work / "work.db-wal").read_bytes()
    connection.close()
    (work / "work.db").unlink()
    for torn in (bytes(4096) + main[4096:], bytes(512) + main[512:], main[:100]):
        (work / "a.db").write_bytes(torn)
        (work / "a.db-wal").write_bytes(log)
        program.ok("encrypt", "--force", work / "a.db", work / "out.db", "--key-file", keys.raw())
        program.ok("decrypt", "--force", work / "out.db", work / "back.db", "--key-file",
                   keys.raw())
        judge = sqlite3.connect(work / "back.db")
        assert judge.execute("SELECT a FROM t").fetchall() == [(7,)]
        judge.close()


def test_a_wiped_sector_is_damage(work, keys):
    path = samples.plain(work / "a.db")
    program.ok("encrypt", path, work / "sealed.db", "--key-file", keys.raw())
    with open(work / "sealed.db", "r+b") as file:
        file.seek(512)
        file.write(bytes(512))
    refused(5, "decrypt", work / "sealed.db", work / "out.db", "--key-file", keys.raw())
