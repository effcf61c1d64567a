# The shells of users, each on a terminal of its own with the completion that is checked in. A line
# is typed, all that the shell would complete is inserted by the shell itself, and the line is run:
# a program in the place of dbseal writes down the arguments that it gets. So what is compared is what
# dbseal would have been given, with the shell's own quoting on the way.
import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
import time
from pathlib import Path

from support.program import ROOT

COMPLETIONS = ROOT / "completions"
NAMES = ("bash", "bash-completion", "zsh", "fish")
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
_HERE = "PS1='ready> '; cd \"$HOME\"\n"
_BASH = _HERE + r"""
set -u
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set enable-bracketed-paste off'
bind '"\C-t": insert-completions'
"""
_ZSH = _HERE + r"""
fpath=("$COMPLETIONS" $fpath)
autoload -Uz compinit && compinit -D -u
unsetopt beep
unset zle_bracketed_paste
every() { _main_complete; compstate[list]=''; compstate[insert]=all }
zle -C every complete-word every
bindkey '^T' every
"""
_FISH = r"""
function fish_prompt; echo 'ready> '; end
function fish_greeting; end
set -p fish_complete_path $COMPLETIONS
cd $HOME
"""


def missing():
    """The shells that are not there, as sentences."""
    found = [f"no {name}: run make peers" for name in ("bash", "zsh", "fish")
             if not shutil.which(name)]
    return found + ([] if BASH_COMPLETION.exists() else ["no bash-completion: run make peers"])


class Shell:
    """One interactive shell in a home folder of its own."""

    def __init__(self, name, folder, before="", after=""):
        """`before` and `after` stand around what its configuration says."""
        self.name, self.home = name, folder / "home"
        self.home.mkdir()
        self.answer = folder / "arguments"
        programs = folder / "bin"
        programs.mkdir()
        fake = programs / "dbseal"
        # Nothing but the arguments, each with a NUL behind it, and the name only when all are there.
        fake.write_text(f"#!/bin/sh\n{{ [ $# = 0 ] || printf '%s\\0' \"$@\"; }} >'{self.answer}.new'\n"
                        f"mv '{self.answer}.new' '{self.answer}'\n")
        fake.chmod(0o755)
        self.env = {"HOME": str(self.home), "PATH": f"{programs}:/usr/bin:/bin", "TERM": "dumb",
                    "LC_ALL": "C.UTF-8", "COMPLETIONS": str(COMPLETIONS), "HISTFILE": "/dev/null",
                    "DBSEAL_PROBE_ONE": "1", "DBSEAL_PROBE_TWO": "2"}
        self.terminal = None
        self.before, self.after = before, after
        start = {"bash": self._bash, "bash-completion": self._bash, "zsh": self._zsh,
                 "fish": self._fish}[name]
        self._start(start(folder))

    def _bash(self, folder):
        text = self.before + _BASH
        if self.name == "bash":
            text += f". '{COMPLETIONS}/dbseal.bash'\n"
        else:
            # As a package has it: nothing is read until the first completion.
            own = folder / "share/completions"
            own.mkdir(parents=True)
            shutil.copy(COMPLETIONS / "dbseal.bash", own / "dbseal")
            self.env["BASH_COMPLETION_USER_DIR"] = str(own.parent)
            text += f"set +u; . {BASH_COMPLETION}\n"
        (folder / "rc").write_text(text + self.after)
        return ["bash", "--noprofile", "--rcfile", str(folder / "rc"), "-i"]

    def _zsh(self, folder):
        (folder / ".zshrc").write_text(self.before + _ZSH + self.after)
        self.env["ZDOTDIR"] = str(folder)
        return ["zsh", "-d", "-i"]

    def _fish(self, folder):
        config = self.home / ".config/fish/config.fish"
        config.parent.mkdir(parents=True)
        config.write_text(self.before + _FISH + self.after)
        return ["fish", "-i"]

    def _start(self, argv):
        self.terminal, child = pty.openpty()
        # As wide as no line is.
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 20000, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(argv, stdin=child, stdout=child, stderr=child, env=self.env,
                                        preexec_fn=own_terminal)
        os.close(child)
        self._read_until(lambda shown: b"ready> " in shown)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def _read_until(self, done, seconds=10):
        shown, end = b"", time.monotonic() + seconds
        while not done(shown):
            assert time.monotonic() < end, f"{self.name} hangs: {shown!r}"
            if select.select([self.terminal], [], [], 0.01)[0]:
                shown += os.read(self.terminal, 65536)
        return shown

    def typed(self, keys):
        """The arguments that dbseal gets when these keys are typed, and the line is run."""
        self.answer.unlink(missing_ok=True)
        os.write(self.terminal, keys.encode())
        os.write(self.terminal, b"\r")
        shown = self._read_until(lambda _: self.answer.exists())
        self._read_until(lambda more: b"ready> " in shown.rpartition(b"\n")[2] + more)
        return self.answer.read_bytes().decode().split("\0")[:-1]

    def offers(self, line):
        """What the shell would complete at the end of `line`, sorted."""
        if self.name == "fish":
            return self._asked(line)
        *before, word = line.split(" ")
        got = self.typed(line + "\x14")[len(before) - 1:]
        if got == [word] or (word == "" and got == []):
            return []
        head = word.partition("=")[0] + "=" if "=" in word else ""
        return sorted(each.removeprefix(head).removesuffix("=") for each in got)

    def _asked(self, line):
        """fish says it itself."""
        script = "set -p fish_complete_path $COMPLETIONS; cd $HOME; complete -C $argv[1]"
        done = subprocess.run(["fish", "--no-config", "-c", script, line], env=self.env,
                              capture_output=True, text=True, check=True)
        assert done.stderr == "", done.stderr
        word = line.rpartition(" ")[2]
        head = word.partition("=")[0] + "=" if "=" in word else ""
        return sorted(each.split("\t")[0].removeprefix(head) for each in done.stdout.splitlines())
