# Plan: a key is found where its owner keeps it, by every command, and other programs find what was
# stored; the judges are secret-tool and keyctl.
# - each store: what others put there is read, what dbseal stores others read, deleted means gone;
# - --keyring, --new-keyring and --against-keyring in every command that takes a key;
# - the order of the stores, and --keyring-backend;
# - get-or-create: made once, used afterwards, not in a dry run, not for a source that cannot be read;
# - a store that is locked, has two keys of a name, does not answer, or is not there: told apart, exit 3,
#   never a wait without an end, and no other store's key in its place;
# - no key in arguments, in a child's environment or in a file, except where the store keeps it.
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest

from support import key_stores, peers, program, samples
from support.refusal import refuse

WORDS = "words that are kept"
RAW = "x'" + "a1b2c3d4" * 8 + "'"
NEW = "x'" + "0f1e2d3c" * 8 + "'"


@pytest.fixture
def credentials(tmp_path):
    """A folder as systemd makes it for a service."""
    folder = tmp_path / "credentials"
    folder.mkdir(mode=0o700)

    def keep(name, data, mode=0o400):
        path = folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        path.chmod(mode)
        return path

    keep.env = {"CREDENTIALS_DIRECTORY": str(folder)}
    return keep


# ---- each store ------------------------------------------------------------------------------


def test_the_secret_service_shares_keys_with_other_programs(desktop):
    program.remember(WORDS)
    found = program.ok("key", "store", "app", "--key-env", "K", env={**desktop.env, "K": WORDS})
    assert (found["backend"], found["volatile"]) == ("secret-service", False)
    assert desktop.lookup("app") == WORDS.encode()
    desktop.keep("other", "of secret-tool é".encode())
    done = program.run("key", "show", "other", env=desktop.env)
    assert done.out == "of secret-tool é\n".encode()
    # What another program keeps under the name is given the new secret, and no second one is made.
    found = program.ok("key", "store", "other", "--key-env", "K", "--force",
                       env={**desktop.env, "K": WORDS})
    assert found["replaced"] is True and desktop.lookup("other") == WORDS.encode()
    found = program.ok("key", "list", env=desktop.env)
    listed = {each["backend"]: each for each in found["stores"]}["secret-service"]
    assert listed["keys"] == ["app", "other"] and found["target"] == "secret-service"
    for name in ("app", "other"):
        assert program.ok("key", "delete", name, env=desktop.env)["deleted"] is True
        assert desktop.lookup(name) is None
        assert program.ok("key", "delete", name, env=desktop.env)["deleted"] is False


def test_items_of_other_programs_are_left_alone(desktop):
    subprocess.run(["secret-tool", "store", "--label=x", "service", "mail", "account", "app"],
                   input=b"the mail's", check=True, env=desktop.full)
    assert program.run("key", "show", "app", env=desktop.env).exit == 3
    program.ok("key", "generate", "--keyring", "app", env=desktop.env)
    program.ok("key", "delete", "app", env=desktop.env)
    done = subprocess.run(["secret-tool", "lookup", "service", "mail", "account", "app"],
                          capture_output=True, env=desktop.full)
    assert done.stdout == b"the mail's"


def test_the_kernel_shares_keys_with_other_programs(stored):
    name = stored("shared é")
    key_stores.keep_in_kernel(name, b"of keyctl")
    assert program.run("key", "show", name).out == b"of keyctl\n"
    program.ok("key", "store", name, "--key-env", "K", "-f", env={"K": WORDS})
    assert key_stores.kernel_key(name) == WORDS.encode()
    key_stores.forget_in_kernel([name])
    assert program.run("key", "show", name).exit == 3


@pytest.mark.parametrize("before", [["keyctl", "session", "-"], ["setsid"]])
def test_the_kernel_keyring_of_the_user_in_any_session(stored, before):
    # In a session of its own (a service, cron) nothing of the user's keyring is possessed.
    name = stored("elsewhere")
    program.ok("key", "store", name, "--key-env", "K", env={"K": WORDS})
    done = subprocess.run([*before, str(program.BIN), "key", "show", name], capture_output=True,
                          env=program.clean_env())
    assert done.stdout == WORDS.encode() + b"\n", done


