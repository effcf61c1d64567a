# Plan: files built to exhaust memory or time, through the binary. What each command says of them is
# right, and it holds no more than 150 MiB meanwhile, whatever they claim:
# - trees that come back to themselves, are too deep, or use a page twice; counts beyond the page;
# - overflow chains that come back to themselves, or claim gigabytes;
# - lists of free pages without an end, or with more pages than there are;
# - a header, a log, a journal that claim 2^32 pages, frames or records, or have a terabyte of nothing;
# - schema rows with a million columns, or of a gigabyte;
# - a list of tens of thousands of keys, lists of nothing or of one endless name, a key command of megabytes.
import json
import os
import random
import struct

import pytest

from support import crafted, program, usage

MIB = 1 << 20
LIMIT = 150 * MIB
EVERYTHING = 0xffff_ffff
ROW = crafted.leaf([b"\3\1\2\1\7"])
TERABYTE = 1 << 40


def tree(*pages, **header):
    return lambda path: crafted.database(path, list(pages), **header)


def with_schema(payload):
    """A schema row of that payload."""
    def make(path):
        cell, pages = crafted.split(payload, 3)
        crafted.database(path, [ROW, *pages], schema=cell)
    return make


def overflow(length, *chain):
    """A row that claims `length` bytes and has the pages of `chain` from page 3 on."""
    cell = crafted.varint(length) + b"\1" + bytes(crafted.local(length)) + struct.pack(">I", 3)
    return tree(crafted.leaf([cell]), *(struct.pack(">I", n) + bytes(508) for n in chain))


def trunk(following, count, *leaves):
    return struct.pack(f">II{len(leaves)}I", following, count, *leaves).ljust(512, b"\0")


def columns(count):
    """A record of `count` columns, all of them zero."""
    size = count + 1
    while size != count + len(crafted.varint(size)):
        size = count + len(crafted.varint(size))
    return crafted.varint(size) + b"\x08" * count


def schema_text(sql):
    body = b"table" + b"t" + b"t" + b"\2" + sql
    types = bytes([23, 15, 15, 1]) + crafted.varint(13 + 2 * len(sql))
    return bytes([len(types) + 1]) + types + body


def many_cells():
    page = bytearray(ROW)
    page[3:5] = b"\xff\xff"
    return bytes(page)


# Each is refused as damaged by whoever reads its trees.
DAMAGED = {
    "a page that is its own child": tree(crafted.interior([3, 2]), ROW),
    "pages that are each other's child": tree(crafted.interior([3]), crafted.interior([2])),
    "a tree of sixty levels": tree(*(crafted.interior([n]) for n in range(3, 63)), ROW),
    "a child that eighty have": tree(crafted.interior([3] * 60), ROW),
    "more cells than bytes": tree(many_cells()),
    "a chain that meets itself": overflow(5000, 4, 5, 3),
    "a chain of one page": overflow(EVERYTHING, 3),
    "a value of 4 GiB": overflow(EVERYTHING, *range(4, 40), 0),
    "a value of 2^55 bytes": overflow(1 << 55, 0),
    "four billion pages": tree(ROW, count=EVERYTHING),
    "a schema row of a million columns": with_schema(columns(1_000_000)),
    "a schema row with a head of a gigabyte": with_schema(crafted.varint(1 << 30) + b"\x08" * 400),
    "a schema row of a gigabyte": tree(
        ROW, schema=crafted.varint(1 << 30) + b"\1" + bytes(crafted.local(1 << 30)) + bytes(4)),
}


def judge(code, *args):
    """Runs with --json; the memory is bounded, and the answer is `code`, if it is one of several."""
    result, peak = usage.measured(args[0], "--json", *args[1:])
    # `integrity_check` of SQLite 3.15 has a bit for each page that the header claims.
    limit = 600 * MIB if args[0] == "verify" and program.engine() < (4,) else LIMIT
    assert peak <= limit, f"{peak // MIB} MiB for {result.args}"
    assert result.exit in [program.EXIT[c] for c in ([code] if isinstance(code, str) else code)], result
    return result


