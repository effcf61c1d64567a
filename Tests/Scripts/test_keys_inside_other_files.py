# Plan: what has the key in it is not sealed with as if it were the key, and the way out that is said leads
# to the key itself.
# - several lines (pass entries, apps' settings), from file, command and standard input: the first line,
#   never all bytes; other bytes than text still get --key-binary;
# - files that gpg and age encrypted, binary and as text, of any mode, as a key, a new key and a list: the
#   command that decrypts, which opens the database; --key-binary takes none, except for who sealed so and says
#   --passphrase, to open it;
# - JSON: refused in several lines, noted in one, and called JSON where it opens nothing.
import json
import os
import re
import shlex
import subprocess

import pytest

from support import peers, program, samples
from support.refusal import refuse

WORDS = "a key within something"
ENTRY = f"{WORDS}\nuser: me\nurl: https://example.org\n"
FAST = ["--kdf-iter", "10"]
IDENTITY = "IDENTITY"


@pytest.fixture
def database(work):
    program.remember(WORDS)
    return peers.create_sealed(work / "a.db", WORDS, [("kdf_iter", 10)], samples.fill)


def said_command(found, option="--key-command"):
    """The words behind the option in a hint, as a shell takes them."""
    line = found["hint"][found["hint"].index(option):]
    return shlex.split(line)[1]


def sealing(work, source, sealed, key, prefix, *options):
    """Command lines that seal with the key that the options name."""
    if prefix:
        return ["rekey", sealed, "--key-file", key, *options]
    return ["encrypt", source, work / "out.db", *options]


def test_the_first_line_of_a_file(work, source, database, keys):
    path = keys.file(ENTRY, "entry")
    found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file", path)
    assert "more than one line" in found["message"] and "binary" not in found["hint"], found
    assert said_command(found) == f"head -n 1 {path}", found
    program.ok("verify", database, *FAST, "--key-command", said_command(found))
    odd = keys.file(ENTRY, "an entry's")
    found = refuse(work, "no_key", "verify", database, "--key-file", odd)
    assert said_command(found) == "head -n 1 FILE", found


@pytest.mark.parametrize("prefix", ["", "new-"])
def test_the_first_line_of_a_command(work, source, database, keys, prefix):
    path, own = keys.file(ENTRY, "entry"), keys.file(WORDS, "own")
    line = f"cat {path}"
    args = sealing(work, source, database, own, prefix)
    found = refuse(work, "no_key", *args, f"--{prefix}key-command", line)
    assert "more than one line" in found["message"] and "binary" not in found["hint"], found
    command = said_command(found, f"--{prefix}key-command")
    assert command == "sh -c 'CMD | head -n 1'"
    program.ok("verify", database, *FAST, "--key-command", command.replace("CMD", line))
    found = refuse(work, "no_key", "verify", database, "--key-file", "-", stdin=ENTRY.encode())
    assert "head -n 1" in found["hint"] and "binary" not in found["hint"], found


def test_bytes_of_several_lines_are_bytes(work, database, keys):
    for data in (b"\x01\x02\nab", b"caf\xe9\nab\n", b"\xff" * 20 + b"\n" + b"\xfe" * 11):
        found = refuse(work, "no_key", "verify", database, "--key-file", keys.file(data))
        assert "not text" in found["message"] and "--key-binary" in found["hint"], found


# Encrypted files.

def run(*args, data=None, **env):
    return subprocess.run(args, input=data, check=True, capture_output=True,
                          env={**program.clean_env(), **env}).stdout


@pytest.fixture(scope="module")
def gpg(tmp_path_factory):
    home = tmp_path_factory.mktemp("gnupg")
    home.chmod(0o700)
    env = {"GNUPGHOME": str(home)}
    run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "tester@example.org", "rsa3072",
        "encrypt", "never", **env)
    yield env
    run("gpgconf", "--kill", "all", **env)


@pytest.fixture(scope="module")
def age(tmp_path_factory):
    path = tmp_path_factory.mktemp("age") / "me.txt"
    run("age-keygen", "-o", str(path))
    return str(path)


def encrypted(how, gpg, age):
    data = WORDS.encode() + b"\n"
    program_name, *options = how.split()
    if program_name == "age":
        return run("age", *options, "-r", run("age-keygen", "-y", age).decode().strip(), data=data)
    if "--symmetric" in options:
        return run("gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "x", *options,
                   data=data, **gpg)
    return run("gpg", "--batch", "--trust-model", "always", *options, "-e", "-r", "tester@example.org",
               data=data, **gpg)


