# Plan: how far the work is, as a person and as a program see it.
# - on a terminal one line, never as wide as the terminal, whatever its width is and becomes, and gone
#   at the end, whatever came of the work; a terminal of forty lines of Python is the judge of what
#   is left on the screen;
# - of several databases it counts those that are done, and their results stand above it whole;
# - nothing where nobody looks: in a pipe, on a dumb terminal, with --quiet; no escape sequence where
#   a line is wanted all the same; no color in it, with or without NO_COLOR;
# - --progress json: an object a line on standard error, never backwards, the last one with all that
#   there is, and none that says so after a failure or a signal; standard output is the same;
# - tables and maps are aligned as tmux, a real terminal, shows them.
import json
import os
import re
import signal
import sqlite3
import subprocess
import time

import pytest

from support import peers, program, samples, summaries

# Derivations take the time that something is shown in: a second each, on any machine some tenths.
SLOW = ["--kdf-iter", "2500000"]
PHRASE = "a phrase that takes a while"
RAW = "a1b2c3d4" * 8


class Screen:
    """Lines of text, a carriage return, and one escape sequence; anything else is refused."""

    def __init__(self):
        self.lines, self.line, self.column = [], [], 0
        # Every state of the line, as long as it was shown.
        self.drawn = []

    def feed(self, text):
        for part in re.findall(r"\x1b\[K|\r\n|\r|\n|[^\x00-\x1f\x7f]+|.", text, re.S):
            if part == "\r":
                self.keep()
                self.column = 0
            elif part in ("\n", "\r\n"):
                self.lines.append("".join(self.line).rstrip())
                self.line, self.column = [], 0
            elif part == "\x1b[K":
                del self.line[self.column:]
            else:
                assert part.isprintable(), f"something else was written: {part!r}"
                self.line[self.column:self.column + len(part)] = part
                self.column += len(part)
        return self

    def keep(self):
        if self.line:
            self.drawn.append("".join(self.line).rstrip())


def several(work, count=4):
    (work / "out").mkdir()
    return [samples.plain(work / f"number-{n}.db", f"CREATE TABLE t(a); INSERT INTO t VALUES({n});")
            for n in range(count)]


def encrypt(work, keys, *more):
    # What the engine opens itself, so that there is no note.
    slow = ["--format", 3, "--kdf-iter", 6_000_000] if program.engine() < (4,) else SLOW
    return ["encrypt", "-j", 1, *slow, "--key-file", keys.file(PHRASE + "\n"), *more]


@pytest.mark.parametrize("columns", [1, 7, 20, 40, 80, 300])
def test_one_line_that_fits_and_goes(work, keys, source, columns):
    result = program.run_tty(*encrypt(work, keys, source, work / "a.db"), columns=columns)
    screen = Screen().feed(result.out.decode())
    progress = screen.drawn
    assert result.exit == 0 and progress, result
    assert max(map(len, progress)) <= max(1, columns - 1)
    # What stays is the result alone.
    left = [line for line in screen.lines + ["".join(screen.line).rstrip()] if line]
    assert left[0].startswith(f"encrypted {source}") and not any("deriving" in l for l in left)
    if columns == 80:
        assert all(line.endswith("plain.db: deriving the key") for line in progress[:2])


@pytest.mark.parametrize("before, after", [(100, 24), (24, 100)])
def test_a_window_that_changes(work, keys, before, after):
    paths = several(work, 3)
    result = program.run_tty(*encrypt(work, keys, "--output-dir", work / "out", *paths),
                             columns=before, then=after)
    screen = Screen().feed(result.out.decode())
    progress = screen.drawn
    assert result.exit == 0 and len(progress) > 2
    assert all(len(line) < before for line in progress[:1])
    assert all(len(line) < after for line in progress[2:])
    assert max(map(len, progress[2:])) > 23 or after < before
    assert not "".join(screen.line).strip()


def test_several_count_what_is_done(work, keys):
    paths = several(work)
    result = program.run_tty(*encrypt(work, keys, "--output-dir", work / "out", *paths),
                             columns=500, env={"DBSEAL_CRYPTO": "openssl"})
    screen = Screen().feed(result.out.decode())
    counts = [int(found[1]) for line in screen.drawn
              if (found := re.match(r"(\d) of 4 done(, \d+%)?.*; .*number-\d.db: ", line))]
    assert counts == sorted(counts) and len(set(counts)) > 1 and counts[0] == 0, screen.drawn
    # Each result stands whole, and nothing else does.
    results = [line for line in screen.lines if line and "PRAGMA" not in line
               and not line.startswith("after the key")]
    assert [line.split(" ")[0] for line in results] == ["encrypted"] * 4 + ["4"]
    assert summaries.text(results[4]) == "4 of 4 databases encrypted"


