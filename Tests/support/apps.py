# Databases as apps make them: the C calls that the wrappers of SQLCipher make, on the library inside
# the SQLCipher 4.19 peer. Its Python interface takes keys in statements only, and so no NUL, no byte
# that is not UTF-8, and no length.
import ctypes
import functools

from sqlcipher3 import _sqlite3


@functools.cache
def library():
    found = ctypes.CDLL(_sqlite3.__file__)
    found.sqlite3_errmsg.restype = ctypes.c_char_p
    return found


def create(path, key, script, before=(), after=()):
    """Makes a database: sqlite3_open_v2, sqlite3_key with bytes and length, and statements around
    it as hooks of the wrappers run them; `key` None is an app that sends a PRAGMA itself."""
    db = ctypes.c_void_p()
    flags = 2 | 4  # SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE
    assert library().sqlite3_open_v2(str(path).encode(), ctypes.byref(db), flags, None) == 0

    def run(sql):
        code = library().sqlite3_exec(db, sql.encode(), None, None, None)
        assert code == 0, library().sqlite3_errmsg(db)

    try:
        for sql in before:
            run(sql)
        if key is not None:
            assert library().sqlite3_key(db, key, len(key)) == 0
        # These are the process's and not the connection's; another test may have set them.
        if before == ():
            run("PRAGMA cipher_hmac_salt_mask = \"x'3a'\"")
        for sql in after:
            run(sql)
        run(script)
    finally:
        assert library().sqlite3_close(db) == 0
        # What hooks set for all connections goes back to what it was.
        peer = _sqlite3.connect(":memory:")
        peer.execute("PRAGMA cipher_default_kdf_iter = 256000")
        peer.execute("PRAGMA cipher_default_page_size = 4096")
        peer.execute("PRAGMA cipher_default_plaintext_header_size = 0")
        peer.close()
    return path
