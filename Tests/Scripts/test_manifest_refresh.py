# Plan: a manifest that is there is refreshed, and never loses what it checks.
# - what an entry says of the content becomes what peers find there; whatever people wrote stays, each
#   field of it, in its order; the next check passes and has as many databases as before;
# - what fails keeps its entry; what is missing on purpose is not added; nothing is written where nothing
#   changed, on a full disk, or under another writer;
# - --force is refused where entries or fields would be lost, with their number; the hint, typed as it
#   stands, loses nothing;
# - what the command line expects beside a manifest counts for every entry, or is an error.
import json
import re
import shlex
import sqlite3

import pytest

from support import digest, peers, program, samples
from support.files import Snapshot, change
from support.kinds import RAW, made

MANIFEST = "fixtures.json"
REFRESH = ["verify", "--manifest", MANIFEST, "--write-manifest", MANIFEST]


@pytest.fixture
def project(work, keys):
    """Two databases under one key file, a plaintext one, and their manifest."""
    keys.file(RAW)
    (work / "k").write_text(RAW + "\n")
    (work / "k").chmod(0o600)
    for name in ("app.db", "old.db"):
        made(work / name, "sealed")
    samples.plain(work / "free.db", "CREATE TABLE users(a); INSERT INTO users VALUES(1), (2);"
                                    "PRAGMA user_version = 8; CREATE TABLE log(a);")
    names = ["app.db", "old.db", "free.db"]
    assert program.run("verify", "--write-manifest", MANIFEST, "--key-file", "k", *names,
                       cwd=work).exit == 0
    return work


def entries(work):
    return json.loads((work / MANIFEST).read_text())["databases"]


def put(work, found):
    (work / MANIFEST).write_text(json.dumps({"dbseal_manifest": 1, "databases": found}, indent=3))


def passes(work, count, **more):
    result = program.run("verify", "--manifest", MANIFEST, cwd=work, **more)
    assert result.exit == 0 and f"{count} of {count} database".encode() in result.out, result


def rows(path, table):
    return sqlite3.connect(path).execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def change_all(work):
    peers.change(work / "free.db", "INSERT INTO users VALUES(3)", "CREATE TABLE added(a)",
                 "DROP TABLE log", "PRAGMA user_version = 9")


def test_what_was_found_is_taken_and_all_else_stays(project):
    before = entries(project)
    change_all(project)
    assert program.run("verify", "--manifest", MANIFEST, cwd=project).exit == 1
    snapshot = Snapshot(project)
    result = program.run(*REFRESH, cwd=project)
    assert result.exit == 0, result
    assert b"note: fixtures.json: written: 1 of 3 entries changed (free.db)" in result.err
    snapshot.unchanged(ignore=[MANIFEST])
    after = entries(project)
    assert [e for e in after if e["file"] != "free.db"] == [
        e for e in before if e["file"] != "free.db"]
    found, = (e for e in after if e["file"] == "free.db")
    path = project / "free.db"
    assert found == {
        "file": "free.db", "encrypted": False, "user_version": 9, "application_id": 0,
        "digest": digest.of(sqlite3.connect(path)),
        "tables": {"added": rows(path, "added"), "users": rows(path, "users")}}
    passes(project, 3)
    text = (project / MANIFEST).read_text()
    again = program.run("verify", "--json", *REFRESH[1:], cwd=project)
    assert again.exit == 0 and again.objects[-2] == {
        "manifest": MANIFEST, "written": False, "entries": 3, "changed": 0}
    assert (project / MANIFEST).read_text() == text


def by_hand(project):
    """What only people write, beside what the tool wrote; with the environment that it needs."""
    found = entries(project)
    found[0].update({"key_timeout": 5.5, "quick": False, "name": "the app's"})
    found += [
        {"user_version": 8, "file": "free.db", "name": "some fields"},
        {"file": "free.db", "name": "chosen", "tables": {"users": 2, "sqlite_master": None}},
        {"file": "free.db", "name": "nothing of its content"},
        {"file": "app.db", "name": "another key", "key_env": "OTHER", "expect_code": "wrong_key"},
        {"file": "none.db", "expect_code": "io"},
        {"file": "free.db", "name": "wrong on purpose", "user_version": 4294967295,
         "tables": {"users": 77}, "expect_code": "check_failed"},
        {"file": "app.db", "name": "either sign", "key_file": "k",
         "user_version": 4294967289, "application_id": 252006673},
    ]
    put(project, found)
    return found, {"OTHER": "x'" + "0f" * 32 + "'"}


