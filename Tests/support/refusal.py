# One way to test a refusal: exit status and code agree, in JSON and in text; one plain sentence;
# nothing changed, nothing left, no key printed.
from support import program
from support.files import Snapshot


def refuse(folder, code, *args, exit=None, ignore=(), **more):
    """Runs twice, with and without --json, and proves the refusal; gives the JSON object."""
    expected = program.EXIT[code] if exit is None else exit
    before = Snapshot(folder)
    result = program.run(args[0], "--json", *args[1:], **more)
    before.unchanged(ignore=ignore)
    assert result.exit == expected, result
    found = result.json
    assert found["ok"] is False and found["code"] == code and found["exit"] == expected, found
    assert found["message"], found
    text = program.run(*args, **more)
    before.unchanged(ignore=ignore)
    assert text.exit == expected, text
    assert text.out == b"", text
    lines = text.err.decode(errors="replace").splitlines()
    assert lines and lines[0].startswith("dbseal: "), text
    assert not any("not a database" in line and code == "wrong_key" for line in lines), lines
    return found