def test_keys_of_one_user_are_not_another_s(stored):
    name = stored("mine")
    program.remember(WORDS)
    program.ok("key", "store", name, "--key-env", "K", env={"K": WORDS})
    assert program.run("key", "show", name, user=61235).exit == 3
    own = program.run("key", "store", name, "--key-env", "K", user=61235, env={"K": "others"})
    assert own.exit == 0, own
    assert program.run("key", "show", name, user=61235).out == b"others\n"
    assert key_stores.kernel_key(name) == WORDS.encode()
    assert program.run("key", "delete", name, user=61235).exit == 0


@pytest.mark.parametrize("data", [WORDS, WORDS + "\n", WORDS + "\r\n"])
def test_a_credential_of_systemd(work, source, credentials, data):
    program.remember(WORDS)
    credentials("db.key", data, mode=0o440)
    program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--keyring", "db.key",
               env=credentials.env)
    peers.sound(peers.sealed(work / "out.db", WORDS, [("kdf_iter", 10)]))


def test_credentials_are_only_read(work, credentials, stored):
    name = stored("given")
    path = credentials(name, WORDS)
    found = refuse(work, "no_key", "key", "delete", name, env=credentials.env)
    assert "systemd" in found["message"] and "LoadCredential" in found["hint"]
    # Where another store has one too, it is said how that one is meant.
    key_stores.keep_in_kernel(name, b"another")
    found = refuse(work, "no_key", "key", "delete", name, env=credentials.env)
    assert "--keyring-backend kernel" in found["hint"], found
    assert key_stores.kernel_key(name) == b"another"
    program.ok("key", "delete", name, "--keyring-backend", "kernel", env=credentials.env)
    assert key_stores.kernel_key(name) is None
    refuse(work, "no_key", "key", "generate", "--keyring", "new", "--keyring-backend",
           "credentials", env=credentials.env)
    refuse(work, "exists", "key", "generate", "--keyring", name, env=credentials.env)
    assert path.read_bytes() == WORDS.encode()


def test_a_credential_that_keeps_a_name_is_not_to_be_deleted(work, credentials):
    credentials("app", WORDS)
    found = refuse(work, "exists", "key", "generate", "--keyring", "app", env=credentials.env)
    assert "LoadCredential=" in found["hint"] and "delete" not in found["hint"], found


def test_a_credential_that_everybody_can_read(work, credentials):
    """systemd's are of mode 400, or of 440 by an access list, in a folder of mode 500 or 550."""
    folder = credentials("app", "of a service", mode=0o644).parent
    for mode in (0o500, 0o550, 0o700):
        folder.chmod(mode)
        assert program.run("key", "show", "app", env=credentials.env).out == b"of a service\n"
    folder.chmod(0o755)
    found = refuse(work, "no_key", "key", "show", "app", env=credentials.env)
    assert "others can read it (mode 644)" in found["message"], found
    (folder / "app").chmod(0o440)
    assert program.run("key", "show", "app", env=credentials.env).exit == 0


def test_a_name_leads_nowhere_else(work, credentials):
    outside = work / "secret"
    outside.write_bytes(b"not a credential")
    outside.chmod(0o600)
    for name in ("../../it's a folder/secret", str(outside), "..", ".", "sub/key"):
        refuse(work, "no_key", "key", "show", name, "--keyring-backend", "credentials",
               env=credentials.env)


def test_credentials_that_are_no_keys(work, source, credentials, keys):
    for name, data in (("two", "a\nb"), ("none", ""), ("nul", "a\0b"), ("long", "k" * (1 << 21))):
        credentials(name, data)
        refuse(work, "no_key", "encrypt", source, work / "out.db", "--keyring", name,
               env=credentials.env)
    os.mkfifo(os.path.join(credentials.env["CREDENTIALS_DIRECTORY"], "pipe"), 0o600)
    found = refuse(work, "no_key", "key", "show", "pipe", "--key-timeout", "0.5",
                   env=credentials.env)
    assert "0.5 seconds" in found["message"]


# ---- every command -----------------------------------------------------------------------------


