# Plan: what would open the file is said, where it was found by trying; and what it says is true.
# - each slip that a file, a shell or an editor makes with a key, on files that SQLCipher made: the
#   hint, the fact in JSON, and following it opens the file; in every command that takes a key;
# - what nothing opens: the hint says what the key looks like, names other products, and claims
#   nothing; no part of a key is printed (every run proves that);
# - settings of another format, page size or mixture are named with the command's own options;
# - of many databases the first are looked into, the rest only as far as it costs nothing;
# - a salt that is not needed, and the key of another database, are called that.
import base64
import shutil
import subprocess

import pytest

from support import peers, program, samples
from support.refusal import refuse

DIGITS = "a1b2c3d4" * 8
RAW = f"x'{DIGITS}'"
SALT = "00112233445566778899aabbccddeeff"
HMAC = "5a" * 32
OLD3 = [("cipher_compatibility", 3)]
OLD2 = [("cipher_compatibility", 2)]
BYTES = bytes(range(65, 97))
# What SQLCipher is given, what dbseal is given and how; the fact; what does it.
SLIPS = {
    "newline too many": ("some words", b"some words\n", ["--key-binary"],
                         "without_newline", b"some words", []),
    "carriage return": ("some words", b"some words\r\n", ["--key-binary"],
                        "without_newline", b"some words", []),
    "newline missing": ("some words\n", b"some words", [],
                        "with_newline", b"some words\n", ["--key-binary"]),
    "blanks": ("some words", b"  some words \n", [], "without_blanks", b"some words", []),
    "tab": ("some words", b"some words\t", [], "without_blanks", b"some words", []),
    "quotes": ("some words", b'"some words"\n', [], "without_quotes", b"some words", []),
    "apostrophes and blanks": ("some words", b" 'some words' ", [], "without_quotes",
                               b"some words", []),
    "mark": ("some words", b"\xef\xbb\xbfsome words", ["--key-binary"],
             "without_byte_order_mark", b"some words", []),
    "quoted raw": (RAW, f'"{RAW}"'.encode(), [], "without_quotes", RAW.encode(), []),
    "raw as passphrase": (RAW, DIGITS.encode(), [], "raw", DIGITS.encode(), ["--raw-key"]),
    "passphrase as raw": (DIGITS, DIGITS.encode(), ["--raw-key"], "passphrase",
                          DIGITS.encode(), []),
    "passphrase as x''": (DIGITS, RAW.encode(), [], "passphrase", DIGITS.encode(), []),
    "96 as passphrase": (f"x'{DIGITS}{SALT}'", (DIGITS + SALT).encode(), [], "raw",
                         (DIGITS + SALT).encode(), ["--raw-key"]),
    "96 as raw": (DIGITS + SALT, (DIGITS + SALT).encode(), ["--raw-key"], "passphrase",
                  (DIGITS + SALT).encode(), []),
    "160 as passphrase": (f"x'{DIGITS}{HMAC}{SALT}'", (DIGITS + HMAC + SALT).encode(), [], "raw",
                          (DIGITS + HMAC + SALT).encode(), ["--raw-key"]),
    "160 as raw": (DIGITS + HMAC + SALT, (DIGITS + HMAC + SALT).encode(), ["--raw-key"],
                   "passphrase", (DIGITS + HMAC + SALT).encode(), []),
    "capitals": (DIGITS.upper(), DIGITS.upper().encode(), ["--raw-key"], "passphrase",
                 DIGITS.upper().encode(), []),
    "another salt": (RAW, (DIGITS + SALT).encode(), ["--raw-key"], "without_salt",
                     DIGITS.encode(), ["--raw-key"]),
    "digits of bytes": (BYTES.decode(), BYTES.hex().encode(), ["--raw-key"], "bytes_of_digits",
                        BYTES, ["--key-binary"]),
    "digits of bytes as typed": (BYTES.decode(), BYTES.hex().encode(), [], "bytes_of_digits",
                                 BYTES, ["--key-binary"]),
    "bytes of digits": (f"x'{BYTES.hex()}'", BYTES, ["--key-binary"], "bytes_as_raw",
                        BYTES.hex().encode(), ["--raw-key"]),
    "base64 of a raw key": (f"x'{BYTES.hex()}'", base64.b64encode(BYTES), [], "base64_as_raw",
                            BYTES.hex().encode(), ["--raw-key"]),
    "base64 of bytes": (BYTES.decode(), base64.urlsafe_b64encode(BYTES).rstrip(b"="), [],
                        "bytes_of_base64", BYTES, ["--key-binary"]),
    "accents apart": ("\xe9t\xe9 \xc5", "e\u0301te\u0301 A\u030a".encode(), [], "composed",
                      "\xe9t\xe9 \xc5".encode(), []),
    "accents joined": ("e\u0301te\u0301 c\u0327", "\xe9t\xe9 \xe7".encode(), [], "decomposed",
                       "e\u0301te\u0301 c\u0327".encode(), []),
    "newlines too many": ("some words", b"some words\r\n\n", ["--key-binary"],
                          "without_newlines", b"some words", []),
    "mark and newline": ("some words", b"\xef\xbb\xbfsome words\n", ["--key-binary"],
                         "without_newline", b"some words", []),
    "UTF-16": ("some w\xf6rds \u20ac", "some w\xf6rds \u20ac\r\n".encode("utf-16"),
               ["--key-binary"], "without_newline", "some w\xf6rds \u20ac".encode(), []),
    "UTF-16 without a mark": ("some words", "some words".encode("utf-16-be"), ["--key-binary"],
                              "utf8_of_utf16", b"some words", []),
    "0x": (RAW, b"0x" + DIGITS.encode(), [], "digits_as_raw", DIGITS.encode(), ["--raw-key"]),
    "colons": (RAW, bytes.fromhex(DIGITS).hex(":").encode(), [], "digits_as_raw", DIGITS.encode(),
               ["--raw-key"]),
    "blanks between": (RAW, bytes.fromhex(DIGITS).hex(" ", 4).encode(), [], "digits_as_raw",
                       DIGITS.encode(), ["--raw-key"]),
    "digits in apostrophes": (RAW, f"'{DIGITS}'".encode(), [], "digits_as_raw", DIGITS.encode(),
                              ["--raw-key"]),
    "digits and blanks": (RAW, f" {DIGITS} ".encode(), [], "digits_as_raw", DIGITS.encode(),
                          ["--raw-key"]),
    "semicolon": ("some words", b"some words;", [], "without_semicolon", b"some words", []),
    "statement": ("some words", b"pragma key = 'some words';\n", [], "without_statement",
                  b"some words", []),
    "statement with digits": (RAW, f'PRAGMA key="{RAW}";'.encode(), [], "without_statement",
                              RAW.encode(), []),
    "apostrophes of SQL": ("it's so", b"it''s so\n", [], "without_doubled_quotes", b"it's so", []),
    "quoted apostrophes": ("it's so", b"'it''s so'", [], "without_doubled_quotes", b"it's so", []),
    "statement with apostrophes": ("it's so", b"PRAGMA key = 'it''s so';", [],
                                   "without_doubled_quotes", b"it's so", []),
    "few digits of bytes": ("some words 12", b"some words 12".hex().encode(), [],
                            "bytes_of_digits", b"some words 12", ["--key-binary"]),
    "base64 of few bytes": ("some words 12", base64.b64encode(b"some words 12"), [],
                            "bytes_of_base64", b"some words 12", ["--key-binary"]),
    "Latin-1": ("\xe9t\xe9 \xff\xa7", "\xe9t\xe9 \xff\xa7".encode("latin-1"), [], "utf8",
                "\xe9t\xe9 \xff\xa7".encode(), []),
}
ALL = {
    "decrypt": lambda a: ["decrypt", a, "out.db"], "verify": lambda a: ["verify", a],
    "inspect": lambda a: ["inspect", "--tables", a], "rekey": lambda a: ["rekey", a, "out.db"],
    "migrate": lambda a: ["migrate", a, "out.db"],
    "schema": lambda a: ["migrate", "--schema", "m", "--status", a],
}


