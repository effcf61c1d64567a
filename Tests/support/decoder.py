# An independent reader of SQLCipher files: hashlib for derivation and tags, libcrypto through
# ctypes for AES. It judges settings that today's SQLCipher can no longer be told, and proves every
# page's tag without dbseal and without SQLCipher.
import ctypes
import ctypes.util
import hashlib
import hmac
from dataclasses import dataclass

_crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
for _name in ("EVP_CIPHER_CTX_new", "EVP_aes_256_cbc"):
    getattr(_crypto, _name).restype = ctypes.c_void_p


@dataclass
class Settings:
    """The settings of a database; the defaults are format 4's."""
    page_size: int = 4096
    kdf: str = "sha512"
    rounds: int = 256000
    tag: str | None = "sha512"
    order: str = "little"
    mask: int = 0x3a
    fast: int = 2
    header: int = 0
    salt: bytes | None = None

    @property
    def reserve(self):
        return (16 + (hashlib.new(self.tag).digest_size if self.tag else 0) + 15) // 16 * 16


FORMATS = {
    1: dict(page_size=1024, kdf="sha1", rounds=4000, tag=None),
    2: dict(page_size=1024, kdf="sha1", rounds=4000, tag="sha1"),
    3: dict(page_size=1024, kdf="sha1", rounds=64000, tag="sha1"),
    4: {},
}


def _aes(key, iv, data):
    context = ctypes.c_void_p(_crypto.EVP_CIPHER_CTX_new())
    out, count = ctypes.create_string_buffer(len(data) + 32), ctypes.c_int()
    cipher = ctypes.c_void_p(_crypto.EVP_aes_256_cbc())
    assert _crypto.EVP_DecryptInit_ex(context, cipher, None, key, iv) == 1
    _crypto.EVP_CIPHER_CTX_set_padding(context, 0)
    assert _crypto.EVP_DecryptUpdate(context, out, ctypes.byref(count), data, len(data)) == 1
    _crypto.EVP_CIPHER_CTX_free(context)
    assert count.value == len(data)
    return out.raw[:len(data)]


def keys(key, salt, settings):
    """The page key, the HMAC key and the salt, of a passphrase or of `x'…'`."""
    data = key.encode() if isinstance(key, str) else key
    tag_key = None
    if data[:2] == b"x'" and len(data) - 3 in (64, 96, 160):
        raw = bytes.fromhex(data[2:-1].decode())
        page_key = raw[:32]
        if len(raw) == 80:
            tag_key = raw[32:64]
    else:
        page_key = hashlib.pbkdf2_hmac(settings.kdf, data, salt, settings.rounds, 32)
    if tag_key is None:
        masked = bytes(b ^ settings.mask for b in salt)
        tag_key = hashlib.pbkdf2_hmac(settings.kdf, page_key, masked, settings.fast, 32)
    return page_key, tag_key


def decode(data, key, settings):
    """The plain bytes of an encrypted file; asserts that every tag verifies."""
    size, reserve = settings.page_size, settings.reserve
    assert len(data) % size == 0 and data, "not a whole number of pages"
    salt = settings.salt if settings.header or settings.salt else data[:16]
    page_key, tag_key = keys(key, salt, settings)
    lock = 0x40000000 // size + 1
    pages = []
    for number in range(1, len(data) // size + 1):
        page = data[(number - 1) * size:number * size]
        if number == lock:
            pages.append(page)
            continue
        start = (settings.header or 16) if number == 1 else 0
        body, iv = page[start:size - reserve], page[size - reserve:size - reserve + 16]
        if settings.tag:
            length = hashlib.new(settings.tag).digest_size
            covered = body + iv + number.to_bytes(4, settings.order)
            tag = page[size - reserve + 16:size - reserve + 16 + length]
            assert hmac.new(tag_key, covered, settings.tag).digest() == tag, f"tag of {number}"
        head = b"SQLite format 3\0" if number == 1 and not settings.header else page[:start]
        pages.append(head[:start] + _aes(page_key, iv, body) + bytes(reserve))
    return b"".join(pages)
