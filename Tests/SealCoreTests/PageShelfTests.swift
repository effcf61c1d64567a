// Plan: what is kept of pages is what they were, and as much of it as was allowed.
// - a page that is there is copied byte for byte, one that is not is not;
// - pages of indexes and interior pages are kept at once, others when they come again;
// - a shelf that is too small keeps most of what it has, and no more than it has room for;
// - a page that authenticated is opened again without it, other bytes under its number are not, nor
//   its bytes under another number, also where all pages share one place.

import Testing

@testable import SealCore

@Suite struct PageShelfTests {
  private static let pageSize = 512

  private func page(_ number: UInt32, kind: BTreePage.Kind) -> [UInt8] {
    var page = (0..<Self.pageSize).map { UInt8(truncatingIfNeeded: Int(number) &* 31 &+ $0) }
    page[0] = kind.rawValue
    return page
  }

  private func kept(_ number: UInt32, in shelf: PageShelf) -> [UInt8]? {
    var page = [UInt8](repeating: 0, count: Self.pageSize)
    let isThere = page.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { shelf.copy(number, to: $0) } ?? false
    }
    return isThere ? page : nil
  }

  private func offer(
    _ number: UInt32, _ kind: BTreePage.Kind, again: Bool = false, to shelf: PageShelf
  ) {
    page(number, kind: kind).withUnsafeBytes {
      if let start = $0.baseAddress { shelf.offer(number, start, isAgain: again) }
    }
  }

  @Test(arguments: [BTreePage.Kind.interiorIndex, .interiorTable, .leafIndex, .leafTable])
  func keepsWhatComesAgain(_ kind: BTreePage.Kind) throws {
    let shelf = try #require(PageShelf(bytes: 1 << 20, pageSize: Self.pageSize, pageCount: 100))
    #expect(kept(7, in: shelf) == nil)
    offer(7, kind, to: shelf)
    #expect(kept(7, in: shelf) == (kind == .leafTable ? nil : page(7, kind: kind)))
    if kind == .leafTable { offer(7, kind, again: true, to: shelf) }
    #expect(kept(7, in: shelf) == page(7, kind: kind))
    #expect(kept(8, in: shelf) == nil)
  }

  @Test func keepsMostOfWhatItHasAndNoMoreThanItMay() throws {
    let room = 64
    let shelf = try #require(
      PageShelf(bytes: room * Self.pageSize, pageSize: Self.pageSize, pageCount: 1000))
    // In turns through twice as much as there is room for: a cache that drops the oldest would
    // never have the next one.
    var hits = 0
    for round in 0..<50 {
      for number in UInt32(2)..<UInt32(2 + 2 * room) {
        if let found = kept(number, in: shelf) {
          #expect(found == page(number, kind: .leafIndex))
          hits += round == 0 ? 0 : 1
        } else {
          offer(number, .leafIndex, again: round > 0, to: shelf)
        }
      }
    }
    #expect(hits > 49 * 2 * room / 3)
    let there = (UInt32(1)...1000).filter { kept($0, in: shelf) != nil }
    #expect(there.count == room)
  }

  @Test func keepsNothingWithoutRoom() {
    #expect(PageShelf(bytes: 0, pageSize: 4096, pageCount: 10) == nil)
    #expect(PageShelf(bytes: 4095, pageSize: 4096, pageCount: 10) == nil)
  }

  @Test(arguments: Fixture.all, [UInt32(1), 1 << 30])
  func knowsPagesByTheirBytes(_ fixture: Fixture, places: UInt32) throws {
    let codec = try fixture.codec()
    let size = codec.pageSize
    let bytes = try fixture.bytes()
    let known = try KnownPages(fixture.codec(), pageCount: places)
    func open(_ number: UInt32, _ page: [UInt8], _ how: (UnsafeMutableRawPointer) -> PageVerdict)
      -> (PageVerdict, [UInt8])
    {
      var page = page
      let verdict = page.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map(how) ?? .blank
      }
      return (verdict, page)
    }
    for _ in 0..<3 {
      for number in UInt32(1)...UInt32(bytes.count / size) {
        let page = Array(bytes[(Int(number) - 1) * size..<Int(number) * size])
        var altered = page
        altered[size / 2] ^= 0x40
        for (number, page) in [(number, page), (number, altered), (number + 1, page)] {
          for _ in 0..<2 {
            let wanted = open(number, page) { codec.open(page: number, in: $0) }
            let found = open(number, page) { known.open(page: number, in: $0) }
            #expect(found.0 == wanted.0, "page \(number)")
            #expect(found.1 == wanted.1, "page \(number)")
          }
        }
      }
    }
  }
}
