# Plan: every command line of README.md and of the pages in Docs that people write is run as it stands
# there, each page's lines in order, in a folder that has what the page assumes, with a terminal where
# it asks, and what stands behind `sqlite> ` typed. It ends with 0, or with the status that the line
# says: `# exit 4`. Where the page shows what is printed, that is printed, except what differs from run
# to run (`LOOSE`), and whatever stands for `…` or `...`. Every block is either run, or compared with
# the help, or listed with a reason in `given.py`, and that list names nothing that is no longer there.
import re

import blocks
import given
import pytest
from sandbox import Sandbox, prepare

from support import program

FILES = [program.ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")] + sorted(
    path for path in (program.ROOT / "Docs").rglob("*.md") if "reference" not in path.parts)
NAMES = {str(path.relative_to(program.ROOT)): path for path in FILES}
PAGES = {name: blocks.of(name, path.read_text()) for name, path in NAMES.items()
         if name not in given.ELSEWHERE}
# What is another one in each run or with each engine: salts, times, process numbers, versions.
LOOSE = [r"[0-9a-f]{16,}", r"(?:[0-9a-f]{2} ){15}[0-9a-f]{2}", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
         r"(?<=\()\d+(?=\))", r"\d+\.\d+\.\d+"]


def test_pages_that_are_run_elsewhere_are_read_there():
    texts = [test.read_text() for test in (program.ROOT / "Tests").glob("*/test_*.py")
             if test.parent.name != "Docs"]
    for page in given.ELSEWHERE & set(NAMES):
        assert any(page in text for text in texts), page


def commands(page):
    return [line for block in PAGES[page] if block.kind in ("session", "script")
            for line in blocks.commands(block)]


def listed(table, page, text):
    found = [key for key in table if key[0] == page and text.startswith(key[1])]
    return found[0] if found else None


def test_every_block_is_run_or_has_a_reason_not_to_be():
    texts, lines, silent = set(), set(), set()
    for page, found in PAGES.items():
        for block in found:
            if block.kind == "text":
                key = listed(given.TEXTS, page, block.lines[0])
                assert key, f"{page}:{block.number}: no command line that a program is known for"
                texts.add(key)
        lines |= {listed(given.NOT_RUN, page, line.text) for line in commands(page)}
        if not commands(page):
            silent.add(page)
    assert texts == set(given.TEXTS)
    assert lines - {None} == set(given.NOT_RUN)
    assert silent == given.SILENT
    places = [(f"{line.page}#{line.section}", line.text) for page in PAGES for line in commands(page)]
    assert {listed(given.GIVEN, *place) for place in places} - {None} == set(given.GIVEN)


@pytest.mark.parametrize("page", [page for page in PAGES if any(
    block.kind == "synopsis" for block in PAGES[page])])
def test_how_a_command_is_called_is_what_its_help_says(page):
    for block in PAGES[page]:
        for line in block.lines if block.kind == "synopsis" else ():
            said = program.run("help", line.split()[1]).out.decode()
            assert line in " ".join(said.split("\n")), line


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_command_lines_do_what_the_page_says(page, work):
    box, wrong, run = Sandbox(work), [], 0
    try:
        for line in commands(page):
            if listed(given.NOT_RUN, page, line.text):
                continue
            run += 1
            wrong += judge(box, line)
    finally:
        box.close()
    assert not wrong, "\n\n".join(wrong)
    assert run or all(listed(given.NOT_RUN, page, line.text) for line in commands(page))


def judge(box, line):
    """What is wrong with a line, if anything."""
    answers = prepare(box, line.text)
    special = listed(given.GIVEN, f"{line.page}#{line.section}", line.text)
    if special:
        said = given.GIVEN[special](box)
        answers = said if isinstance(said, list) else answers
    shell = next((each for each in given.SHELLS if f"# {each}" in line.text), "bash")
    typed = "".join(each.removeprefix("sqlite> ") + "\n" for each in line.shown or ()
                    if each.startswith("sqlite> "))
    status, printed = box.run(line.text, shell, answers, typed)
    expected = line.exit or 0
    if status == 10 and program.engine() < (4,):
        return []  # this engine does not open format 4, which the page speaks of
    if status != expected:
        return [f"{line}\nended with {status}, not {expected}:\n{printed}"]
    shown = [each for each in line.shown or () if not each.startswith("sqlite> ")]
    if program.engine() < (4,):
        if any("SQLCipher 4" in each for each in shown):
            return []
        printed = "\n".join(each for each in printed.splitlines() if "this engine" not in each)
    if line.shown is not None and not re.fullmatch(pattern(shown), printed.rstrip("\n")):
        return [f"{line}\nprints:\n{printed}"]
    return []


def pattern(shown):
    """What is shown, as a regular expression: loose where runs differ, or where it says so."""
    pieces = re.split("(" + "|".join(LOOSE) + r"|…|\.\.\.)", "\n".join(shown))
    return "".join(loose(piece) if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))


def loose(piece):
    """What stands for a piece that differs from run to run."""
    if piece in ("…", "..."):
        return r"[\s\S]*"
    return r"\d+" if piece.isdigit() else next(
        each for each in LOOSE if re.fullmatch(each, piece))
