# Plan: the tarball of `make dist`.
# - its sums are right; names sorted, owner root, one time; the README's links lead somewhere;
# - the same binary gives the same bytes, whatever the machine's time, zone, umask and locale;
# - unpacked in an empty root, with the libraries that the loader names and nothing else, the binary
#   runs without an environment, and encrypts what SQLCipher opens;
# - those libraries are the system's libcrypto and C library (and the engine, where it is the system's).
import os
import platform
import re
import shutil
import subprocess
import tarfile

import pytest

from support import packages, peers, program, samples
from support.packages import AS_ROOT, CHROOT, EPOCH, INSTALLED, make

RAW = "x'" + "a1b2c3d4" * 8 + "'"
VERSION = program.version_text().split()[1]
NAME = f"dbseal-{VERSION}-{platform.system().lower()}-{platform.machine()}"


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist it's")
    said = make("dist", DIST=folder).stdout
    assert f"  {NAME}.tar.gz" in said
    return folder


@pytest.fixture(scope="module")
def tree(dist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-xzf", dist / f"{NAME}.tar.gz", "-C", folder], check=True)
    return folder / NAME


def test_sums(dist):
    assert sorted(os.listdir(dist)) == ["SHA256SUMS", f"{NAME}.tar.gz"]
    done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=dist,
                          capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == f"{NAME}.tar.gz: OK\n"


def test_members(dist):
    with tarfile.open(dist / f"{NAME}.tar.gz") as tarball:
        members = tarball.getmembers()
    names = [member.name for member in members]
    assert names == sorted(names) and all(n == NAME or n.startswith(NAME + "/") for n in names)
    assert {(m.uid, m.gid) for m in members} == {(0, 0)}
    assert {(m.uname, m.gname) for m in members} <= {("", ""), ("root", "root")}
    assert {m.mtime for m in members} == {EPOCH}
    for member in members:
        runs = member.isdir() or member.name.endswith("bin/dbseal")
        assert member.mode == (0o755 if runs else 0o644), member.name


def test_what_is_in_it(tree):
    inside = set(packages.files(tree))
    pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "COPYRIGHT"}
    assert set(INSTALLED) | pages <= inside
    rest = {name for name in inside if not name.startswith("Docs/")} - set(INSTALLED)
    assert rest <= pages | {"LICENSE"}
    if "LICENSE" not in rest:
        assert "No licence has been chosen" in (tree / "COPYRIGHT").read_text()


def test_links_of_the_readme_lead_somewhere(tree):
    for page in [tree / "README.md", *tree.glob("Docs/*.md")]:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_same_binary_gives_the_same_bytes(tmp_path):
    small = tmp_path / "small"
    shutil.copy("/usr/bin/true", small)
    first, second = tmp_path / "one", tmp_path / "two"
    make("dist", binary=small, DIST=first)
    os.utime(small, (1, 1))
    make("dist", binary=small, DIST=second, umask=0o077, TZ="Asia/Tokyo", LC_ALL="C.UTF-8",
         HOME="/nowhere")
    one, two = ((folder / f"{NAME}.tar.gz").read_bytes() for folder in (first, second))
    assert one == two
    make("dist", binary=small, DIST=second, SOURCE_DATE_EPOCH=EPOCH + 2)
    assert one != (second / f"{NAME}.tar.gz").read_bytes()


def test_the_time_is_that_of_the_last_commit(tmp_path):
    small = tmp_path / "small"
    shutil.copy("/usr/bin/true", small)
    make("dist", binary=small, DIST=tmp_path, SOURCE_DATE_EPOCH="")
    committed = subprocess.run(["git", "log", "-1", "--format=%ct"], capture_output=True, text=True,
                               cwd=program.ROOT)
    with tarfile.open(tmp_path / f"{NAME}.tar.gz") as tarball:
        at = {member.mtime for member in tarball.getmembers()}
    # A tree without its history has the time of its change log.
    other = int(os.stat(program.ROOT / "CHANGELOG.md").st_mtime)
    assert at == {int(committed.stdout) if committed.returncode == 0 else other}


def test_runs_in_an_empty_root(tree, tmp_path, keys):
    root = tmp_path / "root"
    shutil.copytree(tree, root / "opt")
    for path in packages.libraries(tree / "bin/dbseal").values():
        (root / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path.lstrip("/"))
    samples.plain(root / "plain.db")
    shutil.copy(keys.raw(), root / "key")
    (root / "key").chmod(0o600)

    def inside(*words):
        done = subprocess.run([*AS_ROOT, "env", "-i", CHROOT, root,
                               "/opt/bin/dbseal", *words], capture_output=True, text=True)
        assert done.returncode == 0, done
        return done.stdout

    assert " ".join(inside("--version").split()) == program.version_text()
    inside("encrypt", "--key-file", "/key", "/plain.db", "/sealed.db")
    inside("verify", "--key-file", "/key", "--against", "/plain.db", "/sealed.db")
    peers.sound(peers.sealed(root / "sealed.db", RAW), cipher=True)


def test_needs_the_systems_libraries_only(tree):
    found = {re.sub(r"[-.].*", "", os.path.basename(name))
             for name in packages.libraries(tree / "bin/dbseal")}
    allowed = {"libc", "libm", "libcrypto", "ld", "libpthread", "libdl", "librt"}
    if os.environ.get("DBSEAL_ENGINE") == "system":
        allowed |= {"libsqlcipher"} | engine_needs()
    if "/debug/" in str(program.BIN.resolve()):
        # While working on it: the runtime of Swift is not linked in.
        found = {name for name in found if not re.match(r"libswift|lib_Internal|libstdc|libgcc", name)}
        allowed |= {"libdispatch", "libBlocksRuntime"}
    assert {"libc", "libcrypto"} <= found <= allowed, found


def engine_needs():
    """What the distribution's libsqlcipher brings with it."""
    path = packages.libraries(program.BIN).get("libsqlcipher.so.0", "/bin/sh")
    return {re.sub(r"[-.].*", "", name) for name in packages.libraries(path)}
