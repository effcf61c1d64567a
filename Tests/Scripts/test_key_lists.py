# Plan: of the keys that somebody has, the one that fits is found, and only its number is said.
# - verify, inspect and decrypt; each of several databases gets its own; text and JSON;
# - passphrases and raw keys in one list; blank lines and CRLF; the first that fits counts;
# - another format, damage on page 1, a plaintext header: what one key could open, a list can;
# - none fits, of one or of several: wrong key, with how many there were; a list that is none, or is open to others: exit 3;
# - a list that is typed is asked for without echo, as a key from any terminal is;
# - a plaintext database takes no key; a list excludes every other source;
# - derivations side by side do not change which one is found.
import pytest

from support import peers, program, samples
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"
KEYS = ["the first of all", RAW, "caf\u00e9 au lait", "it's \"quoted\"", "the last of all"]


@pytest.fixture
def ring(keys):
    """A list of KEYS, with blank lines."""
    for key in KEYS:
        program.remember(key)

    def make(lines=("", *KEYS, "", "one more that fits nothing", ""), end="\n", **more):
        return keys.file(end.join(lines), "ring", **more)

    return make


# Ten rounds, so that a list costs nothing; one test has the real ones.
QUICK = ["--kdf-iter", "10"]


def create(work, name, key, pragmas=(("kdf_iter", 10),)):
    return peers.create_sealed(work / name, key, list(pragmas), samples.fill)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("number", range(len(KEYS)))
def test_the_key_that_fits(work, ring, number, end):
    path = create(work, "a.db", KEYS[number])
    line = number + 2
    options = [*QUICK, "--try-keys", ring(end=end)]
    assert program.ok("verify", "--quick", path, *options)["key_line"] == line
    assert program.ok("inspect", path, *options)["key_line"] == line
    found = program.ok("inspect", path, "--query", "SELECT count(*) FROM people", *options)
    assert found["rows"] == [[273]] and found["key_line"] == line
    assert program.ok("decrypt", path, work / "plain.db", *options)["key_line"] == line
    peers.sound(peers.plain(work / "plain.db"))
    for command in (["verify", "--quick", path], ["inspect", path],
                    ["inspect", path, "--query", "SELECT 1"],
                    ["decrypt", path, work / "again.db"]):
        done = program.run(*command, *options)
        assert done.exit == 0 and f"the key on line {line} fits".encode() in done.err, done
        if "decrypt" not in command:
            assert b"line" not in program.run(*command, "-q", *options).err


def test_each_of_several_databases_gets_its_own(work, ring):
    paths = [create(work, f"{number}.db", key) for number, key in enumerate(KEYS)]
    options = [*QUICK, "--try-keys", ring()]
    done = program.run("verify", "--quick", "--json", *paths, *options)
    assert done.exit == 0, done
    assert [each.get("key_line") for each in done.objects] == [2, 3, 4, 5, 6, None]
    done = program.run("inspect", "--json", *paths, *options)
    assert [each.get("key_line") for each in done.objects] == [2, 3, 4, 5, 6, None]
    (work / "out").mkdir()
    done = program.run("decrypt", "--json", "--output-dir", work / "out", *paths, *options)
    assert done.exit == 0, done
    assert [each.get("key_line") for each in done.objects] == [2, 3, 4, 5, 6, None]


def test_each_side_of_a_comparison_gets_its_own(work, ring):
    a, b = create(work, "a.db", KEYS[4]), create(work, "b.db", KEYS[0])
    found = program.ok("verify", a, "--against", b, *QUICK, "--against-kdf-iter", "10",
                       "--try-keys", ring())
    assert found["verdicts"]["content"]["verdict"] == "equal" and found["key_line"] == 6


def test_the_first_that_fits_counts(work, ring):
    path = create(work, "a.db", "twice")
    program.remember("twice")
    lines = ["no", "twice", "nor this", "twice", "nor that"]
    for jobs in ("1", "2", "5"):
        for _ in range(3):
            found = program.ok("verify", "--quick", path, *QUICK, "--try-keys", ring(lines),
                               "-j", jobs)
            assert found["key_line"] == 2


@pytest.mark.parametrize("pragmas, options", [
    ([], []), ([("cipher_compatibility", 3)], []), ([("cipher_compatibility", 1)], []),
    ([("cipher_page_size", 8192)], ["--source-page-size", "8192"]),
    ([("cipher_plaintext_header_size", 32), ("cipher_salt", "x'" + "0f" * 16 + "'")],
     ["--plaintext-header", "32", "--salt", "0f" * 16])])
def test_other_settings(work, ring, pragmas, options):
    path = create(work, "a.db", KEYS[2], pragmas)
    found = program.ok("decrypt", path, work / "plain.db", "--try-keys", ring(), *options)
    assert found["key_line"] == 4
    peers.sound(peers.plain(work / "plain.db"))


