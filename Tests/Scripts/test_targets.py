# Plan: what stands where the output goes, and how the output gets there.
# - exists (7): every kind of obstacle, without a byte changed; what --force allows, and never does;
# - names of devices and streams, directly and over links, for all that is written; `-`;
# - in place: mode, link, backup, write protection, who else has the file open;
# - modes, names with every odd letter, folders, dry runs, quiet and JSON output.
import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from support import peers, program, samples
from support.content import content
from support.files import Snapshot, mode
from support.others import Opener
from support.refusal import refuse

RAW = "x'" + "a1b2c3d4" * 8 + "'"


def exists(work, keys, *args, code="exists", **more):
    return refuse(work, code, "encrypt", *args, "--key-file", keys.raw(), **more)


def test_an_existing_target(work, keys, source):
    samples.plain(work / "out.db", "CREATE TABLE other(a);")
    exists(work, keys, source, work / "out.db")


def test_an_existing_empty_target(work, keys, source):
    (work / "out.db").touch()
    exists(work, keys, source, work / "out.db")


@pytest.mark.parametrize("to", ["real.db", "nowhere.db"], ids=["link", "dangling link"])
def test_a_link_as_the_target(work, keys, source, to):
    (work / "real.db").write_bytes(b"keep me")
    (work / "out.db").symlink_to(to)
    exists(work, keys, source, work / "out.db")


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_a_folder_or_fifo_as_the_target(work, keys, source, force):
    (work / "folder").mkdir()
    os.mkfifo(work / "fifo")
    exists(work, keys, source, work / "folder", *force)
    exists(work, keys, source, work / "fifo", *force)


# Nobody may write in /dev, so that a mistake here does not cost the machine its /dev/stdout.
NOBODY = 65534
STREAMS = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/null", "/dev/new.db",
           "/dev/./../dev/stderr"]


def writers(keys, source, sealed, folder):
    """Command lines that write a file, each to be followed by its name."""
    key = ["--key-file", keys.raw()]
    migrations = folder / "migrations"
    migrations.mkdir()
    (migrations / "1_a.sql").write_text("CREATE TABLE a(b);")
    return [
        ["encrypt", *key, source], ["decrypt", *key, sealed],
        ["encrypt", *key, "--force", source], ["decrypt", *key, "--force", sealed],
        ["rekey", *key, "--new-key-file", keys.raw("0f" * 32, "new"), sealed],
        ["migrate", "--format", "4", "--page-size", "8192", *key, "--force", sealed],
        ["migrate", "--schema", migrations, "--create", *key],
        ["key", "generate", "--output"],
        ["verify", *key, sealed, "--report", "junit", "--report-file"],
        ["verify", *key, sealed, "--write-manifest"],
        ["verify", *key, sealed, "--force", "--write-manifest"],
        ["decrypt", *key, sealed, "--output-dir", folder, "--resume"],
    ]


@pytest.mark.parametrize("number", range(12))
def test_devices_and_streams_are_no_files(number):
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        keys = program.Keys(place / "keys")
        files = place / "files"
        files.mkdir()
        command = writers(
            keys, samples.plain(files / "plain.db"),
            peers.create_sealed(files / "sealed.db", RAW, [], samples.fill), place)[number]
        (files / "link").symlink_to("/dev/stdout")
        (files / "links").symlink_to("link")
        before, device = Snapshot(files), os.lstat("/dev/stdout")
        nobody = [(name, NOBODY) for name in STREAMS]
        # A link in a folder of one's own is one's own to lose.
        for target, user in [*nobody, (files / "link", 0), (files / "links", 0)]:
            for path in [place, *place.rglob("*")]:
                os.chown(path, user, user, follow_symlinks=False)
            argv = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            with open(place / "out", "wb") as out:
                done = subprocess.run(
                    [*argv, program.BIN, *command, target], stdout=out, stderr=subprocess.PIPE,
                    stdin=subprocess.DEVNULL, env=program.clean_env())
            said = done.stderr.decode()
            assert done.returncode == 7, (target, said)
            assert "give the name of a file" in said and "--force" not in said, (target, said)
            assert (place / "out").read_bytes() == b""
            before.unchanged()
            assert os.path.samestat(os.lstat("/dev/stdout"), device)


