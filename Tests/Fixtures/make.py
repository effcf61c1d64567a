"""Writes the fixture databases and manifest.json, by peers and never by dbseal itself.

Run it with a Python that has the package `sqlcipher3` (4.7 or later, for 160-digit raw keys);
the `engine3` fixtures come from a `sqlcipher` shell of version 3, named as the first argument.
Salts and IVs are random, so every run gives other bytes with the same content.
"""

import json
import os
import pathlib
import subprocess
import sys

from sqlcipher3 import dbapi2 as sqlcipher

HERE = pathlib.Path(__file__).resolve().parent
SHELL3 = sys.argv[1] if len(sys.argv) > 1 else "sqlcipher"

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 2
HMAC_KEY = "00112233445566778899aabbccddeeff" * 2
SALT = "000102030405060708090a0b0c0d0e0f"

# Our name of a setting -> the PRAGMA, in the order to send them.
PRAGMAS = {
    "format": "cipher_compatibility",
    "page_size": "cipher_page_size",
    "kdf_iter": "kdf_iter",
    "kdf_algorithm": "cipher_kdf_algorithm",
    "hmac_algorithm": "cipher_hmac_algorithm",
    "hmac_pgno": "cipher_hmac_pgno",
    "hmac_salt_mask": "cipher_hmac_salt_mask",
    "fast_kdf_iter": "fast_kdf_iter",
    "plaintext_header": "cipher_plaintext_header_size",
    "salt": "cipher_salt",
}


def pragma(name, value):
    """The PRAGMA for one of our settings."""
    if name == "kdf_algorithm":
        value = "PBKDF2_HMAC_" + value.upper()
    elif name == "hmac_algorithm" and value == "none":
        return "PRAGMA cipher_use_hmac = OFF"
    elif name == "hmac_algorithm":
        value = "HMAC_" + value.upper()
    elif name in ("salt", "hmac_salt_mask"):
        value = f"\"x'{value}'\""
    return f"PRAGMA {PRAGMAS[name]} = {value}"


def quoted(key):
    return "'" + key.replace("'", "''") + "'"


def write4(name, key, content, settings):
    """One database by the linked SQLCipher 4."""
    path = HERE / name
    path.unlink(missing_ok=True)
    db = sqlcipher.connect(str(path), isolation_level=None)
    db.execute(f"PRAGMA key = {quoted(key)}")
    for setting in sorted(settings, key=list(PRAGMAS).index):
        db.execute(pragma(setting, settings[setting]))
    db.executescript((HERE / f"{content}.sql").read_text())
    version = db.execute("PRAGMA cipher_version").fetchone()[0]
    db.close()
    # The mask is a variable of the whole process: set it back for the next database.
    db = sqlcipher.connect(":memory:")
    db.execute("PRAGMA key = 'x'")
    db.execute(pragma("hmac_salt_mask", "3a"))
    db.close()
    return version


def write3(name, key, content, pragmas):
    """One database by the shell of SQLCipher 3."""
    path = HERE / name
    path.unlink(missing_ok=True)
    script = [f"PRAGMA key = {quoted(key)};", *pragmas, (HERE / f"{content}.sql").read_text()]
    script.append("PRAGMA cipher_version;")
    answer = subprocess.run(
        [SHELL3, str(path)], input="\n".join(script), text=True, check=True, capture_output=True)
    version = answer.stdout.split()[-1]
    assert version.startswith("3.") and not answer.stderr, answer
    return version


def fixtures():
    """Name, key, content, settings; each by SQLCipher 4."""
    fast = {"page_size": 1024, "kdf_iter": 1000}
    for number in (4, 3, 2, 1):
        yield f"format{number}", "correct horse", "full", {"format": number}
    yield "page2048-sha256", "correct horse", "full", {
        "page_size": 2048, "kdf_iter": 1000, "kdf_algorithm": "sha256",
        "hmac_algorithm": "sha256"}
    yield "page8192-sha1-sha512", "correct horse", "small", {
        "page_size": 8192, "kdf_iter": 1000, "kdf_algorithm": "sha1", "hmac_algorithm": "sha512"}
    yield "sha512-sha1", "correct horse", "full", fast | {"hmac_algorithm": "sha1"}
    yield "no-tags", "correct horse", "full", fast | {"hmac_algorithm": "none"}
    yield "header32", "correct horse", "full", fast | {"plaintext_header": 32, "salt": SALT}
    yield "header16", "correct horse", "full", fast | {"plaintext_header": 16, "salt": SALT}
    yield "header112-no-tags", "correct horse", "full", fast | {
        "plaintext_header": 112, "salt": SALT, "hmac_algorithm": "none"}
    yield "raw64", f"x'{KEY}'", "full", {"page_size": 1024}
    yield "raw64-format3", f"x'{KEY}'", "full", {"format": 3}
    yield "raw96", f"x'{KEY}{SALT}'", "full", {"page_size": 1024}
    yield "raw96-header32", f"x'{KEY}{SALT}'", "full", {"page_size": 1024, "plaintext_header": 32}
    yield "raw160", f"x'{KEY}{HMAC_KEY}{SALT}'", "full", {"page_size": 1024}
    yield "key-quotes", "it's \"quoted\"; --%s", "full", fast
    yield "key-nfc", "\u00e9t\u00e9", "full", fast
    yield "key-nfd", "e\u0301te\u0301", "full", fast
    yield "key-long", "0123456789" * 500, "full", fast
    yield "key-hex-as-passphrase", KEY, "full", fast
    yield "pgno-be", "correct horse", "full", fast | {"hmac_pgno": "be"}
    yield "mask00", "correct horse", "full", fast | {"hmac_salt_mask": "00"}
    yield "mask00-fast4000", "correct horse", "full", {
        "format": 2, "hmac_salt_mask": "00", "fast_kdf_iter": 4000}
    yield "fast5-pgno-be-mask7f", "correct horse", "full", fast | {
        "fast_kdf_iter": 5, "hmac_pgno": "be", "hmac_salt_mask": "7f",
        "hmac_algorithm": "sha256"}


def main():
    os.umask(0o022)
    manifest = []

    def add(name, key, content, settings, version):
        manifest.append({
            "file": name + ".db", "made_by": f"SQLCipher {version}", "key": key,
            "content": content, "settings": settings})

    for name, key, content, settings in fixtures():
        add(name, key, content, settings, write4(name + ".db", key, content, settings))
    iterations = "PRAGMA kdf_iter = 4000;"
    tagless = [iterations, "PRAGMA cipher_use_hmac = OFF;"]
    for name, settings, pragmas in [
        ("format3-engine3", {"format": 3}, []),
        ("format2-engine3", {"format": 2}, [iterations]),
        ("format1-engine3", {"format": 1}, tagless),
        # SQLCipher 4 cannot: it leaves a reserve of 80 bytes in the header, which is too much.
        ("page512-engine3", {"format": 1, "page_size": 512},
         ["PRAGMA cipher_page_size = 512;", *tagless]),
    ]:
        version = write3(name + ".db", "correct horse", "full", pragmas)
        add(name, "correct horse", "full", settings, version)
    text = json.dumps(manifest, indent=1, ensure_ascii=True)
    (HERE / "manifest.json").write_text(text + "\n")


main()
