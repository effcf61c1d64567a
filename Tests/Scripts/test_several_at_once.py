# Plan: several databases in one run are converted side by side and answered in their order.
# - whatever --jobs says, the answers come in the order of the names, those refused at once included,
#   and each output is what one run alone would have made;
# - keys of many databases are derived together: whatever formats, keys and salts come in what
#   order, with wrong keys and damage between them, each gets the answer that it gets alone, by the
#   lanes and by libcrypto, also where outputs get new keys; the judge is SQLCipher 4.19;
# - one file under two names, in place: one after the other, and the second finds the first's work;
# - a signal while the key is fetched: a summary, and nothing changed;
# - SIGINT in the middle: every database is old or new, whole, and nothing is left beside them.
import json
import shutil
import signal
import time
from pathlib import Path

import pytest

from support import peers, program, samples
from support.content import content
from support.files import Snapshot

RAW = "a1b2c3d4" * 8


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_answers_come_in_order(work, keys, jobs):
    (work / "out").mkdir()
    names = [f"{n}.db" for n in range(9)]
    for number, name in enumerate(names):
        if number == 4:
            (work / name).write_bytes(b"this is no database" * 100)
        elif number != 6:
            samples.plain(work / name, f"CREATE TABLE t(a); INSERT INTO t VALUES({number});")
    result = program.run("encrypt", "--json", "-j", jobs, "--output-dir", work / "out",
                         "--key-file", keys.raw(RAW), *[work / name for name in names])
    assert result.exit == 1
    lines = result.objects
    assert [line["database"].rsplit("/", 1)[1] for line in lines[:-1]] == names
    assert [line["code"] for line in lines[:-1]] == [
        "ok", "ok", "ok", "ok", "wrong_kind", "ok", "io", "ok", "ok"]
    assert lines[-1]["summary"]["failed"] == 2
    for number in (0, 3, 8):
        connection = peers.sealed(work / f"out/{number}.db", f"x'{RAW}'")
        assert connection.execute("SELECT a FROM t").fetchall() == [(number,)]
        connection.close()


FORMATS = [4, 4, 3, 4, "wrong", 2, "raw", 4, 1, "plain", 3, 4, "damaged", 4, 3, 4, 4, "wrong"] * 2


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """Databases of many kinds under one passphrase, each with a salt of its own."""
    folder = tmp_path_factory.mktemp("mixed")
    for number, kind in enumerate(FORMATS):
        path = folder / f"{number:02}.db"
        script = f"CREATE TABLE t(a); INSERT INTO t VALUES({number});"
        if kind == "plain":
            samples.plain(path, script)
            continue
        key = {"wrong": "another one", "raw": f"x'{RAW}'"}.get(kind, "several at once")
        pragmas = [("cipher_compatibility", kind)] if kind in (1, 2, 3) else []
        peers.create_sealed(path, key, pragmas, lambda c: c.executescript(script))
        if kind == "damaged":
            data = bytearray(path.read_bytes())
            data[4096 + 100] ^= 1
            path.write_bytes(data)
    return sorted(folder.iterdir())


@pytest.fixture
def mixed(work, originals):
    return [Path(shutil.copy(path, work)) for path in originals]


@pytest.mark.parametrize("env", [{}, {"DBSEAL_CRYPTO": "openssl"}])
@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_many_keys_at_once(mixed, keys, jobs, env):
    paths = mixed
    names = {4: "ok", 3: "ok", 2: "ok", 1: "ok", "wrong": "wrong_key", "raw": "wrong_key",
             "plain": "ok", "damaged": "damaged"}
    keyed = [path for path, kind in zip(paths, FORMATS) if kind != "plain"]
    result = program.run("verify", "--json", "-j", jobs, "--key-file",
                         keys.file("several at once\n"), *keyed, env=env)
    lines = result.objects[:-1]
    kinds = [kind for kind in FORMATS if kind != "plain"]
    assert [line["database"] for line in lines] == [str(path) for path in keyed]
    assert [line["code"] for line in lines] == [names[kind] for kind in kinds]
    for line, kind in zip(lines, kinds):
        if kind in (1, 2, 3, 4):
            assert line["format"] == kind


