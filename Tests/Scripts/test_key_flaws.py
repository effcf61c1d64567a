# Plan: a key that is none, and a new key that may be meant otherwise, are called what they are.
# - a key that is none is called by which key it is, with the options of that key, and by what is
#   wrong with it;
# - what would make a raw key of something else is said;
# - a new key that looks like another form of key, or has something around it, gets a note.
import base64
import re
import shutil
import subprocess

import pytest

from support import peers, program, samples
from support.refusal import refuse

DIGITS = "a1b2c3d4" * 8
RAW = f"x'{DIGITS}'"
SALT = "00112233445566778899aabbccddeeff"
BYTES = bytes(range(65, 97))

BAD = {"empty": b"", "newline": b"\n", "two lines": b"a\nb", "nul": b"a\0b",
       "mark": b"\xef\xbb\xbfword", "UTF-16": "word\r\n".encode("utf-16"),
       "empty line": b"word\n\n", "no text": b"\x01\x02\nab", "open x'": b"x'" + b"ab" * 32,
       "database": b"SQLite format 3\0" + bytes(84), "x'": b"x'123'", "too long": b"a" * ((1 << 20) + 9)}
WHICH = [("", "the database's key"), ("new-", "the new key"),
         ("against-", "the other database's key")]


@pytest.mark.parametrize("prefix, name", WHICH, ids=["own", "new", "against"])
@pytest.mark.parametrize("bad", BAD)
def test_which_key_is_none(work, keys, sealed, bad, prefix, name):
    files = {"": keys.raw(), "new-": keys.raw("0f" * 32, "new"), "against-": keys.raw(name="o")}
    files[prefix] = keys.file(BAD[bad], "bad")
    if prefix == "against-":
        shutil.copy(sealed, work / "b.db")
        args = ["verify", sealed, "--against", work / "b.db", "--against-key-file",
                files["against-"]]
    else:
        args = ["rekey", sealed, "--new-key-file", files["new-"]]
    found = refuse(work, "no_key", *args, "--key-file", files[""])
    assert name in found["message"] or bad == "database", found
    assert f"--{prefix}" in found["hint"] or bad == "mark", found
    said = {"UTF-16": "UTF-16", "empty line": "1 empty line", "no text": "not text",
            "open x'": "the ' at its end is missing", "x'": "3 hex digits"}
    assert said.get(bad, "") in found["message"], found
    assert "with one, it is a raw key" in found["hint"] or bad != "open x'", found
    others = [f"--{p}key" for p, _ in WHICH if p != prefix]
    assert not any(other in found["hint"] for other in others), found


@pytest.mark.parametrize("key, binary, hint", [
    (DIGITS + "\n", True, "newline"), (f" {DIGITS}\t", False, "blanks"), (f"{RAW} ", False, "blanks"),
    (f'"{RAW}"', False, "quotes"), (f"'{DIGITS}'", False, "quotes"),
    ("\ufeff" + DIGITS, True, "byte-order mark"), ("0x" + DIGITS, False, "before"), (DIGITS[1:], False, "1 digit less than 64"),
    (base64.b64encode(BYTES).decode(), False, "base64"), ("word\n", True, "passphrase")])
def test_what_would_be_a_raw_key(work, keys, sealed, key, binary, hint):
    options = ["--key-binary"] if binary else []
    found = refuse(work, "no_key", "verify", sealed, "--raw-key", "--key-file", keys.file(key),
                   *options)
    assert hint in found["hint"], found


@pytest.mark.parametrize("prefix, name", WHICH, ids=["own", "new", "against"])
@pytest.mark.parametrize("option, key, hint", [
    ("raw-key", "123", "raw-key"), ("passphrase", RAW, "passphrase")])
def test_which_key_is_of_another_form(work, keys, sealed, prefix, name, option, key, hint):
    bad = ["--" + prefix + "key-file", keys.file(key, "bad"), f"--{prefix}{option}"]
    own = [] if prefix == "" else ["--key-file", keys.raw()]
    args = {"": ["decrypt", sealed, work / "o.db"], "new-": ["rekey", sealed],
            "against-": ["verify", sealed, "--against", shutil.copy(sealed, work / "a.db")]}[prefix]
    found = refuse(work, "no_key", *args, *own, *bad)
    assert name in found["message"] and f"--{prefix}{hint}" in found["hint"], found


