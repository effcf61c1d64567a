# Plan: verify's second and third verdict: structure and references.
# - right tags over broken trees: damage, and every line of integrity_check is counted, as stock
#   SQLite and SQLCipher count them;
# - rows that break a rule, and rows without a parent: 1; what cannot be checked is named, and is
#   neither damage nor a clean bill.
import sqlite3

import pytest

from support import expectations, fidelity_cases, peers, program, samples
from support.files import change
from support.kinds import KINDS, RAW, made, opened
from support.verdicts import check


def set_root(connection, name, root):
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute("UPDATE sqlite_master SET rootpage=? WHERE name=?", (root, name))
    connection.execute("PRAGMA writable_schema=OFF")


def root(connection, name):
    return connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name=?", (name,)).fetchone()[0]


@KINDS
def test_two_trees_that_share_pages_are_damage_though_every_tag_is_right(work, keys, kind):
    path = made(work / "a.db", kind, samples.FAMILY,
                lambda c: set_root(c, "other", root(c, "parent")))
    found, verdicts = check(path, keys, kind, "damaged")
    assert found["damaged_pages"] == []
    assert verdicts["pages"]["verdict"] == ("sound" if kind == "sealed" else "no_tags")
    assert verdicts["structure"]["verdict"] == "damaged" and verdicts["structure"]["total"] > 0
    assert verdicts["references"]["verdict"] == "not_checked"


@KINDS
def test_every_finding_is_counted_not_the_first_hundred(work, keys, kind):
    def edit(connection):
        connection.execute("CREATE TABLE empty(p)")
        connection.execute("CREATE INDEX hollow ON empty(p)")
        set_root(connection, "child_p", root(connection, "hollow"))
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("DELETE FROM sqlite_master WHERE name='hollow'")
    path = made(work / "a.db", kind, samples.FAMILY, edit)
    rows = opened(path, kind).execute("PRAGMA integrity_check(100000)").fetchall()
    lines = [line for (text,) in rows for line in text[1].decode().split("\n")
             if not line.startswith("*** in database")]
    assert len(lines) > 500
    found, verdicts = check(path, keys, kind, "damaged")
    structure = verdicts["structure"]
    assert structure["total"] == len(structure["findings"]) == len(lines)
    assert structure["total_is_exact"] is True
    missing = {line for line in lines if "missing from index" in line}
    assert missing and missing <= set(structure["findings"])
    text = program.run("verify", *(["--key-file", keys.file(RAW)] if kind == "sealed" else []),
                       path).out.decode()
    assert len(text.splitlines()) < 40 and f"and {len(lines) - 20} more" in text


@pytest.mark.parametrize("seed", range(4))
def test_noise_where_a_tree_was(work, keys, source, seed):
    name = ("people", "people_name", "gaps", "pairs")[seed]
    page = root(peers.plain(source), name)
    change(source, (page - 1) * 4096, bytes((i * 37 + seed) % 256 for i in range(4096)))
    found, verdicts = check(source, keys, "plain", "damaged")
    assert any(str(page) in line for line in verdicts["structure"]["findings"]), verdicts


@KINDS
def test_a_page_that_nothing_uses(work, keys, kind):
    def edit(connection):
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("DELETE FROM sqlite_master WHERE name='child_p'")
    path = made(work / "a.db", kind, samples.FAMILY, edit)
    found, verdicts = check(path, keys, kind, "damaged")
    assert any("never used" in line for line in verdicts["structure"]["findings"])


@KINDS
def test_rows_that_break_rules_are_no_damage(work, keys, kind):
    def edit(connection):
        connection.execute("CREATE TABLE t(a CHECK(a > 0), b)")
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute("INSERT INTO t VALUES(1, 2), (-1, NULL), (-2, NULL)")
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(
            "UPDATE sqlite_master SET sql='CREATE TABLE t(a CHECK(a > 0), b NOT NULL)'"
            " WHERE name='t'")
    path = made(work / "a.db", kind, samples.FAMILY, edit)
    if not expectations.looks_for_broken_rules():
        found, verdicts = check(path, keys, kind, "ok")
        assert verdicts["structure"]["rules_checked"] is False
        return
    found, verdicts = check(path, keys, kind, "check_failed")
    assert verdicts["structure"]["verdict"] == "violated"
    assert verdicts["structure"]["rules_checked"] is True
    findings = verdicts["structure"]["findings"]
    assert sum("NULL value in t.b" in line for line in findings) == 2
    assert any("CHECK constraint failed in t" in line for line in findings)
    check(path, keys, kind, "ok", "--quick")


