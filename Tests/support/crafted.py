# Databases, logs and journals whose bytes nobody's SQLite writes: small files that claim much. Pages
# have 512 bytes here. fileformat2.html, walformat.html.
import sqlite3
import struct

SIZE = 512


def varint(value):
    """SQLite's, of up to eight bytes."""
    found = [value & 127]
    while value > 127:
        value >>= 7
        found.append(value & 127 | 128)
    return bytes(reversed(found))


def leaf(cells, kind=0x0d):
    """A page of those cells."""
    page, place, places = bytearray(SIZE), SIZE, []
    for cell in cells:
        place -= len(cell)
        page[place:place + len(cell)] = cell
        places.append(place)
    page[0:8] = struct.pack(">BHHHB", kind, 0, len(cells), place, 0)
    for index, each in enumerate(places):
        page[8 + 2 * index:10 + 2 * index] = struct.pack(">H", each)
    return bytes(page)


def interior(children):
    """A page of a table's tree above `children`."""
    page, place = bytearray(SIZE), SIZE
    for index, child in enumerate(children[:-1]):
        place -= 5
        page[place:place + 5] = struct.pack(">IB", child, index + 1)
        page[12 + 2 * index:14 + 2 * index] = struct.pack(">H", place)
    page[0:12] = struct.pack(">BHHHBI", 5, 0, len(children) - 1, place, 0, children[-1])
    return bytes(page)


def chain(data, first):
    """Overflow pages from page `first` on that hold `data`."""
    parts = [data[i:i + SIZE - 4] for i in range(0, len(data), SIZE - 4)]
    return [
        struct.pack(">I", first + i + 1 if i + 1 < len(parts) else 0) + part.ljust(SIZE - 4, b"\0")
        for i, part in enumerate(parts)]


def local(length):
    """Bytes of a table's payload that stay in its page."""
    kept = 39 + (length - 39) % (SIZE - 4)
    return length if length <= SIZE - 35 else kept if kept <= SIZE - 35 else 39


def split(payload, first):
    """A cell with row 1 of that payload, and its overflow pages from page `first` on."""
    kept = local(len(payload))
    if kept == len(payload):
        return varint(len(payload)) + b"\1" + payload, []
    head = varint(len(payload)) + b"\1" + payload[:kept] + struct.pack(">I", first)
    return head, chain(payload[kept:], first)


def database(path, pages, **header):
    """A database with a table `t` whose root is page 2; `pages` are those from page 2 on. Fields of the
    header: `count`, `trunk`, `free`, and `schema`: another page 1 from byte 100 on."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size={SIZE}")
    connection.execute("CREATE TABLE t(a)")
    connection.commit()
    connection.close()
    first = bytearray(path.read_bytes()[:SIZE])
    first[92:96] = first[24:28]
    first[28:32] = struct.pack(">I", header.get("count", 1 + len(pages)))
    first[32:40] = struct.pack(">II", header.get("trunk", 0), header.get("free", 0))
    if "schema" in header:
        cell = header["schema"]
        first[100:] = bytes(SIZE - 100)
        first[100:108] = struct.pack(">BHHHB", 0x0d, 0, 1, SIZE - len(cell), 0)
        first[108:110] = struct.pack(">H", SIZE - len(cell))
        first[SIZE - len(cell):] = cell
    path.write_bytes(bytes(first) + b"".join(pages))
    return path


def checksum(data, start=(0, 0)):
    """The log's checksum over little-endian words (walformat.html)."""
    a, b = start
    words = struct.unpack(f"<{len(data) // 4}I", data)
    for x, y in zip(words[::2], words[1::2]):
        a = (a + x + b) & 0xffffffff
        b = (b + y + a) & 0xffffffff
    return a, b


def log(path, page, claimed, *, number=1, frames=1):
    """A log of that many commits of one page, each with that many pages in the database."""
    head = struct.pack(">IIIIII", 0x377f0682, 3007000, len(page), 0, 1, 2)
    sums = checksum(head)
    data = head + struct.pack(">II", *sums)
    for _ in range(frames):
        frame = struct.pack(">II", number, claimed)
        sums = checksum(page, checksum(frame, sums))
        data += frame + struct.pack(">IIII", 1, 2, *sums) + page
    path.write_bytes(data)


def journal(path, page, *, records, pages, sector=512, number=1):
    """A hot journal of one record, whose header says that it has `records` of `pages` pages."""
    size = len(page)
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(
        ">IIIII", records, 0, pages, sector, size)
    total = sum(page[i] for i in range(size - 200, 0, -200)) & 0xffffffff
    path.write_bytes(
        head.ljust(sector, b"\0") + struct.pack(">I", number) + page + struct.pack(">I", total))
