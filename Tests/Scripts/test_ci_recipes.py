# Plan: the recipes of Docs/recipes/ci.md work as they stand there. Their YAML is read by a YAML parser,
# and what a server would run is run in a clone of a repository of fixtures, with the shell and the
# variables that the server documents; what it would do itself (fetch actions, keep files) is looked at.
# - over fixtures as they should be, every step passes; over broken ones the job fails, and the report
#   and what is shown name the fixture;
# - the manifest, the key in the repository, the key from a secret: as the page says.
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from support import peers, program, reports, samples
from support.files import change

PAGE = (program.ROOT / "Docs/recipes/ci.md").read_text()
RECIPES = {name: yaml.safe_load(text) for name, text in
           re.findall(r"^`([^`]+)`:\n\n```yaml\n(.*?)^```$", PAGE, re.S | re.M)}
KEY = "fixture passphrase"
GITHUB, GITLAB, HOOKS = (".github/workflows/fixtures.yml", ".gitlab-ci.yml",
                         ".pre-commit-config.yaml")
# What actions do is GitHub's; a new one here is to be looked at.
ACTIONS = {"actions/checkout@v4", "actions/upload-artifact@v4"}


def section(title):
    """The commands of a section of the page."""
    text = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [line.strip() for line in re.findall(r"^    (\S.*)$", text, re.M)
            if line.split()[0] in ("dbseal", "prove", "chmod", "git")]


def shell(lines, cwd, env, flags=("-eo", "pipefail")):
    """Runs a script as servers do; with dbseal in PATH where `env` has no PATH of its own."""
    done = subprocess.run(["bash", "--noprofile", "--norc", *flags, "-c", lines], cwd=cwd, env=env,
                          capture_output=True)
    program.no_secret(done.stdout, done.stderr)
    return done


def surroundings(**more):
    path = f"{program.BIN.parent}:{os.environ['PATH']}"
    return program.clean_env({"PATH": path, **{name: str(value) for name, value in more.items()}})


def git(*args, cwd):
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.hooksPath=",
         *args], cwd=cwd, capture_output=True, check=True, env=surroundings(HOME=cwd))
    return done.stdout.decode()


@pytest.fixture
def repository(work):
    """A repository with fixtures, their manifest made by the page's own lines."""
    root = work / "project"
    (root / "fixtures").mkdir(parents=True)
    git("init", "-q", "-b", "main", ".", cwd=root)
    script = samples.SAMPLE + "CREATE TABLE users(a); INSERT INTO users VALUES(1), (2), (3);"
    peers.create_sealed(root / "fixtures/app.db", KEY, [], lambda c: c.executescript(script))
    peers.create_sealed(root / "fixtures/old.db", KEY, [("cipher_compatibility", 3)], samples.fill)
    samples.plain(root / "fixtures/plain.db")
    (root / "fixtures/fixture.key").write_text(KEY + "\n")
    lines = section("The fixtures")
    assert [line.split()[0] for line in lines] == ["chmod", "dbseal", "dbseal", "dbseal"]
    done = shell("\n".join(lines[:3]), root, surroundings())
    assert done.returncode == 0 and b"3 of 3 databases passed" in done.stdout, done
    return root


def edit(root, change):
    """Changes every entry of the manifest by hand."""
    path = root / "fixtures/fixtures.json"
    found = json.loads(path.read_text())
    for entry in found["databases"]:
        change(entry)
    path.write_text(json.dumps(found, indent=2))


def by_secret(entry):
    if entry.pop("key_file", None):
        entry["key_env"] = "FIXTURE_KEY"


def clone(root):
    """What a server checks out."""
    git("add", ".", cwd=root)
    git("commit", "-qm", "fixtures", cwd=root)
    place = root.parent / "checkout"
    umask = os.umask(0o022)
    git("clone", "-q", root, place, cwd=root.parent)
    os.umask(umask)
    return place