@KINDS
def test_rows_without_a_parent(work, keys, kind):
    def edit(connection):
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DELETE FROM parent WHERE id <= 7")
        connection.execute("DELETE FROM other WHERE y > 497")
    path = made(work / "a.db", kind, samples.FAMILY, edit)
    judged = opened(path, kind).execute("PRAGMA foreign_key_check").fetchall()
    found, verdicts = check(path, keys, kind, "check_failed")
    references = verdicts["references"]
    assert references["verdict"] == "violated" and references["rows"] == len(judged) == 10
    assert {(v["table"], v["parent"], v["rows"], v["first_rowid"])
            for v in references["violations"]} == {("child", "parent", 7, 1),
                                                   ("child", "other", 3, 498)}
    assert verdicts["structure"]["verdict"] == "sound"


@KINDS
def test_a_key_that_cannot_be_checked_hides_no_other(work, keys, kind):
    script = samples.FAMILY + """CREATE TABLE wrong(y REFERENCES other(y));
        INSERT INTO wrong VALUES(1); DELETE FROM parent WHERE id = 3;"""
    path = made(work / "a.db", kind, script)
    references = check(path, keys, kind, "check_failed")[1]["references"]
    assert references["rows"] == 1
    assert [item["table"] for item in references["unchecked"]] == ["wrong"]
    assert "mismatch" in references["unchecked"][0]["message"]


# Parents of every kind, and a child of all of them. What is wrong has a row of its own, and its
# column is null or right elsewhere.
PARENTS = """
CREATE TABLE p_rowid(id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE UNIQUE, n NUMERIC UNIQUE);
CREATE TABLE p_text(t TEXT PRIMARY KEY, a, b, u);
CREATE UNIQUE INDEX p_text_ab ON p_text(b, a);
CREATE UNIQUE INDEX p_text_part ON p_text(u) WHERE u > 0;
CREATE TABLE p_pair(a, b TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID;
CREATE TABLE p_collated(t TEXT);
CREATE UNIQUE INDEX p_collated_t ON p_collated(t COLLATE NOCASE);
CREATE TABLE p_odd("a ""\u0301b" UNIQUE, rowid INTEGER);
CREATE VIEW p_view AS SELECT 1 AS id;
INSERT INTO p_rowid VALUES(1, 'One', 1), (2, 'Two', 2.5);
INSERT INTO p_text VALUES('1', 1, 2, 1), ('x', 3, 4, 0);
INSERT INTO p_pair VALUES(1, 'one'), (2, 'two');
INSERT INTO p_collated VALUES('c');
INSERT INTO p_odd VALUES('odd', 1);
"""
CHECKED = [
    "FOREIGN KEY(c0) REFERENCES p_rowid", "FOREIGN KEY(c1) REFERENCES P_ROWID(T)",
    "FOREIGN KEY(c2) REFERENCES p_rowid(n)", "FOREIGN KEY(c3) REFERENCES p_text",
    "FOREIGN KEY(c4, c5) REFERENCES p_text(a, b)", "FOREIGN KEY(c6, c7) REFERENCES p_pair",
    "FOREIGN KEY(c8) REFERENCES p_odd(\"a \"\"\u0301b\")", "FOREIGN KEY(c9) REFERENCES gone(id)",
    "FOREIGN KEY(c10) REFERENCES child(id)",
]
MISMATCHED = [
    "FOREIGN KEY(c11) REFERENCES p_text(a)", "FOREIGN KEY(c11) REFERENCES p_text(u)",
    "FOREIGN KEY(c11) REFERENCES p_collated(t)", "FOREIGN KEY(c11) REFERENCES p_view(id)",
    "FOREIGN KEY(c11) REFERENCES p_pair", "FOREIGN KEY(c11) REFERENCES p_rowid(none)",
    "FOREIGN KEY(c11) REFERENCES p_collated", "FOREIGN KEY(c11) REFERENCES p_pair(a)",
]
COLUMNS = [f"c{number}" + {2: " TEXT", 3: " INTEGER", 4: " TEXT"}.get(number, "")
           for number in range(12)]
