# Plan: what a journal of `--resume` is taken as evidence of.
# - a key that is changed into itself, a format or a page size that the run does not write: refused by the
#   same line again as by the first one, in place and in another place;
# - a journal of verify that knows no key does not let any key pass: the same line without a journal is the
#   judge, for the databases and for the one that they are compared with;
# - a journal whose keys were taken out or changed by hand is not believed: the next change of the key is
#   one, and another key does not verify;
# - a key that finished nothing binds nobody, whatever else was finished beside it;
# - a signal ends the run while what tells the keys apart is derived.
import json
import os
import signal
import subprocess
import time

import pytest

from support import peers, program, samples

OLD, NEW, OTHER = "a1b2c3d4" * 8, "0123456789abcdef" * 4, "fedcba98" * 8
SCRIPT = samples.FAMILY + "CREATE TABLE own(a); INSERT INTO own VALUES(1);"


def sealed(path, digits=OLD, pragmas=()):
    return peers.create_sealed(path, f"x'{digits}'", list(pragmas), lambda c: c.executescript(SCRIPT))


@pytest.fixture
def journal(keys):
    return keys.folder / "run.journal"


def summary(*words):
    result = program.run(*words)
    found = result.objects[-1]["summary"]
    return result.exit, found["succeeded"], found["skipped"], found["failures"]


def entries(journal):
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return [line for line in lines if "database" in line]


def test_a_key_that_is_changed_into_itself(work, keys, journal):
    paths = [sealed(work / f"{number}.db") for number in range(2)]
    words = ["rekey", "--json", "--in-place", "--key-file", keys.raw(OLD), "--new-key-file",
             keys.raw(OLD, "new"), "--resume"]
    for _ in range(3):
        assert summary(*words, journal, *paths) == (1, 0, 0, {"usage": 2})
    assert entries(journal) == []
    # Settings are what can change then, and what was not written down of that is recognised.
    other = keys.folder / "other.journal"
    words = [*words, other, *paths, "--page-size", 8192]
    assert summary(*words) == (0, 2, 0, {})
    other.write_bytes(b"".join(other.read_bytes().splitlines(keepends=True)[:2]))
    assert summary(*words) == (0, 0, 2, {})


def test_another_format_is_not_what_encrypt_writes(work, keys, journal):
    key = ["--json", "--key-file", keys.raw(OLD), "--resume", journal]
    path = sealed(work / "a.db", pragmas=[("cipher_compatibility", 3)])
    for _ in range(2):
        assert summary("encrypt", "--in-place", *key, path) == (1, 0, 0, {"wrong_kind": 1})
    # As asked for, it is recognised.
    journal.unlink()
    words = ["encrypt", "--in-place", *key, "--format", 3, path]
    assert [summary(*words)[:3] for _ in range(2)] == [(1, 0, 0), (0, 0, 1)]


@pytest.mark.parametrize("command", ["encrypt", "migrate"])
def test_an_output_of_another_format_is_not_ours(work, keys, journal, command):
    source = work / "a.db"
    samples.plain(source, SCRIPT) if command == "encrypt" else sealed(
        source, pragmas=[("cipher_compatibility", 2)])
    (work / "out").mkdir()
    target = sealed(work / "out/a.db", pragmas=[("cipher_compatibility", 3)])
    words = [command, "--json", "--output-dir", work / "out", "--key-file", keys.raw(OLD), "--resume",
             journal, source]
    for _ in range(2):
        assert summary(*words) == (1, 0, 0, {"exists": 1})
    # What it writes has the content that this one has, and is recognised.
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    target.unlink()
    sealed(target)
    assert summary(*words) == (0, 0, 1, {})


def test_other_settings_are_not_what_rekey_writes(work, keys, journal):
    path = sealed(work / "a.db", NEW)
    words = ["rekey", "--json", "--in-place", "--page-size", 8192, "--key-file", keys.raw(OLD),
             "--new-key-file", keys.raw(NEW, "new"), "--resume", journal, path]
    for _ in range(2):
        assert summary(*words) == (1, 0, 0, {"wrong_key": 1})
    path.unlink()
    sealed(path, NEW, [("cipher_page_size", 8192)])
    assert summary(*words) == (0, 0, 1, {})


def test_a_key_that_nothing_needed(work, keys, journal):
    paths = [samples.plain(work / f"{number}.db", SCRIPT) for number in range(2)]
    words = ["verify", "--json", *paths]
    resumed = [*words, "--resume", journal]
    assert summary(*resumed) == (0, 2, 0, {})
    for key in (keys.raw(OLD), keys.folder / "none"):
        expected = summary(*words, "--key-file", key)
        assert expected[0] != 0 and expected == summary(*resumed, "--key-file", key)
    assert summary(*resumed) == (0, 0, 2, {})


def test_a_key_that_the_other_database_does_not_need(work, keys, journal):
    path, other = (samples.plain(work / name, SCRIPT) for name in ("a.db", "b.db"))
    words = ["verify", "--json", path, "--against", other]
    resumed = [*words, "--resume", journal]
    assert summary(*resumed) == (0, 1, 0, {})
    for key in (keys.raw(OLD), keys.folder / "none"):
        direct, again = (program.run(*line, "--against-key-file", key) for line in (words, resumed))
        assert direct.exit == again.exit != 0 and again.json["code"] == direct.json["code"], again


def without(line, role):
    if role == "line":
        return []
    line["keys"] = {} if role == "all" else {k: v for k, v in line["keys"].items() if k != role}
    return [line]


