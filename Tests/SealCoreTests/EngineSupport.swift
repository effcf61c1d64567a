// What the engine's tests share: a folder of their own, and databases that others wrote. Encrypted
// files come from SQLCipher 4.19 (a peer in Python), plain ones from Python's own sqlite3.

import Foundation
import Testing

@testable import SealCore

/// A folder that goes with the test.
final class Scratch {
  let path: String

  init() throws {
    let base = FileManager.default.temporaryDirectory.path
    path = base + "/dbseal-engine-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in the folder.
  func file(_ name: String) -> String { path + "/" + name }

  /// Names in the folder, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

struct PeerFailure: Error, CustomStringConvertible {
  var description: String
}

/// The independent programs that write and judge databases.
enum Peer {
  /// The root of the package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// Where `make peers` put them.
  static var folder: String {
    ProcessInfo.processInfo.environment["DBSEAL_PEERS"] ?? root + "/.build/peers"
  }

  /// Python with SQLCipher 4.19 as `sqlcipher3`.
  static var python: String { folder + "/a/bin/python" }

  /// Starts `program`; its standard output is a pipe.
  static func start(_ program: String, _ arguments: [String]) throws -> (Process, Pipe, Pipe) {
    let process = Process()
    let (out, input) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = out
    process.standardInput = input
    try process.run()
    return (process, out, input)
  }

  /// Runs a Python script to its end and answers what it printed. Throws unless it succeeds.
  @discardableResult
  static func run(_ script: String, _ arguments: [String]) throws -> String {
    let (process, out, input) = try start(python, ["-c", script] + arguments)
    try input.fileHandleForWriting.close()
    let data = out.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PeerFailure(description: "peer failed") }
    return String(decoding: data, as: UTF8.self)
  }

  /// A plain database made by `sql`.
  static func makePlain(_ path: String, _ sql: String) throws {
    try run(
      "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()",
      [path, sql])
  }

  /// A database that SQLCipher 4.19 encrypts, opened by `pragmas` after the key. The key is given
  /// as a C string in SQL, so it holds no NUL.
  static func makeEncrypted(
    _ path: String, key: String, pragmas: [(name: String, value: String)] = [], _ sql: String
  ) throws {
    let settings = pragmas.map { "PRAGMA \($0.name) = \"\($0.value)\";" }.joined()
    try run(
      """
      import sys
      from sqlcipher3 import dbapi2 as s
      path, key, settings, sql = sys.argv[1:]
      c = s.connect(path)
      c.execute("PRAGMA key = '" + key.replace("'", "''") + "'")
      c.executescript(settings + sql)
      c.close()
      """, [path, key, settings, sql])
  }

  /// Makes the table `t` with 100 rows, whose `b` is 0 to 99.
  static let table = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<99)
      INSERT INTO t(b, c) SELECT i, hex(randomblob(200)) FROM n;
    PRAGMA user_version = 7;
    """
}

func secret(bytes: [UInt8]) -> Secret { bytes.withUnsafeBytes { Secret(copying: $0) } }

func secret(utf8 text: String) -> Secret { secret(bytes: Array(text.utf8)) }

/// A snapshot in memory, which may fail from some byte on.
final class MemorySnapshot: SnapshotFile, @unchecked Sendable {
  private let bytes: [UInt8]
  /// Offsets from here on cannot be read.
  let failsFrom: UInt64

  init(_ bytes: [UInt8], failsFrom: UInt64 = .max) {
    self.bytes = bytes
    self.failsFrom = failsFrom
  }

  convenience init(contentsOf path: String) throws {
    self.init([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  var size: UInt64 { UInt64(bytes.count) }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard offset < failsFrom else { return false }
    let start = Int(offset)
    buffer.copyBytes(from: bytes[start..<(start + buffer.count)])
    return true
  }
}