def test_shared_memory_is_an_ordinary_place(keys, source):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        program.ok("encrypt", source, f"{folder}/out.db", "--key-file", keys.raw())
        os.symlink(f"{folder}/out.db", f"{folder}/link.db")
        program.ok("encrypt", source, f"{folder}/link.db", "--key-file", keys.raw(), "--force")
        assert not os.path.islink(f"{folder}/link.db")


def test_a_database_does_not_go_to_standard_output(work, keys, outside, source, sealed):
    for command in writers(keys, source, sealed, outside)[:7]:
        found = refuse(work, "usage", *command, "-", cwd=work)
        assert "standard output" in found["message"] and "./-" in found["hint"]
    program.ok("decrypt", sealed, "./-", "--key-file", keys.raw(), cwd=work)
    peers.sound(peers.plain(work / "-"))


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_the_source_is_never_the_target(work, keys, source, force):
    os.link(source, work / "hard.db")
    (work / "soft.db").symlink_to("plain.db")
    exists(work, keys, "plain.db", "plain.db", *force, cwd=work)
    exists(work, keys, "plain.db", "./plain.db", *force, cwd=work)
    exists(work, keys, source, work / "hard.db", *force)
    exists(work, keys, source, work / "soft.db", *force)
    exists(work, keys, work / "soft.db", source, *force)


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_stale_sidecar_beside_the_target(work, keys, source, suffix):
    (work / ("out.db" + suffix)).write_bytes(b"stale")
    found = exists(work, keys, source, work / "out.db")
    assert f"out.db{suffix} stands" in found["message"], found
    program.ok("encrypt", source, work / "out.db", "--key-file", keys.raw(), "--force")
    assert not (work / ("out.db" + suffix)).exists()
    peers.sound(peers.sealed(work / "out.db", RAW))


def test_force_replaces_and_does_not_overwrite(work, keys, source):
    target = work / "out.db"
    target.write_bytes(b"old content")
    with open(target, "rb") as held:
        program.ok("encrypt", source, target, "--key-file", keys.raw(), "--force")
        assert held.read() == b"old content"
    peers.sound(peers.sealed(target, RAW), cipher=True)


def test_a_target_in_a_missing_folder(work, keys, source):
    exists(work, keys, source, work / "no/such/out.db", code="io")


def test_a_missing_source_makes_no_file(work, keys):
    for command in ("encrypt", "decrypt"):
        refuse(work, "io", command, work / "missing.db", work / "out.db", "--key-file", keys.raw())


def test_encrypt_in_place_keeps_mode_and_content(work, keys, source):
    source.chmod(0o640)
    judge = peers.plain(source)
    wanted = content(judge)
    judge.close()
    before = Snapshot(work)
    program.ok("encrypt", "--in-place", source, "--key-file", keys.raw())
    before.unchanged(ignore=["plain.db"])
    assert mode(source) == 0o640
    assert content(peers.sealed(source, RAW)) == wanted


def test_decrypt_in_place_is_private(work, keys, sealed):
    sealed.chmod(0o644)
    program.ok("decrypt", "--in-place", sealed, "--key-file", keys.raw())
    assert mode(sealed) == 0o600
    peers.sound(peers.plain(sealed))


def test_in_place_through_a_link_keeps_the_link(work, keys, source):
    (work / "link.db").symlink_to("plain.db")
    program.ok("encrypt", "--in-place", work / "link.db", "--key-file", keys.raw())
    assert os.readlink(work / "link.db") == "plain.db"
    peers.sound(peers.sealed(source, RAW))


def test_in_place_includes_and_removes_the_log(work, keys):
    path = samples.with_log(work / "plain.db")
    program.ok("encrypt", "--in-place", path, "--key-file", keys.raw())
    assert sorted(os.listdir(work)) == ["plain.db"]
    judge = peers.sealed(path, RAW)
    assert judge.execute("SELECT b FROM gaps WHERE a='from the log'").fetchall() == [(1,)]
    assert judge.execute("PRAGMA journal_mode").fetchone() == (("text", b"wal"),)