def make(path, key, pragmas=OLD2):
    return peers.create_sealed(path, key, pragmas, samples.fill)


def verify(work, keys, key, *options, code="wrong_key"):
    args = ["verify", "--quick", "--key-file", keys.file(key), *options, work / "a.db"]
    return program.ok(*args) if code == "ok" else refuse(work, code, *args)


def pragmas(key):
    # 160 digits are a raw key since 4.7, in every format; the others are cheaper in an old one.
    return [] if len(key) > 160 else OLD2


@pytest.mark.parametrize("slip", SLIPS)
def test_what_would_open_the_file(work, keys, slip):
    key, given, options, fact, right, instead = SLIPS[slip]
    make(work / "a.db", key, pragmas(key))
    found = verify(work, keys, given, *options)
    assert found["fits"] and found["fits"]["key"] == fact, found
    assert found["fits"]["settings"] in found["tried"]
    assert "open" in found["hint"] and "may be" not in found["hint"], found["hint"]
    verify(work, keys, right, *instead, code="ok")


def test_all_that_has_to_go_is_said(work, keys):
    # Each hint, followed to the letter, opens the file: none leads to the next.
    make(work / "a.db", "some words")
    found = verify(work, keys, b'\xef\xbb\xbf "some words";\n', "--key-binary")
    assert found["fits"]["key"] == "without_quotes", found
    assert found["fits"]["also"] == ["without_byte_order_mark", "without_newline", "without_blanks",
                                     "without_semicolon"], found
    for word in ("byte-order mark", "newline", "blanks", "semicolon", "quotes"):
        assert word in found["hint"], found
    found = verify(work, keys, b"some words\n\n", "--key-binary")
    assert "all the newlines" in found["hint"], found


