# Plan: --passphrase, --raw-key and --key-binary take no value, and a key that somebody writes behind one is not
# taken for a file and printed.
# - every command and flag, each set of keys: exit 2, the word in no output, the options that give a key; so too where
#   it would become the name of the output, and with key store and key generate;
# - files that are there, outputs with a name of a file's, and names that are named with a key stay what they were.
import pytest

from support import peers, program
from support.refusal import refuse

WORD = "hunter2hunter2"
FAST = ["--kdf-iter", "10"]


@pytest.fixture(autouse=True)
def secret():
    program.forget_all()
    program.remember(WORD)


@pytest.mark.parametrize("flag", ["--passphrase", "--raw-key", "--key-binary"])
@pytest.mark.parametrize("command", ["verify", "inspect", "decrypt", "rekey", "migrate", "encrypt"])
def test_a_word_that_is_no_file(work, source, command, flag):
    for before, behind in (([], ["plain.db"]), (["plain.db"], []), ([], ["plain.db", "other.db"])):
        found = refuse(work, "usage", command, *before, flag, WORD, *behind, cwd=work)
        assert f"{flag} takes no value" in found["message"], found
        assert "--key-file" in found["hint"] and "asked for" in found["hint"], found


@pytest.mark.parametrize("args, flag", [
    (["verify", "plain.db", "--against", "plain.db", "--against-passphrase", WORD], "--against-key-file"),
    (["rekey", "plain.db", "--new-passphrase", WORD], "--new-key-file"),
    (["verify", "--key-env", "K", "--passphrase", WORD, "plain.db"], "--key-file"),
    (["verify", "--passphrase", WORD + ".", "plain.db"], "--key-file"),
    (["encrypt", "--in-place", "plain.db", "--passphrase", WORD], "--key-file"),
    (["key", "store", "app", "--passphrase", WORD], "--key-file"),
    (["key", "store", "app", "--raw-key", WORD], "--key-file"),
    (["verify", "--passphrase", "--progress=never", "-q", WORD], "--key-file"),
    (["verify", "--resume", "journal", "--passphrase", WORD], "--key-file"),
    (["verify", "--key-env", "K", "--resume", "journal", "--passphrase", WORD, "plain.db"], "--key-file"),
    (["migrate", "--schema", ".", "--create", "--key-env", "K", "--passphrase", WORD, "n.db"], "--key-file")])
def test_the_options_of_that_key(work, source, args, flag):
    found = refuse(work, "usage", *args, cwd=work, env={"K": "words"})
    assert "takes no value" in found["message"] and flag in found["hint"], found


def test_no_store_is_named_where_none_is_taken(work):
    for args in (["key", "store", "app", "--passphrase", WORD], ["key", "generate", "--passphrase", WORD]):
        found = refuse(work, "usage", *args)
        assert "--keyring-" not in found["hint"], found
    assert "--keyring" not in refuse(work, "usage", "key", "store", "app", "--passphrase", WORD)["hint"]
    assert "--output" in refuse(work, "usage", "key", "generate", "--passphrase", WORD)["hint"]


def test_a_key_behind_the_name_of_a_key(work):
    found = refuse(work, "usage", "key", "store", "app", WORD)
    assert "asks for it" in found["hint"] and "--key-file" in found["hint"], found


def test_what_is_a_file_stays_one(work, source, keys):
    key = ["--key-file", keys.file("words")]
    program.ok("encrypt", *key, *FAST, "--passphrase", "plain.db", "out", cwd=work)
    program.ok("encrypt", "plain.db", *key, *FAST, "--passphrase", "second", cwd=work)
    peers.sound(peers.sealed(work / "second", "words", [("kdf_iter", 10)]))
    program.ok("verify", *key, *FAST, "--passphrase", "out", cwd=work)
    found = refuse(work, "io", "verify", *key, "--passphrase", "gone.db", cwd=work)
    assert found["database"] == "gone.db", found
    program.ok("encrypt", "plain.db", "--passphrase", "third.db", *FAST, cwd=work, env={"DBSEAL_KEY": "words"})
    result = program.run_tty("encrypt", "plain.db", *FAST, "--passphrase", "fourth.db", cwd=work,
                             answers=[("ey of", "words"), ("again", "words")])
    assert result.exit == 0, result
    peers.sound(peers.sealed(work / "fourth.db", "words", [("kdf_iter", 10)]))