def test_a_keyring_wherever_a_key_is_taken(work, source, stored):
    program.remember(RAW)
    program.remember(NEW)
    old, new = stored("old"), stored("new")
    key_stores.keep_in_kernel(old, RAW.encode())
    key_stores.keep_in_kernel(new, NEW.encode())
    sealed = work / "sealed.db"
    program.ok("encrypt", source, sealed, "--keyring", old)
    peers.sound(peers.sealed(sealed, RAW))
    program.ok("verify", sealed, "--keyring", old)
    program.ok("inspect", sealed, "--keyring", old, "--tables")
    program.ok("migrate", sealed, work / "three.db", "--format", "3", "--keyring", old)
    program.ok("rekey", sealed, work / "other.db", "--keyring", old, "--new-keyring", new)
    peers.sound(peers.sealed(work / "other.db", NEW))
    found = program.ok("verify", sealed, "--keyring", old, "--against", work / "other.db",
                       "--against-keyring", new)
    assert found["verdicts"]["content"]["verdict"] == "equal"
    program.ok("decrypt", work / "other.db", work / "plain2.db", "--keyring", new)
    (work / "schema").mkdir()
    (work / "schema" / "1.sql").write_text("CREATE TABLE t(a)")
    # The old engine knows no newer format.
    program.ok("migrate", "--schema", work / "schema", "--create", work / "made.db", "--keyring",
               old, "--format", "3")
    peers.sound(peers.sealed(work / "made.db", RAW, [("cipher_compatibility", 3)]))
    refuse(work, "wrong_key", "verify", sealed, "--keyring", new)
    refuse(work, "usage", "rekey", sealed, "--keyring", old, "--new-keyring", old)
    # A new key that nobody made is to be made; an old one is not.
    unmade = stored("unmade")
    found = refuse(work, "no_key", "rekey", sealed, "--keyring", old, "--new-keyring", unmade)
    assert "dbseal key generate --keyring NAME" in found["hint"], found
    assert "--new-keyring: no key of that name" in found["message"], found
    found = refuse(work, "no_key", "rekey", sealed, "--keyring", unmade, "--new-keyring", old)
    assert "generate" not in found["hint"], found
    for command in (["encrypt", source, work / "x.db"], ["verify", sealed], ["rekey", sealed]):
        found = refuse(work, "no_key", *command, "--keyring", stored("missing"))
        assert "--keyring: no key" in found["message"] and "key list" in found["hint"]


@pytest.mark.parametrize("args", [
    ["--keyring", "a", "--key-file", "k"], ["--keyring", "a", "--key-env", "K"],
    ["--keyring", "a", "--key-binary"], ["--create"], ["--create", "--key-env", "K"],
    ["--keyring", ""], ["--keyring"], ["--keyring-backend", "kernel", "--key-env", "K"]])
def test_usage(work, source, args):
    refuse(work, "usage", "encrypt", source, work / "out.db", *args)


# ---- more than one store -----------------------------------------------------------------------


def test_the_order_of_the_stores(work, desktop, credentials, stored):
    name = stored("everywhere")
    env = {**desktop.env, **credentials.env}
    credentials(name, "of systemd")
    desktop.keep(name, b"of the desktop")
    key_stores.keep_in_kernel(name, b"of the kernel")

    def shown(*options, **more):
        return program.run("key", "show", name, *options, env={**env, **more}).out

    assert shown() == b"of systemd\n"
    assert shown("--keyring-backend", "secret-service") == b"of the desktop\n"
    assert shown("--keyring-backend", "kernel") == b"of the kernel\n"
    os.remove(os.path.join(credentials.env["CREDENTIALS_DIRECTORY"], name))
    assert shown() == b"of the desktop\n"
    found = program.run("key", "delete", name, env=env)
    assert found.exit == 0 and b"in the kernel keyring, and --keyring takes that one" in found.err, found
    assert desktop.lookup(name) is None
    assert shown() == b"of the kernel\n"
    # A new key goes to the first store that can be written, not to where an old one is.
    found = program.ok("key", "store", name, "--key-env", "K", env={**env, "K": "new"})
    assert found["backend"] == "secret-service" and desktop.lookup(name) == b"new"
    assert key_stores.kernel_key(name) == b"of the kernel"
    credentials(name, "of systemd")
    done = program.run("key", "store", name, "-f", "--key-env", "K", env={**env, "K": "newer"})
    assert b"takes that one" in done.err and b"systemd" in done.err, done


@pytest.mark.parametrize("backend", ["secret-service", "credentials", "keychain"])
def test_a_store_that_is_not_here(work, source, stored, backend):
    name = stored("here")
    key_stores.keep_in_kernel(name, RAW.encode())
    for args in (["encrypt", source, work / "out.db", "--keyring", name], ["key", "show", name],
                 ["key", "list"], ["key", "delete", name]):
        found = refuse(work, "no_key", *args, "--keyring-backend", backend)
        assert found["message"], found
    assert key_stores.kernel_key(name) == RAW.encode()


