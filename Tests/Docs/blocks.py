# The blocks of a Markdown page, and the command lines in them with the output that is shown.
#
# A block is indented by four spaces behind an empty line, or fenced. What it is:
#   session   a line begins with `$ `: commands, and under each what it prints
#   script    fenced as sh, or its first line that is no comment begins with a known program
#   synopsis  `dbseal COMMAND [OPTION]...`: how a command is called
#   text      anything else: what a file holds, a picture, code of another language
# A command line is continued behind a `\` and while a quote, `if` or brace is open.
import re
import subprocess
from dataclasses import dataclass, field

PROGRAMS = ("dbseal", "make", "mkdir", "rm", "sqlcipher", "sqlite3", "secret-tool", "keyctl", "swift",
            "git", "cp", "if", "for", ".", "source", "sudo", "tar", "(cd", "ls", "export", "chmod",
            "PKG_CONFIG_PATH=", "DBSEAL_", "find", "parallel", "ansible-playbook", "ssh", "cat",
            "python3", "printf", "echo", "prove", "autoload")


@dataclass
class Line:
    """One command, as it is typed, and what the page shows under it (None: nothing is shown)."""
    page: str
    number: int
    text: str
    section: str = ""
    shown: list = None

    @property
    def exit(self):
        """The status that the page shows: `# exit 4`; else 0, unless an error is what is printed."""
        said = re.search(r"# exit (\d+)", self.text)
        return int(said.group(1)) if said else None

    def __str__(self):
        return f"{self.page}:{self.number}: {self.text}"


@dataclass
class Block:
    page: str
    number: int
    language: str
    section: str
    lines: list = field(default_factory=list)

    @property
    def kind(self):
        if any(line.startswith("$ ") for line in self.lines):
            return "session"
        code = [line for line in self.lines if line and not line.startswith("#")]
        if all(re.match(r"dbseal .*\[OPTION\]", line) for line in code):
            return "synopsis"
        if self.language in ("sh", "bash", "shell", "console"):
            return "script"
        known = code and code[0].startswith(tuple(PROGRAMS))
        return "script" if known and self.language is None else "text"


def of(page, text):
    """All blocks of a page, in order."""
    found, lines, at, section = [], text.splitlines(), 0, ""
    while at < len(lines):
        heading = re.match(r"#+ (.*)", lines[at])
        section = heading.group(1) if heading else section
        fence = re.match(r"( *)(```+|~~~+)\s*(\S*)", lines[at])
        if fence:
            block = Block(page, at + 2, fence.group(3) or "", section)
            at += 1
            while at < len(lines) and lines[at].strip() != fence.group(2):
                block.lines.append(lines[at].removeprefix(fence.group(1)))
                at += 1
            assert at < len(lines), f"{page}:{block.number}: the fence is not closed"
            found.append(block)
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            block = Block(page, at + 1, None, section)
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                block.lines.append(lines[at][4:].rstrip())
                at += 1
            while not block.lines[-1]:
                block.lines.pop()
            found.append(block)
            continue
        at += 1
    return found


def commands(block):
    """The command lines of a session or script."""
    found, at = [], 0
    is_session = block.kind == "session"
    while at < len(block.lines):
        line, number = block.lines[at], block.number + at
        at += 1
        if is_session and not line.startswith("$ "):
            assert found, f"{block.page}:{number}: output without a command"
            found[-1].shown = (found[-1].shown or []) + [line]
            continue
        text = line.removeprefix("$ ") if is_session else line
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        while at < len(block.lines) and is_open(text):
            text += "\n" + block.lines[at].removeprefix("> " if is_session else "")
            at += 1
        found.append(Line(block.page, number, text, block.section))
    return found


def is_open(text):
    """Whether a shell would wait for more."""
    if text.endswith("\\"):
        return True
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return done.returncode != 0
