# Plan: the files for services that cannot be tried here: the GitHub workflow and the Homebrew formula.
# What can be known of them is: they parse, they run what is there, and say that they are untried.
# - YAML parses, every job needs jobs that exist, every shell step is valid shell;
# - every make target and script that a step runs is there; the version test of a tag is true;
# - the formula's own test is true with this binary; its dependencies are those of Scripts/deps;
# - neither names a host of a package registry.
import json
import re
import subprocess

from support import program
from support.packages import make
from support.program import ROOT

WORKFLOW = ROOT / ".github/workflows/ci.yml"
FORMULA = ROOT / "packaging/homebrew/dbseal.rb"


def workflow():
    """The workflow, as PyYAML of the system reads it; `on` is a truth value to YAML 1.1."""
    script = ("import json, sys, yaml\n"
              "found = yaml.safe_load(open(sys.argv[1]))\n"
              "found['on'] = found.pop(True)\n"
              "print(json.dumps(found))\n")
    done = subprocess.run(["/usr/bin/python3", "-c", script, WORKFLOW], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def steps():
    return [step for job in workflow()["jobs"].values() for step in job["steps"]]


def scripts():
    """What steps run, with GitHub's own expressions as a word."""
    return [re.sub(r"\$\{\{.*?\}\}", "built", step["run"]) for step in steps() if "run" in step]


def test_the_workflow_hangs_together():
    found = workflow()
    assert set(found["on"]) == {"push", "pull_request"}
    assert found["permissions"] == {"contents": "read"}
    jobs = found["jobs"]
    for name, job in jobs.items():
        needs = job.get("needs", [])
        assert ({needs} if isinstance(needs, str) else set(needs)) <= set(jobs), name
        assert job["runs-on"] and job["steps"]
    # Only what publishes may write.
    assert [name for name, job in jobs.items() if "permissions" in job] == ["release"]
    for step in steps():
        assert ("run" in step) != ("uses" in step), step
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/x@v1"))


def test_steps_are_shell_that_runs_what_is_there():
    targets = set(re.findall(r"^([\w ]+?):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))
    targets = {each for line in targets for each in line.split()}
    called = set()
    for script in scripts():
        subprocess.run(["bash", "-n", "-c", script], check=True)
        for line in re.findall(r"^(?:.*\$\()?make (?:-s )?([a-z ]+)", script, re.MULTILINE):
            called |= set(line.split())
    assert {"test", "lint", "dist", "deb", "version"} <= called <= targets, called


def test_a_tag_has_the_version_of_the_binary():
    version = program.version_text().split()[1]
    assert make("-s", "version").stdout.split()[-1] == version
    check = next(script for script in scripts() if "GITHUB_REF_NAME" in script and "test" in script)
    for tag, status in ((f"v{version}", 0), ("v0.0", 1)):
        done = subprocess.run(["bash", "-c", check.replace("make -s", f"make -s -C '{ROOT}'")],
                              env={"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": tag})
        assert (done.returncode != 0) == status


def test_the_formulas_test_is_true(work):
    text = FORMULA.read_text()
    commands = re.findall(r'^    system (.*)$', text.partition("test do")[2], re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        words = re.findall(r'"(.*?)"', command.replace('bin/"dbseal"', f'"{program.BIN}"'))
        done = subprocess.run(words, cwd=work, capture_output=True, text=True)
        assert done.returncode == 0, done


def test_the_formula_installs_and_needs_what_there_is():
    text = FORMULA.read_text()
    needed = set(re.findall(r'depends_on "([\w@]+)"', text))
    wanted = re.search(r"brew install (.*?) >>", (ROOT / "Scripts/deps").read_text()).group(1)
    assert {name.replace("pkgconf", "pkg-config") for name in needed} == set(wanted.split())
    assert '"make", "install", "DBSEAL_BIN=' in text
    assert len(re.findall(r"^\s*(?:class|def|test do)", text, re.MULTILINE)) == len(
        re.findall(r"^\s*end$", text, re.MULTILINE))


def test_both_say_that_they_are_untried():
    for path in (WORKFLOW, FORMULA):
        assert "not been tried" in path.read_text().replace("\n# ", " ")


def test_no_registry_is_named():
    for path in [WORKFLOW, FORMULA, *(ROOT / "packaging").rglob("*"), ROOT / "Scripts/package"]:
        if path.is_file():
            assert re.findall(r"https?://(?!www\.debian\.org/doc/)\S+", path.read_text()) == [], path
