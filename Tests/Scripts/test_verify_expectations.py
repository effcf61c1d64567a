# Plan: verify's fourth verdict: what the caller expects.
# - user_version, application_id, tables and rows, as a peer reads them, with and without --quick;
# - that it is encrypted, whatever says where the key is;
# - all differences are listed; numbers of either sign, odd names, every encoding; bad values.
import pytest

from support import program, samples
from support.files import change
from support.kinds import KINDS, RAW, opened
from support.verdicts import check


@KINDS
def test_expectations_that_are_met(work, keys, source, sealed, kind):
    path = source if kind == "plain" else sealed
    judge = opened(path, kind)
    options = ["--expect-user-version", "-7", "--expect-application-id=252006673"]
    for table in ("people", "gaps", "pairs", "sqlite_sequence", "log", "sqlite_master"):
        rows = judge.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        options += ["--expect-table", f"{table}={rows}"]
    judge.close()
    options += ["--expect-table", "PEOPLE"]
    for quick in ([], ["--quick"]):
        verdict = check(path, keys, kind, "ok", *options, *quick)[1]["expectations"]
        assert verdict == {"verdict": "met", "checked": 9, "differences": []}


@KINDS
def test_it_has_to_be_encrypted(work, keys, source, sealed, kind):
    path = source if kind == "plain" else sealed
    code = "check_failed" if kind == "plain" else "ok"
    for quick in ([], ["--quick"]):
        found, verdicts = check(path, keys, kind, code, "--expect-encrypted", *quick)
        assert verdicts["expectations"]["checked"] == 1
        seen = [(d["expectation"], d["name"], d["expected"], d["found"])
                for d in verdicts["expectations"]["differences"]]
        assert seen == ([("encrypted", None, True, False)] if kind == "plain" else [])
    env = {"DBSEAL_KEY_FILE": str(keys.file(RAW))}
    result = program.run("verify", "-q", "--expect-encrypted", path, env=env)
    assert result.exit == program.EXIT[code]
    assert (b"it is not encrypted" in result.err) is (kind == "plain"), result


@pytest.mark.parametrize("options", [
    ["--key-env", "K"], ["--key-env", "NONE"], ["--key-file", "none"], ["--key-command", "false"],
    ["--format", "4"], ["--format", "4", "--key-env", "K"], ["--key-env", "K", "--quick"],
])
def test_plaintext_ends_with_1_wherever_the_key_is(work, source, options):
    result = program.run("verify", "--json", "--expect-encrypted", *options, source, cwd=work,
                         env={"K": RAW})
    found = result.json
    assert (result.exit, found["code"], found["kind"]) == (1, "check_failed", "plaintext"), found
    assert found["verdicts"]["expectations"]["differences"][0]["expectation"] == "encrypted"
    assert found["hint"] is None
    # Without the option it is what it was: somebody believed it encrypted.
    assert program.run("verify", *options, source, cwd=work, env={"K": RAW}).exit == 6


def test_a_damaged_header_does_not_hide_that_it_is_plaintext(work, source, keys):
    change(source, 21, b"\x41")
    verdicts = check(source, keys, "plain", "damaged", "--expect-encrypted")[1]
    assert "encrypted" in [d["expectation"] for d in verdicts["expectations"]["differences"]]


@KINDS
def test_every_difference_is_listed(work, keys, source, sealed, kind):
    path = source if kind == "plain" else sealed
    found, verdicts = check(
        path, keys, kind, "check_failed", "--expect-user-version", "7",
        "--expect-application-id", "0", "--expect-table", "nix", "--expect-table", "gaps=202",
        "--expect-table", "names", "--expect-table", "log=300")
    assert verdicts["expectations"]["checked"] == 6
    seen = [(d["expectation"], d["name"], d["expected"], d["found"])
            for d in verdicts["expectations"]["differences"]]
    assert seen == [("user_version", None, 7, -7), ("application_id", None, 0, 252006673),
                    ("table", "nix", None, None), ("rows", "gaps", 202, 203),
                    ("table", "names", None, None)]
    for word in ("user_version is -7, not 7", "no table nix", "203",
                 "names is a view, not a table"):
        assert word in found["message"]


@KINDS
def test_a_log_with_both_streams_says_things_once(keys, source, sealed, kind):
    path = source if kind == "plain" else sealed
    options = ["--key-file", keys.file(RAW)] if kind == "sealed" else []
    options += ["--expect-table", "nix", path]
    loud = program.run("verify", *options)
    quiet = program.run("verify", "--quiet", *options)
    assert loud.exit == quiet.exit == 1 and quiet.out == b""
    # An old engine has a note about itself there.
    said = [line for line in loud.err.decode().splitlines() if not line.startswith("note: ")]
    assert said == [f"dbseal: {path}: not as it should be"]
    assert loud.text.count("no table nix") == quiet.text.count("no table nix") == 1


def test_odd_names_and_encodings(work, keys):
    for encoding in ("UTF-8", "UTF-16le", "UTF-16be"):
        path = samples.plain(work / f"{encoding}.db", """
            CREATE TABLE "a=b"(x); CREATE TABLE "=5"(x); CREATE TABLE "таблица ""x"(x);
            INSERT INTO "a=b" VALUES(1), (2); INSERT INTO "таблица ""x" VALUES(1);""",
            pragmas=[f"encoding='{encoding}'"])
        check(path, keys, "plain", "ok", "--expect-table", "a=b", "--expect-table", "a=b=2",
              "--expect-table", "=5=0", "--expect-table", 'таблица "x=1')


def test_an_application_id_may_be_given_unsigned(work, keys):
    path = samples.plain(work / "plain.db", "CREATE TABLE t(a); PRAGMA application_id=-2;")
    check(path, keys, "plain", "ok", "--expect-application-id", "4294967294")
    check(path, keys, "plain", "ok", "--expect-application-id", "-2")


@pytest.mark.parametrize("option", [
    ["--expect-user-version", "x"], ["--expect-user-version", "4294967296"],
    ["--expect-user-version=-2147483649"], ["--sample", "0"], ["--sample", "101"],
    ["--expect-user-version", "--json"], ["--expect-user-version", "1", "--expect-user-version",
                                          "2"], ["--expect-table", ""]])
def test_bad_values(work, source, option):
    assert program.run("verify", *option, source).exit == 2
