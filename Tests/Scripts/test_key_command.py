# Plan: `dbseal key` makes keys that work, keeps them, and never shows one that nobody asked to see.
# - generate: form and strength of each kind, no two alike; a new file of mode 600 and never over
#   another; to a store, never over another; to standard output, but not to a terminal, and not in JSON;
# - each generated key opens its database in SQLCipher 4.19 exactly as it was printed;
# - store: from each source; unchanged; another key is replaced with --force alone; what is no line of
#   text is refused;
# - show, delete, list; what JSON says of each; with --reveal and without;
# - options that belong to another action, and too many or too few operands, are usage errors.
import os
import re

import pytest

from support import key_stores, peers, program
from support.files import mode
from support.refusal import refuse

FORMS = {
    "raw": ([], rb"x'[0-9a-f]{64}'", 256), "raw_salt": (["--with-salt"], rb"x'[0-9a-f]{96}'", 256),
    "passphrase": (["--passphrase"], rb"([a-km-np-z2-9]{4}-){6}[a-km-np-z2-9]{4}", 140),
}


@pytest.mark.parametrize("kind", FORMS)
def test_a_key_in_a_new_file(work, source, outside, kind):
    options, form, bits = FORMS[kind]
    before = os.umask({"raw": 0, "raw_salt": 0o777}.get(kind, 0o77))
    try:
        found = program.ok("key", "generate", "--output", outside / "app.key", *options)
    finally:
        os.umask(before)
    assert (found["kind"], found["bits"], found["path"]) == (kind, bits, str(outside / "app.key"))
    assert found["action"] == "generate" and str(bits) in found["message"]
    assert mode(outside / "app.key") == 0o600 and os.listdir(outside) == ["app.key"]
    key = (outside / "app.key").read_bytes()
    assert re.fullmatch(form + b"\n", key)
    program.ok("encrypt", source, work / "out.db", "--key-file", outside / "app.key")
    peers.sound(peers.sealed(work / "out.db", key.decode().strip()))


@pytest.mark.parametrize("kind", FORMS)
def test_a_key_on_standard_output(work, kind):
    options, form, bits = FORMS[kind]
    seen = set()
    for _ in range(20):
        done = program.run("key", "generate", *options)
        assert done.exit == 0 and re.fullmatch(form + b"\n", done.out), done.err
        assert str(bits).encode() in done.err
        seen.add(done.out)
    assert len(seen) == 20
    # Every character of the alphabet comes up, so none is masked away.
    marks = b"-\n" if kind == "passphrase" else b"x'\n"
    used = set(b"".join(seen)) - set(marks)
    assert len(used) == (32 if kind == "passphrase" else 16)
    done = program.run("key", "generate", "-q", *options)
    assert done.exit == 0 and done.err == b"" and done.out


def test_a_key_is_not_written_to_a_terminal_unasked(stored):
    done = program.run_tty("key", "generate")
    assert done.exit == 2 and b"terminal" in done.out and b"--output" in done.out
    assert not re.search(rb"[0-9a-f]{64}", done.out)
    name = stored("shown")
    program.remember("a secret of words")
    program.ok("key", "store", name, "--key-env", "K", env={"K": "a secret of words"})
    done = program.run_tty("key", "show", name)
    assert done.exit == 2 and b"--reveal" in done.out
    program.forget_all()
    done = program.run_tty("key", "show", name, "--reveal")
    assert done.exit == 0 and done.out == b"a secret of words\r\n"


def test_what_a_terminal_would_act_on_is_made_visible(stored):
    name = stored("escapes")
    key_stores.keep_in_kernel(name, b"red \x1b[31m and \xc3\xa9")
    done = program.run_tty("key", "show", name, "--reveal")
    assert done.out == b"red \\x1b[31m and \xc3\xa9\r\n"
    assert program.run("key", "show", name).out == b"red \x1b[31m and \xc3\xa9\n"


def test_no_key_in_a_json_answer_unasked(work, stored):
    done = program.run("key", "generate", "--json")
    assert done.exit == 2 and done.json["code"] == "usage" and "--output" in done.json["hint"]
    name = stored("json")
    program.remember('quote " and \\ and é')
    program.ok("key", "store", name, "--key-env", "K", env={"K": 'quote " and \\ and é'})
    done = program.run("key", "show", name, "--json")
    assert done.exit == 2 and done.json["code"] == "usage" and "--reveal" in done.json["hint"], done
    assert "key" not in done.json
    program.forget_all()
    found = program.ok("key", "show", name, "--reveal")
    assert found["key"] == 'quote " and \\ and é'
    assert found["kind"] == "passphrase" and found["name"] == name
    assert (found["backend"], found["volatile"]) == ("kernel", True)
    key_stores.keep_in_kernel(name, b"latin \xe9\x1b")
    found = program.ok("key", "show", name, "--reveal")
    assert found["key"] is None and bytes.fromhex(found["key_hex"]) == b"latin \xe9\x1b"


