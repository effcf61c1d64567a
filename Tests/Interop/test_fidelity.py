# Plan: a conversion changes nothing that a database says. For every case of
# support/fidelity_cases.py: SQLCipher 4.19 reads the same content from the encrypted file as it
# reads from the plaintext (same engine, so answers compare one to one, integrity_check's words
# included), and stock SQLite reads the same content from decrypt(encrypt(x)) as from x.
import pytest

from support import peers, program
from support.content import content, rows
from support.fidelity_cases import CASES, QUERIES

KEY = "x'" + "0badcafe" * 8 + "'"


def view(connection, queries):
    """Content, checks, and the answers to the case's own queries."""
    found = content(connection)
    for query in ("PRAGMA integrity_check", "PRAGMA foreign_key_check", *queries):
        try:
            found[query] = rows(connection.execute(query))
        except Exception as error:  # what this engine cannot run fails alike before and after
            found[query] = str(error)
    return found


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_lost(work, keys, name):
    source, sealed, back = work / "plain.db", work / "sealed.db", work / "back.db"
    CASES[name](source)
    header = source.read_bytes()[:100]
    by_stock = view(peers.plain(source), QUERIES[name])
    unkeyed = peers.sqlcipher3.connect(str(source), isolation_level=None)
    unkeyed.text_factory = peers.text
    peers.equip(unkeyed)
    by_sqlcipher = view(unkeyed, QUERIES[name])
    unkeyed.close()

    key = keys.raw("0badcafe" * 8)
    found = program.ok("encrypt", source, sealed, "--key-file", key)
    judge = peers.sealed(sealed, KEY, program.pragmas(found))
    assert judge.execute("PRAGMA cipher_integrity_check").fetchall() == []
    assert view(judge, QUERIES[name]) == by_sqlcipher
    judge.close()

    program.ok("decrypt", sealed, back, "--key-file", key)
    assert view(peers.plain(back), QUERIES[name]) == by_stock
    after = back.read_bytes()[:100]
    assert after[18:20] == header[18:20], "the journal mode was not kept"
    assert after[20] == 0, "reserved bytes were left"
    for label, at in (("schema format", 44), ("cache size", 48), ("incremental vacuum", 64)):
        assert after[at:at + 4] == header[at:at + 4], f"{label} was not kept"


def test_the_next_id_is_higher_than_any_ever_used(work, keys):
    source, sealed, back = work / "plain.db", work / "sealed.db", work / "back.db"
    CASES["sqlite_sequence"](source)
    key = keys.raw("0badcafe" * 8)
    program.ok("encrypt", source, sealed, "--key-file", key)
    program.ok("decrypt", sealed, back, "--key-file", key)
    for connection in (peers.sealed(sealed, KEY), peers.plain(back)):
        connection.execute("INSERT INTO t(a) VALUES(9)")
        assert connection.execute("SELECT max(id) FROM t").fetchone() == (4,)


@pytest.mark.parametrize("mode", ["FULL", "INCREMENTAL"])
def test_auto_vacuum_still_works_in_the_output(work, keys, mode):
    source, sealed, back = work / "plain.db", work / "sealed.db", work / "back.db"
    CASES[f"auto-vacuum {mode}"](source)
    key = keys.raw("0badcafe" * 8)
    program.ok("encrypt", source, sealed, "--key-file", key)
    program.ok("decrypt", sealed, back, "--key-file", key)
    for connection in (peers.sealed(sealed, KEY), peers.plain(back)):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute("DELETE FROM people")
        connection.execute("DROP TABLE gaps")
        connection.execute("PRAGMA incremental_vacuum").fetchall()
        peers.sound(connection)
        assert connection.execute("PRAGMA page_count").fetchone()[0] < pages


def test_outputs_stay_writable_databases(work, keys):
    source, sealed, back = work / "plain.db", work / "sealed.db", work / "back.db"
    CASES["overflow"](source)
    key = keys.raw("0badcafe" * 8)
    program.ok("encrypt", source, sealed, "--key-file", key)
    program.ok("decrypt", sealed, back, "--key-file", key)
    for connection in (peers.sealed(sealed, KEY), peers.plain(back)):
        connection.execute("INSERT INTO t SELECT a || 'y', zeroblob(70000) FROM t")
        connection.execute("DELETE FROM t WHERE rowid % 2")
        peers.sound(connection)
        connection.execute("VACUUM")
        peers.sound(connection)
