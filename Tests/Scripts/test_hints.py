# Plan: a hint can be followed.
# - the option for a plaintext header, and for its salt, is the command's own, and does it;
# - a file that is too short for the settings that were named is not called cut where it is sound
#   under others;
# - a key that is missing is named with the options that give it;
# - what was tried before a key was called wrong is named, setting by setting.
import subprocess

import pytest

from support import peers, program, samples
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
SALT = "00112233445566778899aabbccddeeff"
HEADER = [("cipher_plaintext_header_size", "32"), ("cipher_salt", f"x'{SALT}'")]


@pytest.mark.parametrize("command,prefix", [
    ("decrypt", "--"), ("rekey", "--source-"), ("migrate", "--source-"), ("verify", "--")])
def test_a_plaintext_header(work, keys, command, prefix):
    path = peers.create_sealed(work / "a.db", RAW, HEADER, samples.fill)
    new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
    target = [] if command == "verify" else [work / "b.db"]
    args = [command, "--key-file", keys.raw(), path, *target, *new]
    found = refuse(work, "wrong_kind", *args)
    header, salt = f"{prefix}plaintext-header", f"{prefix}salt"
    assert header in found["hint"] and salt in found["hint"] and "32" in found["hint"]
    found = refuse(work, "usage", *args, header, "32")
    assert found["hint"].startswith(salt + " ")
    program.ok(*args, header, "32", salt, SALT)


def test_encrypt_says_how_a_plaintext_header_is_read(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, HEADER, samples.fill)
    found = refuse(work, "wrong_kind", "encrypt", "--key-file", keys.raw(), path, work / "b.db")
    assert "decrypt" in found["hint"] and "--plaintext-header 32" in found["hint"]


@pytest.mark.parametrize("right", [True, False], ids=["key", "other key"])
@pytest.mark.parametrize("format,size", [(1, 1024), (2, 1024), (3, 1024), (4, 1024)])
def test_a_small_file_of_another_format_is_not_cut(work, keys, format, size, right):
    path = peers.create_sealed(
        work / "a.db", RAW, [("cipher_compatibility", format), ("cipher_page_size", size)],
        lambda c: c.execute("CREATE TABLE t(a)"))
    assert path.stat().st_size == 2 * size
    key = keys.raw() if right else keys.raw("0f" * 32, "other")
    for named in (["--page-size", "4096"], ["--format", "4", "--page-size", "4096"],
                  ["--format", "3", "--page-size", "8192"]):
        found = refuse(work, "wrong_key", "verify", path, "--key-file", key, *named)
        assert "shorter than a page" in found["message"], found
        if not right:
            assert found["hint"].startswith("leave the settings out"), found
            continue
        assert "cut" not in found["hint"]
        settings = found["hint"].split(" with ")[1].split(" and ")[0].split()
        program.ok("verify", path, "--key-file", key, *settings)


def test_a_file_that_was_cut_below_a_page_is(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    path.write_bytes(path.read_bytes()[:1500])
    assert refuse(work, "wrong_kind", "verify", path, "--key-file", keys.raw(), "--format", "4")[
        "kind"] == "truncated"


def without_terminal(*args):
    done = subprocess.run(
        ["setsid", "--wait", str(program.BIN), *map(str, args)], stdin=subprocess.DEVNULL,
        capture_output=True, env=program.clean_env())
    assert done.returncode == 3, done
    return done.stderr.decode()


def test_the_key_that_is_missing(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    said = without_terminal("rekey", path)
    assert "hint: use --key-file, " in said and "$DBSEAL_KEY_FILE" in said
    said = without_terminal("rekey", "--key-file", keys.raw(), path)
    assert "hint: use --new-key-file, " in said and "$DBSEAL_NEW_KEY_FILE" in said
    assert "no new key" in said


@pytest.mark.parametrize("options,said", [
    ([], "formats 4, 3, 2, 1"), (["--format", "3"], "format 3"),
    (["--source-page-size", "8192"], "formats 4, 3, 2, 1 with page size 8192"),
    (["--format", "4", "--source-page-size", "8192", "--kdf-iter", "5"],
     "format 4 with page size 8192 and 5 rounds"),
    (["--format", "3", "--hmac-algorithm", "sha256", "--kdf-iter", "5", "--hmac-pgno", "be"],
     "format 3 with 5 rounds, tags by sha256 and page numbers in order be"),
    (["--format", "2", "--hmac-salt-mask", "0b"], "format 2 with salt mask 0b"),
])
def test_what_was_tried(work, keys, options, said):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    found = refuse(work, "wrong_key", "decrypt", "--key-file", keys.raw("0f" * 32), path,
                   work / "b.db", *options)
    assert found["message"].endswith(f"authenticate ({said})"), found["message"]
    assert not any("custom" in name for name in found["tried"])
