# Plan: the rows of Docs/apps.md are true. For each, a database is made by the C calls that the library
# makes (the source files are named there), by SQLCipher 4.19, and the options of that row, as they
# stand in the page, open it.
# - each row of each table, with a key that tells it from the others: NUL, bytes that are no text,
#   NFC and NFD, characters beyond U+FFFF, quotes;
# - what the page says that a hint finds is found: a cleared array, modified UTF-8, UTF-16, a Realm key;
# - databases as Room, FMDB's users and Signal make them arrive whole, unknown tokenizers included;
# - every row is tried, and every test has its row;
# - rows with settings work with verify, inspect, rekey and migrate too, by what the page says of options.
import base64
import re
import shlex
import shutil

import pytest

from support import apps, peers, program
from support.refusal import refuse

PAGE = (program.ROOT / "Docs/apps.md").read_text()
DIGITS = "a1b2c3d4e5f60718" * 4
SALT = "00112233445566778899aabbccddeeff"
# No text, with NULs inside and at its end.
BYTES = bytes.fromhex("00ff10a0" * 7) + b"\xfe\xff\x41\0"
WORDS = "it's \"caf\u00e9\" e\u0301 \U0001f511"
ROOM = """
CREATE TABLE android_metadata (locale TEXT);
INSERT INTO android_metadata VALUES ('en_US');
CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT);
INSERT INTO room_master_table VALUES (42, 'd1a9f2c07c8b1c8f9e3ad0a1b2c3d4e5');
CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title TEXT COLLATE NOCASE, body BLOB);
CREATE INDEX index_note_title ON note (title);
INSERT INTO note (title, body) VALUES ('First', x'00ff'), ('second', NULL);
PRAGMA user_version = 7;
"""
DEFAULTS = ["PRAGMA cipher_default_kdf_iter = 1", "PRAGMA cipher_default_page_size = 4096"]
HOOK = ["PRAGMA cipher_compatibility = 3", "PRAGMA kdf_iter = '1'", "PRAGMA cipher_page_size = 4096"]
HEADER = "PRAGMA cipher_plaintext_header_size = 32"


def raw(digits=DIGITS):
    return f"x'{digits}'".encode()


def up_to_nul(text):
    """As strlen sees it."""
    return text.encode().split(b"\0")[0]


def pragma(value):
    return f"PRAGMA key = {value}"


# The start of a row: what sqlite3_key gets, what is in the key file, statements before and after.
TEXT, BINARY = WORDS.encode(), BYTES
ROWS = {
    "`SupportOpenHelperFactory(byte[])`, `SupportFactory(byte[])` of text": (TEXT, TEXT),
    "`SupportOpenHelperFactory(byte[])`, `SupportFactory(byte[])` of random bytes": (BINARY, BINARY),
    "`openOrCreateDatabase(path, String)`, `openDatabase(path, char[])`": (TEXT, TEXT),
    "the text `x'…'` to any of them": (raw(), raw()),
    "FMDB `setKey:`": (up_to_nul(WORDS + "\0rest"), TEXT),
    "FMDB `setKeyWithData:`": (BINARY, BINARY),
    "GRDB `usePassphrase(String)`": (TEXT, TEXT),
    "GRDB `usePassphrase(Data)`": (BINARY, BINARY),
    "SQLite.swift `key(String)`": (TEXT, TEXT),
    "SQLite.swift `key(Blob)`": (BINARY, BINARY),
    "`cipher_plaintext_header_size = 32` and a raw key with salt": (
        raw(DIGITS + SALT), raw(DIGITS + SALT), (), [HEADER]),
    "`cipher_plaintext_header_size = 32` and `cipher_salt`": (
        TEXT, TEXT, (), [HEADER, f"PRAGMA cipher_salt = \"x'{SALT}'\""]),
    "sqflite_sqlcipher `password:`": (TEXT, TEXT),
    "op-sqlite `encryptionKey:`": (TEXT, TEXT),
    "a statement of the app's own, ``PRAGMA key = \"x'…'\"``, as with expo-sqlite": (
        None, raw(), (), [pragma(f"\"x'{DIGITS}'\"")]),
    "sqlcipher3 `PRAGMA key = 'it''s'`": (None, b"it's", (), [pragma("'it''s'")]),
    "sqlcipher3 `PRAGMA hexkey = '…'`": (
        None, BINARY, (), [f"PRAGMA hexkey = '{BINARY.hex()}'"]),
    "Microsoft.Data.Sqlite `Password=` over SQLCipher": (
        None, TEXT, (), [pragma(peers.sql_literal(WORDS))]),
    "sqlite-net `SQLiteConnectionString(key: string)`": (
        None, TEXT, (), [pragma("'" + WORDS.replace("'", "''") + "'")]),
    "sqlite-net `SQLiteConnectionString(key: byte[])`": (
        None, BINARY.hex().encode(), (), [pragma(f"\"x'{BINARY.hex().upper()}'\"")]),
    "Signal Desktop, `key` in `config.json`": (
        None, DIGITS.encode(), (), [pragma(f"\"x'{DIGITS}'\"")]),
    "Signal Android": (DIGITS.encode(), DIGITS.encode(), DEFAULTS, HOOK),
    "Signal iOS": (
        None, (DIGITS + SALT).encode(), (), [pragma(f"\"x'{DIGITS}{SALT}'\""), HEADER]),
}
OTHERS = {"better-sqlite3-multiple-ciphers with `cipher='sqlcipher'`, `legacy=4`"}