@pytest.mark.parametrize("what", ["file", "folder", "link", "dangling", "fifo"])
def test_never_over_what_is_there(work, outside, what):
    path = work / "app.key"
    if what == "file":
        path.write_bytes(b"the only key\n")
    elif what == "folder":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(outside / "other")
        if what == "link":
            (outside / "other").write_bytes(b"the only key\n")
    found = refuse(work, "exists", "key", "generate", "--output", path)
    assert str(path) in found["message"] and "--force" not in str(found["hint"])
    assert sorted(os.listdir(outside)) == (["other"] if what == "link" else [])


def test_a_file_that_cannot_be_made(work):
    refuse(work, "io", "key", "generate", "--output", work / "no folder" / "app.key")
    refuse(work, "io", "key", "generate", "--output", work / ("n" * 256))
    (work / "closed").mkdir(mode=0o555)
    refuse(work, "io", "key", "generate", "--output", work / "closed" / "app.key", user=65534)
    refuse(work, "io", "key", "generate", "--output", "/sys/app.key")


def test_a_disk_that_is_full_leaves_nothing(work, outside):
    done = program.run("key", "generate", "--output", outside / "app.key", file_size=10)
    assert done.exit == 9 and os.listdir(outside) == [], done


def test_a_key_in_a_store_is_never_replaced_by_a_generated_one(work, stored):
    name = stored("twice")
    found = program.ok("key", "generate", "--keyring", name)
    assert (found["name"], found["backend"], found["volatile"]) == (name, "kernel", True)
    first = key_stores.kernel_key(name)
    assert re.fullmatch(rb"x'[0-9a-f]{64}'", first)
    program.remember(first)
    found = refuse(work, "exists", "key", "generate", "--keyring", name)
    assert name in found["message"]
    assert key_stores.kernel_key(name) == first


def test_the_kernel_forgets_and_that_is_said(stored):
    name = stored("volatile")
    for more in ([], ["-q"], ["--json"]):
        done = program.run("key", "generate", "--keyring", name, *more)
        assert done.exit == 0 and b"reboot" in done.err and b"key show" in done.err, done
        program.ok("key", "delete", name)


def test_store_from_every_source(work, keys, stored):
    name = stored("sources")
    secret = "words to keep"
    program.remember(secret)

    def kept(*options, expected=secret.encode(), **more):
        found = program.ok("key", "store", name, *options, **more)
        assert key_stores.kernel_key(name) == expected
        return found

    assert kept("--key-file", keys.file(secret + "\n"))["replaced"] is False
    assert kept("--key-file", "-", stdin=secret.encode() + b"\r\n")["unchanged"] is True
    kept("--key-fd", "0", stdin=secret.encode())
    kept("--key-env", "K", env={"K": secret})
    kept("--key-command", f"printf '%s' '{secret}'")
    kept(env={"DBSEAL_KEY": secret})
    found = kept("--key-env", "K", "--force", env={"K": "others"}, expected=b"others")
    assert found["replaced"] is True and found["unchanged"] is False
    found = program.run_tty("key", "store", "-f", name, answers=[("ey", secret), ("ey", secret)])
    assert found.exit == 0 and key_stores.kernel_key(name) == secret.encode()
    found = program.run_tty("key", "store", name, answers=[("ey", "once more"), ("ey", "twice")])
    assert found.exit == 3 and key_stores.kernel_key(name) == secret.encode()


def test_another_key_is_replaced_by_force_alone(work, source, stored):
    """The database that the old key opens is proof of what would be lost."""
    name = stored("needed")
    program.ok("key", "generate", "--keyring", name)
    program.ok("encrypt", source, work / "app.db", "--keyring", name)
    first = key_stores.kernel_key(name)
    program.remember(first)
    for more in ([], ["--keyring-backend", "kernel"], ["--quiet"]):
        found = refuse(work, "exists", "key", "store", name, "--key-env", "K", *more,
                       env={"K": "another"})
        assert name in found["message"] and "--force" in found["hint"], found
        assert f"dbseal key show --reveal --keyring-backend kernel {name}" in found["hint"], found
        assert key_stores.kernel_key(name) == first
    typed = program.run_tty("key", "store", name, answers=[("ey", "typed"), ("ey", "typed")])
    assert typed.exit == 7 and key_stores.kernel_key(name) == first
    again = program.ok("key", "store", name, "--key-env", "K", env={"K": first.decode()})
    assert again["unchanged"] is True
    program.ok("verify", work / "app.db", "--keyring", name)
    assert program.ok("key", "store", name, "-f", "--key-env", "K", env={"K": "another"})["replaced"]
    assert key_stores.kernel_key(name) == b"another"
    for action in (["generate"], ["show", name], ["list"]):
        refuse(work, "usage", "key", *action, "--force")


