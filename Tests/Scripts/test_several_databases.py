# Plan: what a run of several databases leads to, says and counts.
# - two databases of the kind that a command changes, without --in-place: the hint, typed as it stands,
#   changes both and loses no row; the way of --force keeps the one that it replaces;
# - encrypt and decrypt take any number with --in-place, as rekey and migrate do, and so does the hint of
#   three names; a TARGET beside it that is not there yet is told, and nothing is changed;
# - one base name twice for a folder: both files are named, and the hint typed as it stands works;
# - a hint or a note about the key that is the same for each is said once, also with --quiet; an object
#   has its own;
# - what had its settings already is unchanged, not migrated, also where it is said to have those of before;
# - names as they were typed, and nothing said of a database that is not there.
import re
import shlex

import pytest

from support import peers, program, samples
from support.files import Snapshot

OLD, NEW = "a1b2c3d4" * 8, "0123456789abcdef" * 4
# Of each command: the options of its keys, and what a database of it is opened with before and after.
COMMANDS = {"encrypt": (None, OLD), "decrypt": (OLD, None), "rekey": (OLD, NEW),
            "migrate": (OLD, OLD)}
commands = pytest.mark.parametrize("command", list(COMMANDS))


def done(*args, **more):
    result = program.run(*args, **more)
    assert result.exit == 0, result
    return result


def make(folder, command, number):
    folder.mkdir(exist_ok=True)
    path = folder / f"{number}.db"
    script = samples.FAMILY + f"CREATE TABLE own(a); INSERT INTO own VALUES({number});"
    if COMMANDS[command][0] is None:
        return samples.plain(path, script)
    peers.create_sealed(path, f"x'{OLD}'", [("cipher_compatibility", 3)],
                        lambda c: c.executescript(script))
    return path


def numbers(path, key):
    """The rows of a database that tell it from the others."""
    if key is None:
        connection = peers.plain(path)
    else:
        connection = peers.sealed(path, f"x'{key}'", PRAGMAS.get(path, []))
    found = [row for row, in connection.execute("SELECT a FROM own")]
    assert connection.execute("SELECT count(*) FROM parent").fetchone() == (500,)
    connection.close()
    return found


# Rekey keeps format 3.
PRAGMAS = {}


def key_words(keys, command):
    words = ["--key-file", keys.raw(OLD)]
    return words + (["--new-key-file", keys.raw(NEW, "new")] if command == "rekey" else [])


def after(path, command):
    if command == "rekey":
        PRAGMAS[path] = [("cipher_compatibility", 3)]
    return numbers(path, COMMANDS[command][1])


@commands
def test_two_databases_without_in_place(work, keys, command):
    paths = [make(work, command, number) for number in (1, 2)]
    words = [command, *key_words(keys, command)]
    before = Snapshot(work)
    result = program.run(*words, *paths)
    hint, = re.findall(r"hint: (.*)", result.err.decode())
    assert result.exit == 7 and hint.index("--in-place") < hint.index("--force"), result
    assert "both" in hint and "--backup .old" in hint
    before.unchanged()
    # The other way, of a copy: nothing is gone.
    copies = [make(work / "copies", command, number) for number in (1, 2)]
    done(*words, "--force", "--backup", ".old", *copies)
    assert after(copies[1], command) == [1]
    kept = copies[1].with_name("2.db.old")
    PRAGMAS[kept] = [("cipher_compatibility", 3)]
    assert numbers(kept, COMMANDS[command][0]) == [2]
    result = program.run(*words, "--in-place", *paths)
    assert result.exit == 0 and result.out.decode().splitlines()[-1].startswith("2 of 2 databases"), result
    assert [after(path, command) for path in paths] == [[1], [2]]


