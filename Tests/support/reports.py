# Judges of test reports: junitparser for JUnit XML, perl's TAP::Parser for TAP, PyYAML for the blocks
# between its lines. What they make of a report is what a CI server makes of it.
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree

try:
    import junitparser
    import yaml
except ImportError as error:
    junitparser = yaml = None
    _import_error = error

# What junit-10.xsd of Jenkins' xUnit plugin allows, as far as a report of ours goes.
ALLOWED = {
    "testsuites": {"name", "time", "tests", "failures", "errors", "disabled"},
    "testsuite": {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp",
                  "hostname", "id", "package", "file", "log", "url", "version"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"}, "error": {"type", "message"}, "system-out": set(),
}

PERL = r"""
use strict; use TAP::Parser; use JSON::PP;
local $/; my $text = <STDIN>;
my $parser = TAP::Parser->new({tap => $text});
my (@tests, @other);
while (my $result = $parser->next) {
  if ($result->is_test) {
    push @tests, {number => $result->number, description => $result->description,
      ok => $result->is_ok ? 1 : 0, directive => $result->directive};
  } elsif ($result->is_bailout) { push @other, "bail: " . $result->explanation; }
  elsif ($result->is_unknown) { push @other, "unknown: " . $result->raw; }
}
print JSON::PP->new->latin1->encode({tests => \@tests, other => \@other, plan => $parser->plan,
  errors => [$parser->parse_errors], version => $parser->version});
"""


def missing():
    """What is not there, as sentences."""
    found = [] if yaml else [f"run make peers: {_import_error}"]
    return found + [f"no {name}: run make peers" for name in ("perl", "prove", "curl", "git")
                    if not shutil.which(name)]


def junit(data):
    """The tests of a report as (name, outcome, type, message, text, output)."""
    root = tree.fromstring(data)
    for element in root.iter():
        assert set(element.attrib) <= ALLOWED[element.tag], element.attrib
    found = junitparser.JUnitXml.fromstring(data)
    suite, = found
    cases = []
    for case in suite:
        assert case.classname == "dbseal.verify" and case.time >= 0
        result = case.result[0] if case.result else None
        kind = type(result).__name__.lower() if result is not None else "passed"
        cases.append((case.name, kind, getattr(result, "type", None),
                      getattr(result, "message", None), getattr(result, "text", None),
                      case.system_out))
    kinds = [case[1] for case in cases]
    for counts in (found, suite):
        assert (counts.tests, counts.failures, counts.errors) == (
            len(cases), kinds.count("failure"), kinds.count("error"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.timestamp) and suite.hostname
    assert len({case[0] for case in cases}) == len(cases), "two tests have one name"
    return cases


def tap(data, complete=True):
    """The tests of a report as (number, name, passed, block), and what else perl met."""
    done = subprocess.run(["perl", "-e", PERL], input=data, capture_output=True, check=True)
    found = json.loads(done.stdout.decode("utf-8"))
    assert found["version"] == 13 and not any(o.startswith("unknown") for o in found["other"])
    if complete:
        assert found["errors"] == [] and found["plan"] == f"1..{len(found['tests'])}", found
    text = data.decode()
    blocks = {int(number): yaml.safe_load(block) for number, block in re.findall(
        r"^not ok (\d+) [^\n]*\n  ---\n(.*?)^  \.\.\.$", text, re.S | re.M)}
    tests = []
    for test in found["tests"]:
        assert test["directive"] == "", test
        assert test["ok"] == (test["number"] not in blocks), test
        tests.append((test["number"], test["description"][2:], bool(test["ok"]),
                      blocks.get(test["number"])))
    return tests, found["other"]


def read(form, data):
    """Names and outcomes, whichever the form: `passed`, `failure`, `error`."""
    if form == "junit":
        return [(case[0], case[1]) for case in junit(data)]
    names = {"fail": "failure", "error": "error"}
    return [(name, "passed" if ok else names[block["severity"]])
            for _, name, ok, block in tap(data)[0]]
