# Hosts for tests: an OpenSSH server of its own on addresses of this machine, each of which leads to a
# folder of its own, and a watch over what every process was called with.
import os
import shlex
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from support import program


def free_port(addresses):
    """A port that is free on all of them."""
    while True:
        with socket.socket() as first:
            first.bind((addresses[0], 0))
            port = first.getsockname()[1]
        try:
            for address in addresses:
                with socket.socket() as other:
                    other.bind((address, port))
            return port
        except OSError:
            continue


class Fleet:
    """Hosts called web1, web2 and so on; `down` are names that nobody answers to."""

    def __init__(self, folder, count=2, down=("web3",)):
        self.folder = folder
        folder.mkdir(mode=0o700)
        self.names = [f"web{number}" for number in range(1, count + 1)]
        self.down = list(down)
        addresses = {name: f"127.0.0.{number}"
                     for number, name in enumerate(self.names + self.down, 2)}
        self.port = free_port([addresses[name] for name in self.names])
        for name in ("server", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name],
                           check=True)
        host_key = " ".join((folder / "server.pub").read_text().split()[:2])
        (folder / "known_hosts").write_text("".join(
            f"[{address}]:{self.port} {host_key}\n" for address in addresses.values()))
        self._client(addresses)
        self._server(addresses)

    def home(self, name):
        return self.folder / "homes" / name

    def _client(self, addresses):
        lines = [f"Host {name}\n  HostName {address}\n" for name, address in addresses.items()]
        (self.folder / "ssh_config").write_text("".join(lines) + f"""Host *
  Port {self.port}
  IdentityFile {self.folder}/client
  IdentitiesOnly yes
  UserKnownHostsFile {self.folder}/known_hosts
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  LogLevel ERROR
""")
        # `ssh` of the recipes, with this configuration in the place of the user's.
        path = self.folder / "bin"
        path.mkdir()
        (path / "ssh").write_text(
            f'#!/bin/sh\nexec /usr/bin/ssh -F {shlex.quote(str(self.folder))}/ssh_config "$@"\n')
        (path / "ssh").chmod(0o755)
        (path / "dbseal").symlink_to(program.BIN)

    def _server(self, addresses):
        matches = ""
        for name in self.names:
            home = self.home(name)
            home.mkdir(parents=True)
            enter = self.folder / f"enter-{name}"
            enter.write_text(
                f"#!/bin/sh\ncd {home} && exec env -i HOME={home} PATH={self.folder}/bin:/usr/bin:/bin"
                ' sh -c "$SSH_ORIGINAL_COMMAND"\n')
            enter.chmod(0o755)
            matches += f"Match LocalAddress {addresses[name]}\n  ForceCommand {enter}\n"
        listen = "".join(f"ListenAddress {addresses[name]}:{self.port}\n" for name in self.names)
        config = self.folder / "sshd_config"
        config.write_text(f"""{listen}HostKey {self.folder}/server
AuthorizedKeysFile {self.folder}/client.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
Subsystem sftp internal-sftp
{matches}""")
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.log = open(self.folder / "sshd.log", "wb")
        self.process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-e", "-f", config], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, start_new_session=True)
        for name in self.names:
            end = time.monotonic() + 30
            while True:
                try:
                    socket.create_connection((addresses[name], self.port), 1).close()
                    break
                except OSError:
                    assert time.monotonic() < end and self.process.poll() is None, (
                        (self.folder / "sshd.log").read_text())
                    time.sleep(0.05)

    def environment(self, **more):
        return program.clean_env({
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder),
            **{name: str(value) for name, value in more.items()}})

    def run(self, words, cwd, **more):
        """Runs a program that uses ssh; its output has no key in it."""
        done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True,
                              env=self.environment(**more), timeout=300, stdin=subprocess.DEVNULL)
        program.no_secret(done.stdout, done.stderr)
        return done

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.process.wait(30)
        self.log.close()


class Watch:
    """Looks at arguments and environment of all processes, again and again, for texts that must be
    nowhere. Used as a context."""

    def __init__(self, *secrets):
        self.secrets = [secret.encode() if isinstance(secret, str) else secret
                        for secret in secrets]
        self.found, self.seen = [], set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _look(self):
        own = str(os.getpid())
        while not self._stop.wait(0.01):
            for name in os.listdir("/proc"):
                if not name.isdigit() or name == own:
                    continue
                for kind in ("cmdline", "environ"):
                    try:
                        data = Path(f"/proc/{name}/{kind}").read_bytes()
                    except OSError:
                        continue
                    if kind == "cmdline":
                        words = data.decode(errors="replace").split("\0")[:2]
                        self.seen.update(map(os.path.basename, words))
                    for secret in self.secrets:
                        if secret in data:
                            self.found.append((kind, data))