def test_what_people_wrote_stays(project):
    found, env = by_hand(project)
    passes(project, 10, env=env)
    change_all(project)
    result = program.run("verify", "--json", *REFRESH[1:], cwd=project, env=env)
    assert result.exit == 0 and result.objects[-2] == {
        "manifest": MANIFEST, "written": True, "entries": 10, "changed": 3}, result
    after = entries(project)
    assert [list(entry) for entry in after] == [list(entry) for entry in found], "fields, in order"
    free, = (index for index, entry in enumerate(found) if set(entry) >= {"digest"}
             and entry["file"] == "free.db")
    chosen = 3
    assert after[chosen] == {**found[chosen], "user_version": 9}
    assert after[chosen + 1] == {**found[chosen + 1], "tables": {"users": 3, "sqlite_master": None}}
    for index, entry in enumerate(found):
        if index not in (free, chosen, chosen + 1):
            assert after[index] == entry
    passes(project, 10, env=env)


def test_a_schema_of_an_app(work, keys):
    """It can only be checked in part; its rows are refreshed all the same."""
    path = work / "future.db"
    people = rows(samples.plain(work / "a.db"), "people")
    made(path, "plain", edit=lambda c: [c.execute(sql) for sql in samples.FUTURE])
    found = program.run("verify", "--json", "--write-manifest", "new.json", path, cwd=work)
    assert found.exit == program.EXIT["unsupported"] and "by hand" in found.objects[0]["hint"], found
    assert not (work / "new.json").exists()
    entry = {"file": "future.db", "expect_code": "unsupported", "tables": {"people": 1}}
    put(work, [entry])
    assert program.run("verify", "--manifest", MANIFEST, cwd=work).exit == 1
    assert program.run(*REFRESH, cwd=work).exit == 0
    assert entries(work) == [{**entry, "tables": {"people": people}}]
    passes(work, 1)


def test_what_fails_keeps_its_entry(project):
    found = entries(project)
    found.append({"file": "free.db", "name": "chosen", "tables": {"log": 0, "users": 2}})
    put(project, found)
    change_all(project)
    change(project / "old.db", 4096 * 2 + 100, b"damage")
    app = (project / "app.db").read_bytes()
    (project / "app.db").write_bytes((project / "free.db").read_bytes())
    result = program.run(*REFRESH, cwd=project)
    # Plaintext now, damaged, and a table that somebody wanted to be there.
    assert result.exit == 1 and b"there is no table log" in result.out, result
    assert b"written: 1 of 4 entries changed (free.db); 3 did not pass and stay as" in result.err
    after = entries(project)
    assert [a["file"] for a, b in zip(after, found) if a != b] == ["free.db"]
    assert after[-1] == found[-1]
    assert next(e for e in after if e["file"] == "app.db")["encrypted"] is True
    codes = [o["code"] for o in program.run("verify", "--json", "--manifest", MANIFEST,
                                            cwd=project).objects[:-1]]
    assert sorted(codes) == ["check_failed", "check_failed", "damaged", "ok"]
    # What has to be plaintext and is encrypted.
    (project / "free.db").write_bytes(app)
    before = (project / MANIFEST).read_text()
    result = program.run(*REFRESH, cwd=project)
    assert result.exit == 1 and b"4 did not pass" in result.err, result
    assert (project / MANIFEST).read_text() == before


def test_what_the_command_line_expects_is_not_refreshed_away(project):
    change_all(project)
    before = (project / MANIFEST).read_text()
    result = program.run(*REFRESH, "--expect-table", "users=2", cwd=project)
    assert result.exit == 1 and b"table users has 3 rows, not 2" in result.out
    result = program.run(*REFRESH, "--expect-user-version", "8", cwd=project)
    assert result.exit == 1 and b"user_version is 9, not 8" in result.out
    assert (project / MANIFEST).read_text() == before


