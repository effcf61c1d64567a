# Plan: `--resume JOURNAL` goes on where a run of many databases was stopped.
# - the journal is private, a line for each database that is finished, without keys and without where
#   they come from; what it says is what stat says, and of the keys what hashlib makes of them;
# - the same command line again does nothing, and says so, to who has the keys of the run before: no key,
#   none that can be read, and another one are refused though everything is finished;
# - a key that finished nothing binds nobody; another list of keys has everything looked at again, and so
#   has a journal of before, which knew no keys;
# - killed (SIGKILL) at every call on a file, of the databases and of the journal: the second run ends
#   well, each database is converted once, and SQLCipher 4.19 reads them all;
# - what was finished and not written down yet, a line that is torn, a header that is: recognised;
# - a source or an output that changed is done again or refused with a sentence, never lost;
# - other options, another command, another key, another run at work, a file that is no journal: refused
#   before anything is touched.
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support import peers, program, samples, shim
from support.content import content
from support.files import Snapshot, mode

OLD, NEW = "a1b2c3d4" * 8, "0123456789abcdef" * 4
COUNT = 3


def made(folder, command, count=COUNT):
    """Databases that `command` converts, each with content of its own."""
    paths = []
    for number in range(count):
        path = folder / f"{number}.db"
        script = samples.FAMILY + f"CREATE TABLE own(a); INSERT INTO own VALUES({number});"
        if command == "encrypt":
            samples.plain(path, script)
        else:
            pragmas = [("cipher_compatibility", 3)] if command == "migrate" else []
            peers.create_sealed(path, f"x'{OLD}'", pragmas, lambda c: c.executescript(script))
        paths.append(path)
    return paths


class Run:
    """A command line with a journal, for databases in a folder."""

    def __init__(self, work, keys, command, in_place, count=COUNT, more=()):
        self.work, self.command, self.in_place = work, command, in_place
        self.paths = made(work, command, count)
        self.journal = work / "run.journal"
        self.key = keys.raw(OLD)
        self.new = keys.raw(NEW, "new")
        self.list = keys.folder / "list"
        self.list.write_text("".join(f"{path}\n" for path in self.paths))
        if not in_place:
            (work / "out").mkdir()
        self.more = list(more)

    def args(self, *more, keyed=True):
        place = ["--in-place"] if self.in_place else ["--output-dir", self.work / "out"]
        key = ["--key-file", self.key] if keyed else []
        if keyed and self.command == "rekey":
            key += ["--new-key-file", self.new]
        return [self.command, "--json", "-j", 1, *place, *key, *self.more, *more, "--resume",
                self.journal, "--files-from", self.list]

    def run(self, *more, keyed=True):
        return program.run(*self.args(*more, keyed=keyed))

    def results(self):
        return self.paths if self.in_place else [
            self.work / "out" / path.name for path in self.paths]

    def open(self, path):
        if self.command == "decrypt":
            return peers.plain(path)
        return peers.sealed(path, f"x'{NEW if self.command == 'rekey' else OLD}'")

    def check(self):
        """Every result has the content of its source, and nothing else is there."""
        for number, path in enumerate(self.results()):
            connection = self.open(path)
            assert connection.execute("SELECT a FROM own").fetchall() == [(number,)]
            assert connection.execute("SELECT count(*) FROM parent").fetchone() == (500,)
            connection.close()
        names = {path.name for path in self.paths} | {"run.journal"}
        assert set(os.listdir(self.work)) - {"out"} == names

    def lines(self):
        return [json.loads(line) for line in self.journal.read_text().splitlines()]


CASES = [("encrypt", True), ("encrypt", False), ("decrypt", True), ("decrypt", False),
         ("rekey", True), ("rekey", False), ("migrate", True), ("migrate", False)]
cases = pytest.mark.parametrize("command, in_place", CASES)


def stat_of(path):
    found = os.stat(path)
    return {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "inode": found.st_ino,
            "wal": None, "journal": None}


