# Plan: what `encrypt` writes, under every setting, is opened by others.
# - each format, page size, KDF, round count, tag, page-number order, salt mask, fast KDF, plaintext
#   header and kind of key: the independent decoder finds every tag right, SQLCipher 4.19 opens it
#   with the PRAGMAs that the report names, both integrity checks are clean, the content is equal;
# - formats 1 to 3 open in the distribution's sqlcipher shell, format 4 in sqlite3mc.
import apsw
import pytest

from support import decoder, peers, program, samples
from support.content import content

SALT = "00112233445566778899aabbccddeeff"
RAW = "5e8a0f" + "1b" * 29
WORD = "correct horse 'battery'"


def case(name, *options, key=WORD, **settings):
    return pytest.param(options, key, settings, id=name)


def formats():
    for number, settings in decoder.FORMATS.items():
        yield case(f"format-{number}", "--format", number, **settings)


def page_sizes():
    for size in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536):
        if size == 512:
            options, more = ("--format", 1), dict(decoder.FORMATS[1])
        else:
            options, more = (), {}
        yield case(f"page-{size}", *options, "--page-size", size, key=f"x'{RAW}'",
                   **{**more, "page_size": size})


CASES = [
    *formats(),
    *page_sizes(),
    *(case(f"format-3-page-{s}", "--format", 3, "--page-size", s, key=f"x'{RAW}'",
           **{**decoder.FORMATS[3], "page_size": s}) for s in (2048, 4096, 65536)),
    *(case(f"kdf-{k}", "--kdf-algorithm", k, "--kdf-iter", 1000, kdf=k, rounds=1000)
      for k in ("sha1", "sha256", "sha512")),
    case("rounds-1", "--kdf-iter", 1, rounds=1),
    case("rounds-500000", "--kdf-iter", 500000, rounds=500000),
    *(case(f"tag-{t}", "--hmac-algorithm", t, key=f"x'{RAW}'", tag=t)
      for t in ("sha1", "sha256", "sha512")),
    case("tag-none", "--hmac-algorithm", "none", tag=None),
    case("big-endian-page-numbers", "--hmac-pgno", "be", key=f"x'{RAW}'", order="big"),
    case("salt-mask", "--hmac-salt-mask", "00", key=f"x'{RAW}'", mask=0),
    case("fast-kdf", "--fast-kdf-iter", 4000, key=f"x'{RAW}'", fast=4000),
    case("beta-2.0", "--format", 2, "--hmac-salt-mask", "00", "--fast-kdf-iter", 4000,
         **{**decoder.FORMATS[2], "mask": 0, "fast": 4000}),
    case("header-16", "--plaintext-header", 16, "--salt", SALT, header=16,
         salt=bytes.fromhex(SALT)),
    case("header-32", "--plaintext-header", 32, "--salt", SALT, header=32,
         salt=bytes.fromhex(SALT)),
    case("header-32-raw-key-with-salt", "--plaintext-header", 32, key=f"x'{RAW}{SALT}'",
         header=32, salt=bytes.fromhex(SALT)),
    case("given-salt", "--salt", SALT),
    case("raw-64", key=f"x'{RAW}'"),
    case("raw-96", key=f"x'{RAW}{SALT}'"),
    case("raw-160", key=f"x'{RAW}{'7c' * 32}{SALT}'"),
    case("mixed", "--page-size", 16384, "--kdf-algorithm", "sha1", "--kdf-iter", 7,
         "--hmac-algorithm", "sha256", "--hmac-pgno", "be", "--fast-kdf-iter", 3,
         page_size=16384, kdf="sha1", rounds=7, tag="sha256", order="big", fast=3),
]


@pytest.fixture
def source(work):
    return samples.plain(work / "plain.db")


@pytest.mark.parametrize("options, key, settings", CASES)
def test_peers_open_what_encrypt_writes(work, keys, source, options, key, settings):
    target = work / "sealed.db"
    found = program.ok("encrypt", source, target, "--key-file", keys.file(key + "\n"), *options)
    wanted = content(peers.plain(source))

    decoded = work / "decoded.db"
    decoded.write_bytes(decoder.decode(target.read_bytes(), key, decoder.Settings(**settings)))
    judge = peers.plain(decoded)
    peers.sound(judge)
    assert content(judge) == wanted

    judge = peers.sealed(target, key, program.pragmas(found))
    peers.sound(judge, cipher=True)
    assert content(judge) == wanted


