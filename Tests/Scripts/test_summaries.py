# Plan: the summary of several databases tells the truth, whatever the command: how many went well, how
# many failed of what, the size of what was gone through, and the same in text. The judge counts the
# answers that were printed and the bytes on the disk.
import re
from collections import Counter

import pytest

from support import peers, program, samples, summaries

OLD, NEW = "a1b2c3d4" * 8, "0123456789abcdef" * 4

# What each command makes of: a sound database, a damaged one, the wrong kind, one that is missing, an
# empty file, another sound one.
CODES = {
    "encrypt": ["ok", "damaged", "wrong_kind", "io", "wrong_kind", "ok"],
    "decrypt": ["ok", "damaged", "wrong_kind", "io", "wrong_kind", "ok"],
    "rekey": ["ok", "damaged", "wrong_kind", "io", "wrong_kind", "ok"],
    "migrate": ["ok", "damaged", "wrong_kind", "io", "wrong_kind", "ok"],
    "migrate --schema": ["ok", "damaged", "ok", "io", "wrong_kind", "ok"],
    "verify": ["ok", "damaged", "wrong_kind", "io", "wrong_kind", "ok"],
    "inspect": ["ok", "ok", "ok", "io", "ok", "ok"],
}
VERBS = {"encrypt": "encrypted", "decrypt": "decrypted", "rekey": "rekeyed", "migrate": "migrated",
         "migrate --schema": "up to date", "verify": "passed", "inspect": "inspected"}


def databases(folder, command):
    """Six databases, of which the third is of the other kind."""
    # A schema is migrated by the engine, and an older one opens format 3.
    is_old = command == "migrate" or "--schema" in command and program.engine() < (4,)

    def make(name, is_plain):
        script = samples.FAMILY + f"INSERT INTO other VALUES('{name}', zeroblob({len(name) * 5000}));"
        if is_plain:
            return samples.plain(folder / name, script)
        pragmas = [("cipher_compatibility", 3)] if is_old else []
        return peers.create_sealed(folder / name, f"x'{OLD}'", pragmas,
                                   lambda c: c.executescript(script))

    plain = command == "encrypt"
    paths = [make("a.db", plain), make("damaged.db", plain), make("other-kind.db", not plain),
             folder / "missing.db", folder / "empty.db", make("last.db", plain)]
    paths[4].touch()
    data = bytearray(paths[1].read_bytes())
    size = 1024 if is_old else 4096
    if plain:
        data[2 * 4096] = 0x77
    else:
        data[size + 100] ^= 1
    paths[1].write_bytes(data)
    return paths


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("command", CODES)
def test_it_says_what_came_of_all(work, keys, outside, command, as_json):
    paths = databases(work, command)
    (work / "out").mkdir()
    (outside / "1_a.sql").write_text("CREATE TABLE extra(a);")
    more = {"encrypt": ["--output-dir", work / "out"], "decrypt": ["--output-dir", work / "out"],
            "rekey": ["--in-place", "--new-key-file", keys.raw(NEW, "new")],
            "migrate": ["--in-place"], "migrate --schema": [outside],
            "verify": [], "inspect": []}[command]
    sizes = [path.stat().st_size if path.exists() else 0 for path in paths]
    key = ["--key-env", "OTHER"] if command == "verify" else []
    result = program.run(*command.split(), *more, *(["--json"] if as_json else []), *key, *paths,
                         env={"DBSEAL_KEY": f"x'{OLD}'", "OTHER": f"x'{OLD}'"})
    assert result.exit == 1, result
    codes = CODES[command]
    failures = dict(Counter(code for code in codes if code != "ok"))
    # A verdict of damage needs the whole database to be read; any other failure does not.
    through = {"ok", "damaged"} if command == "verify" else {"ok"}
    size = sum(size for size, code in zip(sizes, codes) if code in through)
    if as_json:
        *lines, last = result.objects
        assert [line["code"] for line in lines] == codes, result
        assert last["summary"]["bytes"] == size
        assert summaries.of(last) == {"summary": {
            "command": command.split()[0], "ok": False, "code": "check_failed", "exit": 1, "files": 6,
            "succeeded": codes.count("ok"), "failed": 6 - codes.count("ok"), "skipped": 0, "unchanged": 0,
            "failures": failures}}
        return
    lines = result.out.decode().splitlines()
    if command == "inspect":
        assert not re.search(r"of 6 databases", result.out.decode())
        return
    said = re.fullmatch(
        rf"{codes.count('ok')} of 6 databases {VERBS[command]}, {6 - codes.count('ok')} failed"
        r" \((.*)\); (\d+) KiB in \d+(\.\d)? s", lines[-1])
    assert said, lines[-1]
    assert dict((name, int(count)) for count, name in
                (part.split() for part in said[1].split(", "))) == failures
    assert int(said[2]) == size // 1024
