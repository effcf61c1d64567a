# Plan: what is no key is called the same, whatever source gave it, and the hint can be followed there.
# - file, standard input, descriptor, command, variable with a file's name or a command, credential,
#   kernel keyring, Secret Service, list: two lines, CRLF inside, byte-order mark, UTF-16, NUL, empty,
#   a line end alone, a malformed raw key, more than 1 MiB: exit 3, and nothing is written;
# - a FIFO that nobody writes, a folder, a socket and a file that others can read, for each key of a
#   command, for a list and in a manifest: exit 3 too, and no wait without an end;
# - an option that the hint names is one that may be added;
# - a new key that ends in a newline, or is blank, is noted, whatever gave it.
import json
import os
import re
import socket

import pytest

from support import key_stores, program
from support.refusal import refuse

BAD = {
    "two lines": (b"one\ntwo\n", "more than one line"),
    "CRLF inside": (b"one\r\ntwo\r\n", "more than one line"),
    "mark": (b"\xef\xbb\xbfwords\n", "byte-order mark"),
    "UTF-16": ("words\r\n".encode("utf-16"), "UTF-16"),
    "NUL": (b"wo\0rds\n", "NUL"), "empty": (b"", "is empty"), "LF": (b"\n", "is empty"),
    "CRLF": (b"\r\n", "is empty"), "raw key": (b"x'12'\n", "2 hex digits"),
    "long": (b"k" * ((1 << 20) + 1), "longer than 1048576"),
    "long lines": (b"k" * 63 + b"\n" + b"line\n" * 20000, "more than one line"),
}
SOURCES = ["file", "standard input", "descriptor", "command", "file variable",
           "command variable", "credential", "kernel", "list"]
# What a list of keys may have, and what the kernel keeps no key of.
FINE = {("list", "two lines"), ("list", "CRLF inside"), ("list", "long lines"),
        ("kernel", "empty"), ("kernel", "long"), ("kernel", "long lines")}


@pytest.fixture
def give(keys, stored, tmp_path):
    """Options, environment and standard input by which a source gives some bytes."""
    def make(source, data):
        path = keys.file(data, "bad")
        env, stdin, options = {}, b"", []
        if source == "file":
            options = ["--key-file", path]
        elif source == "standard input":
            options, stdin = ["--key-file", "-"], data
        elif source == "descriptor":
            options, stdin = ["--key-fd", "0"], data
        elif source == "command":
            options = ["--key-command", f"cat '{path}'"]
        elif source == "file variable":
            env = {"DBSEAL_KEY_FILE": str(path)}
        elif source == "command variable":
            env = {"DBSEAL_KEY_COMMAND": f"cat '{path}'"}
        elif source == "credential":
            options, env = ["--keyring", "bad"], {"CREDENTIALS_DIRECTORY": str(keys.folder)}
        elif source == "kernel":
            key_stores.keep_in_kernel(stored("bad"), data)
            options = ["--keyring", stored("bad")]
        else:
            options = ["--try-keys", path]
        return options, {"env": env, "stdin": stdin}
    return make


@pytest.mark.parametrize("source, bad", [
    (source, bad) for source in SOURCES for bad in BAD if (source, bad) not in FINE])
def test_no_key(work, sealed, give, source, bad):
    data, said = BAD[bad]
    if source == "list" and said == "is empty":
        said = "holds no key"
    options, more = give(source, data)
    found = refuse(work, "no_key", "verify", sealed, *options, **more)
    assert said in found["message"], found
    for option in set(re.findall(r"--key-binary|--passphrase", found["hint"] or "")):
        again = program.run("verify", sealed, *options, option, **more)
        assert again.exit != 2, (found, again)


FILES = {"fifo": "did not come", "folder": "is a directory", "socket": "key file",
         "open": "others can read it"}


def no_file(keys, kind):
    path = keys.folder / "it.key"
    if kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    else:
        path = keys.file("words\n", "it.key", mode=0o644)
    return path


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("place", ["--key-file", "--new-key-file", "--against-key-file",
                                   "--try-keys", "manifest"])
def test_a_file_that_gives_no_key(work, sealed, keys, kind, place, monkeypatch):
    monkeypatch.chdir(keys.folder)
    path, right = no_file(keys, kind), keys.file("x'" + "a1b2c3d4" * 8 + "'", "right")
    wait = ["--key-timeout", "0.5"]
    if place == "--new-key-file":
        args = ["rekey", sealed, work / "new.db", "--key-file", right, place, path, *wait]
    elif place == "--against-key-file":
        other = work / "other.db"
        other.write_bytes(sealed.read_bytes())
        args = ["verify", sealed, "--key-file", right, "--against", other, place, path, *wait]
    elif place == "manifest":
        entry = {"file": str(sealed), "key_file": str(path), "key_timeout": 0.5}
        manifest = keys.file(json.dumps({"dbseal_manifest": 1, "databases": [entry]}), "m.json")
        done = program.run("verify", "--json", "--manifest", manifest)
        found = json.loads(done.out.splitlines()[0])
        assert done.exit != 0 and found["code"] == "no_key", done
        assert FILES[kind] in found["message"] and str(path) in found["message"], found
        return
    else:
        args = ["verify", sealed, place, path, *wait]
    found = refuse(work, "no_key", *args)
    assert FILES[kind] in found["message"] and str(path) in found["message"], found


@pytest.mark.parametrize("bad", ["two lines", "mark", "LF", "raw key"])
def test_no_key_in_the_secret_service(work, sealed, desktop, bad):
    data, said = BAD[bad]
    desktop.keep("bad", data)
    found = refuse(work, "no_key", "verify", sealed, "--keyring", "bad", env=desktop.env)
    assert said in found["message"] and "binary" not in str(found["hint"]), found


@pytest.mark.parametrize("key, note", [
    (b"words\n", "newline"), (b"words\r\n", "newline"), (b"   ", "blanks"), (b"\r", "carriage return"),
    (b"words", None), (b"\x80\xff\x01words\n", None)])
@pytest.mark.parametrize("how", ["binary", "variable"])
def test_a_new_key_that_ends_so_is_noted(work, source, keys, key, note, how):
    binary = ["--key-binary", "--key-file", keys.file(key)]
    options, env = {
        "binary": (binary, {}), "variable": (["--key-env", "K"], {"K": os.fsdecode(key)})}[how]
    found = program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", *options, env=env)
    notes = [each["message"] for each in found["notes"] if each["note"] == "key_form"]
    assert [note in each for each in notes] == [True] * (note is not None), found
    program.ok("verify", work / "out.db", "--kdf-iter", "10", *options, env=env)