def test_a_refresh_that_cannot_be_written(project):
    change_all(project)
    before = Snapshot(project)
    result = program.run("verify", "--json", *REFRESH[1:], cwd=project, file_size=100)
    *_, said, failure, summary = result.objects
    assert said == {"manifest": MANIFEST, "written": False, "entries": 3, "changed": 0}
    assert failure["code"] == "io" and "from an earlier run" in failure["message"]
    assert (summary["summary"]["code"], summary["summary"]["exit"], result.exit) == ("io", 9, 9)
    before.unchanged()


def test_another_writer(project):
    """Somebody edits the manifest while its databases are checked."""
    found = entries(project)
    found[0].pop("key_file", None)
    found[0]["key_command"] = "sh -c 'echo >> fixtures.json; cat k'"
    put(project, found)
    change_all(project)
    text = (project / MANIFEST).read_text()
    result = program.run(*REFRESH, cwd=project)
    assert result.exit == program.EXIT["locked"] and b"changed while it was read" in result.err
    assert (project / MANIFEST).read_text() == text + "\n"


def test_force_loses_no_entry(project):
    change_all(project)
    before = Snapshot(project)
    for more in ([], ["--quiet"], ["--json"]):
        result = program.run("verify", "--force", *more, "--write-manifest", MANIFEST, "--key-file",
                             "k", "free.db", cwd=project)
        assert result.exit == 7 and b"would lose 2 of its 3 entries" in result.out + result.err
        before.unchanged()
    found = result.json
    assert (found["code"], found["obstacle"], found["entries"], found["lost"], found["fields"]) == (
        "exists", "entries", 3, 2, [])
    line = re.match(r"dbseal (.* fixtures.json) refreshes", found["hint"])[1]
    assert program.run(*shlex.split(line), cwd=project).exit == 0
    passes(project, 3)


def test_force_loses_nothing_that_people_wrote(project):
    found, env = by_hand(project)
    before = Snapshot(project)
    result = program.run("verify", "--json", "--force", "--write-manifest", MANIFEST, "--key-file",
                         "k", "app.db", "old.db", "free.db", cwd=project)
    assert result.exit == 7 and result.json["lost"] == 7
    assert result.json["fields"] == ["name", "key_timeout"]
    before.unchanged()
    # A null in tables, a key source, a way to check, and how it has to end.
    for field in ("name", "key_timeout"):
        found[0].pop(field)
    for change_of, options in (
            ({"tables": {"users": None}}, ["--key-file", "k"]), ({}, []),
            ({"quick": True}, ["--key-file", "k"]), ({"expect_code": "damaged"}, ["--key-file", "k"])):
        put(project, [{**e, **change_of} for e in found[:3]])
        snapshot = Snapshot(project)
        result = program.run("verify", "--json", "--force", "--write-manifest", MANIFEST, *options,
                             "app.db", "old.db", "free.db", cwd=project, env={"DBSEAL_KEY": RAW})
        assert result.exit == 7 and result.json["lost"] == 0, result
        assert set(change_of) | {"key_file"} >= set(result.json["fields"]) != set()
        snapshot.unchanged()


def test_force_over_what_is_plaintext_now(project):
    """That a database had to be encrypted is not forgotten."""
    found = entries(project)
    for entry in found:
        entry.pop("key_file", None)
    put(project, found)
    (project / "app.db").write_bytes((project / "free.db").read_bytes())
    before = Snapshot(project)
    result = program.run("verify", "--force", "--write-manifest", MANIFEST, "app.db", "old.db",
                         "free.db", cwd=project, env={"DBSEAL_KEY": RAW})
    assert result.exit == 7 and b"would lose what its 3 entries say: encrypted" in result.err, result
    before.unchanged()


