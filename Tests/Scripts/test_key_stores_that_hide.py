# Plan: a service that shows nothing while it is locked (KeePassXC) loses no key and is not said to have
# none; one that is there and fails is not one that is not there. The service is a script of ours; the
# judges are its own list of items and, for what is shown in spite of the lock, GNOME Keyring.
# - a locked one, whose dialog is closed: no command says that there is no such key, makes one, puts
#   another in its place, deletes or takes the kernel's;
# - the same where its search opens the dialog, and one dialog is enough;
# - unlocked in the dialog: the key that was hidden is found, and one that is new is made beside it;
# - what shows its items while it is locked is asked nothing for a name that it does not have;
# - a list of keys opens no dialog;
# - an item that others make in the same moment stays, and ours is not there;
# - a session that cannot be opened, a search that fails, a dialog that nobody answers: an end of the search;
# - slow ones: a search that takes longer than the bus would wait by itself.
from pathlib import Path

import pytest

from support import key_stores, peers, program
from support.refusal import refuse

HIDDEN = "x'" + "5e" * 32 + "'"


@pytest.fixture
def service():
    session = key_stores.Scripted()
    yield session
    session.close()


def item(name, secret):
    return {"attributes": {"service": "dbseal", "account": name,
                           "xdg:schema": "org.freedesktop.Secret.Generic"}, "secret": secret}


def commands(name, work, source):
    return {
        "show": ["key", "show", name], "generate": ["key", "generate", "--keyring", name],
        "store": ["key", "store", name, "--key-env", "K"],
        "force": ["key", "store", "--force", name, "--key-env", "K"],
        "delete": ["key", "delete", name],
        "encrypt": ["encrypt", source, work / "out.db", "--keyring", name],
        "create": ["encrypt", source, work / "out.db", "--keyring", name, "--create"]}


COMMANDS = list(commands("", Path(), ""))