def test_a_salt_that_is_not_needed(work, keys):
    make(work / "a.db", "some words")
    make(work / "b.db", RAW)
    for name, key in [("a.db", "some words"), ("b.db", RAW)]:
        args = ["verify", "--quick", "--key-file", keys.file(key), work / name]
        found = refuse(work, "wrong_key", *args, "--salt", SALT)
        assert found["fits"]["key"] == "without_given_salt", found
        assert "leave --salt out" in found["hint"], found
        program.ok(*args)


def test_the_other_database_was_tried_with_a_key_that_is_not_its_own(work, keys):
    make(work / "a.db", "some words")
    make(work / "b.db", "other words")
    args = ["verify", "--key-file", keys.file("some words"), work / "a.db", "--against",
            work / "b.db"]
    found = refuse(work, "wrong_key", *args)
    assert "the key of the database that is checked" in found["hint"], found
    assert "--against-key-file" in found["hint"], found
    found = refuse(work, "wrong_key", *args, "--against-key-file", keys.file("third", "third"))
    assert "that is checked" not in found["hint"], found


@pytest.mark.parametrize("format", [1, 2, 3, 4])
def test_of_every_format(work, keys, format):
    make(work / "a.db", "some words", [("cipher_compatibility", format)])
    found = verify(work, keys, "some words\n", "--key-binary")
    assert found["fits"] == {"key": "without_newline", "also": [],
                             "settings": f"format {format}"}, found
    assert "newline" in found["hint"]


@pytest.mark.parametrize("command", ALL)
def test_in_every_command(work, keys, tmp_path, command):
    make(work / "a.db", DIGITS)
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
    args = [*ALL[command]("a.db"), "--key-file", keys.file(DIGITS), *new]
    found = refuse(work, "wrong_key", *args, "--raw-key", cwd=work)
    assert found["fits"]["key"] == "passphrase" and "passphrase" in found["hint"], found
    assert "--raw-key" in found["hint"]
    text = program.run(*args, "--raw-key", cwd=work)
    assert f"hint: {found['hint']}" in text.err.decode().splitlines()
    program.run(*args, cwd=work).exit in (0, 1) or pytest.fail("the hint does not do")


