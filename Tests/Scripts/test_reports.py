# Plan: verify's test reports, read by the programs that read them elsewhere (support/reports.py).
# - a test for each database: passed, failed, or an error where nobody can say; the particulars with it;
# - names as they are, whatever XML, TAP and YAML make of their characters;
# - a report changes no exit status and, in a file, no other answer; on standard output it is alone;
# - a report replaces a report and nothing else, whole or not at all;
# - a run that cannot go on leaves a report that says so, and never one of an earlier run.
import os
import re
import signal
import subprocess

import pytest

from support import peers, program, reports, samples
from support.files import Snapshot, change, mode
from support.kinds import RAW, made

FORMS = pytest.mark.parametrize("form", ["junit", "tap"])


@pytest.fixture
def several(work, keys):
    """A database for every outcome: options for all, and (name, outcome, code) of each."""
    made(work / "sound.db", "sealed", samples.FAMILY)
    made(work / "damaged.db", "sealed")
    change(work / "damaged.db", 4096 * 2 + 100, b"damage")
    peers.create_sealed(work / "other.db", "x'" + "0f" * 32 + "'", [], samples.fill)
    samples.plain(work / "plain.db")
    made(work / "orphans.db", "sealed", samples.FAMILY,
         edit=lambda c: c.execute("DELETE FROM parent WHERE id = 7"))
    (work / "junk.db").write_bytes(b"junk " * 1000)
    found = [("sound.db", "passed", "ok"), ("damaged.db", "failure", "damaged"),
             ("other.db", "failure", "wrong_key"), ("plain.db", "failure", "wrong_kind"),
             ("orphans.db", "failure", "check_failed"), ("junk.db", "failure", "wrong_kind"),
             ("none.db", "error", "io")]
    return ["--key-file", keys.file(RAW), *[name for name, _, _ in found]], found


@FORMS
def test_every_outcome(work, several, form):
    options, expected = several
    result = program.run("verify", "--report", form, *options, cwd=work)
    assert result.exit == 1
    assert reports.read(form, result.out) == [(name, kind) for name, kind, _ in expected]
    plain = program.run("verify", "--json", *options, cwd=work).objects
    if form == "junit":
        for case, (name, kind, code), answer in zip(reports.junit(result.out), expected, plain):
            assert case[2] == (None if kind == "passed" else code)
            if kind != "passed":
                assert case[3] == answer["message"] and answer["message"] != ""
            if answer["hint"] and kind != "passed":
                assert f"hint: {answer['hint']}" in case[4]
        damaged = reports.junit(result.out)[1]
        assert "page 3 does not authenticate" in damaged[4], damaged
    else:
        tests, other = reports.tap(result.out)
        assert other == []
        for test, (name, kind, code), answer in zip(tests, expected, plain):
            if kind != "passed":
                block = test[3]
                assert (block["code"], block["exit"]) == (code, program.EXIT[code])
                assert (block["message"], block["hint"] if "hint" in block else None) == (
                    answer["message"], answer["hint"]), block
                assert block["file"] == name
        details = tests[1][3]["details"].splitlines()
        assert details[0].startswith("pages: damaged"), details
        assert any(line.startswith("  page 3 does not authenticate") for line in details)


def test_notes_are_there(work, source, keys):
    env = {"DBSEAL_KEY_FILE": str(keys.file(RAW))}
    text = program.run("verify", "--report", "junit", source, env=env)
    case, = reports.junit(text.out)
    assert case[1] == "passed" and "note: " in case[5] and "ok: " in case[5]
    text = program.run("verify", "--report", "tap", source, env=env)
    assert re.search(rb"^ok 1 - .*\n# note: ", text.out, re.M), text
    assert text.err == b"", "notes are in the report"


