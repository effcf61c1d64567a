# Plan: a file that cannot be converted is told apart: wrong key, damaged, wrong kind.
# Each row changes or makes one file; the source and its folder stay byte for byte, no output is
# made, and exit status, JSON and text agree (support/refusal.py).
import os
import random
import shutil

import pytest

from support import peers, program, samples
from support.files import change, flip
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
PAGE = 4096


def decrypt(work, code, keys, *options, key=RAW, source="sealed.db"):
    return refuse(work, code, "decrypt", work / source, work / "out.db", "--key-file",
                  keys.file(key), *options)


@pytest.mark.parametrize(
    "key", ["wrong words", f"x'{'00' * 32}'", f"x'{'a1b2c3d4' * 7}a1b2c3d5'"])
def test_wrong_key(work, keys, sealed, key):
    found = decrypt(work, "wrong_key", keys, key=key)
    assert "wrong key" in found["message"]


def test_hex_digits_taken_as_a_passphrase_get_a_hint(work, keys, sealed):
    found = decrypt(work, "wrong_key", keys, key="a1b2c3d4" * 8)
    assert "--raw-key" in found["hint"]


@pytest.mark.parametrize("options", [
    ["--format", "3"], ["--source-page-size", "8192"], ["--hmac-algorithm", "sha256"],
    ["--hmac-pgno", "be"], ["--hmac-salt-mask", "00"], ["--fast-kdf-iter", "3"]],
    ids=lambda o: o[0])
def test_settings_that_do_not_fit(work, keys, sealed, options):
    decrypt(work, "wrong_key", keys, *options)


def test_an_overwritten_salt_is_said_to_look_like_a_wrong_key(work, keys):
    peers.create_sealed(work / "sealed.db", "pass words", [("cipher_compatibility", 3)],
                        samples.fill)
    change(work / "sealed.db", 0, random.Random(1).randbytes(16))
    decrypt(work, "wrong_key", keys, key="pass words")


@pytest.mark.parametrize("format", [2, 3, 4])
def test_wrong_passphrase_of_every_format(work, keys, format):
    pragmas = [("cipher_compatibility", format)]
    peers.create_sealed(work / "sealed.db", "right words", pragmas, samples.fill)
    decrypt(work, "wrong_key", keys, key="wrong words")


def test_wrong_passphrase_of_format_1(work, keys):
    peers.create_sealed(work / "sealed.db", "right words", [("cipher_compatibility", 1)],
                        samples.fill)
    decrypt(work, "wrong_key", keys, key="wrong words")


@pytest.mark.parametrize("page, at", [
    (1, 16), (1, 100), (1, 4000), (1, 4016), (1, 4032), (1, 4095), (5, 0), (5, 2000), (5, 4015),
    (5, 4016), (5, 4031), (5, 4032), (5, 4095), ("last", 7)])
def test_one_flipped_bit_is_found_and_its_page_named(work, keys, sealed, page, at):
    pages = os.path.getsize(sealed) // PAGE
    page = pages if page == "last" else page
    flip(sealed, (page - 1) * PAGE + at)
    found = decrypt(work, "damaged", keys)
    assert found["damaged_pages"] == [page], found


def test_every_bad_page_is_named(work, keys, sealed):
    for page in (3, 4, 9):
        flip(sealed, (page - 1) * PAGE + 50)
    found = decrypt(work, "damaged", keys)
    assert found["damaged_pages"] == [3, 4, 9], found


@pytest.mark.parametrize("page", [2, 17])
def test_a_wiped_page(work, keys, sealed, page):
    change(sealed, (page - 1) * PAGE, bytes(PAGE))
    found = decrypt(work, "damaged", keys)
    assert str(page) in found["message"], found


def test_pages_that_changed_places(work, keys, sealed):
    data = sealed.read_bytes()
    change(sealed, 2 * PAGE, data[3 * PAGE:4 * PAGE])
    change(sealed, 3 * PAGE, data[2 * PAGE:3 * PAGE])
    found = decrypt(work, "damaged", keys)
    assert found["damaged_pages"] == [3, 4], found


