# Plan: verify --against.
# - equal whatever the form: plaintext, formats 1 to 4, encodings, page sizes, rows with and without
#   the columns that were added later; both directions; the number of tables and rows is said;
# - random changes: what dbseal finds is what a comparison in Python over stock SQLite finds, table by
#   table, and of each the first row and column with both storage classes;
# - schema rows, numbers, other columns; tables without rowids in another order and in another set;
# - keys: the database's own, one of its own for the other, from options and variables; a wrong one, a
#   missing file, a plaintext other with a key are about the other;
# - no value is printed without --verbose.
# Whatever the outcome, both stay byte for byte.
import random
import shutil
import sqlite3

import pytest

from support import peers, program, samples
from support.files import Snapshot
from support.peers import change

RAW = "x'" + "a1b2c3d4" * 8 + "'"
OTHER = "x'" + "0f1e2d3c" * 8 + "'"
CLASSES = {"null": type(None), "integer": int, "real": float, "text": tuple, "blob": bytes}


def compare(here, there, code, *options, env=None):
    """Compares as JSON and as text; gives the content's verdict of both."""
    before = Snapshot(here.parent)
    # The path of the other database stands where it stands; a copy in the folder is watched too.
    arguments = ["--against", there, *options, here]
    result = program.run("verify", "--json", *arguments, env=env)
    text = program.run("verify", *arguments, env=env)
    before.unchanged()
    assert result.exit == text.exit == program.EXIT[code], (result, text)
    assert result.json["code"] == code
    content = result.json["verdicts"]["content"]
    assert content["against"] == str(there)
    assert content["verdict"] == {"ok": "equal", "check_failed": "differs"}[code]
    assert (b"equal to" in text.out) is (code == "ok") and content["total"] == len(
        content["differences"])
    for difference in content["differences"][:20]:
        assert difference["message"].encode() in text.out, text
    return content


def tables(path):
    """Table to its rows: rowid to values, or the rows themselves where there are no rowids."""
    connection = peers.plain(path)
    found = {}
    for name, without in connection.execute(
            "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
            " AND name <> 'sqlite_schema'").fetchall():
        name = name[1].decode()
        if without or name == "sqlite_sequence":
            found[name] = [row for row in connection.execute(f'SELECT * FROM "{name}"')]
        else:
            rows = connection.execute(f'SELECT rowid, * FROM "{name}" NOT INDEXED ORDER BY rowid')
            found[name] = {row[0]: row[1:] for row in rows}
    connection.close()
    return found


def is_same(a, b):
    return type(a) is type(b) and repr(a) == repr(b)


def check_table(difference, here, there, path):
    """That what dbseal says of one table is so."""
    if isinstance(here, list):
        assert (difference["here"], difference["there"]) == (len(here), len(there))
        assert difference["changed"] is None
        return
    common = sorted(here.keys() & there.keys())
    changed = [k for k in common if not all(map(is_same, here[k], there[k]))]
    only_here, only_there = here.keys() - there.keys(), there.keys() - here.keys()
    assert (difference["changed"], difference["only_here"], difference["only_there"]) == (
        len(changed), len(only_here), len(only_there))
    first = min([*changed, *only_here, *only_there])
    found = difference["first"]
    assert found["rowid"] == first
    side = "both" if first in changed else "here" if first in only_here else "there"
    assert found["in"] == side
    if side != "both":
        assert found["column"] is None
        return
    index = next(i for i, pair in enumerate(zip(here[first], there[first])) if not is_same(*pair))
    connection = sqlite3.connect(path)
    columns = [row[1] for row in connection.execute(
        f"PRAGMA table_info(\"{difference['name']}\")")]
    connection.close()
    assert found["column"] == columns[index]
    for side, value in (("here", here[first][index]), ("there", there[first][index])):
        assert isinstance(value, CLASSES[found[side]["type"]]), found
        length = {tuple: lambda v: len(v[1]), bytes: len}.get(type(value), lambda v: None)(value)
        assert found[side]["bytes"] == length and "value" not in found[side]


def judge(here, there, content):
    """That dbseal found the tables that differ, and no others."""
    mine, others = tables(here), tables(there)
    assert content["tables"] == len(mine)
    assert content["rows"] == sum(map(len, mine.values()))
    expected = {name for name in mine if repr(mine[name]) != repr(others[name])}
    found = {d["name"]: d for d in content["differences"]}
    assert found.keys() == expected
    for name, difference in found.items():
        assert difference["difference"] == "rows"
        check_table(difference, mine[name], others[name], here)


