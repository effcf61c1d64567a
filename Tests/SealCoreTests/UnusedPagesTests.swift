// Plan: pages that nothing uses are counted in blocks where a file claims billions, and to the page.
// - around the ends of blocks, the lock-byte page and pointer maps: the count is that of one by one;
// - 2^32 - 1 pages of nothing are counted at once, and the first are named.

import Testing

@testable import SealCore

/// A database of which nobody reads anything but its free list, which is empty.
private final class Claim: PageReading {
  let pageSize = 512
  let pageCount: UInt32
  init(_ count: UInt32) { pageCount = count }
  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {}
  func prefetch(_ numbers: [UInt32], now: Bool) {}
}

@Suite struct UnusedPagesTests {
  private static func header(_ hasAutoVacuum: Bool) throws -> DatabaseHeader {
    var page = [UInt8](repeating: 0, count: 512)
    page.replaceSubrange(0..<16, with: DatabaseHeader.magic)
    page.replaceSubrange(16..<24, with: [2, 0, 1, 1, 0, 64, 32, 32])
    page[55] = hasAutoVacuum ? 1 : 0
    return try page.withUnsafeBytes { try DatabaseHeader($0, path: "f", lockByte: 512 * 40_000) }
  }

  @Test(
    arguments: [false, true],
    [
      [1, 5000, 32768, 70000], [1], [2, 3, 32767, 65535, 98304, 98305],
      [1, 39_990, 40_005],
    ] as [[UInt32]])
  func countsAsOneByOneWould(_ hasAutoVacuum: Bool, _ used: [UInt32]) throws {
    let header = try Self.header(hasAutoVacuum)
    let count: UInt32 = 131_200
    let bitmap = PageBitmap(count: count)
    for number in used { _ = bitmap.insert(number) }
    let found = try UnusedPages(in: Claim(count), header: header, used: bitmap, path: "f")
    let fixed = { (number: UInt32) in
      number == header.geometry.lockPage || hasAutoVacuum && header.geometry.isPointerMap(number)
    }
    let expected = (1...count).lazy.filter { !used.contains($0) && !fixed($0) }
    #expect(found.total == expected.count { _ in true })
    #expect(found.first == Array(expected.prefix(UnusedPages.limit)))
  }

  @Test func countsBillionsAtOnce() throws {
    let bitmap = PageBitmap(count: .max)
    for number: UInt32 in [1, 2, .max] { _ = bitmap.insert(number) }
    let found = try UnusedPages(
      in: Claim(.max), header: Self.header(false), used: bitmap, path: "f")
    #expect(found.total == Int(UInt32.max) - 4)
    #expect(found.first.first == 3)
  }
}