def proof(keys, salt, rounds):
    """What json.md says that is kept of keys: raw ones as digits, passphrases as bytes."""
    data = b""
    for key in keys:
        kind = isinstance(key, str)
        parts = [bytes.fromhex(key), b"", b""] if kind else [key]
        data += bytes([kind]) + b"".join(len(part).to_bytes(4) + part for part in parts)
    return hashlib.pbkdf2_hmac("sha512", hashlib.sha256(data).digest(), bytes.fromhex(salt),
                               rounds, 32).hex()


@cases
def test_what_a_journal_says(work, keys, command, in_place):
    run = Run(work, keys, command, in_place)
    result = run.run()
    assert result.exit == 0, result
    run.check()
    assert mode(run.journal) == 0o600
    header, known, *entries = run.lines()
    option = "--in-place" if in_place else f"--output-dir={work}/out"
    assert header["dbseal_journal"] == 2 and header["command"] == command
    assert header["options"] == [option] and len(header["fingerprint"]) == 64
    text = f"{len(command)}:{command}{len(option.encode())}:{option}"
    assert header["fingerprint"] == hashlib.sha256(text.encode()).hexdigest()
    expected = {"key": OLD, "new_key": NEW} if command == "rekey" else {"key": OLD}
    assert set(known) == {"keys"} and set(known["keys"]) == set(expected)
    for role, digits in expected.items():
        found = known["keys"][role]
        assert found == {"list": False, "salt": found["salt"],
                         "proof": proof([digits], found["salt"], 1000)}
    data = run.journal.read_bytes()
    program.no_secret(data)
    assert str(keys.folder).encode() not in data
    for path, target in zip(run.paths, run.results()):
        found, = [entry for entry in entries if entry["database"] == str(path)]
        assert found["state"] == stat_of(path)
        assert found["target"] == (None if in_place else str(target))
        assert found["target_state"] == (None if in_place else stat_of(target))
    assert len(entries) == COUNT


@cases
def test_again_nothing_is_done(work, keys, command, in_place):
    run = Run(work, keys, command, in_place)
    first = run.run()
    before = Snapshot(work)
    result = run.run()
    assert result.exit == 0 and result.err == b"", result
    *lines, last = result.objects
    assert [line["database"] for line in lines] == [str(path) for path in run.paths]
    assert all(line["ok"] and line["skipped"] and line["code"] == "ok" for line in lines)
    summary = last["summary"]
    assert (summary["files"], summary["succeeded"], summary["skipped"], summary["failed"],
            summary["bytes"], summary["failures"]) == (COUNT, 0, COUNT, 0, 0, {})
    before.unchanged()
    summary = first.objects[-1]["summary"]
    assert (summary["succeeded"], summary["skipped"]) == (COUNT, 0)
    # Nothing is said to who has no key, although nothing is left to do.
    for key in ([], ["--key-file", work / "none"]):
        words = run.args(keyed=False) + key
        result = program.run(*words)
        summary = result.objects[-1]["summary"]
        assert (result.exit, summary["code"], summary["skipped"], summary["failed"]) == (
            3, "no_key", COUNT, 0), result
    before.unchanged()


@cases
@pytest.mark.parametrize("which", ["key", "new"])
def test_another_key_is_refused_where_all_is_finished(work, keys, command, in_place, which):
    if which == "new" and command != "rekey":
        return  # one key
    run = Run(work, keys, command, in_place)
    run.run()
    before = Snapshot(work)
    own = getattr(run, which)
    other = keys.raw("f" * 64, "another")
    for path in (other, keys.file(OLD.encode() + b"\n", "a passphrase of digits")):
        setattr(run, which, path)
        result = run.run()
        words = "another new key" if which == "new" else "another key"
        assert result.exit == 4 and words in result.json["message"], result
        assert result.json["database"] is None and str(path) not in result.json["message"]
        before.unchanged()
    # Also for databases of which the journal knows nothing.
    run.list.write_text(f"{made(keys.folder, command, 1)[0]}\n")
    assert run.run().exit == 4
    before.unchanged()
    # The key in another place and another form is the same key.
    setattr(run, which, keys.file(f"X'{(OLD if which == 'key' else NEW).upper()}'\n", "moved"))
    run.list.write_text("".join(f"{path}\n" for path in run.paths))
    assert run.run().objects[-1]["summary"]["skipped"] == COUNT
    setattr(run, which, own)