@commands
def test_any_number_in_place(work, keys, command):
    paths = [make(work, command, number) for number in (1, 2, 3)]
    words = [command, *key_words(keys, command)]
    before = Snapshot(work)
    result = program.run(*words, *paths)
    hint, = re.findall(r"hint: (.*)", result.err.decode())
    assert result.exit == 2 and hint.startswith("--in-place "), result
    before.unchanged()
    done(*words, "--in-place", "--backup", ".old", *paths)
    assert [after(path, command) for path in paths] == [[1], [2], [3]]
    assert sorted(path.name for path in work.iterdir()) == sorted(
        [f"{n}.db" for n in (1, 2, 3)] + [f"{n}.db.old" for n in (1, 2, 3)])


@commands
def test_a_target_that_is_none_yet(work, keys, command):
    """What was meant to stay is not changed because --in-place stands there too."""
    path = make(work, command, 1)
    words = [command, *key_words(keys, command), "--in-place", path, work / "new.db"]
    before = Snapshot(work)
    result = program.run(*words)
    assert result.exit == 2 and b"leave --in-place out" in result.err, result
    before.unchanged()
    done(*[word for word in words if word != "--in-place"])
    assert after(work / "new.db", command) == [1]
    before.unchanged(new=["new.db"])


def test_a_target_of_another_kind(work, keys, source):
    for name, data in (("notes.txt", b"notes of mine\n"), ("sealed.db", None)):
        target = work / name
        if data is None:
            peers.create_sealed(target, f"x'{OLD}'", [], samples.fill)
        else:
            target.write_bytes(data)
        was = target.read_bytes()
        words = ["encrypt", "--key-file", keys.raw(OLD), source, target]
        result = program.run(*words)
        hint, = re.findall(r"hint: (.*)", result.err.decode())
        assert result.exit == 7 and "--in-place" not in hint and "--backup .old" in hint, result
        done(*words, "--force", "--backup", ".old")
        assert target.with_name(name + ".old").read_bytes() == was


@commands
def test_one_base_name_twice(work, keys, command):
    paths = [make(work / folder, command, 1) for folder in ("a", "b")]
    (work / "out").mkdir()
    words = [command, *key_words(keys, command)]
    before = Snapshot(work)
    result = program.run(*words, "--output-dir", work / "out", *paths)
    first, hint = result.err.decode().splitlines()
    assert result.exit == 2 and all(str(path) in first for path in paths), result
    before.unchanged()
    typed = re.search(r"(--in-place).*(--backup \.old)", hint)
    done(*words, *[word for part in typed.groups() for word in shlex.split(part)], *paths)
    assert [after(path, command) for path in paths] == [[1], [1]]


@pytest.mark.parametrize("quiet", [[], ["--quiet"]], ids=["", "quiet"])
def test_one_hint_for_all(work, keys, quiet):
    paths = [make(work, "encrypt", number) for number in range(30)]
    (work / "out").mkdir()
    words = ["encrypt", "--key-file", keys.raw(OLD), "--output-dir", work / "out", *paths, *quiet]
    done(*words)
    before = Snapshot(work)
    result = program.run(*words)
    lines = result.err.decode().splitlines()
    assert result.exit == 1 and sum("the target exists" in line for line in lines) == 30
    hint, = [line for line in lines if line.startswith("hint: ")]
    # There is no TARGET; what is named works.
    assert "TARGET" not in hint and "--output-dir" in hint and "--backup .old" in hint
    objects = program.run(*[word for word in words if word != "--quiet"], "--json").objects[:-1]
    assert {f"hint: {line['hint']}" for line in objects} == {hint}
    before.unchanged()
    done(*words, "--force", "--backup", ".old")


def test_different_hints_are_all_said(work, keys):
    paths = [make(work, "encrypt", number) for number in range(3)]
    (work / "text.db").write_text("notes of mine, " * 100)
    sealed = peers.create_sealed(work / "sealed.db", f"x'{OLD}'", [], samples.fill)
    result = program.run("encrypt", "--in-place", "--key-file", keys.raw(OLD), *paths, work / "text.db",
                         sealed, work / "none.db", work / "none2.db")
    lines = result.err.decode().splitlines()
    assert result.exit == 1 and sum(line.startswith("dbseal: ") for line in lines) == 4
    assert sum(line.startswith("hint: ") for line in lines) == 3, result


