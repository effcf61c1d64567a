# Plan: what a report says can be used as it stands.
# - the PRAGMA lines open the output when they are typed into a shell after the key;
# - a dry run names no number, salt or PRAGMA that the real run does not have;
# - a failure names the database as the user did;
# - rounds are told of a passphrase, and of no key that is derived from nothing.
import os
import re
import subprocess

import pytest

from support import peers, program, samples

RAW = "a1b2c3d4" * 8


@pytest.mark.parametrize("options", [
    ["--plaintext-header", "32"], ["--page-size", "8192"], ["--hmac-salt-mask", "55"],
    ["--format", "3", "--plaintext-header", "16"], ["--kdf-iter", "1000"]])
def test_the_pragma_lines_open_the_output(work, keys, options):
    path = samples.plain(work / "a.db")
    key = keys.file("a good passphrase\n")
    result = program.run("encrypt", "--key-file", key, *options, path, work / "e.db")
    assert result.exit == 0, result
    lines = re.findall(r"^  (PRAGMA .*;)$", result.text, re.M)
    assert lines
    script = "\n".join(["PRAGMA key='a good passphrase';", *lines,
                        "SELECT 'rows', count(*) FROM people;"])
    done = subprocess.run([peers.SHELL_NEW, work / "e.db"], input=script.encode(),
                          capture_output=True)
    wanted = peers.plain(path).execute("SELECT count(*) FROM people").fetchone()[0]
    assert f"rows|{wanted}".encode() in done.stdout, done


def test_a_dry_run_claims_nothing(work, keys):
    path = samples.plain(work / "a.db")
    args = ["encrypt", "--dry-run", "--plaintext-header", "32", "--key-file", keys.raw(RAW), path,
            work / "e.db"]
    found = program.ok(*args)
    assert found["pages"] is None and found["salt"] is None and found["pragmas"] == []
    assert found["bytes_written"] is None and found["proof"] is None
    text = program.run(*args).text
    assert "0 pages" not in text and "salt" not in text
    found = program.ok(*args, "--salt", "ab" * 16)
    assert found["salt"] == "ab" * 16


def test_a_failure_names_what_the_user_named(work, keys, monkeypatch):
    peers.create_sealed(work / "real.db", f"x'{RAW}'", [], samples.fill)
    (work / "link.db").symlink_to("real.db")
    key = keys.raw("0123456789abcdef" * 4, "other")
    for name in ("real.db", "link.db", "./real.db"):
        for command in (["decrypt", "--key-file", key, name, "out.db"],
                        ["rekey", "--key-file", key, "--new-key-file", key, name]):
            result = program.run(*command, cwd=work)
            assert result.exit == 4
            assert result.err.startswith(f"dbseal: {name}: ".encode()), result
            assert os.fsencode(work) not in result.err


def test_the_rounds_of_a_key(work, keys):
    """A raw key opens a file whatever number of rounds it is said to have; a passphrase does not."""
    source = samples.plain(work / "plain.db")
    raw = "x'" + "0f" * 32 + "'"
    for key, name, rounds in ((raw, "raw", False), ("words", "words", True)):
        file, made = keys.file(key, name), work / f"{name}.db"

        def said(command, *args):
            done = program.run(command, "-v", *args)
            assert done.exit == 0, done
            return re.search(r"key derivation: .* rounds", done.out.decode()) is not None

        assert said("encrypt", "--kdf-iter", "4000", "--key-file", file, source, made) is rounds
        assert said("migrate", "--source-kdf-iter", "4000", "--key-file", file, made) is rounds
        assert said("decrypt", "--key-file", file, made, work / f"{name}.out") is rounds
    assert said("rekey", "--key-file", keys.file("words", "words"), "--new-key-file",
                keys.file(raw, "raw"), work / "words.db") is False
