# Plan: what is asked wrongly, and keys that are missing or unfit, end before any file is touched.
# - usage (2): unknown words, options and values, combinations, counts of operands;
# - no_key (3): nothing given and no terminal, empty, malformed, two lines, unsafe file, failed
#   source;
# - every way to give a key works: file, standard input, descriptor, variable, command, terminal;
# - no key is in the process's arguments, in what it prints, or in what a key command inherits.
import os
import time

import pytest

from support import peers, program
from support.files import Snapshot
from support.refusal import refuse

HEX = "a1b2c3d4" * 8
WORD = "a passphrase of words"

USAGE = {
    "no such command": ["encrpt", "plain.db", "out.db"],
    "no such option": ["encrypt", "--fromat", "4", "plain.db", "out.db"],
    "no source": ["encrypt"],
    "no target": ["encrypt", "plain.db"],
    "three operands": ["encrypt", "plain.db", "a.db", "b.db"],
    "target and in place": ["encrypt", "--in-place", "plain.db", "out.db"],
    "in place and folder": ["encrypt", "--in-place", "--output-dir", ".", "plain.db"],
    "format 5": ["encrypt", "--format", "5", "plain.db", "out.db"],
    "format without a value": ["encrypt", "plain.db", "out.db", "--format"],
    "page size 1000": ["encrypt", "--page-size", "1000", "plain.db", "out.db"],
    "page size 512 with tags": ["encrypt", "--page-size", "512", "plain.db", "out.db"],
    "no rounds": ["encrypt", "--kdf-iter", "0", "plain.db", "out.db"],
    "too many rounds": ["encrypt", "--kdf-iter", "99999999999999999999", "plain.db", "out.db"],
    "negative rounds": ["encrypt", "--kdf-iter=-1", "plain.db", "out.db"],
    "hash of old": ["encrypt", "--kdf-algorithm", "md5", "plain.db", "out.db"],
    "order": ["encrypt", "--hmac-pgno", "middle", "plain.db", "out.db"],
    "mask": ["encrypt", "--hmac-salt-mask", "3a3a", "plain.db", "out.db"],
    "short salt": ["encrypt", "--salt", "00ff", "plain.db", "out.db"],
    "salt of letters": ["encrypt", "--salt", "z" * 32, "plain.db", "out.db"],
    "header of 20": ["encrypt", "--plaintext-header", "20", "plain.db", "out.db"],
    "header of a page": ["encrypt", "--plaintext-header", "4096", "plain.db", "out.db"],
    "exact on encrypt": ["encrypt", "--exact", "plain.db", "out.db"],
    "two key sources": ["encrypt", "--key-fd", "0", "--key-env", "X", "plain.db", "out.db"],
    "raw and passphrase": ["encrypt", "--raw-key", "--passphrase", "plain.db", "out.db"],
    "one option twice": ["encrypt", "--format", "3", "--format", "4", "plain.db", "out.db"],
    "jobs": ["encrypt", "--jobs", "none", "plain.db", "out.db"],
    "timeout": ["encrypt", "--busy-timeout", "soon", "plain.db", "out.db"],
    "quiet and verbose": ["encrypt", "-q", "-v", "plain.db", "out.db"],
    "one name twice": ["encrypt", "--output-dir", ".", "plain.db", "./plain.db"],
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(work, source, keys, name):
    key = keys.raw()
    args = list(USAGE[name])
    if not any(a.startswith("--key") or a in ("--raw-key",) for a in args):
        args += ["--key-file", str(key)] if args[-1] != "--format" else []
    refuse(work, "usage", *args, cwd=work)


@pytest.mark.parametrize("words, command", [
    (["-j", "2", "encrypt", "--bogus"], "encrypt"),
    (["--progress", "auto", "decrypt", "--bogus"], "decrypt"),
    (["-qj", "2", "encrypt", "--bogus"], "encrypt"),
    (["--busy-timeout", "3", "-j4", "encrypt", "--bogus"], "encrypt"),
    (["--progress=auto", "rekey", "--bogus"], "rekey"), (["--bogus", "never"], None)])
def test_the_value_of_an_option_is_not_the_command(work, words, command):
    result = program.run(*words, "--json", cwd=work)
    assert (result.exit, result.json["command"]) == (2, command), result


@pytest.mark.parametrize("words", [
    ["--progress", "auto", "encrypt", "--help"], ["-j", "2", "encrypt", "-h"], ["help", "encrypt"]])
def test_help_is_that_of_the_command(words):
    result = program.run(*words)
    assert result.exit == 0 and b"dbseal encrypt [OPTION]" in result.out, result
    answer = program.run("--json", *words).json
    assert (answer["command"], answer["exit"], answer["ok"]) == ("help", 0, True)
    assert answer["text"].encode() == result.out


def test_the_versions_in_json():
    answer = program.run("--version", "--json").json
    assert answer["ok"] is True and answer["command"] is None
    for fact in ("version", "engine", "sqlite", "crypto"):
        assert answer[fact] in program.version_text(), fact


def test_a_key_failure_names_the_one_database(work, source):
    found = refuse(work, "no_key", "encrypt", source, work / "out.db", "--key-env", "NOT_SET")
    assert found["database"] == str(source), found
    (work / "folder").mkdir()
    (work / "b.db").write_bytes(source.read_bytes())
    found = program.run("encrypt", "--json", source, work / "b.db", "--output-dir",
                        work / "folder", "--key-env", "NOT_SET")
    failure, last = found.objects
    assert found.exit == 3 and failure["database"] is None, found
    assert last["summary"]["failures"] == {"no_key": 2}
    assert os.listdir(work / "folder") == []


@pytest.mark.parametrize("flag", ["--pass:SECRET", "--kye:SECRET", "--kye=SECRET",
                                  "--a-very-long-name-without-an-end-SECRET", "--pw:=SECRET"])
@pytest.mark.parametrize("early", [True, False])
def test_what_a_misspelt_option_carries_is_not_repeated(work, source, flag, early):
    program.remember("hunter2-secret")
    flag = flag.replace("SECRET", "hunter2-secret")
    words = [flag, "encrypt"] if early else ["encrypt", flag]
    result = program.run("--json", *words, "plain.db", "out.db", cwd=work)
    assert result.exit == 2 and result.json["code"] == "usage", result


@pytest.mark.parametrize(
    "flag", ["--key", "--password", "-k", "--key=SECRET", "--passphrase=SECRET"])
def test_a_key_as_an_argument_is_refused_and_not_repeated(work, source, flag):
    program.remember("hunter2-secret")
    flag = flag.replace("SECRET", "hunter2-secret")
    rest = [] if "=" in flag else ["hunter2-secret"]
    found = refuse(work, "usage", "encrypt", flag, *rest, "plain.db", "out.db", cwd=work)
    if not flag.startswith("--passphrase"):
        assert "--key-file" in str(found["hint"]), found


def test_help_and_version_win_over_everything():
    for args in (["--help"], ["--version"], ["help"], ["help", "encrypt"], ["encrypt", "--help"],
                 ["decrypt", "nothing.db", "--nonsense", "-h"]):
        found = program.run(*args)
        assert found.exit == 0 and found.out and not found.err, found


def test_no_arguments_at_all_is_a_usage_error_with_help():
    found = program.run()
    assert found.exit == 2 and b"encrypt" in found.out + found.err, found


def no_key(work, *options, **more):
    return refuse(work, "no_key", "encrypt", "plain.db", "out.db", *options, cwd=work, **more)


def test_no_key_and_no_terminal(work, source):
    no_key(work)


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n", b"one\ntwo\n", b"one\n\n", b"with\0nul\n"],
                         ids=["nothing", "line feed", "crlf", "two lines", "blank line", "nul"])