@pytest.fixture
def tarball(tmp_path):
    """The program, as `make dist` packs it, at an address, with its checksum."""
    place = tmp_path / "dist/dbseal.tar.gz"
    place.parent.mkdir()
    # Where it is in there, Scripts/package alone says: it packs a stand-in, with the same name.
    (tmp_path / "stand-in").write_text(f'#!/bin/sh\nexec {shlex.quote(str(program.BIN))} "$@"\n')
    (tmp_path / "stand-in").chmod(0o755)
    (tmp_path / "bin").mkdir()
    # A script has nothing to strip.
    (tmp_path / "bin/strip").write_text("#!/bin/sh\n")
    (tmp_path / "bin/strip").chmod(0o755)
    subprocess.run([program.ROOT / "Scripts/package", "dist"], check=True, capture_output=True, env={
        "BINARY": str(tmp_path / "stand-in"), "VERSION": "1", "DIST": str(place.parent),
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    made, = place.parent.glob("*.tar.gz")
    made.rename(place)
    digest = subprocess.run(["sha256sum", place], capture_output=True, check=True).stdout.split()[0]
    return {"DBSEAL_URL": f"file://{place}", "DBSEAL_SHA256": digest.decode()}


def damage(checkout):
    change(checkout / "fixtures/app.db", 4096 * 2 + 100, b"damage")


def test_the_page_has_its_recipes():
    assert list(RECIPES) == [GITHUB, GITLAB, HOOKS]


def test_a_key_in_the_repository(repository):
    checkout = clone(repository)
    line = section("The fixtures")[2]
    done = shell(line, checkout, surroundings())
    assert done.returncode == 1 and b"others" in done.stderr, done
    field, = re.findall(r'`"key_file": "fixture.key", ("allow_open_key_file": true)`', PAGE)
    edit(checkout, lambda entry: "key_file" in entry and entry.update(json.loads("{" + field + "}")))
    assert shell(line, checkout, surroundings()).returncode == 0


def github(checkout, tarball, secrets, tmp_path):
    """Runs the steps of the workflow; whether the job passed, and what the summary shows."""
    recipe = RECIPES[GITHUB]
    assert recipe["permissions"] == {"contents": "read"} and recipe[True] == ["push", "pull_request"]
    assert recipe["defaults"]["run"]["shell"] == "bash"
    files = {name: tmp_path / name.lower() for name in ("GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("")
    (tmp_path / "temp").mkdir(exist_ok=True)
    values = {**{f"vars.{n}": v for n, v in tarball.items()},
              **{f"secrets.{n}": v for n, v in secrets.items()}}
    passed, ran, failed, done_steps = True, [], set(), []
    job, = recipe["jobs"].values()
    for step in job["steps"]:
        condition = step.get("if", "success()")
        wanted = {
            "success()": passed, "always()": True,
            "failure() && steps.check.conclusion == 'failure'": not passed and "check" in failed,
        }[condition]
        if "uses" in step:
            assert step["uses"] in ACTIONS
            if "upload" in step["uses"] and "check" in [s.get("id") for s in done_steps]:
                assert wanted and (checkout / step["with"]["path"]).exists()
            continue
        if not wanted:
            continue
        env = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: values.get(m[1], ""), text)
               for name, text in step.get("env", {}).items()}
        path = ":".join([*files["GITHUB_PATH"].read_text().split(), os.environ["PATH"]])
        done = shell(step["run"], checkout, program.clean_env(
            {**{n: str(f) for n, f in files.items()}, **env, "PATH": path,
             "RUNNER_TEMP": str(tmp_path / "temp")}))
        passed = passed and done.returncode == 0
        ran.append((step["name"], done.returncode))
        done_steps.append(step)
        if done.returncode != 0:
            failed.add(step.get("id"))
    return passed, ran, files["GITHUB_STEP_SUMMARY"].read_text()


def test_github_actions(repository, tarball, tmp_path):
    edit(repository, by_secret)
    checkout, report = clone(repository), "fixtures.xml"
    secrets = {"FIXTURE_KEY": KEY}
    passed, ran, summary = github(checkout, tarball, secrets, tmp_path)
    assert passed and ran == [("Install dbseal", 0), ("Check the fixtures", 0)] and summary == ""
    assert reports.read("junit", (checkout / report).read_bytes()) == [
        ("fixtures/app.db", "passed"), ("fixtures/old.db", "passed"), ("fixtures/plain.db", "passed")]
    damage(checkout)
    passed, ran, summary = github(checkout, tarball, secrets, tmp_path)
    assert not passed and ran[1:] == [("Check the fixtures", 1), ("Show what failed", 0)]
    assert "fixtures/app.db: damaged\n" in summary and summary.startswith("```\n")
    assert reports.read("junit", (checkout / report).read_bytes()) == [
        ("fixtures/app.db", "failure"), ("fixtures/old.db", "passed"), ("fixtures/plain.db", "passed")]
    # A run for a fork gets no secrets.
    passed, ran, summary = github(checkout, tarball, {}, tmp_path)
    assert not passed
    assert [case[:3] for case in reports.junit((checkout / report).read_bytes())][:2] == [
        ("fixtures/app.db", "error", "no_key"), ("fixtures/old.db", "error", "no_key")]
    for name in ("app", "old"):
        assert f"fixtures/{name}.db: key_env on line " in summary.rsplit("```\n", 2)[1], summary
    # What has no verdict is shown too.
    passed, ran, summary = github(checkout, tarball, {"FIXTURE_KEY": "another"}, tmp_path)
    assert not passed and [name for name, _ in ran][-1] == "Show what failed"
    shown = summary.rsplit("```\n", 2)[1]
    assert "fixtures/old.db: wrong key" in shown and "1 of 3 databases passed" in shown, summary
    # Another program than the one whose checksum is known is not run.
    wrong = {**tarball, "DBSEAL_SHA256": "0" * 64}
    shutil.rmtree(tmp_path / "temp")
    passed, ran, summary = github(checkout, wrong, secrets, tmp_path)
    assert not passed and ran == [("Install dbseal", 1)] and summary == ""
    assert not (tmp_path / "temp/dbseal").exists()


def test_gitlab(repository, tarball):
    edit(repository, by_secret)
    checkout = clone(repository)
    job, = RECIPES[GITLAB].values()
    script = "\n".join(job["before_script"] + job["script"])
    report = job["artifacts"]["reports"]["junit"]
    assert job["artifacts"]["when"] == "always" and report.endswith(".xml")
    env = program.clean_env({**tarball, "FIXTURE_KEY": KEY})
    for breaks, status in ((False, 0), (True, 1)):
        if breaks:
            damage(checkout)
        done = shell(script, checkout, env)
        assert done.returncode == status, done
        outcome = "failure" if breaks else "passed"
        assert reports.read("junit", (checkout / report).read_bytes()) == [
            ("fixtures/app.db", outcome), ("fixtures/old.db", "passed"), ("fixtures/plain.db", "passed")]
    # A variable of type file, as the runner leaves it.
    words, = re.findall(r"`(--key-file \"\$FIXTURE_KEY_FILE\" [^`]+)`", PAGE)
    file = checkout.parent / "variable"
    file.write_text(KEY)
    file.chmod(0o666)
    env = surroundings(FIXTURE_KEY_FILE=file)
    assert shell(f"dbseal verify {words} fixtures/old.db", checkout, env).returncode == 0


def test_pre_commit(repository, keys):
    """As pre-commit runs a local hook: its entry split into words, then the names, in the root."""
    checkout = clone(repository)
    edit(checkout, lambda entry: "key_file" in entry and entry.update(
        allow_open_key_file=True))
    repo, = RECIPES[HOOKS]["repos"]
    manifest, encrypted = repo["hooks"]
    assert repo["repo"] == "local" and {h["language"] for h in repo["hooks"]} == {"system"}

    def hook(which, *names):
        assert all(re.search(which["files"], name) for name in names)
        given = names if which.get("pass_filenames", True) else ()
        return subprocess.run([*shlex.split(which["entry"]), *given], cwd=checkout,
                              capture_output=True, env=surroundings())

    assert hook(manifest, "fixtures/app.db").returncode == 0
    damage(checkout)
    done = hook(manifest, "fixtures/app.db")
    assert done.returncode == 1 and b"fixtures/app.db: damaged" in done.stdout

    assert not re.search(encrypted["files"], "fixtures/plain.db")
    shutil.copy(keys.file(KEY), checkout / "app.key")
    (checkout / "app").mkdir()
    peers.create_sealed(checkout / "app/seed.db", KEY, [], samples.fill)
    samples.plain(checkout / "app/-plain.db")
    assert hook(encrypted, "app/seed.db").returncode == 0
    done = hook(encrypted, "app/seed.db", "app/-plain.db")
    assert done.returncode == 1 and b"it is not encrypted" in done.stdout, done
    assert b"leave" not in done.stderr, "the guard stays"


def test_fixtures_that_change(repository):
    peers.change(repository / "fixtures/plain.db", "CREATE TABLE added(a)")
    *_, check, refresh = section("The fixtures")
    assert shell(check, repository, surroundings()).returncode == 1
    done = shell(refresh, repository, surroundings())
    assert done.returncode == 0 and b"1 of 3 entries changed" in done.stderr, done
    done = shell(check, repository, surroundings())
    assert done.returncode == 0 and b"3 of 3 databases passed" in done.stdout, done


def test_jenkins_and_tap(repository):
    line, = re.findall(r"`sh '([^']+)'`", PAGE)
    assert shell(line, repository, surroundings()).returncode == 0
    assert (repository / "fixtures.xml").exists()
    line, = section("Jenkins, and whatever reads TAP")
    done = shell(line, repository, surroundings())
    assert done.returncode == 0 and b"Result: PASS" in done.stdout, done
    damage(repository)
    done = shell(line, repository, surroundings())
    assert done.returncode != 0 and b"Failed 1/1 subtests" in done.stdout + done.stderr, done


def test_without_a_manifest(repository):
    git("add", ".", cwd=repository)
    line, = section("Without a manifest")
    done = shell(line, repository, surroundings())
    assert done.returncode == 0 and b"2 of 2 met" in done.stdout, done
    line, = re.findall(r"`(git ls-files [^`]+)`", PAGE)
    done = shell(line, repository, surroundings(DBSEAL_KEY=KEY))
    assert done.returncode == 0 and b"3 of 3 databases passed" in done.stdout, done
