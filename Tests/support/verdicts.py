# Runs verify the one way that its suites do.
from support import program
from support.files import Snapshot
from support.kinds import RAW, key_of


def verify(path, keys, code="ok", *options, key=RAW):
    """Verifies as JSON and as text, proves that both agree and nothing changed; the object."""
    named = ["--key-file", keys.file(key)] if key else []
    before = Snapshot(path.parent)
    result = program.run("verify", "--json", *named, *options, path)
    text = program.run("verify", *named, *options, path)
    before.unchanged()
    found = result.json
    assert result.exit == text.exit == program.EXIT[code], (result, text)
    assert found["code"] == code and found["ok"] is (code == "ok"), found
    assert found["command"] == "verify" and found["database"] == str(path), found
    for word in ("pages", "structure", "references"):
        assert word in text.out.decode(), text
    errors = [line for line in text.err.splitlines() if line.startswith(b"dbseal: ")]
    assert len(errors) == (code != "ok"), text
    return found


def check(path, keys, kind, code="ok", *options):
    """Verifies a database of that kind; the object and its verdicts."""
    found = verify(path, keys, code, *options, key=key_of(kind))
    return found, found["verdicts"]