ROWS = [
    {0: 1, 1: "ONE", 2: "2.5", 3: 1, 4: "1", 5: 2, 6: 1, 7: "one", 8: "odd", 10: 1},
    {0: 9}, {0: "x"}, {1: "three"}, {2: "two"}, {3: 2}, {4: 3}, {4: 3, 5: 4}, {4: 3, 5: 5},
    {6: 2, 7: "TWO"}, {8: "even"}, {9: 1}, {9: 2}, {10: 99}, {11: 5}, {0: "1.0"}, {1: b"One"},
]


def with_keys(keys, rowid="", without=""):
    rows = "".join(
        f"INSERT INTO child({', '.join(['id'] + [f'c{n}' for n in row])}) VALUES("
        f"{', '.join([str(number)] + [literal(value) for value in row.values()])});"
        for number, row in enumerate(ROWS, 1))
    return (f"PRAGMA foreign_keys = OFF; {PARENTS} CREATE TABLE child(id INTEGER PRIMARY KEY"
            f"{rowid}, {', '.join(COLUMNS + keys)}){without}; {rows}")


def literal(value):
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return repr(value)


def grouped(found):
    """foreign_key_check's rows by parent: how many, and the first one's rowid."""
    groups = {}
    for _, rowid, parent, _ in found:
        count, first = groups.get(parent.lower(), (0, rowid))
        groups[parent.lower()] = (count + 1, first)
    return groups


@pytest.mark.parametrize("rowid, without", [
    ("", ""), (" DESC", ""), (", rowid, oid", ""), ("", " WITHOUT ROWID")])
@pytest.mark.parametrize("first", [True, False])
def test_a_key_that_cannot_be_checked_hides_none_of_its_own_table(work, keys, first, rowid,
                                                                  without):
    """SQLite says of the same table without the keys that it cannot check what is to be found."""
    judge = sqlite3.connect(made(work / "judge.db", "plain", with_keys(CHECKED, rowid, without)))
    expected = judge.execute("PRAGMA foreign_key_check").fetchall()
    judge.close()
    assert len(expected) >= 11
    both = MISMATCHED + CHECKED if first else CHECKED + MISMATCHED
    path = made(work / "a.db", "plain", with_keys(both, rowid, without))
    found, verdicts = check(path, keys, "plain", "check_failed")
    references = verdicts["references"]
    assert references["rows"] == len(expected)
    by_parent = {}
    for item in references["violations"]:
        rows, start = by_parent.get(item["parent"].lower(), (0, item["first_rowid"]))
        firsts = [at for at in (start, item["first_rowid"]) if at is not None]
        by_parent[item["parent"].lower()] = (rows + item["rows"], min(firsts, default=None))
    assert by_parent == grouped(sorted(expected, key=lambda row: row[1] or 0))
    listed = {row[0]: row[2] for row in sqlite3.connect(path).execute(
        "PRAGMA foreign_key_list(child)")}
    unchecked = references["unchecked"]
    assert len(unchecked) == len(MISMATCHED)
    assert all(listed[item["constraint"]] == item["parent"] for item in unchecked)
    assert all("foreign key mismatch" in item["message"] for item in unchecked)


def test_each_mismatch_is_one_for_sqlite_too(work, keys):
    for number, key in enumerate(CHECKED + MISMATCHED):
        path = samples.plain(work / f"{number}.db", with_keys([key]))
        judge = sqlite3.connect(path)
        try:
            judge.execute("PRAGMA foreign_key_check").fetchall()
            is_mismatch = False
        except sqlite3.OperationalError as error:
            is_mismatch = "mismatch" in str(error)
        judge.close()
        assert is_mismatch == (key in MISMATCHED), key
        references = program.run("--json", "verify", path).json["verdicts"]["references"]
        # SQLite 3.15 takes a partial index for the key of a parent.
        if program.engine() >= (4,) or not is_mismatch:
            assert bool(references["unchecked"]) == is_mismatch, key


def test_a_key_that_cannot_be_checked_is_said_and_is_no_failure(work, keys):
    path = made(work / "a.db", "plain", "CREATE TABLE a(x, y);"
                "CREATE TABLE b(y REFERENCES a(y)); INSERT INTO b VALUES(1);")
    found, verdicts = check(path, keys, "plain", "ok")
    assert verdicts["references"]["verdict"] == "not_checked"
    assert "references not checked" in found["message"]


LACKING = """
CREATE TABLE t(a TEXT COLLATE LOCALIZED, b CHECK(myfn(b) > 0));
CREATE INDEX i ON t(a COLLATE ANOTHER, b);
CREATE INDEX f ON t(yourfn(b));
CREATE INDEX l ON t(a);
INSERT INTO t VALUES('x', 1), ('y', 2), ('z', 3);
"""