@FORMS
def test_names_as_they_are(work, form):
    names = ["<&>\"'.db", "#1.db", "a # SKIP b.db", "not # TODO x.db", "back\\slash\\#.db", "]]>.db",
             "--- ....db", "ключ 🔑 é.db", "%s.db", " blank ", "{a: b}", "- x", "~", "1.0"]
    for name in names:
        samples.plain(work / name, "CREATE TABLE t(a);")
    result = program.run("verify", "--report", form, "--", *names, cwd=work)
    found = [name for name, _ in reports.read(form, result.out)]
    if form == "tap":
        # perl's parser gives descriptions as they are escaped, and cuts blanks at their end.
        found = [name.replace("\\#", "#").replace("\\\\", "\\") for name in found]
        names = [name.rstrip() for name in names]
    assert result.exit == 0 and found == names


@FORMS
def test_characters_that_no_form_can_hold(work, form):
    names = ["a\x1b[31m.db", "b\n.db", "c\x01\x7f.db", "d\ufffe\uffff.db", "e\u202e.db", "f\r\t.db"]
    for name in names:
        (work / name).write_text("no database")
    result = program.run("verify", "--report", form, *names, cwd=work)
    assert result.exit == 1
    found = reports.read(form, result.out)
    assert [kind for _, kind in found] == ["failure"] * len(names)
    for (name, _), given in zip(found, names):
        assert name[0] == given[0] and name.isprintable() or form == "tap", name
    if form == "tap":
        blocks = [test[3] for test in reports.tap(result.out)[0]]
        assert [block["file"] for block in blocks] == names, "YAML has the very name"


@FORMS
def test_a_name_twice_is_two_tests(work, form):
    samples.plain(work / "a.db")
    result = program.run("verify", "--report", form, "a.db", "a.db", "./a.db", "a.db", cwd=work)
    assert reports.read(form, result.out) == [
        (name, "passed") for name in ("a.db", "a.db (2)", "./a.db", "a.db (3)")]


@FORMS
def test_one_database_keeps_its_exit_status(work, several, form):
    options, expected = several
    for name, kind, code in expected:
        result = program.run("verify", "--report", form, *options[:2], name, cwd=work)
        assert result.exit == program.EXIT[code]
        assert reports.read(form, result.out) == [(name, kind)]


@FORMS
def test_a_file_leaves_the_other_answers_alone(work, several, outside, form):
    options, expected = several
    place = outside / "report"
    for more in ([], ["--json"], ["--quiet"], ["--verbose"]):
        plain = program.run("verify", *more, *options, cwd=work)
        before = Snapshot(work)
        result = program.run("verify", *more, "--report", form, "--report-file", place, *options,
                             cwd=work)
        before.unchanged()
        timeless = [re.sub(rb'"seconds":[\d.]+|in [\d.]+ s$', b"", r.out) for r in (plain, result)]
        assert timeless[0] == timeless[1] and plain.err == result.err
        assert (plain.exit, result.exit) == (1, 1)
        found = reports.read(form, place.read_bytes())
        assert found == [(name, kind) for name, kind, _ in expected]
    assert os.listdir(outside) == ["report"]


@FORMS
def test_alone_on_standard_output(work, source, form):
    for more in ([], ["--quiet"], ["--report-file", "-"], ["--verbose"]):
        result = program.run("verify", "--report", form, *more, source)
        assert reports.read(form, result.out) == [(str(source), "passed")]
    result = program.run("verify", "--json", "--report", form, source)
    assert result.exit == 2 and "--report-file" in result.json["message"]
    result = program.run("verify", "--report-file", "x", source)
    assert result.exit == 2 and b"--report-file goes with --report" in result.err


def test_prove_runs_it(work, several):
    options, expected = several
    command = ["prove", "-e", f"{program.BIN} verify --report tap"]
    bad = subprocess.run(["prove", "-e", str(program.BIN), "--", "verify"], capture_output=True)
    assert bad.returncode != 0  # prove runs files as tests, one each:
    good = subprocess.run([*command, "--timer", "sound.db"], cwd=work, capture_output=True,
                          env=program.clean_env({"DBSEAL_KEY_FILE": str(options[1])}))
    assert good.returncode == 0 and b"Result: PASS" in good.stdout, good
    fails = subprocess.run([*command, "sound.db", "damaged.db"], cwd=work, capture_output=True,
                           env=program.clean_env({"DBSEAL_KEY_FILE": str(options[1])}))
    assert fails.returncode != 0 and b"Result: FAIL" in fails.stdout, fails