def test_gone_after_a_failure(work, keys):
    sealed = peers.create_sealed(work / "a.db", PHRASE, [("kdf_iter", 2500000)], samples.fill)
    result = program.run_tty("decrypt", *SLOW, "--key-file", keys.file("another one"), sealed,
                             work / "b.db", columns=200, env={"NO_COLOR": "1"})
    screen = Screen().feed(result.out.decode())
    assert result.exit == 4 and any("deriving" in line for line in screen.drawn)
    assert [line.split(":")[0] for line in screen.lines] in (["dbseal"], ["dbseal", "hint"])
    assert not "".join(screen.line).strip()


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"},
                                 {"TERM": "xterm"}])
def test_terminals_that_know_less(work, keys, source, env):
    line = encrypt(work, keys, source, work / "a.db")
    shown = program.run_tty(*line, env=env, columns=200).out.decode()
    dumb = env["TERM"] == "dumb"
    assert ("deriving" in shown) == (not dumb)
    assert not re.search(r"\x1b\[[0-9;]*m", shown)
    if dumb:
        assert "\x1b" not in shown and not shown.startswith("\r")
        shown = program.run_tty(*line, "--force", "--progress", "always", env=env).out.decode()
        assert "deriving" in shown and "\x1b" not in shown
        assert not [l for l in Screen().feed(shown).lines if "deriving" in l]


def test_nothing_in_a_pipe(work, keys, source):
    line = encrypt(work, keys, source, work / "a.db", "--force")
    assert program.run(*line).err == b""
    assert "deriving" not in program.run_tty(*line, "--quiet").text
    assert "deriving" not in program.run_tty(*line, "--progress", "never").text
    result = program.run(*line, "--progress", "always")
    assert b"deriving" in result.err and b"\x1b" not in result.err
    assert Screen().feed(result.err.decode()).lines == []
    assert program.run(*line, "--quiet", "--progress", "always").err == b""


FIELDS = {"command", "phase", "file", "files", "files_done", "done", "total", "rate",
          "seconds_left"}
PHASES = {None, "deriving", "converting", "syncing", "proving", "checking", "structure", "content",
          "reading", "done"}


def events(result):
    found = [json.loads(line)["progress"] for line in result.err.splitlines() if line[:1] == b"{"]
    for event in found:
        assert set(event) == FIELDS and event["phase"] in PHASES, event
        assert 0 <= event["done"] <= event["total"]
        assert 0 <= event["files_done"] <= event["files"]
        assert event["rate"] is None or event["rate"] > 0
    dones = [event["done"] for event in found]
    assert dones == sorted(dones)
    return found


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_objects_for_a_program(work, keys, quiet):
    paths = several(work)
    result = program.run(*encrypt(work, keys, "--json", "--progress", "json", *quiet,
                                  "--output-dir", work / "out", *paths))
    found = events(result)
    assert result.exit == 0 and len(found) > 1 and len(result.objects) == 5
    size = sum(path.stat().st_size for path in paths)
    assert {event["command"] for event in found} == {"encrypt"}
    assert {event["files"] for event in found} == {4} and {e["total"] for e in found} == {size}
    assert {event["file"] for event in found} - {None} <= set(map(str, paths))
    assert "deriving" in {event["phase"] for event in found}
    last = found[-1]
    assert (last["phase"], last["done"], last["files_done"], last["seconds_left"]) == (
        "done", size, 4, 0)
    assert [event for event in found[:-1] if event["phase"] == "done"] == []


@pytest.mark.parametrize("words", [
    ["verify"], ["verify", "--quick"], ["verify", "--digest"], ["inspect"],
    ["decrypt", "--force", "TARGET"], ["rekey", "--new-key-file", "NEW"],
    ["migrate", "--page-size", "8192"], ["migrate", "--schema", "FOLDER", "--source-page-size",
                                         "4096"]])
def test_every_command_ends_with_all(work, keys, outside, words):
    sealed = peers.create_sealed(work / "a.db", f"x'{RAW}'", [], samples.fill)
    (outside / "1_a.sql").write_text("CREATE TABLE extra(a);")
    names = {"TARGET": work / "b.db", "NEW": keys.raw("0123456789abcdef" * 4, "new"),
             "FOLDER": outside}
    more = [names.get(word, word) for word in words[1:]]
    target = [word for word in more if word == names["TARGET"]]
    more = [word for word in more if word not in target]
    size = sealed.stat().st_size
    result = program.run(words[0], "--progress", "json", "--key-file", keys.raw(RAW), *more, sealed,
                         *target)
    if "--schema" in words and program.engine() < (4,):
        assert result.exit == 10 and b"needs SQLCipher 4.0" in result.err, result
        return
    assert result.exit == 0, result
    last = events(result)[-1]
    assert (last["phase"], last["command"], last["done"]) == ("done", words[0], size)


