# Plan: a file of another format is called what it is, before a key is asked for.
# - what the real programs write: gzip, bzip2, xz, zip, zstd, age, gpg, SQL text of the sqlite3 shell;
# - what documentation says of the others: Realm (plain and encrypted), DuckDB, LMDB, Android backups;
# - inspect (0) and every other command (6, nothing written, no key asked) say the same name;
# - near misses stay what they were: random bytes, text, databases, tables of counters with a flaw;
# - a database whose salt begins like a packed file is still one;
# - a plaintext header that is named and damaged is damage, whatever else it reads like;
# - with a salt that has a whole sign, of a peer or of dbseal, it is one with its key, and without the key
#   or with another the format is named.
import bz2
import gzip
import hashlib
import io
import lzma
import random
import shutil
import struct
import subprocess
import tempfile
import zipfile

import pytest

from support import peers, program, samples
from support.content import content
from support.files import Snapshot
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"


def output(*args, data=b"", **env):
    return subprocess.run(args, input=data, check=True, capture_output=True,
                          env={**program.clean_env(), **env}).stdout


def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("app.db", data)
    return file.getvalue()


def aged(data, folder, *options):
    key = folder / "age.txt"
    if not key.exists():
        output("age-keygen", "-o", str(key))
    public = output("age-keygen", "-y", str(key)).decode().strip()
    return output("age", "-r", public, *options, data=data)


def gpged(data, _, *options, key=None):
    """What gpg makes of it, for a key of an algorithm or under a passphrase."""
    # Its sockets are in its home, and their paths are short.
    with tempfile.TemporaryDirectory() as home:
        words = ["gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase"]
        try:
            if not key:
                return output(*words, "words", "--symmetric", *options, data=data, GNUPGHOME=home)
            output(*words, "", "--quick-gen-key", "a@example.org", key, "default", "never",
                   GNUPGHOME=home)
            return output(*words, "", "-e", "-r", "a@example.org", data=data, GNUPGHOME=home)
        finally:
            output("gpgconf", "--kill", "all", GNUPGHOME=home)


def realm(data, folder, versions=(22, 24), flags=1, references=(0x1000, 0x10c0)):
    # realm-core, alloc_slab.hpp: two references, "T-DB", two format versions, reserved, flags.
    head = struct.pack("<QQ4sBBBB", *references, b"T-DB", *versions, 0, flags)
    return head + b"AAAA" + bytes(4068)


def streamed_realm(data, folder):
    return realm(data, folder, (22, 0), 0, (2**64 - 1, 0))


def tag(*what):
    return hashlib.sha224(repr(what).encode()).digest()


def table(counters):
    """realm-core, encrypted_file_mapping.cpp: 64 records of counter and tag, twice, newest first."""
    def half(counter, page):
        return struct.pack("<I", counter) + (tag(counter, page) if counter else bytes(28))

    counters = counters + [0] * (64 - len(counters))
    return b"".join(half(now, page) + half(max(now - 1, 0), page)
                    for page, now in enumerate(counters))


def encrypted_realm(data, folder, counters=(3, 1, 0, 70000)):
    counters = list(counters)
    return table(counters) + random.Random(5).randbytes(4096 * len(counters))


OTHERS = {
    "gzip": ("gzip", lambda data, _: gzip.compress(data)),
    "gzip of gzip": ("gzip", lambda data, _: output("gzip", "-9", "-c", data=data)),
    "bzip2": ("bzip2", lambda data, _: bz2.compress(data)),
    "xz": ("xz", lambda data, _: lzma.compress(data)),
    "zip": ("zip", lambda data, _: zipped(data)),
    "zstd": ("zstd", lambda data, _: output("zstd", "-c", data=data)),
    "zstd 19": ("zstd", lambda data, _: output("zstd", "-19", "-c", data=data)),
    "zstd of random": ("zstd", lambda *_: output("zstd", "-c", data=random.Random(1).randbytes(9999))),
    "age": ("age", aged), "age armor": ("age", lambda data, folder: aged(data, folder, "-a")),
    "gpg": ("openpgp", gpged),
    "gpg armor": ("openpgp", lambda data, folder: gpged(data, folder, "--armor")),
    "gpg rsa": ("openpgp", lambda data, folder: gpged(data, folder, key="default")),
    "gpg curve": ("openpgp", lambda data, folder: gpged(data, folder, key="future-default")),
    "openssl": ("openssl", lambda data, _: output(
        "openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-pass", "pass:words", data=data)),
    "realm": ("realm", realm), "streamed realm": ("realm", streamed_realm),
    "encrypted realm": ("realm_encrypted", encrypted_realm),
    "full encrypted realm": (
        "realm_encrypted", lambda data, folder: encrypted_realm(data, folder, range(1, 65))),
    "duckdb": ("duckdb", lambda *_: bytes(range(8)) + b"DUCK" + struct.pack("<Q", 64) + bytes(4076)),
    "lmdb": ("lmdb", lambda *_: bytes(10) + b"\x08\0" + bytes(4)
             + struct.pack("<II", 0xBEEFC0DE, 1) + bytes(4072)),
    "android backup": (
        "android_backup", lambda data, _: b"ANDROID BACKUP\n5\n1\nnone\n" + gzip.compress(data)[10:]),
    "dump": ("sql", lambda data, folder: output("sqlite3", str(folder / "plain.db"), ".dump")),
    "sql": ("sql", lambda *_: b"\xef\xbb\xbf\n  create table T(a);\ninsert into T values(1);\n"),
}


