# Plan: the recipes of Docs/recipes/fleet.md and fleet-rekey.yml work as they stand there, against hosts
# behind OpenSSH of which one is down.
# - keys are in no argument and no environment of any process, at any time, and in no file afterwards:
#   not on the hosts, not among the results, not in memory;
# - every host that answers has all of its databases done, as SQLCipher 4.19 sees them; the host that is
#   down is named, and fails the whole; what a host could not do is told by database;
# - the same command line again does what is left and passes over the rest; two at once are told apart;
# - an answer that was cut off is no answer; the last host counts without a line feed behind it, blank
#   lines and comments are no hosts, and a list without a host is an error;
# - keys that are not there are told before any host is asked, and the keys of the next change are not
#   taken for those of a journal that was left behind;
# - the page's own output is what comes out.
import json
import os
import re
import subprocess
import time

import pytest
import yaml

from support import peers, program, samples
from support.fleet import Fleet, Watch

RECIPES = program.ROOT / "Docs/recipes"
PAGE = (RECIPES / "fleet.md").read_text()
SCRIPTS = dict(re.findall(r"^`([^`]+)`:\n\n```sh\n(.*?)^```$", PAGE, re.S | re.M))
OLD, NEW = "the old fleet passphrase", "the new fleet passphrase"
COUNT = 3


