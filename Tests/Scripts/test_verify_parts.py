# Plan: what the structure's verdict says where SQLite cannot check all of a database.
# - damage and broken rules in what can be checked stand above what cannot: an index whose entries do
#   not fit, a NULL in a NOT NULL column, pages that nothing uses, beside a table that needs what the
#   engine lacks (a collation, a function, a tokenizer). The judge has the part and sees the same;
# - a virtual table without one of its own tables is damage: the judge can no longer read or write it;
# - what looks like that and is none stays sound: options that do without a table, and names in
#   every spelling.
import pytest

from support import expectations, peers, program, samples
from support.kinds import KINDS, RAW, made, opened
from support.verdicts import check

LACKS = {
    "collation": "CREATE TABLE t(a TEXT COLLATE LOCALIZED); CREATE INDEX i ON t(a);"
                 "INSERT INTO t VALUES('x'), ('y');",
    "function": "CREATE TABLE t(a); CREATE INDEX i ON t(myfn(a)); INSERT INTO t VALUES(1), (2);",
    "check": "CREATE TABLE t(a CHECK(myfn(a) > 0)); INSERT INTO t VALUES(1);",
    "partial index": "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE myfn(a) > 1;"
                     "INSERT INTO t VALUES(1), (2);",
}


def lacking(folder, kind, lack, script="", change=""):
    """A database that needs what only an application has; `change` is done to its schema."""
    def edit(connection):
        peers.equip(connection)
        connection.executescript(LACKS[lack] + script)
        connection.executescript(f"PRAGMA writable_schema=ON; {change}")
    path = made(folder / "a.db", kind, samples.FAMILY, edit)
    judge = opened(path, kind)
    peers.equip(judge)
    said = [row[0][1].decode() for row in judge.execute("PRAGMA integrity_check")]
    judge.close()
    return path, said


def seen(lack):
    """Whether the binary's engine meets what is missing: an old one looks at no CHECK."""
    return lack != "check" or expectations.looks_for_broken_rules()


@KINDS
@pytest.mark.parametrize("lack", sorted(LACKS))
def test_an_index_that_does_not_fit_shows_beside_what_is_lacking(work, keys, kind, lack):
    path, said = lacking(
        work, kind, lack, "CREATE TABLE u(b, c); CREATE INDEX k ON u(b);"
        "INSERT INTO u VALUES(1, 5), (2, 6);",
        "UPDATE sqlite_master SET sql='CREATE INDEX k ON u(c)' WHERE name='k'")
    assert any("index k" in line for line in said)
    if seen(lack) and not expectations.checks_one_table():
        assert check(path, keys, kind, "unsupported")[1]["structure"]["trees_walked"] is True
        return
    structure = check(path, keys, kind, "damaged")[1]["structure"]
    assert structure["verdict"] == "damaged"
    assert any("index k" in line for line in structure["findings"])
    assert not any("index i" in line for line in structure["findings"])
    if seen(lack):
        assert structure["reason"] == "missing_parts" and len(structure["missing"]) == 1


@KINDS
@pytest.mark.parametrize("lack", sorted(LACKS))
def test_a_broken_rule_shows_beside_what_is_lacking(work, keys, kind, lack):
    path, said = lacking(
        work, kind, lack, "CREATE TABLE u(b); INSERT INTO u VALUES(1), (NULL);",
        "UPDATE sqlite_master SET sql='CREATE TABLE u(b NOT NULL)' WHERE name='u'")
    assert said == ["NULL value in u.b"]
    if not expectations.looks_for_broken_rules():
        check(path, keys, kind, "unsupported" if seen(lack) else "ok")
        return
    structure = check(path, keys, kind, "check_failed")[1]["structure"]
    assert structure["verdict"] == "violated" and structure["findings"] == said
    assert structure["reason"] == "missing_parts" and structure["trees_walked"] is True
    text = program.run(
        "verify", *(["--key-file", keys.file(RAW)] if kind == "sealed" else []), path)
    words = text.out.decode() + text.err.decode()
    assert "structure: sound" not in words and "not all of the structure could be checked" in words


