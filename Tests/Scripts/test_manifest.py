# Plan: fixture manifests.
# - every field does what the option of its name does: keys, settings, expectations, over the same files;
# - names are relative to the manifest; what an entry does not say comes from the command line;
# - what is expected to fail passes if it fails so, and in no other way;
# - the reader is strict: the line, the field, what was meant; a key is refused and never repeated;
# - what is written reads back, says what peers say, is sorted and the same every time; nothing is
#   written over another file, or of databases that did not pass.
import json
import os
import shutil
import signal
import socket
import sqlite3
import time

import pytest

from support import digest, peers, program, samples, summaries
from support.files import Snapshot, change, mode
from support.kinds import RAW, made

DIGEST_OF_NOTHING = "00" * 32


def manifest(folder, *entries, name="fixtures.json", version=1):
    path = folder / name
    path.write_text(json.dumps({"dbseal_manifest": version, "databases": list(entries)}, indent=1))
    return path


def verify(path, *options, **more):
    """The objects of the databases, and the exit status."""
    result = program.run("verify", "--json", "--manifest", path, *options, **more)
    *objects, summary = result.objects
    assert summary["summary"]["files"] == len(objects), result
    assert summary["summary"]["succeeded"] == sum(o["ok"] for o in objects)
    assert result.exit == summary["summary"]["exit"] == (0 if all(o["ok"] for o in objects) else 1)
    return objects


def one(path, *options, **more):
    found, = verify(path, *options, **more)
    return found


@pytest.fixture
def fixture(work, keys):
    """A database under a raw key in a folder of its own, with a key file beside it."""
    folder = work / "fixtures"
    folder.mkdir()
    made(folder / "app.db", "sealed")
    keys.file(RAW)
    (folder / "app.key").write_text(RAW + "\n")
    (folder / "app.key").chmod(0o600)
    return folder


@pytest.mark.parametrize("key, env", [
    ({"key_file": "app.key"}, {}), ({"key_env": "FIXTURE"}, {"FIXTURE": RAW}),
    ({"key_command": "cat 'fixtures/app.key'"}, {}),
    ({"key_env": "FIXTURE", "raw_key": True}, {"FIXTURE": "a1b2c3d4" * 8}),
    ({"key_file": "../fixtures/app.key", "key_timeout": 5.5}, {}),
    ({}, {"DBSEAL_KEY": RAW}),
])
def test_where_the_key_is(work, fixture, key, env):
    path = manifest(fixture, {"file": "app.db", **key})
    found = one("fixtures/fixtures.json", cwd=work, env=env)
    assert found["ok"] and found["database"] == "fixtures/app.db"
    inside = one("fixtures.json", cwd=fixture, env=env) if "key_command" not in key else found
    assert inside["ok"]
    assert one(path, env=env, cwd=work)["database"] == str(fixture / "app.db")


def test_a_key_in_the_store(work, fixture, stored):
    program.run("key", "store", stored("fixture"), "--key-file", fixture / "app.key",
                "--keyring-backend", "kernel")
    path = manifest(fixture, {"file": "app.db", "keyring": stored("fixture"),
                              "keyring_backend": "kernel"})
    assert one(path)["ok"]


def test_what_an_entry_does_not_say(work, fixture, keys):
    other = keys.raw("0f" * 32, "other")
    path = manifest(fixture, {"file": "app.db"}, {"file": "app.db", "key_file": "app.key"},
                    {"file": "app.db", "key_file": "app.key", "quick": True})
    assert [o["code"] for o in verify(path, "--key-file", other)] == ["wrong_key", "ok", "ok"]
    found = verify(path, "--key-file", fixture / "app.key", "--expect-user-version", "-7")
    assert [o["verdicts"]["structure"]["verdict"] for o in found] == ["sound", "sound", "skipped"]
    assert [o["verdicts"]["expectations"]["checked"] for o in found] == [1, 1, 1]
    # A source of its own replaces everything that was said about the key of the others.
    found = verify(path, "--key-env", "K", "--raw-key", env={"K": "a1b2c3d4" * 8})
    assert [o["code"] for o in found] == ["ok", "ok", "ok"]
    path = manifest(fixture, {"file": "app.db", "raw_key": True})
    assert one(path, "--key-env", "K", "--passphrase", env={"K": "a1b2c3d4" * 8})["ok"]