@pytest.mark.parametrize("shared", [False, True])
def test_the_key_of_the_other_database_counts_too(work, keys, shared):
    path, = made(work, "rekey", 1)
    other = keys.folder / "other.db"
    key = OLD if shared else NEW
    peers.create_sealed(other, f"x'{key}'", [], lambda c: c.executescript(
        samples.FAMILY + "CREATE TABLE own(a); INSERT INTO own VALUES(0);"))
    words = ["verify", "--json", "--resume", work / "j", "--key-file", keys.raw(OLD), path,
             "--against", other]
    own = [] if shared else ["--against-key-file", keys.raw(NEW, "new")]
    assert program.run(*words, *own).exit == 0
    known = json.loads((work / "j").read_text().splitlines()[1])["keys"]
    assert known["against_key"]["proof"] == proof([key], known["against_key"]["salt"], 1000)
    assert program.run(*words, *own).objects[-1]["summary"]["skipped"] == 1
    for wrong in (["--against-key-file", keys.raw("f" * 64, "wrong")], [] if not shared else None):
        if wrong is not None:
            result = program.run(*words, *wrong)
            assert result.exit == 4 and "key of the other database" in result.json["message"], result
    result = program.run(*words, "--against-key-file", work / "none")
    assert result.exit == 3 and result.objects[-1]["summary"]["skipped"] == 1, result


def test_the_next_change_of_the_key(work, keys):
    """A journal that was left behind does not swallow it."""
    run = Run(work, keys, "rekey", True)
    run.run()
    run.key, run.new = run.new, keys.raw("d" * 64, "newest")
    before = Snapshot(work)
    result = run.run()
    assert result.exit == 4 and "another key" in result.json["message"], result
    before.unchanged()
    run.journal.unlink()
    assert run.run().exit == 0
    for path in run.paths:
        peers.sound(peers.sealed(path, f"x'{'d' * 64}'"))


@pytest.mark.parametrize("iterations", [None, 300_000])
def test_a_passphrase_costs_what_it_costs_in_a_database(work, keys, iterations):
    words = ["a passphrase é", "another one"]
    more = ["--kdf-iter", iterations] if iterations else []
    run = Run(work, keys, "rekey", True, count=1, more=more)
    run.new = keys.file(words[0] + "\n", "new passphrase")
    assert run.run().exit == 0
    found = run.lines()[1]["keys"]["new_key"]
    assert found["proof"] == proof([words[0].encode()], found["salt"], iterations or 256_000)
    other = run.lines()[1]["keys"]["key"]
    assert other["salt"] != found["salt"]
    run.new = keys.file(words[1] + "\n", "other passphrase")
    assert run.run().exit == 4


def test_a_key_that_finished_nothing_binds_nobody(work, keys):
    run = Run(work, keys, "rekey", True)
    own, run.key = run.key, keys.raw("f" * 64, "wrong")
    result = run.run()
    assert result.exit == 1 and result.objects[-1]["summary"]["failures"] == {"wrong_key": COUNT}
    run.key = own
    result = run.run()
    assert result.exit == 0 and result.objects[-1]["summary"]["succeeded"] == COUNT, result
    assert run.run().objects[-1]["summary"]["skipped"] == COUNT
    run.key = keys.raw("f" * 64, "wrong")
    assert run.run().exit == 4


