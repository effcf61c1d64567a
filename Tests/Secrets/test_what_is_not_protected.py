# Plan: Docs/safety.md says what encryption and tags do not give; each statement is shown here, so that the
# text stays true. The judge of "passes" is SQLCipher as well as dbseal.
# - an older copy of a page under its own number passes, and so does the whole file of yesterday; a page
#   under another number, or of a database with another salt, does not;
# - without tags (format 1) changed bytes of a record pass;
# - the bytes of a plaintext header are readable and not authenticated;
# - without the key: the number of pages, the salt, and which pages changed between two copies.
import os

import pytest

from support import peers, program
from support.files import change

RAW = "x'" + "a1b2c3d4" * 8 + "'"
PAGE = 4096
TEXT = "CREATE TABLE t(a); INSERT INTO t VALUES('old'); CREATE TABLE u(a); INSERT INTO u VALUES('u');"


@pytest.fixture
def two(work):
    """A database, and its bytes before and after a change."""
    path = peers.create_sealed(work / "a.db", RAW, [], lambda c: c.executescript(TEXT))
    before = path.read_bytes()
    connection = peers.sealed(path, RAW)
    connection.execute("UPDATE t SET a = 'new'")
    connection.close()
    return path, before, path.read_bytes()


def test_an_older_page_and_an_older_file_pass(two, keys):
    path, before, after = two
    assert len(before) == len(after) == 3 * PAGE
    for data in (after[:PAGE] + before[PAGE:2 * PAGE] + after[2 * PAGE:], before):
        path.write_bytes(data)
        peers.sound(peers.sealed(path, RAW), cipher=True)
        assert peers.sealed(path, RAW).execute("SELECT a FROM t").fetchone() == (("text", b"old"),)
        program.ok("verify", "--key-file", keys.raw(), path)


def test_a_page_in_another_place_does_not_pass(two, keys, work):
    path, _, after = two
    swapped = after[:PAGE] + after[2 * PAGE:] + after[PAGE:2 * PAGE]
    other = peers.create_sealed(work / "b.db", RAW, [], lambda c: c.executescript(TEXT)).read_bytes()
    assert other[:16] != after[:16]
    for data in (swapped, after[:PAGE] + other[PAGE:2 * PAGE] + after[2 * PAGE:]):
        path.write_bytes(data)
        result = program.run("verify", "--json", "--key-file", keys.raw(), path)
        assert result.exit == 5, result


def test_without_tags_a_changed_record_passes(work, keys):
    # Format 1 by its parts: 4.19 has no name for it.
    settings = [("cipher_page_size", 1024), ("kdf_iter", 4000), ("cipher_use_hmac", "OFF"),
                ("cipher_kdf_algorithm", "PBKDF2_HMAC_SHA1")]
    path = peers.create_sealed(work / "a.db", RAW, settings, lambda c: c.executescript(
        "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(900));"))
    before = peers.sealed(path, RAW, settings).execute("SELECT a FROM t").fetchone()
    at = 1024 + 512
    change(path, at, bytes([path.read_bytes()[at] ^ 1]))
    judge = peers.sealed(path, RAW, settings)
    peers.sound(judge)
    assert judge.execute("SELECT a FROM t").fetchone() != before
    judge.close()
    found = program.ok("verify", "--key-file", keys.raw(), "--format", "1", path)
    assert "authentic" in str(found).lower(), found


def test_a_plaintext_header_is_readable_and_not_authenticated(work, keys):
    salt = "00112233445566778899aabbccddeeff"
    settings = [("cipher_plaintext_header_size", 32), ("cipher_salt", f"x'{salt}'")]
    path = peers.create_sealed(work / "a.db", RAW, settings, lambda c: c.executescript(TEXT))
    data = path.read_bytes()
    assert data.startswith(b"SQLite format 3\0")
    # The change counter, bytes 24 to 27.
    change(path, 24, b"\0\0\x30\x39")
    peers.sound(peers.sealed(path, RAW, settings), cipher=True)
    program.ok("verify", "--key-file", keys.raw(), "--plaintext-header", "32", "--salt", salt, path)


def test_what_is_seen_without_the_key(two):
    path, before, after = two
    found = program.ok("inspect", path)
    assert found["salt"] == after[:16].hex() and found["size"] == os.path.getsize(path)
    changed = [n for n in range(3) if before[n * PAGE:(n + 1) * PAGE] != after[n * PAGE:(n + 1) * PAGE]]
    # Page 1 has the change counter, page 2 the row, page 3 is another table's.
    assert changed == [0, 1]
