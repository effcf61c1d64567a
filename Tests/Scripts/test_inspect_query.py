# Plan: --query prints what stock SQLite prints, and can do nothing but read.
# - csv, tsv, json, line and table against the sqlite3 shell and Python's csv and json
# - integers over 2^53, blobs, NULL and empty text, invalid UTF-8, control and wide characters
# - parameters of every type; missing and unknown ones
# - whatever is not one read-only statement is a usage error with a reason; nothing is made
# - what was noteworthy about the database is said, as without a query, and rows stay rows;
# - many rows stream; a reader that goes away ends it; an interrupt ends it
import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import unicodedata

import pytest

from support import peers, program, samples, summaries
from support.files import Snapshot

RAW = "x'" + "a1b2c3d4" * 8 + "'"
VALUES = """CREATE TABLE v(id INTEGER PRIMARY KEY, a);
INSERT INTO v(a) VALUES(9223372036854775807), (-9007199254740993), (1.5), (1e20), (-0.25),
  (NULL), (''), ('plain'), ('a,b'), ('quote "q"'), ('two
lines'), (x'00ff10'), (x''), ('é 日本'), ('tab	stop'), (' blanks '), ('back\\slash');
"""


@pytest.fixture
def values(work):
    return samples.plain(work / "v.db", VALUES)


def query(path, sql, *options, **more):
    before = Snapshot(path.parent)
    result = program.run("inspect", "--query", sql, *options, path, **more)
    before.unchanged()
    assert result.exit == 0 and result.err == b"", result
    return result.out.decode()


def judge(path, *options, sql="SELECT id, a FROM v"):
    """What the sqlite3 shell prints."""
    done = subprocess.run([shutil.which("sqlite3"), "-header", *options, path, sql],
                          capture_output=True, check=True)
    return done.stdout.decode()


# Blobs are hex digits here, and bytes in the shell.
NO_BLOBS = "SELECT id, a FROM v WHERE typeof(a) <> 'blob'"
EXACT = NO_BLOBS + " AND typeof(a) <> 'real'"


def test_csv_is_what_the_shell_prints(values):
    # The shell quotes more than RFC 4180 asks for.
    ours, theirs = query(values, EXACT, "--output-format", "csv"), judge(values, "-csv", sql=EXACT)
    assert list(csv.reader(io.StringIO(ours, newline=""))) == \
        list(csv.reader(io.StringIO(theirs, newline="")))
    # NULL and the empty text differ, as the shell has it.
    assert [line for line in ours.split("\n") if line[:2] in ("6,", "7,")] == ["6,", '7,""']
    assert [line for line in theirs.split("\n") if line[:2] in ("6,", "7,")] == ["6,", '7,""']


def test_csv_is_read_back_by_python(values):
    wanted = sqlite3.connect(values).execute("SELECT id, a FROM v").fetchall()
    rows = list(csv.reader(io.StringIO(query(
        values, "SELECT id, a FROM v", "--output-format", "csv"), newline="")))
    assert rows[0] == ["id", "a"] and len(rows) == len(wanted) + 1
    for (number, cell), (id, value) in zip(rows[1:], wanted):
        assert int(number) == id
        if isinstance(value, bytes):
            assert cell == value.hex()
        elif isinstance(value, float):
            assert float(cell) == value
        else:
            assert cell == ("" if value is None else str(value))


def test_json_is_what_the_shell_means(values):
    ours = json.loads(query(values, NO_BLOBS, "--output-format", "json"))
    assert ours == json.loads(judge(values, "-json", sql=NO_BLOBS))
    assert ours[0]["a"] == 9223372036854775807 and ours[1]["a"] == -9007199254740993
    blobs = json.loads(query(values, "SELECT a FROM v WHERE typeof(a)='blob'",
                             "--output-format", "json"))
    assert blobs == [{"a": "00ff10"}, {"a": ""}]
    assert json.loads(query(values, "SELECT 1 WHERE 0", "--output-format", "json")) == []


def test_line_is_what_the_shell_prints(values):
    sql = "SELECT id, a AS longer FROM v WHERE id IN (1, 8, 14)"
    ours = query(values, sql, "--output-format", "line")
    assert [l.strip() for l in ours.splitlines()] == \
        [l.strip() for l in judge(values, "-line", sql=sql).splitlines()]


