// SQLite over a snapshot instead of a file. Plan: plain and encrypted images are read; a WAL header
// does not matter; nothing can be written and nothing is made; a read error, a truncated image and
// an image that ends inside of a page are errors or short answers, never a crash; many at once.

import Foundation
import Testing

@testable import SealCore

@Suite struct EngineSnapshotTests {
  @Test func readsAPlainImage() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, Peer.table)
    let image = try MemorySnapshot(contentsOf: path)
    try FileManager.default.removeItem(atPath: path)
    let connection = try Connection(snapshot: image, path: path)
    #expect(connection.probe() == .ready(objects: 1))
    #expect(try connection.scalar("SELECT sum(b) FROM t") == .integer(4950))
    #expect(try connection.rows("PRAGMA integrity_check") == [[.string("ok")]])
    #expect(try connection.rows("SELECT b FROM t ORDER BY c, b DESC").count == 100)
    #expect(scratch.names == [])
  }

  @Test(arguments: EngineSettingsCase.all.filter { Engine.current.supportsFormat4 || $0.old })
  func readsAnEncryptedImage(each: EngineSettingsCase) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makeEncrypted(path, key: "pass", pragmas: each.pairs, Peer.table)
    let image = try MemorySnapshot(contentsOf: path)
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
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, Peer.table + "PRAGMA journal_mode = WAL;")
    let image = try MemorySnapshot(contentsOf: path)
    let connection = try Connection(snapshot: image, path: path)
    #expect(try connection.scalar("SELECT count(*) FROM t") == .integer(100))
    #expect(scratch.names == ["a.db"])
  }

  @Test(arguments: [
    "DELETE FROM t", "CREATE TABLE x(y)", "PRAGMA user_version = 9", "VACUUM", "REINDEX",
    "BEGIN IMMEDIATE", "PRAGMA journal_mode = DELETE; ",
  ])
  func cannotBeWritten(sql: String) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, Peer.table + "CREATE INDEX i ON t(b);")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let connection = try Connection(snapshot: MemorySnapshot([UInt8](before)), path: path)
    _ = try? connection.execute(sql)
    #expect(try connection.scalar("PRAGMA user_version") == .integer(7))
    #expect(try connection.scalar("SELECT count(*) FROM t") == .integer(100))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(scratch.names == ["a.db"])
  }

  /// The named file system serves nothing but what was given to it.
  @Test func opensNoOtherDatabase() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, Peer.table)
    let connection = try Connection(snapshot: try MemorySnapshot(contentsOf: path), path: path)
    #expect(throws: SealError.self) {
      try connection.execute("ATTACH '\(path)' AS other")
    }
    #expect(throws: SealError.self) { try connection.execute("ATTACH 'snapshot-1' AS other") }
  }

  @Test func aReadErrorIsAnError() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, Peer.table)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let image = MemorySnapshot(bytes, failsFrom: 8192)
    let connection = try Connection(snapshot: image, path: path)
    #expect(connection.probe() == .ready(objects: 1))
    #expect {
      _ = try connection.rows("SELECT * FROM t")
    } throws: { error in
      guard case SealError.io(let failure) = error else { return false }
      return failure.call == .read && failure.path == path
    }
    // SQLite looks at the header when it opens a database.
    #expect(throws: SealError.io(IOFailure(.read, path: path, errno: EIO))) {
      _ = try Connection(snapshot: MemorySnapshot(bytes, failsFrom: 0), path: path)
    }
  }

  @Test func everyLengthOfAnImageIsAnswered() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, "PRAGMA page_size = 512;" + Peer.table)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for length in Array(stride(from: 0, to: bytes.count, by: 97)) + [1, 15, 16, 99, 100, 511, 513] {
      let image = MemorySnapshot(Array(bytes.prefix(length)))
      let connection = try Connection(snapshot: image, path: path)
      _ = connection.probe()
      // A whole table can only come out of a whole file.
      let count = try? connection.scalar("SELECT count(*) FROM t WHERE length(c) = 400")
      #expect(count != .integer(100), "\(length) of \(bytes.count) bytes")
    }
  }

  @Test func manyAreOpenAtOnce() async throws {
    let scratch = try Scratch()
    for index in 0..<4 {
      try Peer.makePlain(
        scratch.file("\(index)"), "CREATE TABLE t(a); INSERT INTO t VALUES(\(index))")
    }
    let images = try (0..<4).map { try MemorySnapshot(contentsOf: scratch.file("\($0)")) }
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
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(path, Peer.table)
    weak var left: MemorySnapshot?
    do {
      let image = try MemorySnapshot(contentsOf: path)
      left = image
      let connection = try Connection(snapshot: image, path: path)
      #expect(connection.probe() == .ready(objects: 1))
    }
    #expect(left == nil)
  }
}