def test_key_files_that_hold_no_key(work, source, keys, data):
    no_key(work, "--key-file", keys.file(data))


@pytest.mark.parametrize("text", ["x'abc'", "x'" + "g" * 64 + "'", "x'" + "a" * 63 + "'", "X'12"])
def test_almost_a_raw_key_is_refused_unless_it_is_meant(work, source, keys, text):
    no_key(work, "--key-file", keys.file(text))
    program.ok("encrypt", source, work / "out.db", "--key-file", keys.file(text), "--passphrase",
               "--kdf-iter", "10")
    # SQLCipher itself takes a malformed raw key for a passphrase.
    peers.sound(peers.sealed(work / "out.db", text, [("kdf_iter", 10)]))


@pytest.mark.parametrize(
    "digits", ["a" * 63, "a" * 65, "g" * 64, "a" * 128, "x'" + "a" * 66 + "'", "k"])
def test_raw_keys_have_64_96_or_160_digits(work, source, keys, digits):
    no_key(work, "--raw-key", "--key-file", keys.file(digits))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_file_that_others_can_read_is_refused_unless_allowed(work, source, keys, mode):
    key = keys.file(HEX, mode=mode)
    no_key(work, "--raw-key", "--key-file", key)
    program.ok("encrypt", source, work / "out.db", "--raw-key", "--key-file", key,
               "--allow-open-key-file")


def test_key_sources_that_fail(work, source, keys):
    no_key(work, "--key-file", keys.folder / "missing")
    no_key(work, "--key-file", keys.folder)
    no_key(work, "--key-fd", "77")
    no_key(work, "--key-env", "NO_SUCH_VARIABLE")
    no_key(work, "--key-env", "EMPTY", env={"EMPTY": ""})
    no_key(work, "--key-command", "false")
    no_key(work, "--key-command", "/no/such/program")
    no_key(work, "--key-command", "sh -c 'kill -9 $$'")
    no_key(work, "--key-command", "echo 'unbalanced")
    no_key(work, "--key-command", "true")
    no_key(work, env={"DBSEAL_KEY": ""})
    no_key(work, env={"DBSEAL_KEY_FILE": str(keys.folder / "missing")})


def test_a_key_source_that_never_ends_is_bounded(work, source):
    no_key(work, "--key-file", "/dev/zero", "--key-binary")
    no_key(work, "--key-command", "yes")