def test_the_other_database_has_options_of_its_own(work, keys):
    make(work / "a.db", RAW)
    make(work / "b.db", DIGITS)
    args = ["verify", "--key-file", keys.raw(), work / "a.db", "--against", work / "b.db",
            "--against-key-file", keys.file(DIGITS, "other")]
    found = refuse(work, "wrong_key", *args, "--against-raw-key")
    assert "--against-raw-key" in found["hint"], found
    assert found["against"]["fits"]["key"] == "passphrase" and "fits" not in found
    program.ok(*args)
    found = refuse(work, "wrong_key", *args, "--against-format", "4")
    assert "--against-format 2" in found["hint"], found


@pytest.mark.parametrize("command, prefix, size", [
    ("decrypt", "--", "--source-page-size"), ("verify", "--", "--page-size"),
    ("inspect", "--", "--page-size"), ("rekey", "--source-", "--source-page-size"),
    ("migrate", "--source-", "--source-page-size"), ("schema", "--source-", "--source-page-size")])
def test_settings_of_another_format(work, keys, command, prefix, size):
    make(work / "a.db", "some words", OLD3)
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
    args = [*ALL[command]("a.db"), "--key-file", keys.file("some words"), *new]
    found = refuse(work, "wrong_key", *args, prefix + "format", "4", cwd=work)
    assert found["fits"] == {"key": "as_given", "also": [], "settings": "format 3"}
    assert f"{prefix}format 3 " in found["hint"], found["hint"]
    make(work / "b.db", RAW, [("cipher_page_size", "8192")])
    args = [*ALL[command]("b.db"), "--key-file", keys.raw(), *new]
    found = refuse(work, "wrong_key", *args, cwd=work)
    assert f"{prefix}format 4 {size} 8192 " in found["hint"], found["hint"]
    named = [prefix + "format", "4", size, "8192"]
    assert program.run(*args, *named, cwd=work).exit in (0, 1)


def test_what_an_old_engine_makes_of_the_settings_of_a_new_one(work, keys):
    # 3.4.1 takes the numbers and ignores the hashes without a word.
    script = ("PRAGMA kdf_iter=256000; PRAGMA cipher_page_size=4096;"
              "PRAGMA cipher_kdf_algorithm=PBKDF2_HMAC_SHA512; CREATE TABLE t(a);")
    peers.shell(peers.SHELL_OLD, work / "a.db", "some words", script)
    found = verify(work, keys, "some words")
    assert found["fits"]["key"] == "as_given", found
    assert "--format 3 --page-size 4096 --kdf-iter 256000 " in found["hint"], found
    verify(work, keys, "some words", "--format", "3", "--page-size", "4096", "--kdf-iter",
           "256000", code="ok")


def test_the_rounds_of_another_format(work, keys):
    make(work / "a.db", "some words", [("kdf_iter", 64000)])
    found = verify(work, keys, "some words")
    assert "--format 4 --kdf-iter 64000 " in found["hint"], found
    verify(work, keys, "some words", "--kdf-iter", "64000", code="ok")


SHAPES = {
    "encrypted": ["763130" + "c4" * 60, "v10" + "\x01\xff" * 40,
                  base64.b64encode(b"v11" + bytes(range(90))).decode(),
                  "01000000d08c9ddf0115d1118c7a00c04fc297eb" + "3e" * 80],
    "hex": ["ab" * 20, "c0ffee" * 17],
    "base64": [base64.b64encode(bytes(range(3, 51))).decode()],
    "not_ascii": ["d\u011blov\xe1", "\u043a\u043b\u044e\u0447"],
    None: ["wrong words", "1234", "Passw0rd!", "correcthorsebatterystaple"],
}


@pytest.mark.parametrize("shape, key", [(s, k) for s, all in SHAPES.items() for k in all])
def test_what_the_key_looks_like(work, keys, shape, key):
    make(work / "a.db", "other words")
    found = verify(work, keys, key)
    assert found["key_shape"] == shape and found["fits"] is None, found
    assert "opens the file" not in found["hint"], found
    for words in ("SQLCipher", "may be", "other settings", "first 16 bytes"):
        assert words in found["hint"], found
    said = {"encrypted": "encrypted", "hex": "hex", "base64": "base64", "not_ascii": "NFC"}
    assert said.get(shape, "check the key") in found["hint"], found
    # A slip of the fingers is as likely in letters of any kind.
    assert shape not in (None, "not_ascii") or "check the key" in found["hint"], found