class Scene:
    """Hosts with databases, and the place from which they are ruled."""

    def __init__(self, folder):
        self.fleet = Fleet(folder / "fleet")
        self.here = folder / "here"
        self.here.mkdir()
        for name, text in SCRIPTS.items():
            (self.here / name).write_text(text)
        hosts = self.fleet.names + self.fleet.down
        (self.here / "hosts.txt").write_text("".join(f"{name}\n" for name in hosts))
        keys = self.here / "keys"
        keys.mkdir(mode=0o700)
        for path, key in ((keys / "old", OLD), (keys / "new", NEW), (self.here / "app.key", OLD)):
            program.remember(key)
            path.write_text(key + "\n")
            path.chmod(0o600)
        for name in self.fleet.names:
            home = self.fleet.home(name)
            (home / "data").mkdir()
            for number in range(COUNT):
                self.seal(home / f"data/{number}.db")
            (home / "databases.list").write_text(
                "".join(f"data/{number}.db\n" for number in range(COUNT)))

    @staticmethod
    def seal(path, key=OLD):
        path.unlink(missing_ok=True)
        return peers.create_sealed(path, key, [], samples.fill)

    def run(self, line, **more):
        return self.fleet.run(line.split(), self.here, **more)

    def opens(self, name, number, key):
        try:
            connection = peers.sealed(self.fleet.home(name) / f"data/{number}.db", key)
            connection.execute("SELECT count(*) FROM people").fetchone()
            connection.close()
            return True
        except peers.sqlcipher3.DatabaseError:
            return False

    def keys_of(self, name):
        """Which key opens each database of a host."""
        return [next(word for word, key in (("old", OLD), ("new", NEW), (None, None))
                     if key is None or self.opens(name, number, key)) for number in range(COUNT)]

    def no_key_is_left(self):
        """In no file of a host or among the results, and not in memory."""
        for root in (self.fleet.folder, *(path for path in self.here.iterdir() if path.is_dir())):
            for path in root.rglob("*"):
                if path.is_file() and path.parent != self.here / "keys":
                    data = path.read_bytes()
                    assert OLD.encode() not in data and NEW.encode() not in data, path
        assert [n for n in os.listdir("/dev/shm") if n.startswith("dbseal.")] == []

    def answers(self, folder):
        lines = (self.here / folder / "all.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def scene(tmp_path):
    program.forget_all()
    scene = Scene(tmp_path)
    yield scene
    scene.fleet.close()


def commands(*programs):
    """The command lines of the page that begin with one of these."""
    lines = re.findall(r"^    (?:\$ )?(\S.*)$", PAGE, re.M)
    return [line for line in lines if line.split()[0] in programs]


def test_the_page_has_what_is_tried():
    assert set(SCRIPTS) == {"fleet-verify", "fleet-rekey", "fleet-check"}
    assert commands("sh") == [
        "sh fleet-verify hosts.txt app.key checked", "sh fleet-check hosts.txt checked",
        "sh fleet-rekey hosts.txt keys rekeyed", "sh fleet-check hosts.txt rekeyed",
        "sh fleet-check hosts.txt rekeyed"]
    assert len(commands("ansible-playbook")) == len(commands("jq")) == 1
    for script in SCRIPTS.values():
        subprocess.run(["sh", "-n"], input=script.encode(), check=True)


def test_the_watch_sees():
    secret = "a secret that is said aloud"
    for words, env in ((["sh", "-c", "read x", secret], {}), (["cat"], {"K": secret})):
        with Watch(secret) as watch:
            held = subprocess.Popen(words, stdin=subprocess.PIPE, env={**os.environ, **env})
            while not watch.found:
                time.sleep(0.01)
            held.communicate()


def test_check_all_hosts(scene):
    verify, check = commands("sh")[:2]
    with Watch(OLD) as watch:
        done = scene.run(verify)
    assert watch.found == [] and {"dbseal", "parallel"} <= watch.seen, done
    # One host failed, the one that is down.
    assert done.returncode == 1, done
    result = scene.run(check)
    lines = result.stdout.decode().splitlines()
    assert result.returncode == 1 and lines[:2] == ["web1: 3 of 3 done", "web2: 3 of 3 done"]
    assert len(lines) == 3 and lines[2].startswith("web3: no answer: ssh: connect to host")
    found = scene.answers("checked")
    assert sorted((a["host"], a["database"], a["code"]) for a in found) == [
        (f"web{host}", f"data/{number}.db", "ok") for host in (1, 2) for number in range(COUNT)]
    scene.no_key_is_left()
    # Without the host that is down all is well.
    (scene.here / "hosts.txt").write_text("web1\nweb2\n")
    assert scene.run(verify).returncode == 0 and scene.run(check).returncode == 0


def test_what_a_host_could_not_check(scene):
    path = scene.fleet.home("web2") / "data/1.db"
    data = bytearray(path.read_bytes())
    data[4096 + 100] ^= 1
    path.write_bytes(data)
    (scene.fleet.home("web1") / "data/2.db").unlink()
    scene.run(commands("sh")[0])
    result = scene.run(commands("sh")[1])
    assert result.returncode == 1
    assert result.stdout.decode().splitlines()[:2] == [
        'web1: 2 of 3 done, 1 failed: {"io":1}', 'web2: 2 of 3 done, 1 failed: {"damaged":1}']
    line, = commands("jq")
    failed = scene.fleet.run(["sh", "-c", line.replace("rekeyed", "checked")], scene.here)
    assert [row.split("\t")[:3] for row in failed.stdout.decode().splitlines()] == [
        ["web1", "data/2.db", "io"], ["web2", "data/1.db", "damaged"]]


def test_another_key_for_all_hosts(scene):
    rekey, check = commands("sh")[2:4]
    with Watch(OLD, NEW) as watch:
        done = scene.run(rekey)
    assert watch.found == [] and "dbseal" in watch.seen and done.returncode == 1, done
    result = scene.run(check)
    shown = re.search(r"    \$ sh fleet-check hosts.txt rekeyed\n((?:    .*\n)+)", PAGE)[1]
    lines = result.stdout.decode().splitlines()
    assert lines[:2] == ["web1: 3 of 3 done", "web2: 3 of 3 done"] and result.returncode == 1
    # As the page shows it, but for numbers, addresses and the failure.
    assert [re.sub(r"\d+ of \d+", "N of N", line.strip())[:17] for line in shown.splitlines()] == [
        re.sub(r"\d+ of \d+", "N of N", line)[:17] for line in lines]
    for name in scene.fleet.names:
        assert scene.keys_of(name) == ["new"] * COUNT
    scene.no_key_is_left()


def test_again_after_a_part(scene):
    rekey, check = commands("sh")[2:4]
    # A database of web2 has a key of its own, and web3 is repaired in the meantime.
    scene.seal(scene.fleet.home("web2") / "data/1.db", "another key of its own")
    scene.run(rekey)
    lines = scene.run(check).stdout.decode().splitlines()
    assert lines[:2] == ["web1: 3 of 3 done", 'web2: 2 of 3 done, 1 failed: {"wrong_key":1}']
    before = [(scene.fleet.home("web1") / f"data/{n}.db").read_bytes() for n in range(COUNT)]
    scene.seal(scene.fleet.home("web2") / "data/1.db")
    (scene.here / "hosts.txt").write_text("web1\nweb2\n")
    assert scene.run(rekey).returncode == 0
    assert scene.run(check).returncode == 0
    assert before == [(scene.fleet.home("web1") / f"data/{n}.db").read_bytes() for n in range(COUNT)]
    found = [(a["host"], a["database"]) for a in scene.answers("rekeyed") if not a.get("skipped")]
    assert found == [("web2", "data/1.db")]
    assert scene.keys_of("web2") == ["new"] * COUNT


def test_two_at_once_and_answers_that_are_cut(scene):
    (scene.here / "hosts.txt").write_text("web1\n")
    journal = scene.fleet.home("web1") / "rekey.journal"
    held = subprocess.Popen(["flock", journal, "cat"], stdin=subprocess.PIPE)
    try:
        while subprocess.run(["flock", "-n", journal, "true"]).returncode == 0:
            time.sleep(0.01)
        assert scene.run(commands("sh")[2]).returncode == 1
    finally:
        held.communicate()
    check = commands("sh")[3]
    result = scene.run(check)
    assert result.returncode == 1 and b"web1: no answer: " in result.stdout
    assert b"another run is at work" in result.stdout
    assert scene.keys_of("web1") == ["old"] * COUNT
    assert scene.run(commands("sh")[2]).returncode == 0
    assert scene.run(check).returncode == 0
    answer = scene.here / "rekeyed/web1.jsonl"
    whole = answer.read_bytes()
    for cut in (len(whole) - 5, whole.rindex(b"\n", 0, -1) + 1, 0):
        answer.write_bytes(whole[:cut])
        result = scene.run(check)
        assert result.returncode == 1 and b"web1: no answer" in result.stdout


def test_what_a_list_of_hosts_may_hold(scene):
    hosts = scene.here / "hosts.txt"
    hosts.write_text("# the first rack\n\nweb1\n  # not yet: web2\n \t\n\nweb3")
    result = scene.run(commands("sh")[0])
    assert result.returncode == 1
    log = (scene.here / "checked/joblog").read_text().splitlines()
    assert len(log) == 3
    result = scene.run(commands("sh")[1])
    lines = result.stdout.decode().splitlines()
    assert result.returncode == 1 and len(lines) == 2, result
    assert lines[0] == "web1: 3 of 3 done" and lines[1].startswith("web3: no answer: ssh: connect")
    hosts.write_text("web1")
    assert scene.run(commands("sh")[0]).returncode == 0
    assert scene.run(commands("sh")[1]).stdout == b"web1: 3 of 3 done\n"
    hosts.write_text("# none\n\n")
    for line in commands("sh")[:4]:
        assert scene.run(line).returncode != 0, line


def test_keys_that_are_not_there(scene):
    (scene.here / "hosts.txt").write_text("web1\n")
    for name, line in (("app.key", commands("sh")[0]), ("keys/new", commands("sh")[2]),
                       ("keys/old", commands("sh")[2])):
        (scene.here / name).unlink()
        result = scene.run(line)
        assert result.returncode == 2 and f"cannot read {name}" in result.stderr.decode(), result
    assert not (scene.here / "rekeyed").exists() and scene.keys_of("web1") == ["old"] * COUNT


def test_a_journal_that_was_left_behind(scene):
    rekey, check = commands("sh")[2:4]
    (scene.here / "hosts.txt").write_text("web1\n")
    assert scene.run(rekey).returncode == 0 and scene.run(check).returncode == 0
    (scene.here / "keys/old").write_text(NEW + "\n")
    (scene.here / "keys/new").write_text("the newest passphrase\n")
    assert scene.run(rekey).returncode == 1
    result = scene.run(check)
    assert result.returncode == 1 and b"web1: no answer: " in result.stdout
    assert b"rekey.journal: the journal belongs to a run with another key" in result.stdout, result
    assert scene.keys_of("web1") == ["new"] * COUNT
    (scene.fleet.home("web1") / "rekey.journal").unlink()
    assert scene.run(rekey).returncode == 0 and scene.run(check).returncode == 0


PLAYBOOK = RECIPES / "fleet-rekey.yml"


def test_the_playbook_is_what_it_says():
    play, = yaml.safe_load(PLAYBOOK.read_text())
    assert play["vars"]["ansible_pipelining"] is True
    block, = [task for task in play["tasks"] if "block" in task]
    for task in block["block"]:
        if "lookup" in json.dumps(task):
            assert task["no_log"] is True
    assert block["always"][0]["ansible.builtin.file"]["state"] == "absent"


def test_another_key_by_ansible(scene):
    ssh_config = scene.fleet.folder / "ssh_config"
    hosts = "".join(f"{name}\n" for name in scene.fleet.names + scene.fleet.down)
    (scene.here / "inventory").write_text(f"""[databases]
{hosts}
[databases:vars]
ansible_ssh_common_args=-F {ssh_config}
ansible_python_interpreter=/usr/bin/python3
""")
    (scene.here / PLAYBOOK.name).write_text(PLAYBOOK.read_text())
    line, = commands("ansible-playbook")
    line = line.replace("/path/to/keys", str(scene.here / "keys"))

    def play():
        with Watch(OLD, NEW) as watch:
            done = scene.run(line, ANSIBLE_NOCOLOR=1, ANSIBLE_RETRY_FILES_ENABLED=0, LC_ALL="C.UTF-8")
        assert watch.found == []
        recap = dict(re.findall(r"^(web\d) +: (.*)$", done.stdout.decode(), re.M))
        return done, {name: dict(pair.split("=") for pair in text.split())
                      for name, text in recap.items()}, watch

    done, recap, watch = play()
    assert done.returncode != 0 and recap["web3"]["unreachable"] == "1", done.stdout.decode()
    assert "dbseal" in watch.seen
    for name in scene.fleet.names:
        assert (recap[name]["failed"], recap[name]["changed"]) == ("0", "2"), done.stdout.decode()
        assert scene.keys_of(name) == ["new"] * COUNT
    scene.no_key_is_left()
    # Again nothing changes; what a host could not do fails it.
    scene.seal(scene.fleet.home("web2") / "data/1.db", "another key of its own")
    (scene.here / "inventory").write_text(
        (scene.here / "inventory").read_text().replace("web3\n", ""))
    done, recap, _ = play()
    assert recap["web1"]["failed"] == "0" and recap["web2"]["failed"] == "1", done.stdout.decode()
    assert recap["web1"]["changed"] == "1" and b"wrong_key" in done.stdout
    scene.no_key_is_left()