def test_the_same_of_the_secret_service(work, desktop):
    program.ok("key", "store", "app", "--key-env", "K", env={**desktop.env, "K": "the first"})
    refuse(work, "exists", "key", "store", "app", "--key-env", "K",
           env={**desktop.env, "K": "another"})
    assert desktop.lookup("app") == b"the first"
    program.ok("key", "store", "app", "--key-env", "K", env={**desktop.env, "K": "the first"})
    program.ok("key", "store", "-f", "app", "--key-env", "K", env={**desktop.env, "K": "another"})
    assert desktop.lookup("app") == b"another"


def kind_of(name):
    # The answer has the key.
    program.forget_all()
    return program.ok("key", "show", name, "--reveal")["kind"]


def test_raw_keys_are_kept_as_what_they_are(work, keys, source, stored):
    name = stored("raw")
    digits = "a1b2c3d4" * 8
    program.ok("key", "store", name, "--raw-key", "--key-file", keys.file(digits))
    assert key_stores.kernel_key(name) == f"x'{digits}'".encode()
    assert kind_of(name) == "raw"
    program.ok("encrypt", source, work / "out.db", "--keyring", name)
    peers.sound(peers.sealed(work / "out.db", f"x'{digits}'"))
    done = program.run("key", "store", name, "--force", "--key-file", keys.file(digits))
    assert done.exit == 0 and b"--raw-key" in done.err, done
    assert key_stores.kernel_key(name) == digits.encode()
    assert kind_of(name) == "passphrase"
    for digits, kind in (("0f" * 48, "raw_salt"), ("0f" * 80, "raw_hmac_salt")):
        program.ok("key", "store", name, "-f", "--raw-key", "--key-file", keys.file(digits))
        assert kind_of(name) == kind


@pytest.mark.parametrize("data, options", [
    (b"\xff\xfe binary", []), (b"latin \xe9", []), (b"two\nlines", []), (b"nul \0 byte", []),
    (b"", []), (b"\n", []), (b"\xef\xbb\xbfmarked", []), (b"x'12'", []), (b"12", ["--raw-key"]),
    (b"k" * 32768, [])])
def test_what_cannot_be_kept_whole_is_refused(work, keys, stored, data, options):
    name = stored("refused")
    program.ok("key", "store", name, "--key-env", "K", env={"K": "what was there"})
    for more in ([], ["--force"]) if len(data) < 100 else (["--force"],):
        refuse(work, "no_key", "key", "store", name, "--key-file", keys.file(data), *options, *more)
    assert key_stores.kernel_key(name) == b"what was there"


@pytest.mark.parametrize("key, note", [
    (" abc", "blanks"), ("'abc'", "quotes"), ("0x" + "a1b2c3d4" * 8, "raw key"),
    ("a1b2c3d4" * 8, "--raw-key")])
def test_a_key_that_may_be_meant_otherwise_is_noted(stored, key, note):
    done = program.run("key", "store", stored("odd"), "--key-env", "K", env={"K": key})
    assert done.exit == 0 and note.encode() in done.err, done
    done = program.run("key", "store", stored("odd 2"), "--passphrase", "--key-env", "K", env={"K": key})
    assert done.exit == 0 and note.encode() not in done.err, done


def test_where_store_takes_a_key_from(work):
    """What it says that it takes, it takes."""
    done = program.run("key", "store", "app")
    options = re.findall(r"--[a-z-]+", done.text)
    assert done.exit == 3 and options, done
    help = program.run("key", "store", "--help").text
    assert "--keyring" not in options and all(f"{each} " in help for each in options), done


def test_a_variable_with_a_line_feed_is_no_line(work, stored):
    name = stored("lines")
    for value in ("ends with one\n", "has\none", "ends so\r\n"):
        refuse(work, "no_key", "key", "store", name, "--key-env", "K", env={"K": value})
    assert key_stores.kernel_key(name) is None


def test_a_store_that_is_full_keeps_what_was_there(work, keys, stored):
    # An ordinary user's share of the kernel's memory for keys is 20,000 bytes.
    name = stored("full")

    def run(*args, **more):
        return program.run(*args, user=61234, **more)

    assert run("key", "store", name, "--key-env", "K", env={"K": "small"}).exit == 0
    done = run("key", "store", name, "-f", "--json", "--key-env", "K", env={"K": "k" * 30000})
    assert done.exit == 3 and "memory" in done.json["message"], done
    assert run("key", "show", name).out == b"small\n"
    assert run("key", "delete", name).exit == 0


