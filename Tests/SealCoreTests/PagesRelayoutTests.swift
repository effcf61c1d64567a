// Plan: stock SQLite makes databases of every shape; each is laid out anew for several page sizes
// and reserves; stock SQLite then finds the structure sound (pointer map included), every value and
// rowid, schema row and header setting as before, no free page, zeros in the reserve; and it can go
// on working with the database. A second layout gives back what the first one got.
import Foundation
import Testing

@testable import SealCore

@Suite struct PagesRelayoutTests {
  static let pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]

  /// Every page size with some reserves; 512 has at least 480 usable bytes.
  static func reserves(_ pageSize: Int) -> [Int] {
    pageSize == 512 ? [0, 16, 32] : [0, 16, 48, 80, 255]
  }

  /// Lays every database of `workshop` out, in `choose`d ways, and asks the judge.
  func convert(
    _ workshop: Workshop, choose: (inout SeededGenerator) -> [(Int, Int)]
  ) throws {
    var generator = SeededGenerator(state: UInt64(workshop.lockByte))
    for file in try workshop.sources {
      let source = try MemoryPages(file: file)
      for (pageSize, reserve) in choose(&generator) {
        let output = try relay(
          source, pageSize: pageSize, reserve: reserve, lockByte: workshop.lockByte)
        try workshop.keep(output, of: file, reserve: reserve)
      }
    }
    let verdict = try workshop.verdict()
    #expect(verdict == "")
  }

  static func some(_ count: Int) -> (inout SeededGenerator) -> [(Int, Int)] {
    { generator in
      (0..<count).map { _ in
        let pageSize = pageSizes.randomElement(using: &generator) ?? 4096
        return (pageSize, reserves(pageSize).randomElement(using: &generator) ?? 0)
      }
    }
  }

  static func all(_: inout SeededGenerator) -> [(Int, Int)] {
    pageSizes.flatMap { size in reserves(size).map { (size, $0) } }
  }

  @Test(arguments: 0..<8) func keepsRandomDatabases(_ batch: Int) throws {
    let kinds = (0..<6).map { ("random", batch * 6 + $0) }
    try convert(try Workshop(kinds), choose: Self.some(4))
  }

  @Test(arguments: ["empty", "random"]) func keepsADatabaseInEveryLayout(_ kind: String) throws {
    try convert(try Workshop([(kind, 1001), (kind, 1002), (kind, 1003)]), choose: Self.all)
  }

  @Test func keepsDeepTrees() throws {
    try convert(try Workshop([("deep", 1)])) { _ in [(512, 32), (512, 0), (4096, 80)] }
  }

  @Test func keepsManyTables() throws {
    try convert(
      try Workshop([("tables", 1), ("tables", 2), ("tables", 3)]), choose: Self.some(3))
  }

  @Test func splitsASchemaThatPageOneHasNoRoomFor() throws {
    try convert(try Workshop((0..<30).map { ("schema", $0) }), choose: Self.some(4))
    try convert(try Workshop((0..<60).map { ("fit", $0) })) { _ in
      [(512, 0), (512, 32), (512, 7), (1024, 80)]
    }
  }

  @Test func keepsOverflowChains() throws {
    try convert(try Workshop((0..<4).map { ("chains", $0) }), choose: Self.some(4))
  }

  @Test func endsTreesOfEverySize() throws {
    try convert(try Workshop((0..<80).map { ("fill", $0) })) { _ in [(512, 0), (512, 32)] }
  }

  /// 206 * 1024 is where a pointer-map page of 1024 bytes would be the lock-byte page.
  @Test(arguments: [1 << 16, 1 << 18, 206 * 1024, 205 * 1024])
  func leavesTheLockBytePageAlone(_ lockByte: Int) throws {
    let kinds =
      (2000..<2008).map { ("random", $0) } + [
        ("chains", 7), ("tables", 9), ("vacuum", 1), ("vacuum", 2),
      ]
      + (0..<6).map { ("fill", $0) }
    try convert(try Workshop(kinds, lockByte: lockByte)) { generator in
      [(1024, 0), (1024, 4)] + Self.some(2)(&generator)
    }
  }

  /// The judge is worth something: it notices one changed value, and one wrong parent in the map.
  @Test func theJudgeNoticesWhatIsWrong() throws {
    for (kind, place) in [("plain", nil), ("vacuum", 1024 + 5 * 3 + 4)] as [(String, Int?)] {
      let workshop = try Workshop([(kind, 77)])
      let file = try #require(try workshop.sources.first)
      let output = try relay(try MemoryPages(file: file), pageSize: 1024, reserve: 0)
      try workshop.keep(output, of: file, reserve: 0)
      #expect(try workshop.verdict() == "")
      let row = [UInt8]("row 40 ".utf8)
      let byte = place ?? output.bytes.indices.first { output.bytes[$0...].starts(with: row) }
      output.bytes[try #require(byte)] ^= 1
      try workshop.keep(output, of: file, reserve: 0)
      #expect(try workshop.verdict() != "")
    }
  }

  @Test func givesTheSameDatabaseForTheSameLayout() throws {
    let workshop = try Workshop([("random", 31), ("chains", 5), ("tables", 4)])
    for file in try workshop.sources {
      let first = try relay(try MemoryPages(file: file), pageSize: 4096, reserve: 80)
      let other = try relay(first, pageSize: 1024, reserve: 0)
      let again = try relay(other, pageSize: 4096, reserve: 80)
      #expect(first.bytes == again.bytes)
    }
  }
}