MUTATIONS = [
    "UPDATE people SET mark = mark + 1 WHERE id % {n} = 0",
    "UPDATE people SET name = name || 'é' WHERE id = {n}",
    "UPDATE people SET doc = CAST(doc AS TEXT) WHERE id % 10 = 0 AND id > {n}",
    "UPDATE gaps SET a = CAST(a AS REAL) WHERE rowid > {n}",
    "UPDATE gaps SET b = NULL WHERE rowid % {n} = 0", "UPDATE gaps SET rowid = rowid + 10000 - {n}",
    "DELETE FROM gaps WHERE rowid < {n}", "INSERT INTO gaps VALUES(1, 2)",
    "DELETE FROM log WHERE rowid % {n} = 0", "INSERT INTO log(rowid, what) VALUES(-{n}, x'00')",
    "DELETE FROM pairs WHERE v = 'v{n}'", "UPDATE pairs SET v = 'w{n}' WHERE v = 'v{n}'",
    "UPDATE sqlite_sequence SET seq = seq + {n}"]


@pytest.mark.parametrize("seed", range(12))
def test_what_differs_is_what_python_finds(work, keys, seed):
    chance = random.Random(seed)
    here = samples.plain(work / "a.db")
    there = shutil.copy(here, work / "b.db")
    for sql in chance.sample(MUTATIONS, chance.randint(1, 4)):
        change(chance.choice([here, there]), sql.format(n=chance.randint(2, 90)))
    if chance.random() < 0.5:
        change(there, "PRAGMA page_size = 512", "CREATE INDEX held ON gaps(a)", "VACUUM",
               "DROP INDEX held")
    if repr(tables(here)) == repr(tables(there)):
        compare(here, there, "ok")
    else:
        judge(here, there, compare(here, there, "check_failed"))


@pytest.mark.parametrize("compatibility", [1, 2, 3, 4])
def test_a_peers_database_and_a_plaintext_one(work, keys, compatibility):
    settings = [("cipher_compatibility", compatibility)]
    sealed = peers.create_sealed(work / "sealed.db", RAW, settings, samples.fill)
    plain = samples.plain(work / "plain.db", page_size=8192)
    found = compare(sealed, plain, "ok", "--key-file", keys.file(RAW))
    mine = tables(plain)
    assert (found["tables"], found["rows"]) == (len(mine), sum(map(len, mine.values())))
    compare(plain, sealed, "ok", "--against-key-file", keys.file(RAW))
    change(plain, "UPDATE people SET mark = 7.5 WHERE id = 3")
    found = compare(sealed, plain, "check_failed", "--key-file", keys.file(RAW))
    assert found["differences"][0]["first"]["rowid"] == 3


def test_the_encoding_and_defaults_of_added_columns_make_no_difference(work, keys):
    def make(path, encoding, rewrite):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE t(a TEXT PRIMARY KEY, b) WITHOUT ROWID")
        connection.execute("CREATE TABLE u(a)")
        for text in ("a", "\uffee", "\U00010000", "é"):
            connection.execute("INSERT INTO t VALUES(?, 1)", (text,))
            connection.execute("INSERT INTO u VALUES(?)", (text,))
        connection.execute("ALTER TABLE u ADD COLUMN r REAL DEFAULT 3")
        connection.execute("ALTER TABLE t ADD COLUMN d TEXT DEFAULT 5")
        if rewrite:
            connection.execute("UPDATE u SET a = a")
            connection.execute("UPDATE t SET b = b")
        connection.close()
        return path

    here = make(work / "a.db", "UTF-8", False)
    for name, encoding in (("b.db", "UTF-16le"), ("c.db", "UTF-16be"), ("d.db", "UTF-8")):
        found = compare(here, make(work / name, encoding, True), "ok")
        assert (found["tables"], found["rows"]) == (2, 8)
    # The order tells nothing here, so no place is named.
    change(work / "b.db", "UPDATE t SET d = 6 WHERE a = 'é'")
    difference, = compare(here, work / "b.db", "check_failed")["differences"]
    assert (difference["name"], difference["here"], difference["first"]) == ("t", 4, None)
    assert difference["message"] == "table t: some of 4 rows differ"
    change(work / "b.db", "DELETE FROM t WHERE a = 'é'")
    difference, = compare(here, work / "b.db", "check_failed")["differences"]
    assert difference["message"] == "table t: 4 rows here, 3 there"
    change(work / "d.db", "UPDATE t SET d = 6 WHERE a = 'é'")
    difference, = compare(here, work / "d.db", "check_failed")["differences"]
    assert difference["first"]["position"] == 2 and difference["first"]["column"] == "d"


