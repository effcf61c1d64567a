# Whether an output fits is known before it is written, and exactly, though only the header is looked at
# where there is plenty of room. Plan, on small disks:
# - half-empty pages shrink, and records that just fit do not fit any more: a page less than what the
#   output takes is refused, and what it takes is enough; a dry run says the same
# - a log goes into the old file before the new one takes its place, and counts
# - what grows many times over is foreseen too: index keys that just overflow, and tables of one row
#   whose pages become larger
# - of several outputs those that fit are made
import os
from pathlib import Path

import pytest

from support import peers, samples
from support.content import content
from support.disk import SmallDisk, copied

RAW = "x'" + "a1b2c3d4" * 8 + "'"
PAGE = SmallDisk.PAGE

LAYOUTS = {
    # Half of each page is empty after this, and no page is free.
    "half-empty": ("CREATE TABLE t(id INTEGER PRIMARY KEY, a); WITH RECURSIVE n(i) AS (SELECT 1 "
                   "UNION ALL SELECT i + 1 FROM n WHERE i < 4000) INSERT INTO t SELECT i, "
                   "hex(zeroblob(150)) FROM n; DELETE FROM t WHERE id % 4;"),
    # Two rows fill a page, and one once the pages are 80 bytes shorter.
    "just fitting": ("CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                     "FROM n WHERE i < 150) INSERT INTO t SELECT printf('%02030d', i) FROM n;"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_size_is_exact(tmp_path, keys, layout):
    samples.plain(tmp_path / "a.db", LAYOUTS[layout])
    data = (tmp_path / "a.db").read_bytes()
    key = ("--key-file", keys.raw())
    with SmallDisk(tmp_path / "disk", "8m") as disk:
        source, target = disk.inside / "a.db", disk.inside / "out.db"
        (disk.outside / "a.db").write_bytes(data)
        assert disk.run("encrypt", *key, source, target).exit == 0
        needed = (disk.outside / "out.db").stat().st_size
        assert needed < len(data) / 2 if layout == "half-empty" else needed > 1.8 * len(data)
        (disk.outside / "out.db").unlink()
        for room, exit in ((needed - PAGE, 9), (needed, 0)):
            disk.leave(room)
            for more in (["--dry-run"], []):
                result = disk.run("encrypt", "--json", *key, *more, source, target)
                assert result.exit == exit, result
                if exit:
                    assert result.json["needed"] == needed and result.json["available"] == room
                    assert f"{PAGE} bytes too few" in result.json["message"]
        judge = peers.sealed(copied(disk.outside / "out.db", tmp_path), RAW)
        assert content(judge) == content(peers.plain(tmp_path / "a.db"))
        judge.close()


def test_a_log_that_goes_into_the_file_first(tmp_path, keys):
    """In place the log is written into the old file while the new one stands beside it already."""
    samples.plain(tmp_path / "a.db", "CREATE TABLE t(a);", pragmas=["journal_mode=WAL"])
    connection = peers.plain(tmp_path / "a.db")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                       "WHERE i < 300) SELECT zeroblob(3000) FROM n")
    before = content(connection)
    with SmallDisk(tmp_path / "disk", "8m") as disk:
        def put():
            for suffix in ("", "-wal"):
                (disk.outside / f"a.db{suffix}").write_bytes(Path(f"{tmp_path}/a.db{suffix}").read_bytes())
        args = ["encrypt", "--json", "--in-place", "--key-file", keys.raw(), disk.inside / "a.db"]
        put()
        disk.leave(0)
        needed = disk.run(*args).json["needed"]
        assert needed > 2 * 300 * PAGE
        for room, exit in ((needed - PAGE, 9), (needed, 0)):
            disk.clear()
            put()
            disk.leave(room)
            result = disk.run(*args)
            assert result.exit == exit, result
            assert len(os.listdir(disk.outside)) == (3 if exit else 2)
        judge = peers.sealed(copied(disk.outside / "a.db", tmp_path), RAW)
        assert content(judge) == before
    connection.close()


def test_what_grows_five_times(tmp_path, keys):
    """Keys that fill their pages four by four, and spill once these are shorter: no look at the header
    tells that."""
    samples.plain(tmp_path / "a.db", "CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID; WITH RECURSIVE "
                  "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) INSERT INTO t "
                  "SELECT printf('%0990d', i) FROM n;")
    with SmallDisk(tmp_path / "disk", "8m") as disk:
        (disk.outside / "a.db").write_bytes((tmp_path / "a.db").read_bytes())
        args = ["encrypt", "--key-file", keys.raw(), disk.inside / "a.db", disk.inside / "out.db"]
        disk.leave(3 * (tmp_path / "a.db").stat().st_size // PAGE * PAGE)
        result = disk.run(*args)
        assert result.exit == 9 and b"not enough space" in result.err, result
        assert sorted(os.listdir(disk.outside)) == ["a.db", "filler"]
        disk.clear()
        assert disk.run(*args).exit == 0


@pytest.mark.parametrize("pages", [4096, 65536])
def test_many_small_tables(tmp_path, keys, pages):
    script = "".join(f"CREATE TABLE t{i}(a); INSERT INTO t{i} VALUES({i});" for i in range(100))
    samples.plain(tmp_path / "a.db", script, page_size=512)
    with SmallDisk(tmp_path / "disk", "16m") as disk:
        source, target = disk.inside / "a.db", disk.inside / "out.db"
        (disk.outside / "a.db").write_bytes((tmp_path / "a.db").read_bytes())
        args = ["encrypt", "--json", "--key-file", keys.raw(), "--page-size", pages, source, target]
        assert disk.run(*args).exit == 0
        needed = (disk.outside / "out.db").stat().st_size
        assert needed > 100 * pages
        (disk.outside / "out.db").unlink()
        for room, exit in ((needed // 3 // PAGE * PAGE, 9), (needed - PAGE, 9), (needed, 0)):
            disk.leave(room)
            dry, real = disk.run(*args, "--dry-run"), disk.run(*args)
            assert (dry.exit, real.exit) == (exit, exit), (dry, real)
            assert exit == 0 or dry.json["needed"] == needed
            disk.clear()
        judge = peers.sealed(
            copied(disk.outside / "out.db", tmp_path), RAW, [("cipher_page_size", pages)])
        assert content(judge) == content(peers.plain(tmp_path / "a.db"))


def test_of_several_those_that_fit_are_made(tmp_path, keys):
    for name, size in (("1.db", 1), ("2.db", 3_000_000), ("3.db", 1)):
        samples.plain(tmp_path / name, f"CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob({size}));")
    with SmallDisk(tmp_path / "disk", "1m") as disk:
        result = disk.run("encrypt", "--json", "--key-file", keys.raw(), "--output-dir", disk.inside,
                          *[tmp_path / f"{n}.db" for n in (1, 2, 3)])
        assert result.exit == 1 and [o.get("code") for o in result.objects] == ["ok", "io", "ok", None]
        assert sorted(os.listdir(disk.outside)) == ["1.db", "3.db"]