@KINDS
@pytest.mark.parametrize("lack", sorted(LACKS))
def test_pages_that_nothing_uses_show_beside_what_is_lacking(work, keys, kind, lack):
    path, said = lacking(
        work, kind, lack, "CREATE TABLE u(b); INSERT INTO u VALUES(1);",
        "DELETE FROM sqlite_master WHERE name='u'")
    assert any("never used" in line for line in said)
    structure = check(path, keys, kind, "damaged")[1]["structure"]
    assert len([line for line in structure["findings"] if "never used" in line]) == 1


@KINDS
def test_free_pages_are_not_unused_ones(work, keys, kind):
    path, said = lacking(
        work, kind, "collation", "CREATE TABLE u(b); INSERT INTO u VALUES(zeroblob(90000));"
        "DROP TABLE u;")
    assert said == ["ok"]
    check(path, keys, kind, "unsupported")


@pytest.mark.parametrize("tables", [1, 300])
def test_every_table_is_looked_at(work, keys, tables):
    script = "".join(f'CREATE TABLE "a ""{n}"(x NOT NULL); INSERT INTO "a ""{n}" VALUES(1);'
                     for n in range(tables))
    path, said = lacking(
        work, "plain", "collation", script + 'CREATE TABLE "17"(x); CREATE TABLE "z""z"(b);'
        'INSERT INTO "z""z" VALUES(NULL);',
        "UPDATE sqlite_master SET sql='CREATE TABLE \"z\"\"z\"(b NOT NULL)' WHERE name='z\"z'")
    assert said == ['NULL value in z"z.b']
    if expectations.looks_for_broken_rules():
        assert check(path, keys, "plain", "check_failed")[1]["structure"]["findings"] == said


VIRTUAL = {
    "fts3": ("fts3(t)", "INSERT INTO f VALUES('hello')", ["content", "segments", "segdir"]),
    "fts4": ("fts4(t)", "INSERT INTO f VALUES('hello')",
             ["content", "segments", "segdir", "docsize", "stat"]),
    "fts4 contentless": ("fts4(content='', t)", "INSERT INTO f(docid, t) VALUES(1, 'hello')",
                         ["segments", "segdir", "docsize", "stat"]),
    "fts5": ("fts5(t)", "INSERT INTO f VALUES('hello')",
             ["data", "idx", "content", "docsize", "config"]),
    "fts5 contentless": ("fts5(t, content='')", "INSERT INTO f(rowid, t) VALUES(1, 'hello')",
                         ["data", "idx", "docsize", "config"]),
    "rtree": ("rtree(id, a, b)", "INSERT INTO f VALUES(1, 2, 3)", ["node", "rowid", "parent"]),
    "rtree_i32": ("rtree_i32(id, a, b)", "INSERT INTO f VALUES(1, 2, 3)",
                  ["node", "rowid", "parent"]),
}


def virtual(folder, kind, module, insert, gone=None, name="f"):
    def edit(connection):
        connection.execute(f'CREATE VIRTUAL TABLE "{name}" USING {module}')
        connection.execute(insert)
        if gone:
            connection.execute("PRAGMA writable_schema=ON")
            connection.execute("DELETE FROM sqlite_master WHERE tbl_name=?", (f"{name}_{gone}",))
    path = made(folder / "a.db", kind, samples.FAMILY, edit)
    if gone:
        again = opened(path, kind)
        again.execute("VACUUM")  # the pages of what is gone are gone too
        again.close()
    return path


def works(path, kind, *statements):
    """Whether the judge can do all of that."""
    judge = opened(path, kind)
    try:
        for sql in statements:
            judge.execute(sql).fetchall()
        return True
    except Exception:
        return False
    finally:
        judge.close()