def options(start):
    """The options of a row of the page; each row of that start has the same."""
    lines = [line.split(" | ") for line in PAGE.splitlines() if line.startswith(f"| {start} | ")]
    found = {line[-1].rstrip(" |").strip("`") for line in lines}
    assert len(found) == 1, (start, found)
    return shlex.split(found.pop())


def adapted(words, command):
    """The row's options as the page says that they change with the command."""
    if command == "decrypt":
        return ["--source-page-size" if word == "--page-size" else word for word in words]
    if command in ("rekey", "migrate"):
        settings = ("--format", "--kdf-iter", "--page-size", "--plaintext-header", "--salt")
        return [f"--source-{word[2:]}" if word in settings else word for word in words]
    return words


def opened(work, keys, start, key):
    """Puts the key into the file that the row names, and decrypts by its options."""
    words = options(start)
    assert words[-2:] == ["--key-file", "app.key"], words
    # A text has a line end, as an editor leaves it.
    path = keys.file(key if "--key-binary" in words else key + b"\n")
    words[-1] = str(path)
    program.ok("decrypt", work / "app.db", work / "plain.db", *adapted(words, "decrypt"))
    if set(words) & {"--format", "--plaintext-header"}:
        every_command(work, words, keys)
    judge = peers.plain(work / "plain.db")
    peers.sound(judge)
    return judge


def every_command(work, words, keys):
    program.ok("verify", work / "app.db", *words)
    program.ok("inspect", work / "app.db", *words)
    new = ["--new-key-file", keys.file("another one", "another")]
    program.ok("rekey", work / "app.db", work / "new.db", *adapted(words, "rekey"), *new)
    program.ok("migrate", work / "app.db", work / "four.db", *adapted(words, "migrate"))


def test_every_row_is_tried():
    rows = re.findall(r"(?m)^\| (.+?) \| .+ \| `--[^|]+` \|$", PAGE)
    assert len(rows) == 2 + len(ROWS) - 1 + len(OTHERS) and set(rows) == {*ROWS, *OTHERS}


@pytest.mark.parametrize("start", ROWS)
def test_a_row(work, keys, start):
    given, key, *statements = ROWS[start]
    apps.create(work / "app.db", given, ROOM, *statements)
    judge = opened(work, keys, start, key)
    assert judge.execute("PRAGMA user_version").fetchone() == (7,)
    assert judge.execute("SELECT count(*) FROM note").fetchone() == (2,)
    assert judge.execute("SELECT id FROM room_master_table").fetchone() == (42,)


# ---- what a hint finds ---------------------------------------------------------------------------