# Without a store's name `generate` refuses, and `store` takes the first.
@pytest.mark.parametrize("action, here, there, named", [
    ("store", "secret-service", "kernel", False), ("store", "secret-service", "kernel", True),
    ("store", "kernel", "secret-service", True), ("generate", "secret-service", "kernel", True),
    ("generate", "kernel", "secret-service", True)])
def test_a_key_of_the_same_name_in_another_store(stored, desktop, action, here, there, named):
    """Which one --keyring takes from now on is said."""
    name = stored("double")
    env = {**desktop.env, "K": "words"}
    assert program.run("key", "store", name, "--key-env", "K", "--keyring-backend", there, env=env).exit == 0
    args = ["store", name, "--key-env", "K2"] if action == "store" else ["generate", "--keyring", name]
    done = program.run("key", *args, *(["--keyring-backend", here] if named else []),
                       env={**env, "K2": "other words"})
    assert done.exit == 0 and f"key {name} in the".encode() in done.err and b" too, " in done.err, done
    first = program.run("key", "show", name, env=env).out
    assert (first == b"words\n") is (there == "secret-service")
    if there == "secret-service":
        assert b"--keyring takes that one" in done.err, done
    else:
        assert b"--keyring-backend kernel does" in done.err, done
        shown = program.run("key", "show", name, "--keyring-backend", "kernel", env=env)
        assert shown.out == b"words\n"
    program.ok("key", "delete", name, "--keyring-backend", "secret-service", env=env)


