// The locks must be SQLite's. Plan, judged by Python's own sqlite3 in another process:
//   1 a snapshot keeps writers out, also after another descriptor of the file closed
//   2 the exclusive lock keeps readers out
//   3 a lock that others hold is waited for, then reported with its holder
//   4 an idle database in WAL mode: nothing is made, nothing changes, newcomers wait
//   5 a live database in WAL mode: a writer goes on, a checkpoint cannot reach the main file
//   6 a replacement under way is invisible, and what a killed run left is removed

import Foundation
import Testing

@testable import SealCore

@Suite struct FilesLockTests {
  private let scratch: Scratch
  private let database: String

  init() throws {
    scratch = try Scratch()
    database = scratch.file("a.db")
    try Peer.makePlain(database, Peer.table)
  }

  /// What another process gets from one statement: "ok" or SQLite's words.
  private func attempt(_ sql: String) throws -> String {
    try Peer.run(
      """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
      try:
          c.execute(sys.argv[2]).fetchall(); print("ok")
      except sqlite3.OperationalError as e: print(e)
      """, [database, sql]
    ).trimmingCharacters(in: .newlines)
  }

  private func snapshot() throws -> Snapshot {
    try Snapshot(reading: database, timeout: 0, cancellation: Cancellation())
  }

  @Test func keepsWritersOutAlsoAfterAnotherDescriptorClosed() throws {
    let snapshot = try snapshot()
    _ = try File(database).size()
    #expect(try attempt("DELETE FROM t") == "database is locked")
    #expect(try attempt("SELECT count(*) FROM t") == "ok")
    try snapshot.requireUnchanged()
  }

  @Test func givesTheLockBack() throws {
    do { _ = try snapshot() }
    #expect(try attempt("DELETE FROM t") == "ok")
  }

  @Test func keepsReadersOutOfWhatIsReplaced() throws {
    let snapshot = try Snapshot(replacing: database, timeout: 0, cancellation: Cancellation())
    #expect(try attempt("SELECT count(*) FROM t") == "database is locked")
    #expect(snapshot.lock.strength == .exclusive)
  }

  /// Runs `body` while another process has done `sql` and sits in its transaction.
  private func whileOthers(_ sql: String, _ body: () throws -> Void) throws {
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      for s in sys.argv[2].split(";"): c.execute(s).fetchall()
      print("ready", flush=True); sys.stdin.readline()
      """
    let (process, out, input) = try Peer.start(Peer.python, ["-c", script, database, sql])
    // The line may arrive in pieces.
    #expect(out.fileHandleForReading.availableData.starts(with: Data("ready".utf8)))
    defer {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    try body()
  }

  @Test func saysWhoHoldsTheLock() throws {
    try whileOthers("BEGIN EXCLUSIVE") {
      let error = #expect(throws: SealError.self) { try snapshot() }
      guard case .locked(let path, let holders) = error else {
        Issue.record("not locked: \(String(describing: error))")
        return
      }
      #expect(path == database)
      #expect(holders.map(\.name).contains { $0.hasPrefix("python") })
    }
    _ = try snapshot()
  }

  @Test func leavesAnIdleLogUntouched() throws {
    // A crashed writer leaves its log: copied away while it was open.
    let crashed = scratch.file("crashed.db")
    try Peer.run(
      """
      import sqlite3, sys, shutil
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("PRAGMA journal_mode=WAL"); c.execute("PRAGMA wal_autocheckpoint=0")
      c.execute("UPDATE t SET b = b + 1000")
      for s in ("", "-wal"): shutil.copy(sys.argv[1] + s, sys.argv[2] + s)
      """, [database, crashed])
    let before = try (FileStatus.of(crashed), FileStatus.of(crashed + "-wal"))
    do {
      let snapshot = try Snapshot(reading: crashed, timeout: 0, cancellation: Cancellation())
      #expect(snapshot.lock.strength == .exclusive)
      #expect(snapshot.overlay?.origin == .log)
      try snapshot.requireUnchanged()
    }
    #expect(try before == (FileStatus.of(crashed), FileStatus.of(crashed + "-wal")))
    #expect(scratch.names.contains("crashed.db-shm") == false)
  }

  @Test func freezesALiveDatabaseWhileItsWriterGoesOn() throws {
    let setUp = "PRAGMA journal_mode=WAL;UPDATE t SET b=1;SELECT * FROM t"
    try whileOthers(setUp) {
      let snapshot = try snapshot()
      let main = try FileStatus.of(database)
      #expect(try attempt("UPDATE t SET b=2") == "ok")
      #expect(try attempt("PRAGMA wal_checkpoint(TRUNCATE)") == "ok")
      #expect(try FileStatus.of(database) == main)
      try snapshot.requireUnchanged()
    }
    #expect(try attempt("PRAGMA wal_checkpoint(TRUNCATE)") == "ok")
  }

  @Test func removesWhatAKilledRunLeft() throws {
    let leftover = scratch.file(".a.db.dbseal-1bc23d")
    try Data("half".utf8).write(to: URL(fileURLWithPath: leftover))
    let own = try Replacement(of: database)
    #expect(Replacement.removeLeftovers(of: database) == [leftover])
    #expect(try FileStatus.of(own.temporary.path) != nil, "a living run's file must stay")
    #expect(try own.temporary.status().mode == 0o600)
    own.discard()
    #expect(scratch.names == ["a.db"])
  }

  @Test func neverReplacesWhatAppearedInTheMeantime() throws {
    let target = scratch.file("new.db")
    let replacement = try Replacement(of: target)
    try Data("somebody's".utf8).write(to: URL(fileURLWithPath: target))
    #expect(throws: SealError.exists(path: target, .target)) {
      try replacement.commit(replacing: false, backup: nil)
    }
    replacement.discard()
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("somebody's".utf8))
    #expect(scratch.names == ["a.db", "new.db"])
  }

  @Test func keepsTheOldFileWhereABackupIsInTheWay() throws {
    let old = try Data(contentsOf: URL(fileURLWithPath: database))
    let backup = scratch.file("a.db.old")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: backup))
    let replacement = try Replacement(of: database)
    #expect(throws: SealError.exists(path: backup, .backup)) {
      try replacement.commit(replacing: true, backup: backup)
    }
    replacement.discard()
    #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == old)
    #expect(scratch.names == ["a.db", "a.db.old"])
  }
}
