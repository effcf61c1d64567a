# Plan: the recipes of Docs/key.md work as they stand there, each with the real program: pass, gpg, age,
# secret-tool, systemd-creds and keyctl. A program that fails is a key source that failed.
# - the unit file is one, by systemd-analyze, and its commands run with a folder of credentials as systemd
#   makes it (no service manager runs where these tests do);
# - of op and vault, which no Debian package has, only that they get their words as they are written.
import os
import re
import subprocess

import pytest

from support import peers, program, samples
from support.files import Snapshot
from support.refusal import refuse

WORDS = "a key that others keep"
RECIPES = re.findall(
    r"--key-command '([^']+)'", (program.ROOT / "Docs/key.md").read_text())


def recipe(program_name):
    """The line of the documentation for a program."""
    lines = [line.replace("\\|", "|") for line in RECIPES]
    found = [line for line in lines if line.split()[0] == program_name]
    assert len(found) == 1, (program_name, RECIPES)
    return found[0]


def run(*args, data=None, **env):
    return subprocess.run(args, input=data, check=True, capture_output=True,
                          env={**program.clean_env(), **env}).stdout


def opens(work, source, line, **env):
    program.remember(WORDS)
    program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-command", line,
               env=env, cwd=work.parent)
    peers.sound(peers.sealed(work / "out.db", WORDS, [("kdf_iter", 10)]))
    os.remove(work / "out.db")


def fails(work, source, line, **env):
    """What is said where the program gives no key; its own words are passed on."""
    before = Snapshot(work)
    done = program.run("encrypt", source, work / "out.db", "--key-command", line, env=env,
                       cwd=work.parent)
    before.unchanged()
    assert done.exit == 3 and done.out == b"", done
    return done.err.decode()


@pytest.fixture
def gpg(tmp_path):
    """A home of GnuPG with one key without a passphrase."""
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "tester@example.org", "default",
        "default", "never", GNUPGHOME=str(home))
    yield {"GNUPGHOME": str(home)}
    run("gpgconf", "--kill", "all", GNUPGHOME=str(home))


def test_gpg(work, source, gpg):
    data = run("gpg", "--batch", "-e", "-r", "tester@example.org", data=WORDS.encode() + b"\n",
               **gpg)
    (work.parent / "app.key.gpg").write_bytes(data)
    opens(work, source, recipe("gpg"), **gpg)
    (work.parent / "app.key.gpg").write_bytes(data[:-9])
    assert "--key-command: the command failed with status 2" in fails(work, source, recipe("gpg"), **gpg)


def test_pass(work, source, gpg, tmp_path):
    env = {**gpg, "PASSWORD_STORE_DIR": str(tmp_path / "store")}
    run("pass", "init", "tester@example.org", **env)
    run("pass", "insert", "-e", "app/db", data=WORDS.encode() + b"\n", **env)
    opens(work, source, recipe("pass"), **env)
    said = fails(work, source, "pass show no/such", **env)
    assert "the command failed with status 1" in said and "not in the password store" in said
    # An entry with more than the password is no key: the first line alone has to be asked for.
    run("pass", "insert", "-m", "-f", "app/db", data=WORDS.encode() + b"\nuser: me\n", **env)
    assert "more than one line" in fails(work, source, recipe("pass"), **env)
    opens(work, source, recipe("sh"), **env)


def test_age(work, source, tmp_path):
    run("age-keygen", "-o", str(tmp_path / "me.txt"))
    public = run("age-keygen", "-y", str(tmp_path / "me.txt")).decode().strip()
    (tmp_path / "app.key.age").write_bytes(
        run("age", "-r", public, data=WORDS.encode() + b"\n"))
    opens(work, source, recipe("age"))


def test_secret_tool(work, source, desktop):
    subprocess.run(["secret-tool", "store", "--label=x", "app", "db"], input=WORDS.encode(),
                   check=True, env=desktop.full)
    opens(work, source, recipe("secret-tool"), **desktop.env)


def test_systemd_creds(work, source, tmp_path):
    # With the null key, so that no key of this machine is made.
    words = subprocess.run(["systemd-creds", "encrypt", "--help"], capture_output=True).stdout
    null = "tpm2-absent" if b"tpm2-absent" in words else "null"
    run("systemd-creds", "encrypt", f"--with-key={null}", "--name=app.key", "-",
        str(tmp_path / "app.key.cred"), data=WORDS.encode())
    opens(work, source, recipe("systemd-creds"))


def test_keyctl(work, source, stored):
    number = run("keyctl", "padd", "user", f"dbseal:{stored('other')}", "@u",
                 data=WORDS.encode()).decode().strip()
    opens(work, source, recipe("keyctl").replace("%user:app", number))


def test_the_unit_file(work, sealed, tmp_path):
    page = (program.ROOT / "Docs/key.md").read_text()
    unit = re.search(r"(?m)^    (\[Service\]\n(?:    .+\n)+)", page).group(1)
    unit = unit.replace("\n    ", "\n")
    path = tmp_path / "app.service"
    path.write_text(unit.replace("=dbseal ", f"={program.BIN} ") + "ExecStart=/bin/true\n")
    done = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done
    # What is made by the line below the unit, decrypted to where LoadCredentialEncrypted= puts it.
    make = re.search(r"`(dbseal key generate \| systemd-creds encrypt) (.+) - (\S+)`", page)
    name, = re.findall(r"LoadCredentialEncrypted=([^:]+):" + re.escape(make.group(3)), unit)
    assert f"--name={name}" in make.group(2)
    key = program.run("key", "generate", "-q").out
    program.remember(key.strip())
    null = "tpm2-absent" if b"tpm2-absent" in subprocess.run(
        ["systemd-creds", "encrypt", "--help"], capture_output=True).stdout else "null"
    sealed_key = run("systemd-creds", "encrypt", f"--with-key={null}", f"--name={name}", "-", "-",
                     data=key)
    folder = tmp_path / "credentials"
    folder.mkdir(mode=0o700)
    (folder / name).write_bytes(run("systemd-creds", "decrypt", f"--name={name}", "-", "-",
                                    data=sealed_key))
    (folder / name).chmod(0o400)
    env = {"CREDENTIALS_DIRECTORY": str(folder)}
    # The judge of the folder is systemd's own program.
    assert run("systemd-creds", "cat", name, **env) == key
    peers.create_sealed(work / "app.db", key.decode().strip(), [], samples.fill)
    command = re.search(r"ExecStartPre=dbseal (.+) /var/lib/app/app.db", unit).group(1).split()
    done = program.run(*command, work / "app.db", env=env)
    assert done.exit == 0, done
    refuse(work, "wrong_key", *command, sealed, env=env)
    os.remove(folder / name)
    refuse(work, "no_key", *command, work / "app.db", env=env)


@pytest.mark.parametrize("name, words", [
    ("op", ["read", "op://vault/app/key"]),
    ("vault", ["kv", "get", "-mount=secret", "-field=key", "app"])])
def test_words_of_programs_that_are_not_here(work, source, tmp_path, name, words):
    line, = re.findall(rf"`({name} [^`]+)`", (program.ROOT / "Docs/key.md").read_text())
    stand_in = tmp_path / name
    stand_in.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{tmp_path}/words'\n"
                        f"printf '%s' '{WORDS}'\n")
    stand_in.chmod(0o700)
    opens(work, source, line, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (tmp_path / "words").read_text().splitlines() == words
