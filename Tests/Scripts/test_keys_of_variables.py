# Plan: a variable that no option names is easily forgotten. Which one gave the key is said where that matters.
# - what seals a database says it, and which other variables are set and do not count; --quiet does not;
#   an option that names the source makes it nobody's surprise;
# - a key that opens nothing is called by the variable's name, as text and in JSON, of either database;
# - the first of _FILE, _COMMAND and the key itself counts, as Docs/guide.md has it; SQLCipher says which it was.
import shutil

import pytest

from support import peers, program, samples

FEW = ["--kdf-iter", "10"]
# An engine of before format 4 cannot create one.
OLD = ["--format", "3"] if program.engine() < (4,) else []
GIVEN = {"_FILE": "words of a file", "_COMMAND": "words of a command", "": "words of a variable"}


@pytest.fixture
def variables(keys):
    """The environment in which the variables of these endings give keys."""
    def make(name, *endings):
        env = {}
        for ending in endings:
            text = GIVEN[ending]
            program.remember(text)
            path = keys.file(text, "k" + ending)
            env[name + ending] = {"_FILE": str(path), "_COMMAND": f"cat '{path}'", "": text}[ending]
        return env

    return make


@pytest.mark.parametrize("set_", [["_FILE"], ["_COMMAND"], [""], ["_FILE", ""], ["_COMMAND", ""],
                                  ["_FILE", "_COMMAND", ""]])
@pytest.mark.parametrize("command", ["encrypt", "rekey", "schema"])
def test_what_seals_says_which(work, source, keys, variables, command, set_):
    name = "DBSEAL_NEW_KEY" if command == "rekey" else "DBSEAL_KEY"
    out = work / "out.db"
    if command == "rekey":
        sealed = peers.create_sealed(work / "sealed.db", "old words", [("kdf_iter", 10)], samples.fill)
        args = ["rekey", *FEW, "--source-kdf-iter", "10", "--key-file", keys.file("old words"), sealed, out]
    elif command == "schema":
        (work / "sql").mkdir()
        (work / "sql" / "1_a.sql").write_text("CREATE TABLE a(b);")
        args = ["migrate", "--schema", work / "sql", "--create", *FEW, *OLD, out]
    else:
        args = ["encrypt", *FEW, source, out]
    env = variables(name, *set_)
    done = program.run(*args, env=env)
    assert done.exit == 0, done
    first, *others = [f"${name}{ending}" for ending in set_]
    notes = [line for line in done.err.decode().splitlines() if "the key is that of" in line]
    assert len(notes) == 1 and notes[0].startswith(f"note: the key is that of {first}"), done
    assert [f"{each} is set too, and was not used" in notes[0] for each in others] == [True] * len(others)
    assert notes[0].count("set too") == len(others)
    before = [("cipher_compatibility", 3)] if OLD and command == "schema" else []
    peers.sound(peers.sealed(out, GIVEN[set_[0]], [*before, ("kdf_iter", 10)]))
    out.unlink()
    assert b"the key is that of" not in program.run(*args, "-q", env=env).err


def test_a_source_that_is_named_is_not_told(work, source, keys, variables):
    done = program.run("encrypt", *FEW, source, work / "out.db", "--key-file", keys.file("mine"),
                       env=variables("DBSEAL_KEY", "_FILE", ""))
    assert done.exit == 0 and b"$" not in done.err, done
    peers.sound(peers.sealed(work / "out.db", "mine", [("kdf_iter", 10)]))


@pytest.mark.parametrize("ending", GIVEN)
@pytest.mark.parametrize("command", ["verify", "decrypt", "rekey", "migrate", "inspect"])
def test_a_wrong_key_is_called_by_its_variable(work, keys, variables, command, ending):
    path = peers.create_sealed(work / "sealed.db", "right", [("kdf_iter", 10)], samples.fill)
    rest = {"decrypt": [work / "out.db"], "rekey": ["--new-key-file", keys.file("new")],
            "inspect": ["--schema"]}.get(command, [])
    env = variables("DBSEAL_KEY", ending)
    done = program.run(command, path, *rest, env=env)
    assert done.exit == 4 and f"with the key of $DBSEAL_KEY{ending}" in done.err.decode(), done
    done = program.run(command, "--json", path, *rest, env=env)
    assert done.exit == 4 and done.json["key_variable"] == "DBSEAL_KEY" + ending, done


def test_the_variable_of_the_other_database(work, keys, variables):
    path = peers.create_sealed(work / "sealed.db", "right", [("kdf_iter", 10)], samples.fill)
    other = shutil.copy(path, work / "other.db")
    done = program.run("verify", *FEW, path, "--against", other, "--against-kdf-iter", "10", "--key-file",
                       keys.file("right"), env=variables("DBSEAL_AGAINST_KEY", ""))
    assert done.exit == 4 and b"with the key of $DBSEAL_AGAINST_KEY" in done.err, done
    done = program.run("verify", *FEW, path, "--against", other, "--against-kdf-iter", "10",
                       "--against-key-file", keys.file("wrong"), env={"DBSEAL_KEY": "right"})
    assert done.exit == 4 and b"$DBSEAL_KEY" not in done.err, done
