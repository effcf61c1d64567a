# Plan: what bash (with and without bash-completion), zsh and fish complete, in the real shells, with
# the files that are checked in. Right values: the command list, the help texts that people reviewed,
# and the names of files that stand in a folder.
# - commands, actions of key, operands of help; nothing where a name is free;
# - the options of every command are those of its help, of every action those that it takes;
# - values: words of a list, files, folders, variables, after a blank and after =;
# - what was given, and what it excludes, is not offered again; what may repeat is;
# - behind -- are files; options before the command and values that look like commands do not confuse;
# - names with quotes, blanks and $() arrive as they are, and nothing is evaluated.
import re

import pytest

from support import program, shells

COMMANDS = ["encrypt", "decrypt", "rekey", "verify", "migrate", "inspect", "key", "help"]
ACTIONS = ["generate", "store", "show", "delete", "list"]
OWN = {
    "generate": {"-o", "--output", "--keyring", "--with-salt", "--passphrase"},
    "store": {"--key-file", "--key-fd", "--key-env", "--key-command", "--raw-key",
              "--allow-open-key-file", "--passphrase", "-f", "--force"},
    "show": {"--reveal"}, "delete": {"-f", "--force"}, "list": set(),
}
STORES = {"--keyring-backend", "--key-timeout"}
# Each begins with another letter, so that one letter names it.
ODD_NAMES = ["l a.db", "c'd.db", 'e"f.db', "g$(touch pwned-1).db", "h`touch pwned-2`.db",
             "i;touch pwned-3;.db", "j&k|l.db", "m*n?[o].db", "p\\q.db", "r$HOME.db", "s=t.db",
             "u#v!w.db", "x(y){z}.db", "ä ö.db", "0>pwned-4.db"]


@pytest.fixture(scope="module", params=shells.NAMES)
def shell(request, tmp_path_factory):
    one = shells.Shell(request.param, tmp_path_factory.mktemp(request.param))
    yield one
    one.close()


@pytest.fixture
def home(shell):
    """The shell's folder, with a file and two folders in it; whatever is made there goes."""
    for name in ("app.db", "folder/inner.db", "other/x"):
        path = shell.home / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    yield shell.home
    for path in shell.home.glob("[!.]*"):
        if path.is_file():
            path.unlink()


def options(*words):
    """All option names, long and short, that a help text lists."""
    text = program.run("help", *words).out.decode()
    found = re.findall(r"^  (?:(-\w), |    )(--[\w-]+)", text, re.MULTILINE)
    assert len(found) > 5, text
    return {name for pair in found for name in pair if name}


def names(offers):
    """Some shells put the slash behind a folder's name already."""
    return [each.removesuffix("/") for each in offers]


def test_words(shell, home):
    assert shell.offers("dbseal ") == sorted(COMMANDS)
    assert shell.offers("dbseal enc") == ["encrypt"]
    assert shell.offers("dbseal --json -q --color always de") == ["decrypt"]
    assert shell.offers("dbseal key ") == sorted(ACTIONS)
    assert shell.offers("dbseal key -q s") == ["show", "store"]
    assert shell.offers("dbseal help ") == sorted(set(COMMANDS) - {"help"})
    assert shell.offers("dbseal help m") == ["migrate"]


@pytest.mark.parametrize("line", [
    "dbseal nothing", "dbseal generate", "dbseal help encrypt ", "dbseal help generate ",
    "dbseal key generate ", "dbseal key show ", "dbseal key store name ", "dbseal key nothing ",
    "dbseal encrypt --jobs ", "dbseal encrypt --backup ", "dbseal encrypt --key-command ",
    "dbseal encrypt --salt=", "dbseal verify --expect-table ", "dbseal inspect --nothing"])
def test_nothing_is_offered(shell, home, line):
    assert shell.offers(line) == []


def test_options_before_the_command(shell, home):
    assert set(shell.offers("dbseal -")) == options()
    assert set(shell.offers("dbseal --ver")) == {"--verbose", "--version"}


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_a_command(shell, home, command):
    assert set(shell.offers(f"dbseal {command} -")) == options(command)