def test_without_libsecret(tmp_path, stored):
    # One that needs what is not there is as good as none.
    for name, needs in (("libnowhere.so", []), ("libsecret-1.so.0", ["-L.", "-lnowhere"])):
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", name, "-Wl,--no-as-needed", *needs],
                       cwd=tmp_path, check=True)
    (tmp_path / "libnowhere.so").unlink()
    env = {"LD_LIBRARY_PATH": str(tmp_path), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
    found = program.ok("key", "list", env=env)
    stores = {each["backend"]: each for each in found["stores"]}
    assert "libsecret is not installed" in stores["secret-service"]["obstacle"]
    assert found["target"] == "kernel"
    assert program.ok("key", "generate", "--keyring", stored("k"), env=env)["backend"] == "kernel"


def test_a_libsecret_that_cannot_be_loaded(work, source, tmp_path, stored, desktop):
    """The service is there, and may have a key of that name."""
    (tmp_path / "libsecret-1.so.0").write_bytes(b"")
    env, name = {**desktop.env, "LD_LIBRARY_PATH": str(tmp_path)}, stored("k")
    for args in (["key", "generate", "--keyring", name],
                 ["encrypt", source, work / "out.db", "--create", "--keyring", name]):
        found = refuse(work, "no_key", *args, env=env)
        assert "libsecret" in found["message"] and "--keyring-backend" in found["hint"], found
    assert key_stores.kernel_key(name) is None


# ---- get or create -----------------------------------------------------------------------------


def test_get_or_create(work, source, desktop):
    def encrypt(target, *more):
        return program.ok("encrypt", source, target, "--keyring", "app", "--create", *more,
                          env=desktop.env)

    found = encrypt(work / "dry.db", "--dry-run")
    assert found["keyring"]["created"] is False and desktop.lookup("app") is None
    found = encrypt(work / "a.db")
    assert found["keyring"] == {"name": "app", "backend": "secret-service", "created": True,
                                "volatile": False}
    key = desktop.lookup("app").decode()
    program.remember(key)
    peers.sound(peers.sealed(work / "a.db", key))
    found = encrypt(work / "b.db")
    assert found["keyring"]["created"] is False and desktop.lookup("app").decode() == key
    peers.sound(peers.sealed(work / "b.db", key))


def test_no_key_is_made_for_a_source_that_cannot_be_encrypted(work, sealed, stored):
    name = stored("unmade")
    refuse(work, "wrong_kind", "encrypt", sealed, work / "out.db", "--keyring", name, "--create")
    refuse(work, "io", "encrypt", work / "none.db", work / "out.db", "--keyring", name, "--create")
    assert key_stores.kernel_key(name) is None


def test_a_key_that_was_made_is_said_with_its_place(work, source, stored):
    name = stored("said")
    done = program.run("encrypt", source, work / "out.db", "--keyring", name, "--create")
    assert done.exit == 0, done
    assert f"key {name} was made in the kernel keyring".encode() in done.err
    assert b"reboot" in done.err
    peers.sound(peers.sealed(work / "out.db", key_stores.kernel_key(name).decode()))
    done = program.run("encrypt", source, work / "two.db", "--keyring", name, "--create")
    assert done.exit == 0 and b"was made" not in done.err, done


def test_a_name_without_a_key_is_told_how_one_is_made(work, source, sealed, stored):
    name = stored("new")
    found = refuse(work, "no_key", "encrypt", source, work / "out.db", "--keyring", name)
    assert "--create" in found["hint"] and "key generate" in found["hint"], found
    found = refuse(work, "no_key", "rekey", sealed, work / "out.db", "--key-env", "K",
                   "--new-keyring", name, env={"K": RAW})
    assert "key generate" in found["hint"] and "--create" not in found["hint"], found
    found = refuse(work, "no_key", "verify", sealed, "--keyring", name)
    assert "--create" not in found["hint"] and "generate" not in found["hint"], found


@pytest.mark.parametrize("options", [[], ["--json"], ["--quiet"], ["--json", "--quiet"]])
def test_a_key_that_was_made_for_nothing_is_said(work, source, stored, options):
    name = stored("left")
    done = program.run("encrypt", source, work / "out.db", "--keyring", name, "--create", *options,
                       file_size=2000)
    assert done.exit == 9 and os.listdir(work) == [source.name], done
    assert key_stores.kernel_key(name) is not None
    assert f"key {name} was made in the kernel keyring".encode() in done.err, done
    if "--json" in options:
        assert done.json["keyring"]["name"] == name and done.json["keyring"]["created"] is True


def test_many_that_want_one_key_get_the_same(work, source, stored):
    name = stored("many")
    running = [program.start("encrypt", source, work / f"{number}.db", "--keyring", name,
                             "--create", "--json") for number in range(8)]
    made = 0
    for process in running:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        made += json.loads(out)["keyring"]["created"]
    assert made == 1
    for number in range(8):
        peers.sound(peers.sealed(work / f"{number}.db", key_stores.kernel_key(name).decode()))


# ---- stores that fail --------------------------------------------------------------------------


def test_a_locked_keyring_is_not_a_missing_key(work, desktop, stored):
    name = stored("locked")
    program.ok("key", "generate", "--keyring", name, env=desktop.env)
    key_stores.keep_in_kernel(name, b"another one")
    desktop.lock()
    for args in (["key", "show", name], ["key", "delete", name],
                 ["key", "store", name, "--key-env", "K"]):
        found = refuse(work, "no_key", *args, env={**desktop.env, "K": "words"})
        assert "locked" in found["message"] and found["hint"], found
    # Names are no secret, and can be listed.
    found = program.ok("key", "list", env=desktop.env)
    listed = {each["backend"]: each for each in found["stores"]}
    assert name in listed["secret-service"]["keys"]
    assert listed["secret-service"]["locked"] is True and listed["kernel"]["locked"] is False
    text = program.run("key", "list", env=desktop.env).out
    assert b"secret-service: 1 key; locked; new keys go here once it is unlocked" in text, text
    assert key_stores.kernel_key(name) == b"another one"


def test_a_keyring_that_was_never_unlocked(work, desktop):
    """It does not say what is in it, so nobody may say that nothing is."""
    program.ok("key", "generate", "--keyring", "app", env=desktop.env)
    desktop.stop()
    desktop.start(unlocked=False)
    found = program.ok("key", "list", env=desktop.env)
    listed = {each["backend"]: each for each in found["stores"]}
    assert listed["secret-service"]["locked"] is True
    assert listed["secret-service"]["keys"] is None and isinstance(listed["kernel"]["keys"], list)
    assert "locked" in found["message"], found
    text = program.run("key", "list", env=desktop.env).out
    assert b"secret-service: locked, names unknown until it is unlocked" in text, text
    assert b"secret-service: 0" not in text
    desktop.stop()
    desktop.start()
    assert desktop.lookup("app") is not None


def test_a_new_key_for_a_locked_keyring(work, source, desktop):
    program.ok("key", "generate", "--keyring", "first", env=desktop.env)
    desktop.lock()
    refuse(work, "no_key", "key", "generate", "--keyring", "second", env=desktop.env)
    refuse(work, "no_key", "encrypt", source, work / "out.db", "--keyring", "second", "--create",
           env=desktop.env)


def test_a_desktop_without_a_keyring_to_store_in(work):
    session = key_stores.Desktop(unlocked=False)
    try:
        found = refuse(work, "no_key", "key", "generate", "--keyring", "app", env=session.env)
        assert "unlock" in found["hint"], found
        found = program.ok("key", "list", env=session.env)
        assert found["target"] == "secret-service"
        assert {each["backend"]: each["locked"] for each in found["stores"]}["secret-service"]
        text = program.run("key", "list", env=session.env).out
        assert b"new keys go here once a keyring is made in it" in text, text
    finally:
        session.close()


def test_two_items_of_one_name(work, desktop):
    desktop.keep("app", b"one", color="red")
    desktop.keep("app", b"two", color="blue")
    for args in (["key", "show", "app"], ["key", "store", "app", "--key-env", "K"]):
        found = refuse(work, "no_key", *args, env={**desktop.env, "K": "three"})
        assert "more than one" in found["message"]
        # Both are to be looked at; no command that would remove the right one too is named.
        assert "key delete" not in found["hint"], found
        search, = re.findall(r"secret-tool[^)]+", found["hint"])
        seen = subprocess.run(search.split(), capture_output=True, env=desktop.full)
        assert b"one" in seen.stdout and b"two" in seen.stdout
    assert refuse(work, "no_key", "key", "delete", "app", env=desktop.env) == found
    clear = ["secret-tool", "clear", "service", "dbseal", "account", "app", "color"]
    assert desktop.lookup("app") is not None
    subprocess.run([*clear, "red"], check=True, env=desktop.full)
    assert program.run("key", "show", "app", env=desktop.env).out == b"two\n"
    assert program.ok("key", "delete", "app", env=desktop.env)["deleted"] is True
    assert desktop.lookup("app") is None


def test_two_items_of_one_name_that_are_alike(work, desktop):
    desktop.keep("it's", b"one", color="red")
    desktop.keep("it's", b"one", color="blue")
    found = refuse(work, "no_key", "key", "show", "it's", env=desktop.env)
    assert "account 'it'\\''s'" in found["hint"], found
    assert program.ok("key", "delete", "it's", env=desktop.env)["deleted"] is True
    assert desktop.lookup("it's") is None


def test_a_service_that_does_not_answer(work, desktop, stored):
    name = stored("hidden")
    key_stores.keep_in_kernel(name, b"another one")
    desktop.service.send_signal(signal.SIGSTOP)
    for more in ([], ["--key-timeout", "1"]):
        done = program.run("key", "show", name, *more, env=desktop.env, timeout=60)
        assert done.exit == 3 and b"does not answer" in done.err and done.out == b"", done
        assert b"--keyring-backend" in done.err
    # Whoever waits can be stopped, and dies by that signal.
    process = program.start("key", "show", name, env=desktop.env)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=8)
    assert process.returncode == -signal.SIGINT and out == b"", (process.returncode, err)
    done = program.run("key", "show", name, "--keyring-backend", "kernel", env=desktop.env)
    assert done.out == b"another one\n"


