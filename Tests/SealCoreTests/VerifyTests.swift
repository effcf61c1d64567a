// Plan: the parts of verify that tests of the binary cannot reach well.
// - whatever the bytes of a database or a log, there is a verdict or a `SealError`, and an end;
// - the words of SQLite are sorted right: damage, broken rules;
// - a snapshot that keeps CHECKs still cannot be written;
// - several databases are answered in order, however long each takes.
import Foundation
import Synchronization
import Testing

@testable import SealCore

@Suite struct VerifyTests {
  @Test(arguments: ["random", "schema", "empty", "chains"])
  func givesAVerdictOnAnyBytes(_ kind: String) throws {
    let workshop = try Workshop([(kind, 6001)])
    let file = try #require(try workshop.sources.first)
    let original = try MemoryPages(file: file)
    let path = workshop.folder.path + "/hostile.db"
    var generator = SeededGenerator(state: 11)
    var codes: Set<ErrorCode> = []
    for _ in 0..<150 {
      var bytes = original.bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        PagesHostileTests.change(&bytes, pageSize: original.pageSize, using: &generator)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      var request = Verify.Request(NamedDatabase(path: path), OperationContext())
      request.expectations.tables = [.init(name: "t", rows: 1)]
      do {
        codes.insert(try Verify.run(request).code)
      } catch SealError.engine(_, let code, let message) {
        Issue.record("\(code) \(message)")
      } catch is SealError {}
    }
    #expect(codes.contains(.damaged))
  }

  @Test(arguments: ["random", "schema", "chains"])
  func findsOwnersInAnyBytes(_ kind: String) throws {
    let workshop = try Workshop([(kind, 6002)])
    let original = try MemoryPages(file: try #require(try workshop.sources.first))
    var generator = SeededGenerator(state: 12)
    let all = Array(1...original.pageCount)
    let sound = try DatabaseHeader.read(from: original, path: "sound.db").header
    let whole = try PageOwners.find(all, in: original, header: sound)
    // Only the lock-byte page of a sound database would belong to nobody.
    #expect(whole.count == all.count)
    for _ in 0..<300 {
      let pages = MemoryPages(pageSize: original.pageSize, bytes: original.bytes)
      for _ in 0..<4 {
        PagesHostileTests.change(&pages.bytes, pageSize: pages.pageSize, using: &generator)
      }
      guard let header = try? DatabaseHeader.read(from: pages, path: "hostile.db").header,
        header.pageSize == pages.pageSize
      else { continue }
      _ = try PageOwners.find(all, in: pages, header: header)
    }
  }

  @Test func auditsAnyLog() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db-wal")
    var generator = SeededGenerator(state: 13)
    for round in 0..<400 {
      let count = Int.random(in: 0...20_000, using: &generator)
      var bytes = generator.bytes(count)
      if round % 2 == 0, bytes.count > 12 {
        // The magic, the version and a page size that fits: the rest is noise.
        bytes.replaceSubrange(
          0..<12, with: [0x37, 0x7f, 0x06, 0x82, 0, 0x2d, 0xe2, 0x18, 0, 0, 2, 0])
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let audit = try WriteAheadLog.audit(
        path, contents: nil, pageSize: 512, cancellation: Cancellation())
      #expect(audit?.isDamaged != true)
    }
  }

  @Test func readsNamesOfAnyRow() {
    var generator = SeededGenerator(state: 14)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...60, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...40, using: &generator) }
      for encoding: UInt32 in 0...4 {
        bytes.withUnsafeBytes { _ = SchemaEntry($0, encoding: encoding) }
      }
    }
  }

  @Test func tellsBrokenRulesFromDamage() {
    for words in [
      "NULL value in t.a", "CHECK constraint failed in t", "non-INT value in t.a",
      "NUMERIC value in t.a", "TEXT value in t.a",
    ] { #expect(StructureCheck.isAboutRows(words)) }
    for words in [
      "row 1 missing from index i", "non-unique entry in index i", "wrong # of entries in index i",
      "Page 7: never used", "Tree 5 page 7: btreeInitPage() returns error code 11",
      "non-unique entry in index x value in y",
    ] { #expect(!StructureCheck.isAboutRows(words)) }
  }

  @Test func countsTheLinesOfOneRow() {
    let row = "*** in database main ***\nTree 2 page 2: a\nPage 9: never used"
    #expect(StructureCheck.lines(row) == ["Tree 2 page 2: a", "Page 9: never used"])
    #expect(StructureCheck.lines("ok") == ["ok"])
  }

  @Test func namesWhatIsMissing() {
    #expect(
      MissingPart(message: "no such collation sequence: LOCALIZED")
        == MissingPart(kind: .collation, name: "LOCALIZED"))
    #expect(
      MissingPart(message: "unknown function: myfn()")
        == MissingPart(kind: .function, name: "myfn"))
    #expect(
      MissingPart(message: "malformed database schema (i) - no such function: json_each")
        == MissingPart(kind: .function, name: "json_each"))
    #expect(MissingPart(message: "no such table: t") == nil)
  }

  @Test func keepsChecksAndStillWritesNothing() throws {
    let workshop = try Workshop([("schema", 6003)])
    let file = try #require(try workshop.sources.first)
    let before = try Data(contentsOf: file)
    let source = try VerifySource(NamedDatabase(path: file.path), OperationContext())
    let connection = try Connection(
      snapshot: DecodedPages(source.store), path: file.path, keepingChecks: true)
    _ = connection.probe()
    for sql in ["CREATE TABLE new(a)", "PRAGMA user_version = 9", "VACUUM", "DROP TABLE x"] {
      #expect(throws: SealError.self) { try connection.execute(sql) }
    }
    try connection.run("PRAGMA query_only = OFF")
    #expect(throws: SealError.self) { try connection.execute("CREATE TABLE new(a)") }
    #expect(try Data(contentsOf: file) == before)
  }

  @Test(arguments: [1, 2, 8]) func answersInOrder(_ atOnce: Int) throws {
    let paths = (0..<40).map { "/nowhere/\($0)" }
    let seen = Mutex<[Int]>([])
    try SideBySide.run(
      paths, atOnce: atOnce, cancellation: Cancellation(), context: { _ in OperationContext() }
    ) { index, context in
      try Verify.run(Verify.Request(NamedDatabase(path: paths[index]), context))
    } deliver: { index, result in
      if case .failure(SealError.io) = result { seen.withLock { $0.append(index) } }
    }
    #expect(seen.withLock { $0 } == Array(0..<40))
  }
}