EMOJI = "key \U0001f511 and \u20ac"
# Two surrogates of three bytes each, as the JNI specification has it.
MODIFIED = b"key \xed\xa0\xbd\xed\xb4\x91 and \xe2\x82\xac"
SLIPS = {
    "a cleared array": (bytes(32), b"some words", "cleared", b"\0"),
    "a long cleared array": (bytes(100), b"some words", "cleared", b"\0"),
    "modified UTF-8": (MODIFIED, EMOJI.encode(), "modified_utf8", MODIFIED),
    "modified NUL": (b"a\xc0\x80b", b"a\0b", "modified_utf8", b"a\xc0\x80b"),
    "UTF-16": (EMOJI.encode("utf-16-le"), EMOJI.encode(), "utf16", EMOJI.encode("utf-16-le")),
    "NSUTF16StringEncoding": (EMOJI.encode("utf-16"), EMOJI.encode(), "utf16_with_mark",
                              EMOJI.encode("utf-16")),
    "NFC": ("\xe9t\xe9".encode(), "e\u0301te\u0301".encode(), "composed", "\xe9t\xe9".encode()),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_that_the_page_names(work, keys, slip):
    given, key, fact, right = SLIPS[slip]
    apps.create(work / "app.db", given, ROOM)
    binary = ["--key-binary"] if b"\0" in key else []
    found = refuse(work, "wrong_key", "verify", "--quick", work / "app.db", "--key-file",
                   keys.file(key), *binary)
    assert found["fits"]["key"] == fact and "open" in found["hint"], found
    if fact != "composed":
        assert "--key-binary" in found["hint"]
    program.ok("verify", work / "app.db", "--key-binary", "--key-file", keys.file(right))


REALM = bytes.fromhex("9ce1" * 32)


@pytest.mark.parametrize("key, binary", [
    (REALM.hex(), []), (base64.b64encode(REALM).decode(), []), (REALM, ["--key-binary"])],
    ids=["digits", "base64", "bytes"])
def test_a_key_of_realm(work, keys, key, binary):
    apps.create(work / "app.db", b"some words", ROOM)
    args = ["verify", "--quick", work / "app.db", "--key-file", keys.file(key), *binary]
    found = refuse(work, "wrong_key", *args)
    assert found["key_shape"] == "realm" and "Realm" in found["hint"], found
    assert found["fits"] is None
    found = refuse(work, "no_key", *args, "--raw-key")
    assert "Realm" in found["hint"], found


def test_64_letters_are_no_key_of_realm(work, keys):
    apps.create(work / "app.db", b"some words", ROOM)
    for key in ("words " * 10 + "here", "a1b2c3d4" * 8, "\xe9" * 32):
        found = refuse(work, "wrong_key", "verify", "--quick", work / "app.db", "--key-file",
                       keys.file(key))
        assert found["key_shape"] != "realm", found


def test_a_bytes_key_that_is_a_key_of_realm_and_opens_is_none(work, keys):
    apps.create(work / "app.db", REALM, ROOM)
    program.ok("verify", work / "app.db", "--key-binary", "--key-file", keys.file(REALM))


# ---- databases of apps ---------------------------------------------------------------------------

SIGNAL = """
CREATE TABLE messages(rowid INTEGER PRIMARY KEY ASC, id STRING UNIQUE, json TEXT, body TEXT,
  isErased INTEGER GENERATED ALWAYS AS (body IS NULL) VIRTUAL);
CREATE VIRTUAL TABLE messages_fts USING fts5(body, tokenize = 'unicode61');
CREATE TRIGGER messages_on_insert AFTER INSERT ON messages WHEN new.body IS NOT NULL
  BEGIN INSERT INTO messages_fts(rowid, body) VALUES (new.rowid, new.body); END;
INSERT INTO messages(id, json, body) VALUES ('a', '{}', 'words to find'), ('b', '{}', NULL);
PRAGMA user_version = 1030;
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, 'unicode61', 'signal_tokenizer')
  WHERE name = 'messages_fts';
PRAGMA writable_schema = OFF;
"""


def test_a_tokenizer_of_signal_s_own(work, keys):
    apps.create(work / "app.db", None, SIGNAL, after=[pragma(f"\"x'{DIGITS}'\"")])
    key = ["--raw-key", "--key-file", keys.file(DIGITS)]
    done = program.run("verify", "--json", work / "app.db", *key)
    # The page says so; an engine of 2016 cannot even read the schema.
    assert done.exit == 10, done
    if program.engine() >= (4,):
        assert {"kind": "tokenizer", "name": "signal_tokenizer"} in [
            {k: each[k] for k in ("kind", "name")}
            for each in done.json["verdicts"]["structure"]["missing"]], done.json
    program.ok("verify", "--quick", work / "app.db", *key)
    program.ok("decrypt", work / "app.db", work / "plain.db", *key)
    judge = peers.plain(work / "plain.db")
    assert judge.execute("SELECT id FROM messages").fetchall() == [
        (peers.text(b"a"),), (peers.text(b"b"),)]
    assert judge.execute("PRAGMA user_version").fetchone() == (1030,)
    sql, = judge.execute("SELECT sql FROM sqlite_master WHERE name = 'messages_fts'").fetchone()
    assert b"signal_tokenizer" in sql[1]


def test_rows_that_are_only_in_the_log(work, keys):
    apps.create(work / "live.db", None, ROOM, after=[pragma(f"\"x'{DIGITS}'\"")])
    live = peers.sealed(work / "live.db", raw().decode())
    live.execute("PRAGMA journal_mode = WAL").fetchall()
    live.execute("INSERT INTO note(title) VALUES ('only in the log')")
    for suffix in ("", "-wal"):
        shutil.copy(f"{work / 'live.db'}{suffix}", f"{work / 'app.db'}{suffix}")
    live.close()
    judge = opened(work, keys, "the text `x'…'` to any of them", raw())
    assert judge.execute("SELECT count(*) FROM note").fetchone() == (3,)


# ---- SQLite3 Multiple Ciphers ----------------------------------------------------------------------


def multiple_ciphers(path, *statements):
    connection = peers.apsw.Connection(str(path))
    for sql in statements:
        connection.execute(sql).fetchall()
    if "rekey" not in "".join(statements):
        connection.execute(ROOM).fetchall()
    connection.close()


def test_better_sqlite3_multiple_ciphers(work, keys):
    start = OTHERS.copy().pop()
    multiple_ciphers(work / "app.db", *[f"PRAGMA {word}" for word in re.findall(
        r"(?:cipher|legacy)=[^`]+", start)], "PRAGMA key = 'some words'")
    judge = opened(work, keys, start, b"some words")
    assert judge.execute("SELECT count(*) FROM note").fetchone() == (2,)


@pytest.mark.parametrize("cipher", [
    [], *[[f"PRAGMA cipher = '{name}'"] for name in ("chacha20", "sqlcipher", "aes256cbc", "rc4")]],
    ids=lambda given: given[0].split("'")[1] if given else "default")
def test_what_it_writes_otherwise_is_converted_as_the_page_says(work, keys, cipher):
    multiple_ciphers(work / "app.db", *cipher, "PRAGMA key = 'some words'")
    key = ["--key-file", keys.file("some words")]
    if "rc4" in str(cipher):
        # It leaves nothing in clear by which it could be told.
        found = refuse(work, "wrong_key", "verify", work / "app.db", *key)
        assert "SQLite3 Multiple Ciphers" in found["hint"], found
    else:
        for command in (["verify"], ["decrypt", work / "out.db"]):
            found = refuse(work, "wrong_kind", command[0], work / "app.db", *command[1:], *key)
            assert found["other_format"] == "sqlite_encryption" and "legacy=4" in found["hint"], found
        found = program.ok("inspect", work / "app.db")
        assert (found["kind"], found["other_format"]) == ("other", "sqlite_encryption")
    line, = [line for line in PAGE.splitlines() if line.startswith("    PRAGMA cipher = ")]
    statements = line.strip().rstrip(";").replace("…", "some words").split("; ")
    assert len(statements) == 5 and "'chacha20'" in statements[0]
    # The page's first statement is for the default; it names the others.
    if cipher:
        assert f"`{cipher[0].split(chr(39))[1]}`" in PAGE
        statements[0] = cipher[0]
    multiple_ciphers(work / "app.db", *statements)
    program.ok("verify", work / "app.db", *key)