def test_one_source_is_asked_once(work, fixture):
    line = "sh -c 'echo asked >> asked; cat fixtures/app.key'"
    entry = {"file": "app.db", "key_command": line}
    assert [o["ok"] for o in verify(manifest(fixture, entry, entry, entry), cwd=work)] == [True] * 3
    assert (work / "asked").read_text() == "asked\n"


def test_settings(work, keys):
    pragmas = [("kdf_iter", 777), ("cipher_page_size", 8192)]
    peers.create_sealed(work / "custom.db", "some passphrase", pragmas, samples.fill)
    keys.file("some passphrase")
    env = {"K": "some passphrase"}
    entry = {"file": "custom.db", "key_env": "K", "kdf_iter": 777, "page_size": 8192}
    found = one(manifest(work, entry), env=env)
    assert found["ok"] and found["settings"]["kdf_iter"] == 777 and found["page_size"] == 8192
    entry["format"] = 4
    assert one(manifest(work, entry), env=env)["ok"]
    entry["format"] = 3
    assert one(manifest(work, entry), env=env)["code"] == "wrong_key"
    # A peer's salt, for a header that is plain.
    peers.create_sealed(work / "ios.db", "some passphrase",
                        [("kdf_iter", 777), ("cipher_plaintext_header_size", 32),
                         ("cipher_salt", "x'" + "ab" * 16 + "'")], samples.fill)
    entry = {"file": "ios.db", "key_env": "K", "kdf_iter": 777, "plaintext_header": 32,
             "salt": "ab" * 16}
    assert one(manifest(work, entry), env=env)["ok"]


def test_expectations(work, fixture):
    judge = peers.sealed(fixture / "app.db", RAW)
    rows = {name: judge.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("people", "gaps", "pairs")}
    judge.close()
    judge = peers.sqlcipher3.connect(str(fixture / "app.db"))
    peers.unlock(judge, RAW)
    entry = {"file": "app.db", "key_file": "app.key", "encrypted": True, "user_version": -7,
             "application_id": 252006673, "digest": digest.of(judge),
             "tables": {**rows, "log": None}}
    found = one(manifest(fixture, entry))
    assert found["verdicts"]["expectations"] == {"verdict": "met", "checked": 8, "differences": []}
    assert found["digest"] == entry["digest"]
    wrong = {"user_version": 7, "application_id": 0, "digest": DIGEST_OF_NOTHING,
             "tables": {"people": 0, "nix": None, "names": 1}}
    found = one(manifest(fixture, {**entry, **wrong}))
    assert found["code"] == "check_failed"
    assert [d["expectation"] for d in found["verdicts"]["expectations"]["differences"]] == [
        "user_version", "application_id", "digest", "rows", "table", "table"]


def test_a_table_of_any_name(work):
    samples.plain(work / "a.db", """CREATE TABLE "a=5"(x); CREATE TABLE "a"(x); CREATE TABLE ""(x);
        INSERT INTO "a=5" VALUES(1); CREATE TABLE "é ""\\"(x);""")
    tables = {"a=5": 1, "a": 0, "": 0, 'é "\\': None}
    assert one(manifest(work, {"file": "a.db", "tables": tables}))["ok"]


def test_encrypted_or_not(work, fixture, source):
    key = {"key_file": "fixtures/app.key"}
    path = manifest(
        work, {"file": "plain.db", "encrypted": False}, {"file": "plain.db", "encrypted": True},
        {"file": "fixtures/app.db", "encrypted": False},
        {"file": "fixtures/app.db", "encrypted": True, **key}, {"file": "plain.db"},
        {"file": "plain.db", **key})
    for options in ([], ["--key-file", fixture / "app.key"]):
        found = verify(path, *options)
        assert [o["code"] for o in found] == [
            "ok", "check_failed", "check_failed", "ok", "ok", "wrong_kind"], found
        # The object is whole as far as anything can be known without the key.
        for wanted, each in ((True, found[1]), (False, found[2])):
            verdict = each["verdicts"]["expectations"]
            assert (verdict["verdict"], verdict["checked"]) == ("not_met", 1)
            assert [(d["expectation"], d["expected"], d["found"]) for d in verdict["differences"]] == [
                ("encrypted", wanted, not wanted)]
            assert each["kind"] == ("plaintext" if wanted else "sqlcipher")
        assert '"encrypted": true' in found[2]["hint"]
        assert [note for o in found for note in o.get("notes", [])
                if note["note"] == "key_not_used"] == []
        assert "it is not encrypted" in found[1]["message"]
        assert "it is encrypted, and a plaintext" in found[2]["message"]


