// Plan: the parts of schema migrations that are easier to reach here than through the binary.
//   1 scripts end where SQLite says that a statement is complete, over random token soups
//   2 a statement's line and its shortened text
//   3 newer SQL is told by its words, and only where the engine lacks it
//   4 PRAGMAs that last beyond a file are found, whatever they are written like
//   5 SQLite itself refuses to end a transaction while a file runs
//   6 the end is asked for behind a file: those before it stay and are told, and behind the last one it
//     is too late
//   7 a scratch over a snapshot reads as a plain array of bytes would, and leaves the snapshot

import Foundation
import Testing

@testable import SealCore

@Suite struct MigrationPartsTests {
  private func split(_ text: String) throws -> [String] {
    try SqlScript(Array(text.utf8), file: "x.sql").statements.map(\.sql)
  }

  /// Words, blanks and quotes in any order; seeded, so that a failure can be had again.
  private func soup(_ generator: inout SeededGenerator) -> String {
    let words = [
      "CREATE", "create", "TEMP", "TEMPORARY", "TRIGGER", "Trigger", "END", "end", "BEGIN", "x",
      "SELECT", "'a;b'", "'it''s;'", "\"q;\"", "[b;]", "`c;`", ";", ";", ";", "-- c;\n",
      "/* ; */", "/* * / ;*/", "\n", "1.5", ",", "(", "ENDED", "é;", "x'3b'",
    ]
    let count = Int.random(in: 1...25, using: &generator)
    let parts = (0..<count).map { _ in words[Int.random(in: 0..<words.count, using: &generator)] }
    return parts.joined(separator: Bool.random(using: &generator) ? " " : "\n") + " ;"
  }

