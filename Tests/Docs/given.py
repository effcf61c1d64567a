# What pages assume beyond what the words of a line say, and what is not run, with the reason. All of
# it must still be in the pages: a test says where something here has become stale.
import shutil
import sqlite3

from sandbox import CONTENT, FILES, FIRST, RAW
from support import files, key_stores, program

# Pages without a command line.
SILENT = {"SECURITY.md", "Docs/formats.md", "Docs/safety.md", "Docs/json.md"}

# Pages whose lines and scripts a test of their own runs, which reads the page.
ELSEWHERE = {"Docs/recipes/fleet.md"}

# Blocks that are no command lines, by how they begin.
TEXTS = {
    ("Docs/apps.md", "PRAGMA cipher"): "SQL for another library",
    ("Docs/architecture.md", "Sources/"): "a picture",
    ("Docs/manifest.md", "{"): "a manifest; Tests/Scripts/test_manifest.py has its fields",
    ("Docs/recipes/ci.md", "fixtures/app.db"): "a picture",
    ("Docs/recipes/ci.md", "name: fixtures"): "YAML, which Tests/Scripts/test_ci_recipes.py runs",
    ("Docs/recipes/ci.md", "fixtures:"): "YAML, which Tests/Scripts/test_ci_recipes.py runs",
    ("Docs/recipes/ci.md", "repos:"): "YAML, which Tests/Scripts/test_ci_recipes.py runs",
    ("Docs/architecture.md", "snapshot of the source"): "a picture",
    ("Docs/digest.md", "import hashlib"): "Python; Tests/support/digest.py is the same, and judges",
    ("Docs/json.md", '{"summary":'): "an answer",
    ("Docs/json.md", '{"manifest":'): "an answer",
    ("Docs/json.md", '{"progress":'): "progress, as a program is told",
    ("Docs/json.md", '{"dbseal_journal"'): "lines of a journal",
    ("Docs/key.md", "[Service]"): "a unit file; Tests/Scripts/test_key_stores.py has its parts",
    ("Docs/key.md", "kill PID"): "another program's, with a password that is typed",
}

_MAKE = "builds for minutes, or changes the machine: make's verbs are what runs these tests"
_PACKED = "Tests/Packaging runs it"
_RELEASE = "Tests/Packaging runs it with the version of the day"

# Lines that are not run, by how they begin.
NOT_RUN = {
    ("README.md", "make "): _MAKE,
    ("CONTRIBUTING.md", "make "): _MAKE,
    ("CONTRIBUTING.md", "DBSEAL_BIN="): _MAKE,
    ("CONTRIBUTING.md", "swift "): _MAKE,
    ("Docs/architecture.md", "DBSEAL_"): _MAKE,
    ("Docs/building.md", "make "): _MAKE,
    ("Docs/building.md", "PKG_CONFIG_PATH="): _MAKE,
    ("Docs/testing.md", "make "): _MAKE,
    ("Docs/performance.md", "make bench"): "takes minutes, and asserts nothing",
    ("Docs/install.md", "make "): _PACKED,
    ("Docs/install.md", "sudo make"): _PACKED,
    ("Docs/install.md", "sudo apt-get"): _PACKED,
    ("Docs/install.md", "(cd dist"): _PACKED,
    ("Docs/install.md", "tar -xzf"): _RELEASE,
    ("Docs/install.md", "sudo cp"): _RELEASE,
}

# Who runs a line that is not bash's, by what its comment begins with.
SHELLS = ("zsh", "fish")


def damaged(box):
    """Two pages of app.db are broken: one of a table, one of an index."""
    box.sealed("app.db")
    for page in (11, 19):
        files.flip(box.folder / "app.db", 4096 * (page - 1) + 100)


def opened(box):
    """app.db is open in this process."""
    file = open(box.sealed("app.db"), "rb")
    box.at_end.append(file.close)


def closed(box):
    """It no longer is."""
    box.at_end.pop()()


def changed(box):
    """before.db holds what app.db does, but for four rows and a view."""
    box.sealed("app.db")
    box.plain("before.db", CONTENT + "INSERT INTO log VALUES('gone'); CREATE VIEW old AS SELECT 1;"
              "UPDATE people SET name = 'x' WHERE id IN (5, 7);")


def migrations(box, version, **more):
    """app.db without a key, at a version, and the folder of its migrations."""
    shutil.rmtree(box.folder / "migrations")
    (box.folder / "migrations").mkdir()
    for name, text in {**FILES, **more}.items():
        (box.folder / "migrations" / name).write_text(text)
    box.remove("app.db")
    program.ok("migrate", "--schema", "migrations", "--create", "--plaintext", "--to", version, "app.db",
               cwd=box.folder)