def negative(work):
    """Entries that fail, each by its code."""
    change(made(work / "damaged.db", "sealed"), 4096 * 2 + 100, b"damage")
    made(work / "orphans.db", "plain", samples.FAMILY,
         edit=lambda c: c.execute("DELETE FROM parent WHERE id = 7"))
    (work / "junk.db").write_bytes(b"junk " * 1000)
    samples.plain(work / "plain.db")
    made(work / "future.db", "plain",
         edit=lambda c: [c.execute(sql) for sql in samples.FUTURE])
    made(work / "sound.db", "sealed")
    return {
        "wrong_key": {"file": "sound.db", "key_env": "OTHER"},
        "damaged": {"file": "damaged.db", "key_env": "KEY"},
        "check_failed": {"file": "orphans.db"}, "wrong_kind": {"file": "junk.db"},
        "io": {"file": "none.db"}, "no_key": {"file": "sound.db", "key_env": "NONE"},
        "unsupported": {"file": "future.db"}, "ok": {"file": "sound.db", "key_env": "KEY"},
    }


def test_what_has_to_fail(work, keys):
    entries, env = negative(work), {"KEY": RAW, "OTHER": "x'" + "0f" * 32 + "'"}
    alone = verify(manifest(work, *entries.values()), env=env)
    assert [o["code"] for o in alone] == list(entries)
    expected = [{**entry, "expect_code": code} for code, entry in entries.items() if code != "ok"]
    for found, entry in zip(verify(manifest(work, *expected), env=env), expected):
        assert found["ok"] and found["exit"] == 0 and found["hint"] is None
        assert found["expected_code"] == entry["expect_code"]
        assert f"ok: {entry['expect_code']}, as expected: " in found["message"], found
    codes = [entry["expect_code"] for entry in expected]
    for wrong in codes:
        entries_now = [{**entry, "expect_code": wrong} for entry in entries.values()]
        for found, code in zip(verify(manifest(work, *entries_now), env=env), entries):
            assert found["expected_code"] == wrong
            assert found["code"] == {wrong: "ok", "ok": "check_failed"}.get(code, code)
            assert found["ok"] is (code == wrong)
            if code != wrong:
                assert f"{wrong} was expected" in found["message"], found


def test_what_has_to_fail_in_text(work):
    entries, env = negative(work), {"KEY": RAW, "OTHER": "x'" + "0f" * 32 + "'"}
    path = manifest(work, {**entries["wrong_key"], "expect_code": "wrong_key"},
                    {**entries["ok"], "expect_code": "wrong_key"},
                    {**entries["damaged"], "expect_code": "wrong_key", "name": "damage"},
                    {**entries["io"], "expect_code": "wrong_key"}, name="m.json")
    result = program.run("verify", "--manifest", "m.json", cwd=work, env=env)
    lines, errors = result.out.decode().splitlines(), result.err.decode().splitlines()
    assert lines[0].startswith("sound.db: ok: wrong_key, as expected: wrong key")
    assert lines[1:3] == ["sound.db: not as it should be",
                          "  outcome: nothing is wrong with it, and wrong_key was expected"]
    assert lines[3] == "damaged.db (damage): damaged" and lines[-2] == "  expected: wrong_key"
    assert summaries.text(lines[-1]) == (
        "1 of 4 databases passed, 3 failed (1 check_failed, 1 damaged, 1 io)")
    assert "dbseal: sound.db: not as it should be" in errors
    assert "dbseal: none.db: no such file or directory; wrong_key was expected" in errors
    for more in (["--report", "junit"], ["--quiet"]):
        result = program.run("verify", *more, "--manifest", "m.json", cwd=work, env=env)
        assert result.exit == 1 and b"nothing is wrong with it, and" in result.err, result
    result = program.run("verify", "--report", "tap", "--manifest", "m.json", cwd=work, env=env)
    assert b"\nnot ok 3 - damage\n" in result.out