@pytest.mark.parametrize("digits", [DIGITS, DIGITS + SALT, DIGITS + HMAC + SALT],
                         ids=["64", "96", "160"])
@pytest.mark.parametrize("raw", [True, False])
def test_digits_that_open_nothing_in_either_way(work, keys, digits, raw):
    make(work / "a.db", "other words")
    found = verify(work, keys, digits, *(["--raw-key"] if raw else []))
    assert found["fits"] is None and "SQLCipher" in found["hint"], found
    assert raw or "--raw-key" in found["hint"]


def test_a_damaged_first_page_is_no_slip(work, keys):
    make(work / "a.db", "some words")
    with open(work / "a.db", "r+b") as file:
        file.seek(200)
        file.write(b"\xff" * 16)
    refuse(work, "damaged", "decrypt", "--key-file", keys.file("some words"), work / "a.db",
           work / "out.db")
    assert verify(work, keys, "some words\n", "--key-binary")["fits"] is None


def test_of_many_databases_the_first_are_looked_into(work, keys):
    make(work / "00.db", DIGITS)
    make(work / "raw.db", RAW)
    for number in range(1, 18):
        shutil.copy(work / "00.db", work / f"{number:02}.db")
    names = [f"{n:02}.db" for n in range(18)] + ["raw.db"]
    result = program.run("verify", "--json", "--quick", "--raw-key", "--key-file",
                         keys.file(DIGITS), *names, cwd=work)
    found = [one for one in result.objects if "database" in one]
    assert [bool(one.get("fits")) for one in found[:18]] == [True] * 16 + [False] * 2
    assert "may be" in found[17]["hint"] and found[18]["code"] == "ok"
    result = program.run("verify", "--json", "--quick", "--key-file", keys.file(DIGITS),
                         *names[:17], "raw.db", "raw.db", cwd=work)
    assert [one for one in result.objects if "database" in one][18]["fits"]["key"] == "raw"


def test_a_newline_too_many_in_a_variable(work):
    """The hint says what takes it away where the key is."""
    path = peers.create_sealed(work / "a.db", "some words", [("kdf_iter", 10)], samples.fill)
    for env, options in (({"K": "some words\n"}, ["--key-env", "K"]),
                         ({"DBSEAL_KEY": "some words\n"}, [])):
        found = program.run("verify", "--kdf-iter", "10", *options, path, env=env)
        assert found.exit == 4 and b'NAME=$(printf %s "$NAME" | tr -d ' in found.err, found
        assert (b"--key-binary" in found.err) is (options == [])
        name, = env
        shell = (f'{name}=$(printf %s "${name}") && export {name} && exec "$0" verify --kdf-iter 10'
                 ' "$@"')
        done = subprocess.run(["sh", "-c", shell, program.BIN, *options, path], capture_output=True,
                              env=program.clean_env(env))
        assert done.returncode == 0, done


# A plaintext header of another size: all pages but the first are right.

HEADER_SALT = "00112233445566778899aabbccddeeff"


def with_header(path, key, size, fill, *pragmas):
    salt = [("cipher_salt", f"x'{HEADER_SALT}'")] if size else []
    header = [("cipher_plaintext_header_size", size)] if size else []
    return peers.create_sealed(path, key, [*pragmas, *header, *salt], fill)


@pytest.mark.parametrize("fill", [samples.fill, lambda c: c.execute("PRAGMA user_version = 1")],
                         ids=["pages", "one page"])
@pytest.mark.parametrize("size, given", [
    (16, 32), (48, 32), (64, 16), (96, 48), (112, 32), (32, 48), (1024, 32)])
