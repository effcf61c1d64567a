# The judge of content digests: the program that Docs/digest.md gives to other tools, run as it
# stands there over stock SQLite or SQLCipher. So the definition is tested with the tool.
import functools
import re

from support.program import ROOT


@functools.cache
def _program():
    text = (ROOT / "Docs/digest.md").read_text()
    block, = re.findall(r"```python\n(.*?)```", text, re.S)
    names = {}
    exec(compile(block, "Docs/digest.md", "exec"), names)
    return names


def of(connection):
    """The digest of an open database, 64 hex digits. The connection reads nothing else afterwards."""
    return _program()["digest"](connection)