SYNTAX = [
    ("", 1, "the file ends where a value"), ("{", 1, "the file ends"), ("[]", 1, "has to be an object"),
    ('{"dbseal_manifest": 1,\n "databases": [\n]}', 2, "lists no database"),
    ('{"databases": [{"file": "a"}]}', 1, "dbseal_manifest is missing"),
    ('{"dbseal_manifest": 2, "databases": []}', 1, "version 2, and only 1"),
    ('{"dbseal_manifest": "1", "databases": []}', 1, "has to be a whole number, and is a text"),
    ('{"dbseal_manifest": 1}', 1, "databases is missing"),
    ('{"dbseal_manifest": 1, "databases": {}}', 1, "has to be a list, and is an object"),
    ('{"dbseal_manifest": 1, "databases": [1]}', 1, "a database has to be an object"),
    ('{"dbseal_manifest": 1, "database": []}', 1, "unknown field database"),
    ('{"dbseal_manifest": 1\n "databases": []}', 2, "a comma or } was expected"),
    ('{"dbseal_manifest": 1, "databases": [{"file": "a.db"},]}', 1, "a value was expected"),
    ('\ufeff{}', 1, "byte-order mark"), ('// x\n{}', 1, "a value was expected"),
    ('{"dbseal_manifest": 1, "databases": [{"file": "a",\n"file": "b"}]}', 2, "there twice"),
    ("[" * 100000, 1, "nested more than"),
]


@pytest.mark.parametrize("text, line, words", SYNTAX)
def test_what_is_no_manifest(work, text, line, words):
    path = work / "m.json"
    path.write_text(text)
    refused(path, line, words)


def refused(path, line, words, hint=None):
    """In both forms; the message."""
    before = Snapshot(path.parent)
    found = program.run("verify", "--json", "--manifest", path).json
    result = program.run("verify", "--manifest", path)
    before.unchanged()
    assert (found["code"], found["exit"], result.exit) == ("usage", 2, 2), found
    assert found["line"] == line and f"{path}: line {line}: " in found["message"], found
    assert words in found["message"] and found["message"] in result.err.decode(), found
    assert hint is None or hint in found["hint"], found
    assert result.out == b""
    return found["message"]


@pytest.mark.parametrize("field, words, hint", [
    ({"key_fil": "x"}, "unknown field key_fil", "did you mean key_file?"),
    ({"user-version": 7}, "unknown field user-version", "did you mean user_version?"),
    ({"nonsense": 7}, "unknown field nonsense", "man dbseal-verify has its fields"),
    ({"key_fd": 7}, "unknown field key_fd", None),
    ({"user_version": "7"}, "user_version has to be a number, and is a text", None),
    ({"user_version": 4294967296}, "user_version has a bad value: a whole number from", None),
    ({"user_version": 1.5}, "user_version has a bad value", None),
    ({"user_version": None}, "user_version has to be a number, and is null", None),
    ({"quick": 1}, "quick has to be true or false, and is a number", None),
    ({"encrypted": "yes"}, "encrypted has to be true or false", None),
    ({"format": 5}, "format has a bad value: 1, 2, 3, 4", None),
    ({"format": "4"}, "format has to be a number", None),
    ({"page_size": 1000}, "page_size has a bad value: 512", None),
    ({"hmac_algorithm": "md5"}, "hmac_algorithm has a bad value: sha1", None),
    ({"hmac_algorithm": 5}, "hmac_algorithm has to be a text", None),
    ({"digest": "abc"}, "digest has a bad value: 64 hex digits", None),
    ({"salt": "zz" * 16}, "salt has a bad value: 32 hex digits", None),
    ({"tables": ["t"]}, "tables has to be an object, and is a list", None),
    ({"tables": {"t": -1}}, "a number of rows for each table, or null", None),
    ({"tables": {"t": "3"}}, "a number of rows for each table, or null", None),
    ({"expect_code": "wrongkey"}, "expect_code is one of", "did you mean wrong_key?"),
    ({"expect_code": "ok"}, "expect_code is one of check_failed, no_key", None),
    ({"expect_code": "usage"}, "expect_code is one of", None),
    ({"file": ""}, "file has a bad value: it may not be empty", None),
    ({"file": "a\0b"}, "file has a NUL", None), ({"file": ["a"]}, "file has to be a text", None),
    ({"key_file": "a", "key_env": "B"}, "key_file and key_env exclude each other", None),
    ({"keyring": "a", "key_binary": True}, 'keyring and "key_binary": true exclude each other', None),
    ({"keyring": ""}, "keyring has a bad value: it may not be empty", None),
    ({"key_env": "B", "key_binary": True}, "exclude each other", None),
    ({"raw_key": True, "passphrase": True}, "exclude each other", None),
    ({"keyring_backend": "kernel"}, "goes with", None),
    ({"plaintext_header": 7}, "plaintext header", None),
    ({"sample": 0}, "sample has a bad value: a whole number from 1 to 100", None),
])
def test_strict_fields(work, field, words, hint):
    refused(manifest(work, {"file": "a.db", **field}, name="m.json"),
            line_of(work / "m.json", field), words, hint)


