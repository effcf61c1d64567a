# Plan: what others wrote, `decrypt` reads.
# - every format as SQLCipher 4.19, 4.12 and both shells write it, detected without being told;
# - custom settings, named as options; files whose B-trees keep another reserve than the codec;
# - a WAL-mode database, an empty one, and round trips through `--exact`.
import pytest

from support import decoder, peers, program, samples
from support.content import content

WORD = "word of 4.19"
RAW = "x'" + "c0ffee" + "2d" * 29 + "'"
SALT = "ffeeddccbbaa99887766554433221100"


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """The sample's content, by stock SQLite."""
    return content(peers.plain(samples.plain(tmp_path_factory.mktemp("s") / "plain.db")))


def decrypted(work, keys, source, key, *options):
    """Decrypts and gives stock SQLite's view of the output."""
    target = work / "out.db"
    program.ok("decrypt", source, target, "--key-file", keys.file(key + "\n"), *options)
    judge = peers.plain(target)
    peers.sound(judge)
    return judge


def write(how, path, key, number):
    pragmas = [] if number == 4 else [("cipher_compatibility", number)]
    if how == "4.19":
        peers.create_sealed(path, key, pragmas, samples.fill)
    elif how == "4.12":
        peers.create_sealed_412(path, key, pragmas, samples.SAMPLE)
    else:
        shell = peers.SHELL_OLD if how == "old shell" else peers.SHELL_NEW
        peers.shell(shell, path, key, samples.SAMPLE, number)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("how", ["4.19", "4.12", "old shell", "new shell"])
def test_every_format_of_every_peer_is_detected(work, keys, wanted, how, number):
    if how == "old shell" and number == 4 and peers.shell_version(peers.SHELL_OLD)[0] == "3":
        how, number = "old shell", 3  # it cannot write format 4; format 3 with a raw key instead
        key = RAW
    else:
        key = WORD
    source = work / "sealed.db"
    write(how, source, key, number)
    assert content(decrypted(work, keys, source, key)) == wanted


CUSTOM = {
    "page-8192": ([("cipher_page_size", 8192)], ["--source-page-size", "8192"]),
    "page-65536": ([("cipher_page_size", 65536)], ["--source-page-size", "65536"]),
    "rounds": ([("kdf_iter", 1234)], ["--kdf-iter", "1234"]),
    "kdf-sha256": ([("cipher_kdf_algorithm", "PBKDF2_HMAC_SHA256")],
                   ["--kdf-algorithm", "sha256"]),
    "tag-sha1": ([("cipher_hmac_algorithm", "HMAC_SHA1")], ["--hmac-algorithm", "sha1"]),
    "tag-none": ([("cipher_use_hmac", "OFF")], ["--hmac-algorithm", "none"]),
    "big-endian": ([("cipher_hmac_pgno", "be")], ["--hmac-pgno", "be"]),
    "salt-mask": ([("cipher_hmac_salt_mask", "x'00'")], ["--hmac-salt-mask", "00"]),
    "fast-kdf": ([("fast_kdf_iter", 4000)], ["--fast-kdf-iter", "4000"]),
    "header-32": ([("cipher_plaintext_header_size", 32), ("cipher_salt", f"x'{SALT}'")],
                  ["--plaintext-header", "32", "--salt", SALT]),
    "format-3-page-4096": ([("cipher_compatibility", 3), ("cipher_page_size", 4096)],
                           ["--format", "3", "--source-page-size", "4096"]),
}


@pytest.mark.parametrize("name", CUSTOM)
@pytest.mark.parametrize("key", [WORD, RAW], ids=["passphrase", "raw"])
def test_custom_settings_are_read_when_named(work, keys, wanted, name, key):
    pragmas, options = CUSTOM[name]
    source = peers.create_sealed(work / "sealed.db", key, pragmas, samples.fill)
    assert content(decrypted(work, keys, source, key, *options)) == wanted


@pytest.mark.parametrize("digits", [96, 160])
def test_raw_keys_with_salt_and_hmac_key(work, keys, wanted, digits):
    key = "x'" + ("ab" * 32 + "cd" * 32 if digits == 160 else "ab" * 32) + SALT + "'"
    source = peers.create_sealed(work / "sealed.db", key, [], samples.fill)
    assert content(decrypted(work, keys, source, key)) == wanted


def test_output_has_no_reserve_and_keeps_the_page_size(work, keys):
    source = peers.create_sealed(work / "s.db", RAW, [("cipher_page_size", 8192)], samples.fill)
    decrypted(work, keys, source, RAW, "--source-page-size", "8192")
    header = (work / "out.db").read_bytes()[:100]
    assert header[20] == 0 and int.from_bytes(header[16:18], "big") == 8192


@pytest.mark.parametrize("size", [512, 1024, 16384, 65536])
def test_page_size_of_the_output_can_be_chosen(work, keys, wanted, size):
    source = peers.create_sealed(work / "s.db", RAW, [], samples.fill)
    judge = decrypted(work, keys, source, RAW, "--page-size", str(size))
    assert judge.execute("PRAGMA page_size").fetchone() == (size,)
    assert content(judge) == wanted


def test_exact_keeps_every_page_where_it_is(work, keys):
    source = peers.create_sealed(work / "s.db", RAW, [], samples.fill)
    decrypted(work, keys, source, RAW, "--exact")
    decoded = decoder.decode(source.read_bytes(), RAW, decoder.Settings())
    found = (work / "out.db").read_bytes()
    assert len(found) == len(decoded)
    usable = 4096 - decoded[20]
    for at in range(0, len(decoded), 4096):
        assert found[at:at + usable] == decoded[at:at + usable], f"page {at // 4096 + 1}"


def test_a_database_without_tables(work, keys):
    source = peers.create_sealed(work / "s.db", RAW, [], lambda c: c.execute(
        "PRAGMA user_version=3"))
    judge = decrypted(work, keys, source, RAW)
    assert judge.execute("PRAGMA user_version").fetchone() == (3,)
    assert judge.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_deleted_data_is_not_carried_along(work, keys):
    def fill(connection):
        connection.execute("CREATE TABLE t(a)")
        connection.executemany("INSERT INTO t VALUES(?)", [("forgotten words" * 20,)] * 500)
        connection.execute("DELETE FROM t")
    source = peers.create_sealed(work / "s.db", RAW, [("secure_delete", 0)], fill)
    decrypted(work, keys, source, RAW)
    assert b"forgotten words" not in (work / "out.db").read_bytes()
