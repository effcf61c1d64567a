# Shared by every test of the built binary: a work folder, the check that the peers are there (a
# missing peer fails the run; it never skips a test), and the switch of the slow suite.
import os
import signal

import pytest

from support import key_stores, packages, peers, program, reports, shells


def pytest_configure(config):
    """Stops at once, in one sentence, where the binary or a peer is missing."""
    # A shell's background job ignores these, and so would every program that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    missing = [sentence for part in (program, peers, key_stores, shells, packages, reports)
               for sentence in part.missing()]
    missing = missing or key_stores.strangers()
    if missing:
        raise pytest.UsageError("; ".join(missing))


def pytest_report_header(config):
    return [f"dbseal: {program.BIN} ({program.version_text()})", f"peers: {peers.describe()}"]


def pytest_collection_modifyitems(config, items):
    """The slow suite is asked for by name; everything else always runs."""
    if os.environ.get("DBSEAL_SLOW") == "1":
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


@pytest.fixture
def work(tmp_path):
    """An empty folder with a space and a quote in its name, as real folders have. Whatever the
    test does in it, no temporary file may be there at its end."""
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    yield folder
    assert [n for n in os.listdir(folder) if ".dbseal-" in n] == [], "temporary files were left"


@pytest.fixture
def keys(tmp_path):
    """Makes key files outside the work folder and remembers what must never be printed."""
    return program.Keys(tmp_path / "keys")


@pytest.fixture
def stored():
    """Names for keys in the kernel's keyring that nobody else has, removed at the end."""
    before = set(key_stores.kernel_names())
    yield lambda name: f"test-{os.getpid()}-{name}"
    # Another run of the tests beside this one has names of its own there.
    own = f"test-{os.getpid()}-"
    key_stores.forget_in_kernel({
        name for name in set(key_stores.kernel_names()) - before
        if name.startswith(own) or not name.startswith("test-")})
