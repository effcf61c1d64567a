# The key stores of this machine, for tests: a desktop session of its own with a real GNOME Keyring on a
# private bus, or one with a service that does as KeePassXC does, and the kernel's keyring of the user, from
# which what a test made is removed. The judges are secret-tool and keyctl.
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support import program

# The system's, which has its modules.
PYTHON = "/usr/bin/python3"


def missing():
    """The programs that are not there, as sentences."""
    programs = ("dbus-daemon", "gnome-keyring-daemon", "secret-tool", "keyctl", "pass", "age", "gpg",
                "systemd-creds", "systemd-analyze", "strace", "zstd")
    sentences = [f"no {name}: run make peers" for name in programs if not shutil.which(name)]
    if subprocess.run([PYTHON, "-c", "import dbus, gi"], capture_output=True).returncode != 0:
        sentences.append(f"{PYTHON} has no modules dbus and gi: run make peers")
    return sentences


def kernel_key(name):
    """What keyctl says is kept under a name, or None."""
    found = subprocess.run(["keyctl", "search", "@u", "user", f"dbseal:{name}"],
                           capture_output=True, text=True)
    if found.returncode != 0:
        return None
    return subprocess.run(["keyctl", "pipe", found.stdout.strip()], capture_output=True,
                          check=True).stdout


def keep_in_kernel(name, data):
    """Puts a key into the kernel's keyring as another program would."""
    subprocess.run(["keyctl", "padd", "user", f"dbseal:{name}", "@u"], input=data, check=True,
                   capture_output=True)


def kernel_names():
    listed = subprocess.run(["keyctl", "rlist", "@u"], capture_output=True, text=True, check=True)
    names = []
    for number in listed.stdout.split():
        said = subprocess.run(["keyctl", "rdescribe", number], capture_output=True, text=True)
        if said.stdout.startswith("user;") and ";dbseal:" in said.stdout:
            names.append(said.stdout.strip().split(";dbseal:", 1)[1])
    return names


def strangers():
    """A sentence where the user has keys of dbseal in the kernel's keyring: examples of the documents, which
    are run, store and delete keys of such names. Nothing but another user has another keyring."""
    names = sorted(name for name in kernel_names() if not name.startswith("test-"))
    if not names:
        return []
    return [f"this user keeps keys of dbseal in the kernel's keyring ({', '.join(names)}), and the tests"
            " could change them: run the tests as another user, or remove those that an ended run left"]


def forget_in_kernel(names):
    for name in names:
        found = subprocess.run(["keyctl", "search", "@u", "user", f"dbseal:{name}"],
                               capture_output=True, text=True)
        if found.returncode == 0:
            subprocess.run(["keyctl", "unlink", found.stdout.strip(), "@u"], check=True,
                           capture_output=True)


class Desktop:
    """A session bus with GNOME Keyring on it, unlocked unless said otherwise, and no screen. `starts`: a
    program that the bus starts when somebody asks for the Secret Service."""

    def __init__(self, unlocked=True, starts=None):
        self.folder = Path(tempfile.mkdtemp(prefix="desk"))
        self.env = {"HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)}
        inner = {**program.clean_env(), **self.env}
        # A bus that starts nothing else by itself: what is on it is what the test put there.
        if starts:
            (self.folder / "org.freedesktop.secrets.service").write_text(
                f"[D-BUS Service]\nName=org.freedesktop.secrets\nExec={starts}\n")
        config = self.folder / "bus.conf"
        config.write_text(
            "<busconfig><type>session</type><listen>unix:dir=%s</listen><policy context='default'>"
            "<allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/>"
            "<allow own='*'/></policy>%s</busconfig>"
            % (self.folder, f"<servicedir>{self.folder}</servicedir>" if starts else ""))
        self.bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"], env=inner,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self.bus.stdout.readline().decode().strip()
        self.service = None
        if unlocked is not None:
            self.start(unlocked)

    def start(self, unlocked=True):
        """Starts the service and waits until it is on the bus."""
        options = ["--unlock"] if unlocked else []
        self.service = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", *options],
            env=self.full, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.service.stdin.write(b"the desktop's password" if unlocked else b"")
        self.service.stdin.close()
        self.wait()

    def wait(self):
        """Waits until the service is on the bus."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if "org.freedesktop.secrets" in self.call("org.freedesktop.DBus", "/",
                                                      "org.freedesktop.DBus.ListNames"):
                return
            time.sleep(0.05)
        raise AssertionError("the service did not come up")

    def stop(self):
        """Stops the service; what it keeps stays on the disk."""
        self.service.send_signal(signal.SIGCONT)
        self.service.terminate()
        self.service.wait(10)

    @property
    def full(self):
        return {**program.clean_env(), **self.env}

    def call(self, service, path, method, *arguments):
        done = subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--reply-timeout=2000", f"--dest={service}", path, method,
             *arguments], capture_output=True, text=True, env=self.full)
        return done.stdout

    def lock(self):
        """Locks the login keyring."""
        said = self.call(
            "org.freedesktop.secrets", "/org/freedesktop/secrets",
            "org.freedesktop.Secret.Service.Lock",
            "array:objpath:/org/freedesktop/secrets/collection/login")
        assert "collection/login" in said, said

    def lookup(self, name):
        """What secret-tool says is kept under a name, or None."""
        done = subprocess.run(["secret-tool", "lookup", "service", "dbseal", "account", name],
                              capture_output=True, env=self.full)
        return done.stdout if done.returncode == 0 else None

    def keep(self, name, data, **attributes):
        """Keeps a secret as another program would."""
        pairs = {"service": "dbseal", "account": name, **attributes}
        subprocess.run(["secret-tool", "store", "--label=a key",
                        *[word for pair in pairs.items() for word in pair]],
                       input=data, check=True, capture_output=True, env=self.full)

    def close(self):
        if self.service is not None and self.service.poll() is None:
            self.stop()
        self.bus.terminate()
        self.bus.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)


class Scripted(Desktop):
    """A session with a service that does what a file says: see secret_service.py."""

    def __init__(self):
        super().__init__(unlocked=None)
        self.script = self.folder / "state.json"
        self.set(locked=False, items=[])
        self.service = subprocess.Popen(
            [PYTHON, str(Path(__file__).with_name("secret_service.py")), str(self.script)],
            env=self.full, stdout=subprocess.DEVNULL)
        self.wait()

    @property
    def state(self):
        return json.loads(self.script.read_text())

    def set(self, **state):
        """What it is to do now; what is not said stays as it is."""
        before = self.state if self.script.exists() else {}
        new = self.script.with_suffix(".set")
        new.write_text(json.dumps({**before, "dialogs": 0, **state}))
        os.replace(new, self.script)

    def secrets(self, name):
        """What it holds under a name, locked or not."""
        return [item["secret"] for item in self.state["items"]
                if item["attributes"].get("account") == name]

    def dialogs(self):
        return self.state["dialogs"]