@pytest.mark.parametrize("lost", ["line", "all", "key", "new_key"])
def test_keys_that_were_taken_out_of_a_rekey(work, keys, journal, lost):
    paths = [sealed(work / f"{number}.db") for number in range(2)]
    words = ["rekey", "--json", "--in-place", "--resume", journal, *paths]
    assert summary(*words, "--key-file", keys.raw(OLD), "--new-key-file", keys.raw(NEW, "new"))[0] == 0
    first, known, *rest = [json.loads(line) for line in journal.read_text().splitlines()]
    journal.write_text("".join(
        json.dumps(line, separators=(",", ":")) + "\n"
        for line in [first, *without(known, lost), *rest]))
    old, new = NEW if lost in ("line", "all", "key") else OLD, OTHER
    expected = (0, 2, 0, {}) if old == NEW else (1, 0, 0, {"wrong_key": 2})
    key = ["--key-file", keys.raw(old, "then"), "--new-key-file", keys.raw(new, "newest")]
    assert summary(*words, *key) == expected
    for path in paths:
        peers.sound(peers.sealed(path, f"x'{OTHER if old == NEW else NEW}'"))


@pytest.mark.parametrize("lost", ["line", "all", "key"])
def test_keys_that_were_taken_out_of_a_verify(work, keys, journal, lost):
    path = sealed(work / "a.db")
    words = ["verify", "--json", "--resume", journal, path, "--key-file"]
    assert summary(*words, keys.raw(OLD)) == (0, 1, 0, {})
    first, known, *rest = [json.loads(line) for line in journal.read_text().splitlines()]
    journal.write_text("".join(
        json.dumps(line, separators=(",", ":")) + "\n"
        for line in [first, *without(known, lost), *rest]))
    assert summary(*words, keys.raw(NEW, "wrong")) == (1, 0, 0, {"wrong_key": 1})
    assert summary(*words, keys.raw(OLD)) == (0, 1, 0, {})


def test_the_other_key_that_was_taken_out(work, keys, journal):
    path, other = samples.plain(work / "a.db", SCRIPT), sealed(work / "b.db")
    words = ["verify", "--json", "--resume", journal, path, "--against", other, "--against-key-file"]
    assert summary(*words, keys.raw(OLD)) == (0, 1, 0, {})
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:1] + lines[2:]))
    wrong = program.run(*words, keys.raw(NEW, "wrong"))
    assert wrong.exit != 0 and b"wrong_key" in wrong.out, wrong
    assert summary(*words, keys.raw(OLD)) == (0, 1, 0, {})


def test_a_key_beside_what_needed_none(work, keys, journal):
    """Of the two only the plaintext one passed: the wrong key has nothing to hold on to."""
    paths = [samples.plain(work / "p.db", SCRIPT), sealed(work / "e.db")]
    words = ["verify", "--json", "--resume", journal, *paths]

    def run(digits):
        program.remember(digits)
        result = program.run(*words, env={"DBSEAL_KEY": f"x'{digits}'"})
        found = result.objects[-1]["summary"]
        return result.exit, found["succeeded"] + found["skipped"], found["failures"]

    assert run(NEW) == (1, 1, {"wrong_key": 1})
    assert entries(journal)[0]["used_keys"] == []
    assert run(OLD) == (0, 2, {})
    last = {entry["database"]: entry["used_keys"] for entry in entries(journal)}
    assert last == {str(paths[0]): [], str(paths[1]): ["key"]}
    # That one finished something.
    result = program.run(*words, env={"DBSEAL_KEY": f"x'{NEW}'"})
    assert result.exit == 4 and "another key" in result.json["message"], result


def test_a_key_after_a_list_that_finished_all(work, keys, journal):
    paths = [sealed(work / f"{number}.db") for number in range(2)]
    words = ["decrypt", "--json", "--in-place", "--resume", journal, *paths]
    listed = keys.file(f"x'{OTHER}'\nx'{OLD}'\n", "listed")
    assert summary(*words, "--try-keys", listed) == (0, 2, 0, {})
    assert [entry["used_keys"] for entry in entries(journal)] == [["key"]] * 2
    # Plaintext already; with which key cannot be told.
    assert summary(*words, "--key-file", keys.raw(NEW, "none of them")) == (0, 0, 2, {})
    assert summary(*words, "--key-file", keys.raw(OLD)) == (0, 0, 2, {})


def used_time(process):
    with open(f"/proc/{process.pid}/stat") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("command", ["verify", "decrypt", "rekey"])
def test_a_signal_while_a_key_is_derived(work, keys, journal, command, is_known, number):
    paths = [sealed(work / f"{number}.db") for number in range(2)]
    rounds = "--source-kdf-iter" if command == "rekey" else "--kdf-iter"
    slow = keys.file("a passphrase that takes an hour\n", "slow")
    words = [command, "--json", "--resume", journal, rounds, 2_000_000_000, *paths]
    words += [] if command == "verify" else ["--in-place"]
    words += ["--try-keys" if command == "decrypt" else "--key-file", slow]
    words += ["--new-key-file", keys.raw(NEW, "new")] if command == "rekey" else []
    for known in [False, True][:1 + is_known]:
        if known:
            proof = {"list": command == "decrypt", "salt": "00" * 16, "proof": "00" * 32}
            with open(journal, "a") as file:
                file.write(json.dumps({"keys": {"key": proof}}) + "\n")
        process = subprocess.Popen([str(word) for word in [program.BIN, *words]],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=program.clean_env())
        try:
            while process.poll() is None and used_time(process) < 0.3:
                time.sleep(0.02)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == -number, (out, err)
        assert json.loads(out.splitlines()[-1])["summary"]["code"] == "interrupted"
    for path in paths:
        peers.sound(peers.sealed(path, f"x'{OLD}'"))
