# Plan: names of databases from a list, in the place of operands.
# - every command that takes several databases takes them from a file, a pipe and standard input, one a
#   line or each with a NUL, whatever is in a name; nothing in a list is read as anything but a name;
# - a list is answered as several databases, and is never a SOURCE and its TARGET;
# - line ends, marks of an encoding, NULs, bytes that are no text: told apart, by line;
# - one file under two names is not changed twice; one that nobody has a key for is answered once, with a
#   summary behind it;
# - standard input is read once; what cannot be a list names nothing of what may be a key.
import json
import os
import sqlite3
import subprocess

import pytest

from support import peers, program, samples
from support.files import Snapshot

ODD = ["a b.db", " leading.db", "trailing ", "#comment.db", "'quoted'.db", '"q".db', "*.db",
       "-dash.db", "back\\slash.db", "tab\there.db", "ключ é.db", "e\u0301.db", "$HOME.db",
       "line\nfeed.db", "return\r.db", "end.db\r"]


def made(work, names):
    for name in names:
        samples.plain(work / name, "CREATE TABLE t(a); INSERT INTO t VALUES(1);")
    return names


def listed(work, data, name="list"):
    path = work.parent / name
    path.write_bytes(data)
    return path


def answered(result, command="verify"):
    """The databases in the order of their answers, and the summary."""
    *objects, last = result.objects
    assert [o["command"] for o in objects] == [command] * len(objects), result
    return [o["database"] for o in objects], last["summary"]


@pytest.mark.parametrize("way", ["file", "pipe", "stdin", "fifo"])
@pytest.mark.parametrize("end", ["line", "null"])
def test_every_name_is_taken_as_it_is(work, way, end):
    names = made(work, [n for n in ODD if end == "null" or "\n" not in n and n[-1] != "\r"])
    options = ["-0"] if end == "null" else []
    data = (b"\0" if end == "null" else b"\n").join(n.encode() for n in names)
    for data in (data, data + (b"\0" if end == "null" else b"\n")):
        feed, fds = {}, ()
        if way == "file":
            place = listed(work, data)
        elif way == "stdin":
            place, feed = "-", {"stdin": data}
        elif way == "fifo":
            place = work.parent / f"fifo{len(data)}"
            os.mkfifo(place)
            writer = subprocess.Popen(["dd", f"of={place}", "status=none"], stdin=subprocess.PIPE)
            writer.stdin.write(data)
            writer.stdin.close()
        else:
            read, write = os.pipe()
            os.write(write, data)
            os.close(write)
            place, fds = f"/dev/fd/{read}", (read,)
        before = Snapshot(work)
        result = program.run("verify", "--json", "--files-from", place, *options, cwd=work,
                             fds=fds, **feed)
        before.unchanged()
        assert result.exit == 0, result
        found, summary = answered(result)
        assert found == names and summary["files"] == summary["succeeded"] == len(names)


def test_find_feeds_it(work):
    names = made(work, ODD)
    found = subprocess.run(["find", ".", "-type", "f", "-print0"], cwd=work, check=True,
                           capture_output=True).stdout
    result = program.run("verify", "--json", "--null", "--files-from", "-", cwd=work, stdin=found)
    assert sorted(answered(result)[0]) == sorted("./" + n for n in names)


def test_empty_lines_are_passed_over(work):
    made(work, ["a.db", "b.db"])
    for data, options in ((b"\n\na.db\n\n\nb.db\n\n", []), (b"\r\n\r\na.db\r\nb.db\r\n", []),
                          (b"\xef\xbb\xbfa.db\nb.db", []), (b"\0a.db\0\0b.db\0", ["-0"])):
        result = program.run("verify", "--json", *options, "--files-from", listed(work, data),
                             cwd=work)
        assert answered(result)[0] == ["a.db", "b.db"], (data, result)


