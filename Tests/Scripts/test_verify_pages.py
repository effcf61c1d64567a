# Plan: verify's first verdict, the pages.
# - every format and every fixture of the peers is found sound; format 1 is said to prove nothing;
# - bytes flipped in known places: exactly those pages are listed, with their owners, whom stock
#   SQLite's dbstat names over what an independent reader decoded (support/decoder.py);
# - wiped pages, free ones among them; sizes; the plaintext header; the lock-byte page;
# - the log: torn ends, commits behind a bad frame, frames under another key; a hot journal.
# Whatever the outcome, the folder stays byte for byte.
import json
import os
import random
import shutil
import sqlite3

import pytest

from support import decoder, peers, program, samples
from support.files import change, flip
from support.kinds import RAW, made
from support.program import ROOT
from support.verdicts import verify

PAGE = 4096
FIXTURES = json.loads((ROOT / "Tests/Fixtures/manifest.json").read_text())


def owners(path, settings=decoder.Settings()):
    """Page number to (name, kind of page), as stock SQLite's dbstat has it."""
    plain = path.parent.parent / "decoded.db"
    plain.write_bytes(decoder.decode(path.read_bytes(), RAW, settings))
    connection = sqlite3.connect(plain)
    rows = connection.execute("SELECT pageno, name, pagetype FROM dbstat").fetchall()
    connection.close()
    plain.unlink()
    return {page: (name, kind) for page, name, kind in rows}


def option(name, value):
    return ["--" + name.replace("_", "-"), str(value)]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda f: f["file"])
def test_every_fixture_of_a_peer_is_sound(work, keys, fixture):
    path = shutil.copy2(ROOT / "Tests/Fixtures" / fixture["file"], work)
    settings = fixture["settings"]
    options = [word for item in settings.items() for word in option(*item)]
    if set(settings) == {"format"}:
        options = []  # that is found out
    key = keys.file(fixture["key"].encode())
    found = program.ok("verify", "--key-binary", "--key-file", key, *options, path)
    pages = found["verdicts"]["pages"]
    has_tags = settings.get("format") != 1 and settings.get("hmac_algorithm") != "none"
    assert pages["verdict"] == ("sound" if has_tags else "no_tags")
    assert pages["checked"] == (found["pages"] if has_tags else 0)
    assert os.path.getsize(path) == found["pages"] * found["page_size"] == pages["size"]
    assert found["verdicts"]["structure"]["verdict"] == "sound"
    if set(settings) == {"format"}:
        assert found["format"] == settings["format"]
    if settings.get("plaintext_header"):
        assert pages["plaintext_header"] == settings["plaintext_header"]


def test_format_1_proves_nothing_and_says_so(work, keys):
    path = peers.create_sealed(
        work / "sealed.db", RAW, [("cipher_compatibility", 1)], samples.fill)
    assert "authenticity cannot be proven" in verify(path, keys)["message"]
    flip(path, 5 * 1024 + 3)
    found = verify(path, keys, "damaged")
    assert found["verdicts"]["pages"]["verdict"] == "no_tags"
    assert found["verdicts"]["structure"]["total"] > 0


@pytest.mark.parametrize("settings", [
    [("cipher_compatibility", 1)], [("cipher_compatibility", 4), ("cipher_use_hmac", "OFF")]],
    ids=["format 1", "no tags"])
@pytest.mark.parametrize("at, length", [(16, 1000), (16, 16), (96, 16), (100, 900)])
def test_a_broken_first_page_without_tags(work, keys, settings, at, length):
    path = peers.create_sealed(work / "sealed.db", RAW, settings, samples.fill)
    options = ["--format", "4", "--hmac-algorithm", "none"] if len(settings) > 1 else []
    named = ["--key-file", keys.file(RAW), *options]
    assert program.run("verify", "--quick", *named, path).exit == 0
    change(path, at, bytes(length))
    with pytest.raises(Exception, match="malformed|not a database|unsupported"):  # the judge
        peers.sealed(path, RAW, settings).execute("SELECT * FROM people").fetchall()
    for quick in (["--quick"], []):
        found = verify(path, keys, "damaged", *options, *quick)
        assert found["verdicts"]["structure"]["verdict"] == "damaged", found
    assert program.run("inspect", "--json", *named, path).json["damage"]