@pytest.mark.parametrize("command", ["encrypt", "rekey"])
def test_a_note_about_the_key_once(work, keys, command):
    paths = [make(work, command, number) for number in range(5)]
    odd = keys.file(" blanks around it \n", "odd")
    words = key_words(keys, command)
    words[-1] = odd
    result = done(command, "--in-place", *words, *paths)
    notes = re.findall(r"note: (.*blanks.*)", result.err.decode())
    assert len(notes) == 1 and str(work) not in notes[0], result


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["", "dry"])
def test_what_is_left_alone_is_not_migrated(work, keys, dry):
    paths = [make(work, "migrate", number) for number in range(4)]
    words = ["migrate", "--in-place", *key_words(keys, "migrate")]
    done(*words, *paths[:3])
    before = [path.read_bytes() for path in paths[:3]]
    result = done(*words, *dry, *paths)
    verb = "would be migrated" if dry else "migrated"
    assert result.out.decode().splitlines()[-1].startswith(f"1 of 4 databases {verb}, 3 unchanged"), result
    assert [path.read_bytes() for path in paths[:3]] == before
    if not dry:
        *lines, last = done(*words, "--json", *paths).objects
        summary = last["summary"]
        assert all(line["unchanged"] for line in lines)
        assert (summary["succeeded"], summary["unchanged"], summary["skipped"]) == (4, 4, 0)


def test_settings_that_it_had_before(work, keys):
    """The same command line again finds its work done."""
    passphrase = keys.file("a passphrase\n", "passphrase")
    paths = [work / f"{number}.db" for number in range(2)]
    for path in paths:
        peers.create_sealed(path, "a passphrase", [("cipher_compatibility", 3), ("kdf_iter", 9000)],
                            samples.fill)
    reading = ["--source-format", 3, "--source-kdf-iter", 9000, "--key-file", passphrase]
    done("migrate", *reading, paths[0])
    before = paths[0].read_bytes()
    result = done("migrate", *reading, "--in-place", *paths)
    assert result.out.decode().splitlines()[-1].startswith("1 of 2 databases migrated, 1 unchanged"), result
    assert paths[0].read_bytes() == before
    peers.sound(peers.sealed(paths[1], "a passphrase"))
    # Settings of one's own, which nobody can find out.
    writing = ["migrate", "--kdf-iter", 7000, "--key-file", passphrase, paths[0]]
    done(*writing)
    before = paths[0].read_bytes()
    assert "unchanged" in done(*writing).out.decode()
    assert paths[0].read_bytes() == before
    # Another key is another key, and another wish is not fulfilled.
    other = keys.file("another passphrase\n", "another")
    for more in (["--key-file", other], ["--key-file", passphrase, "--page-size", 8192]):
        result = program.run("migrate", *reading[:4], *more, paths[1])
        assert result.exit == 4, result
    peers.sound(peers.sealed(paths[1], "a passphrase"))


def test_names_as_they_were_typed(work, keys):
    path = make(work, "rekey", 1)
    words = ["rekey", *key_words(keys, "rekey"), "--backup", ".old"]
    path.with_name("1.db.old").write_text("mine")
    result = program.run(*words, "1.db", cwd=work)
    assert result.exit == 7 and result.err.startswith(b"dbseal: 1.db.old: the backup exists"), result
    result = program.run(*words, "none.db", cwd=work)
    assert result.exit == 9 and b"as it was" not in result.err, result
    result = done(*words[:-2], "--kdf-iter", 5000, "1.db", cwd=work)
    assert "these open 1.db:" in result.out.decode()