@pytest.mark.parametrize("command", ["decrypt", "verify"])
def test_another_list_of_keys(work, keys, command):
    """What was done with the keys of a list is looked at again with those of another."""
    paths = made(work, command, 3)
    secret = peers.create_sealed(work / "own.db", f"x'{'e' * 64}'", [], samples.fill)
    lost, own = f"x'{'c' * 64}'\nx'{OLD}'\n", f"x'{'e' * 64}'\n"
    listed = keys.file(lost, "listed")
    place = ["--output-dir", keys.folder] if command == "decrypt" else []
    args = [command, "--json", "-j", 1, "--resume", keys.folder / "run.journal", "--try-keys", listed,
            *place, *paths, secret]
    result = program.run(*args)
    assert result.exit == 1 and result.objects[-1]["summary"]["succeeded"] == 3, result
    assert program.run(*args).objects[-1]["summary"]["skipped"] == 3
    known = json.loads((keys.folder / "run.journal").read_text().splitlines()[1])["keys"]["key"]
    assert known == {"list": True, "salt": known["salt"],
                     "proof": proof(["c" * 64, OLD], known["salt"], 1000)}
    # The key that was missing, among the others.
    listed.write_text(lost + own)
    result = program.run(*args)
    summary = result.objects[-1]["summary"]
    assert result.exit == 0 and summary["succeeded"] + summary["skipped"] == 4, result
    assert program.run(*args).objects[-1]["summary"]["skipped"] == 4
    if command == "verify":
        assert summary["skipped"] == 0
        listed.write_text(lost[:68])
        summary = program.run(*args).objects[-1]["summary"]
        assert (summary["skipped"], summary["failures"]) == (0, {"wrong_key": 4})


@cases
def test_a_journal_that_knows_no_keys(work, keys, command, in_place):
    """One of an earlier version: what it says is finished is looked at again, with the keys."""
    run = Run(work, keys, command, in_place)
    run.run()
    lines = run.lines()
    lines[0]["dbseal_journal"] = 1
    old = [lines[0], *lines[2:]]

    def write():
        run.journal.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in old))

    write()
    before = [path.read_bytes() for path in run.results()]
    result = run.run()
    summary = result.objects[-1]["summary"]
    assert result.exit == 0 and summary["succeeded"] + summary["skipped"] == COUNT, result
    assert [path.read_bytes() for path in run.results()] == before
    again = run.run()
    assert again.objects[-1]["summary"]["skipped"] == COUNT
    if command == "rekey" and in_place:
        # The next change of the key is one.
        write()
        run.key, run.new = run.new, keys.raw("d" * 64, "newest")
        result = run.run()
        assert result.exit == 0 and result.objects[-1]["summary"]["succeeded"] == COUNT, result


