# Plan: migrate --schema of several databases in one run.
# - whatever --jobs says: answers in the order of the names, each with its own exit status, 1 where
#   some failed; one that waits for a lock keeps no other waiting;
# - SIGINT: those that were migrated are said, so is one that came a part of the way, with what of it
#   stays, and the others are as they were; in text and in JSON;
# - one database under two names, and one new name twice; the folder's note once.
import json
import os
import signal
import sqlite3
import time

import pytest

from support import migrations, program, samples, summaries
from support.files import Snapshot
from support.others import Holder

# Quick where `kept` holds 1; about a minute of work where it holds 300000000.
WORK = ("CREATE TABLE half(x);\nINSERT INTO half WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
        " SELECT i + 1 FROM n WHERE i < (SELECT a FROM kept)) SELECT count(*) FROM n;")
FAST, SLOW = 1, 300000000


@pytest.fixture
def files(tmp_path):
    return migrations.folder(tmp_path / "migrations")


def plain(path, a=FAST, more=""):
    return samples.plain(path, f"CREATE TABLE kept(a); INSERT INTO kept VALUES({a});" + more)


def versions(path):
    """What a reader finds applied; nothing while a writer is at work."""
    connection = sqlite3.connect(path, timeout=0)
    try:
        return migrations.library_applied(connection)[0]
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def until(process, condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end and process.poll() is None, process.communicate()
        time.sleep(0.01)


def interrupted(process):
    """Sends SIGINT, proves that it was what the process died of; both streams' lines."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT, (out, err)
    return out.decode().splitlines(), err.decode().splitlines()


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_answers_come_in_order_with_their_statuses(work, files, jobs):
    names = [f"{n}.db" for n in range(9)]
    def make():
        for number, name in enumerate(names):
            (work / name).unlink(missing_ok=True)
            if number == 2:
                plain(work / name, more="CREATE TABLE people(x);")
            elif number == 4:
                (work / name).write_bytes(b"this is no database" * 100)
            elif number != 6:
                plain(work / name, a=300000 if number == 0 else FAST)
    make()
    (files / "31.sql").write_text(WORK)
    paths = [work / name for name in names]
    result = program.run("migrate", "--json", "-j", jobs, "--schema", files, *paths)
    assert result.exit == 1, result
    *lines, last = result.objects
    assert [line["database"] for line in lines] == [str(path) for path in paths]
    assert [line["exit"] for line in lines] == [0, 0, 11, 0, 6, 0, 9, 0, 0]
    assert summaries.of(last) == {"summary": {
        "command": "migrate", "ok": False, "code": "check_failed", "exit": 1, "files": 9,
        "succeeded": 6, "failed": 3, "skipped": 0, "unchanged": 0,
        "failures": {"wrong_kind": 1, "io": 1, "migration_failed": 1}}}
    for number in (0, 1, 3, 5, 7, 8):
        assert versions(paths[number]) == [1, 2, 30, 31]
    assert versions(paths[2]) == []
    make()
    result = program.run("migrate", "-j", jobs, "--schema", files, *paths)
    assert result.exit == 1, result
    *lines, last = result.out.decode().splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        f"migrated {paths[n]}" for n in (0, 1, 3, 5, 7, 8)]
    assert summaries.text(last) == (
        "6 of 9 databases up to date, 3 failed (1 wrong_kind, 1 io, 1 migration_failed)")
    errors = [line for line in result.err.decode().splitlines() if line.startswith("dbseal: ")]
    assert [line.split(": ")[1] for line in errors] == [str(paths[n]) for n in (2, 4, 6)]


def test_one_that_waits_keeps_no_other_waiting(work, files):
    first, second = plain(work / "1.db"), plain(work / "2.db")
    with Holder(first, statements=["BEGIN IMMEDIATE"]):
        process = program.start("migrate", "--json", "-j", "2", "--busy-timeout", "600",
                                "--schema", files, first, second)
        until(process, lambda: versions(second) == [1, 2, 30])
        assert versions(first) == []
    out, err = process.communicate(timeout=60)
    lines = [json.loads(line) for line in out.splitlines()]
    assert process.returncode == 0, err
    assert [line.get("database") for line in lines] == [str(first), str(second), None]


def test_an_interrupt_says_what_was_migrated_and_what_in_part(work, files):
    a, b = plain(work / "a.db"), plain(work / "b.db")
    c, d = plain(work / "c.db", SLOW), plain(work / "d.db")
    (files / "31.sql").write_text(WORK)
    old = d.read_bytes()
    process = program.start("migrate", "--json", "-j", "1", "--schema", files, a, b, c, d)
    until(process, lambda: versions(c) == [1, 2, 30])
    lines, _ = interrupted(process)
    *answers, last = [json.loads(line) for line in lines]
    assert [(line["database"], line["code"], len(line["applied"])) for line in answers] == [
        (str(a), "ok", 4), (str(b), "ok", 4), (str(c), "interrupted", 3)]
    assert "nothing was changed" not in answers[2]["message"]
    assert summaries.of(last) == {"summary": {
        "command": "migrate", "ok": False, "code": "interrupted", "exit": 130,
        "message": "interrupted by SIGINT: 2 of 4 databases up to date, 1 failed, the other one left"
                   " as it was", "files": 4, "succeeded": 2, "failed": 1, "skipped": 0, "unchanged": 0,
        "failures": {"interrupted": 1}}}
    assert [versions(path) for path in (a, b, c)] == [[1, 2, 30, 31]] * 2 + [[1, 2, 30]]
    assert d.read_bytes() == old and sorted(os.listdir(work)) == [
        "a.db", "b.db", "c.db", "d.db"]
    # The next run goes on there. c and d again, so that it ends with the one that is cut short.
    process = program.start("migrate", "-j", "4", "--schema", files, a, d, c)
    until(process, lambda: versions(d) == [1, 2, 30, 31])
    out, err = interrupted(process)
    assert [line.split(":")[0] for line in out] == [str(a), f"migrated {d}"]
    assert err == ["dbseal: interrupted by SIGINT: 2 of 3 databases up to date, the other one left"
                   " as it was"]
    assert versions(c) == [1, 2, 30]


def test_an_interrupt_of_the_last_is_one_of_all_and_text_says_so(work, files):
    a, b = plain(work / "a.db"), plain(work / "b.db", SLOW)
    (files / "31.sql").write_text(WORK)
    process = program.start("migrate", "--schema", files, a, b)
    until(process, lambda: versions(a) == [1, 2, 30, 31] and versions(b) == [1, 2, 30])
    _, err = interrupted(process)
    assert err == [
        f"dbseal: {b}: interrupted by SIGINT; applied before, and permanent: 001_first.sql,"
        " 2_second.sql, 30.sql",
        "dbseal: interrupted by SIGINT: 1 of 2 databases up to date, 1 failed"]


@pytest.mark.parametrize("form", [["--json"], []], ids=["json", "text"])
def test_an_interrupt_of_several_at_once_leaves_them_as_they_were(work, tmp_path, form):
    folder = migrations.folder(tmp_path / "one", {"1.sql": WORK})
    done = plain(work / "0.db")
    slow = [plain(work / f"{n}.db", SLOW) for n in (1, 2, 3)]
    old = [path.read_bytes() for path in slow]
    process = program.start("migrate", *form, "-j", "2", "--schema", folder, done, *slow)
    until(process, lambda: versions(done) == [1]
          and {"1.db-journal", "2.db-journal"} <= set(os.listdir(work)))
    out, err = interrupted(process)
    sentence = "interrupted by SIGINT: 1 of 4 databases up to date, the other 3 left as they were"
    if form:
        first, last = [json.loads(line) for line in out]
        assert first["database"] == str(done) and first["ok"]
        assert last["summary"]["message"] == sentence and last["summary"]["failed"] == 0
    else:
        assert len(out) == 1 and err == [f"dbseal: {sentence}"]
    assert [path.read_bytes() for path in slow] == old
    assert sorted(os.listdir(work)) == ["0.db", "1.db", "2.db", "3.db"]


def test_an_interrupt_of_the_first_leaves_all(work, files):
    paths = [plain(work / f"{n}.db", SLOW) for n in (1, 2)]
    folder = migrations.folder(files.parent / "slow", {"1.sql": WORK})
    process = program.start("migrate", "-j", "1", "--schema", folder, *paths)
    until(process, lambda: "1.db-journal" in os.listdir(work))
    _, err = interrupted(process)
    assert err == ["dbseal: interrupted by SIGINT: 0 of 2 databases up to date, and all were left"
                   " as they were"]


@pytest.mark.parametrize("names", [
    ["a.db", "link.db"], ["a.db", "./a.db"], ["new.db", "./new.db"], ["new.db", "sub/../new.db"]])
def test_one_database_under_two_names(work, files, names):
    plain(work / "a.db")
    (work / "link.db").symlink_to("a.db")
    (work / "sub").mkdir()
    before = Snapshot(work)
    new = ["--create", "--plaintext"] if "new.db" in names else []
    result = program.run("migrate", "--json", "-j", "4", *new, "--schema", files, *names, cwd=work)
    assert result.exit == 2 and "one file" in result.json["message"], result
    before.unchanged()


def test_what_the_folder_has_besides_is_said_once(work, files):
    (files / "README.md").write_text("words")
    paths = [work / "none.db", plain(work / "a.db"), plain(work / "b.db")]
    result = program.run("migrate", "-j", "2", "--schema", files, *paths)
    notes = [line for line in result.err.decode().splitlines() if line.startswith("note: ")]
    assert notes == [f"note: {files}: not named as migrations are, and ignored: README.md"]
    assert b"note: " not in program.run("migrate", "-q", "--schema", files, *paths).err
    found = program.run("migrate", "--json", "--schema", files, *paths)
    assert b"note: " not in found.err and found.out.count(b'"ignored_files"') == 2
