# Plan: no key is said to be made, kept or shown that nobody got.
# - standard output closed, full, or a pipe without a reader: exit 9 and no "made", for generate and show,
#   in text and JSON; with a file or a store as the place, what was made is there;
# - `--output -` is standard output, as `-` is standard input;
# - stores and deletions at once, in the kernel's keyring and the Secret Service: each takes its turn, and
#   what is kept at the end is one of the keys, whole;
# - key list names what a key can be read from, and nothing else; a refused name does not fill the screen.
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import key_stores, program
from support.refusal import refuse

WORDS = "words that are kept"
NOWHERE = {
    "closed": 'exec "$@" >&-', "full": 'exec "$@" >/dev/full',
    # The status of dbseal itself; its reader is gone before it starts.
    "no reader": '{ sleep 0.2; "$@"; echo $? >&3; } 3>&2 | true',
}


def shell(line, *args, **more):
    return subprocess.run(["sh", "-c", line, "sh", str(program.BIN), *map(str, args)],
                          capture_output=True, env=program.clean_env(), **more)


@pytest.mark.parametrize("where", NOWHERE)
@pytest.mark.parametrize("args", [
    ["key", "generate"], ["key", "generate", "--passphrase", "--output", "-"],
    ["key", "show", "NAME"], ["key", "show", "NAME", "--json", "--reveal"]],
    ids=["generate", "passphrase", "show", "json"])
def test_a_key_that_nobody_got(work, stored, where, args):
    name = stored("unheard")
    key_stores.keep_in_kernel(name, WORDS.encode())
    program.remember(WORDS)
    done = shell(NOWHERE[where], *[name if word == "NAME" else word for word in args], cwd=work)
    said = done.stderr.decode()
    assert done.returncode == 9 or said.endswith("\n9\n"), done
    assert "standard output: " in said and "made" not in said and "work" not in said, said
    assert os.listdir(work) == []
    program.no_secret(done.stderr)


@pytest.mark.parametrize("where", ["closed", "full"])
def test_a_key_with_a_place_is_there(work, stored, where):
    name = stored("kept")
    shell(NOWHERE[where], "key", "generate", "--output", work / "app.key")
    assert re.fullmatch(rb"x'[0-9a-f]{64}'\n", (work / "app.key").read_bytes())
    done = shell(NOWHERE[where], "key", "generate", "--keyring", name)
    assert re.fullmatch(rb"x'[0-9a-f]{64}'", key_stores.kernel_key(name)), done


def test_a_dash_is_standard_output(work):
    done = program.run("key", "generate", "--output", "-", cwd=work)
    assert done.exit == 0 and re.fullmatch(rb"x'[0-9a-f]{64}'\n", done.out), done
    assert os.listdir(work) == []
    refuse(work, "usage", "key", "generate", "--output", "-", "--keyring", "a", cwd=work)
    done = program.run_tty("key", "generate", "--output", "-")
    assert done.exit == 2 and b"terminal" in done.out


def at_once(count, action):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(action, range(count)))


@pytest.mark.parametrize("kind", ["kernel", "secret-service"])
def test_stores_at_once(stored, desktop, kind):
    name, options = stored("race"), ["--keyring-backend", kind]
    kept = desktop.lookup if kind == "secret-service" else key_stores.kernel_key
    program.ok("key", "store", name, "--key-env", "K", *options, env={**desktop.env, "K": "before"})

    def store(number):
        return program.run("key", "store", "--force", name, "--key-env", "K", *options,
                           env={**desktop.env, "K": f"words of {number}"})

    results = at_once(8, store)
    assert [each.exit for each in results] == [0] * 8, results
    assert kept(name) in [f"words of {number}".encode() for number in range(8)]

    def either(number):
        if number % 2:
            return store(number)
        return program.run("key", "delete", name, *options, env=desktop.env)

    results = at_once(8, either)
    assert [each.exit for each in results] == [0] * 8, results
    assert kept(name) in [None, *(f"words of {number}".encode() for number in range(1, 8, 2))]
    store(1)
    assert kept(name) == b"words of 1"


def test_what_credentials_list(tmp_path):
    folder = tmp_path / "credentials"
    folder.mkdir(mode=0o700)
    (folder / "app").write_bytes(b"words\n")
    (folder / "link").symlink_to("app")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / os.fsdecode(b"\xff")).write_bytes(b"words")
    env = {"CREDENTIALS_DIRECTORY": str(folder)}
    found = program.ok("key", "list", "--keyring-backend", "credentials", env=env)
    assert found["stores"][0]["keys"] == ["app", "link"]
    for name in ("app", "link"):
        assert program.run("key", "show", name, env=env).out == b"words\n"


def test_a_refused_name_is_cut(work):
    for name in ("n" * 10000, "\u00e9" * 101):
        found = refuse(work, "no_key", "key", "store", name, "--key-env", "K", env={"K": WORDS})
        assert len(found["message"]) < 150 and "up to 200 bytes" in found["message"], found


def test_a_key_that_would_not_come_back_is_not_stored(work, stored):
    """A key file's rule takes CRLF for the end of the line, so that `key show` and a file of it lose a return."""
    for name, key, word in (("cr", "pa ss\r", "line end"), ("crlf", "pa ss\r\n", "line"), ("lf", "pa ss\n", "line")):
        found = refuse(work, "no_key", "key", "store", stored(name), "--key-env", "K", "--keyring-backend",
                       "kernel", env={"K": key})
        assert word in found["message"], found
        assert key_stores.kernel_key(stored(name)) is None
