# Plan: `make install` and `make uninstall`, from the binary that is tested.
# - what is listed is there, with its mode and its bytes, below any DESTDIR and PREFIX;
# - it works from there: the binary runs, man finds its pages;
# - uninstall removes that and nothing else, twice without a complaint;
# - without a binary it says so, and nothing is installed.
import filecmp
import os
import stat
import subprocess

import pytest

from support import packages, program
from support.packages import INSTALLED, files, make
from support.program import ROOT


@pytest.mark.parametrize("prefix", ["/usr/local", "/opt/a b's"])
def test_installs_what_is_listed(tmp_path, prefix):
    destination = tmp_path / "stage it's"
    make("install", DESTDIR=destination, PREFIX=prefix, umask=0o077)
    root = destination / prefix.lstrip("/")
    assert files(destination) == [f"{prefix.lstrip('/')}/{name}" for name in INSTALLED]
    for name in INSTALLED:
        mode = stat.S_IMODE(os.stat(root / name).st_mode)
        assert mode == (0o755 if name == "bin/dbseal" else 0o644), name
    # Whoever installs with a narrow umask still installs for all.
    for folder in root.rglob("*"):
        if folder.is_dir():
            assert stat.S_IMODE(folder.stat().st_mode) == 0o755, folder
    assert filecmp.cmp(root / "bin/dbseal", program.BIN, shallow=False)
    for page in packages.MAN:
        assert filecmp.cmp(root / page, ROOT / "Docs/man" / os.path.basename(page), shallow=False)


def test_variables_may_stand_on_the_command_line(tmp_path):
    make("install", f"DESTDIR={tmp_path}", "PREFIX=/p")
    assert files(tmp_path / "p") == INSTALLED


def test_installs_to_usr_local_by_itself(tmp_path):
    make("install", DESTDIR=tmp_path)
    assert files(tmp_path / "usr/local") == INSTALLED


def test_a_tilde_is_the_home_folder(tmp_path):
    make("install", PREFIX="~/.local", HOME=tmp_path)
    assert files(tmp_path / ".local") == INSTALLED
    make("uninstall", PREFIX="~/.local", HOME=tmp_path)
    assert files(tmp_path) == [] and not (ROOT / "~").exists()


def test_works_from_where_it_was_installed(tmp_path):
    make("install", PREFIX=tmp_path)
    done = subprocess.run(["dbseal", "--version"], capture_output=True, text=True,
                          env={"PATH": f"{tmp_path}/bin"})
    assert " ".join(done.stdout.split()) == program.version_text()
    for name in ("dbseal", "dbseal-key", "dbseal-verify"):
        found = subprocess.run(["man", "-w", name], capture_output=True, text=True,
                               env={"PATH": "/usr/bin:/bin", "MANPATH": f"{tmp_path}/share/man"})
        assert found.stdout.strip() == f"{tmp_path}/share/man/man1/{name}.1", found


def test_uninstall_removes_that_and_nothing_else(tmp_path):
    others = ["bin/other", "share/man/man1/dbseal-other.1", "share/man/man1/other.1",
              "share/bash-completion/completions/other", "share/zsh/site-functions/_other"]
    for name in others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("of another")
    before = files(tmp_path)
    make("install", PREFIX=tmp_path)
    make("install", PREFIX=tmp_path)
    assert files(tmp_path) == sorted(before + INSTALLED)
    make("uninstall", PREFIX=tmp_path)
    make("uninstall", PREFIX=tmp_path)
    assert files(tmp_path) == before
    assert all((tmp_path / name).read_text() == "of another" for name in others)


def test_says_where_and_what_to_type_where_it_cannot(tmp_path):
    # Nor does anybody else make a folder below a file.
    (tmp_path / "file").write_text("")
    done = make("install", PREFIX=tmp_path / "file/below", check=False)
    assert done.returncode != 0 and "cannot be written" in done.stderr
    assert "sudo make install DBSEAL_BIN=" in done.stderr and "PREFIX=~/.local" in done.stderr
    done = make("install", PREFIX=tmp_path)
    assert f"installed {tmp_path}/bin/dbseal" in done.stdout


def test_says_that_there_is_no_binary(tmp_path):
    done = make("install", PREFIX=tmp_path / "p", binary=tmp_path / "none", check=False)
    assert done.returncode != 0 and f"no binary at {tmp_path}/none" in done.stderr
    assert not (tmp_path / "p").exists()
