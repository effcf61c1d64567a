// Plan: the parts of inspect that are easier to test alone.
// - PageUses: every page once, runs in order, across blocks, without memory for what is unused;
// - VirtualTable: the module and the options of a statement, whatever stands around and in the names;
// - PageMap: hostile pages end the walk of their tree and never the program.

import Testing

@testable import SealCore

@Suite struct InspectPartsTests {
  private func runs(_ uses: PageUses) -> [PageUses.Run] {
    var runs: [PageUses.Run] = []
    uses.forEachRun { runs.append($0) }
    return runs
  }

  @Test func givesEveryPageOnce() {
    var uses = PageUses(count: 100_000)
    let marked: [UInt32] = [1, 2, 32_768, 32_769, 65_536, 65_537, 99_999, 100_000]
    for number in marked { uses[number] = .tableLeaf }
    uses[0] = .damaged
    uses[100_001] = .damaged
    let found = runs(uses)
    #expect(found.first?.first == 1 && found.last?.last == 100_000)
    for (one, next) in zip(found, found.dropFirst()) {
      #expect(one.last + 1 == next.first && one.use != next.use)
    }
    for number in UInt32(1)...100_000 where marked.contains(number) {
      #expect(uses[number] == .tableLeaf)
    }
    #expect(found.filter { $0.use == .tableLeaf }.reduce(0) { $0 + $1.last - $1.first + 1 } == 8)
  }

  @Test func coversTheLargestDatabase() {
    var uses = PageUses(count: UInt32.max)
    uses[UInt32.max] = .overflow
    #expect(runs(uses).map(\.last) == [UInt32.max - 1, UInt32.max])
    #expect(runs(PageUses(count: 0)).isEmpty)
  }

  @Test(arguments: [
    ("CREATE VIRTUAL TABLE t USING fts5(a, b)", "fts5"),
    ("create virtual table if not exists main.t using rtree", "rtree"),
    ("CREATE /* VIEW */ VIRTUAL -- x\n TABLE \"using \"\" x\" USING \"my \"\"mod\"(a)", "my \"mod"),
    ("CREATE VIRTUAL TABLE [a b] USING [c d](x)", "c d"),
    ("CREATE VIRTUAL TABLE 'q' USING `m`", "m"),
    ("CREATE VIRTUAL TABLE \"using\" USING m(using z)", "m"),
    ("CREATE TABLE t(using text)", nil), ("CREATE VIRTUAL TABLE t", nil),
    ("CREATE VIRTUAL TABLE t USING", nil), ("", nil), ("/*", nil), ("\"", nil),
  ])
  func readsTheModule(_ sql: String, _ module: String?) {
    #expect(VirtualTable.module(in: sql) == module)
  }

  @Test(arguments: [
    ("fts4(t, content=\"\")", ["content"]), ("fts4(Content = x, a)", ["content"]),
    ("fts5(a, content='', columnsize=0)", ["columnsize", "content"]), ("fts5(content, a)", []),
    ("fts5(a, 'content'=b)", ["content"]), ("m(a b=1, f(content=2), 'x, content=3')", []),
    ("fts4(a,/* b */content='')", ["content"]), ("m", []), ("m(", []), ("m)))(content=1", []),
    ("m(=, ,==)", []),
  ])
  func readsTheOptions(_ declaration: String, _ options: [String]) throws {
    let table = try #require(VirtualTable("CREATE VIRTUAL TABLE t USING " + declaration))
    #expect(table.options.sorted() == options)
  }

  /// Pages of nothing but one byte, whatever it is.
  private final class Uniform: PageReading {
    let pageSize = 512
    let pageCount: UInt32 = 40
    let byte: UInt8
    init(_ byte: UInt8) { self.byte = byte }
    func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
      buffer.initializeMemory(as: UInt8.self, repeating: byte, count: pageSize)
    }
    func prefetch(_ numbers: [UInt32], now: Bool) {}
  }

  @Test(arguments: UInt8.min...UInt8.max) func endsOnHostilePages(_ byte: UInt8) throws {
    let geometry = try #require(PageGeometry(pageSize: 512, reserve: 0))
    let map = PageMap(of: Uniform(byte), geometry: geometry)
    for root: UInt32 in [1, 2, 40, 41, 0, UInt32.max] { _ = try map.walk(root) { _ in false } }
    try map.walkFreeList(from: 3, count: 7)
    map.markPointerMaps()
    #expect(map.damageCount > 0)
  }
}
