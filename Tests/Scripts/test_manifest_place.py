# Plan: a refresh replaces the manifest that was read, where it is, and nothing else about it changes.
# - over links, of several steps, relative and absolute, the file that they lead to is replaced in its own
#   folder in one step, and every link stays; so where the link's folder is read-only;
# - mode, owner and group stay, whatever the umask says;
# - what a link leads to in /dev or /proc is refused, and so is one that dangles;
# - a failed write leaves link and file; a link that changes meanwhile is another writer;
# - what the command line expects is held against the database, and not against what is refreshed.
import json
import os
import pathlib
import shutil
import sqlite3
import tempfile

import pytest

from support import program, samples
from support.files import Snapshot, mode

BEFORE = {"file": "../free.db", "user_version": 5, "tables": {"log": None, "users": 5}}


@pytest.fixture
def place(work):
    """A folder with a manifest that is not true any more, of a database beside the folder."""
    samples.plain(work / "free.db", "CREATE TABLE users(a); INSERT INTO users VALUES(1), (2);"
                                    "PRAGMA user_version = 8; CREATE TABLE log(a);")
    (work / "real").mkdir()
    put(work / "real" / "m.json")
    return work / "real" / "m.json"


def put(path, **more):
    path.write_text(json.dumps({"dbseal_manifest": 1, "databases": [{**BEFORE, **more}]}))


def refresh(path, *options, **more):
    return program.run("verify", "--manifest", path, "--write-manifest", path, *options, **more)


def entry(path):
    found, = json.loads(path.read_text())["databases"]
    return found


def is_true(path, work):
    judge = sqlite3.connect(work / "free.db")
    users, = judge.execute("SELECT count(*) FROM users").fetchone()
    version, = judge.execute("PRAGMA user_version").fetchone()
    return entry(path) == {**BEFORE, "user_version": version, "tables": {"log": None, "users": users}}


@pytest.mark.parametrize("links", [
    ["real/m.json"], ["{work}/real/m.json"], ["first.json", "real/m.json"],
    ["{work}/links/../first.json", "./real/../real/m.json"]])
def test_a_link_stays_and_what_it_leads_to_is_replaced(work, place, links):
    (work / "links").mkdir()
    names = [work / "links" / "m.json", work / "first.json"]
    targets = [link.format(work=work) for link in links]
    if targets[0][0] != "/":
        targets[0] = "../" + targets[0]
    for name, target in zip(names, targets):
        name.symlink_to(target)
    inode = place.stat().st_ino
    before = Snapshot(work)
    result = refresh(names[0])
    assert result.exit == 0 and b"written: 1 of 1 entry changed" in result.err, result
    before.unchanged(ignore=["real/m.json"])
    assert [os.readlink(name) for name in names[:len(targets)]] == targets
    assert is_true(place, work) and place.stat().st_ino != inode
    assert os.listdir(place.parent) == ["m.json"]
    # And the next check, by either name, has nothing to say.
    for name in (names[0], place):
        assert program.run("verify", "--manifest", name).exit == 0


def test_a_link_is_one_file_with_what_it_leads_to(work, place):
    (work / "real" / "l.json").symlink_to("m.json")
    for read, write in (("l.json", "m.json"), ("m.json", "l.json")):
        put(place)
        result = program.run("verify", "--manifest", place.parent / read, "--write-manifest",
                             place.parent / write)
        assert result.exit == 0 and is_true(place, work), result
        assert os.readlink(place.parent / "l.json") == "m.json"


def test_mode_and_owner_stay(work, place):
    (work / "real" / "l.json").symlink_to("m.json")
    for name in ("m.json", "l.json"):
        for bits in (0o640, 0o600, 0o664, 0o444):
            put(place)
            os.chown(place, 65534, 65533)
            place.chmod(bits)
            umask = os.umask(0o027)
            result = refresh(place.parent / name)
            os.umask(umask)
            status = place.stat()
            assert result.exit == 0 and is_true(place, work), result
            assert (mode(place), status.st_uid, status.st_gid) == (bits, 65534, 65533)


def test_the_folder_of_the_link_need_not_be_written(work, place):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        own, link = pathlib.Path(folder) / "own", pathlib.Path(folder) / "l.json"
        shutil.copytree(place.parent, own)
        shutil.copy(work / "free.db", folder)
        link.symlink_to("own/m.json")
        for path in (own, own / "m.json"):
            os.chown(path, 65534, 65534)
        put(own / "m.json", file="free.db")
        result = refresh(link, user=65534)
        assert result.exit == 0 and entry(own / "m.json")["user_version"] == 8, result
        assert (own / "m.json").stat().st_uid == 65534 and os.readlink(link) == "own/m.json"


@pytest.mark.parametrize("target", ["/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "../dev-link"])
def test_what_leads_into_the_system_is_refused(work, place, target):
    (work / "dev-link").symlink_to("/dev/stdin")
    (place.parent / "l.json").symlink_to(target)
    before = Snapshot(work)
    with place.open("rb") as data:
        result = refresh(place.parent / "l.json", stdin=data)
    assert result.exit == 7, result
    before.unchanged()


def test_a_link_to_nothing(work, place):
    (place.parent / "l.json").symlink_to("gone.json")
    before = Snapshot(work)
    assert refresh(place.parent / "l.json").exit != 0
    before.unchanged()


def test_a_write_that_fails(work, place):
    (work / "l.json").symlink_to("real/m.json")
    put(place, file=str(work / "free.db"))
    before = Snapshot(work)
    result = refresh(work / "l.json", file_size=20)
    assert result.exit == 9 and b"from an earlier run" in result.err, result
    before.unchanged()


def test_a_link_that_leads_elsewhere_by_then(work, place):
    (work / "l.json").symlink_to("real/m.json")
    put(work / "other.json")
    put(place, file=str(work / "sealed.db"), key_command="sh -c 'ln -sf other.json l.json; echo words'")
    samples.plain(work / "sealed.db", "CREATE TABLE users(a); CREATE TABLE log(a);")
    program.ok("encrypt", "--in-place", work / "sealed.db", "--key-env", "K", env={"K": "words"})
    files = [place.read_text(), (work / "other.json").read_text()]
    result = refresh("l.json", cwd=work)
    assert result.exit == program.EXIT["locked"], result
    assert [place.read_text(), (work / "other.json").read_text()] == files
    assert os.readlink(work / "l.json") == "other.json"


@pytest.mark.parametrize("options", [
    ["--expect-table", "users=2"], ["--expect-table", "USERS=2"], ["--expect-table", "users"],
    ["--expect-user-version", "8"], ["--expect-table", "users=2", "--expect-user-version", "8"]])
def test_what_is_expected_and_so_is_no_contradiction(work, place, options):
    result = refresh(place, *options)
    assert result.exit == 0 and is_true(place, work), result


@pytest.mark.parametrize("options, words", [
    (["--expect-table", "users=9"], b"table users has 2 rows, not 9"),
    (["--expect-table", "USERS=5"], b"has 2 rows, not 5"),
    (["--expect-table", "users=5"], b"table users has 2 rows, not 5"),
    (["--expect-table", "gone"], b"there is no table gone"),
    (["--expect-user-version", "5"], b"user_version is 8, not 5")])
def test_what_is_expected_and_not_so_keeps_the_entry(work, place, options, words):
    before = Snapshot(work)
    result = refresh(place, *options)
    assert result.exit == 1 and words in result.out, result
    before.unchanged()
