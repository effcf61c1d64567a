// Opening files. Plan: odd names are plain names; nothing is ever created; a missing file, a
// folder and a file that may not be written are told; a lock ends in `.locked` and never in a wrong
// answer; hostile settings are in force; statements give every storage class back byte for byte.

import Foundation
import Testing

@testable import SealCore

@Suite struct EngineConnectionTests {
  @Test(arguments: [
    "it's.db", "a?b.db", "a%20b.db", "a#b.db", "-dash.db", "file:x.db", ":memory:", "ü ö.db",
    "file:x.db?mode=memory", "a\"b.db", "a\nb.db",
  ])
  func takesOddNamesAsPlainNames(name: String) throws {
    let scratch = try Scratch()
    let path = scratch.file(name)
    try Peer.makePlain(scratch.file("plain"), Peer.table)
    try FileManager.default.moveItem(atPath: scratch.file("plain"), toPath: path)
    for access in [Connection.Access.readOnly, .readWrite, .immutable] {
      let connection = try Connection(path: path, access: access)
      #expect(try connection.scalar("SELECT count(*) FROM t") == .integer(100))
    }
    #expect(scratch.names == [name])
  }

  @Test(arguments: ["missing.db", ":memory:", "file:missing.db", "file:missing.db?mode=rwc", ""])
  func makesNoFile(name: String) throws {
    let scratch = try Scratch()
    let path = name.isEmpty ? "" : scratch.file(name)
    for access in [Connection.Access.readOnly, .readWrite, .immutable] {
      #expect(throws: SealError.io(IOFailure(.open, path: path, errno: ENOENT))) {
        _ = try Connection(path: path, access: access)
      }
    }
    #expect(scratch.names == [])
  }

  /// A relative name that means something else to SQLite; the folder is the current one.
  @Test(arguments: [":memory:", "file::memory:", "file:nowhere.db?mode=rwc"])
  func makesNoDatabaseOfARelativeSpecialName(name: String) {
    #expect(throws: SealError.io(IOFailure(.open, path: name, errno: ENOENT))) {
      _ = try Connection(path: name, access: .readWrite)
    }
  }

  @Test func refusesAFolder() throws {
    let scratch = try Scratch()
    #expect(throws: SealError.self) {
      let connection = try Connection(path: scratch.path)
      _ = try connection.scalar("SELECT count(*) FROM sqlite_master")
    }
  }

  @Test func aReadOnlyConnectionWritesNothing() throws {
    let scratch = try Scratch()
    try Peer.makePlain(scratch.file("a.db"), Peer.table)
    let connection = try Connection(path: scratch.file("a.db"))
    #expect {
      try connection.execute("DELETE FROM t")
    } throws: { error in
      guard case SealError.engine(_, let code, _) = error else { return false }
      return ResultCode(rawValue: code).primary == .readOnly
    }
  }

  @Test func aLockIsBusyAndNotAWrongKey() throws {
    let scratch = try Scratch()
    let (plain, sealed) = (scratch.file("plain.db"), scratch.file("sealed.db"))
    try Peer.makePlain(plain, Peer.table)
    try Peer.makeEncrypted(
      sealed, key: "k", pragmas: [("cipher_compatibility", "3")], Peer.table)
    let holder = """
      import sys
      from sqlcipher3 import dbapi2 as s
      held = []
      for path, setup in zip(sys.argv[1:], ["", "PRAGMA key='k';PRAGMA cipher_compatibility=3;"]):
          c = s.connect(path, isolation_level=None); c.executescript(setup)
          c.execute("BEGIN EXCLUSIVE"); held.append(c)
      print("held", flush=True)
      sys.stdin.read()
      """
    let (process, out, input) = try Peer.start(Peer.python, ["-c", holder, plain, sealed])
    #expect(
      String(decoding: out.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("held"))
    for key in [nil, "k", "wrong"] {
      let path = key == nil ? plain : sealed
      let connection = try Connection(path: path, busyTimeout: 0.05)
      if let key { try connection.key(secret(utf8: key)) }
      if key != nil { try connection.apply(settings: [("cipher_compatibility", "3")]) }
      #expect(connection.probe() == .busy)
      #expect(throws: SealError.locked(path: path, holders: [])) {
        _ = try connection.scalar("SELECT count(*) FROM t")
      }
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  @Test func readsAfterALockIsGone() throws {
    let scratch = try Scratch()
    let path = scratch.file("sealed.db")
    try Peer.makeEncrypted(path, key: "k", pragmas: [("cipher_compatibility", "3")], Peer.table)
    let holder = """
      import sys
      from sqlcipher3 import dbapi2 as s
      c = s.connect(sys.argv[1], isolation_level=None)
      c.executescript("PRAGMA key='k';PRAGMA cipher_compatibility=3;BEGIN EXCLUSIVE;")
      print("held", flush=True)
      sys.stdin.read()
      """
    let (process, out, input) = try Peer.start(Peer.python, ["-c", holder, path])
    _ = out.fileHandleForReading.availableData
    let connection = try Connection(path: path, busyTimeout: 0)
    try connection.key(secret(utf8: "k"))
    try connection.apply(settings: [("cipher_compatibility", "3")])
    #expect(connection.probe() == .busy)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(connection.probe() == .ready(objects: 1))
  }

  @Test func givesEveryStorageClassBack() throws {
    let connection = try Connection(inMemory: "test")
    let values: [Value] = [
      .null, .integer(.min), .integer(.max), .real(-0.0), .real(1.5e300), .text([]),
      .text([0x61, 0, 0xff]), .blob([]), .blob([0, 1, 0xff]),
    ]
    let marks = values.map { _ in "?" }.joined(separator: ",")
    #expect(try connection.rows("SELECT \(marks)", values) == [values])
    let types = "SELECT typeof(?) || typeof(?) || typeof(?) || typeof(?)"
    let empty: [Value] = [.null, .text([]), .blob([]), .real(0)]
    #expect(try connection.scalar(types, empty) == .string("nulltextblobreal"))
  }

  @Test func refusesMoreValuesThanParameters() throws {
    let connection = try Connection(inMemory: "test")
    #expect(throws: SealError.self) {
      _ = try connection.rows("SELECT ?", [.integer(1), .integer(2)])
    }
  }

  @Test func saysWhetherSQLHoldsMoreThanOneStatement() throws {
    let connection = try Connection(inMemory: "test")
    #expect(try Statement(connection, "SELECT 1;\n ; ").hasTail == false)
    #expect(try Statement(connection, "SELECT 1; SELECT 2").hasTail)
    #expect(try Statement(connection, "SELECT 1").isReadOnly)
    #expect(try Statement(connection, "CREATE TABLE x(y)").isReadOnly == false)
    #expect(try Statement(connection, "-- nothing").step() == false)
  }

  @Test func aClosedConnectionAnswersWithAnError() throws {
    let connection = try Connection(inMemory: "test")
    let statement = try Statement(connection, "SELECT 1")
    connection.close()
    #expect(throws: SealError.self) { _ = try statement.step() }
    #expect(throws: SealError.self) { _ = try connection.scalar("SELECT 1") }
    connection.close()
  }

  @Test func keepsTemporaryTablesInMemoryAndExtensionsOff() throws {
    let connection = try Connection(inMemory: "test")
    #expect(try connection.scalar("PRAGMA temp_store") == .integer(2))
    #expect(throws: SealError.self) {
      _ = try connection.scalar("SELECT load_extension('x')")
    }
  }
}
