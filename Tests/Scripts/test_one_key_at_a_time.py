# Plan: of processes of one user that make or change a key of one name, each takes its turn, whatever their
# surroundings say; what the store holds at the end opens every database that was said to be encrypted.
# - $HOME of three kinds and none at once (services have none), in the kernel's keyring and the Secret
#   Service: encrypt --create, key generate, key store; the judges are keyctl, secret-tool and SQLCipher;
# - the turn is waited for, held as the file and as the socket;
# - another user who holds the socket's name cannot pass for the user, and stops only who has no folder
#   of his own, in a sentence that names him;
# - a key that another process replaced or removed during the work, whether the run made it, found it, or
#   gives it to a database as the new one: no output, that key is left, the database is as it was.
import fcntl
import os
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import key_stores, peers, program, samples, shim
from support.files import Snapshot
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
NEW = "x'" + "d4c3b2a1" * 8 + "'"
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")


def kept_by(kind, desktop):
    return desktop.lookup if kind == "secret-service" else key_stores.kernel_key


@pytest.fixture(params=["kernel", "secret-service"])
def places(request, desktop, tmp_path):
    """Runs dbseal as the processes of one user do who have one store and not one $HOME."""
    homes = [tmp_path / "one", tmp_path / "two", "/", None]
    for home in homes[:2]:
        home.mkdir()

    def at_once(lines):
        def run(index):
            home = homes[index % len(homes)]
            env = {**program.clean_env(), **desktop.env, "K": f"words of {index}"}
            env.pop("HOME")
            if home:
                env["HOME"] = str(home)
            return subprocess.run(
                [program.BIN, *map(str, lines[index]), "--keyring-backend", request.param],
                capture_output=True, env=env)

        with ThreadPoolExecutor(len(lines)) as pool:
            return list(pool.map(run, range(len(lines))))

    at_once.kept = kept_by(request.param, desktop)
    return at_once


def test_databases_of_many_homes_have_one_key(work, source, stored, places):
    name = stored("homes")
    done = places([["encrypt", "--keyring", name, "--create", source, work / f"{number}.db"]
                   for number in range(8)])
    assert [each.returncode for each in done] == [0] * 8, done
    assert sum(b"was made" in each.stderr for each in done) == 1, done
    key = places.kept(name).decode()
    program.remember(key)
    for number in range(8):
        peers.sound(peers.sealed(work / f"{number}.db", key))


def test_keys_of_many_homes_are_one(stored, places):
    name = stored("made")
    done = places([["key", "generate", "--keyring", name]] * 8)
    assert sorted(each.returncode for each in done) == [0] + [7] * 7, done
    name = stored("kept")
    done = places([["key", "store", name, "--key-env", "K"]] * 8)
    assert sorted(each.returncode for each in done) == [0] + [7] * 7, done
    winner = [each.returncode for each in done].index(0)
    assert places.kept(name) == f"words of {winner}".encode()


# ---- the lock ----------------------------------------------------------------------------------


def hold_file():
    user = os.getuid()
    path = "/run/dbseal-key.lock" if user == 0 else f"/run/user/{user}/dbseal-key.lock"
    held = open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "w")
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


def hold_memory(user=None):
    path = f"/dev/shm/dbseal-key-{os.getuid() if user is None else user}.lock"
    if user is not None and os.path.exists(path):
        # Nobody opens another's file there to make it, root neither.
        os.remove(path)
    held = open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "w")
    if user is not None:
        os.chown(path, user, user)
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


def hold_name():
    held = socket.socket(socket.AF_UNIX)
    held.bind(f"\0dbseal-key-{os.getuid()}")
    held.listen()
    return held


@pytest.mark.parametrize("hold", [hold_file, hold_memory, hold_name])
def test_a_turn_is_waited_for(work, source, stored, hold):
    if hold is hold_file and os.getuid() and not os.path.isdir(f"/run/user/{os.getuid()}"):
        pytest.skip("this user has no folder for a file")
    name = stored("race")
    held = hold()
    running = [
        program.start("encrypt", source, work / "out.db", "--keyring", name, "--create"),
        program.start("key", "generate", "--keyring", name)]
    time.sleep(0.5)
    assert all(process.poll() is None for process in running)
    assert key_stores.kernel_key(name) is None
    # What another process made meanwhile is the key.
    key_stores.keep_in_kernel(name, RAW.encode())
    held.close()
    for process, status in zip(running, (0, 7)):
        assert process.communicate(timeout=30) and process.returncode == status
    assert key_stores.kernel_key(name) == RAW.encode()
    peers.sound(peers.sealed(work / "out.db", RAW))


