# Plan: what a command prints seals no database where it prints something else the next time: that key is
# gone once the command is.
# - encrypt, rekey's new key and a new database of migrate --schema: another key, or a failure, the second
#   time is exit 3 and nothing was touched, also with --dry-run and where a variable names the command;
# - a command that gives the same key is run twice for all databases together, and what it sealed opens;
# - a key that opens, and one that goes to a key store, is asked for once.
import pytest

from support import key_stores, peers, program, samples
from support.refusal import refuse

WORDS = "a key of somebody"
COUNTING = 'echo . >>"{0}"; '
FAST = ["--kdf-iter", "10"]


@pytest.fixture
def command(tmp_path):
    """Makes command lines of a shell, which count their runs."""
    class Command:
        log = tmp_path / "runs"

        def __call__(self, script):
            return "sh -c '" + COUNTING.format(self.log) + script.replace("'", "'\\''") + "'"

        @property
        def runs(self):
            count = len(self.log.read_text().splitlines()) if self.log.exists() else 0
            self.log.unlink(missing_ok=True)
            return count

    program.remember(WORDS)
    return Command()


OTHER = {"random": ("od -An -N32 -tx1 /dev/urandom | tr -d \" \\n\"", "another key"),
         "generated": (f'"{program.BIN}" key generate', "another key"),
         "time": ("date +%s.%N", "another key"),
         "longer": ('wc -l <"{0}"; :', "another key"),
         "gone": (f'test $(wc -l <"{{0}}") = 1 && echo "{WORDS}"', "failed with status 1"),
         "empty": (f'test $(wc -l <"{{0}}") != 1 || echo "{WORDS}"', "is empty")}


@pytest.mark.parametrize("more", [[], ["--dry-run"]], ids=["real", "dry"])
@pytest.mark.parametrize("kind", OTHER)
def test_a_key_that_nobody_can_get_again(work, keys, sealed, source, command, kind, more):
    script, said = OTHER[kind]
    line = command(script.replace("{0}", str(command.log)))
    (work / "m").mkdir()
    (work / "m/1.sql").write_text("CREATE TABLE x(a);")
    key = keys.raw()
    for args in (["encrypt", "--in-place", source, "--key-command", line],
                 ["encrypt", source, work / "out.db", "--key-command", line],
                 ["rekey", sealed, "--key-file", key, "--new-key-command", line],
                 ["migrate", "--schema", work / "m", "--create", work / "c.db", "--key-command", line]):
        command.log.unlink(missing_ok=True)
        before = command.log
        found = None
        for output in (["--json"], []):
            before.unlink(missing_ok=True)
            done = program.run(args[0], *output, *more, *args[1:])
            assert done.exit == 3 and command.runs == 2, done
            found = done.json if output else found
        assert "run a second time" in found["message"] and said in found["message"], found
        assert "would seal the database for ever" in found["message"], found
        assert "key generate --output app.key" in found["hint"], found
        assert found["message"].startswith(args[-2]) and args[-2][:-8] + "-file" in found["hint"], found
    assert sorted(path.name for path in work.iterdir()) == ["m", "plain.db", "sealed.db"]
    peers.sound(peers.sealed(sealed, "x'" + "a1b2c3d4" * 8 + "'"))
    peers.sound(peers.plain(source))


def test_a_variable_that_names_the_command(work, source, command):
    line = command("date +%s.%N")
    found = refuse(work, "no_key", "encrypt", source, work / "out.db",
                   env={"DBSEAL_KEY_COMMAND": line})
    assert found["message"].startswith("$DBSEAL_KEY_COMMAND: run a second time"), found


def test_a_key_that_can_be_had_again(work, keys, tmp_path, command):
    line = command(f'echo "{WORDS}"')
    sources = [samples.plain(work / f"{name}.db") for name in "abc"]
    (work / "out").mkdir()
    program.run("encrypt", *sources, "--output-dir", work / "out", *FAST, "--key-command", line)
    assert command.runs == 2
    for path in (work / "out").iterdir():
        peers.sound(peers.sealed(path, WORDS, [("kdf_iter", 10)]))
    # A key that opens is asked for once.
    program.ok("verify", work / "out/a.db", *FAST, "--key-command", line)
    assert command.runs == 1
    program.ok("decrypt", work / "out/a.db", work / "plain.db", *FAST, "--key-command", line)
    assert command.runs == 1
    program.ok("migrate", work / "out/b.db", "--source-kdf-iter", "10", "--kdf-iter", "20",
               "--key-command", line)
    assert command.runs == 1
    program.ok("rekey", work / "out/a.db", "--source-kdf-iter", "10", *FAST, "--key-command", line,
               "--new-key-file", keys.file("other words", "new"))
    assert command.runs == 1
    program.ok("rekey", work / "out/a.db", "--source-kdf-iter", "10", *FAST, "--key-file",
               keys.file("other words", "new"), "--new-key-command", line)
    assert command.runs == 2
    peers.sound(peers.sealed(work / "out/a.db", WORDS, [("kdf_iter", 10)]))


def test_a_key_that_is_malformed_is_not_asked_for_again(work, source, command):
    found = refuse(work, "no_key", "encrypt", source, work / "out.db", "--key-command",
                   command("echo 12"), "--raw-key")
    assert command.runs == 2 and "raw" in found["message"], found


def test_a_key_that_is_kept_may_be_made_up(work, stored):
    name = stored("made-up")
    program.ok("key", "store", name, "--keyring-backend", "kernel", "--key-command",
               f"'{program.BIN}' key generate")
    assert len(key_stores.kernel_key(name)) == 67
