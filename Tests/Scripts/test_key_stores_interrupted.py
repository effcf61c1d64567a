# Plan: who gives a key store up is told what became of the key, and the store stays whole. The service is
# a script of ours, which changes first and answers later; the judge is its own list of items.
# - SIGINT and SIGTERM between a change and its answer: the answer is waited for, and what was done is said,
#   with 0, or what --create made, beside the signal;
# - no answer for long, by a signal or --key-timeout: 3, and it is said that nobody knows;
# - before a change: the process dies of the signal, and nothing is changed later either;
# - a dialog is left to the service: none is dismissed (at which GNOME Keyring 42 ends), nothing of GLib's
#   is printed;
# - a bus that is there and answers nobody, a service that cannot be started:
#   the end of the search, no key in the next store; a bus that is gone: that store is not here.
import json
import signal
import socket
import time

import pytest

from support import key_stores, peers, program
from support.refusal import refuse

OLD = "x'" + "5e" * 32 + "'"
SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture
def service():
    session = key_stores.Scripted()
    yield session
    session.close()


def item(name, secret=OLD):
    return {"attributes": {"service": "dbseal", "account": name,
                           "xdg:schema": "org.freedesktop.Secret.Generic"}, "secret": secret}


def wait(service, what):
    end = time.monotonic() + 20
    while not service.state.get(what):
        assert time.monotonic() < end, service.state
        time.sleep(0.01)


COMMANDS = {
    "store": (["key", "store", "--force", "app", "--key-env", "K"], "replaced"),
    "new": (["key", "store", "other", "--key-env", "K"], "stored"),
    "generate": (["key", "generate", "--keyring", "other"], "made"),
    "delete": (["key", "delete", "app"], "deleted"),
}


def changed(service, command):
    """What the command was to do is done."""
    return {"store": service.secrets("app") == ["words"], "new": service.secrets("other") == ["words"],
            "generate": len(service.secrets("other")) == 1, "delete": service.secrets("app") == []}[command]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_change_that_was_begun_is_finished_and_told(service, command, number):
    args, word = COMMANDS[command]
    service.set(items=[item("app")], change_takes=0.6)
    process = program.start(*args, "--json", env={**service.env, "K": "words"})
    wait(service, "changes")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and word in json.loads(out)["message"], (out, err)
    assert changed(service, command), service.state


@pytest.mark.parametrize("number", SIGNALS)
def test_a_key_that_was_made_is_told(work, source, service, number):
    service.set(items=[], change_takes=2)
    process = program.start("encrypt", "--create", "--keyring", "app", source, work / "out.db",
                            env=service.env)
    wait(service, "changes")
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -number, err
    assert b"key app was made in the Secret Service" in err and not (work / "out.db").exists()
    assert len(service.secrets("app")) == 1


@pytest.mark.parametrize("command", ["store", "delete"])
@pytest.mark.parametrize("by", ["signal", "time"])
def test_a_change_without_an_answer_is_told(service, command, by):
    service.set(items=[item("app")], change_takes=20)
    more = ["--key-timeout", "1"] if by == "time" else []
    process = program.start(*COMMANDS[command][0], *more, env={**service.env, "K": "words"})
    wait(service, "changes")
    if by == "signal":
        process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 3 and b"did not say whether" in err and b"key list" in err, err
    assert b"nothing was changed" not in err, err


@pytest.mark.parametrize("command", ["store", "delete"])
def test_a_service_that_ends_during_a_change(service, command):
    service.set(items=[item("app")], change_takes=20)
    process = program.start(*COMMANDS[command][0], env={**service.env, "K": "words"})
    wait(service, "changes")
    service.service.kill()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 3 and b"did not say whether" in err, err


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("command", COMMANDS)
def test_before_a_change_nothing_is_changed(service, command, number):
    service.set(items=[item("app")], search_takes=1)
    process = program.start(*COMMANDS[command][0], env={**service.env, "K": "words"})
    wait(service, "searches")
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -number and b"nothing was changed" in err, err
    time.sleep(1.5)
    assert not service.state.get("changes") and not changed(service, command), service.state


@pytest.mark.parametrize("by", ["signal", "time"])
@pytest.mark.parametrize("command", ["generate", "store"])
def test_a_dialog_is_not_dismissed(service, command, by):
    service.set(items=[item("app")], locked=True, answers=["wait"])
    more = ["--key-timeout", "1"] if by == "time" else []
    env = {**service.env, "K": "words", "DISPLAY": ":99"}
    process = program.start(*COMMANDS[command][0], *more, env=env)
    wait(service, "dialogs")
    if by == "signal":
        process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == (3 if by == "time" else -signal.SIGTERM), err
    assert b"GLib" not in err and b"CRITICAL" not in err, err
    time.sleep(0.5)
    assert not service.state.get("dismissed") and not changed(service, command), service.state


# ---- what is there and fails -------------------------------------------------------------------


@pytest.mark.parametrize("starts", ["/bin/false", "/nothing/of/that/name"])
def test_a_service_that_cannot_be_started_ends_the_search(work, source, stored, starts):
    session, name = key_stores.Desktop(unlocked=None, starts=starts), stored("broken")
    try:
        # Another key, perhaps.
        key_stores.keep_in_kernel(name, OLD.encode())
        for args in (["encrypt", source, work / "out.db", "--create", "--keyring", name],
                     ["key", "show", name], ["key", "delete", name], ["key", "store", name, "--key-env", "K"]):
            found = refuse(work, "no_key", *args, env={**session.env, "K": "words"})
            assert "key store failed" in found["message"] and "--keyring-backend" in found["hint"], found
        assert key_stores.kernel_key(name) == OLD.encode()
        listed = program.ok("key", "list", env=session.env)
        obstacle = {each["backend"]: each["obstacle"] for each in listed["stores"]}
        assert obstacle["secret-service"] and obstacle["kernel"] is None, listed
    finally:
        session.close()


@pytest.fixture
def silent_bus(tmp_path):
    """A socket with as many callers as it takes, whom nobody answers."""
    held = socket.socket(socket.AF_UNIX)
    held.bind(str(tmp_path / "bus"))
    held.listen(0)
    callers = [held]
    while True:
        caller = socket.socket(socket.AF_UNIX)
        caller.setblocking(False)
        callers.append(caller)
        try:
            caller.connect(str(tmp_path / "bus"))
        except BlockingIOError:
            break
    yield {"XDG_RUNTIME_DIR": str(tmp_path)}
    for each in callers:
        each.close()


def test_a_bus_that_answers_nobody_ends_the_search(work, source, stored, silent_bus):
    name = stored("silent")
    found = refuse(work, "no_key", "encrypt", source, work / "out.db", "--create", "--keyring", name,
                   env=silent_bus)
    assert "key store failed" in found["message"], found
    assert key_stores.kernel_key(name) is None


def test_a_bus_that_is_gone_is_not_here(work, source, stored, tmp_path):
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(tmp_path / "bus"))
    name = stored("gone")
    program.ok("encrypt", source, work / "out.db", "--create", "--keyring", name,
               env={"XDG_RUNTIME_DIR": str(tmp_path)})
    peers.sound(peers.sealed(work / "out.db", key_stores.kernel_key(name).decode()))