@pytest.mark.parametrize("key, options, message, hint", [
    ("x'" + "ab" * 30 + "zzzz'", [], "some of its 64 characters are none", "--passphrase"),
    ("ab" * 30 + "zzzz", ["--raw-key"], "has others among its 64 characters", "without --raw-key"),
    (RAW + " ", [], "its last ' is not its end", "without the blanks around it, it is a raw key"),
    (RAW + ";", [], "its last ' is not its end", "without the semicolon"),
    ("x'" + DIGITS, [], "the ' at its end is missing", "with one, it is a raw key"),
    (bytes(range(100, 132)), ["--raw-key", "--key-binary"], "of 32 characters",
     "xxd -p -c 99 FILE"),
    (base64.b64encode(bytes(range(100, 132))), ["--raw-key"], "of 44 characters",
     "base64 -d | xxd -p -c 99")])
def test_what_is_wrong_with_it_is_so(work, keys, sealed, key, options, message, hint):
    found = refuse(work, "no_key", "verify", sealed, "--key-file", keys.file(key), *options)
    assert message in found["message"] and hint in found["hint"], found


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_what_is_told_for_base64_makes_the_digits(work, keys, sealed, encode):
    key = keys.file(encode(bytes.fromhex(DIGITS)) + b"\n")
    found = refuse(work, "no_key", "verify", sealed, "--raw-key", "--key-file", key)
    line = re.search(r"\((tr .*)\)", found["hint"]).group(1).replace("FILE", f"'{key}'")
    digits = subprocess.run(line, shell=True, capture_output=True, check=True).stdout
    assert digits == DIGITS.encode() + b"\n"
    program.ok("verify", sealed, "--raw-key", "--key-file", keys.file(digits, "digits"))


def test_a_variable_that_is_not_set(work, keys, sealed):
    found = refuse(work, "no_key", "verify", sealed, "--key-env", "NOT_SET")
    assert "not set" in found["message"] and "protects nothing" not in found["hint"], found


ODD = {DIGITS: "raw key", DIGITS + SALT: "raw key", "0x" + DIGITS: "raw key",
       "'some words'": "quotes", '"some words"': "quotes", "some words ": "blanks",
       "PRAGMA key='some words';": "statement"}


@pytest.mark.parametrize("key", [*ODD, "some words", "it's", RAW, "v3ry/l0ng+k3y==;"])
def test_a_new_key_that_may_be_meant_otherwise(work, keys, source, key):
    args = ["encrypt", source, work / "out.db", "--key-file", keys.file(key)]
    notes = [one for one in program.ok(*args)["notes"] if one["note"] == "key_form"]
    assert [ODD[key] in one["message"] for one in notes] == [True] * (key in ODD), notes
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    # An engine of before format 4 cannot create one.
    known = ["--format", "3"] if program.engine() < (4,) else []
    for more in (["--dry-run"], []):
        found = program.ok("migrate", "--schema", work / "m", "--create", work / "c.db", *more,
                           *known, "--key-file", keys.file(key))
        assert [one["note"] for one in found["notes"]] == ["key_form"] * (key in ODD), found
    new = ["--new-key-file", keys.file(key, "new")]
    peers.create_sealed(work / "a.db", "other words", [("cipher_compatibility", 2)], samples.fill)
    rekey = ["rekey", "--key-file", keys.file("other words", "old"), work / "a.db", "--in-place"]
    found = program.ok(*rekey, *new, "--dry-run")
    assert [one["note"] for one in found["notes"]] == ["key_form"] * (key in ODD), found
    if key != RAW:
        found = program.ok(*rekey, *new, "--new-passphrase")
        assert found["notes"] == [], found


@pytest.mark.parametrize("typed", ["hunter\x1b[D\x1b[D", "\x01hunter", "hun\x0btered"],
                         ids=["arrow", "ctrl-a", "ctrl-k"])
def test_control_characters_are_not_taken_from_a_keyboard(work, source, sealed, typed):
    # None of them can be seen while it is typed, and none is wanted.
    for args in (["encrypt", source, work / "out.db"], ["verify", sealed], ["key", "store", "typed"]):
        done = program.run_tty(*args, answers=[("typed" if args[0] == "key" else "ey of", typed)])
        assert done.exit == 3 and b"control characters" in done.out, done
        assert b"--key-file takes a key that has them" in done.out and typed.encode() not in done.out
    assert not (work / "out.db").exists()


def test_a_tab_may_be_typed(work, source):
    done = program.run_tty("encrypt", source, work / "out.db", "--kdf-iter", "10",
                           answers=[("key of", "a\tb"), ("again", "a\tb")])
    assert done.exit == 0, done
    peers.sound(peers.sealed(work / "out.db", "a\tb", [("kdf_iter", 10)]))