def line_of(path, field):
    """The line of the last field, or of its entry where the field itself is at no fault."""
    together = len(field) > 1 or "keyring_backend" in field or "plaintext_header" in field
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if together and line.strip() == "{" and number > 1:
            return number
        if not together and line.strip().startswith(json.dumps(list(field)[-1])):
            inside = field.get("tables") if isinstance(field.get("tables"), dict) else None
            return number + (1 if inside else 0)
    raise AssertionError(lines)


@pytest.mark.parametrize("name", ["key", "password", "new_key", "secret", "passwd", "old_password"])
def test_no_key_stands_in_a_manifest(work, name):
    program.remember("correct horse battery")
    path = manifest(work, {"file": "a.db", name: "correct horse battery"}, name="m.json")
    message = refused(path, 6, f"{name}: a manifest holds no key", "key_env")
    assert "horse" not in message
    # Nor is a key repeated that stands where something else is wrong.
    for field in ("raw_key", "keyring_backend", "key_timeout", "expect_code", "digest", "tables"):
        path = manifest(work, {"file": "a.db", field: "correct horse battery"}, name="m.json")
        assert program.run("verify", "--manifest", path).exit == 2
    (work / "m.json").write_text('{"dbseal_manifest": 1, "databases": [{"key_file": "correct horse'
                                 ' battery\n"}]}')
    refused(work / "m.json", 1, "a line feed")


def test_a_manifest_that_cannot_be_read(work):
    for place in (work / "none.json", work):
        result = program.run("verify", "--json", "--manifest", place)
        assert result.exit == 9 and result.json["code"] == "io"
    large = work / "large.json"
    large.write_bytes(b" " * (16 << 20) + b"{}")
    result = program.run("verify", "--json", "--manifest", large)
    assert result.exit == 2 and "longer than 16 MiB" in result.json["message"]


@pytest.mark.parametrize("options", [
    ["a.db"], ["--files-from", "x"], ["--against", "x"]])
def test_what_goes_with_no_manifest(work, options):
    result = program.run("verify", "--manifest", "m.json", *options, cwd=work)
    assert result.exit == 2 and b"exclude each other" in result.err, result


def test_written_and_read_back(work, fixture, source):
    names = ["plain.db", "fixtures/app.db"]
    before = Snapshot(work)
    # The key is for those that need one.
    env = {"DBSEAL_KEY_FILE": "fixtures/app.key"}
    umask = os.umask(0o022)
    result = program.run("verify", "--write-manifest", "m.json", *names, cwd=work, env=env)
    os.umask(umask)
    assert result.exit == 0 and b"note: m.json: written, with 2 databases" in result.err, result
    before.unchanged(new=["m.json"])
    text = (work / "m.json").read_text()
    found = json.loads(text)
    assert mode(work / "m.json") == 0o644 and text.endswith("}\n")
    assert found["dbseal_manifest"] == 1
    app, plain = found["databases"]
    judge = peers.plain(source)
    rows = {name: judge.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("gaps", "log", "pairs", "people")}
    assert list(app["tables"].items()) == list(plain["tables"].items()) == list(rows.items())
    value = digest.of(sqlite3.connect(source))
    assert app == {"file": "fixtures/app.db", "encrypted": True, "format": 4, "user_version": -7,
                   "application_id": 252006673, "digest": value, "tables": rows}
    assert plain == {"file": "plain.db", "encrypted": False, "user_version": -7,
                     "application_id": 252006673, "digest": value, "tables": rows}
    found = verify(work / "m.json", env=env, cwd=work)
    assert [o["ok"] for o in found] == [True, True]
    assert [o["verdicts"]["expectations"]["checked"] for o in found] == [8, 8], "as many as fields"
    again = program.run("verify", "-q", "--write-manifest", "n.json", *reversed(names), cwd=work,
                        env=env)
    assert again.exit == 0 and (work / "n.json").read_text() == text and again.err == b""
    for line in text.splitlines():
        assert line.count('":') <= 1, "one field a line"


