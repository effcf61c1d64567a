# What the tests of secrets share: strace and the shim, which are Linux's, and databases to start from.
import sys
from pathlib import Path

import pytest

from support import peers, samples

# The commands that write, as the sweeps over faults run them.
sys.path.append(str(Path(__file__).resolve().parents[1] / "Faults"))
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]
RAW = "x'" + "a1b2c3d4" * 8 + "'"


@pytest.fixture
def source(work):
    """A plaintext database in the work folder."""
    return samples.plain(work / "plain.db")


@pytest.fixture
def sealed(work):
    """A format 4 database of SQLCipher 4.19 in the work folder, under RAW."""
    return peers.create_sealed(work / "sealed.db", RAW, [], samples.fill)