  @Test func splitsWhereSQLiteSaysThatAStatementIsComplete() throws {
    var generator = SeededGenerator(state: 7)
    let texts = (0..<3000).map { _ in soup(&generator) }
    let input = try Scratch()
    let data = try JSONSerialization.data(withJSONObject: texts)
    try data.write(to: URL(fileURLWithPath: input.file("texts")))
    let script = """
      import json, re, sqlite3, sys
      empty = re.compile(r"^(\\s|;|--[^\\n]*(\\n|$)|/\\*.*?\\*/)*", re.S)
      out = []
      for text in json.load(open(sys.argv[1])):
          found, start = [], 0
          for end in range(1, len(text) + 1):
              if text[end - 1] == ";" and sqlite3.complete_statement(text[start:end]):
                  found.append(empty.sub("", text[start:end], count=1))
                  start = end
          found.append(empty.sub("", text[start:], count=1))
          out.append([f for f in found if f])
      json.dump(out, open(sys.argv[2], "w"))
      """
    try Peer.run(script, [input.file("texts"), input.file("judged")])
    let judged = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: input.file("judged"))))
    let expected = try #require(judged as? [[String]])
    for (text, wanted) in zip(texts, expected) {
      // What follows the last complete statement is one too: blanks behind it do not count.
      let trimmed = wanted.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      let found = try split(text).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      #expect(found == trimmed, "\(text)")
    }
  }

  @Test func saysTheLineOfAStatement() throws {
    let text = "\u{feff}-- one\n\nSELECT 'a\nb';\r\n/* c\n */ SELECT\n 2; ; SELECT 3"
    let statements = try SqlScript(Array(text.utf8), file: "x.sql").statements
    #expect(statements.map(\.line) == [3, 6, 7])
    #expect(statements.map(\.shortened) == ["SELECT 'a b';", "SELECT 2;", "SELECT 3"])
    let long = try SqlScript(Array("SELECT '\(String(repeating: "x", count: 500))'".utf8), file: "")
    #expect(long.statements[0].shortened.count == 121)
  }

  @Test(arguments: [
    ("CREATE TABLE a(b) STRICT", 3_037_000), ("CREATE TABLE a(b) WITHOUT ROWID, STRICT", 3_037_000),
    ("ALTER TABLE a DROP COLUMN b", 3_035_000), ("INSERT INTO a VALUES(1) RETURNING *", 3_035_000),
    ("SELECT a->>'x' FROM b", 3_038_000), ("SELECT a FROM b FULL JOIN c", 3_039_000),
    ("CREATE TABLE a(b AS (1) STORED)", 3_031_000),
    (
      "SELECT 'STRICT) STRICT', a - > b -- RETURNING",
      3_038_000
    ),
    ("SELECT ') STRICT'", nil), ("CREATE TABLE strict(a)", nil),
  ]) func tellsNewerSQL(_ sql: String, _ since: Int32?) {
    #expect(SqlNews.needs(sql, beyond: 3_015_002) == since)
    #expect(SqlNews.needs(sql, beyond: 3_046_001) == nil)
  }

  @Test func refusesPragmasThatTheEngineWouldIgnore() {
    let pragma = "PRAGMA legacy_alter_table = ON"
    #expect(MigrationRules.refusal(of: pragma, sqlite: 3_015_002) == .unknownPragma(needs: "3.26"))
    #expect(MigrationRules.refusal(of: pragma, sqlite: 3_026_000) == nil)
  }

  @Test(arguments: [
    ("PRAGMA nonsense = 1", Refusal.unknownPragma(needs: nil)),
    ("PRAGMA main.nope(1)", .unknownPragma(needs: nil)),
    ("PRAGMA nonsense", .unknownPragma(needs: nil)), ("PRAGMA synchronous;", nil),
    ("PRAGMA main . synchronous", nil), ("PRAGMA synchronous = 1", .idlePragma),
    ("PRAGMA wal_checkpoint", .idlePragma), ("PRAGMA foreign_keys;", nil),
    ("PRAGMA foreign_keys(1)", .foreignKeys), ("PRAGMA cache_size", nil),
    ("PRAGMA main.cache_size = 1", .uselessPragma), ("PRAGMA shrink_memory", .uselessPragma),
    ("PRAGMA page_count", nil), ("PRAGMA cipher_version", .cipherPragma),
  ]) func tellsPragmasApart(_ sql: String, _ refusal: Refusal?) {
    #expect(MigrationRules.refusal(of: sql) == refusal)
  }

  @Test func knowsThePragmasOfTheEngine() throws {
    let connection = try Connection(inMemory: "memory")
    for row in (try? connection.rows("PRAGMA pragma_list")) ?? [] {
      let name = row.first?.string ?? ""
      #expect(
        MigrationRules.refusal(of: "PRAGMA \(name) = 1") != .unknownPragma(needs: nil), "\(name)")
    }
  }

  @Test func findsPragmasThatLast() throws {
    let text = """
      pragma MAIN . "writable_schema" = 1; PRAGMA [recursive_triggers](on); PRAGMA user_version = 2;
      SELECT 'PRAGMA legacy_alter_table'; PRAGMA writable_schema = off
      """
    let script = try SqlScript(Array(text.utf8), file: "x.sql")
    #expect(
      MigrationRules.lastingPragmas(of: script) == ["writable_schema", "recursive_triggers"])
  }

  @Test func forbidsTransactionsHoweverTheyAreWritten() throws {
    let connection = try Connection(inMemory: "memory")
    try connection.execute("BEGIN")
    do {
      let guardian = try MigrationGuard(connection, keeping: [])
      try withExtendedLifetime(guardian) {
        for sql in ["COMMIT", "\u{feff}commit", "/**/END", "ROLLBACK", "ATTACH ':memory:' AS b"] {
          #expect(throws: SealError.self) { try connection.execute(sql) }
          #expect(connection.isInTransaction)
        }
        try connection.execute("CREATE TABLE a(b)")
      }
    }
    try connection.execute("COMMIT")
    #expect(!connection.isInTransaction)
    #expect(try connection.scalar("SELECT count(*) FROM a")?.integer == 0)
  }

  @Test(arguments: [1, 2, 3]) func endsBetweenFilesAndNotBehindTheLast(_ file: Int) throws {
    let scratch = try Scratch()
    for number in 1...3 {
      try Data("CREATE TABLE t\(number)(a);".utf8).write(
        to: URL(fileURLWithPath: scratch.file("\(number).sql")))
    }
    let context = OperationContext()
    var request = SchemaMigration.Request(
      database: "memory", folder: try MigrationFolder(scratch.path), action: .apply,
      context: context)
    request.onApplied = { if $0.version == file { context.cancellation.cancel(signal: SIGINT) } }
    let connection = try Connection(inMemory: "memory")
    try connection.stop(on: context.cancellation)
    let runner = MigrationRunner(connection, request)
    if file == 3 {
      #expect(try runner.apply().map(\.version) == [1, 2, 3])
    } else {
      #expect(throws: SealError.interrupted(signal: SIGINT)) { try runner.apply() }
    }
    #expect(try runner.plan().applied.newest == Int64(file))
    #expect(
      try connection.scalar("SELECT count(*) FROM sqlite_master WHERE name LIKE 't_'")?.integer
        == Int64(file))
  }

  @Test(arguments: [0, 1, 2, 3]) func scratchReadsAsBytesWould(_ seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let pageSize = 512
    let original = (0..<Int(pageSize * 5)).map { UInt8(truncatingIfNeeded: $0 * 31) }
    let base = FixedBytes(original)
    let scratch = ScratchPages(over: base, pageSize: pageSize)
    var model = original
    for _ in 0..<400 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        let size = Int.random(in: 0...model.count, using: &generator)
        #expect(scratch.truncate(to: UInt64(size)))
        model.removeLast(model.count - size)
      case 1...4:
        let offset = Int.random(in: 0...(model.count + 700), using: &generator)
        let bytes = (0..<Int.random(in: 1...1300, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        #expect(bytes.withUnsafeBytes { scratch.write(offset: UInt64(offset), $0) })
        if offset + bytes.count > model.count {
          model += [UInt8](repeating: 0, count: offset + bytes.count - model.count)
        }
        model.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
      default:
        #expect(scratch.size == UInt64(model.count))
        guard !model.isEmpty else { continue }
        let offset = Int.random(in: 0..<model.count, using: &generator)
        let count = Int.random(in: 0...min(1500, model.count - offset), using: &generator)
        var found = [UInt8](repeating: 1, count: count)
        #expect(found.withUnsafeMutableBytes { scratch.read(offset: UInt64(offset), into: $0) })
        #expect(found == Array(model[offset..<(offset + count)]))
      }
    }
    #expect(base.bytes == original)
  }
}

/// A snapshot of bytes.
private final class FixedBytes: SnapshotFile {
  let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }
  var size: UInt64 { UInt64(bytes.count) }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes {
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<(Int(offset) + buffer.count)]))
    }
    return true
  }
}