def test_a_damaged_first_page_does_not_hide_the_key(work, ring):
    path = create(work, "a.db", RAW)
    data = bytearray(path.read_bytes())
    data[2000] ^= 1
    path.write_bytes(data)
    done = program.run("verify", "--json", path, "--try-keys", ring())
    assert done.exit == 5 and done.json["key_line"] == 3 and 1 in done.json["damaged_pages"], done


def test_none_fits(work, ring):
    path = create(work, "a.db", "another")
    for command in (["verify"], ["inspect"], ["decrypt", work / "out.db"]):
        found = refuse(work, "wrong_key", command[0], path, *command[1:], "--try-keys", ring())
        assert "none of 6 keys" in found["message"] and found["keys_tried"] == 6, found
    found = refuse(work, "wrong_key", "verify", path, "--try-keys", ring(["single"]))
    assert "the one key of the list does not open it" in found["message"]
    assert "opens it" not in found["message"] and found["keys_tried"] == 1


def test_a_slip_in_a_list_is_found_by_the_key_alone(work, ring, keys):
    """What the hint for a list names does it."""
    path = create(work, "a.db", "some words")
    found = refuse(work, "wrong_key", "verify", *QUICK, path, "--try-keys", ring(["some words "]))
    assert "a key alone, with --key-file" in found["hint"], found
    found = refuse(work, "wrong_key", "verify", *QUICK, path, "--key-file",
                   keys.file("some words \n", "alone"))
    assert "without the blanks" in found["hint"], found


def test_raw_digits_are_what_the_option_says(work, ring):
    digits = RAW[2:-1]
    program.remember(digits)
    path = create(work, "a.db", RAW)
    lines = ["0f" * 32, digits]
    refuse(work, "wrong_key", "verify", path, "--try-keys", ring(lines))
    assert program.ok("verify", path, "--raw-key", "--try-keys", ring(lines))["key_line"] == 2
    found = refuse(work, "no_key", "verify", path, "--raw-key", "--try-keys",
                   ring([digits, "words"]))
    assert "line 2" in found["message"], found


@pytest.mark.parametrize("data", [
    b"", b"\n\r\n\n", b"\xef\xbb\xbfa\nb\n", b"a\0b\nc\n", b"a\nx'12'\n", b"k\n" * (1 << 20)])
def test_lists_that_are_none(work, sealed, keys, data):
    found = refuse(work, "no_key", "verify", sealed, "--try-keys", keys.file(data))
    # It is the list that is wrong, or a line of it.
    assert "list" in found["message"] or "line" in found["message"], found


def test_a_list_that_others_can_read(work, sealed, ring):
    refuse(work, "no_key", "verify", sealed, "--try-keys", ring(mode=0o644))
    program.ok("verify", sealed, "--try-keys", ring(mode=0o644), "--allow-open-key-file")


def test_a_list_from_standard_input(work, sealed, ring):
    found = program.ok("verify", sealed, "--try-keys", "-", stdin=ring().read_bytes())
    assert found["key_line"] == 3


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/tty"])
def test_a_list_that_is_typed(sealed, keys, name):
    """It is asked for as one key is: key by key, and nothing that is typed is shown."""
    program.remember("wrong words")
    program.remember(RAW)
    answers = [("Key 1: ", "wrong words"), ("Key 2, or nothing: ", RAW),
               ("Key 3, or nothing: ", "")]
    done = program.run_tty("verify", sealed, "--try-keys", name, answers=answers)
    assert done.exit == 0 and b"the key on line 2 fits" in done.out, done
    done = program.run_tty("verify", sealed, "--try-keys", name, answers=[("Key 1: ", "")])
    assert done.exit == 3 and b"the list holds no key" in done.out, done


@pytest.mark.parametrize("source", [
    ["--key-file", "-"], ["--key-file", "/dev/stdin"], ["--key-file", "/dev/tty"], ["--key-fd", "0"]])
def test_a_key_of_a_terminal_is_not_shown(sealed, keys, source):
    program.remember(RAW)
    done = program.run_tty("verify", sealed, *source, answers=[("ey", RAW)])
    assert done.exit == 0, done


def test_a_plaintext_database_has_no_key(work, source, ring):
    refuse(work, "wrong_kind", "verify", source, "--try-keys", ring())
    found = program.ok("inspect", source, "--try-keys", ring())
    assert "key_line" not in found and any(n["note"] == "key_not_used" for n in found["notes"])


@pytest.mark.parametrize("other", [
    ["--key-file", "k"], ["--key-fd", "0"], ["--key-env", "K"], ["--key-command", "true"],
    ["--keyring", "k"], ["--key-binary"]])
def test_a_list_excludes_other_sources(work, sealed, ring, other):
    refuse(work, "usage", "verify", sealed, "--try-keys", ring(), *other)


@pytest.mark.parametrize("command", ["encrypt", "rekey", "migrate"])
def test_commands_that_need_one_key(work, sealed, ring, command):
    found = refuse(work, "usage", command, sealed, work / "out.db", "--try-keys", ring())
    assert "verify" in found["hint"]