@KINDS
def test_what_this_engine_lacks_is_named_and_is_no_damage(work, keys, kind):
    def edit(connection):
        connection.create_collation("LOCALIZED", lambda a, b: (a > b) - (a < b))
        connection.create_collation("ANOTHER", lambda a, b: (a > b) - (a < b))
        connection.create_function("myfn", 1, lambda x: x, deterministic=True)
        connection.create_function("yourfn", 1, lambda x: x, deterministic=True)
        connection.executescript(LACKING)
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("INSERT INTO sqlite_master VALUES('table', 'v', 'v', 0,"
                           " 'CREATE VIRTUAL TABLE v USING nosuchmodule(a)')")
    path = made(work / "a.db", kind, samples.FAMILY, edit)
    found, verdicts = check(path, keys, kind, "unsupported")
    structure = verdicts["structure"]
    assert structure["verdict"] == "not_checked" and structure["reason"] == "missing_parts"
    missing = {(part["kind"], part["name"]) for part in structure["missing"]}
    wanted = {("collation", "LOCALIZED"), ("collation", "ANOTHER"), ("function", "yourfn"),
              ("module", "nosuchmodule")}
    if expectations.looks_for_broken_rules():
        wanted.add(("function", "myfn"))  # it stands in a CHECK
    assert missing == wanted
    for _, name in missing:
        assert name in found["message"]
    assert structure["trees_walked"] is True
    check(path, keys, kind, "ok", "--quick")
    check(path, keys, kind, "check_failed", "--expect-table", "t=4")
    check(path, keys, kind, "unsupported", "--expect-table", "t=3")


def test_damage_is_found_where_a_collation_is_missing(work, keys):
    path = work / "plain.db"
    fidelity_cases.CASES["localized collation"](path)
    check(path, keys, "plain", "unsupported")
    connection = peers.plain(path)
    page = root(connection, "w")
    connection.close()
    change(path, (page - 1) * 4096, bytes([7]) * 4096)
    found, verdicts = check(path, keys, "plain", "damaged")
    assert f"page {page} " in verdicts["structure"]["findings"][0]


def test_a_module_alone_leaves_the_trees_checked(work, keys):
    def edit(connection):
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("INSERT INTO sqlite_master VALUES('table', 'v', 'v', 0,"
                           " 'CREATE VIRTUAL TABLE v USING nosuchmodule(a)')")
    path = made(work / "a.db", "plain", samples.FAMILY, edit)
    structure = check(path, keys, "plain", "unsupported")[1]["structure"]
    assert structure["missing"] == [{"kind": "module", "name": "nosuchmodule"}]


def test_newer_sql_than_the_engine_knows(work, keys):
    path = work / "plain.db"
    fidelity_cases.CASES["strict tables"](path)
    if expectations.understands_strict_tables():
        check(path, keys, "plain", "ok", "--expect-table", "t=2")
        return
    structure = check(path, keys, "plain", "unsupported")[1]["structure"]
    assert structure["reason"] == "schema_not_understood" and structure["sqlite_message"]


@pytest.mark.parametrize("name", sorted(fidelity_cases.CASES))
def test_every_case_of_fidelity_is_no_damage(work, keys, name):
    path = work / "plain.db"
    fidelity_cases.CASES[name](path)
    judge = peers.plain(path)
    found = program.run("verify", "--json", path).json
    assert found["code"] != "damaged", found
    try:
        rows = judge.execute("PRAGMA integrity_check").fetchall()
    except Exception:
        rows = []
    if rows == [(peers.text(b"ok"),)] and found["code"] == "ok":
        assert found["verdicts"]["structure"]["findings"] == []
    if found["code"] == "check_failed":
        broken = judge.execute("PRAGMA foreign_key_check").fetchall()
        assert broken or rows != [(peers.text(b"ok"),)], found


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_sqlites_own_collations_are_never_missing(work, keys, encoding):
    """In UTF-16 SQLite asks an application for NOCASE before it takes its own."""
    path = samples.plain(
        work / "plain.db", """
        CREATE TABLE t(a COLLATE NOCASE UNIQUE, b TEXT COLLATE RTRIM, c COLLATE nocase);
        CREATE INDEX i ON t(b, a COLLATE binary); INSERT INTO t VALUES('Ab', 'x ', 1);""",
        pragmas=[f"encoding='{encoding}'"])
    check(path, keys, "plain", "ok")
