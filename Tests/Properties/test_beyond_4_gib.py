# Plan (DBSEAL_SLOW=1): verify over an encrypted database of more than 4 GiB, made by SQLCipher 4.19,
# a size at which tools are reported to call sound pages damaged.
# - sound: --quick and the whole check say so, every page looked at;
# - one bit flipped beyond 4 GiB: that page and no other, with the table that it belongs to;
# - each run stays under 100 MiB of memory.
# Whose pages lie beyond 4 GiB is known from the order of making: pages are only ever added.
import json
import os
import subprocess
import sys

import pytest

from support import peers, program
from support.files import flip

pytestmark = pytest.mark.slow
DIGITS = "12345678" * 8
PAGE = 4096
GIB = 1 << 30
MIB = 1 << 20
# A small process in between: what a child used is at least what its parent had when it forked.
MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, done.stdout, done.stderr, usage.ru_maxrss * 1024]))
"""


def fill(connection):
    """`early` up to 4 GiB, `late` behind it."""
    connection.execute("COMMIT")
    for pragma in ("synchronous=OFF", "journal_mode=OFF", "cache_size=-100000"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE early(id INTEGER PRIMARY KEY, body BLOB)")
    connection.execute("CREATE TABLE owner(id INTEGER PRIMARY KEY, early REFERENCES early)")
    while pages(connection) * PAGE < 4 * GIB + 8 * MIB:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
            " INSERT INTO early(body) SELECT randomblob(16000 + i % 1000) FROM n")
    connection.execute("INSERT INTO owner SELECT id, id FROM early WHERE id % 1000 = 0")
    connection.execute("CREATE TABLE late(a)")
    connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        " INSERT INTO late SELECT hex(randomblob(300)) FROM n")


def pages(connection):
    return connection.execute("PRAGMA page_count").fetchone()[0]


def verify(*args):
    """Runs verify under 100 MiB; its status and its object."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, program.BIN, "verify", "--json", *map(str, args)],
        capture_output=True, text=True, env=program.clean_env())
    assert done.returncode == 0, done.stderr
    status, out, err, memory = json.loads(done.stdout)
    assert memory < 100 * MIB, f"{memory >> 20} MiB"
    assert err == "", err
    return status, json.loads(out)


def test_a_database_beyond_4_gib(work, keys):
    path = peers.create_sealed(work / "large.db", f"x'{DIGITS}'", [], fill)
    total = os.path.getsize(path) // PAGE
    assert total * PAGE > 4 * GIB
    connection = peers.sealed(path, f"x'{DIGITS}'")
    assert pages(connection) == total
    assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
    root, = connection.execute("SELECT rootpage FROM sqlite_master WHERE name='late'").fetchone()
    connection.close()
    assert root * PAGE > 4 * GIB
    key = ["--key-file", keys.raw(DIGITS)]
    for options in (["--quick"], []):
        status, found = verify(*options, *key, path)
        assert status == 0 and found["ok"], found
        verdict = found["verdicts"]["pages"]
        # All but the lock-byte page at 1 GiB, which holds nothing.
        assert (verdict["checked"], verdict["total"]) == (total - 1, total), verdict
        assert verdict["damaged"] == [], verdict
    page = total - 7
    assert page > root
    flip(path, (page - 1) * PAGE + 1234)
    for options in (["--quick"], []):
        status, found = verify(*options, *key, path)
        assert status == program.EXIT["damaged"] and found["damaged_pages"] == [page], found
        (damage,) = found["verdicts"]["pages"]["damaged"]
        assert (damage["type"], damage["name"], damage["flaw"]) == ("table", "late", "tag"), damage
    os.remove(path)