@pytest.mark.parametrize("options, field", [
    (["--key-env", "2024"], ("key_env", "2024")),
    (["--key-command", "1"], ("key_command", "1")),
    (["--keyring", "007"], ("keyring", "007")),
])
def test_a_name_of_digits_stays_a_text(work, keys, options, field):
    """It is the right one in the manifest, and read back as such."""
    path, key = work / "a.db", RAW
    keys.file(key)
    peers.create_sealed(path, key, [], lambda c: c.execute("CREATE TABLE t(a)"))
    env = {"2024": key, "PATH": f"{work}:/usr/bin:/bin",
           "CREDENTIALS_DIRECTORY": str(work / "given")}
    (work / "given").mkdir()
    (work / "given/007").write_text(key)
    (work / "given/007").chmod(0o400)
    (work / "1").write_text(f"#!/bin/sh\necho \"{key}\"\n")
    (work / "1").chmod(0o755)
    result = program.run("verify", *options, "--write-manifest", "m.json", "a.db", cwd=work, env=env)
    assert result.exit == 0, result
    entry = json.loads((work / "m.json").read_text())["databases"][0]
    assert entry[field[0]] == field[1]
    result = program.run("verify", "--manifest", "m.json", cwd=work, env=env)
    assert result.exit == 0, result


def test_what_opens_it_is_written(work, fixture, keys):
    peers.create_sealed(work / "custom.db", "some passphrase",
                        [("kdf_iter", 777), ("cipher_page_size", 8192)], samples.fill)
    keys.file("some passphrase")
    env = {"K": "some passphrase", "D": "a1b2c3d4" * 8}
    made(work / "raw.db", "sealed")
    elsewhere = work / "ci"
    elsewhere.mkdir()
    runs = [
        (["--key-env", "K", "--kdf-iter", "777", "--page-size", "8192", "custom.db"],
         {"file": "../custom.db", "key_env": "K", "kdf_iter": 777, "page_size": 8192}),
        (["--key-file", "fixtures/app.key", "--quick", "fixtures/app.db"],
         {"file": "../fixtures/app.db", "key_file": "../fixtures/app.key", "format": 4,
          "quick": True}),
        (["--key-env", "D", "--raw-key", str(work / "raw.db")],
         {"file": "../raw.db", "key_env": "D", "raw_key": True, "format": 4}),
        (["--key-command", "cat fixtures/app.key", "raw.db"],
         {"file": "../raw.db", "key_command": "cat fixtures/app.key", "format": 4}),
        (["--key-file", "-", "raw.db"], {"file": "../raw.db", "format": 4}),
        (["--try-keys", "fixtures/app.key", "raw.db"], {"file": "../raw.db", "format": 4}),
    ]
    for options, expected in runs:
        (elsewhere / "m.json").unlink(missing_ok=True)
        result = program.run("verify", "--write-manifest", "ci/m.json", *options, cwd=work, env=env,
                             stdin=RAW.encode())
        assert result.exit == 0, result
        entry, = json.loads((elsewhere / "m.json").read_text())["databases"]
        facts = {"encrypted", "user_version", "application_id", "digest", "tables"}
        assert {k: v for k, v in entry.items() if k not in facts} == expected
        more = [] if set(expected) & {"key_env", "key_file", "key_command"} else [
            "--key-file", "fixtures/app.key"]
        assert one("ci/m.json", *more, cwd=work, env=env)["ok"]


def test_plaintext_among_encrypted(work, fixture, source):
    named = ["--key-file", "fixtures/app.key", "plain.db", "fixtures/app.db"]
    result = program.run("verify", "--write-manifest", "m.json", *named, cwd=work)
    assert result.exit == 0 and b"without" not in result.err and b"key" not in result.err, result
    app, plain = json.loads((work / "m.json").read_text())["databases"]
    assert (app["file"], app["encrypted"], app["key_file"]) == (
        "fixtures/app.db", True, "fixtures/app.key")
    assert (plain["file"], plain["encrypted"]) == ("plain.db", False) and "key_file" not in plain
    assert [o["ok"] for o in verify(work / "m.json")] == [True, True]
    # Without a manifest, a key still says that all are encrypted.
    assert program.run("verify", *named, cwd=work).exit == 1
    # An encrypted copy of the same content is another fixture.
    shutil.copy(fixture / "app.db", work / "plain.db")
    for options in ([], ["--key-file", fixture / "app.key"]):
        assert [o["code"] for o in verify(work / "m.json", *options)] == ["ok", "check_failed"]