# Kinds of keys and of passphrases whose messages begin otherwise.
KINDS = {"rsa1024": ["rsa1024", "encrypt"], "nistp256": ["nistp256", "encrypt"], "cv25519": ["cv25519", "encrypt"]}


@pytest.mark.parametrize("kind", [*KINDS, "elgamal", "s2k 0", "s2k 1"])
def test_whatever_gpg_makes_is_no_key(work, source, keys, tmp_path, kind):
    home = tmp_path / "g"
    home.mkdir(mode=0o700)
    env = {"GNUPGHOME": str(home)}
    data = WORDS.encode() + b"\n"
    if kind.startswith("s2k"):
        sealed = run("gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "x", "--s2k-mode", kind[4:],
                     "--symmetric", data=data, **env)
    else:
        if kind == "elgamal":
            run("gpg", "--batch", "--gen-key", data=b"%no-protection\nKey-Type: DSA\nKey-Length: 1024\n"
                b"Subkey-Type: ELG-E\nSubkey-Length: 1024\nName-Email: t@example.org\n%commit\n", **env)
        else:
            run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "t@example.org",
                *(["rsa2048", "sign"] if kind == "rsa1024" else ["ed25519", "sign"]), "never", **env)
            fingerprint = run("gpg", "--with-colons", "-k", **env).decode().split("fpr:::::::::")[1].split(":")[0]
            run("gpg", "--batch", "--passphrase", "", "--quick-add-key", fingerprint, *KINDS[kind], "never", **env)
        sealed = run("gpg", "--batch", "--trust-model", "always", "-e", "-r", "t@example.org", data=data, **env)
    run("gpgconf", "--kill", "all", **env)
    path = keys.file(sealed, "k.gpg")
    for more in ([], ["--key-binary"]):
        found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file", path, *more)
        assert "gpg" in found["message"] and "binary" not in found["hint"], found
    if kind in ("rsa1024", "nistp256", "elgamal"):
        # Bytes that merely begin so are a key.
        program.ok("encrypt", source, work / "o.db", *FAST, "--key-binary", "--key-file", keys.file(sealed[:40], "k2"))


def test_what_openssl_encrypted_is_no_key(work, source, keys):
    sealed = run("openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-pass", "pass:x", data=WORDS.encode())
    path = keys.file(sealed, "k.enc")
    for more in ([], ["--key-binary"]):
        found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file", path, *more)
        assert "openssl" in found["message"] and "openssl enc -d" in found["hint"], found


OTHERS = {
    "ansible": b"$ANSIBLE_VAULT;1.1;AES256\n6335\n3838\n", "pem": b"-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n",
    "openssl": None, "systemd-creds": None,
}


@pytest.mark.parametrize("how", OTHERS)
def test_what_other_programs_encrypted(work, source, keys, how):
    data = OTHERS[how]
    if how == "openssl":
        data = run("openssl", "enc", "-a", "-aes-256-cbc", "-pbkdf2", "-k", "x", data=b"words " * 20)
    elif how == "systemd-creds":
        data = run("systemd-creds", "encrypt", "--with-key=host", "--name=app", "-", "-", data=WORDS.encode())
    assert data.count(b"\n") > 1
    found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file", keys.file(data, "k"))
    assert "encrypted" in found["message"] and "head" not in found["hint"], found
    assert "--key-command" in found["hint"] and "binary" not in found["hint"], found


def test_one_line_that_is_encrypted_is_noted(work, source, keys):
    for line in ("U2FsdGVkX1+abcdefghijklmnop", "vault:v1:8SDd3WHDOjf7mq69Cyc", "ENC[AES256_GCM,data:tr=,iv:a]"):
        found = program.ok("encrypt", source, work / "o.db", *FAST, "--key-file", keys.file(line, "k"))
        assert "looks encrypted" in str(found["notes"]), found
        os.remove(work / "o.db")


def test_a_database_is_no_key_for_another(work, source, keys):
    path = keys.file(source.read_bytes(), "other.db")
    for more in ([], ["--key-binary"]):
        found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file", path, *more)
        assert "not a key" in found["message"], found