@root_only
def test_services_of_two_networks_take_turns(stored):
    """A socket's name is known in one network namespace only, and system users have no folder of their own."""
    name = stored("network")
    held = hold_memory(61235)
    running = subprocess.Popen(
        ["unshare", "-n", "setpriv", "--reuid=61235", "--regid=61235", "--clear-groups", program.BIN, "key",
         "generate", "--keyring", name, "--keyring-backend", "kernel"], env=program.clean_env(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    assert running.poll() is None
    held.close()
    assert running.communicate(timeout=30) and running.returncode == 0
    program.ok("key", "delete", name, "--keyring-backend", "kernel", user=61235)


def listens(held, name):
    held.listen(0)


def is_silent(held, name):
    pass


def is_full(held, name):
    held.listen(0)
    first = socket.socket(socket.AF_UNIX)
    first.connect(name)
    return first


class Holder:
    """Another user's process that has a socket of the name of `user`'s lock."""

    def __init__(self, user, then):
        ready, done = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                os.setgroups([])
                os.setgid(61236)
                os.setuid(61236)
                held, name = socket.socket(socket.AF_UNIX), f"\0dbseal-key-{user}"
                held.bind(name)
                kept = then(held, name)
                os.write(done, b"!" if kept is None or kept else b"?")
                time.sleep(120)
            finally:
                os._exit(1)
        os.close(done)
        assert os.read(ready, 1) == b"!"
        os.close(ready)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


@root_only
@pytest.mark.parametrize("then", [listens, is_silent, is_full])
def test_another_user_cannot_hold_the_lock(work, stored, then):
    name = stored("hostage")
    with Holder(0, then), Holder(61235, then):
        program.ok("key", "generate", "--keyring", name)
        program.ok("key", "delete", name)
        # A system user has one file, whose place others may take as well: it is said who is in the way.
        hold_memory(61236).close()
        os.replace("/dev/shm/dbseal-key-61236.lock", "/dev/shm/dbseal-key-61235.lock")
        found = refuse(work, "no_key", "key", "generate", "--keyring", name, user=61235)
        os.remove("/dev/shm/dbseal-key-61235.lock")
        who = "user 61236" if then is listens else "another user"
        assert who in found["message"] and "@dbseal-key-61235" in found["hint"], found
        program.ok("key", "generate", "--keyring", name, user=61235)
        program.ok("key", "delete", name, user=61235)
    program.ok("key", "generate", "--keyring", name, user=61235)
    program.ok("key", "delete", name, user=61235)


# ---- a key that changes during the work --------------------------------------------------------


SEALING = {
    "made": "encrypt --create --keyring {name} plain.db out.db",
    "made, in place": "encrypt --create --keyring {name} --in-place plain.db",
    "there": "encrypt --keyring {name} plain.db out.db",
    "there, in place": "encrypt --keyring {name} --in-place plain.db",
    "a new one": "rekey --kdf-iter 10 --source-kdf-iter 10 --key-file {old} --new-keyring {name} sealed.db",
    "a new one, to a target":
        "rekey --kdf-iter 10 --source-kdf-iter 10 --key-file {old} --new-keyring {name} sealed.db out.db",
    # An engine of before format 4 cannot create one.
    "of a new database": "migrate --schema sql --create --keyring {name} out.db"
                         + (" --format 3" if program.engine() < (4,) else ""),
}


@pytest.mark.parametrize("now", [RAW.encode(), None])
@pytest.mark.parametrize("way", SEALING)
def test_a_key_that_changes_during_the_work(work, source, stored, keys, tmp_path, way, now):
    name = stored("meanwhile")
    if not way.startswith("made"):
        key_stores.keep_in_kernel(name, NEW.encode())
    peers.create_sealed(work / "sealed.db", "old words", [("kdf_iter", 10)], samples.fill)
    (work / "sql").mkdir()
    (work / "sql" / "1_a.sql").write_text("CREATE TABLE a(b);")
    (tmp_path / "now").write_bytes(now or b"")
    found = f"$(keyctl search @u user dbseal:{name})"
    change = f"!keyctl pupdate {found} <{tmp_path}/now" if now else f"!keyctl unlink {found} @u >/dev/null"
    before = Snapshot(work)
    words = SEALING[way].format(name=name, old=keys.file("old words")).split()
    done, events = shim.run(work, tmp_path / "record", *words, "--keyring-backend", "kernel",
                            call="sync", at=1, do=change, cwd=work)
    assert [event for event in events if event.call == "sync"], done
    assert done.exit == 3, done
    assert (b"another key" if now else b"no key of that name") in done.err, done
    assert key_stores.kernel_key(name) == now
    before.unchanged()