def test_a_flipped_bit_in_each_page_is_found_with_its_owner(work, keys, sealed):
    whose = owners(sealed)
    whole = sealed.read_bytes()
    seen = set()
    for page in range(2, len(whole) // PAGE + 1):
        flip(sealed, (page - 1) * PAGE + random.Random(page).randrange(PAGE - 16))
        found = program.run("verify", "--quick", "--json", "--key-file", keys.file(RAW), sealed)
        assert found.exit == 5 and found.json["damaged_pages"] == [page], found
        (damage,) = found.json["verdicts"]["pages"]["damaged"]
        name, kind = whose.get(page, (None, "free"))
        role = {"overflow": "overflow", "free": "free_list"}.get(kind, "tree")
        assert (damage["name"], damage["role"]) == (name, role), damage
        assert damage["flaw"] == "tag", damage
        seen.add((damage["type"], damage["role"]))
        sealed.write_bytes(whole)
    assert {("table", "tree"), ("index", "tree"), ("table", "overflow")} <= seen


def big(folder, rows):
    """One table, `big`, with a page for each row."""
    script = ("CREATE TABLE big(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
              f" WHERE i < {rows}) INSERT INTO big SELECT zeroblob(3000) FROM n;")
    return made(folder / "sealed.db", "sealed", script)


def test_many_damaged_pages_are_all_listed_in_json(work, keys):
    path = big(work, 400)
    whose = owners(path)
    roots = {page for page, (_, kind) in whose.items() if kind == "internal"}
    wanted = [page for page in range(2, 300) if page not in roots]
    for page in wanted:
        flip(path, (page - 1) * PAGE + 77)
    found = verify(path, keys, "damaged")
    assert found["damaged_pages"] == wanted and found["damaged_total"] == len(wanted)
    assert {page["name"] for page in found["verdicts"]["pages"]["damaged"]} == {"big"}
    text = program.run("verify", "--key-file", keys.file(RAW), path).out.decode()
    assert len(text.splitlines()) < 40 and f"and {len(wanted) - 20} more" in text


def test_behind_a_damaged_interior_page_owners_stay_unknown(work, keys):
    path = big(work, 50)
    whose = owners(path)
    root = next(page for page, (name, kind) in whose.items() if (name, kind) == ("big", "internal"))
    leaf = next(page for page, (name, kind) in whose.items() if (name, kind) == ("big", "leaf"))
    flip(path, (root - 1) * PAGE + 9)
    flip(path, (leaf - 1) * PAGE + 9)
    damaged = {p["page"]: p["name"] for p in
               verify(path, keys, "damaged")["verdicts"]["pages"]["damaged"]}
    assert damaged == {root: "big", leaf: None}


def test_page_1_is_damaged_and_the_others_are_still_checked(work, keys, sealed):
    flip(sealed, 2000)
    flip(sealed, 6 * PAGE + 5)
    found = verify(sealed, keys, "damaged")
    assert found["damaged_pages"] == [1, 7]
    assert found["verdicts"]["structure"]["reason"] == "damaged_pages"
    assert found["verdicts"]["structure"]["verdict"] == "not_checked"


@pytest.mark.parametrize("mode", ["NONE", "FULL"])
def test_free_pages_and_pointer_maps_have_their_names(work, keys, mode):
    def fill(connection):
        connection.executescript(
            "CREATE TABLE keep(a); CREATE TABLE big(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
            " SELECT i + 1 FROM n WHERE i < 100) INSERT INTO big SELECT zeroblob(3000) FROM n;")
    path = peers.create_sealed(work / "sealed.db", RAW, [("auto_vacuum", mode)], fill)
    if mode == "NONE":
        peers.sealed(path, RAW).execute("DROP TABLE big")
        page, role = os.path.getsize(path) // PAGE - 3, "free_list"
    else:
        page, role = 2, "pointer_map"
    flip(path, (page - 1) * PAGE + 50)
    (damage,) = verify(path, keys, "damaged")["verdicts"]["pages"]["damaged"]
    assert (damage["page"], damage["role"], damage["name"]) == (page, role, None)
    if mode == "NONE":
        # A free page of zeros was never written, as far as anybody can tell; the list itself is read.
        change(path, (page - 1) * PAGE, bytes(PAGE))
        assert verify(path, keys)["damaged_pages"] == []


@pytest.mark.parametrize("page", [2, 17])
def test_a_wiped_page(work, keys, sealed, page):
    name = owners(sealed)[page][0]
    change(sealed, (page - 1) * PAGE, bytes(PAGE))
    (damage,) = verify(sealed, keys, "damaged")["verdicts"]["pages"]["damaged"]
    assert (damage["page"], damage["flaw"], damage["name"]) == (page, "wiped", name)


def test_pages_that_changed_places(work, keys, sealed):
    data = sealed.read_bytes()
    change(sealed, 2 * PAGE, data[3 * PAGE:4 * PAGE])
    change(sealed, 3 * PAGE, data[2 * PAGE:3 * PAGE])
    assert verify(sealed, keys, "damaged")["damaged_pages"] == [3, 4]


@pytest.mark.parametrize("kind", ["plain", "sealed"])
@pytest.mark.parametrize("cut", [100, 4096, 4196, 40960])
def test_a_truncated_database(work, keys, source, sealed, kind, cut):
    path = source if kind == "plain" else sealed
    whole = work.parent / "whole.db"
    whole.write_bytes(source.read_bytes() if kind == "plain" else decoder.decode(
        sealed.read_bytes(), RAW, decoder.Settings()))
    size = os.path.getsize(path)
    os.truncate(path, size - cut)
    found = verify(path, keys, "damaged", key=RAW if kind == "sealed" else None)
    pages = found["verdicts"]["pages"]
    assert (pages["size"], pages["expected_size"]) == (size - cut, size)
    assert found["verdicts"]["structure"]["verdict"] == "not_checked"
    gone = list(range((size - cut) // PAGE + 1, size // PAGE + 1))
    assert found["damaged_pages"] == gone and found["damaged_total"] == len(gone)
    # Stock SQLite says of the whole database whose they were.
    judge = sqlite3.connect(whole)
    names = dict(judge.execute("SELECT pageno, name FROM dbstat"))
    judge.close()
    for item in pages["damaged"]:
        assert item["flaw"] in ("missing", "tag")
        assert item["name"] in (names.get(item["page"]), None), item
    assert any(item["name"] for item in pages["damaged"])
    # The text has the numbers of missing pages once, and a line only where there is more to say.
    named = ["--key-file", keys.file(RAW)] if kind == "sealed" else []
    text = program.run("verify", *named, path).out.decode()
    lines = [line.strip() for line in text.splitlines() if "is missing: " in line]
    assert [line for line in lines if line.startswith("page ") and "nobody" in line] == [], text
    assert len([line for line in lines if line.startswith("page ")]) == len(
        [item for item in pages["damaged"] if item["flaw"] == "missing" and item["name"]])


def test_a_header_that_counts_pages_beyond_all_bounds(work, keys, source):
    """The list is cut, the total is not."""
    change(source, 28, (0xfffffffe).to_bytes(4, "big"))
    found = verify(source, keys, "damaged", key=None)
    have = os.path.getsize(source) // PAGE
    assert len(found["damaged_pages"]) == 1000 and found["damaged_pages"][0] == have + 1
    assert found["damaged_total"] == 0xfffffffe - have


@pytest.mark.parametrize("kind", ["plain", "sealed"])
@pytest.mark.parametrize("tail", [b"\0" * 100, b"junk" * 25, b"x" * 4096, b"\0" * 4095 + b"x"])
def test_junk_at_the_end(work, keys, source, sealed, kind, tail):
    path = source if kind == "plain" else sealed
    size = os.path.getsize(path)
    change(path, size, tail)
    found = verify(path, keys, "damaged", key=RAW if kind == "sealed" else None)
    assert found["verdicts"]["pages"]["expected_size"] == size
    assert found["verdicts"]["structure"]["verdict"] == "sound"  # what SQLite sees is


@pytest.mark.parametrize("kind", ["plain", "sealed"])
def test_whole_pages_of_zeros_at_the_end_are_sound_and_noted(work, keys, source, sealed, kind):
    path = source if kind == "plain" else sealed
    change(path, os.path.getsize(path), bytes(3 * PAGE))
    found = verify(path, keys, key=RAW if kind == "sealed" else None)
    assert found["verdicts"]["pages"]["preallocated"] == 3 * PAGE
    assert [note["note"] for note in found["notes"]] == ["preallocated"]


def test_the_plaintext_header_is_said_to_be_without_a_tag(work, keys):
    salt = "00112233445566778899aabbccddeeff"
    pragmas = [("cipher_plaintext_header_size", 32), ("cipher_salt", f"x'{salt}'")]
    path = peers.create_sealed(work / "sealed.db", RAW, pragmas, samples.fill)
    options = ["--plaintext-header", "32", "--salt", salt]
    assert verify(path, keys, "ok", *options)["verdicts"]["pages"]["plaintext_header"] == 32
    text = program.run("verify", "--key-file", keys.file(RAW), *options, path)
    assert b"no tag covers the first 32 bytes" in text.err
    flip(path, 27)  # the change counter: no tag covers it, and it breaks nothing
    verify(path, keys, "ok", *options)
    change(path, 16, b"\x20\x00")  # the page size: it contradicts the file
    found = verify(path, keys, "damaged", *options)
    assert "page size" in found["message"] and found["damaged_pages"] == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [1024, 65536])
def test_the_lock_byte_page_is_no_damage(work, keys, size):
    def fill(connection):
        connection.execute("CREATE TABLE t(a)")
        for _ in range(22):
            connection.execute("INSERT INTO t VALUES(zeroblob(50000000))")
    path = peers.create_sealed(work / "sealed.db", RAW, [("cipher_page_size", size)], fill)
    found = program.ok(
        "verify", "--quick", "--key-file", keys.file(RAW), "--page-size", str(size), path)
    assert found["verdicts"]["pages"]["lock_byte_page"] == 0x40000000 // size + 1


def test_of_a_sample_the_sample_is_said(work, keys, sealed):
    """What was not looked at is not counted among what was."""
    with open(sealed, "r+b") as file:
        data = bytearray(file.read())
        pages = len(data) // PAGE
        for number in range(2, pages + 1):
            data[(number - 1) * PAGE + 100] ^= 1
        file.seek(0)
        file.write(data)
    result = program.run("verify", "--quick", "--sample", "50", "--key-file", keys.file(RAW), sealed)
    looked = (pages + 1) // 2
    assert result.exit == 5
    assert f" of {looked} pages that were looked at, a sample of 50 percent of {pages}," in \
        result.err.decode() + result.out.decode()