def test_schema_and_numbers(work, keys):
    here = samples.plain(work / "a.db")
    there = shutil.copy(here, work / "b.db")
    change(here, "CREATE TABLE mine(a)", "DROP VIEW names")
    change(there, "DROP TRIGGER people_log", "PRAGMA user_version = 3", "PRAGMA application_id = -1",
           "DROP INDEX people_name", "CREATE INDEX people_name ON people(mark)",
           "ALTER TABLE gaps ADD COLUMN c", "ALTER TABLE log RENAME COLUMN what TO whatever")
    found = compare(here, there, "check_failed")
    said = {(d["difference"], d["type"], d["name"], d["here"], d["there"])
            for d in found["differences"]}
    assert said == {
        ("user_version", None, None, -7, 3), ("application_id", None, None, 252006673, -1),
        ("missing", "table", "mine", True, False), ("missing", "view", "names", False, True),
        ("missing", "trigger", "people_log", True, False),
        ("schema", "index", "people_name", None, None), ("schema", "table", "gaps", None, None),
        ("columns", "table", "gaps", 2, 3), ("schema", "table", "log", None, None)}
    # Numbers, tables, indexes, views, triggers; each by name. Who has what is said in one way.
    order = [(["table", "index", "view", "trigger"].index(d["type"]), d["name"])
             for d in found["differences"] if d["type"]]
    assert order == sorted(order) and [d["type"] for d in found["differences"]][:2] == [None, None]
    messages = [d["message"] for d in found["differences"] if d["difference"] == "missing"]
    assert messages == ["table mine is only here", "view names is only there",
                        "trigger people_log is only here"]
    # Rows whose table only reads otherwise are compared: people, pairs, sqlite_sequence and log.
    mine = tables(here)
    assert (found["tables"], found["rows"]) == (
        4, sum(len(mine[n]) for n in ("people", "pairs", "sqlite_sequence", "log")))


def test_values_are_shown_only_when_asked_for(work, keys):
    here = samples.plain(work / "a.db")
    there = shutil.copy(here, work / "b.db")
    change(there, "UPDATE people SET name = 'confidential words' WHERE id = 7",
           "UPDATE gaps SET b = x'c0ffee' WHERE rowid = -1")
    program.remember("confidential words")
    program.remember("c0ffee")
    compare(here, there, "check_failed")
    program.forget_all()
    text = program.run("verify", "-v", "--against", there, here)
    assert b"'confidential words'" in text.out and b"x'c0ffee'" in text.out, text
    found = program.run("verify", "--json", "-v", "--against", there, here).json
    values = [d["first"]["there"]["value"] for d in found["verdicts"]["content"]["differences"]]
    assert sorted(values) == ["c0ffee", "confidential words"]


def test_the_other_key(work, keys):
    here = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    there = peers.create_sealed(work / "b.db", OTHER, [], samples.fill)
    same = peers.create_sealed(work / "c.db", RAW, [("cipher_compatibility", 3)], samples.fill)
    mine, other = keys.file(RAW), keys.file(OTHER, "other")
    compare(here, there, "ok", "--key-file", mine, "--against-key-file", other)
    compare(here, same, "ok", "--key-file", mine)
    compare(here, same, "ok", "--key-file", mine, "--against-format", "3")
    compare(here, there, "ok", "--key-file", mine, env={"DBSEAL_AGAINST_KEY_FILE": str(other)})
    compare(here, there, "ok", "--key-file", mine, env={"DBSEAL_AGAINST_KEY": OTHER})
    plain = samples.plain(work / "d.db")
    # The database has no key, so the one without a prefix is the other's.
    compare(plain, there, "ok", env={"DBSEAL_KEY": OTHER})


def refuse(work, code, *arguments):
    before = Snapshot(work)
    result = program.run("verify", "--json", *arguments)
    before.unchanged()
    assert result.exit == program.EXIT[code] and result.json["code"] == code, result
    return result.json


