# Plan: the manual pages that are checked in. Judges: mandoc, groff, the help texts, the source's own
# list of variables.
# - a page a command, without a complaint of mandoc -Tlint and of man --warnings;
# - at 60 and 80 columns no line is longer, but for what is to be typed, and no name is broken;
# - sections are there, in their usual order; EXIT STATUS says what the help says;
# - every variable that the source reads is in ENVIRONMENT, and no other; every page that SEE ALSO
#   names is there;
import re
import subprocess

import pytest

from support import program
from support.manual import MAN, PAGES, lines_to_type, plain, section

ORDER = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMON OPTIONS", "EXIT STATUS", "ENVIRONMENT",
         "EXAMPLES", "SEE ALSO"]
# What other packages document.
OTHERS = {"sqlcipher", "sqlite3"}


def rendered(page, width):
    done = subprocess.run(
        ["man", "--warnings", "-l", MAN / page], capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": str(width), "TERM": "dumb",
             "MANROFFOPT": "-c", "GROFF_NO_SGR": "1", "PAGER": "cat"})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return re.sub(".\b", "", done.stdout)


def test_there_is_a_page_a_command():
    listed = re.search(r"Commands:\n(.*?)\n\n", program.run("--help").out.decode(), re.DOTALL)
    commands = [line.split()[0] for line in listed.group(1).splitlines() if line[2] != " "]
    assert {"encrypt", "key", "help"} < set(commands)
    wanted = {f"dbseal-{name}.1" for name in commands if name != "help"} | {"dbseal.1"}
    assert set(PAGES) == wanted


@pytest.mark.parametrize("page", PAGES)
def test_linters_have_nothing_to_say(page):
    done = subprocess.run(["mandoc", "-Tlint", MAN / page], capture_output=True, text=True)
    assert done.stdout + done.stderr == "" and done.returncode == 0, done.stdout
    rendered(page, 80)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [60, 80])
def test_fits_the_terminal(page, width):
    typed = set(lines_to_type(page))
    text = rendered(page, width)
    for line in text.splitlines():
        assert len(line) <= width or line.strip() in typed, line
    assert "\u2010" not in text
    # A name that is read off the page can be typed: its dashes are dashes.
    assert "--json" in text and "\u2212" not in text


@pytest.mark.parametrize("page", PAGES)
def test_sections(page):
    titles = re.findall(r"^\.SH (.*)$", (MAN / page).read_text(), re.MULTILINE)
    assert [t for t in titles if t in ORDER] == ORDER
    assert all(section(page, title) for title in titles)
    version = program.run("--version").out.decode().split()[1]
    assert f'"dbseal {version}"' in (MAN / page).read_text().splitlines()[1]


@pytest.mark.parametrize("page", PAGES)
def test_exit_status_is_what_the_help_says(page):
    name = page.removesuffix(".1").partition("-")[2]
    text = program.run(*(["help", name] if name else ["--help"])).out.decode()
    help_says = re.findall(r"^  (\d+) +(\w+)", text.partition("Exit status:")[2], re.MULTILINE)
    page_says = [tuple(plain(line).split()) for line in section(page, "EXIT STATUS")
                 if re.match(r"\\fB\d", line)]
    assert page_says == help_says != []


def variables(page):
    lines = section(page, "ENVIRONMENT")
    named = [lines[i + 1] for i, line in enumerate(lines) if line == ".TP"]
    return {word.partition("=")[0] for line in named for word in plain(line).split(", ")}


def test_every_variable_that_is_read_is_documented():
    source = "\n".join(path.read_text() for path in (program.ROOT / "Sources").rglob("*.swift"))
    read = set(re.findall(r'(?:getenv|isSet|environment)\("([A-Z_]+)"', source))
    assert {"NO_COLOR", "DBSEAL_CRYPTO", "CREDENTIALS_DIRECTORY"} <= read
    # The three of each key, which its prefix makes, and what finds the program of a command.
    read |= {f"DBSEAL_{which}KEY{what}" for which in ("", "NEW_", "AGAINST_")
             for what in ("", "_FILE", "_COMMAND")} | {"PATH"}
    assert variables("dbseal.1") == read
    for page in PAGES:
        assert variables(page) <= read
    assert "DBSEAL_NEW_KEY" in variables("dbseal-rekey.1") - variables("dbseal-verify.1")
    assert "DBSEAL_AGAINST_KEY" in variables("dbseal-verify.1") - variables("dbseal-rekey.1")


@pytest.mark.parametrize("page", PAGES)
def test_other_pages_are_there(page):
    names = re.findall(r"^\.BR (\S+) \(1\)", "\n".join(section(page, "SEE ALSO")), re.MULTILINE)
    names = {plain(name) for name in names}
    own = {name for name in names if name.startswith("dbseal")}
    assert {f"{name}.1" for name in own} == set(PAGES) - {page}
    assert names - own <= OTHERS
