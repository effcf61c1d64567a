# Databases that the script tests start from, made by peers, each in a folder of its own.
import pytest

from support import key_stores, peers, samples

RAW = "x'" + "a1b2c3d4" * 8 + "'"


@pytest.fixture
def source(work):
    """A plaintext database in the work folder."""
    return samples.plain(work / "plain.db")


@pytest.fixture
def sealed(work):
    """A format 4 database of SQLCipher 4.19 in the work folder, under RAW."""
    return peers.create_sealed(work / "sealed.db", RAW, [], samples.fill)


@pytest.fixture
def desktop():
    """A desktop session of its own, with an unlocked GNOME Keyring."""
    session = key_stores.Desktop()
    yield session
    session.close()


@pytest.fixture
def outside(tmp_path):
    """A place that is not watched: targets of runs that should fail never appear there either."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder
