# The one place that says what differs between the engines that the binary can be built with. The
# outputs never differ; what differs is how much SQLCipher itself can say about them.
from support import program


def opens(format=4, key_digits=64):
    """Whether the binary's own SQLCipher can open an output, so that `proof` names it."""
    engine = program.engine()
    if key_digits == 160 and engine < (4, 7):
        return False  # keys with an HMAC key of their own came with SQLCipher 4.7
    return format < 4 or engine >= (4,)


def understands_strict_tables():
    """STRICT came with SQLite 3.37; SQLCipher 3.4.1 has SQLite 3.15."""
    return program.engine() >= (4, 5)


def looks_for_broken_rules():
    """Whether integrity_check looks for rows that break NOT NULL and CHECK: SQLite 3.15 does not."""
    return program.engine() >= (4,)


def checks_one_table():
    """integrity_check of one table alone came with SQLite 3.33; SQLCipher 3.4.1 has SQLite 3.15."""
    return program.engine() >= (4, 5)


def notes(found):
    """The notes of a report by name, without those that are about the engine."""
    about = {"not_opened_by_sqlcipher", "schema_not_understood"}
    return [note["note"] for note in found["notes"] if note["note"] not in about]
