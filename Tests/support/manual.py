# The manual pages that are checked in, as their source says them.
import re

from support.program import ROOT

MAN = ROOT / "Docs/man"
PAGES = sorted(path.name for path in MAN.glob("*.1"))


def section(page, title):
    """The lines of source of one section."""
    text = (MAN / page).read_text()
    found = re.search(rf"^\.SH {title}\n(.*?)(?=^\.SH|\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(1).splitlines() if found else []


def plain(text):
    """What roff prints for it."""
    text = re.sub(r"\\f[BIR]|\\&", "", text)
    return text.replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\e", "\\")


def lines_to_type(page):
    return [plain(line) for line in section(page, "EXAMPLES")
            if plain(line).startswith("dbseal ")]
