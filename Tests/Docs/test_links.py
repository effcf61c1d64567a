# Plan: every link of a page leads to a file that is there, and to a heading of it. Headings have the names
# that GitHub gives them: lower case, blanks as dashes, without other signs; again with `-1`.
import re

import pytest
from test_command_lines import FILES

from support import program

LINKS = [(path, target) for path in [*FILES, program.ROOT / "CHANGELOG.md"] for target in re.findall(
    r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL))]


def anchors(path):
    found = []
    for heading in re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE):
        text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return found


@pytest.mark.parametrize(
    "path,target", LINKS, ids=[f"{path.name}-{target}" for path, target in LINKS])
def test_links_lead_somewhere(path, target):
    file, _, anchor = target.partition("#")
    if "://" in file:
        return
    other = path.parent / file if file else path
    assert other.exists()
    assert not anchor or anchor in anchors(other)