@pytest.mark.parametrize("cut", [100, 4096, 4196, 40960])
def test_a_truncated_database(work, keys, sealed, cut):
    os.truncate(sealed, os.path.getsize(sealed) - cut)
    decrypt(work, "damaged", keys)


@pytest.mark.parametrize("options, size", [
    ([], 17), ([], 600), ([], 1500), ([], 4095), (["--format", "4"], 1500),
    (["--source-page-size", "8192"], 4095)])
def test_a_database_shorter_than_its_first_page(work, keys, sealed, options, size):
    os.truncate(sealed, size)
    found = decrypt(work, "wrong_kind", keys, *options)
    assert found["kind"] == ("other" if size == 17 else "truncated"), found


def test_as_many_bytes_as_pages_of_another_format_may_be_a_wrong_key(work, keys, sealed):
    os.truncate(sealed, 2048)
    found = decrypt(work, "wrong_key", keys)
    assert (found["pages_tried"], found["pages"]) == (2, 2), found
    # Nor does it make a difference to the file that settings are named.
    for named in (["--format", "4"], ["--source-page-size", "8192"]):
        found = decrypt(work, "wrong_key", keys, *named)
        assert "shorter than a page" in found["message"] and "it was cut" in found["hint"], found


@pytest.mark.parametrize(
    "tail", [b"\0" * 100, b"junk" * 25, random.Random(1).randbytes(4096), b"x" * 4096])
def test_junk_at_the_end(work, keys, sealed, tail):
    change(sealed, os.path.getsize(sealed), tail)
    decrypt(work, "damaged", keys)


def test_whole_pages_of_zeros_at_the_end_are_sound(work, keys, sealed):
    change(sealed, os.path.getsize(sealed), bytes(3 * PAGE))
    found = program.ok("decrypt", sealed, work / "out.db", "--key-file", keys.file(RAW))
    assert found["notes"], found
    peers.sound(peers.plain(work / "out.db"))


def encrypt(work, code, keys, source="plain.db"):
    return refuse(work, code, "encrypt", work / source, work / "out.db", "--key-file", keys.raw())


@pytest.mark.parametrize("cut", [100, 4096, 40960])
def test_a_truncated_plaintext_database(work, keys, source, cut):
    os.truncate(source, os.path.getsize(source) - cut)
    encrypt(work, "damaged", keys)


def test_junk_at_the_end_of_a_plaintext_database(work, keys, source):
    change(source, os.path.getsize(source), b"junk" * 1024)
    encrypt(work, "damaged", keys)


def test_the_magic_with_junk_behind_it(work, keys):
    (work / "plain.db").write_bytes(b"SQLite format 3\0" + random.Random(1).randbytes(8176))
    encrypt(work, "damaged", keys)


@pytest.mark.parametrize("seed", range(3))
def test_a_broken_tree(work, keys, source, seed):
    # A table's root page becomes noise: stock SQLite says "malformed", and so must dbseal.
    root = peers.plain(source).execute(
        "SELECT rootpage FROM sqlite_master WHERE name='people'").fetchone()[0]
    change(source, (root - 1) * PAGE, random.Random(seed).randbytes(PAGE))
    found = encrypt(work, "damaged", keys)
    assert str(root) in found["message"], found


def test_two_tables_that_share_a_root(work, keys, source):
    connection = peers.plain(source)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master "
                       "WHERE name='gaps') WHERE name='log'")
    connection.close()
    encrypt(work, "damaged", keys)


def test_plaintext_given_to_decrypt(work, keys, source):
    found = decrypt(work, "wrong_kind", keys, source="plain.db")
    assert "encrypted" in found["message"] or "plaintext" in found["message"]


def test_encrypted_given_to_encrypt(work, keys, sealed):
    encrypt(work, "wrong_kind", keys, source="sealed.db")


def test_a_plaintext_header_does_not_make_a_database_plain(work, keys):
    peers.create_sealed(work / "sealed.db", RAW, [
        ("cipher_plaintext_header_size", 32), ("cipher_salt", f"x'{'11' * 16}'")], samples.fill)
    encrypt(work, "wrong_kind", keys, source="sealed.db")


