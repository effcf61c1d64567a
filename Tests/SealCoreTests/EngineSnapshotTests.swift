// SQLite over a snapshot instead of a file. Plan: plain and encrypted images are read; a WAL header
// does not matter; nothing can be written and nothing is made; a read error, a truncated image and
// an image that ends inside of a page are errors or short answers, never a crash; many at once.

import Foundation
import Testing

@testable import SealCore

@Suite struct EngineSnapshotTests {
  @Test func readsAPlainImage() throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, EnginePeer.table)
    let image = try EngineSnapshotImage(contentsOf: path)
    try FileManager.default.removeItem(atPath: path)
    let connection = try Connection(snapshot: image, path: path)
    #expect(connection.probe() == .ready(objects: 1))
    #expect(try connection.scalar("SELECT sum(b) FROM t") == .integer(4950))
    #expect(try connection.rows("PRAGMA integrity_check") == [[.string("ok")]])
    #expect(try connection.rows("SELECT b FROM t ORDER BY c, b DESC").count == 100)
    #expect(scratch.names == [])
  }

  @Test(arguments: EngineSettingsCase.all)
  func readsAnEncryptedImage(each: EngineSettingsCase) throws {
    guard Engine.current.supportsFormat4 || each.old else { return }
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makeEncrypted(path, key: "pass", pragmas: each.pairs, EnginePeer.table)
    let image = try EngineSnapshotImage(contentsOf: path)
    let connection = try Connection(snapshot: image, path: path)
    try connection.key(secret(utf8: "pass"))
    try connection.apply(settings: each.pairs)
    #expect(connection.probe() == .ready(objects: 1))
    #expect(try connection.scalar("SELECT sum(b) FROM t") == .integer(4950))
    #expect(try connection.rows("PRAGMA integrity_check") == [[.string("ok")]])
    let wrong = try Connection(snapshot: image, path: path)
    try wrong.key(secret(utf8: "other"))
    try wrong.apply(settings: each.pairs)
    #expect(wrong.probe() == .notADatabase)
  }

  @Test func aHeaderThatSaysWALIsReadAsItIs() throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, EnginePeer.table + "PRAGMA journal_mode = WAL;")
    let image = try EngineSnapshotImage(contentsOf: path)
    let connection = try Connection(snapshot: image, path: path)
    #expect(try connection.scalar("SELECT count(*) FROM t") == .integer(100))
    #expect(scratch.names == ["a.db"])
  }

  @Test(arguments: [
    "DELETE FROM t", "CREATE TABLE x(y)", "PRAGMA user_version = 9", "VACUUM", "REINDEX",
    "BEGIN IMMEDIATE", "PRAGMA journal_mode = DELETE; ",
  ])
  func cannotBeWritten(sql: String) throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, EnginePeer.table + "CREATE INDEX i ON t(b);")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let connection = try Connection(snapshot: EngineSnapshotImage([UInt8](before)), path: path)
    _ = try? connection.execute(sql)
    #expect(try connection.scalar("PRAGMA user_version") == .integer(7))
    #expect(try connection.scalar("SELECT count(*) FROM t") == .integer(100))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(scratch.names == ["a.db"])
  }

  /// The named file system serves nothing but what was given to it.
  @Test func opensNoOtherDatabase() throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, EnginePeer.table)
    let connection = try Connection(snapshot: try EngineSnapshotImage(contentsOf: path), path: path)
    #expect(throws: SealError.self) {
      try connection.execute("ATTACH '\(path)' AS other")
    }
    #expect(throws: SealError.self) { try connection.execute("ATTACH 'snapshot-1' AS other") }
  }

  @Test func aReadErrorIsAnError() throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, EnginePeer.table)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let image = EngineSnapshotImage(bytes, failsFrom: 8192)
    let connection = try Connection(snapshot: image, path: path)
    #expect(connection.probe() == .ready(objects: 1))
    #expect {
      _ = try connection.rows("SELECT * FROM t")
    } throws: { error in
      guard case SealError.io(let failure) = error else { return false }
      return failure.call == .read && failure.path == path
    }
    let dead = try Connection(snapshot: EngineSnapshotImage(bytes, failsFrom: 0), path: path)
    guard case .failed(let code, _) = dead.probe() else {
      Issue.record("\(dead.probe())")
      return
    }
    #expect(code == .ioError)
  }

  @Test func everyLengthOfAnImageIsAnswered() throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, "PRAGMA page_size = 512;" + EnginePeer.table)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for length in Array(stride(from: 0, to: bytes.count, by: 97)) + [1, 15, 16, 99, 100, 511, 513] {
      let image = EngineSnapshotImage(Array(bytes.prefix(length)))
      let connection = try Connection(snapshot: image, path: path)
      _ = connection.probe()
      // A whole table can only come out of a whole file.
      let count = try? connection.scalar("SELECT count(*) FROM t WHERE length(c) = 400")
      #expect(count != .integer(100), "\(length) of \(bytes.count) bytes")
    }
  }

  @Test func manyAreOpenAtOnce() async throws {
    let scratch = try EngineScratch()
    for index in 0..<4 {
      try EnginePeer.makePlain(
        scratch.file("\(index)"), "CREATE TABLE t(a); INSERT INTO t VALUES(\(index))")
    }
    let images = try (0..<4).map { try EngineSnapshotImage(contentsOf: scratch.file("\($0)")) }
    let sums = await withTaskGroup(of: Int64?.self) { group in
      for turn in 0..<200 {
        group.addTask {
          let connection = try? Connection(snapshot: images[turn % 4], path: "\(turn)")
          let found = try? connection?.scalar("SELECT a FROM t")
          return found?.integer == Int64(turn % 4) ? found?.integer : nil
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.compactMap(\.self).count == 200)
  }

  @Test func aClosedConnectionLetsGoOfItsSnapshot() throws {
    let scratch = try EngineScratch()
    let path = scratch.file("a.db")
    try EnginePeer.makePlain(path, EnginePeer.table)
    weak var left: EngineSnapshotImage?
    do {
      let image = try EngineSnapshotImage(contentsOf: path)
      left = image
      let connection = try Connection(snapshot: image, path: path)
      #expect(connection.probe() == .ready(objects: 1))
    }
    #expect(left == nil)
  }
}