def test_a_format_default_needs_no_pragma(work, keys, source):
    found = program.ok("encrypt", source, work / "s.db", "--key-file", keys.file(WORD))
    assert program.pragmas(found) == []


def test_a_generated_salt_outside_the_file_is_reported_and_opens_it(work, keys, source):
    found = program.ok("encrypt", source, work / "s.db", "--key-file", keys.file(WORD),
                       "--plaintext-header", 32)
    assert (work / "s.db").read_bytes()[:16] == b"SQLite format 3\0"
    judge = peers.sealed(work / "s.db", WORD, program.pragmas(found))
    peers.sound(judge, cipher=True)


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_salt_that_is_stored_nowhere_is_always_said(work, keys, source, quiet):
    result = program.run("encrypt", source, work / "s.db", "--key-file", keys.file(WORD),
                         "--plaintext-header", 32, "--salt", SALT, *quiet)
    assert result.exit == 0 and SALT in result.text, result


@pytest.mark.parametrize("shell", [peers.SHELL_OLD, peers.SHELL_NEW], ids=["old", "new"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_shells_open_older_formats(work, keys, source, number, shell):
    target = work / "sealed.db"
    program.ok("encrypt", source, target, "--key-file", keys.file(WORD), "--format", number)
    lines = peers.shell(shell, target, WORD, "SELECT group_concat(hex(name)||mark) FROM people;"
                        "PRAGMA user_version; PRAGMA integrity_check;", number)
    judge = peers.plain(source)
    wanted = judge.execute("SELECT group_concat(hex(name)||mark) FROM people").fetchone()[0][1]
    assert lines[-3:] == [wanted.decode(), "-7", "ok"]


def test_sqlite3mc_opens_format_4(work, keys, source):
    target = work / "sealed.db"
    program.ok("encrypt", source, target, "--key-file", keys.file("word\n"))
    connection = apsw.Connection(str(target))
    for pragma in ("cipher='sqlcipher'", "legacy=4", "key='word'"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT count(*) FROM people").fetchall() == [(273,)]


@pytest.mark.parametrize("key", [
    "o'brien", 'a"b', "'); drop table people;--", "%s%q%n", "00123", "1e5", "0x10",
    " lead and trail ", "pässwörd", "e\u0301", "ключ 密钥 🔑", "a" * 1000, "RAW" + RAW],
    ids=["apostrophe", "quote", "sql", "format", "zeros", "float", "hex", "blanks", "latin",
         "combining", "unicode", "long", "many"])
def test_a_passphrase_is_taken_byte_for_byte(work, keys, source, key):
    target = work / "sealed.db"
    program.ok("encrypt", source, target, "--key-file", keys.file(key + "\n"), "--format", 3)
    judge = peers.sealed(target, key, [("cipher_compatibility", 3)])
    assert judge.execute("SELECT count(*) FROM people").fetchone() == (273,)


def test_bare_hex_digits_are_a_passphrase_unless_said_otherwise(work, keys, source):
    program.ok("encrypt", source, work / "a.db", "--key-file", keys.file(RAW), "--format", 3)
    program.ok("encrypt", source, work / "b.db", "--key-file", keys.file(RAW), "--raw-key")
    peers.sound(peers.sealed(work / "a.db", RAW, [("cipher_compatibility", 3)]))
    peers.sound(peers.sealed(work / "b.db", f"x'{RAW}'"))


def test_a_binary_key_may_hold_any_byte(work, keys, source):
    key = bytes(range(256))
    program.ok("encrypt", source, work / "s.db", "--key-file", keys.file(key), "--key-binary",
               "--format", 3)
    decoded = decoder.decode((work / "s.db").read_bytes(), key,
                             decoder.Settings(**decoder.FORMATS[3]))
    assert decoded[:16] == b"SQLite format 3\0"


def test_two_outputs_never_share_salt_or_ivs(work, keys, source):
    key = keys.raw()
    program.ok("encrypt", source, work / "a.db", "--key-file", key)
    program.ok("encrypt", source, work / "b.db", "--key-file", key)
    a, b = (work / "a.db").read_bytes(), (work / "b.db").read_bytes()
    assert a[:16] != b[:16]
    ivs = [data[at + 4016:at + 4032] for data in (a, b) for at in range(0, len(data), 4096)]
    assert len(set(ivs)) == len(ivs)