@pytest.mark.parametrize("action", ACTIONS)
def test_options_of_an_action(shell, home, action):
    assert set(shell.offers(f"dbseal key {action} -")) == options() | OWN[action] | STORES


@pytest.mark.parametrize("line,words", [
    ("dbseal encrypt --format", "1 2 3 4"),
    ("dbseal rekey --source-format", "1 2 3 4"),
    ("dbseal verify --against-hmac-algorithm", "none sha1 sha256 sha512"),
    ("dbseal encrypt --page-size", "1024 16384 2048 32768 4096 512 65536 8192"),
    ("dbseal inspect --query x --output-format", "csv json line table tsv"),
    ("dbseal migrate --schema folder --track", "schema_migrations user_version"),
    ("dbseal key list --keyring-backend", "credentials kernel keychain secret-service"),
    ("dbseal --color", "always auto never"),
    ("dbseal decrypt app.db --color", "always auto never"),
])
def test_words_of_a_list(shell, home, line, words):
    assert shell.offers(line + " ") == words.split()
    assert shell.offers(line + "=") == words.split()
    for start in {word[:2] for word in words.split()} - set(words.split()):
        assert shell.offers(f"{line}={start}") == [w for w in words.split() if w.startswith(start)]


@pytest.mark.parametrize("line", [
    "dbseal encrypt ", "dbseal encrypt app.db ", "dbseal inspect --json ", "dbseal rekey -n ",
    "dbseal verify --against ", "dbseal encrypt --key-file ", "dbseal encrypt --key-file=",
    "dbseal decrypt --try-keys ", "dbseal rekey --new-key-file=", "dbseal key generate -o ",
    "dbseal key generate -qo ", "dbseal key store name --key-file ", "dbseal verify -- ",
    "dbseal verify --key-file app.db "])
def test_files(shell, home, line):
    assert names(shell.offers(line)) == ["app.db", "folder", "other"]
    assert names(shell.offers(line + "ap")) == ["app.db"]


@pytest.mark.parametrize("line", [
    "dbseal migrate --schema ", "dbseal migrate --schema=", "dbseal encrypt --output-dir "])
def test_folders(shell, home, line):
    assert names(shell.offers(line)) == ["folder", "other"]
    assert names(shell.offers(line + "fo")) == ["folder"]


def test_a_file_in_a_folder(shell, home):
    assert shell.offers("dbseal encrypt folder/") == ["folder/inner.db"]
    assert shell.typed("dbseal encrypt fold\ti\t") == ["encrypt", "folder/inner.db"]


def test_variables(shell, home):
    wanted = ["DBSEAL_PROBE_ONE", "DBSEAL_PROBE_TWO"]
    assert shell.offers("dbseal encrypt --key-env DBSEAL_PROBE") == wanted
    assert shell.offers("dbseal rekey --new-key-env=DBSEAL_PROBE_O") == wanted[:1]


def test_a_flag_of_one_command_takes_a_value_in_another(shell, home):
    assert names(shell.offers("dbseal inspect --schema ")) == ["app.db", "folder", "other"]
    assert names(shell.offers("dbseal migrate --schema ")) == ["folder", "other"]


@pytest.mark.parametrize("given,start,left", [
    ("--json", "--js", []),
    ("-q", "--qui", []), ("-q", "--verb", []), ("--verbose", "--qui", []),
    ("--key-file k", "--key-", ["--key-binary", "--key-timeout"]),
    ("--key-file=k", "--key-", ["--key-binary", "--key-timeout"]),
    ("--key-env K", "--key-", ["--key-timeout"]),
    ("--raw-key", "--pass", []),
    ("--in-place", "--output", []),
    ("--format 3", "--form", []),
    ("-nq", "--dry", []), ("-j4", "--job", []),
    ("--json --json", "--js", []),
])
def test_what_was_given_and_what_it_excludes_goes(shell, home, given, start, left):
    def offers(line):
        # zsh takes --key- for a part of --keyring- too.
        return [each for each in shell.offers(line) if each.startswith(start)]

    assert offers(f"dbseal encrypt app.db {start}") != left
    assert offers(f"dbseal encrypt {given} app.db {start}") == left


