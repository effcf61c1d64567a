# Plan: a key that was put where a name belongs is not repeated, and becomes no name, in whatever form
# programs print keys.
# - base64 without padding, as openssl makes it, where a key file is named, in text, JSON and TAP; paths of
#   people are still named;
# - hex digits as the ending of a backup, as a table or a parameter, as an unknown option;
# - no form of hex is the name of a key that is made.
import base64
import random

import pytest

from support import program, samples
from support.files import Snapshot
from support.refusal import refuse

HEX = "7622d05f9a1b3c4e5d6f708192a3b4c5d6e7f80912233445566778899aabbccd"
WORDS = "a passphrase of several"
FORMS = {"x'": f"x'{HEX}'", "unclosed": f"x'{HEX}", "0x": "0x" + HEX, "40 digits": HEX[:40],
         "colons": ":".join(HEX[i:i + 2] for i in range(0, 64, 2)), "capitals": HEX.upper()}


def base64_keys(size):
    """A few of that many bytes, such as can be taken for a path, always the same ones."""
    made = random.Random(size)
    keys = (base64.b64encode(made.randbytes(size)).decode() for _ in range(1000))
    return [key for key in keys if "/" in key][:8]


@pytest.mark.parametrize("size", [18, 24, 33, 48])
def test_base64_as_a_file_is_not_repeated(work, source, size):
    for key in base64_keys(size):
        assert "=" not in key
        program.remember(key)
        for how in ([], ["--json"]):
            for option in ("--key-file", "--try-keys"):
                result = program.run("decrypt", *how, source, "out.db", option, key, cwd=work)
                assert result.exit in (3, 6), result
            result = program.run("rekey", *how, "--in-place", source, "--new-key-file", key, "--key-env",
                                 "K", env={"K": WORDS}, cwd=work)
            assert result.exit in (3, 6), result
        refuse(work, "no_key", "encrypt", source, "out.db", "--key-file", key, cwd=work)
        refuse(work, "no_key", "encrypt", source, "out.db", env={"DBSEAL_KEY_FILE": key}, cwd=work)


@pytest.mark.parametrize("how", [[], ["--json"], ["--report", "tap"]], ids=["text", "json", "tap"])
def test_base64_in_the_answers_about_a_sealed_database(work, sealed, how):
    for key in base64_keys(33):
        program.remember(key)
        for option in ("--key-file", "--try-keys"):
            assert program.run("verify", *how, sealed, option, key, cwd=work).exit == 3
        result = program.run("verify", *how, sealed, env={"DBSEAL_KEY_FILE": key}, cwd=work)
        assert result.exit == 3, result


@pytest.mark.parametrize("path", [
    "/etc/dbseal/keys/production/app1", "/home/anna/Documents/Keys/Production", "Fixtures/KeysOfTests/app",
    "/run/credentials/backup/1", "../Library/Application Support/App/key"])
def test_the_path_of_a_key_file_that_is_missing_is_named(work, source, path):
    found = refuse(work, "no_key", "encrypt", source, "out.db", "--key-file", path, cwd=work)
    assert path in found["message"]


def test_base64_as_the_name_of_a_key_is_not_repeated(work):
    for key in base64_keys(33):
        program.remember(key)
        refuse(work, "no_key", "key", "show", key)


@pytest.mark.parametrize("form", FORMS)
def test_a_key_as_the_ending_of_a_backup(work, source, form):
    program.remember(FORMS[form])
    found = refuse(work, "usage", "encrypt", "--in-place", source, "--backup", FORMS[form], "--key-env",
                   "K", env={"K": WORDS})
    assert "--key-file" in found["hint"]


def test_a_digest_behind_a_dot_is_an_ending(work, source):
    for ending in ("." + "5e1d" * 10, ".2026-11-30", ".old"):
        path = samples.plain(work / f"p{len(ending)}.db")
        before = path.read_bytes()
        program.ok("encrypt", "--in-place", path, "--backup", ending, "--key-env", "K", env={"K": WORDS})
        assert (work / (path.name + ending)).read_bytes() == before


@pytest.mark.parametrize("key", [f"x'{HEX}'", HEX, HEX + "=3", f"x'{HEX}'=3", HEX * 2 + HEX[:32]])
def test_a_key_as_a_table_or_a_parameter(work, source, key):
    program.remember(HEX)
    refuse(work, "usage", "verify", source, "--expect-table", key)
    refuse(work, "usage", "verify", source, "--expect-table", "users", "--expect-table", key)
    refuse(work, "usage", "inspect", source, "--query", "SELECT 1", "--param", key)


@pytest.mark.parametrize("key", [*FORMS.values(), HEX + "=1", *base64_keys(24)])
@pytest.mark.parametrize("early", [True, False])
def test_a_key_as_an_option(work, source, key, early):
    program.remember(key[:12])
    flag = "--" + key
    words = [flag, "verify"] if early else ["verify", flag]
    for how in ([], ["--json"]):
        assert program.run(*how, *words, source, cwd=work).exit == 2


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_no_name_of_a_key(work, source, stored, form):
    stored(FORMS[form])
    program.remember(FORMS[form])
    before = Snapshot(work)
    for name in (FORMS[form], "of app " + FORMS[form]):
        refuse(work, "usage", "key", "generate", "--keyring", name)
        refuse(work, "usage", "key", "store", name, "--key-env", "K", env={"K": WORDS})
        refuse(work, "usage", "encrypt", source, work / "out.db", "--create", "--keyring", name)
    before.unchanged()
    assert FORMS[form].encode() not in program.run("key", "list").out


def test_names_that_only_look_a_little_so(work, stored):
    for name in ("MyAppProductionKey2026Database", "app/Prod/Database", "8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60",
                 "decade facade", "0xApp"):
        program.ok("key", "generate", "--keyring", stored(name))
        program.ok("key", "delete", stored(name))