def test_tsv_is_one_line_a_row_and_can_be_undone(values):
    lines = query(values, "SELECT id, a FROM v", "--output-format", "tsv").split("\n")
    assert lines[0] == "id\ta" and lines[-1] == ""
    undo = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}
    for line, (id, value) in zip(
            lines[1:-1], sqlite3.connect(values).execute("SELECT id, a FROM v"), strict=True):
        number, cell = line.split("\t")
        assert int(number) == id
        if value is None:
            assert cell == "\\N"
        elif isinstance(value, str):
            assert re.sub(r"\\.", lambda m: undo[m.group()], cell) == value


def test_the_object_has_all_rows_in_one_array(values):
    found = program.ok("inspect", "--query", "SELECT id, a, a FROM v WHERE id < 3", values)
    assert found["columns"] == ["id", "a", "a"]
    assert found["rows"] == [[1, 9223372036854775807, 9223372036854775807],
                             [2, -9007199254740993, -9007199254740993]]
    assert found["kind"] == "plaintext"


def width(text):
    return sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def test_columns_line_up_whatever_is_in_them(work):
    path = samples.plain(work / "w.db", """CREATE TABLE t(a, b);
        INSERT INTO t VALUES('日本語', 'x'), ('e\u0301a', 'x'), ('plain', 'x'), ('😀', 'x'),
        ('ｗｉｄｅ', 'x'), ('한국', 'x');""")
    lines = query(path, "SELECT a, b FROM t").splitlines()
    assert len(lines) == 8
    ends = {width(line[:line.rindex(line[-1])]) for line in lines}
    assert len(ends) == 1, lines


HOSTILE = "\x1b]0;title\x07\x1b[2Jx\r\ny\u202ez\x9b1m"


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "line"])
def test_values_do_nothing_to_a_terminal(work, form):
    path = work / "h.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(a)")
    connection.execute("INSERT INTO t VALUES(?)", (HOSTILE,))
    connection.commit()
    connection.close()
    sql = 'SELECT a AS "na\x1b[31mme" FROM t'
    shown = program.run_tty("inspect", "--query", sql, "--output-format", form, path).out
    for bad in (b"\x1b", b"\x07", "\u202e".encode(), "\x9b".encode()):
        assert bad not in shown, (form, shown)
    piped = query(path, sql, "--output-format", form)
    if form == "json":
        assert json.loads(piped) == [{"na\x1b[31mme": HOSTILE}]
    elif form == "csv":
        assert list(csv.reader(io.StringIO(piped, newline="")))[1] == [HOSTILE]
    elif form in ("table", "line"):
        assert "\x1b" not in piped


def test_invalid_utf8_is_kept_in_a_pipe(work):
    path = samples.plain(work / "i.db", "CREATE TABLE t(a); INSERT INTO t VALUES(CAST(x'ff00fe61' AS TEXT));")
    result = program.run("inspect", "--query", "SELECT a FROM t", "--output-format", "csv", path)
    assert result.out == b"a\n\xff\x00\xfea\n"
    assert program.ok("inspect", "--query", "SELECT a FROM t", path)["rows"] == [["\ufffd\0\ufffda"]]


def test_parameters(source):
    sql = "SELECT typeof(:t), :t, typeof($i), $i, typeof(@r), @r, typeof(:b), :b, typeof(:n), ?9"
    assert program.run("inspect", "--query", sql, source).exit == 2  # no values
    found = program.ok(
        "inspect", "--query", "SELECT typeof(:t), :t, typeof($i), $i, typeof(@r), @r, typeof(:b), "
        ":b, typeof(:n)", "--param", "t=it's; DROP TABLE people --", "--param",
        "i:integer=-9223372036854775808", "--param", ":r:real=0.5", "--param", "b:blob=00FF",
        "--param=n:null", source)
    assert found["rows"] == [["text", "it's; DROP TABLE people --", "integer",
                              -9223372036854775808, "real", 0.5, "blob", "00ff", "null"]]
    found = program.ok("inspect", "--query", "SELECT name FROM people WHERE id = ? AND name <> ?2",
                       "--param", "1:integer=5", "--param", "2=", source)
    assert found["rows"] == [["person 595"]]