@cases
def test_killed_at_each_call(work, keys, command, in_place, tmp_path):
    record = tmp_path / "record"
    originals = tmp_path / "originals"
    run = Run(work, keys, command, in_place, count=2)
    shutil.copytree(work, originals)
    result, _ = shim.run(work, record, *run.args())
    assert result.exit == 0
    skipped, at = set(), 0
    # Every tenth call, others in each case; all of them where DBSEAL_FAULTS is `all`.
    step = 1 if os.environ.get("DBSEAL_FAULTS") == "all" else 10
    for at in range(1 + CASES.index((command, in_place)) % step, 10_000, step):
        for path in list(work.iterdir()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(originals, work, dirs_exist_ok=True)
        result, _ = shim.run(work, record, *run.args(), call="any", at=at, do="kill")
        if result.exit == 0:
            break
        assert result.exit == -signal.SIGKILL, result
        result = run.run()
        assert result.exit == 0, (at, result)
        summary = result.objects[-1]["summary"]
        assert summary["succeeded"] + summary["skipped"] == 2
        skipped.add(summary["skipped"])
        run.check()
        lines = run.lines()[2:]
        assert sorted(line["database"] for line in lines) == [str(path) for path in run.paths]
    # From before the first to after the last.
    assert at > 50 and {0, 1} <= skipped, (at, skipped)


@cases
@pytest.mark.parametrize("lost", ["line", "half a line", "all", "keys", "half the keys", "header"])
def test_what_was_not_written_down_is_recognised(work, keys, command, in_place, lost):
    run = Run(work, keys, command, in_place)
    run.run()
    before = [path.read_bytes() for path in run.results()]
    lines = run.journal.read_bytes().splitlines(keepends=True)
    left = {"line": lines[:-1], "half a line": lines[:-1] + [lines[-1][:40]], "all": lines[:2],
            "keys": lines[:1], "half the keys": lines[:1] + [lines[1][:60]],
            "header": [lines[0][:30]]}[lost]
    run.journal.write_bytes(b"".join(left))
    result = run.run()
    summary = result.objects[-1]["summary"]
    if lost == "header":
        # A journal without a run: nobody can tell what is meant, and nothing is touched.
        assert result.exit == (0 if (command, in_place) == ("migrate", True) else 1), result
    else:
        assert result.exit == 0, result
        if (command, in_place) == ("migrate", True):
            # Found as asked for, which needs no journal.
            assert summary["succeeded"] + summary["skipped"] == COUNT
        else:
            assert summary["skipped"] == COUNT
        assert len(run.lines()) == COUNT + 2
    assert [path.read_bytes() for path in run.results()] == before


@cases
def test_a_source_that_changed(work, keys, command, in_place):
    run = Run(work, keys, command, in_place)
    run.run()
    changed = run.paths[1]
    connection = run.open(changed) if in_place else (
        peers.plain(changed) if command == "encrypt" else peers.sealed(
            changed, f"x'{OLD}'", [("cipher_compatibility", 3)] if command == "migrate" else []))
    connection.execute("INSERT INTO own VALUES('later')")
    connection.commit()
    connection.close()
    before = Snapshot(work / "out" if not in_place else work)
    result = run.run()
    *lines, last = result.objects
    if in_place:
        # It is what it should be, with a row more; that is somebody's, and stays.
        assert result.exit == 0 and len(run.lines()) == COUNT + 3
        return
    assert result.exit == 1 and [line["code"] for line in lines] == ["ok", "exists", "ok"]
    assert "changed since" in lines[1]["message"] and "--force" in lines[1]["hint"]
    assert last["summary"]["failures"] == {"exists": 1} and last["summary"]["skipped"] == 2
    before.unchanged()
    result = run.run("--force")
    assert result.exit == 0 and result.objects[-1]["summary"]["succeeded"] == 1
    connection = run.open(run.results()[1])
    assert connection.execute("SELECT count(*) FROM own WHERE a IN (1, 'later')").fetchone() == (2,)
    connection.close()
    assert run.run().objects[-1]["summary"]["skipped"] == COUNT


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey", "migrate"])
def test_outputs_that_changed_or_went(work, keys, command):
    run = Run(work, keys, command, False)
    run.run()
    first, second, third = run.results()
    connection = run.open(first)
    connection.execute("INSERT INTO own VALUES('somebody works with it')")
    connection.commit()
    connection.close()
    second.unlink()
    os.utime(run.paths[2])
    changed = first.read_bytes()
    result = run.run()
    assert [line["code"] for line in result.objects[:-1]] == ["exists", "ok", "ok"], result
    assert "changed since it was made" in result.objects[0]["message"]
    assert first.read_bytes() == changed
    # The one that went is made again; one that was only touched has the same content.
    assert result.objects[1]["target"] == str(second) and result.objects[2]["skipped"]
    for path in run.paths:
        path.unlink()
    summary = run.run().objects[-1]["summary"]
    assert summary["skipped"] == 2 and summary["failures"] == {"io": 1}


def test_an_output_of_somebody_else_is_not_ours(work, keys):
    run = Run(work, keys, "encrypt", False)
    other = peers.create_sealed(work / "out/1.db", f"x'{OLD}'", [], samples.fill)
    run.run()
    # On again: it opens with the key, and does not have the content.
    result = run.run()
    assert [line["code"] for line in result.objects[:-1]] == ["ok", "exists", "ok"]
    assert content(peers.sealed(other, f"x'{OLD}'")) != content(peers.plain(run.paths[1]))


def test_the_log_of_a_source_counts(work, keys):
    run = Run(work, keys, "encrypt", False)
    writer = peers.plain(run.paths[0])
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("INSERT INTO own VALUES('in the log')")
    writer.commit()
    assert run.run().exit == 0
    assert run.lines()[2]["state"]["wal"]["size"] > 0
    assert run.run().objects[-1]["summary"]["skipped"] == COUNT
    writer.execute("INSERT INTO own VALUES('more of it')")
    writer.commit()
    result = run.run()
    assert [line["code"] for line in result.objects[:-1]] == ["exists", "ok", "ok"]
    writer.close()


def test_shredded_sources(work, keys):
    run = Run(work, keys, "encrypt", False, more=["--shred"])
    assert run.run().exit == 0
    assert run.lines()[2]["state"] is None
    assert run.run().objects[-1]["summary"]["skipped"] == COUNT
    lines = run.journal.read_bytes().splitlines(keepends=True)
    run.journal.write_bytes(b"".join(lines[:3]))
    result = run.run()
    assert result.exit == 0 and result.objects[-1]["summary"]["skipped"] == COUNT


def test_stopped_by_a_signal(work, keys):
    run = Run(work, keys, "rekey", True, count=24)
    # A derivation each, so that there is something to stop.
    run.new = keys.file("a passphrase that takes its time\n", "slow")
    process = subprocess.Popen([str(word) for word in [program.BIN, *run.args()]],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=program.clean_env())
    while not process.stdout.readline():
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    last = process.communicate(timeout=60)[0].splitlines()[-1]
    assert process.returncode == -signal.SIGTERM
    summary = json.loads(last)["summary"]
    done = summary["succeeded"]
    assert summary["code"] == "interrupted" and 0 < done < 24
    assert len(run.lines()) == done + 2
    result = run.run()
    summary = result.objects[-1]["summary"]
    assert result.exit == 0 and (summary["skipped"], summary["succeeded"]) == (done, 24 - done)
    text = program.run(*[word for word in run.args() if word != "--json"]).out.decode()
    assert text == "0 of 24 databases rekeyed, 24 finished before\n"


@pytest.mark.parametrize("more, words", [
    (["--page-size", "8192"], "--page-size=8192"), (["--backup", ".b"], "--backup=.b"),
    (["--new-passphrase"], "--new-passphrase")])
def test_other_options_are_refused(work, keys, more, words):
    run = Run(work, keys, "rekey", True)
    run.run()
    before = Snapshot(work)
    result = run.run(*more)
    assert result.exit == 2 and words in result.json["message"], result
    before.unchanged()


def test_what_may_differ(work, keys):
    run = Run(work, keys, "rekey", True)
    run.run()
    for more in (["--force"], ["-v"], ["--progress", "json"], ["--busy-timeout", "1"]):
        result = run.run(*more)
        assert result.exit == 0 and result.objects[-1]["summary"]["skipped"] == COUNT
    # A key from elsewhere, other databases, another working directory, another name of the folder.
    run.list.write_text("./1.db\n")
    args = ["rekey", "--in-place", "--key-env", "K", "--new-key-env", "N", "--json", "--resume",
            run.journal, "--files-from", run.list]
    result = program.run(*args, cwd=work, env={"K": f"x'{OLD}'", "N": f"x'{NEW}'"})
    assert result.exit == 0 and result.objects[-1]["summary"]["skipped"] == 1, result


def test_another_command_is_refused(work, keys):
    run = Run(work, keys, "encrypt", True)
    run.run()
    run.command = "rekey"
    result = run.run()
    assert result.exit == 2 and "encrypt, not rekey" in result.json["message"]


@cases
def test_another_key_is_refused(work, keys, command, in_place):
    run = Run(work, keys, command, in_place)
    run.run()
    fresh = made(work / "out" if in_place is None else keys.folder, command, 1)[0]
    run.list.write_text(run.list.read_text() + f"{shutil.move(fresh, work / 'fresh.db')}\n")
    run.key = run.new = keys.raw("f" * 64, "another")
    if command == "rekey":
        run.key = keys.raw(OLD)
    before = Snapshot(work)
    result = run.run()
    words = "another new key" if command == "rekey" else "another key"
    assert result.exit == 4 and words in result.json["message"], result
    before.unchanged()


def test_one_run_at_a_time(work, keys):
    run = Run(work, keys, "encrypt", True)
    with open(run.journal, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        before = Snapshot(work)
        result = run.run()
        assert result.exit == 8 and "another run" in result.json["message"]
        before.unchanged()
    assert run.run().exit == 0


FOREIGN = [b"notes of mine\n", b"{}\n", b'{"dbseal_journal"', b"SQLite format 3\0" + bytes(500),
           b"\n", b"\0" * 40]


@pytest.mark.parametrize("data", FOREIGN)
def test_a_file_that_is_no_journal(work, keys, data):
    run = Run(work, keys, "encrypt", True)
    run.journal.write_bytes(data)
    before = Snapshot(work)
    result = run.run()
    if data == b'{"dbseal_journal"':
        # A first line that was torn.
        assert result.exit == 0 and len(run.lines()) == COUNT + 2
        return
    assert result.exit == 6 and "no journal" in result.json["message"], result
    before.unchanged()


@pytest.mark.parametrize("line, code", [
    (b'{"dbseal_journal":3,"command":"encrypt"}', "unsupported"),
    (b'{"dbseal_journal":1}', "damaged"), (b'{"dbseal_journal":2}', "damaged"), (b'{"dbseal_journal":"x"}', "damaged"),
    (b'{"dbseal_journal":1,,', "damaged")])
def test_a_first_line_that_is_none(work, keys, line, code):
    run = Run(work, keys, "encrypt", True)
    run.journal.write_bytes(line + b"\n")
    before = Snapshot(work)
    result = run.run()
    assert result.json["code"] == code
    before.unchanged()


@pytest.mark.parametrize("line", [b"garbage", b"{}", b'{"database":7}', b"\xff\xfe", b"[" * 5000,
                                  b'{"database":"a","state":null,"target":null}', b'{"keys":7}',
                                  b'{"keys":{"key":{"list":false,"salt":"00","proof":"00"}}}',
                                  b'{"keys":{"other":{}}}'])
def test_a_line_that_is_none(work, keys, line):
    run = Run(work, keys, "encrypt", True)
    run.run()
    lines = run.journal.read_bytes().splitlines(keepends=True)
    run.journal.write_bytes(b"".join(lines[:3] + [line + b"\n"] + lines[3:]))
    before = Snapshot(work)
    result = run.run()
    assert result.exit == 5 and "line 4" in result.json["message"], result
    before.unchanged()


def test_a_journal_that_is_a_database(work, keys):
    run = Run(work, keys, "encrypt", False)
    run.journal = work / "out/1.db"
    result = run.run()
    assert result.exit == 2 and "1.db" in result.json["message"]


def test_a_journal_that_cannot_be(work, keys):
    run = Run(work, keys, "encrypt", True)
    before = Snapshot(work)
    run.journal = work / "none/run.journal"
    assert run.run().exit == 9
    run.journal = work
    assert run.run().exit in (6, 9)
    os.mkfifo(keys.folder / "pipe")
    run.journal = keys.folder / "pipe"
    assert run.run().exit == 6
    before.unchanged()


def test_a_journal_that_cannot_be_written_any_more(work, keys, tmp_path):
    run = Run(work, keys, "encrypt", True)
    # The first write to the journal's folder is its header, then come its keys, then its first entry.
    folder = tmp_path / "small"
    folder.mkdir()
    run.journal = folder / "run.journal"
    result, _ = shim.run(folder, tmp_path / "record", *run.args(), call="write", at=3, do="28")
    assert result.exit == 1
    lines = result.objects[:-1]
    assert [line["code"] for line in lines] == ["io"] * COUNT, result
    finished = [line for line in lines if "this was finished" in line["message"]]
    assert finished and all("no space" in line["message"] for line in lines)
    for path, line in zip(run.paths, lines):
        is_finished = line in finished
        assert is_finished or "left as it was" in line["message"]
        connection = peers.sealed(path, f"x'{OLD}'") if is_finished else peers.plain(path)
        peers.sound(connection)
        connection.close()
    # There is room again.
    again = run.run()
    summary = again.objects[-1]["summary"]
    assert summary["skipped"] == len(finished) and summary["failed"] == 0, again.out.decode()
    assert len(run.lines()) == COUNT + 2


@pytest.mark.parametrize("words, other", [
    (["encrypt", "--dry-run"], "--dry-run"), (["migrate", "--schema", "."], "--schema")])
def test_what_a_journal_does_not_go_with(work, keys, source, words, other):
    result = program.run(*words, "--json", "--key-file", keys.raw(OLD), "--resume", work / "j",
                         source, work / "a.db")
    assert result.exit == 2 and other in result.json["message"] and not (work / "j").exists()


@pytest.mark.parametrize("against", [False, True])
def test_verify_goes_on_too(work, keys, against):
    paths = made(work, "rekey", 4)
    damaged = bytearray(paths[1].read_bytes())
    damaged[4096 + 100] ^= 1
    paths[1].write_bytes(damaged)
    other = samples.plain(keys.folder / "other.db", samples.FAMILY + "CREATE TABLE own(a);")
    journal = work / "run.journal"
    words = ["verify", "--json", "--resume", journal, *paths]
    key = ["--key-file", keys.raw(OLD)]
    if against:
        for number, path in enumerate(paths):
            program.ok("decrypt", *key, "--force", path, other) if number == 0 else None
        paths[2:] = [shutil.copy(paths[0], path) for path in paths[2:]]
        words[3:] = [journal, "--against", other, *paths]
    first = program.run(*words, *key)
    assert [line["code"] for line in first.objects[:-1]] == ["ok", "damaged", "ok", "ok"], first
    entries = [json.loads(line) for line in journal.read_text().splitlines()[2:]]
    assert sorted(entry["database"] for entry in entries) == [str(paths[n]) for n in (0, 2, 3)]
    # What did not pass is checked again, and what changed.
    connection = peers.sealed(paths[2], f"x'{OLD}'")
    connection.execute("INSERT INTO own VALUES(1)")
    connection.close()
    result = program.run(*words, *key)
    *lines, last = result.objects
    assert result.exit == 1 and [line.get("skipped") for line in lines] == [True, None, None, True]
    assert [line["code"] for line in lines] == [
        "ok", "damaged", "check_failed" if against else "ok", "ok"]
    assert last["summary"]["skipped"] == 2 and last["summary"]["failures"]["damaged"] == 1
    if against:
        other.write_bytes(other.read_bytes())
        assert program.run(*words, *key).objects[-1]["summary"]["skipped"] == 0
    else:
        paths[3].unlink()
        paths[1].unlink()
        result = program.run(*words, *key)
        assert [line["code"] for line in result.objects[:-1]] == ["ok", "io", "ok", "io"]
    for more in (["--manifest", "m"], ["--report", "tap"], ["--write-manifest", "m"]):
        result = program.run("verify", "--json", "--resume", journal, *more, *paths[:1])
        assert result.exit == 2 and more[0] in result.json["message"], result


def test_one_database_alone(work, keys, source):
    args = ["encrypt", "--key-file", keys.raw(OLD), "--resume", work / "j", source, work / "a.db"]
    assert program.run(*args).out.decode().splitlines()[-1].startswith("1 of 1 database encrypted")
    assert program.run(*args).out.decode() == "0 of 1 database encrypted, 1 finished before\n"