def test_the_size_of_a_plaintext_header(work, keys, size, given, fill):
    path = with_header(work / "a.db", RAW, size, fill)
    options = ["--key-file", keys.raw(), "--salt", HEADER_SALT]
    for command in (["verify", path], ["decrypt", path, work / "out.db"], ["inspect", path]):
        found = refuse(
            work, "wrong_key", *command, *options, "--plaintext-header", str(given))
        assert f"plaintext header of {size} bytes" in found["message"], found
        assert found["hint"].startswith(f"--plaintext-header {size},")
        assert found["fits"]["key"] == "as_given"
    program.ok("verify", path, *options, *found["hint"].split(",")[0].split())
    if size in (48, 64, 96):
        # What is read as iOS's without a word.
        assert f"of {size} bytes" in refuse(work, "wrong_key", "inspect", path, *options)["message"]


def test_a_plaintext_header_that_is_not_there(work, keys):
    digits = "a1b2c3d4" * 8 + HEADER_SALT
    path = with_header(work / "a.db", f"x'{digits}'", 0, samples.fill)
    key = ["--key-file", keys.raw(digits, "salted")]
    found = refuse(work, "wrong_key", "verify", path, *key, "--plaintext-header", "32")
    assert "no plaintext header" in found["message"], found
    assert found["hint"] == "leave --plaintext-header out"
    program.ok("verify", path, *key)


def test_of_a_list_the_key_that_is_right_is_told(work, keys):
    path = with_header(work / "a.db", RAW, 48, samples.fill)
    ring = keys.file("x'" + "0f" * 32 + "'\n" + RAW + "\n", "ring")
    found = refuse(work, "wrong_key", "verify", path, "--try-keys", ring, "--salt", HEADER_SALT,
                   "--plaintext-header", "32")
    assert found["hint"].startswith("--plaintext-header 48,") and "none of" not in found["message"]


@pytest.mark.parametrize("size", [16, 32, 112, 1024])
@pytest.mark.parametrize("key, salt", [("0f" * 32, HEADER_SALT), ("a1b2c3d4" * 8, "22" * 16)],
                         ids=["key", "salt"])
def test_a_wrong_key_is_one_whatever_the_header_has(work, keys, size, key, salt):
    path = with_header(work / "a.db", RAW, size, samples.fill)
    options = ["--key-file", keys.raw(key, "other")]
    new = ["--new-key-file", keys.raw("0e" * 32, "new")]
    for command, prefix in ((["verify", path], "--"), (["decrypt", path, work / "out.db"], "--"),
                            (["inspect", path], "--"),
                            (["rekey", path, work / "out.db", *new], "--source-")):
        found = refuse(work, "wrong_key", *command, *options, f"{prefix}salt", salt,
                       f"{prefix}plaintext-header", str(size))
        assert "restore" not in found["hint"] and "as it is" not in found["hint"], found


def test_a_header_of_the_magic_alone_without_its_options(work, keys):
    path = with_header(work / "a.db", RAW, 16, samples.fill)
    key = ["--key-file", keys.raw()]
    found = refuse(work, "wrong_kind", "verify", path, *key)
    assert "plaintext header" in found["message"] and "--salt" in found["hint"], found
    # What it says leads on.
    found = refuse(work, "wrong_key", "verify", path, *key, "--plaintext-header", "32",
                   "--salt", HEADER_SALT)
    assert found["hint"].startswith("--plaintext-header 16,"), found


@pytest.mark.parametrize("size, given", [
    (16, 32), (32, 16), (32, 48), (48, 32), (64, 32), (80, 32), (96, 32), (48, 96)])
@pytest.mark.parametrize("settings", [
    [("cipher_use_hmac", "OFF"), ("cipher_page_size", 4096)], [("cipher_compatibility", 1)]],
    ids=["no tags", "format 1"])