@pytest.mark.parametrize("param", ["a", "=x", "a:integer=x", "a:blob=0", "a:what=1", "a:real=nan"])
def test_bad_parameters(source, param):
    result = program.run("inspect", "--query", "SELECT :a", f"--param={param}", source)
    assert result.exit == 2 and (b"NAME=VALUE" in result.err or b"no such value" in result.err)


def test_numbered_parameters_with_gaps(source):
    """sqlite.org/lang_expr.html#varparam: ?NNN has its number, a nameless ? the next one."""
    judge = sqlite3.connect(":memory:")
    sql = "SELECT ?2, ?, ?7, ?"
    values = {2: "b", 3: "c", 7: "g", 8: "h"}
    wanted = judge.execute(sql, [values.get(n) for n in range(1, 9)]).fetchone()
    options = [f"--param={n}={value}" for n, value in values.items()]
    assert program.ok("inspect", "--query", sql, *options, source)["rows"] == [list(wanted)]
    assert program.ok("inspect", "--query", "SELECT ?2", "--param=2=a", source)["rows"] == [["a"]]
    for missing in options:
        rest = [option for option in options if option != missing]
        failed = program.run("inspect", "--json", "--query", sql, *rest, source)
        assert failed.exit == 2 and "has no value" in failed.json["message"]
    failed = program.run("inspect", "--json", "--query", sql, *options, "--param=4=x", source)
    assert failed.exit == 2 and "no parameter 4" in failed.json["message"]


def test_what_is_wrong_with_a_parameter_is_said(source):
    for params, words in ((["a=1", "a=2"], "two values"), (["a=1", ":a=2"], "two values"),
                          (["a:integer=x"], "a:integer: x is no such value"),
                          (["a:blob=0"], "a:blob: 0 is no such value")):
        failed = program.run("inspect", "--json", "--query", "SELECT :a",
                             *[f"--param={each}" for each in params], source)
        assert failed.exit == 2 and words in failed.json["message"], failed
    found = program.ok("inspect", "--query", "SELECT typeof(:a), :a", "--param=a:text=5", source)
    assert found["rows"] == [["text", "5"]]


def test_json_has_what_opening_the_database_told(work, keys, sealed):
    options = ["--key-file", keys.file(RAW), sealed]
    inside = program.ok("inspect", *options)
    found = program.ok("inspect", "--query", "SELECT 1", *options)
    for field in ("format", "settings", "salt", "pragmas", "pages", "page_size", "page_sizes",
                  "header", "user_version", "application_id", "damage", "damage_total", "notes"):
        assert found[field] == inside[field], field
    assert found["format"] == 4 and found["user_version"] == -7


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "line"])
def test_rows_of_several_databases_say_whose_they_are(work, form):
    paths = []
    for name in ("a", "b", "none", "c"):
        paths.append(work / f"{name}.db")
        if name != "none":
            samples.plain(paths[-1], f"CREATE TABLE t(x, y); INSERT INTO t VALUES('{name}1', 1),"
                                     f"('{name}2', 2);")
    result = program.run("inspect", "--query", "SELECT x, y FROM t", "--output-format", form, *paths)
    assert result.exit == 1 and b"none.db" in result.err
    wanted = [[str(work / f"{name}.db"), f"{name}{n}", str(n)] for name in "abc" for n in (1, 2)]
    text = result.out.decode()
    if form == "json":
        rows = json.loads(text)
        assert [list(map(str, row.values())) for row in rows] == wanted
        assert list(rows[0]) == ["database", "x", "y"]
    elif form in ("csv", "tsv"):
        rows = list(csv.reader(io.StringIO(text), delimiter="," if form == "csv" else "\t"))
        assert rows == [["database", "x", "y"]] + wanted
    else:
        for block, name in zip(text.split(f"{work}/")[1:], "abc", strict=True):
            assert block.splitlines()[0] == f"{name}.db:"
            assert f"{name}1" in block and f"{name}2" in block
    for database in ([], [work / "a.db"]):
        alone = program.run("inspect", "--query", "SELECT x, y FROM t", "--output-format", form,
                            work / "a.db", *database)
        assert (b"a.db" in alone.out) is bool(database)