@pytest.mark.parametrize("kind, module, part", [
    ("sealed" if part == parts[0] else "plain", module, part)
    for module, (_, _, parts) in VIRTUAL.items() for part in parts])
def test_a_virtual_table_without_one_of_its_tables_is_damaged(work, keys, kind, module, part):
    sql, insert, _ = VIRTUAL[module]
    path = virtual(work, kind, sql, insert, gone=part)
    # Filling many blocks of the index needs the table for them, which one word does not.
    more = insert.replace("1, 'hello'", "2, 'hello'").replace("1, 2, 3", "9, 2, 3")
    assert part == "segments" or not works(
        path, kind, "SELECT count(*) FROM f", more, "SELECT * FROM f"), "the judge sees no damage"
    structure = check(path, keys, kind, "damaged")[1]["structure"]
    assert f"virtual table f lacks its table f_{part}" in structure["findings"]
    assert structure["sqlite_message"] is None


SOUND = {
    "no docsize, fts4": ("fts4(t, matchinfo=fts3)", "INSERT INTO f VALUES('a')"),
    "no docsize, fts5": ("fts5(t, columnsize=0)", "INSERT INTO f VALUES('a')"),
    "contentless": ("FTS4(content=\"\", t)", "INSERT INTO f(docid, t) VALUES(1, 'a')"),
    "external": ("fts4(t, content=parent, a)", "INSERT INTO f(docid, a) SELECT id, a FROM parent"),
    "external, fts5": ("Fts5(a, content = parent, content_rowid=id)",
                       "INSERT INTO f(rowid, a) SELECT id, a FROM parent"),
    "a column named so": ("fts5(content, config)", "INSERT INTO f VALUES('a', 'b')"),
    "options": ("\"fts4\"(t, tokenize=porter, prefix=\"2,4\", order=desc, languageid=\"l\")",
                "INSERT INTO f VALUES('a')"),
    "auxiliary": ("rtree(id, a, b, +c)", "INSERT INTO f VALUES(1, 2, 3, 'c')"),
}


@KINDS
@pytest.mark.parametrize("name", sorted(SOUND))
def test_virtual_tables_with_all_that_they_need_are_sound(work, keys, kind, name):
    sql, insert = SOUND[name]
    path = virtual(work, kind, sql, insert)
    # SQLCipher 3.4.1 may be built without FTS5.
    old = not expectations.checks_one_table() and "fts5" in sql.lower()
    structure = check(path, keys, kind, "unsupported" if old else "ok")[1]["structure"]
    assert structure["findings"] == []


@pytest.mark.parametrize("name", ["F", "with space", "quo\"te", "Ünï", "a_b"])
def test_names_of_virtual_tables(work, keys, name):
    quoted = name.replace('"', '""')
    path = virtual(work, "plain", "fts4(t)", f"INSERT INTO \"{quoted}\" VALUES('a')", name=quoted)
    check(path, keys, "plain", "ok")
    judge = peers.plain(path)
    judge.execute(f'ALTER TABLE "{quoted}" RENAME TO "new {quoted}"')
    judge.close()
    check(path, keys, "plain", "ok")


def test_an_index_that_cannot_be_read_though_its_text_is_there_is_damage(work, keys):
    """No table is gone; the one with the texts has lost the column that they are in."""
    def edit(connection):
        connection.executescript(
            "CREATE VIRTUAL TABLE f USING fts4(t); INSERT INTO f VALUES('hello');"
            "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql='CREATE TABLE"
            " ''f_content''(docid INTEGER PRIMARY KEY)' WHERE name='f_content'")
    path = made(work / "a.db", "sealed", samples.FAMILY, edit)
    judge = opened(path, "sealed")
    said = [row[0][1].decode() for row in judge.execute("PRAGMA integrity_check")]
    judge.close()
    assert len(said) == 1 and said[0].startswith("unable to validate")
    if expectations.checks_one_table():
        assert check(path, keys, "sealed", "damaged")[1]["structure"]["findings"] == said
