# Plan: for any database, encrypt then decrypt gives its content back.
# - DBSEAL_CASES random databases (default 2000) on all cores, with random formats, page sizes,
#   tags and modes of decryption; stock SQLite judges content and integrity of source and result;
# - in one case of eight SQLCipher 4.19 opens the encrypted file, checks every tag and compares too;
# - a failure names its seed: DBSEAL_SEED=that DBSEAL_CASES=1 runs it alone. The same ones each time,
#   unless DBSEAL_SEED says where to begin: a gate that draws anew fails those who changed nothing.
import concurrent.futures
import os
import random
import shutil
import sqlite3
import tempfile
from pathlib import Path

from support import peers, program
from support.content import content
from support.generator import PAGE_SIZES, Generator

DIGITS = "fedcba98" * 8
CASES = int(os.environ.get("DBSEAL_CASES", 2000))
FIRST = int(os.environ.get("DBSEAL_SEED", 1))
# Memory where there is such a place: thousands of syncs would measure the disk.
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def settings(pick):
    """Random settings: what encrypt writes, and what decrypt must be told to read it."""
    number = pick.choice((4, 4, 4, 3, 2, 1))
    write, read = ["--format", str(number)], []
    if pick.random() < 0.6:
        size = pick.choice(PAGE_SIZES[1:] if number != 1 else PAGE_SIZES)
        write += ["--page-size", str(size)]
        read += ["--source-page-size", str(size)]
    if number == 4 and pick.random() < 0.3:
        extra = ["--hmac-algorithm", pick.choice(("sha1", "sha256", "none"))]
        write, read = write + extra, read + extra
    if pick.random() < 0.2:
        read += ["--exact"]
    elif pick.random() < 0.4:
        read += ["--page-size", str(pick.choice(PAGE_SIZES))]
    return write, ["--format", str(number)] + read


def make(seed, path):
    """A random database. SQLite 3.40 calls one in some thousand of its own making malformed while
    it deletes rows, or finds a byte too many in one of its own pages: that says nothing of dbseal, and
    another one is made in its place."""
    for attempt in range(3):
        try:
            Generator(seed + attempt * 10**9).make(path)
            judge = peers.plain(path)
            peers.sound(judge)
            return judge.close()
        except (sqlite3.DatabaseError, AssertionError) as error:
            if not ("malformed" in str(error) or "Fragmentation" in str(error)) or attempt == 2:
                raise
            for file in path.parent.glob(path.name + "*"):
                file.unlink()


def one(seed):
    """One case; None, or what went wrong."""
    pick = random.Random(seed)
    write, read = settings(pick)
    folder = Path(tempfile.mkdtemp(prefix="dbseal-", dir=FOLDER))
    try:
        key = folder / "key"
        key.write_text(f"x'{DIGITS}'")
        key.chmod(0o600)
        source, sealed, back = folder / "plain.db", folder / "sealed.db", folder / "back.db"
        make(seed, source)
        judge = peers.plain(source)
        wanted = content(judge)
        judge.close()
        found = program.ok("encrypt", source, sealed, "--key-file", key, *write)
        if seed % 8 == 0:
            judge = peers.sealed(sealed, f"x'{DIGITS}'", program.pragmas(found))
            peers.sound(judge, cipher=True)
            assert content(judge) == wanted, "SQLCipher reads other content"
            judge.close()
        program.ok("decrypt", sealed, back, "--key-file", key, *read)
        judge = peers.plain(back)
        peers.sound(judge)
        assert content(judge) == wanted, "other content came back"
        return None
    except Exception as error:
        return f"seed {seed}, encrypt {write}, decrypt {read}: {str(error)[:1500]}"
    finally:
        shutil.rmtree(folder)


def test_decrypt_of_encrypt_has_the_content_of_the_source():
    print(f"seeds {FIRST} to {FIRST + CASES - 1}")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        failures = [f for f in pool.map(one, range(FIRST, FIRST + CASES), chunksize=4) if f]
    assert not failures, f"{len(failures)} of {CASES} failed:\n" + "\n".join(failures[:5])
