# Plan: the Debian package of `make deb`. Judges: dpkg, lintian, md5sum.
# - control says the version, the architecture, the size, and a package for each library it needs;
# - its files have root's ownership, right modes, right sums; pages and change log are gzipped without a
#   time; the copyright file says what is true;
# - lintian finds neither an error nor a warning;
# - installed on a root of its own, it is whole and runs; removed and purged, nothing is left; without
#   the libraries it needs, it is not installed;
# - the same binary gives the same bytes.
import os
import re
import shutil
import subprocess

import pytest

from support import packages, program
from support.packages import AS_ROOT, EPOCH, INSTALLED, make

VERSION = program.version_text().split()[1]
DOCUMENTS = ["changelog.Debian.gz", "changelog.gz", "copyright"]


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deb")
    make("deb", DIST=folder)
    architecture = run("dpkg", "--print-architecture").strip()
    name = f"dbseal_{VERSION}-1_{architecture}.deb"
    assert sorted(os.listdir(folder)) == ["SHA256SUMS", name]
    assert run("sha256sum", "--check", "SHA256SUMS", cwd=folder) == f"{name}: OK\n"
    return folder / name


@pytest.fixture(scope="module")
def tree(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    run("dpkg-deb", "--raw-extract", package, folder)
    return folder


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def needed(binary):
    """The packages of this machine that own the libraries that a binary names."""
    said = run("readelf", "-d", binary)
    libraries = packages.libraries(binary)
    owners = set()
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said):
        path = os.path.realpath(libraries.get(name, name))
        # Since folders of / are links to those of /usr, dpkg may know a file by its older name.
        for known in (path, path.removeprefix("/usr")):
            found = subprocess.run(["dpkg", "-S", known], capture_output=True, text=True)
            owners |= {line.split(":")[0] for line in found.stdout.splitlines()}
    return owners


def test_control(package, tree):
    assert field(package, "Package") == "dbseal" and field(package, "Version") == f"{VERSION}-1"
    assert field(package, "Architecture") == run("dpkg", "--print-architecture").strip()
    assert "dbseal" in field(package, "Maintainer")
    size = sum((path.stat().st_size + 1023) // 1024 for path in (tree / "usr").rglob("*")
               if path.is_file())
    folders = sum(1 for path in [tree / "usr", *(tree / "usr").rglob("*")] if path.is_dir())
    assert int(field(package, "Installed-Size")) == size + folders


def test_depends_on_every_library(package, tree):
    depends = {re.match(r"\S+", each).group() for each in field(package, "Depends").split(", ")}
    wanted = needed(tree / "usr/bin/dbseal")
    assert {"libc6"} < wanted
    if "/debug/" not in str(program.BIN.resolve()):
        assert depends == wanted
    assert field(package, "Suggests") == "libsecret-1-0"


def test_files(package, tree):
    wanted = [f"usr/{name}" for name in INSTALLED if "/man1/" not in name and "/zsh/" not in name]
    wanted += [f"usr/{name}.gz" for name in packages.MAN]
    wanted += ["usr/share/zsh/vendor-completions/_dbseal", "usr/share/lintian/overrides/dbseal"]
    wanted += [f"usr/share/doc/dbseal/{name}" for name in DOCUMENTS]
    listed = [line.split(maxsplit=5) for line in run("dpkg-deb", "-c", package).splitlines()]
    assert {line[1] for line in listed} == {"root/root"}
    names = [line[5].removeprefix("./") for line in listed if not line[5].endswith("/")]
    assert sorted(names) == sorted(wanted)
    for line in listed:
        runs = line[5].endswith("/") or line[5] == "./usr/bin/dbseal"
        assert line[0][1:] == ("rwxr-xr-x" if runs else "rw-r--r--"), line
    sums = (tree / "DEBIAN/md5sums").read_text()
    assert sorted(re.findall(r"^\w{32}  (.*)$", sums, re.MULTILINE)) == sorted(wanted)
    run("md5sum", "--check", "--strict", "--quiet", "DEBIAN/md5sums", cwd=tree)


def test_gzipped_files_carry_no_time(tree):
    zipped = list((tree / "usr").rglob("*.gz"))
    assert len(zipped) == len(packages.MAN) + 2
    for path in zipped:
        assert path.read_bytes()[4:8] == bytes(4), path


