# Plan: any name that a file can have works, and no message speaks of a temporary one.
# - names of up to 255 bytes, in ASCII and not, as source, as target, and in place;
# - a path longer than SQLite itself takes (512 bytes);
# - a name that is too long is refused before the work; so is a backup's;
# - entries of a folder that are not UTF-8 are left alone;
# - arguments that are not UTF-8, and backup suffixes that are no suffix, are usage errors, also in
#   JSON.
import os
import shutil

import pytest

from support import expectations, peers, program, samples
from support.files import Snapshot
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"


@pytest.mark.parametrize("name", ["n" * 251, "n" * 252, "n" * 255, "é" * 127, "x" + "日" * 84],
                         ids=["251", "252", "255", "two bytes each", "three bytes each"])
def test_long_names(work, keys, name):
    key = keys.raw()
    samples.plain(work / "short.db")
    shutil.copy(work / "short.db", work / name)
    program.ok("encrypt", work / name, work / "sealed.db", "--key-file", key)
    peers.sound(peers.sealed(work / "sealed.db", RAW))
    os.remove(work / name)
    program.ok("decrypt", work / "sealed.db", work / name, "--key-file", key)
    # Stock SQLite takes no name this long: it judges copies.
    peers.sound(peers.plain(shutil.copy(work / name, work / "back.db")))
    program.ok("encrypt", work / name, "--in-place", "--key-file", key)
    os.rename(work / name, work / "again.db")
    peers.sound(peers.sealed(work / "again.db", RAW))


@pytest.mark.parametrize("wal", [False, True], ids=["journal", "wal"])
@pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])
def test_a_path_longer_than_sqlite_takes(work, keys, wal, relative):
    folder = work / ("d" * 200) / ("e" * 200) / ("f" * 200)
    folder.mkdir(parents=True)
    samples.plain(work / "a.db", pragmas=["journal_mode=WAL"] if wal else [])
    os.rename(work / "a.db", folder / "a.db")
    key = keys.raw()
    place = "" if relative else f"{folder}/"
    for command in (["encrypt", f"{place}a.db", f"{place}sealed.db"],
                    ["decrypt", f"{place}sealed.db", f"{place}back.db"],
                    ["encrypt", "--in-place", f"{place}a.db"],
                    ["rekey", f"{place}a.db", "--new-key-file", keys.file("other words", "n")]):
        found = program.ok(*command, "--key-file", key, cwd=folder)
        is_opened = command[0] == "decrypt" or expectations.opens()
        assert (found["proof"]["opened_by"] is not None) == is_opened, found
    for name in ("sealed.db", "back.db"):
        os.rename(folder / name, work / name)
    peers.sound(peers.sealed(work / "sealed.db", RAW))
    peers.sound(peers.plain(work / "back.db"))


def test_a_name_that_is_too_long_is_refused_before_the_work(work, keys, source):
    target = work / ("n" * 256)
    found = refuse(work, "io", "encrypt", source, target, "--key-file", work / "no key")
    assert found["message"].startswith(str(target)), found
    refuse(work, "io", "encrypt", source, "--in-place", "--backup", "b" * 250, "--key-file",
           work / "no key")


@pytest.mark.parametrize("why", ["missing", "closed"])
def test_messages_name_the_target_or_its_folder(work, keys, source, why):
    folder = work / "closed"
    if why == "closed":
        folder.mkdir(mode=0o555)
        work.chmod(0o755)
    result = program.run("encrypt", source, folder / "out.db", "--key-file", keys.raw(),
                         user="nobody" if why == "closed" else None)
    assert result.exit != 0 and ".dbseal-" not in result.text, result


@pytest.mark.parametrize("command", ["encrypt", "in place", "decrypt", "rekey", "create"])
def test_a_closed_folder_is_said_to_be_one(work, tmp_path, source, sealed, command):
    # The keys are nobody's here, and so are the files that it may change.
    (tmp_path / "m").mkdir()
    (tmp_path / "m/1.sql").write_text("CREATE TABLE t(a);")
    key = {"DBSEAL_KEY": "x'" + "a1b2c3d4" * 8 + "'", "DBSEAL_NEW_KEY": "some words"}
    for path in (source, sealed):
        os.chown(path, 65534, 65534)
    work.chmod(0o555)
    args, named = {
        "encrypt": (["encrypt", source, work / "out.db"], work / "out.db"),
        "in place": (["encrypt", "--in-place", source], source),
        "decrypt": (["decrypt", sealed, work / "out.db"], work / "out.db"),
        "rekey": (["rekey", sealed], sealed),
        "create": (["migrate", "--schema", tmp_path / "m", "--create", "--plaintext",
                    work / "out.db"], work / "out.db"),
    }[command]
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    result = program.run(*args, user=65534, env=key)
    work.chmod(0o755)
    said = f"dbseal: {named}: cannot make a file in its folder: permission denied"
    said += "; the database is as it was" if command in ("in place", "rekey") else ""
    first, second = result.err.decode().splitlines()
    assert result.exit == 9 and first == said and second.startswith("hint: ls -ld "), result


def test_a_full_disk_names_the_target(keys, tmp_path):
    # A file size limit stands for it: the write fails with the temporary file open.
    path = samples.plain(tmp_path / "a.db")
    result = program.run("encrypt", "--json", path, tmp_path / "out.db", "--key-file", keys.raw(),
                         file_size=8192)
    assert result.exit == 9, result
    assert "out.db: cannot write" in result.json["message"], result
    assert ".dbseal-" not in result.text and os.listdir(tmp_path).count("out.db") == 0


def test_entries_that_are_not_utf8_are_left_alone(work, keys, source):
    odd = os.path.join(os.fsencode(work), b".out\xff.db.dbseal-1abcde")
    with open(odd, "wb"):
        pass
    also = os.path.join(os.fsencode(work), ".out\ufffd.db.dbseal-2abcde".encode())
    with open(also, "wb"):
        pass
    before = Snapshot(work)
    program.ok("encrypt", source, work / "out\ufffd.db", "--key-file", keys.raw())
    before.unchanged(new=["out\ufffd.db"], gone=[os.path.basename(also)])
    os.remove(odd)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_argument_that_is_not_utf8_is_a_usage_error_in_json_too(work, keys, source, place):
    words = ["encrypt", "--json", source]
    words.insert(place, b"odd\xff.db")
    result = program.run(*words)
    assert result.exit == 2, result
    assert result.json["code"] == "usage" and "odd\\xff.db" in result.json["message"], result


@pytest.mark.parametrize("suffix", ["", "/x", "../x", "."])
def test_a_backup_suffix_that_is_none(work, keys, source, suffix):
    refuse(work, "usage", "encrypt", "--in-place", f"--backup={suffix}", source, "--key-file",
           work / "no key")