def test_parameters_have_to_fit(source):
    for options in (["--param", "b=1"], []):
        assert program.run("inspect", "--query", "SELECT :a", *options, source).exit == 2


REFUSED = {
    "INSERT INTO log VALUES('x')": "change", "UPDATE people SET name='x'": "change",
    "DELETE FROM people": "change", "DROP TABLE people": "change",
    "CREATE TABLE x(a)": "change", "VACUUM": "change", "REINDEX": "", "ANALYZE": "",
    "VACUUM INTO 'made.db'": "", "ATTACH 'made.db' AS m": "ATTACH",
    "DETACH main": "DETACH", "BEGIN": "BEGIN", "COMMIT": "", "SAVEPOINT s": "SAVEPOINT",
    "PRAGMA user_version = 3": "PRAGMA user_version", "PRAGMA journal_mode": "journal_mode",
    "PRAGMA journal_mode = WAL": "journal_mode", "PRAGMA writable_schema = ON": "writable_schema",
    "PRAGMA key = 'x'": "PRAGMA key", "PRAGMA rekey = 'x'": "PRAGMA rekey",
    "PRAGMA wal_checkpoint": "wal_checkpoint", "PRAGMA temp_store_directory = '/tmp'": "PRAGMA",
    "SELECT load_extension('x')": "load_extension", "SELECT sqlcipher_export('main')": "",
    "SELECT fts3_tokenizer('simple')": "", "SELECT 1; SELECT 2": "more than one",
    "SELECT 1; DROP TABLE people": "more than one", ";": "empty", "-- nothing": "empty",
    # What these would say of decoded pages is not true of the file.
    "PRAGMA journal_mode": "journal_mode", "PRAGMA cipher_settings": "cipher_settings",
    "PRAGMA cipher_version = 1": "cipher_version", "PRAGMA user_version = 1": "user_version",
    "SELEC 1": "syntax error", "SELECT nosuch": "no such column",
    "SELECT abs(-9223372036854775808)": "integer overflow",
}


@pytest.mark.parametrize("sql", REFUSED, ids=lambda s: s[:30])
def test_anything_but_one_reading_statement_is_refused(work, source, sql):
    before = Snapshot(work)
    result = program.run("inspect", "--json", "--query=" + sql, source, cwd=work)
    before.unchanged()
    assert result.exit == 2 and result.json["code"] == "usage", result
    assert REFUSED[sql] in result.json["message"], result.json


@pytest.mark.parametrize("sql, hint", [
    ("SELECT * FROM absent", "--schema"), ("SELECT absent FROM log", "--schema"),
    ("SELECT absent(1)", "defines it"), ("SELECT 'a' = 'b' COLLATE LOCALIZED", "COLLATE BINARY"),
    ("SELECT abs(-9223372036854775808)", None), ("SELEC 1", None),
    ("PRAGMA journal_mode", "without --query")])
def test_a_query_that_is_not_run_gets_a_hint_that_helps(source, sql, hint):
    found = program.run("inspect", "--json", "--query", sql, source).json
    assert found["hint"] is None if hint is None else hint in found["hint"], found


@pytest.mark.parametrize("sql", [
    "SELECT 1;", "SELECT 1; -- and no more", "SELECT 1 /* x */ ; ; ", "PRAGMA table_info(people)",
    "PRAGMA user_version", "PRAGMA integrity_check", "PRAGMA cipher_version", "EXPLAIN QUERY PLAN SELECT * FROM people",
    "WITH n(i) AS (SELECT 1) SELECT i FROM n", "VALUES(1, 2)"])
def test_what_reads_is_run(source, sql):
    assert program.ok("inspect", "--query", sql, source)["rows"]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_encrypted_databases_of_every_format(work, keys, number):
    path = peers.create_sealed(work / "a.db", "pass words", [("cipher_compatibility", number)],
                               samples.fill)
    sql = "SELECT id, name, mark, doc FROM people ORDER BY name, id"
    wanted = peers.sealed(path, "pass words", [("cipher_compatibility", number)]).execute(sql)
    found = program.ok("inspect", "--query", sql, "--key-file", keys.file("pass words"), path)
    assert found["rows"] == [
        [id, name[1].decode(), mark, None if doc is None else doc.hex()]
        for id, name, mark, doc in wanted]