def test_documents(tree):
    documents = tree / "usr/share/doc/dbseal"
    text = (documents / "copyright").read_text()
    if not (program.ROOT / "LICENSE").exists():
        assert "No licence has been chosen" in text
    # What is linked in and asks for its notice.
    for name in ("ZETETIC LLC", "Intel Corporation", "Swift", "SQLite", "GNU C++"):
        assert name in text
    log = run("dpkg-parsechangelog", "-l", documents / "changelog.Debian.gz")
    assert f"Version: {VERSION}-1" in log and f"Timestamp: {EPOCH}" in log
    zipped = run("zcat", documents / "changelog.gz")
    assert zipped == (program.ROOT / "CHANGELOG.md").read_text()


def test_lintian_has_nothing_to_say(package):
    done = subprocess.run(["lintian", "--fail-on", "error,warning", package], capture_output=True,
                          text=True)
    assert done.returncode == 0 and done.stdout == "", done


@pytest.fixture
def machine(tmp_path):
    """A root of its own with dpkg's records, in which the packages of this machine that it needs are
    installed."""
    root = tmp_path / "root"
    records = root / "var/lib/dpkg"
    (records / "info").mkdir(parents=True)
    (records / "updates").mkdir()
    (records / "status").touch()
    return root


def dpkg(root, *words):
    return subprocess.run([*AS_ROOT, "dpkg", f"--root={root}", "--log=/dev/null", "--force-not-root",
                           *map(str, words)], capture_output=True, text=True)


def know(root, names):
    """Tells the root that these packages are there."""
    with open(root / "var/lib/dpkg/status", "w") as status:
        for name in names:
            status.write(run("dpkg-query", "-s", name) + "\n")
            (root / f"var/lib/dpkg/info/{name}.list").touch()


def everything(root):
    return [name for name in packages.files(root) if not name.startswith("var/lib/dpkg/")]


def test_installs_runs_and_goes(package, machine):
    depends = [re.match(r"[^ :]+", each).group() for each in field(package, "Depends").split(", ")]
    know(machine, depends)
    done = dpkg(machine, "--install", package)
    assert done.returncode == 0, done
    assert "install ok installed" in run("dpkg-query", f"--admindir={machine}/var/lib/dpkg", "-s",
                                         "dbseal")
    assert dpkg(machine, "--verify", "dbseal").stdout == ""
    assert "usr/bin/dbseal" in everything(machine)
    said = run(machine / "usr/bin/dbseal", "--version")
    assert " ".join(said.split()) == program.version_text()
    pages = {"PATH": "/usr/bin:/bin", "MANPATH": f"{machine}/usr/share/man"}
    assert run("man", "-w", "dbseal-inspect", env=pages).strip().endswith("dbseal-inspect.1.gz")
    assert dpkg(machine, "--remove", "dbseal").returncode == 0
    assert everything(machine) == []
    # It has no configuration, so that removing it leaves nothing to purge.
    assert dpkg(machine, "--purge", "dbseal").returncode == 0
    assert everything(machine) == []
    records = run("dpkg-query", f"--admindir={machine}/var/lib/dpkg", "-W", "-f", "${Package} ")
    assert "dbseal" not in records


def test_an_upgrade_replaces_it(package, machine):
    know(machine, [re.match(r"[^ :]+", each).group()
                   for each in field(package, "Depends").split(", ")])
    for _ in range(2):
        assert dpkg(machine, "--install", package).returncode == 0
    assert dpkg(machine, "--purge", "dbseal").returncode == 0
    assert everything(machine) == []


def test_is_not_installed_without_its_libraries(package, machine):
    done = dpkg(machine, "--install", package)
    assert done.returncode != 0 and "depends on libc6" in done.stderr


def test_the_same_binary_gives_the_same_bytes(tmp_path):
    small = tmp_path / "small"
    shutil.copy("/usr/bin/true", small)
    packed = []
    for folder, zone, mask in ((tmp_path / "one", "UTC", 0o022), (tmp_path / "two", "Asia/Tokyo", 0o077)):
        make("deb", binary=small, DIST=folder, umask=mask, TZ=zone)
        os.utime(small, (1, 1))
        packed.append(next(folder.glob("*.deb")).read_bytes())
    assert packed[0] == packed[1]