def opens(work, word=WORD):
    judge = peers.sealed(work / "out.db", word, [("kdf_iter", 10)])
    assert judge.execute("SELECT count(*) FROM people").fetchone() == (273,)
    os.remove(work / "out.db")


def test_every_way_to_give_a_key(work, source, keys):
    program.remember(WORD)

    def encrypt(*options, **more):
        program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", *options, **more)
        opens(work)

    encrypt("--key-file", keys.file(WORD + "\n"))
    encrypt("--key-file", keys.file(WORD + "\r\n"))
    encrypt("--key-file", keys.file(WORD))
    encrypt("--key-file", "-", stdin=WORD.encode() + b"\n")
    encrypt("--key-fd", "0", stdin=WORD.encode())
    reading, writing = os.pipe()
    os.write(writing, WORD.encode())
    os.close(writing)
    encrypt("--key-fd", str(reading), fds=[reading])
    os.close(reading)
    encrypt("--key-env", "MY_KEY", env={"MY_KEY": WORD})
    encrypt("--key-command", f"cat '{keys.file(WORD, 'a key')}'")
    encrypt("--key-command", f'printf %s\\\\n "{WORD}"')
    encrypt(env={"DBSEAL_KEY": WORD})
    encrypt(env={"DBSEAL_KEY_FILE": str(keys.file(WORD))})
    encrypt(env={"DBSEAL_KEY_COMMAND": f"cat '{keys.file(WORD)}'"})


def test_a_variable_is_taken_as_it_is(work, source):
    program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-env", "K",
               env={"K": " blanks and a line feed \n"})
    opens(work, " blanks and a line feed \n")


def test_a_key_of_a_mebibyte_counts_to_its_last_byte(work, source, keys):
    long = "k" * (1 << 20)
    program.ok("encrypt", source, work / "out.db", "--kdf-iter", "10", "--key-file",
               keys.file(long))
    program.ok("decrypt", work / "out.db", work / "back.db", "--kdf-iter", "10", "--key-file",
               keys.file(long))
    os.remove(work / "back.db")
    refuse(work, "wrong_key", "decrypt", work / "out.db", work / "back.db", "--kdf-iter", "10",
           "--key-file", keys.file(long[:-1]))
    refuse(work, "no_key", "decrypt", work / "out.db", work / "back.db", "--key-file",
           keys.file(long + "k"))


def test_the_terminal_asks_twice_without_echo(work, source):
    program.remember(WORD)
    found = program.run_tty("encrypt", source, work / "out.db", "--kdf-iter", "10",
                            answers=[("ey", WORD), ("ey", WORD)])
    assert found.exit == 0, found
    found = program.run_tty("decrypt", work / "out.db", work / "back.db", "--kdf-iter", "10",
                            answers=[("ey", WORD)])
    assert found.exit == 0, found
    opens(work)


def test_two_different_answers_are_no_key(work, source):
    before = Snapshot(work)
    found = program.run_tty("encrypt", source, work / "out.db",
                            answers=[("ey", "one of them"), ("ey", "another one")])
    assert found.exit == 3, found
    before.unchanged()


def test_no_prompt_for_a_file_that_cannot_be_converted(work, sealed):
    found = program.run_tty("encrypt", sealed, work / "out.db")
    assert found.exit == 6, found
    found = program.run_tty("encrypt", work / "missing.db", work / "out.db")
    assert found.exit == 9, found


def test_no_key_is_in_the_arguments_or_reaches_a_key_command(work, source, keys):
    program.remember(WORD)
    seen = keys.folder / "environment"
    script = keys.folder / "script"
    script.write_text(f"#!/bin/sh\nenv > {seen}\nsleep 0.3\necho other words\n")
    script.chmod(0o700)
    process = program.start("encrypt", source, work / "out.db", "--key-command", str(script),
                            env={"DBSEAL_KEY": WORD})
    time.sleep(0.15)
    with open(f"/proc/{process.pid}/cmdline", "rb") as file:
        program.no_secret(file.read())
    out, err = process.communicate()
    assert process.returncode == 0, err
    program.no_secret(out, err, seen.read_bytes())


def test_a_value_that_begins_with_a_dash(work, source):
    query = "-- a comment\nSELECT 1 AS one"
    found = refuse(work, "usage", "inspect", source, "--query", query)
    option = found["hint"].split()[-1].split("=")[0]
    assert option == "--query"
    assert program.ok("inspect", source, f"{option}={query}")["rows"] == [[1]]
    # Where nothing follows, nothing is guessed.
    assert refuse(work, "usage", "inspect", source, "--query")["hint"] == "dbseal inspect --help"


def test_operands_are_called_as_the_help_calls_them(work, source, keys):
    for command in ("encrypt", "decrypt", "rekey", "migrate"):
        found = refuse(work, "usage", command, "a", "b", "c")
        name = program.run("help", command).out.decode().split("[OPTION]... ")[1].split()[0]
        assert f"more than {name} and TARGET" in found["message"], found
