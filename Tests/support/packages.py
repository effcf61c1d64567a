# What `make install`, `make dist` and `make deb` do, from the binary that is tested, into folders of the
# test: nothing is built, and the repository stays as it is.
import os
import shutil
import subprocess

from support import program
from support.program import ROOT

# The time that packages carry in these tests: 2001-09-09.
EPOCH = 1_000_000_000
MAN = sorted(f"share/man/man1/{path.name}" for path in (ROOT / "Docs/man").glob("*.1"))
SHELLS = {"bash": "share/bash-completion/completions/dbseal",
          "zsh": "share/zsh/site-functions/_dbseal",
          "fish": "share/fish/vendor_completions.d/dbseal.fish"}
INSTALLED = sorted(["bin/dbseal", *MAN, *SHELLS.values()])
# dpkg and chroot want root; a namespace of one's own is enough.
AS_ROOT = [] if os.geteuid() == 0 else ["unshare", "-r"]
# Where Debian has programs for root, which need not be in a user's PATH.
PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
CHROOT = shutil.which("chroot", path=PATH)


def missing():
    """The programs that are not there, as sentences."""
    names = ("make", "man", "mandoc", "lintian", "dpkg-shlibdeps", "strip", "unshare", "chroot")
    return [f"no {name}: run make peers" for name in names if not shutil.which(name, path=PATH)]


def make(*words, binary=None, check=True, umask=0o022, **env):
    """Runs make in the repository, as from a shell of its own."""
    own = {k: v for k, v in program.clean_env(env).items()
           if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DESTDIR", "PREFIX", "DIST")}
    own |= {k: str(v) for k, v in env.items()}
    own |= {"DBSEAL_BIN": str(binary or program.BIN)}
    own.setdefault("SOURCE_DATE_EPOCH", str(EPOCH))
    done = subprocess.run(["make", "-C", ROOT, *words], capture_output=True, text=True, env=own,
                          umask=umask)
    assert not check or done.returncode == 0, done
    return done


def files(root):
    """Every file below a folder, sorted."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*")
                  if not path.is_dir() or path.is_symlink())


def libraries(binary):
    """The shared libraries that a binary needs, as the loader finds them: name to path."""
    said = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in said.splitlines():
        name, _, rest = line.strip().partition(" => ")
        path = (rest or name).split(" (")[0]
        if path.startswith("/"):
            found[name.split(" (")[0]] = path
    return found