def test_a_salt_chosen_to_look_like_the_magic(work, keys):
    salt = b"SQLite format 3\0".hex()
    key = f"x'{'ab' * 32}{salt}'"
    peers.create_sealed(work / "sealed.db", key, [], samples.fill)
    # For encrypt this is the magic with junk behind it: no key is there to tell it from one.
    encrypt(work, "damaged", keys, source="sealed.db")
    program.ok("decrypt", work / "sealed.db", work / "out.db", "--key-file", keys.file(key))
    peers.sound(peers.plain(work / "out.db"))


OTHERS = {
    "empty": b"",
    "one byte": b"x",
    "100 bytes": random.Random(1).randbytes(100),
    "text": b"CREATE TABLE t(a);\nINSERT INTO t VALUES(1);\n" * 100,
    "low entropy": b"abcd" * 2048,
    "zeros": bytes(8192),
    "zip": b"PK\3\4" + bytes(5000),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_files_that_are_no_database(work, keys, name, command):
    (work / "file").write_bytes(OTHERS[name])
    refuse(work, "wrong_kind", command, work / "file", work / "out.db", "--key-file", keys.raw())


@pytest.mark.parametrize("size", [8192, 5000])
def test_random_bytes(work, keys, size):
    # Without the right key these cannot be told from a database, whole or cut short.
    (work / "file").write_bytes(random.Random(1).randbytes(size))
    encrypt(work, "wrong_kind", keys, source="file")
    decrypt(work, "wrong_key", keys, source="file")


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
@pytest.mark.parametrize("suffix, mode", [("-wal", "WAL"), ("-journal", "PERSIST")])
def test_a_log_or_journal_given_as_a_database(work, keys, tmp_path, command, suffix, mode):
    other = tmp_path / "other.db"
    connection = peers.plain(samples.plain(other))
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("BEGIN")
    connection.execute("UPDATE people SET mark = mark + 1")
    if mode == "PERSIST":
        connection.execute("PRAGMA cache_size=1")
        connection.execute("UPDATE gaps SET a = hex(zeroblob(300))")
    else:
        connection.execute("COMMIT")
    shutil.copy(str(other) + suffix, work / "file")
    connection.close()
    refuse(work, "wrong_kind", command, work / "file", work / "out.db", "--key-file", keys.raw())


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_folder_is_no_database(work, keys, command):
    (work / "folder").mkdir()
    refuse(work, "wrong_kind", command, work / "folder", work / "out.db", "--key-file", keys.raw())


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_fifo_is_no_database_and_nobody_waits_for_it(work, keys, command):
    os.mkfifo(work / "fifo")
    refuse(work, "wrong_kind", command, work / "fifo", work / "out.db", "--key-file", keys.raw(),
           timeout=20)


@pytest.mark.parametrize("cipher", [["--format", 1], ["--hmac-algorithm", "none"]])
def test_an_index_that_does_not_match_and_no_tags(work, keys, cipher):
    samples.plain(work / "a.db", "CREATE TABLE t(a); INSERT INTO t VALUES('needle-17'); "
                  "CREATE INDEX i ON t(a);")
    # The root of the index is the last page.
    data = bytearray((work / "a.db").read_bytes())
    at = data.index(b"needle-17", len(data) - 4096)
    data[at:at + 9] = b"needle-77"
    (work / "a.db").write_bytes(data)
    assert peers.plain(work / "a.db").execute("PRAGMA integrity_check").fetchall() != [
        (peers.text(b"ok"),)]
    key = ["--key-file", keys.raw()]
    program.ok("encrypt", work / "a.db", work / "b.db", *key, *cipher)
    found = program.ok("decrypt", work / "b.db", work / "c.db", *key, *cipher)
    note = next(each for each in found["notes"] if each["note"] == "not_authenticated")
    assert "verify" in note["message"] and "indexes" in note["message"]
    assert program.run("verify", work / "b.db", *key, *cipher).exit == 5
    assert program.run("verify", work / "c.db").exit == 5