def test_delete(work, stored):
    name = stored("gone")
    program.ok("key", "generate", "--keyring", name)
    found = program.ok("key", "delete", name)
    assert (found["deleted"], found["backend"]) == (True, "kernel")
    assert key_stores.kernel_key(name) is None
    found = program.ok("key", "delete", name)
    assert (found["deleted"], found["backend"]) == (False, None)
    refuse(work, "no_key", "key", "show", name)


@pytest.mark.parametrize("answer, deleted", [
    ("y", True), ("YES", True), ("n", False), ("", False), ("yeah", False), ("app", False)])
def test_on_a_terminal_delete_asks(stored, answer, deleted):
    name = stored("asked")
    program.ok("key", "generate", "--keyring", name)
    done = program.run_tty("key", "delete", name, answers=[("[y/N]", answer)])
    # What hangs on it (`key delete NAME && ...`) does not go on.
    assert done.exit == (0 if deleted else 7) and (b"deleted: key" in done.out) is deleted, done
    assert (b"kept: key" in done.out) is not deleted
    assert b"Databases may need it" in done.out and name.encode() in done.out
    assert (key_stores.kernel_key(name) is None) is deleted


def test_delete_asks_nobody_where_nothing_is_to_be_asked(stored):
    name = stored("unasked")
    program.ok("key", "generate", "--keyring", name)
    assert program.run_tty("key", "delete", name, "--force").exit == 0
    assert key_stores.kernel_key(name) is None
    assert b"nothing to delete" in program.run_tty("key", "delete", name).out
    program.ok("key", "generate", "--keyring", name)
    line = f'"{program.BIN}" key delete {name} </dev/null'
    assert program.run_tty("-c", line, binary="/bin/sh").exit == 0
    assert key_stores.kernel_key(name) is None


def test_list(stored):
    names = [stored("b é"), stored("a"), stored("c/d")]
    for name in names:
        program.ok("key", "generate", "--keyring", name)
    found = program.ok("key", "list")
    stores = {each["backend"]: each for each in found["stores"]}
    assert list(stores) == ["credentials", "keychain", "secret-service", "kernel"]
    kernel = stores["kernel"]
    assert kernel["available"] and kernel["volatile"] and not kernel["read_only"]
    assert kernel["obstacle"] is None and found["target"] == "kernel"
    ours = [each for each in kernel["keys"] if each in names]
    assert ours == sorted(names, key=lambda name: name.encode())
    for other in ("credentials", "keychain", "secret-service"):
        assert not stores[other]["available"] and stores[other]["obstacle"]
    text = program.run("key", "list").out.decode()
    assert "secret-service: not here: there is no session bus" in text and f"  {names[1]}\n" in text
    quiet = program.run("key", "list", "-q").out.decode().splitlines()
    assert set(names) <= set(quiet)
    only = program.ok("key", "list", "--keyring-backend", "kernel")
    assert [each["backend"] for each in only["stores"]] == ["kernel"]


@pytest.mark.parametrize("args", [
    ["key"], ["key", "make"], ["key", "generate", "app"], ["key", "store"], ["key", "show"],
    ["key", "delete"], ["key", "store", "a", "b"], ["key", "list", "a"],
    ["key", "show", "a", "--output", "x"], ["key", "delete", "a", "--reveal"],
    ["key", "store", "a", "--with-salt"], ["key", "generate", "--key-file", "x"],
    ["key", "generate", "--keyring", "a", "--output", "x"],
    ["key", "generate", "--with-salt", "--passphrase"], ["key", "list", "--keyring", "a"],
    ["key", "store", "a", "--keyring", "b"], ["key", "generate", "--keyring-backend", "kernel"],
    ["key", "show", "a", "--keyring-backend", "vault"], ["key", "store", "a", "--keyring-backend"],
    ["key", "store", "a", "--raw-key", "--passphrase"], ["key", "generate", "--force"]])
def test_usage(work, args):
    found = refuse(work, "usage", *args, cwd=work)
    assert found["command"] == "key"


def test_a_key_as_an_operand_is_refused_and_not_repeated(work):
    digits = "a1b2c3d4" * 8
    program.remember(digits)
    refuse(work, "usage", "key", "store", "app", digits)
    refuse(work, "usage", "key", "store", digits)
    program.remember("hunter2-secret")
    refuse(work, "usage", "key", "store", "app", "hunter2-secret")
    refuse(work, "usage", "key", "store", "app", "--passphrase=hunter2-secret")


@pytest.mark.parametrize("name", ["n" * 201, "new\nline", "tab\t", "\x7f", "\u0085"])
def test_names_that_no_store_could_show(work, name):
    for action in (["show", name], ["delete", name], ["store", name, "--key-env", "K"],
                   ["generate", "--keyring", name]):
        refuse(work, "no_key", "key", *action, env={"K": "words"})