def test_a_bus_without_the_service_is_no_store(stored):
    session = key_stores.Desktop(unlocked=None)
    try:
        name = stored("alone")
        found = program.ok("key", "generate", "--keyring", name, env=session.env)
        assert found["backend"] == "kernel"
        found = program.ok("key", "list", env=session.env)
        stores = {each["backend"]: each for each in found["stores"]}
        assert "no Secret Service answers" in stores["secret-service"]["obstacle"]
    finally:
        session.close()


@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "nonsense", "unix:abstract=none"])
def test_a_bus_that_is_not_there(work, stored, address):
    name = stored("bus")
    key_stores.keep_in_kernel(name, WORDS.encode())
    env = {"DBUS_SESSION_BUS_ADDRESS": address}
    # Its service may have another key of that name.
    for args in (["key", "show", name], ["key", "generate", "--keyring", name + " new"],
                 ["key", "show", name, "--keyring-backend", "secret-service"]):
        found = refuse(work, "no_key", *args, env=env)
        assert "DBUS_SESSION_BUS_ADDRESS" in found["message"], found
        assert "--keyring-backend" in found["hint"], found
    assert key_stores.kernel_key(name + " new") is None
    done = program.run("key", "show", name, "--keyring-backend", "kernel", env=env)
    assert done.out == WORDS.encode() + b"\n"
    assert program.run("key", "show", name, env={}).out == WORDS.encode() + b"\n"
    assert name in program.ok("key", "list", env=env)["stores"][-1]["keys"]