def test_a_damaged_page_ends_it_and_is_named(work, keys, sealed):
    data = bytearray(sealed.read_bytes())
    for number in (9, 20):
        data[(number - 1) * 4096 + 100] ^= 1
    sealed.write_bytes(data)
    result = program.run("inspect", "--json", "--query", "SELECT sum(length(doc)) FROM people",
                         "--key-file", keys.file(RAW), sealed)
    assert result.exit == 5 and result.json["damaged_pages"] == [9, 20]


def test_damage_that_did_not_matter_is_noted(work, source):
    with open(source, "ab") as file:
        file.write(b"junk" * 1024)
    result = program.run("inspect", "--query", "SELECT count(*) FROM log", source)
    assert result.exit == 0 and b"300" in result.out and b"damaged: the file has" in result.err
    found = program.ok("inspect", "--query", "SELECT count(*) FROM log", source)
    assert found["rows"] == [[300]] and found["damage"][0]["size"] == os.path.getsize(source)


def test_rows_before_a_damaged_page_are_printed(work, keys):
    def fill(connection):
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
        connection.executemany("INSERT INTO t VALUES(?, ?)", [(n, "x" * 90) for n in range(3000)])
    path = peers.create_sealed(work / "d.db", RAW, [], fill)
    data = bytearray(path.read_bytes())
    data[39 * 4096 + 100] ^= 1
    path.write_bytes(data)
    judge = peers.sealed(path, RAW)

    def is_all(numbers):
        wanted = judge.execute("SELECT id FROM t LIMIT ?", (len(numbers),)).fetchall()
        with pytest.raises(Exception):
            judge.execute("SELECT id FROM t LIMIT ?", (len(numbers) + 1,)).fetchall()
        return len(numbers) > 1000 and [row[0] for row in wanted] == numbers

    for form in ("csv", "tsv", "table", "line", "json"):
        result = program.run("inspect", "--query", "SELECT id FROM t", "--output-format", form,
                             "--key-file", keys.file(RAW), path)
        assert result.exit == 5 and b"page 40" in result.err
        if form == "json":
            assert is_all([row["id"] for row in json.loads(result.out)])
        else:
            assert is_all([int(n) for n in re.findall(rb"\d+", result.out)]), form
    failed = program.run("inspect", "--query", "SELECT nothing", "--output-format", "json",
                         "--key-file", keys.file(RAW), path)
    assert failed.exit == 2 and failed.out == b""


@pytest.mark.parametrize("kind", ["plain", "sealed"])
def test_what_is_left_of_a_cut_database_can_be_queried(work, keys, kind):
    script = ("CREATE TABLE a(x); INSERT INTO a VALUES(1), (2); CREATE TABLE b(y);"
              "INSERT INTO b SELECT zeroblob(900) FROM sqlite_master, sqlite_master, a, a, a;")
    path = work / "cut.db"
    if kind == "plain":
        samples.plain(path, script)
    else:
        peers.create_sealed(path, RAW, [], lambda c: c.executescript(script))
    whole = os.path.getsize(path)
    os.truncate(path, whole - 4096)
    options = ["--key-file", keys.file(RAW)] if kind == "sealed" else []
    result = program.run("inspect", "--query", "SELECT x FROM a", *options, path)
    assert result.exit == 0 and result.out.split() == [b"x", b"-", b"1", b"2"], result
    assert str(whole - 4096).encode() in result.err and str(whole).encode() in result.err
    result = program.run("inspect", "--json", "--query", "SELECT sum(length(y)) FROM b", *options,
                         path)
    assert result.exit == 5
    assert (result.json["size"], result.json["expected_size"]) == (whole - 4096, whole)
    tables = program.ok("inspect", "--tables", *options, path)
    assert tables["lacks"]["collations"] == [] and tables["damage_total"] >= 1


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "


def test_rows_stream_and_a_reader_may_go_away(source):
    process = subprocess.Popen(
        [program.BIN, "inspect", "--query", ENDLESS + "i FROM n", source, "--output-format", "csv"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=program.clean_env())
    assert process.stdout.readline() == b"i\n" and process.stdout.readline() == b"1\n"
    process.stdout.close()
    assert process.wait(timeout=30) == 0 and process.stderr.read() == b""


def test_an_interrupt_ends_it(source):
    process = subprocess.Popen(
        [program.BIN, "inspect", "--query", ENDLESS + "max(i) FROM n", source],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=program.clean_env())
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == -signal.SIGINT
    assert b"interrupted" in process.stderr.read()


def test_an_interrupt_of_several_ends_with_a_summary(work, source):
    other = samples.plain(work / "other.db", "CREATE TABLE endless(a);")
    # Without end where there is such a table.
    sql = ENDLESS + "max(i) FROM n WHERE EXISTS (SELECT 1 FROM endless)"
    process = program.start("inspect", "--json", "--query", sql, source, other)
    first = json.loads(process.stdout.readline())
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT and not first["ok"], first
    assert summaries.of(json.loads(out)) == {"summary": {
        "command": "inspect", "ok": False, "code": "interrupted", "exit": 130,
        "message": "interrupted by SIGINT: 0 of 2 databases inspected, 1 failed, the other one left"
                   " as it was", "files": 2, "succeeded": 0, "failed": 1, "skipped": 0, "unchanged": 0,
        "failures": {first["code"]: 1}}}


def test_options_that_belong_to_a_query(source):
    for options in (["--param", "a=1"], ["--output-format", "csv"],
                    ["--query", "SELECT 1", "--schema"],
                    ["--json", "--query", "SELECT 1", "--output-format", "csv"]):
        assert program.run("inspect", *options, source).exit == 2, options


def test_a_full_disk_is_said(source):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [program.BIN, "inspect", "--query", "SELECT * FROM people", source], stdout=full,
            stderr=subprocess.PIPE, env=program.clean_env())
    assert done.returncode == 9 and b"no space left" in done.stderr


def test_no_file_is_made_anywhere(work, tmp_path, source):
    place = tmp_path / "tmp"
    place.mkdir()
    sql = "SELECT a.name FROM people a, people b, people c ORDER BY random() LIMIT 5"
    query(source, sql, "--output-format", "tsv", env={"TMPDIR": str(place)}, cwd=place)
    assert os.listdir(place) == []


@pytest.mark.parametrize("asked", [["--query", "SELECT 1 AS one"], ["--schema"], ["--tables"], []])
def test_a_key_that_was_not_needed_is_noted(work, keys, source, asked):
    path = keys.raw()
    ways = [({"DBSEAL_KEY_FILE": str(path)}, []), ({}, ["--key-file", path])]
    for env, options in ways:
        notes = program.run("inspect", "--json", *asked, *options, source, env=env).json["notes"]
        assert [note["note"] for note in notes] == ["key_not_used"]
        result = program.run("inspect", *asked, *options, source, env=env)
        said = f"note: {source}: it is not encrypted; the key was not used\n".encode()
        assert result.exit == 0 and result.err == said, result
        assert program.run("inspect", "-q", *asked, *options, source, env=env).err == b""
    assert program.run("inspect", "--json", *asked, source).json["notes"] == []


def test_a_query_of_a_database_with_a_log_says_that_it_was_read(work):
    connection = peers.plain(samples.plain(work / "a.db"))
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("INSERT INTO log VALUES('from the log')")
    args = ["inspect", "--query", "SELECT what FROM log WHERE what LIKE 'from%'", work / "a.db"]
    result = program.run(*args, "--output-format", "csv")
    assert result.out == b"what\r\nfrom the log\r\n" or result.out == b"what\nfrom the log\n"
    assert b"-wal" in result.err, result
    notes = program.run(*args, "--json").json["notes"]
    assert [note["note"] for note in notes] == ["wal_included"]
    connection.close()


def test_no_note_stands_in_the_array_of_several_databases(work):
    paths = [samples.plain(work / f"{name}.db", pragmas=["journal_mode=WAL"]) for name in "ab"]
    args = ["inspect", "--query", "SELECT count(*) AS n FROM log", "--output-format", "json"]
    shown = program.run_tty(*args, *paths).out
    array, notes = shown[:shown.index(b"]") + 1], shown[shown.index(b"]") + 1:]
    assert [row["n"] for row in json.loads(array)] == [300, 300], shown
    assert notes.replace(b"\r\n", b"").count(b"there is no -wal") == 2, shown
