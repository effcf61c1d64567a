# Plan: every example of the manual pages is run as it stands there, by a shell, in a folder that has
# what it names and nothing that it makes, with a terminal where it asks. It ends with status 0, and
# what it says it makes is there and opens, by SQLCipher 4.19, SQLite or secret-tool, under the key
# that it names.
import json
import shlex
import subprocess

import pytest

from support import key_stores, peers, program, samples
from support.manual import PAGES, lines_to_type

RAW, OTHER = "x'" + "a1b2c3d4" * 8 + "'", "x'" + "0badcafe" * 8 + "'"
USERS = "CREATE TABLE users(name); INSERT INTO users VALUES ('a'), ('b'), ('c');"
EXAMPLES = [(page, line) for page in PAGES if page != "dbseal.1" for line in lines_to_type(page)]


def prepare(line, folder):
    """Makes what the example names, and nothing that it makes; the answers to its questions."""
    words = shlex.split(line)
    command, operands = words[1], [word for word in words if word.endswith(".db")]
    for name, key in (("app.key", RAW), ("old.key", RAW), ("new.key", OTHER)):
        if command != "key":
            (folder / name).write_text(key + "\n")
            (folder / name).chmod(0o600)
    (folder / "bin/pass").write_text(f'#!/bin/sh\n[ "$*" = "show app/db" ] && echo "{RAW}"\n')
    (folder / "bin/pass").chmod(0o755)
    pragmas = [("kdf_iter", 10000)] if "--kdf-iter" in words else []
    if "--format" in words and command == "decrypt":
        pragmas = [("cipher_compatibility", 3)] + pragmas
    secret = "a passphrase" if pragmas else RAW
    if command == "encrypt":
        for name in ["one.db", "two.db"] if "*.db" in operands else operands[:1]:
            samples.plain(folder / name)
        (folder / "out").mkdir()
    elif command == "decrypt":
        peers.create_sealed(folder / operands[0], secret, pragmas, samples.fill)
    elif command in ("rekey", "verify", "migrate", "inspect"):
        old = [("cipher_compatibility", 3)] if command == "migrate" and "--format" not in words else []
        old = [] if "--schema" in words else old
        for name in ["backups/one.db"] if "backups/*.db" in operands else operands:
            (folder / name).parent.mkdir(exist_ok=True)
            if name == "plaintext.db":
                samples.plain(folder / name, samples.SAMPLE + USERS)
            elif name != "old.db":
                peers.create_sealed(folder / name, RAW, old, fill)
    if "--files-from" in words or "--manifest" in words:
        peers.create_sealed(folder / "listed.db", RAW, [], fill)
        (folder / "backups.txt").write_text("listed.db\n")
        entry = {"file": "listed.db", "key_file": "app.key", "tables": {"users": 3}}
        (folder / "fixtures.json").write_text(
            json.dumps({"dbseal_manifest": 1, "databases": [entry]}))
    if "--schema" in words:
        (folder / "migrations").mkdir()
        (folder / "migrations/1_notes.sql").write_text("CREATE TABLE notes(text);\n")
    return answers(command, words, secret)


def fill(connection):
    """The sample, with the table that examples speak of."""
    connection.executescript(samples.SAMPLE + USERS)


def answers(command, words, secret):
    if any(word.startswith("--key") for word in words):
        return []
    twice = [("again", OTHER)]
    if command == "encrypt":
        return [("New key of", OTHER)] + twice
    if command == "rekey":
        return [("Key of", secret), ("New key of", OTHER)] + twice
    if command == "key" and "store" in words:
        return [("Key app", OTHER)] + twice
    if command == "decrypt" or "--query" in words:
        return [("Key of", secret)]
    return []


@pytest.fixture(scope="module")
def session():
    """One desktop for all examples."""
    desktop = key_stores.Desktop()
    yield desktop
    desktop.close()


@pytest.mark.parametrize("page,line", EXAMPLES)
def test_examples_do_what_they_say(page, line, work, session):
    # What an example shows of a key, it shows on purpose.
    program.forget_all()
    (work / "bin").mkdir()
    (work / "bin/dbseal").symlink_to(program.BIN)
    questions = prepare(line, work)
    env = {**session.env, "PATH": f"{work}/bin:/usr/bin:/bin", "KEY": RAW}
    session.keep("app", RAW.encode())
    if "--keyring app" in line or "key store app" in line:
        subprocess.run(["secret-tool", "clear", "service", "dbseal", "account", "app"],
                       env=session.full, check=True)
    if questions:
        result = program.run_tty("-c", line, answers=questions, env=env, cwd=work, binary="/bin/sh")
    else:
        result = program.run("-c", line, env=env, cwd=work, binary="/bin/sh")
    if "migrate --schema" in line and result.exit == 10:
        # A schema is migrated by the engine itself.
        assert program.engine() < (4,) and b"needs SQLCipher 4.0" in result.err, result
        return
    assert result.exit == 0, result
    made(line, work, session)


def made(line, folder, session):
    """What the example says it leaves behind is there, and opens with the key that it names."""
    words = shlex.split(line)
    command, name = words[1], words[-1]
    if command == "encrypt" and "--output-dir" in words:
        for each in ("one.db", "two.db"):
            peers.sound(peers.sealed(folder / "out" / each, RAW))
    elif command in ("encrypt", "migrate", "rekey"):
        typed = "--key-file" not in words
        key = OTHER if typed or command == "rekey" else RAW
        old = [("cipher_compatibility", 3)] if words[2:4] == ["--format", "3"] else []
        database = peers.sealed(folder / name, key, old)
        peers.sound(database)
        applied = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes'").fetchall()
        assert (applied != []) == ("--schema" in words and "--dry-run" not in words)
        for suffix in (".plain", ".old"):
            assert (folder / f"app.db{suffix}").exists() == (suffix in words)
    elif command == "decrypt":
        peers.sound(peers.plain(folder / name))
    elif words[1:3] == ["key", "generate"]:
        assert (folder / "app.key").exists() == ("--output" in words)
        assert session.lookup("app")
    elif words[1:3] == ["key", "store"]:
        assert session.lookup("app") == OTHER.encode()