def fails(box):
    """A third migration, whose second statement fails in its line 6."""
    bad = "-- Adds a note.\nCREATE TABLE notes(\n  id INTEGER PRIMARY KEY,\n  text\n);\n"
    migrations(box, 2, **{"003_bad.sql": bad + "INSERT INTO nowhere VALUES(1);\n"})


def pending(box):
    """app.db with a key, at version 1."""
    box.sealed("app.db", script=FIRST)


def torn_journal(box):
    """app.db without a key, and a hot journal beside it of which one record is damaged."""
    box.plain("live.db", "CREATE TABLE t(a, b);" + "".join(
        f"INSERT INTO t VALUES({i}, zeroblob(3000));" for i in range(60)))
    connection = sqlite3.connect(box.folder / "live.db", isolation_level=None)
    connection.execute("PRAGMA cache_size = 30")
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("BEGIN")
    connection.execute("UPDATE t SET a = a + 1, b = zeroblob(3000)")
    box.remove("app.db")
    for suffix in ("", "-journal"):
        shutil.copy(box.folder / f"live.db{suffix}", box.folder / f"app.db{suffix}")
    connection.execute("ROLLBACK")
    connection.close()
    box.remove("live.db")
    files.flip(box.folder / "app.db-journal", 512 + 17 * 4104 + 4 + 3896)
    return []


def manifest(box, *more):
    """fixtures.json says what two databases hold; `more` are further fields of the first."""
    for name in ("fixtures/one.db", "fixtures/two.db"):
        box.sealed(name)
    fields = "".join(f',\n   "{field}": 1' for field in more)
    (box.folder / "fixtures.json").write_text(
        '{"dbseal_manifest": 1,\n "databases": [\n  {"file": "fixtures/one.db",\n'
        '   "encrypted": true,\n   "key_file": "app.key"' + fields + "},\n"
        '  {"file": "fixtures/two.db", "key_file": "app.key", "tables": {"users": 3}}]}\n')


def written(box):
    """What `--write-manifest` makes is not there."""
    box.remove("fixtures.json")


def pipeline(box):
    """The repository of fixtures that the page draws."""
    box.key_file("fixtures/fixture.key", RAW)
    box.sealed("fixtures/app.db")
    box.sealed("fixtures/old.db", RAW, [("cipher_compatibility", 3)])


def listed(box):
    """A list of two databases."""
    for name in ("one.db", "two.db"):
        box.sealed(name)
    (box.folder / "list").write_text("one.db\ntwo.db\n")
    return []


def in_the_kernel(box):
    """The key `app` is in the kernel's keyring."""
    if key_stores.kernel_key("app") is None:
        key_stores.keep_in_kernel("app", RAW.encode())
        box.at_end.append(lambda: key_stores.forget_in_kernel(["app"]))


GIVEN = {
    ("Docs/guide.md#Go on after a run that was stopped", "dbseal rekey"): listed,
    ("Docs/guide.md#In CI", "dbseal verify --write-manifest"): written,
    ("Docs/manifest.md#Writing one", "dbseal"): written,
    ("Docs/manifest.md#Fixture manifests", "dbseal"): manifest,
    ("Docs/manifest.md#What is wrong with a manifest", "dbseal"): lambda box: manifest(box, "key_fil"),
    ("Docs/verify.md#Fixtures and reports", "dbseal verify --manifest"): manifest,
    ("Docs/recipes/ci.md#The fixtures", "chmod"): pipeline,
    ("Docs/recipes/ci.md#The fixtures", "dbseal verify --write-manifest"): lambda box: [],
    ("Docs/recipes/ci.md#Without a manifest", "dbseal"): pipeline,
    ("Docs/key.md#Use a key store", "keyctl"): in_the_kernel,
    ("Docs/guide.md#Convert an app's database", "sqlcipher"):
        lambda box: box.sealed("app.db", "the passphrase") and [],
    ("Docs/verify.md#The four verdicts", "dbseal verify"): damaged,
    ("Docs/verify.md#Content", "dbseal verify --key-file app.key --against"): changed,
    ("Docs/verify.md#The log and the journal", "dbseal verify"): torn_journal,
    ("Docs/inspect.md#Without a key", "dbseal inspect app.db"): opened,
    ("Docs/inspect.md#With a key", "dbseal inspect --key-file app.key app.db"): closed,
    ("Docs/inspect.md#--pages", "dbseal inspect --pages"): damaged,
    ("Docs/guide.md#In CI", "dbseal migrate"): pending,
    ("Docs/migrate.md#The schema", "ls"): pending,
    ("Docs/migrate.md#One transaction each", "dbseal"): fails,
    ("Docs/migrate.md#Looking first", "dbseal"): lambda box: migrations(box, 2),
}