@pytest.mark.parametrize("make", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_database_that_claims_too_much(work, keys, make):
    path = work / "a.db"
    make(path)
    judge("damaged", "encrypt", path, work / "out.db", "--key-file", keys.raw())
    assert not (work / "out.db").exists()
    # SQLite 3.15 has no limit to a tree's depth, and no row of a gigabyte to read.
    judge(["damaged", "ok", "io"] if program.engine() < (4,) else "damaged", "verify", path)
    found = judge(["ok", "damaged"], "inspect", path, "--pages")
    assert b"damaged" in found.out, found


FREE = {
    "a list that comes back to its start": (trunk(3, 1, 4), bytes(512)),
    "lists that follow each other": (trunk(4, 0), trunk(3, 0)),
    "four billion free pages": (trunk(0, EVERYTHING), bytes(512)),
    "one page free a hundred times": (trunk(0, 100, *[4] * 100), bytes(512)),
}


@pytest.mark.parametrize("pages", FREE.values(), ids=FREE.keys())
def test_a_list_of_free_pages_without_an_end(work, keys, pages):
    path = crafted.database(work / "a.db", [ROW, *pages], trunk=3, free=EVERYTHING)
    # Nothing that counts is in them; in place the pages would be lost, so it is refused there.
    judge(["ok", "damaged"], "encrypt", path, work / "out.db", "--key-file", keys.raw())
    judge("damaged", "encrypt", "--in-place", path, "--key-file", keys.raw())
    judge("damaged", "verify", path)
    judge(["ok", "damaged"], "inspect", path, "--pages")


def test_a_million_columns_in_the_sql(work, keys):
    path = work / "a.db"
    sql = b"CREATE TABLE t(" + b",".join(b"c%d" % n for n in range(1_000_000)) + b")"
    with_schema(schema_text(sql))(path)
    # SQLite has no such table. Whether it could be converted all the same is its proof's to say.
    judge(["ok", "unsupported", "damaged", "self_check_failed"], "encrypt", path, work / "out.db",
          "--key-file", keys.raw())
    judge(["damaged", "unsupported", "check_failed"], "verify", path)
    judge("ok", "inspect", path)


@pytest.fixture
def plain(work):
    return crafted.database(work / "a.db", [ROW])


def both(keys, plain, code):
    judge(code, "encrypt", plain, plain.with_name("out.db"), "--key-file", keys.raw())
    judge(code, "verify", plain)
    judge("ok", "inspect", plain)


@pytest.mark.parametrize("number", [1, 2, EVERYTHING])
@pytest.mark.parametrize("agrees", [True, False], ids=["header agrees", "header does not"])
def test_a_log_that_claims_four_billion_pages(work, keys, number, agrees):
    path = crafted.database(work / "a.db", [ROW], count=EVERYTHING if agrees else 2)
    page = path.read_bytes()[:512]
    crafted.log(work / "a.db-wal", page if number == 1 else ROW, EVERYTHING, number=number)
    if agrees and number == EVERYTHING:
        # The last page is there, so the others are a hole of two terabytes that nothing uses. SQLite's
        # own check, of verify, takes a bit for each of them.
        found = judge("ok", "encrypt", path, work / "out.db", "--key-file", keys.raw())
        assert b"4294966292 more" in found.out, found
        return
    # What counts is the header, as for SQLite.
    both(keys, path, "damaged" if agrees else "ok")


def test_a_log_of_large_pages(work, keys, plain):
    crafted.log(work / "a.db-wal", bytes(65536), EVERYTHING)
    both(keys, plain, "wrong_kind")


@pytest.mark.parametrize("frames", [0, 3])
def test_a_log_with_a_terabyte_of_nothing(work, keys, plain, frames):
    crafted.log(work / "a.db-wal", plain.read_bytes()[:512], 2, frames=frames)
    os.truncate(work / "a.db-wal", TERABYTE)
    both(keys, plain, "ok")


def test_a_commit_behind_a_terabyte_of_nothing_is_lost(work, keys, plain):
    log = work / "a.db-wal"
    crafted.log(log, plain.read_bytes()[:512], 2, frames=3)
    data = log.read_bytes()
    frame = 24 + 512
    hole = (TERABYTE // frame) * frame
    with open(log, "r+b") as file:
        # The last commit stands behind the hole, continuing what the frame before it records.
        file.seek(32 + frame + hole)
        file.write(data[32 + frame:])
    found = judge("damaged", "verify", plain)
    wal = found.json["verdicts"]["pages"]["wal"]
    assert (wal["lost_commits"], wal["first_bad"]) == (1, 4), found


@pytest.mark.parametrize("records", [EVERYTHING, EVERYTHING - 1])
@pytest.mark.parametrize("pages", [2, EVERYTHING])
def test_a_journal_that_claims_four_billion_records(work, keys, plain, records, pages):
    crafted.journal(work / "a.db-journal", plain.read_bytes()[:512], records=records, pages=pages)
    # As many as fit, or so many that one is cut.
    both(keys, plain, "ok" if records == EVERYTHING else "damaged")


@pytest.mark.parametrize("behind", [b"", b"x"], ids=["nothing", "a byte at its end"])
def test_a_journal_with_a_terabyte_of_nothing(work, keys, plain, behind):
    path = work / "a.db-journal"
    crafted.journal(path, plain.read_bytes()[:512], records=EVERYTHING, pages=2)
    os.truncate(path, TERABYTE)
    with open(path, "r+b") as file:
        file.seek(TERABYTE - 1)
        file.write(behind)
    both(keys, plain, "ok")


def test_a_journal_of_large_sectors_and_pages(work, keys, plain):
    crafted.journal(work / "a.db-journal", bytes(65536), records=EVERYTHING, pages=EVERYTHING,
                    sector=65536)
    both(keys, plain, "wrong_kind")


def test_a_list_of_many_keys(keys, sealed):
    # The first one fits; what counts is what the list itself takes.
    ring = keys.file(b"x'" + b"a1b2c3d4" * 8 + b"'\n" + b"x\n" * (24 << 10), "ring")
    judge("ok", "verify", sealed, "--try-keys", ring)


@pytest.mark.parametrize("text, options, words", [
    (b"\n" * (32 << 20), [], "names no database"),
    (b"\0" * (32 << 20), ["-0"], "names no database"),
    (b"a" * (32 << 20), [], "name 1: longer than 4096 bytes"),
    (b"\n" * 7 + b"a" * 4097, [], "name 8: longer than 4096 bytes"),
    (b"a\n" * 500_001, [], "more than 500000 names"),
])
def test_lists_of_names(work, text, options, words):
    (work / "list").write_bytes(text)
    result, peak = usage.measured("verify", "--files-from", work / "list", *options)
    assert result.exit == 2 and words in result.err.decode(), result
    assert len(result.err) < 500 and peak < LIMIT, peak


def test_a_key_command_of_megabytes(work):
    (work / "a.db").write_bytes(random.Random(1).randbytes(8192))
    (work / "m.json").write_text(json.dumps({
        "dbseal_manifest": 1, "databases": [{"file": "a.db", "key_command": "0" * (4 << 20)}]}))
    result, peak = usage.measured("verify", "--manifest", work / "m.json")
    assert result.exit == 1 and peak < LIMIT, result