def test_whether_it_was_written(work, source):
    (work / "junk.db").write_bytes(b"junk " * 1000)
    for names, written in ((["plain.db"], True), (["plain.db", "plain.db"], True),
                           (["plain.db", "junk.db"], False), (["junk.db"], False)):
        result = program.run("verify", "--json", "--force", "--write-manifest", "m.json", *names,
                             cwd=work)
        where = -2 if len(names) > 1 else -1
        assert result.objects[where] == {"manifest": "m.json", "written": written}, result
        assert (work / "m.json").exists() is written
        (work / "m.json").unlink(missing_ok=True)
    result = program.run("verify", "--json", "--write-manifest", "m.json", "plain.db", cwd=work,
                         file_size=50)
    assert result.exit == 9 and result.objects[1] == {"manifest": "m.json", "written": False}
    assert [o.get("code") for o in result.objects] == ["ok", None, "io"], result


def test_each_answer_names_its_database(work, fixture):
    (fixture / "app.key").chmod(0o644)
    entry = {"file": "fixtures/app.db"}
    path = manifest(work, {**entry, "key_env": "NONE"}, {**entry, "key_env": "NONE", "name": "second"},
                    {**entry, "key_file": "fixtures/app.key", "name": "open"},
                    {**entry, "key_env": "K", "name": "good"},
                    {**entry, "key_env": "K", "name": "bad", "user_version": 1},
                    {**entry, "key_env": "NONE", "name": "fails", "expect_code": "no_key"},
                    name="m.json")
    result = program.run("verify", "--manifest", path.name, cwd=work, env={"K": RAW})
    words = result.err.decode()
    def unset(index):
        lines = [n for n, text in enumerate(path.read_text().splitlines(), 1) if '"key_env"' in text]
        return f"key_env on line {lines[index]}: the variable that it names for the key is not set"

    assert f"dbseal: fixtures/app.db: {unset(0)}\n" in words, result
    assert f"dbseal: fixtures/app.db (second): {unset(1)}\n" in words
    assert "or name another source there: key_file, key_command, keyring" in words
    assert "NONE" not in words + result.out.decode(), "it may be the key itself"
    assert "dbseal: fixtures/app.db (open): key file fixtures/app.key: others can read it" in words
    assert '; or "allow_open_key_file": true, if' in words and "--allow" not in words
    lines = result.out.decode().splitlines()
    assert lines[0].startswith("fixtures/app.db (good): ok")
    assert "fixtures/app.db (bad): not as it should be" in lines
    assert "dbseal: fixtures/app.db (bad): " in words
    assert f"fixtures/app.db (fails): ok: no_key, as expected: {unset(-1)}" in lines
    found = verify(path, cwd=work, env={"K": RAW})
    assert {o["database"] for o in found} == {str(work / "fixtures/app.db")}
    assert found[0]["message"] == unset(0) and found[5]["message"].endswith(unset(-1))


@pytest.mark.parametrize(
    "form", [[], ["--json"], ["--quiet"], ["--report", "junit"], ["--report", "tap"]])
def test_a_key_in_the_place_of_a_variable_is_not_repeated(fixture, form):
    for key in ("S3cretPassw0rd", "x'" + "7622" * 16 + "'", "correct horse battery"):
        # program.run looks for it in everything that is printed.
        program.remember(key)
        for more, env in (({}, {}), ({"raw_key": True}, {}), ({"expect_code": "no_key"}, {}),
                          ({}, {key: ""}), ({"raw_key": True}, {key: "x"}), ({}, {key: "x' '"})):
            path = manifest(fixture, {"file": "app.db", "key_env": key, **more})
            result = program.run("verify", *form, "--manifest", path, env=env)
            if result.exit == 2:
                # What can be nothing but a key is a mistake in the manifest.
                assert key[:2] == "x'" and b"key_env" in result.out + result.err, result
                continue
            assert result.exit == (0 if "expect_code" in more else 1), result
            assert b"key_env on line " in result.out + result.err or "expect_code" in more, result


def test_hints_can_be_typed_in_the_manifest(fixture):
    path = manifest(fixture, {"file": "app.db", "key_file": "app.key", "format": 3})
    found = one(path)
    assert found["code"] == "wrong_key" and found["hint"] == (
        'the key opens the file with "format": 4 and no other setting')
    assert one(manifest(fixture, {"file": "app.db", "key_file": "app.key", "format": 4}))["ok"]
    path = manifest(fixture, {"file": "app.db", "key_file": "none"})
    assert "what key_file names" in one(path)["hint"]
    # A path with a slash is one, and is named; a bare word may be the key.
    assert "none" not in one(path)["message"]
    (fixture / "bad").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(fixture / "bad" / "sock"))
    for name in ("sub/missing", "bad/sock"):
        found = one(manifest(fixture, {"file": "app.db", "key_file": name}))
        assert f"key file {fixture}/{name}: " in found["message"], found
    result = program.run("verify", path)
    assert result.exit == 6 and b"it is a manifest: dbseal verify --manifest '" in result.err, result


