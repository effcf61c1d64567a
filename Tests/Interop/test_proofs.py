# Plan: a report says what was proven, and claims no more than that.
# - pages and records are the numbers that a judge counts;
# - `opened_by` names the engine where it can open the output, and a note says so where it cannot;
# - a schema that the engine does not understand is noted, and converted all the same;
# - a dry run and `--exact` claim no records; a source without tags is noted.
import pytest

from support import expectations, peers, program, samples
from support.fidelity_cases import CASES

RAW = "0badcafe" * 8
SALT = "00" * 15 + "01"


def notes(found):
    return {note["note"] for note in found["notes"]}


@pytest.fixture
def source(work):
    return samples.plain(work / "plain.db")


def counted(path):
    """Entries of all trees: rows of tables, entries of indexes, rows of the schema."""
    connection = peers.plain(path)
    total = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    for name, table, kind in connection.execute(
            "SELECT name, tbl_name, type FROM sqlite_master WHERE rootpage > 0").fetchall():
        total += connection.execute(
            f'SELECT count(*) FROM "{table[1].decode()}"').fetchone()[0]
    return total


@pytest.mark.parametrize("format", [1, 2, 3, 4])
def test_numbers_and_engine_of_a_proof(work, keys, source, format):
    found = program.ok("encrypt", source, work / "s.db", "--key-file", keys.raw(RAW), "--format",
                       format)
    size = (work / "s.db").stat().st_size
    assert found["proof"]["pages"] == found["pages"] == size // found["page_size"]
    assert found["bytes_written"] == size
    assert found["proof"]["records"] == counted(source)
    if expectations.opens(format):
        assert ".".join(map(str, program.engine())) in found["proof"]["opened_by"]
    else:
        assert found["proof"]["opened_by"] is None
    assert ("not_opened_by_sqlcipher" in notes(found)) != expectations.opens(format)


def test_a_key_that_only_a_newer_engine_takes(work, keys, source):
    key = keys.raw(RAW + "cd" * 32 + SALT)
    found = program.ok("encrypt", source, work / "s.db", "--key-file", key)
    assert (found["proof"]["opened_by"] is not None) == expectations.opens(key_digits=160)
    assert ("not_opened_by_sqlcipher" in notes(found)) != expectations.opens(key_digits=160)


def test_a_schema_that_the_engine_does_not_understand(work, keys):
    CASES["strict tables"](work / "plain.db")
    found = program.ok("encrypt", work / "plain.db", work / "s.db", "--key-file", keys.raw(RAW),
                       "--format", "3")
    understood = expectations.understands_strict_tables()
    assert ("schema_not_understood" in notes(found)) != understood
    assert (found["proof"]["schema_message"] is None) == understood


def test_a_dry_run_proves_nothing(work, keys, source):
    found = program.ok("encrypt", "--dry-run", source, work / "s.db", "--key-file", keys.raw(RAW))
    assert found["proof"] is None and found["dry_run"] is True


def test_an_exact_copy_compares_records_and_pages(work, keys, source):
    program.ok("encrypt", source, work / "s.db", "--key-file", keys.raw(RAW))
    found = program.ok("decrypt", "--exact", work / "s.db", work / "b.db", "--key-file",
                       keys.raw(RAW))
    assert found["proof"]["records"] > 0 and found["proof"]["pages"] == found["pages"]
    assert "private_mode" in notes(found)


def test_a_source_without_tags_is_noted(work, keys, source):
    program.ok("encrypt", source, work / "s.db", "--key-file", keys.raw(RAW), "--format", "1")
    found = program.ok("decrypt", work / "s.db", work / "b.db", "--key-file", keys.raw(RAW))
    assert found["format"] == 1 and "not_authenticated" in notes(found)


def test_the_documentation_names_every_field(work, keys, source):
    text = (program.ROOT / "Docs/json.md").read_text()
    found = program.ok("encrypt", source, work / "s.db", "--key-file", keys.raw(RAW))
    failed = program.run("decrypt", "--json", work / "s.db", work / "b.db", "--key-file",
                         keys.file("wrong words")).json
    for fields in (found, found["settings"], found["proof"], failed):
        for field in fields:
            assert f"`{field}`" in text, f"Docs/json.md does not name {field}"