def test_a_backup_is_the_old_file(work, keys, source):
    old = source.read_bytes()
    program.ok("encrypt", "--in-place", "--backup", ".old", source, "--key-file", keys.raw())
    assert (work / "plain.db.old").read_bytes() == old
    peers.sound(peers.sealed(source, RAW))


def test_an_existing_backup_is_kept(work, keys, source):
    (work / "plain.db.old").write_bytes(b"an older one")
    exists(work, keys, "--in-place", "--backup", ".old", source)


def test_a_hard_linked_file_in_place(work, keys, source):
    os.link(source, work / "other.db")
    exists(work, keys, "--in-place", source)
    program.ok("encrypt", "--in-place", "--force", source, "--key-file", keys.raw())
    peers.sound(peers.sealed(source, RAW))
    peers.sound(peers.plain(work / "other.db"))


def test_a_write_protected_file_in_place(work, keys, source):
    source.chmod(0o444)
    exists(work, keys, "--in-place", source, code="io")
    program.ok("encrypt", "--in-place", "--force", source, "--key-file", keys.raw())
    assert mode(source) == 0o444


def test_a_file_that_others_have_open_in_place(work, keys, source):
    with Opener(source) as holder:
        found = exists(work, keys, "--in-place", source, "--busy-timeout", "0", code="locked")
        assert str(holder.pid) in found["message"] + str(found), found
        # Waiting would change nothing: the file is open, not locked.
        assert "--force" in found["hint"] and "--busy-timeout" not in found["hint"], found
        program.ok("encrypt", "--in-place", "--force", source, "--key-file", keys.raw())


@pytest.mark.parametrize("umask, source_mode, expected", [
    (0o022, 0o644, 0o644), (0o077, 0o644, 0o600), (0o022, 0o600, 0o600)])
def test_modes_of_new_targets(work, keys, source, umask, source_mode, expected):
    source.chmod(source_mode)
    before = os.umask(umask)
    try:
        program.ok("encrypt", source, work / "sealed.db", "--key-file", keys.raw())
        program.ok("decrypt", work / "sealed.db", work / "back.db", "--key-file", keys.raw())
    finally:
        os.umask(before)
    assert mode(work / "sealed.db") == expected
    assert mode(work / "back.db") == 0o600


NAMES = ["it's.db", 'a"b.db', "a?b=c&d.db", "a%20b.db", "a#b.db", "-dash.db", "file:x.db",
         ":memory:", "a b.db", "ключ.db", "new\nline.db", "*.db", "$HOME.db", "a;b.db", "\\.db",
         "n" * 244 + ".db"]  # SQLite appends -journal, and 255 bytes are the limit


@pytest.mark.parametrize("name", NAMES, ids=lambda n: repr(n)[:20])
def test_any_file_name_is_just_a_name(work, keys, name):
    samples.plain(work / "plain.db")
    os.rename(work / "plain.db", work / name)
    (work / "other folder").mkdir()
    target = f"other folder/{name}"
    program.ok("encrypt", "--key-file", keys.raw(), "--", name, target, cwd=work)
    program.ok("decrypt", "--key-file", keys.raw(), "--", target, "back.db", cwd=work)
    assert sorted(os.listdir(work)) == sorted([name, "other folder", "back.db"])
    peers.sound(peers.plain(work / "back.db"))


def test_several_sources_into_a_folder(work, keys):
    (work / "out").mkdir()
    sources = [samples.plain(work / f"{i}.db") for i in range(4)]
    result = program.run("encrypt", "--json", "--output-dir", work / "out", *sources,
                         "--key-file", keys.raw())
    assert result.exit == 0, result
    assert [o["ok"] for o in result.objects if "database" in o] == [True] * 4
    assert "summary" in result.objects[-1] and "database" not in result.objects[-1]
    for i in range(4):
        peers.sound(peers.sealed(work / "out" / f"{i}.db", RAW))