@pytest.mark.parametrize("kind", ["missing", "file", "closed"])
def test_credentials_that_cannot_be_read_are_no_missing_key(work, tmp_path, stored, kind):
    name = stored("behind")
    # It is shown here, which an earlier test may have forbidden.
    program.forget_all()
    key_stores.keep_in_kernel(name, WORDS.encode())
    folder = tmp_path / "given"
    if kind == "file":
        folder.write_bytes(b"")
    elif kind == "closed":
        folder.mkdir(mode=0o000)
    user = 61235 if kind == "closed" else None
    env = {"CREDENTIALS_DIRECTORY": str(folder)}
    tmp_path.chmod(0o711)
    if user:
        program.run("key", "store", name, "--key-env", "K", user=user, env={"K": WORDS})
    done = program.run("key", "show", name, "--json", "--reveal", env=env, user=user)
    assert done.exit == 3 and "CREDENTIALS_DIRECTORY" in done.json["message"], done
    assert "--keyring-backend" in done.json["hint"], done
    done = program.run("key", "show", name, "--keyring-backend", "kernel", env=env, user=user)
    assert done.out == WORDS.encode() + b"\n", done
    if user:
        program.run("key", "delete", name, user=user)


# ---- which one it was ----------------------------------------------------------------------------


def test_a_wrong_key_is_called_by_its_store(work, source, credentials, stored):
    name = stored("both")
    peers.create_sealed(work / "app.db", "of the kernel", [], samples.fill)
    key_stores.keep_in_kernel(name, b"of the kernel")
    credentials(name, "of systemd")
    other = shutil.copy(work / "app.db", work / "b.db")
    for args in (["verify", work / "app.db"], ["inspect", work / "app.db"],
                 ["decrypt", work / "app.db", work / "out.db"], ["migrate", work / "app.db"],
                 ["verify", work / "app.db", other]):
        args += ["--keyring", name]
        done = program.run(args[0], "--json", *args[1:], env=credentials.env)
        found = done.objects[0]
        assert found["code"] == "wrong_key", done
        assert f"key {name} in the systemd credentials" in found["message"], found
        assert "there is a key of that name in the kernel keyring too" in found["hint"], found
        assert "--keyring-backend kernel" in found["hint"], found
        assert found["keyring"] == {"name": name, "backend": "credentials", "volatile": False}
        text = program.run(*args, env=credentials.env).text
        assert "in the systemd credentials" in text and "--keyring-backend kernel" in text, text
    # What is advised works, and says where the key was.
    args = ["verify", work / "app.db", "--keyring", name, "--keyring-backend", "kernel"]
    found = program.ok(*args, env=credentials.env)
    assert found["keyring"] == {"name": name, "backend": "kernel", "volatile": True}
    assert "keyring" not in program.ok("verify", work / "app.db", "--key-env", "K",
                                       env={"K": "of the kernel"})
    done = program.run(*args, "-v", env=credentials.env)
    assert f"used: key {name} in the kernel keyring".encode() in done.err, done
    assert b"kernel keyring" not in program.run(*args, env=credentials.env).err
    # Where no other store has one, none is named.
    key_stores.keep_in_kernel(name, b"another")
    found = refuse(work, "wrong_key", "verify", work / "app.db", "--keyring", name)
    assert f"key {name} in the kernel keyring" in found["message"], found
    assert "too" not in found["hint"].split() and "--keyring-backend" not in found["hint"], found


def test_the_other_database_s_key_by_its_store(work, sealed, credentials, keys, stored):
    name = stored("against")
    key_stores.keep_in_kernel(name, b"not this one")
    other = shutil.copy(sealed, work / "b.db")
    found = refuse(work, "wrong_key", "verify", sealed, "--key-file", keys.raw(), "--against", other,
                   "--against-keyring", name)
    assert f"key {name} in the kernel keyring" in found["message"], found