def test_the_size_of_a_plaintext_header_without_tags(work, keys, size, given, settings):
    path = with_header(work / "a.db", "words", size, samples.fill, *settings)
    named = ["--format", "1"] if settings[0][1] == 1 else ["--hmac-algorithm", "none"]
    options = ["--key-file", keys.file("words"), "--salt", HEADER_SALT, *named]
    for command in (["verify", path], ["decrypt", path, work / "out.db"], ["inspect", path]):
        found = refuse(work, "wrong_key", *command, *options, "--plaintext-header", str(given))
        assert found["hint"].startswith(f"--plaintext-header {size},"), found
    program.ok("verify", path, *options, "--plaintext-header", str(size))


def test_a_damaged_first_page_with_a_plaintext_header_is_damage(work, keys):
    path = with_header(work / "a.db", RAW, 32, samples.fill)
    data = bytearray(path.read_bytes())
    data[2000] ^= 1
    path.write_bytes(data)
    found = program.run("verify", "--json", path, "--key-file", keys.raw(), "--salt", HEADER_SALT,
                        "--plaintext-header", "32")
    assert found.exit == 5 and found.json["damaged_pages"] == [1]


@pytest.mark.parametrize("command", ["rekey", "migrate"])
def test_the_header_of_what_is_read_has_the_commands_own_option(work, keys, command):
    path = with_header(work / "a.db", RAW, 48, samples.fill)
    new = ["--new-key-file", keys.raw("0f" * 32, "new")] if command == "rekey" else []
    args = [command, path, work / "b.db", "--key-file", keys.raw(), *new, "--source-salt", HEADER_SALT]
    found = refuse(work, "wrong_key", *args, "--source-plaintext-header", "32")
    assert found["hint"].startswith("--source-plaintext-header 48,")
    program.ok(*args, "--source-plaintext-header", "48")


@pytest.mark.parametrize("options, form", [
    (["--key-binary"], lambda key: key), ([], lambda key: key.hex().encode())],
    ids=["bytes", "digits"])
def test_hexkey_takes_forty_bytes(work, keys, options, form):
    key = bytes(range(192, 256))
    connection = peers.sqlcipher3.connect(str(work / "a.db"), isolation_level=None)
    connection.execute(f"PRAGMA hexkey = '{key.hex()}'")
    connection.execute("PRAGMA cipher_compatibility = 2")
    samples.fill(connection)
    connection.close()
    found = verify(work, keys, form(key), *options)
    assert found["fits"]["key"] == "first_40_bytes" and "hexkey" in found["hint"], found
    verify(work, keys, key[:40], "--key-binary", code="ok")


def test_the_page_size_of_an_app_with_rounds_of_its_own(work, keys):
    make(work / "a.db", DIGITS, [("cipher_compatibility", 3), ("kdf_iter", 1),
                                 ("cipher_page_size", 4096)])
    for options in (["--format", "3", "--kdf-iter", "1"], ["--kdf-iter", "1"]):
        found = verify(work, keys, DIGITS.encode(), *options)
        assert "--page-size 4096" in found["hint"], found
    options = found["hint"].split(" with ")[1].split(" and ")[0].split()
    verify(work, keys, DIGITS.encode(), *options, code="ok")


def test_a_salt_that_may_be_wrong_is_named_wherever_the_header_is_plain(work, keys):
    path = with_header(work / "a.db", RAW, 32, samples.fill)
    for command in (["inspect", path], ["verify", path, "--plaintext-header", "32"]):
        found = refuse(work, "wrong_key", *command, "--key-file", keys.file("other words"),
                       "--salt", "ab" * 16)
        assert "--salt " + "ab" * 16 in found["hint"] and "first 16 bytes" not in found["hint"]
        program.ok(*command, "--key-file", keys.raw(), "--salt", f"x'{HEADER_SALT}'")


def test_a_key_of_digits_with_its_salt(work, keys):
    digits = DIGITS + HEADER_SALT
    path = peers.create_sealed(
        work / "a.db", f"x'{digits}'", [("cipher_plaintext_header_size", 32)], samples.fill)
    for command in (["inspect", path], ["verify", path, "--plaintext-header", "32"]):
        found = refuse(work, "usage", *command, "--key-file", keys.file(digits))
        assert found["hint"].endswith("--raw-key"), found
        program.ok(*command, "--key-file", keys.file(digits), "--raw-key")