def test_what_is_wrong_with_the_other_is_about_the_other(work, keys):
    here = peers.create_sealed(work / "a.db", RAW, [], samples.fill)
    there = peers.create_sealed(work / "b.db", OTHER, [], samples.fill)
    plain = samples.plain(work / "c.db")
    mine, other = keys.file(RAW), keys.file(OTHER, "other")
    named = ["--key-file", mine]
    for code, path, options in (
            ("wrong_key", there, []), ("wrong_key", there, ["--against-format", "3"]),
            ("io", work / "none.db", []), ("wrong_kind", plain, ["--against-key-file", other])):
        found = refuse(work, code, *named, *options, "--against", path, here)
        assert path.name in found["message"], found
        assert found["against"]["path"] == str(path)
        # At the top stands what is about the database that is checked.
        assert not {"kind", "tried", "errno"} & set(found)
        if code == "wrong_kind":
            assert found["against"]["kind"] == "plaintext"
            assert "--against-key-file" in found["hint"] and "encrypt" not in found["hint"]
        if code == "wrong_key":
            assert found["against"]["tried"] and found["against"]["pages_tried"]
    data = bytearray(there.read_bytes())
    for page in (3, 5, 8):
        data[(page - 1) * 4096 + 100] ^= 1
    there.write_bytes(data)
    found = refuse(work, "damaged", *named, "--against-key-file", other, "--against", there, here)
    assert found["message"].startswith(f"{there}: ") and "3 of " in found["message"], found
    assert found["against"]["path"] == str(there)
    assert found["against"]["damaged_pages"] == [3, 5, 8] and "damaged_pages" not in found
    result = program.run("verify", "--json", *named, "--against-key-file", other, "--against",
                         there, here, here)
    assert [item.get("against", {}).get("path") for item in result.objects] == [
        str(there), str(there), None]


def test_the_key_of_the_other_is_missing(work):
    there = peers.create_sealed(work / "b.db", OTHER, [], samples.fill)
    plain = samples.plain(work / "c.db")
    found = refuse(work, "no_key", "--against", there, plain)
    assert found["against"] == {"path": str(there)}
    assert "--against-key-file" in found["hint"] and "$DBSEAL_AGAINST_KEY_FILE" in found["hint"]


def test_combinations_that_mean_nothing(work, keys):
    here = samples.plain(work / "a.db")
    refuse(work, "usage", "--against-key-file", keys.file(RAW), here)
    refuse(work, "usage", "--against-format", "3", here)
    refuse(work, "usage", "--against", here, "--key-file", "-", "--against-key-file", "-", here)
    refuse(work, "usage", "--against", here, "--against-raw-key", "--against-passphrase", here)
    found = refuse(work, "usage", "--against", here, "--against-passphrase=secret words", here)
    assert "secret" not in found["message"]


def test_a_log_belongs_to_both_sides(work, keys):
    """Committed frames of the -wal count on both sides; nothing is checkpointed."""
    here = samples.plain(work / "a.db")
    there = shutil.copy(here, work / "b.db")
    connection = sqlite3.connect(there, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("UPDATE log SET what = 'else' WHERE rowid = 5")
    assert (work / "b.db-wal").stat().st_size > 0
    result = program.run("verify", "--json", "--against", there, here)
    difference, = result.json["verdicts"]["content"]["differences"]
    assert difference["first"]["rowid"] == 5 and result.exit == 1
    connection.close()


def test_a_database_is_not_compared_with_itself(work):
    """Whatever name it has; before, its own lock was in the way where a log stands beside it."""
    here = samples.plain(work / "a.db")
    (work / "link.db").symlink_to("a.db")
    for one, other in ((here, here), (here, work / "link.db"), (work / "link.db", here)):
        found = refuse(work, "usage", "--against", other, one)
        assert str(other) in found["message"] and "--against" in found["hint"], found


@pytest.mark.parametrize("name", ["here.db", "there.db"])
def test_whose_table_the_engine_does_not_understand_is_said(work, name):
    for each in ("here.db", "there.db"):
        samples.plain(work / each)
    change(work / name, *samples.FUTURE)
    arguments = ["--quick", "--against", work / "there.db", work / "here.db"]
    content = refuse(work, "unsupported", *arguments)["verdicts"]["content"]
    assert content["verdict"] == "not_read" and "gaps" in content["sqlite_message"]
    assert content["other_not_read"] is (name == "there.db")
    text = program.run("verify", *arguments)
    assert (b"there.db not read" in text.out) is (name == "there.db"), text


def test_damage_here_is_said_before_any_comparison(work, keys, sealed):
    data = bytearray(sealed.read_bytes())
    data[9000] ^= 1
    sealed.write_bytes(data)
    plain = samples.plain(work / "plain.db")
    found = refuse(work, "damaged", "--key-file", keys.file(RAW), "--against", plain, sealed)
    assert found["verdicts"]["content"]["verdict"] == "not_read"
    assert found["verdicts"]["content"]["reason"] == "damaged_pages"