@pytest.fixture
def other(work, tmp_path):
    source = samples.plain(tmp_path / "plain.db")

    def make(name):
        path = work / "app.db"
        path.write_bytes(OTHERS[name][1](source.read_bytes(), tmp_path))
        return path

    return make


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_of_another_format(work, keys, other, name):
    path, word = other(name), OTHERS[name][0]
    before = Snapshot(work)
    found = program.ok("inspect", path)
    assert (found["kind"], found["other_format"]) == ("other", word), found
    assert found["may_be_encrypted"] is False and found["salt"] is None
    assert found["reasons"][0]["reason"] == "other_format"
    is_text = any(each["reason"] == "text" for each in found["reasons"])
    assert found["first_bytes"] == "" if is_text else True
    text = program.run("inspect", path)
    assert text.exit == 0 and text.out.decode().startswith(f"{path}: {found['message']}\n")
    before.unchanged()
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE t(a);")
    for command in (["verify"], ["decrypt", work / "out.db"], ["encrypt", work / "out.db"],
                    ["rekey"], ["migrate"], ["migrate", "--schema", work / "m"],
                    ["inspect", "--tables"], ["verify", "--key-file", keys.raw()]):
        # Nothing gives a key, and none is missed.
        said = refuse(work, "wrong_kind", command[0], path, *command[1:])
        assert (said["kind"], said["other_format"]) == ("other", word), said
        assert found["message"] in said["message"] and said["hint"], said


def without_sign(name):
    """What is nearly a table of counters."""
    data = bytearray(encrypted_realm(b"", None))
    if name == "a large counter":
        data[3] = 1
    elif name == "a later counter before":
        data[32] = 4
    elif name == "a tag without a counter":
        data[2 * 64 + 20] = 1
    elif name == "a tag of zeros":
        data[4:32] = bytes(28)
    elif name == "no first page":
        data[:64] = bytes(64)
    elif name == "no page":
        del data[4096:]
    elif name == "zeros":
        data[:] = bytes(len(data))
    return bytes(data)


NEAR = ["a large counter", "a later counter before", "a tag without a counter", "a tag of zeros",
        "no first page", "no page", "zeros"]


@pytest.mark.parametrize("name", NEAR)
def test_what_is_no_table_of_realm_s(work, name):
    (work / "a").write_bytes(without_sign(name))
    assert program.ok("inspect", work / "a")["other_format"] is None


@pytest.mark.parametrize("data", [
    b"T-DB" * 2000, bytes(16) + b"T-DB\xff\xff\xff\xff" + bytes(4096), b"PK" + bytes(4096),
    b"\x1f\x8b\x08\xff" + bytes(4096), b"\x1f\x8b\x08", b"BZh9" + bytes(4096), b"DUCK" * 1000,
    b"\x28\xb5\x2f\xfd\xff\xff\xff\xff" + b"\xff" * 4096, b"creates nothing\n" * 300,
    b"\x8c\x0d\x04" + bytes(4096), b"\x85\x01\x0c" + bytes(4096), b"age-encryption.org/v2\n" * 30])
def test_what_only_begins_so(work, data):
    (work / "a").write_bytes(data)
    found = program.ok("inspect", work / "a")
    assert found["other_format"] is None and found["kind"] != "sqlcipher", found