@pytest.mark.parametrize("search_asks", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_locked_service_that_hides_its_keys(work, source, service, stored, command, search_asks):
    name = stored("hidden")
    key_stores.keep_in_kernel(name, b"another one")
    service.set(locked=True, items=[item(name, HIDDEN)], search_asks=search_asks)
    env = {**service.env, "K": "words"}
    # Closed once, and there is nobody who would unlock another one: but were there a second dialog,
    # what was hidden would be there then, and a new key in its place.
    service.set(answers=["close", "unlock"])
    done = program.run(*commands(name, work, source)[command], env=env)
    assert done.exit == 3 and b"locked" in done.err, done
    assert service.dialogs() == 1, service.state
    service.set(answers=[])
    found = refuse(work, "no_key", *commands(name, work, source)[command], env=env)
    assert "locked" in found["message"], found
    assert service.secrets(name) == [HIDDEN]
    assert key_stores.kernel_key(name) == b"another one"


@pytest.mark.parametrize("search_asks", [False, True])
def test_what_was_hidden_is_found_once_it_is_unlocked(work, source, service, search_asks):
    def hide():
        service.set(locked=True, answers=["unlock"], search_asks=search_asks)

    service.set(items=[item("app", HIDDEN)])
    env = {**service.env, "K": "words"}
    hide()
    assert program.run("key", "show", "app", env=env).out == HIDDEN.encode() + b"\n"
    assert service.dialogs() == 1
    for command, options in (("generate", ["--keyring", "app"]),
                             ("store", ["app", "--key-env", "K"])):
        hide()
        assert program.run("key", command, *options, env=env).exit == 7
        assert service.dialogs() == 1 and service.secrets("app") == [HIDDEN]
    hide()
    found = program.ok("encrypt", source, work / "out.db", "--keyring", "app", "--create", env=env)
    assert found["keyring"]["created"] is False and service.secrets("app") == [HIDDEN]
    peers.sound(peers.sealed(work / "out.db", HIDDEN))
    # A name that is not there gets a key, once that is known.
    hide()
    program.ok("key", "generate", "--keyring", "new", env=env)
    made, = service.secrets("new")
    assert service.dialogs() == 1 and service.lookup("new") == made.encode() != HIDDEN.encode()
    hide()
    found = program.ok("key", "store", "--force", "app", "--key-env", "K", env=env)
    assert found["replaced"] is True and service.secrets("app") == ["words"]
    hide()
    assert program.ok("key", "delete", "app", env=env)["deleted"] is True
    assert service.secrets("app") == [] and service.secrets("new") == [made]
    hide()
    assert refuse(work, "no_key", "key", "show", "app", env=env)["message"].startswith(
        "key app: no key of that name in the Secret Service")


def test_what_shows_its_keys_while_it_is_locked_is_asked_nothing(work, service, stored):
    name = stored("elsewhere")
    key_stores.keep_in_kernel(name, b"of the kernel")
    service.set(locked=True, shows=True, items=[item("app", HIDDEN)])
    assert program.run("key", "show", name, env=service.env).out == b"of the kernel\n"
    assert program.run("key", "show", "nowhere", env=service.env).exit == 3
    assert service.dialogs() == 0
    # What is there needs the password, and so does a new key.
    refuse(work, "no_key", "key", "show", "app", env=service.env)
    refuse(work, "no_key", "key", "generate", "--keyring", "new", env=service.env)
    assert service.dialogs() == 4
    service.set(answers=["unlock"])
    program.ok("key", "generate", "--keyring", "new", env=service.env)
    assert service.dialogs() == 1 and len(service.secrets("new")) == 1


def test_a_locked_gnome_keyring_says_what_it_does_not_have(work, desktop, stored):
    name = stored("kernel's")
    key_stores.keep_in_kernel(name, b"of the kernel")
    program.ok("key", "generate", "--keyring", "app", env=desktop.env)
    for again in (False, True):
        if again:
            desktop.stop()
            desktop.start(unlocked=False)
        else:
            desktop.lock()
        assert program.run("key", "show", name, env=desktop.env).out == b"of the kernel\n"
        found = refuse(work, "no_key", "key", "show", "nowhere", env=desktop.env)
        assert "no key of that name" in found["message"], found
        assert "locked" in refuse(work, "no_key", "key", "show", "app", env=desktop.env)["message"]


@pytest.mark.parametrize("search_asks", [False, True])
def test_a_list_opens_no_dialog(service, search_asks):
    service.set(locked=True, items=[item("app", HIDDEN)], search_asks=search_asks)
    found = program.ok("key", "list", env=service.env)
    listed = {each["backend"]: each for each in found["stores"]}["secret-service"]
    assert (listed["keys"], listed["locked"], service.dialogs()) == (None, True, 0)
    service.set(locked=False)
    found = program.ok("key", "list", env=service.env)
    listed = {each["backend"]: each for each in found["stores"]}["secret-service"]
    assert (listed["keys"], listed["locked"]) == (["app"], False)


@pytest.mark.parametrize("command", ["generate", "store", "create"])
def test_a_key_that_others_make_in_the_same_moment_stays(work, source, service, command):
    service.set(meanwhile=["another's"])
    args = commands("app", work, source)[command]
    done = program.run(*args, env={**service.env, "K": "words"})
    assert done.exit == 3 and b"in the meantime" in done.err, done
    assert service.secrets("app") == ["another's"]
    assert not (work / "out.db").exists()


FAILURES = {
    "session": ({"session": "createDLGroup failed: maybe libqca-ossl is missing"}, "libqca-ossl"),
    "denied": ({"search": "org.freedesktop.DBus.Error.AccessDenied"}, "words of the service"),
    "late": ({"search": "org.freedesktop.DBus.Error.TimedOut"}, "did not answer within")}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_service_that_is_there_and_fails(work, source, service, stored, command, failure):
    name = stored("fails")
    if command == "show":
        key_stores.keep_in_kernel(name, b"another one")
    state, words = FAILURES[failure]
    service.set(**state)
    found = refuse(work, "no_key", *commands(name, work, source)[command],
                   env={**service.env, "K": "words"})
    assert words in found["message"], found
    assert key_stores.kernel_key(name) == (b"another one" if command == "show" else None)
    # One that is not meant is not asked.
    program.ok("key", "generate", "--keyring", stored("meant"), "--keyring-backend", "kernel",
               env=service.env)


def test_a_dialog_that_nobody_answers(work, service):
    service.set(locked=True, items=[item("app", HIDDEN)], answers=["wait"] * 2)
    found = refuse(work, "no_key", "key", "generate", "--keyring", "app", "--key-timeout", "1",
                   env=service.env)
    assert "did not answer within 1 second" in found["message"], found
    assert "--key-timeout" in found["hint"] and service.secrets("app") == [HIDDEN]


@pytest.mark.slow
def test_a_service_that_takes_longer_than_the_bus_waits_by_itself(service):
    service.set(items=[item("app", HIDDEN)], search_takes=27)
    done = program.run("key", "show", "app", "--key-timeout", "60", env=service.env, timeout=60)
    assert done.out == HIDDEN.encode() + b"\n", done