def test_a_typed_key_that_is_none_is_asked_for_once(work, source):
    for args in (["encrypt", source, work / "out.db"], ["key", "store", "typed"],
                 ["encrypt", source, work / "out.db", "--raw-key"]):
        done = program.run_tty(*args, answers=[(": ", "x'abcd")])
        assert done.exit == 3 and b"again" not in done.out and b"64, 96 or 160" in done.out, done


def test_an_empty_new_key_that_is_typed(work, keys, sealed):
    result = program.run_tty("rekey", "--key-file", keys.raw(), sealed, answers=[("New key", "")])
    assert result.exit == 3 and b"the new key is empty" in result.out, result
    assert b"dbseal decrypt" in result.out


@pytest.mark.parametrize("count, said", [
    (63, "1 digit less than 64"), (65, "1 digit more than 64"), (62, "2 digits less than 64"),
    (95, "1 digit less than 96"), (161, "1 digit more than 160"), (40, "whole")])
@pytest.mark.parametrize("prefix, name", WHICH[:2], ids=["own", "new"])
def test_digits_of_another_number(work, keys, source, sealed, count, said, prefix, name):
    digits = (DIGITS * 3)[:count]
    for text, more in ((digits, ["raw-key"]), (f"x'{digits}'", []), (f"x'{digits}'", ["raw-key"])):
        options = [f"--{prefix}key-file", keys.file(text, "bad"), *(f"--{prefix}{one}" for one in more)]
        args = (["rekey", sealed, "--key-file", keys.raw()] if prefix else
                ["encrypt", source, work / "o.db"])
        found = refuse(work, "no_key", *args, *options)
        assert str(count) in found["message"] and name in found["message"], found
        assert said in found["hint"] and f"check what --{prefix}key-file names" in found["hint"], found
        assert "passphrase" not in found["hint"] and "--raw-key" not in found["hint"], found
    # Without the option it is a passphrase, and that is noted where it is nearly a raw key.
    found = program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-file",
                       keys.file(digits, "digits"))
    notes = [one["message"] for one in found["notes"] if one["note"] == "key_form"]
    assert ["hex digits" in one for one in notes] == [True] * (count != 40), found


def test_characters_that_are_no_digits(work, keys, source):
    found = refuse(work, "no_key", "encrypt", source, work / "o.db", "--key-file",
                   keys.file(f"x'{DIGITS[4:]}zzzz'"))
    assert "64 characters" in found["message"] and "--passphrase" in found["hint"], found


IDENTITY = b"# created: 2026-01-01\n# public key: age1q\nAGE-SECRET-KEY-1QQQ\n"


@pytest.mark.parametrize("text, word", [
    (IDENTITY, "age --decrypt"), (b"AGE-SECRET-KEY-1QQQ\n# old\n", "age --decrypt"),
    (b"# the app's key\nsome words\n", "without a comment")])
def test_a_first_line_that_is_no_key_is_not_advised(work, keys, source, text, word):
    """`head -n 1` would seal with the comment."""
    found = refuse(work, "no_key", "encrypt", source, work / "out.db", "--key-file", keys.file(text))
    assert word in found["hint"] and "head" not in found["hint"], found


@pytest.mark.parametrize("line", ["x'zz'", "x'abcd"])
@pytest.mark.parametrize("more", [[], ["--passphrase"], ["--raw-key"]])
def test_a_line_of_a_list_that_is_no_key(work, keys, sealed, line, more):
    """No option fits it and the others: the line is what has to change."""
    if more == ["--passphrase"]:
        line = f"x'{DIGITS}'"
    path = keys.file(f"x'{DIGITS[::-1]}'\n{line}\n" if not more[:1] == ["--passphrase"] else f"words\n{line}\n")
    found = refuse(work, "no_key", "verify", sealed, "--try-keys", path, *more)
    assert "line 2" in found["message"] and "line 2" in found["hint"], found
    assert "--passphrase" not in found["hint"], found


def test_an_open_file_behind_a_descriptor(work, keys, sealed):
    """The same name is the terminal's where it is typed."""
    path = keys.file("some words")
    path.chmod(0o644)
    done = subprocess.run([program.BIN, "verify", sealed, "--key-file", "/dev/stdin"], stdin=path.open("rb"),
                          capture_output=True, env=program.clean_env())
    assert done.returncode == 3 and b"chmod 600 the file behind it" in done.stderr, done