def test_one_failure_among_several_is_1_and_the_others_are_done(work, keys):
    (work / "out").mkdir()
    samples.plain(work / "good.db")
    (work / "bad.db").write_bytes(b"text")
    result = program.run("encrypt", "--json", "--output-dir", "out", "good.db", "bad.db",
                         "missing.db", "--key-file", keys.raw(), cwd=work)
    assert result.exit == 1, result
    codes = {o["database"]: o["code"] for o in result.objects if "database" in o}
    assert codes == {"good.db": "ok", "bad.db": "wrong_kind", "missing.db": "io"}
    assert os.listdir(work / "out") == ["good.db"]


def test_a_dry_run_writes_nothing(work, keys, source, sealed):
    before = Snapshot(work)
    program.ok("encrypt", "--dry-run", source, work / "out.db", "--key-file", keys.raw())
    program.ok("decrypt", "--dry-run", sealed, work / "out.db", "--key-file", keys.raw())
    program.ok("encrypt", "--dry-run", "--in-place", source, "--key-file", keys.raw())
    before.unchanged()
    refuse(work, "wrong_key", "decrypt", "--dry-run", sealed, work / "out.db", "--key-file",
           keys.file("wrong words"))
    (work / "out.db").touch()
    refuse(work, "exists", "encrypt", "--dry-run", source, work / "out.db", "--key-file",
           keys.raw())


def test_quiet_says_nothing(work, keys, source):
    result = program.run("encrypt", "-q", source, work / "out.db", "--key-file", keys.raw())
    assert (result.exit, result.out, result.err) == (0, b"", b"")


def test_text_says_what_was_done_on_standard_output(work, keys, source):
    result = program.run("encrypt", source, work / "out.db", "--key-file", keys.raw())
    assert result.exit == 0 and b"out.db" in result.out and b"format 4" in result.out, result


def test_plaintext_is_not_said_to_have_a_format(work, keys, sealed):
    result = program.run("decrypt", sealed, work / "out.db", "--key-file", keys.raw())
    assert b" pages, from format 4, proven" in result.out, result
    result = program.run("encrypt", work / "out.db", work / "e.db", "--key-file", keys.raw())
    assert b" pages, format 4, proven" in result.out, result


def test_json_is_all_there_is_on_standard_output(work, keys, source):
    found = program.ok("encrypt", source, work / "out.db", "--key-file", keys.raw())
    assert found["command"] == "encrypt" and found["database"] == str(source)


def test_a_dry_run_says_that_the_source_would_go(work, keys, source):
    args = ["encrypt", "--shred", "--dry-run", source, work / "out.db", "--key-file", keys.raw()]
    said = program.run(*args)
    assert said.exit == 0 and b"source would be overwritten and removed" in said.out, said
    assert source.exists() and program.ok(*args)["shredded"] is False


def test_shred_removes_the_plaintext_after_success(work, keys, source, sealed):
    program.ok("encrypt", "--shred", source, work / "out.db", "--key-file", keys.raw())
    assert not source.exists()
    peers.sound(peers.sealed(work / "out.db", RAW), cipher=True)


def test_shred_keeps_the_plaintext_after_a_failure(work, keys, source):
    (work / "out.db").touch()
    exists(work, keys, "--shred", source, work / "out.db")


def test_no_set_id_bit_reaches_an_output(work, keys, source):
    source.chmod(0o4755)
    program.ok("encrypt", source, work / "out.db", "--key-file", keys.raw())
    assert not mode(work / "out.db") & (stat.S_ISUID | stat.S_ISGID)


def test_nothing_is_left_in_temporary_folders(work, keys, tmp_path, source):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = Snapshot(temporary)
    env = {"TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)}
    program.ok("encrypt", source, work / "s.db", "--key-file", keys.raw(), env=env)
    program.ok("decrypt", work / "s.db", work / "b.db", "--key-file", keys.raw(), env=env)
    before.unchanged()
