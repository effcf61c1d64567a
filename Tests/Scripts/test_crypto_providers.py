# Plan: the multi-buffer library and libcrypto are two ways to the same files.
# - --version names the library where it is used, and not where it is told not to;
# - what one writes the other reads, and peers read both, at page sizes from 1024 to 65536;
# - one altered byte is found by both, and the same pages are named.
import os

import pytest

from support import peers, program, samples
from support.content import content

CHOICES = [{"DBSEAL_CRYPTO": "openssl"}, {}]


def test_version_says_which_is_in_use():
    plain = program.run("--version", env=CHOICES[0]).out
    assert b"OpenSSL" in plain and b"ipsec-mb" not in plain
    if os.environ.get("DBSEAL_MULTIBUFFER"):
        with open("/proc/cpuinfo") as file:
            able = " avx2 " in file.read()
        assert (b"ipsec-mb" in program.run("--version").out) is able


@pytest.mark.parametrize("size", [1024, 4096, 16384, 65536])
@pytest.mark.parametrize("writer", [0, 1])
def test_what_one_writes_the_other_reads(work, keys, size, writer):
    path = samples.plain(work / "a.db", page_size=size)
    before = content(peers.plain(path))
    raw = "a1b2c3d4" * 8
    key = ["--key-file", keys.raw(raw)]
    found = program.ok("encrypt", path, work / "e.db", *key, "--page-size", size,
                       env=CHOICES[writer])
    judge = peers.sealed(work / "e.db", f"x'{raw}'", program.pragmas(found))
    peers.sound(judge, cipher=True)
    assert content(judge) == before
    judge.close()
    settings = ["--source-page-size", size]
    program.ok("decrypt", work / "e.db", work / "d.db", *key, *settings, env=CHOICES[1 - writer])
    assert content(peers.plain(work / "d.db")) == before


def test_both_find_the_same_damage(work, keys):
    path = samples.plain(work / "a.db")
    key = ["--key-file", keys.raw()]
    program.ok("encrypt", path, work / "e.db", *key)
    data = bytearray((work / "e.db").read_bytes())
    pages = [2, 5, len(data) // 4096]
    for page in pages:
        data[page * 4096 - 200] ^= 4
    (work / "e.db").write_bytes(data)
    for env in CHOICES:
        result = program.run("decrypt", "--json", work / "e.db", work / "d.db", *key, env=env)
        assert result.json["code"] == "damaged" and result.json["damaged_pages"] == pages