def test_a_new_key_that_a_reboot_loses_is_noted(work, source, keys, sealed, stored):
    name = stored("volatile")
    key_stores.keep_in_kernel(name, b"in memory only")
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    # An engine of before format 4 cannot create one.
    known = ["--format", "3"] if program.engine() < (4,) else []
    field = {"name": name, "backend": "kernel", "volatile": True}
    for args, key in (
            (["encrypt", source, work / "out.db", "--keyring", name], "keyring"),
            (["encrypt", source, work / "two.db", "--keyring", name, "--create"], "keyring"),
            (["rekey", sealed, work / "new.db", "--key-file", keys.raw(), "--new-keyring", name],
             "new_keyring"),
            (["migrate", "--schema", work / "m", "--create", work / "c.db", "--keyring", name, *known],
             "keyring")):
        done = program.run(*args, "--dry-run")
        assert done.exit == 0 and b"memory only" not in done.err, done
        done = program.run(*args, "--json")
        found = done.json[key]
        assert found.pop("created", False) is False and found == field, done
        assert f"dbseal key show --reveal --keyring-backend kernel {name}".encode() in done.err, done
        assert done.err.count(b"memory only") == 1
    # To read with it makes nothing depend on it.
    done = program.run("verify", work / "out.db", "--keyring", name)
    assert done.exit == 0 and b"memory only" not in done.err, done


def test_a_dry_run_sees_that_no_key_could_be_kept(work, source, desktop):
    program.ok("key", "generate", "--keyring", "first", env=desktop.env)
    desktop.lock()
    args = ["encrypt", source, work / "out.db", "--keyring", "second", "--create", "--dry-run"]
    assert "locked" in refuse(work, "no_key", *args, env=desktop.env)["message"]
    session = key_stores.Desktop(unlocked=False)
    try:
        assert "no keyring" in refuse(work, "no_key", *args, env=session.env)["message"]
    finally:
        session.close()


# ---- what is to be seen ------------------------------------------------------------------------


def test_a_key_is_nowhere_to_be_seen(work, source, desktop, keys):
    """Every system call of the run: arguments, environments and file names of it and its children."""
    trace = keys.folder / "trace"
    program.remember(WORDS)
    command = [
        "strace", "-f", "-s", "9999", "-e", "trace=execve,openat,open,creat,rename,unlink", "-o",
        str(trace), str(program.BIN)]
    inner = {**desktop.full, "K": WORDS}
    for args in (["key", "store", "app", "--key-env", "K"],
                 ["encrypt", str(source), str(work / "out.db"), "--kdf-iter", "10", "--keyring",
                  "app"],
                 ["key", "store", "-f", "app", "--key-command", "printf %s other-words-here"]):
        done = subprocess.run(command + args, capture_output=True, env=inner)
        assert done.returncode == 0, done
        program.no_secret(done.stdout, done.stderr)
        lines = [line for line in trace.read_bytes().splitlines() if b"execve" not in line
                 or b"/dbseal" not in line.split(b"execve")[1][:200]]
        program.no_secret(*lines)
    files = [path for path in desktop.folder.rglob("*") if path.is_file()]
    assert files, "the keyring is on the disk"
    program.no_secret(*[path.read_bytes() for path in files])


def test_a_key_that_waits_is_not_in_the_arguments_or_the_environment(work, source, stored):
    name = stored("waits")
    program.remember(WORDS)
    key_stores.keep_in_kernel(name, WORDS.encode())
    process = program.start("encrypt", source, work / "out.db", "--kdf-iter", "3000000",
                            "--keyring", name)
    time.sleep(0.3)
    for part in ("cmdline", "environ"):
        with open(f"/proc/{process.pid}/{part}", "rb") as file:
            program.no_secret(file.read())
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def test_the_copy_that_is_advised_is_of_the_key_that_would_be_lost(credentials, stored):
    """A key of systemd's by the same name is the one that is found without the store's name."""
    name = stored("two places")
    program.ok("key", "store", name, "--key-env", "K", env={"K": "of the kernel"})
    credentials(name, "of systemd")
    found = program.run("key", "store", "--json", name, "--key-env", "K", "--keyring-backend",
                        "kernel", env={**credentials.env, "K": "another"})
    assert found.exit == 7, found
    advice = re.search(r"\(dbseal (key show .*)\)", found.json["hint"]).group(1)
    shown = program.run(*shlex.split(advice), env=credentials.env)
    assert shown.out == key_stores.kernel_key(name) + b"\n" == b"of the kernel\n"
