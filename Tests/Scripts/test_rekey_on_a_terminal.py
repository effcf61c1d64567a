# Plan: nobody types a new key twice for an old one that is wrong.
# - the old key is tried before the new one is asked for, and the answer is the one of any wrong key, with
#   what would open the file; it makes no difference where the old key comes from;
# - of several databases one that it opens is enough; where it opens none, each is answered;
# - a right one is followed by the question, and what comes out opens in SQLCipher under the new key;
# - a database that cannot be read is told of without the question, or after it, but never changed.
import pytest

from support import peers, program, samples
from support.files import Snapshot

RAW = "x'" + "a1b2c3d4" * 8 + "'"
OLD = "the old key"
NEW = "the new key"


@pytest.fixture
def sealed_by_word(work):
    return peers.create_sealed(work / "word.db", OLD, [], samples.fill)


def test_a_wrong_old_key(work, sealed_by_word):
    before = Snapshot(work)
    found = program.run_tty("rekey", sealed_by_word, answers=[("Key of", "wrong")])
    before.unchanged()
    assert found.exit == 4 and b"wrong key" in found.out and b"New key" not in found.out, found
    assert b"the database is as it was" in found.out, found


def test_the_hint_of_a_wrong_key_is_there(work):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    found = program.run_tty("rekey", path, answers=[("Key of", RAW[2:-1])])
    assert found.exit == 4 and b"--raw-key" in found.out and b"New key" not in found.out, found


@pytest.mark.parametrize("options,env", [
    (["--key-env", "K"], {"K": "wrong"}), ([], {"DBSEAL_KEY": "wrong"})])
def test_an_old_key_of_another_source(work, sealed_by_word, options, env):
    found = program.run_tty("rekey", sealed_by_word, *options, env=env)
    assert found.exit == 4 and b"New key" not in found.out, found


def test_a_right_old_key(work, sealed_by_word):
    found = program.run_tty("rekey", sealed_by_word, answers=[
        ("Key of", OLD), ("New key of", NEW), ("again", NEW)])
    assert found.exit == 0, found
    peers.sound(peers.sealed(sealed_by_word, NEW))


def test_of_several_one_is_enough(work, sealed_by_word):
    other = peers.create_sealed(work / "a other.db", "another", [], samples.fill)
    before = other.read_bytes()
    found = program.run_tty("rekey", "--in-place", other, sealed_by_word, answers=[
        ("Key of", OLD), ("New key of", NEW), ("again", NEW)])
    assert found.exit == 1 and b"wrong key" in found.out, found
    assert other.read_bytes() == before
    peers.sound(peers.sealed(sealed_by_word, NEW))


def test_of_several_none(work, sealed_by_word):
    peers.create_sealed(work / "other.db", "another", [], samples.fill)
    before = Snapshot(work)
    found = program.run_tty("rekey", "--in-place", work / "other.db", sealed_by_word,
                            answers=[("Key of", "wrong")])
    before.unchanged()
    assert found.exit == 1 and found.out.count(b"wrong key") == 2, found
    assert b"New key" not in found.out and b"0 of 2" in found.out, found


def test_nobody_is_asked_where_both_are_named(work, sealed_by_word):
    found = program.run_tty("rekey", sealed_by_word, "--key-env", "K", "--new-key-env", "N",
                            env={"K": OLD, "N": NEW})
    assert found.exit == 0, found
    peers.sound(peers.sealed(sealed_by_word, NEW))


def test_a_file_that_is_no_database(work):
    (work / "a.db").write_bytes(b"words " * 1000)
    before = Snapshot(work)
    found = program.run_tty("rekey", work / "a.db")
    before.unchanged()
    assert found.exit == 6 and b"New key" not in found.out, found