def test_force_where_nothing_is_lost(project):
    change_all(project)
    names = ["./app.db", "free.db", "old.db"]
    result = program.run("verify", "--force", "--write-manifest", MANIFEST, "--key-file", "k", *names,
                         cwd=project)
    assert result.exit == 0, result
    passes(project, 3)
    samples.plain(project / "more.db")
    result = program.run("verify", "--force", "--write-manifest", MANIFEST, "--key-file", "k", *names,
                         "more.db", cwd=project)
    assert result.exit == 0, result
    passes(project, 4)
    # Another file, or none.
    assert program.run("verify", "--write-manifest", "one.json", "free.db", cwd=project).exit == 0
    (project / MANIFEST).unlink()
    assert program.run("verify", "--write-manifest", MANIFEST, "free.db", cwd=project).exit == 0


def test_what_is_in_the_way_has_its_words(project):
    def hint(*options):
        result = program.run("verify", "--json", *options, cwd=project)
        assert "TARGET" not in result.json["hint"]
        return result.exit, result.json["message"], result.json["hint"]

    status, message, said = hint("--write-manifest", "app.db", "old.db")
    assert status == 7 and "a file of another kind" in message and "followed by the name" in said
    status, message, said = hint("--write-manifest", MANIFEST, "free.db")
    assert status == 7 and "a manifest is there" in message and "refreshes it" in said
    (project / MANIFEST).write_text('{"dbseal_manifest": 1,\n "databases": [,]}')
    before = Snapshot(project)
    status, message, said = hint("--force", "--write-manifest", MANIFEST, "free.db")
    assert status == 7 and "a mistake on line 2" in message
    before.unchanged()
    status, message, said = hint("--manifest", MANIFEST, "--write-manifest", "other.json")
    assert status == 2 and f"--manifest {MANIFEST} --write-manifest {MANIFEST} refreshes" in said
    status, message, said = hint("--report", "tap", "--report-file", "x", "--write-manifest", "./x",
                                 "free.db")
    assert status == 2 and "both name one file" in message
    status, message, said = hint("--manifest", "-")
    assert status == 2 and "the name of a file" in message
    # The report of a run that was refused says so.
    before.unchanged(new=["x"])


@pytest.mark.parametrize("options, field", [
    (["--expect-user-version", "3"], "user_version"),
    (["--expect-application-id", "5"], "application_id"),
    (["--expect-digest", "00" * 32], "digest"), (["--expect-table", "USERS=5"], "tables"),
    (["--expect-encrypted"], "encrypted"),
])
def test_what_contradicts_an_entry(project, options, field):
    program.run("verify", "--force", "--write-manifest", "free.json", "free.db", cwd=project)
    lines = (project / "free.json").read_text().splitlines()
    wanted = '"users"' if field == "tables" else f'"{field}"'
    line, = (number for number, text in enumerate(lines, 1) if text.strip().startswith(wanted))
    for more in ([], ["--write-manifest", "free.json"] if field == "encrypted" else []):
        result = program.run("verify", "--json", "--manifest", "free.json", *more, *options,
                             cwd=project)
        assert result.exit == 2 and result.json["line"] == line, result
        assert f"{field} says otherwise than {options[0]}" in result.json["message"]


def test_what_agrees_with_an_entry(project):
    digest_of = next(e for e in entries(project) if e["file"] == "free.db")["digest"]
    program.run("verify", "--write-manifest", "free.json", "free.db", cwd=project)
    result = program.run("verify", "--json", "--manifest", "free.json", "--expect-user-version", "8",
                         "--expect-digest", digest_of, "--expect-table", "users=2", "--expect-table",
                         "log", cwd=project)
    # Encrypted or not, both numbers, the digest, two tables, and two more.
    assert result.exit == 0 and result.objects[0]["verdicts"]["expectations"]["checked"] == 8
    put(project, [{"file": "free.db"}, {"file": "app.db", "key_file": "k"}])
    result = program.run("verify", "--json", "--manifest", MANIFEST, "--expect-user-version", "8",
                         cwd=project)
    assert [o["code"] for o in result.objects[:2]] == ["ok", "check_failed"], result


def test_the_hint_of_a_full_disk(project):
    result = program.run("verify", "--write-manifest", "new.json", "free.db", cwd=project, file_size=50)
    assert result.exit == 9 and b"file too large" in result.err and b"TARGET" not in result.err
    assert not (project / "new.json").exists()