HOW = ["age", "age --armor", "gpg", "gpg --armor", "gpg --symmetric", "gpg --armor --symmetric"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("mode", [0o600, 0o644], ids=["closed", "open"])
def test_an_encrypted_file(work, source, database, keys, gpg, age, how, mode):
    data = encrypted(how, gpg, age)
    path, own = keys.file(data, "app.key." + how[:3], mode), keys.file(WORDS, "own")
    name = how[:3]
    for more in ([], ["--key-binary"], ["--key-binary", "--passphrase"], ["--raw-key"]):
        for prefix in ("", "new-"):
            options = [each.replace("--", "--" + prefix) for each in more]
            args = sealing(work, source, database, own, prefix, f"--{prefix}key-file", path, *options)
            found = refuse(work, "no_key", *args)
            assert f"{name})" in found["message"] or f"{name} encrypted" in found["message"], found
            assert "binary" not in found["hint"] and "chmod" not in found["hint"], found
            command = said_command(found, f"--{prefix}key-command")
            assert command.endswith(f" {path}"), found
        found = refuse(work, "no_key", "verify", database, "--key-file", path,
                       *([] if "--passphrase" in more else more))
        assert said_command(found) == command, found
    if how != "gpg --symmetric" and "--symmetric" not in how:
        program.ok("verify", database, *FAST, "--key-command", command.replace(IDENTITY, age), env=gpg)
    for more in ({"stdin": data, "options": ["--key-file", "-"]},
                 {"options": ["--key-command", f"cat '{path}'"]}):
        options = more.pop("options")
        found = refuse(work, "no_key", "verify", database, *options, "--key-binary", **more)
        assert said_command(found) == command.replace(str(path), "FILE"), found
    found = refuse(work, "no_key", "verify", database, "--try-keys", path)
    assert "not a list of keys" in found["message"] and "--try-keys -" in found["hint"], found


def test_who_sealed_with_an_encrypted_file_can_open(work, keys, gpg, age):
    data = encrypted("age", gpg, age)
    key = "x'" + "11" * 32 + "'"
    peers.create_sealed(work / "b.db", key, [], samples.fill)
    # Taken as the key, it is only a wrong one.
    options = ["--key-file", keys.file(data, "k"), "--key-binary", "--passphrase"]
    found = refuse(work, "wrong_key", "verify", work / "b.db", *options)
    assert found["key_shape"] == "not_ascii", found


def test_an_encrypted_key_in_a_variable(work, source, gpg, age):
    data = encrypted("gpg --armor", gpg, age).decode()
    found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-env", "K", env={"K": data})
    assert "gpg" in found["message"] and found["message"].startswith("$K: "), found


# JSON.

CONFIG = {"key": WORDS, "mode": "dark"}


@pytest.mark.parametrize("more", [[], ["--raw-key"]], ids=["text", "raw"])
@pytest.mark.parametrize("data", [
    json.dumps(CONFIG, indent=2), json.dumps([CONFIG], indent=1), '{\n "encryptedKey": "763130aa"\n}\n'],
    ids=["object", "array", "encrypted"])
def test_json_of_several_lines(work, source, keys, data, more):
    path = keys.file(data, "config.json")
    found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file", path, *more)
    assert "JSON" in found["message"] and "binary" not in found["hint"], found
    assert "raw" not in found["hint"] and "may be encrypted" in found["hint"], found
    assert said_command(found) == f"jq -r .NAME {path}", found


def test_json_of_one_line(work, source, database, keys):
    path = keys.file(json.dumps(CONFIG), "config.json")
    found = program.ok("encrypt", source, work / "o.db", *FAST, "--key-file", path)
    assert ["JSON" in one["message"] for one in found["notes"] if one["note"] == "key_form"] == [True]
    found = refuse(work, "wrong_key", "verify", database, *FAST, "--key-file", path)
    assert found["key_shape"] == "json" and "JSON" in found["hint"], found
    # What jq gives of it is the key; it prints strings as these lines do.
    value = json.loads(path.read_text())["key"]
    program.ok("verify", database, *FAST, "--key-file", keys.file(value + "\n", "value"))
    found = refuse(work, "no_key", "encrypt", source, work / "p.db", "--raw-key", "--key-file", path)
    assert "JSON" in found["hint"] and "passphrase" not in found["hint"], found
    os.remove(work / "o.db")
    found = program.ok("encrypt", source, work / "o.db", *FAST, "--key-binary", "--key-file",
                       keys.file(json.dumps(CONFIG, indent=2), "long.json"))
    assert "JSON" in str(found["notes"]), found