def test_every_command_that_takes_several(work, keys):
    names = made(work, ["one.db", "two.db", "three.db"])
    key, new, out = keys.raw(), keys.raw("0f" * 32, "new"), work / "out"
    out.mkdir()
    place = listed(work, "\n".join(names).encode())
    inside = listed(work, "\n".join(f"out/{n}" for n in names).encode(), "inside")
    schema = work.parent / "schema"
    schema.mkdir()
    (schema / "1_x.sql").write_text("CREATE TABLE x(a);")
    runs = [
        ("inspect", place, []),
        ("encrypt", place, ["--key-file", key, "--output-dir", out]),
        ("inspect", inside, ["--key-file", key]),
        ("rekey", inside, ["--key-file", key, "--new-key-file", new]),
        ("migrate", inside, ["--key-file", new, "--format", "3"]),
        ("migrate", inside, ["--key-file", new, "--schema", schema]),
        ("verify", inside, ["--key-file", new]),
        ("decrypt", inside, ["--key-file", new, "--in-place"]),
        ("encrypt", inside, ["--key-file", key, "--in-place"]),
    ]
    for command, names_file, options in runs:
        result = program.run(command, "--json", "--files-from", names_file, *options, cwd=work)
        assert result.exit == 0, result
        found, summary = answered(result, command)
        assert found == names_file.read_text().split("\n")
        assert (summary["files"], summary["succeeded"], summary["ok"]) == (3, 3, True)
    raw = "x'" + "a1b2c3d4" * 8 + "'"
    for name in names:
        peer = peers.sealed(out / name, raw)
        assert peer.execute("SELECT count(*) FROM t, x").fetchone()[0] == 0
        peers.sound(peer)
        assert sqlite3.connect(work / name).execute("SELECT a FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_two_names_are_no_source_and_target(work, keys, command):
    made(work, ["a.db"])
    before = Snapshot(work)
    result = program.run(command, "--key-file", keys.raw(), "--files-from",
                         listed(work, b"a.db\nb.db\n"), cwd=work)
    assert result.exit == 2 and b"--output-dir or --in-place" in result.err, result
    before.unchanged()


def test_a_list_of_one_is_answered_as_several(work):
    made(work, ["a.db"])
    (work / "b.db").write_bytes(b"no database at all, and nobody would say so" * 99)
    for name, status in (("a.db", 0), ("b.db", 1)):
        place = listed(work, name.encode())
        found = program.run("verify", "--json", "--files-from", place, cwd=work)
        assert found.exit == status and answered(found)[0] == [name], found
        assert found.objects[0]["exit"] == (0 if status == 0 else 6)
        text = program.run("verify", "--files-from", place, cwd=work)
        assert f"{1 - status} of 1 database passed" in text.out.decode(), text


@pytest.mark.parametrize("data, options, words", [
    (b"a.db\r\nb.db\n", [], "line 1: it ends in a carriage return"),
    (b"a.db\nb.db\r\n", [], "line 2: it ends in a carriage return"),
    (b"a.db\0b.db\0", [], "line 1: a NUL byte"),
    (b"ok\na.db\0", [], "line 2: a NUL byte"),
    ("a.db\n".encode("utf-16"), [], "UTF-16"),
    (b"a.db\n\xff\xfe.db", [], r"name 2 is not UTF-8: \xff\xfe.db"),
    (b"a.db\0\xe9.db", ["-0"], r"name 2 is not UTF-8: \xe9.db"),
    (b"", [], "names no database"), (b"\n\n\r\n", [], "names no database"), (b"\r\n", [], "no database"),
    (b"\0\0", ["-0"], "names no database"), (b"\xef\xbb\xbf", [], "names no database"),
])
def test_what_is_no_list(work, data, options, words):
    made(work, ["a.db", "b.db"])
    for place, feed in ((listed(work, data), {}), ("-", {"stdin": data})):
        result = program.run("verify", "--files-from", place, *options, cwd=work, **feed)
        assert result.exit == 2 and words in result.err.decode(), result
        assert result.out == b""
        found = program.run("verify", "--json", "--files-from", place, *options, cwd=work, **feed)
        assert found.json["code"] == "usage"


def test_a_key_file_is_no_list(work, keys):
    made(work, ["a.db"])
    for path in (keys.raw(), keys.file("c3" * 32, "bare")):
        # run() proves that no key is printed.
        result = program.run("verify", "--files-from", path, cwd=work)
        assert result.exit == 2 and "looks like a raw key" in result.err.decode(), result


@pytest.mark.parametrize("options, words", [
    (["--files-from", "-", "--key-file", "-"], "standard input"),
    (["--files-from", "-", "--key-fd", "0"], "standard input"),
    (["--files-from", "-", "--try-keys", "-"], "standard input"),
    (["--files-from", "-", "--against", "x", "--against-key-file", "-"], "standard input"),
    (["--try-keys", "-", "--against", "x", "--against-key-file", "-"], "two keys"),
    (["--key-fd", "0", "--against", "x", "--against-key-file", "-"], "two keys"),
    (["--files-from", "list", "a.db"], "one place"), (["-0"], "--null goes with --files-from"),
    (["--files-from"], "needs a value"), (["--files-from="], "needs a value"),
])
def test_one_place_for_names_and_keys(work, options, words):
    made(work, ["a.db"])
    (work / "list").write_text("a.db")
    extra = [] if "--files-from" in options[0] else ["a.db"]
    result = program.run("verify", *options, *extra, cwd=work, stdin=b"a.db\n")
    assert result.exit == 2 and words in result.err.decode(), result


def test_a_variable_may_claim_standard_input_too(work):
    made(work, ["a.db"])
    env = {"DBSEAL_KEY_FILE": "-"}
    result = program.run("verify", "--files-from", "-", cwd=work, stdin=b"a.db\n", env=env)
    assert result.exit == 2 and b"$DBSEAL_KEY_FILE" in result.err, result
    env = {"DBSEAL_NEW_KEY_FILE": "-"}
    result = program.run("rekey", "--files-from", "-", "--key-env", "K", cwd=work, stdin=b"a.db\n",
                         env={**env, "K": "some key"})
    assert result.exit == 2 and b"$DBSEAL_NEW_KEY_FILE" in result.err, result


def test_a_list_that_cannot_be_read(work):
    for place, status in ((work / "none", 9), (work, 9)):
        result = program.run("verify", "--json", "--files-from", place)
        assert result.exit == status and result.json["code"] == "io", result
        assert str(place) in result.json["message"]


@pytest.mark.parametrize("command, more", [
    ("encrypt", ["--in-place"]), ("decrypt", ["--in-place"]), ("rekey", ["--new-key-file", "KEY"]),
    ("migrate", ["--format", "3"]), ("migrate", ["--schema", "schema"])])
def test_a_file_named_twice_is_not_changed_twice(work, keys, command, more):
    made(work, ["a.db", "b.db"])
    os.symlink("a.db", work / "link.db")
    os.link(work / "b.db", work / "other.db")
    (work / "schema").mkdir()
    (work / "schema/1_x.sql").write_text("CREATE TABLE x(a);")
    key = keys.raw()
    options = ["--key-file", key, *(str(key) if word == "KEY" else word for word in more)]
    before = Snapshot(work)
    for names, words in ((["b.db", "a.db", "./a.db"], "a.db and ./a.db are one file"),
                         (["a.db", "a.db"], "a.db was named twice"), (["a.db", "link.db"], "one file"),
                         (["b.db", "other.db"], "one file"),
                         (["a.db", "x/../no.db", "x/../no.db"], "twice")):
        result = program.run(command, *options, "--files-from", "-", cwd=work,
                             stdin="\n".join(names).encode())
        assert result.exit == 2 and words in result.err.decode(), result
        assert result.out == b""
        before.unchanged()


@pytest.mark.parametrize("command, more", [
    ("verify", []), ("inspect", ["--tables"]), ("decrypt", ["--in-place"]), ("rekey", []),
    ("migrate", ["--format", "3"]), ("migrate", ["--schema", "schema"])])
def test_without_a_key_for_any(work, command, more):
    (work / "schema").mkdir()
    (work / "schema/1_x.sql").write_text("CREATE TABLE x(a);")
    for name in ("a.db", "b.db"):
        peers.create_sealed(work / name, "some passphrase", [], samples.fill)
    before = Snapshot(work)
    result = program.run(command, "--json", *more, "--key-env", "NONE", "--files-from", "-",
                         cwd=work, stdin=b"a.db\nb.db\n")
    before.unchanged()
    failure, last = result.objects
    assert result.exit == failure["exit"] == 3 and "--key-env" in failure["message"], result
    assert failure["database"] == ("a.db" if command == "inspect" else None)
    summary = last["summary"]
    assert (summary["code"], summary["exit"], summary["ok"]) == ("no_key", 3, False)
    assert (summary["files"], summary["failed"], summary["failures"]) == (2, 2, {"no_key": 2})
    # Of one alone it is that one.
    if command not in ("decrypt", "rekey"):
        one = program.run(command, "--json", *more, "--key-env", "NONE", "a.db", cwd=work)
        assert one.exit == 3 and one.json["database"] == "a.db", one


def test_a_name_twice_and_one_that_is_not_there(work):
    made(work, ["a.db"])
    result = program.run("verify", "--json", "--files-from", "-", cwd=work,
                         stdin=b"a.db\nnone.db\na.db\n")
    found, summary = answered(result)
    assert found == ["a.db", "none.db", "a.db"] and result.exit == 1
    assert [o["code"] for o in result.objects[:3]] == ["ok", "io", "ok"]
    assert (summary["succeeded"], summary["failed"]) == (2, 1)
    assert json.loads(result.out.splitlines()[-1])["summary"]["code"] == "check_failed"