@FORMS
def test_only_a_report_is_replaced(work, keys, form):
    source = samples.plain(work / "a.db")
    key, text = keys.file(RAW), work / "text.xml"
    text.write_text("<?xml version='1.0'?><project/>")
    sealed = peers.create_sealed(work / "sealed.db", RAW, [], samples.fill)
    os.mkfifo(work / "fifo")
    os.symlink("nowhere", work / "dangling")
    os.symlink("a.db", work / "link")
    before = Snapshot(work.parent)
    for place in (source, sealed, key, text, work, work / "fifo", work / "dangling", work / "link",
                  work / "a.db-wal", work / "a.db-journal", work / "a.db-shm"):
        for more in ([], ["--json"]):
            result = program.run("verify", *more, "--report", form, "--report-file", place, source)
            assert result.exit == 7, (place, result)
            before.unchanged()
    result = program.run("verify", "--report", form, "--report-file", work / "no" / "x", source)
    assert result.exit == 9, result
    before.unchanged()


@FORMS
def test_an_earlier_report_is_replaced(work, source, outside, form):
    place = outside / "report"
    place.write_text("")
    for old in ("junit", "tap", form):
        umask = os.umask(0o027)
        result = program.run("verify", "--report", old, "--report-file", place, source)
        os.umask(umask)
        assert result.exit == 0 and mode(place) == 0o640
        assert reports.read(old, place.read_bytes()) == [(str(source), "passed")]


@FORMS
def test_a_report_that_cannot_be_written(work, source, outside, form):
    """The check itself passed, and the old report stays whole."""
    place = outside / "report"
    program.run("verify", "--report", form, "--report-file", place, source)
    before = Snapshot(outside)
    result = program.run("verify", "--report", form, "--report-file", place, source, file_size=50)
    assert result.exit == 9 and b"file too large" in result.err, result
    before.unchanged()
    os.remove(work / "plain.db")
    result = program.run("verify", "--json", "--report", form, "--report-file", place, source,
                         file_size=50)
    assert result.exit == 9 and [o["code"] for o in result.objects] == ["io", "io"]


@FORMS
def test_a_report_that_cannot_be_written_fails_the_run(work, source, outside, form):
    place = outside / "report"
    for old in (False, True):
        if old:
            program.run("verify", "--report", form, "--report-file", place, source)
        options = ["--report", form, "--report-file", place, source, source]
        result = program.run("verify", *options, file_size=50)
        assert result.exit == 9 and b"2 of 2 databases passed, but " in result.out, result
        assert (b"what stands there is from an earlier run" in result.err) is old
        assert b"TARGET" not in result.err
        *_, failure, summary = program.run("verify", "--json", *options, file_size=50).objects
        found = summary["summary"]
        assert (found["ok"], found["code"], found["exit"]) == (False, "io", 9), found
        assert (found["succeeded"], found["failed"]) == (2, 0)
        assert found["message"] == failure["message"] and str(place) in found["message"]
    # What was found stands above that it could not be written.
    os.remove(source)
    *_, failure, summary = program.run("verify", "--json", *options, file_size=50).objects
    assert (failure["code"], summary["summary"]["code"], summary["summary"]["exit"]) == (
        "io", "check_failed", 1)
    # Nor is a report kept back without a word where the run cannot go on.
    result = program.run("verify", "--report", form, "--report-file", place, "--manifest",
                         work / "none.json", file_size=50)
    assert result.exit == 9 and b"what stands there is from an earlier run" in result.err, result


