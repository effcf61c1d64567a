// Plan: bytes of sound databases are changed at random, thousands of times, and single claims of a
// page are made absurd one by one. Every reader of Pages must return or throw `SealError`, and must
// end after work that is bounded by the size of the file. The named damages must be named.
import Foundation
import Testing

@testable import SealCore

/// A sink that refuses to grow without end: what a small file claims must not fill a disk.
private final class BoundedSink: PageWriting {
  enum Fault: Error { case tooMuch }
  private var left: Int
  init(_ pages: Int) { left = pages }
  func write(_ number: UInt32, _ bytes: UnsafeRawPointer) throws {
    left -= 1
    if left < 0 { throw Fault.tooMuch }
  }
}

@Suite struct PagesHostileTests {
  /// Runs every reader over `pages` and says which damage was found.
  static func provoke(_ pages: MemoryPages, pageSize: Int, reserve: Int) -> Damage.Flaw? {
    var flaw: Damage.Flaw?
    func run(_ body: () throws -> Void) {
      do { try body() } catch SealError.damaged(let damage) {
        flaw = damage.flaw
      } catch SealError.unsupported(.fileFormat) {
        // A changed read version: the file says that it is too new for anybody.
        flaw = .header(field: "read version")
      } catch { Issue.record("unexpected \(error)") }
    }
    run {
      let header = try DatabaseHeader.read(from: pages, path: "hostile.db").header
      _ = try FreeList(reading: pages, header: header, path: "hostile.db")
    }
    flaw = nil
    run { _ = try ContentWalk.summary(of: pages, path: "hostile.db", key: digestKey) }
    let walked = flaw
    run {
      // Each page of the source is read at most twice and its content laid out once.
      let sink = BoundedSink(16 * (pages.bytes.count / pageSize + 64))
      _ = try Relayout.run(
        from: pages, path: "hostile.db", to: sink, pageSize: pageSize, reserve: reserve,
        key: digestKey)
    }
    #expect(flaw == walked)
    return flaw
  }

