// The parts under content digest and comparison. Plan: the published hashes against published
// vectors, in pieces and again; rows as bytes, by the table in Docs/digest.md; the window's added
// pages, which must not be where SQLite never looks. What comes out of it all is judged by stock
// SQLite and SQLCipher in Tests/Scripts/test_digest.py.

import Testing

@testable import SealCore

@Suite struct ContentPartsTests {
  private func hash(_ stream: HashStream, _ length: Int) throws -> String {
    var digest = [UInt8](repeating: 0, count: length)
    try digest.withUnsafeMutableBytes { try stream.finish(into: $0) }
    return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// FIPS 180-4's example and FIPS 202's empty message, each twice from one object.
  @Test func hashesArePublishedOnes() throws {
    let sha = try HashStream(.sha256)
    let shake = try HashStream(.shake256)
    for _ in 0..<2 {
      sha.update(Array("abc".utf8))
      #expect(
        try hash(sha, 32) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      #expect(
        try hash(shake, 32) == "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f")
    }
  }

  /// FIPS 180-4's million of `a`, in pieces that meet the buffer's end everywhere.
  @Test(arguments: [1, 999, 65536, 65537, 1_000_000])
  func piecesDoNotMatter(size: Int) throws {
    let sha = try HashStream(.sha256)
    var left = 1_000_000
    while left > 0 {
      sha.update([UInt8](repeating: 0x61, count: min(size, left)))
      left -= min(size, left)
    }
    #expect(
      try hash(sha, 32) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func valuesAreTheDocumentedBytes() {
    let buffer = ValueBuffer()
    let cases: [(Value, [UInt8])] = [
      (.null, [0]),
      (.integer(-2), [1, 255, 255, 255, 255, 255, 255, 255, 254]),
      (.real(-0.0), [2, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      (.real(1.0), [2, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]),
      (.text([0x61, 0]), [3, 0, 0, 0, 0, 0, 0, 0, 2, 0x61, 0]),
      (.blob([]), [4, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]
    for (value, bytes) in cases {
      buffer.clear()
      buffer.append(value)
      #expect(Array(buffer.bytes) == bytes)
    }
  }

  @Test func valuesAreFoundAgainWhateverTheirSize() {
    let buffer = ValueBuffer()
    let values: [Value] = [
      .blob([UInt8](repeating: 7, count: 100_000)), .null, .integer(.min), .text([]),
      .text([UInt8](repeating: 8, count: 5000)), .real(.infinity),
    ]
    for value in values { buffer.append(value) }
    var kinds: [ValueBuffer.Class] = []
    var lengths: [Int] = []
    var offset = 0
    while let found = buffer.value(at: offset) {
      kinds.append(found.kind)
      lengths.append(found.body.count)
      offset = found.next
    }
    #expect(offset == buffer.count)
    #expect(kinds == [.blob, .null, .integer, .text, .text, .real])
    #expect(lengths == [100_000, 0, 8, 0, 5000, 8])
    let other = ValueBuffer()
    for value in values.dropLast() { other.append(value) }
    #expect(!buffer.isEqual(to: other))
    other.append(.real(.infinity))
    #expect(buffer.isEqual(to: other))
  }

  /// Pages of 512 bytes, the lock byte in page 20: what may reach it stands behind it.
  @Test(arguments: [(4, 5), (13, 14), (18, 21), (19, 21), (20, 21), (30, 31)])
  func addedPagesKeepOffTheLockPage(pages: Int, leaf: Int) throws {
    let geometry = try #require(PageGeometry(pageSize: 512, reserve: 0, lockByte: 19 * 512))
    let base = Zeros(size: UInt64(pages * 512))
    let page = DatabaseHeader.magic + [UInt8](repeating: 0, count: 512 - 16)
    // 512 bytes of a row do not fit in a page of 512: the leaf and one overflow page.
    let window = try TableWindow(
      base, page: page, geometry: geometry, record: [UInt8](repeating: 9, count: 512), path: "a.db")
    #expect(window.size == UInt64((leaf + 1) * 512))
    var all = [UInt8](repeating: 1, count: Int(window.size))
    #expect(all.withUnsafeMutableBytes { window.read(offset: 0, into: $0) })
    #expect(all[100] == 5 && Array(all[108..<112]) == [0, 0, 0, UInt8(leaf)])
    #expect(all[31] == UInt8(leaf + 1))
    #expect(all[(leaf - 1) * 512] == 13)
    #expect(all[512..<((leaf - 1) * 512)].allSatisfy { $0 == 0 })
    var odd = [UInt8](repeating: 1, count: 700)
    #expect(odd.withUnsafeMutableBytes { window.read(offset: 300, into: $0) })
    #expect(odd == Array(all[300..<1000]))
    #expect(!odd.withUnsafeMutableBytes { window.read(offset: window.size - 1, into: $0) })
  }

  /// A file of zeros.
  private final class Zeros: SnapshotFile {
    let size: UInt64
    init(size: UInt64) { self.size = size }
    func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return offset + UInt64(buffer.count) <= size
    }
  }
}