def test_no_last_object_where_it_is_not_true(work, keys):
    paths = several(work)
    result = program.run("encrypt", "--progress", "json", "--key-file", keys.raw(RAW),
                         work / "none.db", work / "a.db")
    assert result.exit == 9 and b"progress" not in result.err
    process = program.start(*encrypt(work, keys, "--progress", "json", "--output-dir",
                                     work / "out", *paths))
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=60)[1].decode()
    assert process.returncode == -signal.SIGTERM
    found = [json.loads(line)["progress"] for line in text.splitlines() if line[0] == "{"]
    assert found and all(event["phase"] != "done" for event in found)
    # One that failed is done with all the same.
    result = program.run("encrypt", "--progress", "json", "--key-file", keys.raw(RAW), "--force",
                         "--output-dir", work / "out", paths[0], work / "none.db")
    last = json.loads(result.err.splitlines()[-1])["progress"]
    assert result.exit == 1 and last["phase"] == "done" and last["files_done"] == 2
    assert last["done"] == last["total"] == paths[0].stat().st_size


class Tmux:
    """A terminal of tmux, which says where its cursor is and what it shows."""

    def __init__(self, folder, columns):
        self.socket = folder / f"tmux-{columns}"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", "60", "cat")
        self.tty = self.tmux("display", "-p", "#{pane_tty}").strip()

    def tmux(self, *words):
        env = program.clean_env({"LC_ALL": "C.UTF-8", "TERM": "screen"})
        return subprocess.run(["tmux", "-S", self.socket, *map(str, words)], check=True, env=env,
                              capture_output=True, text=True).stdout

    def column_after(self, text):
        """Where the cursor stands after `text` at the start of a line."""
        with open(self.tty, "w") as terminal:
            terminal.write("\r\x1b[K" + text + "\x1b]2;" + str(time.monotonic_ns()) + "\x07")
            terminal.flush()
        seen = None
        while (now := self.tmux("display", "-p", "#{cursor_x} #{pane_title}")) != seen:
            seen = now
        return int(now.split()[0])

    def close(self):
        self.tmux("kill-server")


# What terminals agree about; of joined emoji, older ones know less than Unicode.
NAMES = ["plain", "漢字テスト", "e\u0301galite\u0301", "👍", "한국어", "ไทยที่", "हिन्दी", "नमस्ते",
         "العربية", "⌚", "☂", "½ ±", "ｱｲｳ", "𝒳", "a\u200bb", "ﷺ", "…", "“quotes”", "—", "─│┼"]


@pytest.fixture
def names(work):
    path = work / "names.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(name, number)")
    connection.executemany("INSERT INTO t VALUES(?, ?)", [(name, 7) for name in NAMES])
    for name in NAMES[:8]:
        connection.execute(f'CREATE TABLE "{name}"(a)')
    connection.commit()
    connection.close()
    return path


def test_tables_are_aligned_as_a_terminal_shows_them(work, tmp_path, names):
    rows = program.run("inspect", "--query", "SELECT name, '|', number FROM t",
                       names).out.decode().splitlines()[2:]
    tables = [line for line in program.run("inspect", "--tables", names).out.decode().splitlines()
              if line.startswith("    ")]
    assert len(rows) == len(NAMES) and len(tables) == 9
    terminal = Tmux(tmp_path, 100)
    try:
        for lines, mark in (rows, "|"), (tables, None):
            columns = {terminal.column_after(line[:line.index(mark)] if mark else line)
                       for line in lines}
            assert len(columns) == 1, lines
    finally:
        terminal.close()


@pytest.mark.parametrize("columns", [25, 40, 80, 200])
def test_the_map_fits_the_terminal(work, columns):
    path = work / "a.db"
    connection = sqlite3.connect(path)
    connection.executescript("""PRAGMA page_size = 512; CREATE TABLE t(a);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO t SELECT zeroblob(700) FROM n;""")
    connection.close()
    lines = program.run_tty("inspect", "--pages", path, columns=columns).out.decode().split("\r\n")
    drawn = [line for line in lines if line.strip().split(" ")[0].isdigit()]
    assert max(map(len, drawn)) <= columns and 10 < len(drawn) <= 24
    groups = [group for line in drawn[:-1] for group in line.split()[1:]]
    assert {len(group) for group in groups} == {16}
    # The terminal is used: twice as many would not fit, or 128 are enough.
    cells = 16 * len(drawn[0].split()[1:])
    assert cells == 128 or len(drawn[0]) + cells + cells // 16 > columns
    # The number before a line is that of its first page.
    each = int(re.search(r"map, (\d+) pages each", "\n".join(lines))[1])
    assert [int(line.split()[0]) for line in drawn] == [
        1 + row * cells * each for row in range(len(drawn))]