@pytest.mark.parametrize("line", [
    "dbseal inspect --query x --param a=1 --par", "dbseal inspect --param a=1 --param b=2 --par"])
def test_what_may_repeat_is_offered_again(shell, home, line):
    assert shell.offers(line) == ["--param"]


def test_values_that_look_like_something_else(shell, home):
    assert "--shred" in shell.offers("dbseal encrypt --keyring inspect --sh")
    assert shell.offers("dbseal key generate --keyring store --with") == ["--with-salt"]
    assert names(shell.offers("dbseal inspect key ")) == ["app.db", "folder", "other"]
    assert shell.offers("dbseal verify key --rev") == []


def test_behind_two_dashes_are_files(shell, home):
    (home / "--json").touch()
    (home / "-q.db").touch()
    assert shell.offers("dbseal verify -- -") == ["--json", "-q.db"]
    assert shell.offers("dbseal verify --format 4 -- -q") == ["-q.db"]
    assert shell.offers("dbseal verify -- --qui") == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_arrive_as_they_are(shell, home, name):
    (home / name).touch()
    before = sorted(home.iterdir())
    assert shell.typed(f"dbseal inspect {name[0]}\t") == ["inspect", name]
    assert shell.typed(f"dbseal inspect --key-file {name[0]}\t --json") == [
        "inspect", "--key-file", name, "--json"]
    if "'" not in name:
        assert shell.typed(f"dbseal verify '{name[0]}\t") == ["verify", name]
    assert sorted(home.iterdir()) == before


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_behind_an_equals_sign(shell, home, name):
    (home / name).touch()
    assert shell.typed(f"dbseal inspect --key-file={name[0]}\t") == ["inspect", f"--key-file={name}"]


def test_what_was_typed_is_not_evaluated(shell, home):
    for word in ("$(touch pwned-5)", "`touch pwned-6`", "a[$(touch pwned-7)]"):
        for line in (f"dbseal encrypt --format '{word}", f"dbseal '{word}' --js",
                     f"dbseal encrypt --key-env '{word}", f"dbseal key '{word}", f"dbseal '{word}"):
            shell.typed(line + ("\t'" if line.count("'") == 1 else "\t"))
    assert list(home.glob("pwned*")) == []


def test_bash_where_an_equals_sign_breaks_no_words(tmp_path):
    one = shells.Shell("bash", tmp_path)
    (one.home / "app.db").touch()
    one.typed("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}; dbseal")
    assert one.offers("dbseal encrypt --format=") == ["1", "2", "3", "4"]
    assert one.offers("dbseal encrypt --key-file=a") == ["app.db"]
    assert one.offers("dbseal encrypt --format=3 --form") == []
    assert one.offers("dbseal encrypt --format=3 a") == ["app.db"]
    one.close()


def test_bash_that_cannot_leave_names_to_readline(tmp_path):
    """As bash 3.2 of macOS is."""
    one = shells.Shell("bash", tmp_path, before="enable -n compopt\n")
    (one.home / "a b.db").touch()
    (one.home / "folder").mkdir()
    assert one.typed("dbseal encrypt a\t") == ["encrypt", "a b.db"]
    assert names(one.offers("dbseal migrate --schema ")) == ["folder"]
    assert one.offers("dbseal encrypt --format ") == ["1", "2", "3", "4"]
    one.close()


def test_redirections_are_files(shell, home):
    if shell.name.startswith("bash"):
        assert shell.typed("dbseal key list >> ap\t") == ["key", "list"]
        assert [p.name for p in home.glob("ap*")] == ["app.db"]


def test_zsh_reads_it_from_a_configuration_too(tmp_path):
    one = shells.Shell("zsh", tmp_path, after=f"fpath=(); . {shells.COMPLETIONS}/_dbseal\n")
    assert one.offers("dbseal dec") == ["decrypt"]
    one.close()