def test_a_key_that_no_entry_takes(work, fixture, source):
    own = {"file": "app.db", "key_file": "app.key"}
    plain = {"file": "../plain.db", "encrypted": False}
    for entries, noted in (([own, plain], True), ([own, {"file": "../plain.db"}], False),
                           ([own, {"file": "app.db"}], False)):
        path = manifest(fixture, *entries)
        result = program.run("verify", "--manifest", path, "--key-file", work / "none")
        assert (b"the key of the command line is not used" in result.err) is noted, result
        assert result.exit == (1 if {"file": "app.db"} in entries else 0), result


@pytest.mark.parametrize("form", ["text", "json", "junit"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_keys_are_fetched(work, fixture, form, number):
    path = manifest(fixture, {"file": "app.db", "key_command": "sh -c 'echo > here; sleep 60'"},
                    {"file": "app.db", "key_file": "app.key"})
    options = {"text": [], "json": ["--json"], "junit": ["--report", "junit"]}[form]
    started = program.start("verify", *options, "--manifest", path, cwd=work)
    while not (work / "here").exists() and started.poll() is None:
        time.sleep(0.01)
    started.send_signal(number)
    out, err = started.communicate(timeout=60)
    assert started.returncode == -number, (out, err)
    if form == "json":
        summary, = [json.loads(line) for line in out.splitlines()]
        found = summary["summary"]
        assert (found["code"], found["exit"], found["files"], found["succeeded"]) == (
            "interrupted", 128 + number, 2, 0)
    else:
        assert b"0 of 2 databases passed" in err
    assert (b"<error" in out) is (form == "junit")


def test_a_change_shows(work, source):
    program.run("verify", "--write-manifest", "m.json", "plain.db", cwd=work)
    assert one(work / "m.json")["ok"]
    peers.change(source, "UPDATE people SET name = 'other' WHERE id = 5")
    found = one(work / "m.json")
    assert [d["expectation"] for d in found["verdicts"]["expectations"]["differences"]] == ["digest"]
    peers.change(source, "DELETE FROM people WHERE id = 5", "PRAGMA user_version = 8")
    found = one(work / "m.json")
    assert [d["expectation"] for d in found["verdicts"]["expectations"]["differences"]] == [
        "user_version", "digest", "rows"]


def test_nothing_is_written_unless_all_pass(work, source):
    (work / "junk.db").write_bytes(b"junk " * 1000)
    before = Snapshot(work)
    result = program.run("verify", "--write-manifest", "m.json", "plain.db", "junk.db", cwd=work)
    assert result.exit == 1 and b"m.json: not written" in result.err
    one_alone = program.run("verify", "--json", "--write-manifest", "m.json", "--expect-user-version",
                            "1", "plain.db", cwd=work)
    assert one_alone.exit == 1 and one_alone.objects[0]["code"] == "check_failed"
    before.unchanged()


def test_only_a_manifest_is_replaced(work, source, keys):
    key = keys.raw()
    os.symlink("plain.db", work / "link")
    (work / "other.json").write_text('{"name": "a package"}')
    program.run("verify", "--write-manifest", "m.json", "plain.db", cwd=work)
    before = Snapshot(work.parent)
    for force in ([], ["--force"]):
        for place in ("plain.db", "link", "other.json", key, ".", "plain.db-wal", "m.json"):
            if force and place == "m.json":
                continue
            result = program.run("verify", "--json", *force, "--write-manifest", place, "plain.db",
                                 cwd=work)
            assert result.exit == 7 and result.json["code"] == "exists", (place, result)
            before.unchanged()
    result = program.run("verify", "-f", "--write-manifest", "m.json", "plain.db", cwd=work)
    assert result.exit == 0, result
    result = program.run("verify", "--write-manifest", "-", "plain.db", cwd=work)
    assert result.exit == 2 and b"the name of a file" in result.err, result
    result = program.run("verify", "--force", "plain.db", cwd=work)
    assert result.exit == 2 and b"--force goes with --write-manifest" in result.err
