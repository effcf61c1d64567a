# Plan: inspect with a key says what is inside, as the engines that made it say.
# - every format of every peer: settings, header, rows of each table; sizes against stock dbstat
# - logs, hot journals, live writers, read-only places: the right rows, and not a byte changed
# - --schema makes the same schema again in stock SQLite; names and texts that are hostile
# - what the engine lacks: collations, functions, modules, tokenizers; views that cannot be used
# - --pages against dbstat, the list of free pages and pointer maps; fits 80 columns
# - damage: which pages, and the rest is described; wrong key; no key; nothing to look into
import json
import os
import shutil
import sqlite3
import subprocess

import pytest

from support import peers, program, samples
from support.files import Snapshot
from support.others import Holder

RAW = "x'" + "a1b2c3d4" * 8 + "'"
WORD = "word of 4.19"
PAGE = 4096


def look(path, *options, **more):
    before = Snapshot(path.parent)
    found = program.ok("inspect", path, *options, **more)
    before.unchanged()
    return found


def counts(connection):
    """Rows of every table with a tree, by the engine."""
    names = [row[0][1].decode() for row in connection.execute(
        "SELECT name FROM sqlite_master WHERE type='table' AND rootpage > 0")]
    return {name: connection.execute(
        f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def rows(found):
    return {table["name"]: table["rows"] for table in found["tables"]}


def write(how, path, number):
    pragmas = [] if number == 4 else [("cipher_compatibility", number)]
    if how == "4.19":
        peers.create_sealed(path, WORD, pragmas, samples.fill)
    elif how == "4.12":
        peers.create_sealed_412(path, WORD, pragmas, samples.SAMPLE)
    else:
        peers.shell(peers.SHELL_OLD, path, WORD, samples.SAMPLE, number)


PEERS = [(how, number) for how in ("4.19", "4.12", "3.4.1") for number in (1, 2, 3, 4)
         if (how, number) != ("3.4.1", 4)]


@pytest.mark.parametrize("how, number", PEERS)
def test_every_format_of_every_peer(work, keys, how, number):
    path = work / "sealed.db"
    write(how, path, number)
    found = look(path, "--key-file", keys.file(WORD + "\n"))
    assert found["format"] == number and found["salt"] == path.read_bytes()[:16].hex()
    assert found["settings"]["page_size"] == found["page_size"] == (4096 if number == 4 else 1024)
    assert found["user_version"] == -7 and found["application_id"] == 252006673
    judge = peers.sealed(path, WORD, [("cipher_compatibility", number)])
    assert rows(found) == counts(judge)
    assert found["header"]["pages"] == judge.execute("PRAGMA page_count").fetchone()[0]
    assert found["header"]["free_pages"] == judge.execute("PRAGMA freelist_count").fetchone()[0]
    assert [i["name"] for i in found["indexes"]] == ["people_name"]
    assert [v["name"] for v in found["views"]] == ["names"]
    assert [(t["name"], t["table"]) for t in found["triggers"]] == [("people_log", "people")]
    assert found["damage"] == [] and found["lacks"] == {
        "collations": [], "functions": [], "modules": [], "tokenizers": []}
    # The PRAGMAs of the report open it in the peer.
    peers.sealed(path, WORD, program.pragmas(found)).execute("SELECT * FROM people").fetchone()


def test_settings_of_its_own(work, keys):
    path = peers.create_sealed(
        work / "a.db", WORD, [("cipher_page_size", 8192), ("kdf_iter", 1234)], samples.fill)
    found = look(path, "--page-size", "8192", "--kdf-iter", "1234", "--key-file", keys.file(WORD))
    assert found["format"] is None and found["settings"]["kdf_iter"] == 1234
    assert rows(found)["people"] == 273


def test_a_plaintext_header(work, keys):
    salt = "00112233445566778899aabbccddeeff"
    path = peers.create_sealed(
        work / "a.db", RAW, [("cipher_plaintext_header_size", 32), ("cipher_salt", f"x'{salt}'")],
        samples.fill)
    found = look(path, "--salt", salt, "--key-file", keys.file(RAW))
    assert found["kind"] == "sqlcipher_plaintext_header" and found["salt"] == salt
    assert rows(found)["people"] == 273


@pytest.mark.parametrize("pragmas, options", [
    ([("cipher_plaintext_header_size", 32), ("cipher_salt", "x'" + "ab" * 16 + "'")],
     ["--salt", "ab" * 16]),
    ([("cipher_plaintext_header_size", 48), ("cipher_salt", "x'" + "ab" * 16 + "'")],
     ["--salt", "ab" * 16, "--plaintext-header", "48"]),
    ([("cipher_compatibility", 3)], []),
    ([("cipher_page_size", 8192), ("kdf_iter", 5)], ["--page-size", "8192", "--kdf-iter", "5"]),
    ([("cipher_hmac_salt_mask", "x'5c'"), ("cipher_hmac_pgno", "be")],
     ["--hmac-salt-mask", "5c", "--hmac-pgno", "be"])])
def test_what_opens_it_can_be_pasted(work, keys, pragmas, options):
    path = peers.create_sealed(work / "a.db", WORD, pragmas, samples.fill)
    lines = program.run("inspect", path, *options, "--key-file", keys.file(WORD)).out.decode()
    statements = next(line for line in lines.splitlines() if "opens with:" in line)
    found = peers.shell(peers.SHELL_NEW, path, WORD,
                        statements.split(": ", 1)[1] + "\nSELECT count(*) FROM people;")
    assert found[-1] == "273", found


@pytest.mark.parametrize("page_size", [512, 4096, 32768])
@pytest.mark.parametrize("vacuum", ["NONE", "FULL"])
def test_rows_sizes_and_the_map_against_dbstat(work, page_size, vacuum):
    path = samples.plain(work / "a.db", page_size=page_size, pragmas=[f"auto_vacuum={vacuum}"])
    judge = sqlite3.connect(path)
    found = look(path, "--tables")
    assert rows(found) == counts(peers.plain(path))
    sizes = dict(judge.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    del sizes["sqlite_schema"]
    trees = found["tables"] + found["indexes"]
    assert {t["name"]: t["bytes"] for t in trees} == sizes
    assert all(t["bytes"] == t["pages"] * page_size and not t["partial"] for t in trees)
    got = look(path, "--pages")["map"]
    uses = {}
    for run in got["runs"]:
        for number in range(run["first"], run["last"] + 1):
            assert number not in uses
            uses[number] = run["use"]
    pages = judge.execute("PRAGMA page_count").fetchone()[0]
    assert sorted(uses) == list(range(1, pages + 1))
    indexes = {row[0] for row in judge.execute(
        "SELECT name FROM sqlite_master WHERE type='index' OR sql LIKE '%WITHOUT ROWID%'")}
    for name, number, kind in judge.execute("SELECT name, pageno, pagetype FROM dbstat"):
        base = "index" if name in indexes else "table"
        wanted = {"leaf": base + "_leaf", "internal": base + "_interior",
                  "overflow": "overflow"}[kind]
        assert uses[number] == wanted, (name, number)
    count = got["counts"]
    assert count.get("free", 0) + count.get("free_trunk", 0) == judge.execute(
        "PRAGMA freelist_count").fetchone()[0]
    # sqlite.org/fileformat2.html: the first pointer map is page 2, one each usable/5+1 pages.
    maps = {n for n in range(2, pages + 1, page_size // 5 + 1)} if vacuum == "FULL" else set()
    assert {n for n in uses if uses[n] == "pointer_map"} == maps
    assert "unused" not in count and "damaged" not in count


def test_pages_behind_a_damaged_one_are_not_called_unused(work, keys):
    def fill(connection):
        connection.executescript("CREATE TABLE t(a); CREATE TABLE u(b); INSERT INTO u VALUES(1)")
        connection.executemany("INSERT INTO t VALUES(zeroblob(?))", [(900,)] * 300)
    path = peers.create_sealed(work / "a.db", RAW, [], fill)
    root = peers.sealed(path, RAW).execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 't'").fetchone()[0]
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096 + 100] ^= 1  # the page that leads to all others of t
    path.write_bytes(data)
    options = ["--pages", "--key-file", keys.file(RAW)]
    counts = program.ok("inspect", *options, path)["map"]["counts"]
    assert counts["damaged"] == 1 and "unused" not in counts
    assert counts["unreached"] == len(data) // 4096 - counts["table_leaf"] - 1
    text = program.run("inspect", *options, path).out.decode()
    assert "nothing leads there" not in text and "what leads there may be damaged" in text


def test_the_map_fits_eighty_columns(work, keys):
    fill = """CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n
      WHERE i < 4000) INSERT INTO t SELECT zeroblob(700) FROM n;"""
    path = peers.create_sealed(work / "a.db", RAW, [("cipher_page_size", 1024)],
                               lambda c: c.executescript(fill))
    result = program.run("inspect", "--pages", "--page-size", "1024", "--key-file",
                         keys.file(RAW), path)
    assert result.exit == 0
    lines = result.out.decode().splitlines()
    drawn = [line for line in lines if line.strip().split(" ")[0].isdigit()]
    assert max(map(len, drawn)) <= 80 and 10 < len(drawn) <= 24
    assert any(line.startswith("  t  ") for line in lines)


def left(folder, live, suffixes):
    for suffix in suffixes:
        shutil.copy2(f"{live}{suffix}", folder / f"a.db{suffix}")
    return folder / "a.db"


def busy(folder, kind, mode):
    """A database, and a connection with committed rows in the log or a half-written change."""
    path = folder / "live.db"
    if kind == "sealed":
        peers.create_sealed(path, RAW, [], samples.fill)
    else:
        samples.plain(path)
    connection = peers.sealed(path, RAW) if kind == "sealed" else peers.plain(path)
    if mode == "log":
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("INSERT INTO gaps SELECT a, b FROM gaps")
    else:
        connection.execute("PRAGMA cache_size=2")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO gaps SELECT hex(zeroblob(2000)), b FROM gaps")
        connection.execute("UPDATE people SET name = name || 'x'")
    return path, connection


BUSY = pytest.mark.parametrize("mode, gaps, note", [
    ("log", 406, "wal_included"), ("journal", 203, "journal_applied")])


@BUSY
@pytest.mark.parametrize("kind", ["plain", "sealed"])
def test_a_log_or_hot_journal_counts(work, keys, tmp_path, kind, mode, gaps, note):
    live, connection = busy(tmp_path, kind, mode)
    path = left(work, live, ["", "-wal" if mode == "log" else "-journal"])
    connection.close()
    found = look(path, "--tables", "--key-file", keys.file(RAW))
    assert rows(found)["gaps"] == gaps
    assert note in [n["note"] for n in found["notes"]]
    answer = look(path, "--query", "SELECT count(*) FROM gaps", "--key-file", keys.file(RAW))
    assert answer["rows"] == [[gaps]]


@BUSY
def test_in_a_place_that_cannot_be_written(work, keys, tmp_path, mode, gaps, note):
    live, connection = busy(tmp_path, "sealed", mode)
    left(work, live, ["", "-wal" if mode == "log" else "-journal"])
    connection.close()
    mount = tmp_path / "mount"
    mount.mkdir()
    # A bind mount: root, too, cannot write there.
    subprocess.run(["mount", "--bind", work, mount], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", mount], check=True)
        found = program.ok("inspect", mount / "a.db", "--key-file", keys.file(RAW))
        assert rows(found)["gaps"] == gaps
    finally:
        subprocess.run(["umount", mount], check=True)


def test_beside_a_live_writer(work, keys):
    live, connection = busy(work, "sealed", "log")
    connection.close()
    with Holder(live, RAW, ["BEGIN IMMEDIATE", "DELETE FROM gaps"]) as other:
        found = program.ok("inspect", live, "--key-file", keys.file(RAW))
        assert rows(found)["gaps"] == 406
        assert other.pid in [h["pid"] for h in found["holders"]]


def test_under_an_exclusive_lock_it_is_locked_and_no_wrong_key(work, keys, sealed):
    with Holder(sealed, RAW, ["BEGIN EXCLUSIVE"]):
        result = program.run("inspect", "--json", "--busy-timeout", "0.2", "--key-file",
                             keys.file(RAW), sealed)
        assert result.exit == 8 and result.json["code"] == "locked"
        assert program.ok("inspect", sealed)["kind"] == "sqlcipher"  # from outside: no lock


# Schemas.

ODD = """
CREATE TABLE "we ird-""n"(a, "c""q" TEXT COLLATE LOCALIZED, CHECK(myfn(a) > 0));
CREATE INDEX "i'x" ON "we ird-""n"("c""q");
CREATE VIEW v AS SELECT * FROM gone;
CREATE VIEW w AS SELECT other(1);
CREATE TABLE "sel\x1b[31mect\nfake.db: all is well"(x);
CREATE TABLE "日本語"(x);
CREATE TABLE "\u202eevil"(x);
CREATE TABLE tt(a, b);
CREATE TRIGGER trg AFTER UPDATE OF b ON tt BEGIN SELECT nofn(new.a); END;
CREATE VIRTUAL TABLE r USING rtree(id, a, b);
"""


@pytest.fixture
def odd(work):
    path = work / "odd.db"
    connection = sqlite3.connect(path, isolation_level=None)
    peers.equip(connection)
    connection.executescript(ODD)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("INSERT INTO sqlite_master VALUES('table', 'zz', 'zz', 0, "
                       "'create /* x */ virtual table \"zz\" -- using\n using [mod x](a)')")
    connection.execute("INSERT INTO sqlite_master VALUES('table', 'zf', 'zf', 0, "
                       "'CREATE VIRTUAL TABLE zf USING fts3(x, tokenize=icu zh_CN)')")
    connection.close()
    return path


def test_columns_stand_in_line_behind_long_names(work):
    name = "ConversationParticipantCrossReference"
    path = samples.plain(work / "a.db", f"CREATE TABLE {name}(participantId);"
                         f"CREATE INDEX index_{name}_participantId ON {name}(participantId);"
                         f"CREATE INDEX i ON {name}(participantId, 1);")
    lines = program.run("inspect", "--tables", path).out.decode().splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("  indexes:"))
    assert len({len(line) for line in lines[at:at + 3]}) == 1, lines


def test_names_arrive_exactly_in_json(odd):
    found = look(odd, "--tables")
    names = [t["name"] for t in found["tables"]]
    for name in ('we ird-"n', "sel\x1b[31mect\nfake.db: all is well", "日本語", "\u202eevil"):
        assert name in names
    assert [i["name"] for i in found["indexes"]] == ["i'x"]
    modules = {t["name"]: t["module"] for t in found["virtual_tables"]}
    assert modules == {"r": "rtree", "zz": "mod x", "zf": "fts3"}


def test_what_the_engine_lacks(odd):
    found = look(odd, "--tables")
    lacks = found["lacks"]
    assert lacks["collations"] == ["LOCALIZED"]
    assert set(lacks["functions"]) == {"myfn", "other", "nofn"}
    assert "mod x" in lacks["modules"] and "rtree" not in lacks["modules"]
    assert lacks["tokenizers"] == ["icu"]
    problems = {t["name"]: t["problem"] for t in found["views"] + found["virtual_tables"]}
    assert "gone" in problems["v"] and "other" in problems["w"] and "mod x" in problems["zz"]
    assert problems["r"] is None and "icu" in problems["zf"]


def test_names_do_nothing_to_a_terminal(odd):
    for options in (["--tables"], ["--schema"]):
        shown = program.run_tty("inspect", *options, odd).out
        assert b"\x1b" not in shown and "\u202e".encode() not in shown
    assert b"\nfake.db" not in program.run("inspect", "--tables", odd).out
    result = program.run("inspect", "--tables", odd)
    assert b"\x1b" not in result.out and "日本語".encode() in result.out


def schema(connection):
    return sorted(row[:3] + row[4:] for row in connection.execute("SELECT * FROM sqlite_master"))


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_the_schema_can_be_run_again(work, keys, encoding):
    path = samples.plain(work / "a.db", samples.SAMPLE + 'CREATE TABLE "日本語"(x); ANALYZE;'
                         "CREATE VIRTUAL TABLE f3 USING fts3(a); CREATE VIRTUAL TABLE f4 USING "
                         "FTS4(a, b); CREATE VIRTUAL TABLE f5 USING fts5(a); CREATE VIRTUAL TABLE "
                         "r USING rtree(id, a, b); CREATE TABLE f5_other(x);",
                         pragmas=[f"encoding='{encoding}'"])
    result = program.run("inspect", "--schema", path)
    assert result.exit == 0 and result.err == b""
    again = sqlite3.connect(":memory:")
    again.text_factory = peers.text
    again.executescript(result.out.decode())
    # Statistics are SQLite's own, and not part of what is printed.
    own = [row for row in schema(peers.plain(path)) if not row[1][1].startswith(b"sqlite_stat")]
    assert own == schema(again)
    rows_in_json = look(path, "--schema")["schema"]
    assert {r["name"] for r in rows_in_json} >= {"people", "sqlite_stat1", "日本語"}


# Statements that end in a comment: SQLite keeps it, and what is printed behind it has to count.
COMMENTS = [
    "CREATE TABLE t(a, b)", "CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID -- w",
    "CREATE VIEW v1 AS SELECT 1 -- c", "CREATE VIEW v2 AS SELECT 2 /* open", "CREATE INDEX i1 ON t(a) -- x",
    "CREATE VIEW v3 AS SELECT 3 /* closed */ -- y", "CREATE INDEX i2 ON t(b) /*/ q",
    "CREATE VIEW v4 AS SELECT '-- no comment'", "CREATE VIEW v5 AS SELECT 5 -- a\n/* b */",
    'CREATE VIEW v6 AS SELECT 6 AS "--" -- \'', "CREATE VIEW v7 AS SELECT 7 /* b *",
    "CREATE VIEW v8 AS SELECT 8 - - 1 -- é", "CREATE TABLE z(a)"]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
def test_no_comment_swallows_the_end_of_a_statement(work, encoding):
    path = work / "a.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA encoding='{encoding}'")
    for statement in COMMENTS:
        connection.execute(statement)
    connection.close()
    result = program.run("inspect", "--schema", path)
    done = subprocess.run(["sqlite3", "-batch", "-bail", work / "n.db"], input=result.out,
                          capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done

    def made(name):
        rows = schema(sqlite3.connect(work / name))
        # A comment that was open is closed, and a line's has an end.
        return [row[:3] + (row[3] and row[3].strip().removesuffix("*/"),) for row in rows]

    assert made("a.db") == made("n.db")
    result = program.run_tty("inspect", "--schema", path)
    assert b"-- c\r\n;" in result.out + result.err, result


def test_a_schema_that_the_engine_does_not_understand(work):
    path = peers.change(samples.plain(work / "a.db"), *samples.FUTURE)
    found = look(path, "--tables")
    assert rows(found) == {"people": 273, "sqlite_sequence": 1, "gaps": 203, "pairs": 150,
                           "log": 300}
    assert "gaps" in found["schema_message"] and found["lacks"] is None
    refused = program.run("inspect", "--json", "--query", "SELECT 1 FROM gaps", path)
    assert refused.exit == 10 and refused.json["code"] == "unsupported"


# Damage.

def flip(path, *pages):
    data = bytearray(path.read_bytes())
    for number in pages:
        data[(number - 1) * PAGE + 200] ^= 1
    path.write_bytes(data)


def owner(path, *pages):
    """The tables of some pages, by stock dbstat over the decrypted pages."""
    found = sqlite3.connect(path).execute(
        f"SELECT DISTINCT name FROM dbstat WHERE pageno IN ({','.join(map(str, pages))})")
    return {row[0] for row in found}


def test_damaged_pages_are_listed_and_the_rest_described(work, keys, tmp_path, sealed):
    program.ok("decrypt", "--exact", sealed, tmp_path / "plain.db", "--key-file", keys.file(RAW))
    flip(sealed, 5, 9, 26)
    hurt = owner(tmp_path / "plain.db", 5, 9, 26)
    found = look(sealed, "--key-file", keys.file(RAW))
    assert found["damage_total"] == 3
    assert found["damage"][0]["damaged_pages"] == [5, 9, 26]
    assert {t["name"] for t in found["tables"] + found["indexes"] if t["partial"]} == hurt
    whole = counts(peers.plain(tmp_path / "plain.db"))
    assert all(t["rows"] == whole[t["name"]] for t in found["tables"] if not t["partial"])
    text = program.run("inspect", "--key-file", keys.file(RAW), sealed)
    assert text.exit == 0 and b"3 of 39 pages do not authenticate (pages 5, 9, 26)" in text.out
    assert look(sealed, "--pages", "--key-file", keys.file(RAW))["map"]["counts"]["damaged"] == 3


def test_a_damaged_first_page(work, keys, sealed):
    flip(sealed, 1, 7)
    found = look(sealed, "--key-file", keys.file(RAW))
    assert found["format"] == 4 and found["header"] is None
    assert found["damage"][0]["damaged_pages"] == [1, 7]
    assert found["tables"] == []


def test_a_truncated_database(work, keys, sealed):
    size = os.path.getsize(sealed)
    os.truncate(sealed, size - 5000)
    found = look(sealed, "--key-file", keys.file(RAW))
    assert {"size": size - 5000, "expected_size": size}.items() <= found["damage"][1].items()
    assert rows(found)["pairs"] == 150


def test_a_free_page_that_was_altered(work, keys, sealed):
    used = {r["use"]: r["first"] for r in
            look(sealed, "--pages", "--key-file", keys.file(RAW))["map"]["runs"]}
    flip(sealed, used["free"])
    found = look(sealed, "--key-file", keys.file(RAW))
    assert found["damage"][0]["damaged_pages"] == [used["free"]]
    assert not any(t["partial"] for t in found["tables"])


def test_broken_trees_of_a_plaintext_database(work):
    path = samples.plain(work / "a.db")
    root = peers.plain(path).execute(
        "SELECT rootpage FROM sqlite_master WHERE name='pairs'").fetchone()[0]
    with open(path, "r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(b"\x55")
    found = look(path, "--tables")
    assert [d["page"] for d in found["damage"]] == [root]
    assert rows(found)["people"] == 273 and rows(found)["pairs"] == 0
    answer = program.run("inspect", "--json", "--query", "SELECT * FROM pairs", path)
    assert answer.exit == 5 and answer.json["page"] == root
    assert program.ok("inspect", "--query", "SELECT count(*) FROM log", path)["rows"] == [[300]]


def test_a_broken_header(work, source):
    with open(source, "r+b") as file:
        file.seek(21)
        file.write(b"\x41")
    found = look(source, "--tables")
    assert found["kind"] == "plaintext" and found["header"] is None and found["tables"] == []
    assert found["damage"][0]["field"] == "maximum embedded payload fraction"
    assert program.run("inspect", "--query", "SELECT 1", source).exit == 5


def test_a_tree_that_is_used_twice(work, keys):
    path = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    connection = peers.sealed(path, RAW)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master "
                       "WHERE name='gaps') WHERE name='log'")
    connection.close()
    found = look(path, "--key-file", keys.file(RAW))
    assert any("used twice" in d["message"] for d in found["damage"])


# Keys.

def test_wrong_key(work, keys, sealed):
    result = program.run("inspect", "--json", "--key-file", keys.file("wrong words"), sealed)
    assert result.exit == 4 and result.json["code"] == "wrong_key"


@pytest.mark.parametrize("option", ["--tables", "--schema", "--pages"])
def test_a_key_is_asked_for_where_it_is_needed(work, keys, sealed, option):
    program.remember(RAW)
    result = program.run("inspect", "--json", option, sealed)
    assert result.exit == 3 and result.json["code"] == "no_key"
    shown = program.run_tty("inspect", option, sealed, answers=[("Key of", RAW)])
    assert shown.exit == 0, shown


def test_a_key_from_the_environment(work, sealed):
    program.remember(RAW)
    assert look(sealed, env={"DBSEAL_KEY": RAW})["format"] == 4


def test_a_key_for_a_plaintext_database_is_not_used(work, keys, source):
    found = look(source, "--key-file", keys.file(RAW))
    assert found["kind"] == "plaintext" and found["format"] is None
    assert "key_not_used" in [n["note"] for n in found["notes"]]
    assert rows(found)["people"] == 273


def test_nothing_to_look_into(work, keys):
    (work / "a.db").write_bytes(b"")
    assert look(work / "a.db", "--key-file", keys.file(RAW))["kind"] == "empty"
    result = program.run("inspect", "--json", "--schema", work / "a.db")
    assert result.exit == 6 and result.json["code"] == "wrong_kind"


def test_every_field_is_documented(work, keys, odd, sealed):
    text = (program.ROOT / "Docs/json.md").read_text()

    def names(value):
        if isinstance(value, dict):
            return set(value) | {n for v in value.values() for n in names(v)}
        return {n for v in value for n in names(v)} if isinstance(value, list) else set()
    (work / "odd.db-wal").write_bytes(b"junk")
    runs = [[odd], ["--tables", odd], ["--key-file", keys.file(RAW), sealed],
            ["--pages", odd], ["--schema", odd], ["--query", "SELECT 1", odd]]
    for run in runs:
        result = program.run("inspect", "--json", *run)
        assert result.exit == 0, result
        missing = {n for n in names(json.loads(result.out)) if f"`{n}`" not in text}
        assert not missing, missing


@pytest.mark.parametrize("sql, runs", [
    ("CREATE VIEW v AS SELECT 1;\n.shell touch pwned", True),
    ("CREATE VIEW v AS SELECT\n .5", False)], ids=["command", "number"])
def test_a_schema_that_the_shell_would_run_is_noted(work, sql, runs):
    path = work / "a.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(a)")
    connection.execute("CREATE VIEW v AS SELECT 1")
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'v'", (sql,))
    connection.commit()
    connection.close()
    done = program.run("inspect", "--schema", path)
    assert done.exit == 0 and (b"-safe" in done.err) == runs, done
    for options in (["-safe"], []):
        subprocess.run(["sqlite3", *options, work / f"new{len(options)}.db"], input=done.out,
                       cwd=work, capture_output=True)
        assert (work / "pwned").exists() == (runs and not options)