@pytest.mark.parametrize("jobs", [1, 3])
def test_many_new_keys_at_once(work, mixed, keys, jobs):
    paths = mixed
    (work / "out").mkdir()
    result = program.run("rekey", "--json", "-j", jobs, "--key-file",
                         keys.file("several at once\n"), "--new-key-file",
                         keys.file("all of them new\n", "new"), "--output-dir", work / "out", *paths)
    done = [line["database"] for line in result.objects[:-1] if line["code"] == "ok"]
    assert done == [str(path) for path, kind in zip(paths, FORMATS) if kind in (1, 2, 3, 4)]
    for number, kind in enumerate(FORMATS):
        if kind not in (1, 2, 3, 4):
            assert not (work / f"out/{number:02}.db").exists()
            continue
        pragmas = [("cipher_compatibility", kind)] if kind != 4 else []
        connection = peers.sealed(work / f"out/{number:02}.db", "all of them new", pragmas)
        assert connection.execute("SELECT a FROM t").fetchall() == [(number,)]
        connection.close()


def test_one_file_under_two_names(work, keys):
    path = peers.create_sealed(work / "a.db", f"x'{RAW}'", [], samples.fill)
    (work / "b.db").symlink_to("a.db")
    before = Snapshot(work)
    result = program.run("rekey", "--json", "-j", "4", "--in-place", "--key-file", keys.raw(RAW),
                         "--new-key-file", keys.raw("0123456789abcdef" * 4, "new"), path,
                         work / "b.db")
    # The second name would have the new key by then, and the old one would no longer open it.
    assert result.exit == 2 and "one file" in result.json["message"], result
    before.unchanged()


def test_an_interrupt_leaves_each_old_or_new(work, keys):
    new = "a passphrase that takes its time"
    paths = [peers.create_sealed(work / f"{n}.db", f"x'{RAW}'", [], samples.fill)
             for n in range(60)]
    before = content(peers.sealed(paths[0], f"x'{RAW}'"))
    old = [path.read_bytes() for path in paths]
    process = program.start("rekey", "--json", "--in-place", "-j", "2", "--key-file",
                            keys.raw(RAW), "--new-key-file", keys.file(new + "\n"), *paths)
    while not process.stdout.readline():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    lines = process.communicate(timeout=30)[0].splitlines()
    assert process.returncode == -signal.SIGINT
    assert sorted(p.name for p in work.iterdir()) == sorted(p.name for p in paths)
    changed = [path for path, data in zip(paths, old) if path.read_bytes() != data]
    assert 0 < len(changed) < len(paths)
    summary = json.loads(lines[-1])["summary"]
    assert summary["code"] == "interrupted" and summary["succeeded"] == len(changed)
    assert f"{len(changed)} of 60" in summary["message"]
    for path in paths:
        connection = peers.sealed(path, new if path in changed else f"x'{RAW}'")
        assert content(connection) == before
        connection.close()


def test_a_folder_that_is_missing_is_said_once(work, keys):
    paths = [samples.plain(work / f"{n}.db") for n in range(3)]
    result = program.run("encrypt", "--output-dir", work / "none", "--key-file", keys.raw(RAW),
                         *paths)
    assert result.exit == 9 and result.text.count("no such file") == 1 and "none" in result.text


@pytest.mark.parametrize("command, options", [
    ("verify", []), ("rekey", ["--in-place", "--new-key-file", "new"]),
    ("decrypt", ["--output-dir", "out"]), ("migrate", ["--schema", "steps"]),
    ("inspect", ["--tables"])])
def test_a_signal_before_there_is_a_key(work, keys, command, options):
    """The summary comes whenever the signal does, and nothing is changed."""
    (work / "out").mkdir()
    (work / "steps").mkdir()
    (work / "steps/1_a.sql").write_text("CREATE TABLE added(a);")
    shutil.copy(keys.raw("5a" * 32, "new"), work / "new")
    for name in ("a.db", "b.db"):
        peers.create_sealed(work / name, f"x'{RAW}'", [], samples.fill)
    before = Snapshot(work)
    line = "sh -c 'echo > here; sleep 60'"
    started = program.start(command, "--json", "--key-command", line, *options, "a.db", "b.db",
                            cwd=work)
    while not (work / "here").exists() and started.poll() is None:
        time.sleep(0.01)
    started.send_signal(signal.SIGTERM)
    out, err = started.communicate(timeout=60)
    assert started.returncode == -signal.SIGTERM, (out, err)
    summary = json.loads(out.splitlines()[-1])["summary"]
    assert (summary["code"], summary["exit"], summary["files"], summary["succeeded"]) == (
        "interrupted", 128 + signal.SIGTERM, 2, 0)
    assert summary["command"] == command and err == b""
    before.unchanged(new=["here"])