@pytest.mark.parametrize("start", ["1f8b08", "504b0304", "28b52ffd", "8c0d04", "425a6839"])
@pytest.mark.parametrize("number", range(3))
def test_a_salt_that_begins_like_one(work, keys, start, number):
    # The rest of the sign is not there by chance.
    # Zstandard's sign ends where its descriptor says: here within the salt, which is the same each time.
    descriptor = b"\x20" if start == "28b52ffd" else b""
    salt = bytes.fromhex(start) + descriptor + random.Random(number).randbytes(16)
    key = f"x'{'a1b2c3d4' * 8}{salt[:16].hex()}'"
    path = peers.create_sealed(work / "a.db", key, [], samples.fill)
    assert path.read_bytes()[:16] == salt[:16]
    assert program.ok("inspect", path)["kind"] == "sqlcipher"
    program.ok("verify", path, "--key-file", keys.file(RAW))


# Each with a sign that ends within 16 bytes, from the documents that OTHERS names.
SIGNS = {
    "gzip": "1f8b0800000000000003", "zip": "504b0304140000000800", "bzip2": "425a6839314159265359",
    "xz": "fd377a585a0000", "zstd": "28b52ffd2405290000", "sql": b"create table ".hex(),
    "sql with a mark": "efbbbf" + b"create table ".hex(), "sql of a dump": b"-- mysql dump".hex(),
    "android_backup": b"ANDROID BACKUP\n".hex(), "openpgp": "8c0d0409030a",
    "openpgp of a curve": "845e030102030405060708120107", "openpgp of RSA": "85010c03010203040506070801",
    "wal": "377f0682", "wal of the other kind": "377f0683",
    "wal with its version": "377f0682002de21800001000", "journal": "d9d505f920a163d7",
}


def salted(sign):
    return (bytes.fromhex(SIGNS[sign]) + random.Random(sign).randbytes(16))[:16].hex()


def check_salted(work, keys, path, sign, key):
    word = sign.split()[0]
    found = program.ok("inspect", path)
    assert found["may_be_encrypted"] is True and found["salt"] == salted(sign), found
    assert found["other_format"] == (None if word in ("wal", "journal") else word)
    known = found["kind"] != "sqlcipher"
    assert known == (word not in ("wal", "journal") or "version" in sign)
    assert ("SQLCipher" in found["message"]) and ("salt reads like that" in found["message"]) == known
    refuse(work, "wrong_kind" if known else "wrong_key", "verify", path, "--key-file",
           keys.file("x'" + "00" * 32 + "'", "another"))
    if known and word != "wal":
        assert refuse(work, "wrong_kind", "encrypt", path, work / "no.db")["other_format"] == word
    program.ok("verify", path, "--key-file", key)
    program.ok("inspect", "--tables", path, "--key-file", key)
    program.ok("decrypt", path, work / "plain-again.db", "--key-file", key)
    assert content(peers.plain(work / "plain-again.db")) == content(peers.plain(work / "plain.db"))
    program.ok("rekey", path, "--key-file", key, "--new-key-file", keys.raw("5e" * 32, "new"),
               work / "new.db")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_salt_with_a_whole_sign(work, keys, sign):
    samples.plain(work / "plain.db")
    raw = f"x'{'a1b2c3d4' * 8}{salted(sign)}'"
    path = peers.create_sealed(work / "a.db", raw, [], samples.fill)
    check_salted(work, keys, path, sign, keys.file(RAW))


@pytest.mark.parametrize("sign", SIGNS)
def test_a_salt_with_a_whole_sign_that_was_given(work, keys, sign):
    samples.plain(work / "plain.db")
    shutil.copy(work / "plain.db", work / "a.db")
    key = keys.file(RAW)
    program.ok("encrypt", "--in-place", work / "a.db", "--salt", salted(sign), "--key-file", key)
    peers.sound(peers.sealed(work / "a.db", RAW), cipher=True)
    check_salted(work, keys, work / "a.db", sign, key)


@pytest.mark.parametrize("header", [16, 32])
def test_a_plaintext_header_whose_first_bytes_are_damaged(work, keys, header):
    salt = "0123456789abcdef" * 2
    named = ["--plaintext-header", header, "--salt", salt, "--key-file", keys.file(RAW)]
    path = peers.create_sealed(
        work / "a.db", RAW, [("cipher_plaintext_header_size", header), ("cipher_salt", f"x'{salt}'")],
        samples.fill)
    program.ok("verify", path, *named)
    data = bytearray(path.read_bytes())
    data[:16] = random.Random(header).randbytes(16)
    path.write_bytes(data)
    assert program.run("verify", path, *named).exit == 5
    # To inspect, damage is an answer.
    assert program.ok("inspect", "--tables", path, *named)["damage"]
    refuse(work, "damaged", "decrypt", path, work / "out.db", *named)


def test_random_files_are_none(work):
    for seed in range(100):
        (work / "a").write_bytes(random.Random(seed).randbytes(12288))
        assert program.ok("inspect", work / "a")["other_format"] is None