  @Test(arguments: ["random", "fill", "schema", "empty", "chains"])
  func survivesChangedBytes(_ kind: String) throws {
    let workshop = try Workshop([(kind, 5001), (kind, 5002)])
    var generator = SeededGenerator(state: 7)
    for file in try workshop.sources {
      let original = try MemoryPages(file: file)
      // The walk over a large database takes long, and its bytes are like each other.
      let rounds = max(40, min(1500, 150_000_000 / max(1, original.bytes.count)))
      for _ in 0..<rounds {
        let pages = MemoryPages(pageSize: original.pageSize, bytes: original.bytes)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          Self.change(&pages.bytes, pageSize: pages.pageSize, using: &generator)
        }
        let size = PagesRelayoutTests.pageSizes.randomElement(using: &generator) ?? 512
        _ = Self.provoke(pages, pageSize: size, reserve: 32)
      }
    }
  }

  /// Changes something, most often where a page says what it is.
  static func change(
    _ bytes: inout [UInt8], pageSize: Int, using generator: inout SeededGenerator
  ) {
    let page = Int.random(in: 0..<(bytes.count / pageSize), using: &generator) * pageSize
    let interesting: [UInt8] = [0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0x81, 0xfe, 0xff]
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes[Int.random(in: bytes.indices, using: &generator)] = generator.next() as UInt8
    case 1:
      bytes[page + Int.random(in: 0..<16, using: &generator)] =
        interesting.randomElement(using: &generator) ?? 0
    case 2:
      bytes[Int.random(in: 0..<min(200, bytes.count), using: &generator)] =
        interesting.randomElement(using: &generator) ?? 0
    case 3:
      let place = page + Int.random(in: 0..<(pageSize - 9), using: &generator)
      for i in 0..<9 { bytes[place + i] = interesting.randomElement(using: &generator) ?? 0 }
    default:
      let from = Int.random(in: 0..<(bytes.count / pageSize), using: &generator) * pageSize
      bytes.replaceSubrange(page..<(page + pageSize), with: bytes[from..<(from + pageSize)])
    }
  }

  /// A database of 512-byte pages: table t at page 2, interior with leaves from page 3 on.
  static func sample() throws -> MemoryPages {
    let workshop = try Workshop([("plain", 1)])
    let file = try #require(try workshop.sources.first)
    return try MemoryPages(file: file)
  }

  static func flaw(_ edit: (inout [UInt8]) -> Void) throws -> Damage.Flaw? {
    let pages = try sample()
    edit(&pages.bytes)
    return provoke(pages, pageSize: 1024, reserve: 0)
  }

  /// Where page `number` of `sample` starts.
  static func page(_ number: Int) -> Int { (number - 1) * 512 }

  /// The big-endian number of `count` bytes at `place`.
  static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  @Test func namesTheDamage() throws {
    #expect(try Self.flaw { _ in } == nil)
    #expect(try Self.flaw { $0[Self.page(2)] = 7 } == .structure(page: 2, .pageType))
    #expect(try Self.flaw { $0[Self.page(2)] = 0x0d } != nil)
    #expect(
      try Self.flaw { $0[Self.page(3) + 3] = 0xff } == .structure(page: 3, .cellCount))
    #expect(
      try Self.flaw { $0[Self.page(3) + 8] = 0xff } == .structure(page: 3, .cellOutside))
    #expect(try Self.flaw { $0[Self.page(3)] = 0x0a } == .structure(page: 3, .mixedTree))
    #expect(try Self.flaw { $0[0] = 0 } == .header(field: "header string"))
    #expect(try Self.flaw { $0[20] = 33 } == .header(field: "reserved space"))
    #expect(try Self.flaw { $0[16] = 3 } == .header(field: "page size"))
    #expect(
      try Self.flaw {
        $0.replaceSubrange(Self.page(2) + 8..<Self.page(2) + 12, with: [0, 0, 0, 2])
      }
        == .structure(page: 2, .pageTwice))
    #expect(
      try Self.flaw {
        $0.replaceSubrange(Self.page(2) + 8..<Self.page(2) + 12, with: [0, 9, 9, 9])
      }
        == .structure(page: 0x90909, .pageOutside))
    #expect(
      try Self.flaw {
        $0.replaceSubrange(Self.page(2) + 8..<Self.page(2) + 12, with: [0, 0, 0, 0])
      }
        == .structure(page: 2, .pageOutside))
  }

  @Test func refusesCellsThatShareTheirBytes() throws {
    // Every cell of the first leaf is its last one: 300 bytes that would be copied many times.
    let flaw = try Self.flaw { bytes in
      let leaf = Self.page(3)
      let count = 200
      for i in 0..<count {
        bytes[leaf + 8 + 2 * i] = 1
        bytes[leaf + 9 + 2 * i] = 0xa0
      }
      bytes[leaf + 4] = UInt8(count)
      bytes[leaf + 0x1a0] = 60
    }
    #expect(flaw == .structure(page: 3, .cellCount))
  }

  @Test func refusesATreeWithoutEnd() throws {
    // 30 interior pages, each the only child of the one before.
    let pages = try Self.sample()
    let first = Int(pages.pageCount) + 1
    for i in 0..<30 {
      var page = [UInt8](repeating: 0, count: 512)
      page[0] = 5
      page[5] = 2
      page[10] = UInt8((first + i + 1) >> 8)
      page[11] = UInt8((first + i + 1) & 255)
      pages.bytes += page
    }
    pages.bytes[Self.page(2) + 10] = UInt8(first >> 8)
    pages.bytes[Self.page(2) + 11] = UInt8(first & 255)
    let flaw = Self.provoke(pages, pageSize: 512, reserve: 0)
    #expect(flaw == .structure(page: UInt32(first + 19), .tooDeep))
  }

  @Test func namesABrokenChain() throws {
    let pages = try Self.sample()
    // The last page is the end of the one chain in the database; the page before leads to it.
    let last = Int(pages.pageCount)
    let before = Self.page(last - 1)
    try #require(Self.number(pages.bytes, before, 4) == last)
    pages.bytes[before + 3] = 0
    pages.bytes[before + 2] = 0
    #expect(
      Self.provoke(pages, pageSize: 512, reserve: 0)
        == .structure(page: UInt32(last - 1), .overflowShort))
    pages.bytes[before + 3] = UInt8((last - 1) & 255)
    pages.bytes[before + 2] = UInt8((last - 1) >> 8)
    #expect(
      Self.provoke(pages, pageSize: 512, reserve: 0)
        == .structure(page: UInt32(last - 1), .pageTwice))
  }
}