def test_a_tap_report_says_that_a_failure_was_expected(work):
    (work / "junk.db").write_bytes(b"junk " * 1000)
    (work / "m.json").write_text('{"dbseal_manifest": 1, "databases": [{"file": "junk.db",'
                                 ' "expect_code": "wrong_kind"}]}')
    result = program.run("verify", "--report", "tap", "--manifest", "m.json", cwd=work)
    assert b"ok 1 - junk.db\n# ok: wrong_kind, as expected: " in result.out, result
    tests, _ = reports.tap(result.out)
    assert [bool(test[2]) for test in tests] == [True]


@pytest.mark.parametrize("options", [["--report", "tap", "--report-file"], ["--write-manifest"]])
def test_hints_speak_of_no_target(work, source, options):
    """verify has none."""
    (work / "shut").mkdir(mode=0o555)
    work.chmod(0o755)
    source.chmod(0o644)
    # Relative names, since the folders above are the tester's own.
    result = program.run("verify", *options, "shut/file", source.name, user=65534, cwd=work)
    assert result.exit == 9 and b"name a file in another folder" in result.err, result
    assert b"TARGET" not in result.err


@FORMS
def test_a_directory_is_no_place_for_a_file(work, source, form):
    (work / "folder").mkdir()
    for options in (["--report", form, "--report-file"], ["--write-manifest"]):
        result = program.run("verify", *options, work / "folder", source)
        assert result.exit == 7 and b"name a file in it" in result.err, result
        assert b"--output-dir" not in result.err


@FORMS
def test_without_a_key_nothing_was_checked(work, source, sealed, outside, form):
    place = outside / "report"
    assert program.run("verify", "--report", form, "--report-file", place, source).exit == 0
    for where in (["--report-file", place], []):
        result = program.run("verify", "--report", form, *where, "--key-env", "NONE", sealed, sealed)
        assert result.exit == 3 and b"--key-env" in result.err
        data = place.read_bytes() if where else result.out
        if form == "junit":
            assert [case[:3] for case in reports.junit(data)] == [
                (str(sealed), "error", "no_key"), (f"{sealed} (2)", "error", "no_key")]
        else:
            tests, other = reports.tap(data, complete=False)
            assert tests == [] and len(other) == 1 and "--key-env" in other[0]
            assert b"1..2" in data and subprocess.run(
                ["prove", "-e", "cat", "/dev/stdin"], input=data, capture_output=True).returncode
    for names in (["--manifest", work / "none.json"], ["--files-from", work / "none"]):
        result = program.run("verify", "--report", form, "--report-file", place, *names)
        assert result.exit == 9, result
        if names[0] == "--files-from":
            continue  # There is no run without names.
        data = place.read_bytes()
        if form == "junit":
            assert [case[:3] for case in reports.junit(data)] == [("verify", "error", "io")]
        else:
            assert reports.tap(data, complete=False)[1][0].startswith("bail: ")


@FORMS
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_middle(work, keys, outside, form, number):
    count, place = 40, outside / "report"
    first = peers.create_sealed(work / "0.db", "some passphrase", [], samples.fill)
    for index in range(1, count):
        os.link(first, work / f"{index}.db")
    names = [f"{index}.db" for index in range(count)]
    key = keys.file("some passphrase")
    started = program.start("verify", "--jobs", "1", "--report", form, "--report-file", place,
                            "--key-file", key, *names, cwd=work)
    assert started.stdout.readline().startswith(b"0.db: ok")
    started.send_signal(number)
    out, err = started.communicate(timeout=60)
    assert started.returncode == -number and b"interrupted" in err
    data = place.read_bytes()
    if form == "junit":
        cases = reports.junit(data)
        kinds = [case[1] for case in cases]
        passed = kinds.count("passed")
        assert [case[0] for case in cases] == names and 0 < passed < count
        assert kinds == ["passed"] * passed + ["error"] * (count - passed)
        assert {case[2] for case in cases[passed:]} == {"interrupted"}
    else:
        tests, other = reports.tap(data, complete=False)
        assert 0 < len(tests) < count and all(test[2] for test in tests)
        assert other[0].startswith("bail: interrupted") and b"1..40\n" in data
