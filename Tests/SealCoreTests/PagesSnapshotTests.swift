// A snapshot must hold what SQLite's own recovery would find. Plan, for plaintext databases whose
// writer "crashed" (the files are copied away in the middle), judged by Python's sqlite3 opening a
// second copy, which recovers it:
//   1 committed frames of a log are included, later ones are not
//   2 a torn log counts up to its last good commit
//   3 a hot journal is undone, in all page sizes, with several segments
//   4 a journal that was finished (zeroed header) is ignored
//   5 a writer who begins a log, and writes it back, while the file is still being looked at makes
//     the look begin again, under a protected log
//   6 settling writes the same into the main file, and removes the sidecars

import Foundation
import Testing

@testable import SealCore

@Suite struct PagesSnapshotTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The database that the snapshot shows, written out, with journal mode "delete".
  private func image(of database: String) throws -> String {
    let snapshot = try Snapshot(reading: database, timeout: 0, cancellation: Cancellation())
    let start = try snapshot.start(count: 100)
    let header = try start.withUnsafeBytes { try DatabaseHeader($0, path: database) }
    let pages = snapshot.physicalPages(pageSize: header.pageSize)
    var bytes = [UInt8](repeating: 0, count: Int(pages) * header.pageSize)
    try bytes.withUnsafeMutableBytes {
      try snapshot.read(
        first: 1, count: Int(pages), pageSize: header.pageSize,
        into: try #require($0.baseAddress))
    }
    bytes[18] = 1
    bytes[19] = 1
    let path = scratch.file("image.db")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try snapshot.requireUnchanged()
    return path
  }

  /// Everything in a database as SQLite finds it. Opening recovers, so it looks at a copy.
  private func content(of database: String) throws -> String {
    try Peer.run(
      """
      import sqlite3, sys, shutil, os, tempfile
      d = tempfile.mkdtemp()
      for s in ("", "-wal", "-journal"):
          if os.path.exists(sys.argv[1] + s): shutil.copy(sys.argv[1] + s, d + "/c.db" + s)
      c = sqlite3.connect(d + "/c.db")
      print(c.execute("PRAGMA integrity_check").fetchall())
      print(c.execute("SELECT rowid, * FROM t ORDER BY 1").fetchall())
      c.close(); shutil.rmtree(d)
      """, [database])
  }

  private func makeLog(_ database: String, cut: Int = 0) throws {
    try Peer.run(
      """
      import sqlite3, sys, shutil, os
      work, out, cut = sys.argv[1] + ".work", sys.argv[1], int(sys.argv[2])
      c = sqlite3.connect(work, isolation_level=None)
      c.execute("PRAGMA journal_mode=WAL"); c.execute("PRAGMA wal_autocheckpoint=0")
      c.execute("PRAGMA cache_size=10")
      c.execute("CREATE TABLE t(a, b)")
      c.execute("INSERT INTO t VALUES(0, 'main')")
      c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      for i in range(50): c.execute("INSERT INTO t VALUES(?, randomblob(3000))", (i,))
      c.execute("BEGIN")
      # More than the cache holds: frames of an open transaction reach the log.
      for i in range(50): c.execute("INSERT INTO t VALUES('never', randomblob(3000))")
      for s in ("", "-wal"): shutil.copy(work + s, out + s)
      if cut: os.truncate(out + "-wal", os.path.getsize(out + "-wal") - cut)
      c.execute("ROLLBACK"); c.close(); os.remove(work)
      """, [database, String(cut)])
  }

  @Test(arguments: [0, 7, 180_000, 330_001])
  func includesWhatWasCommittedToTheLog(cut: Int) throws {
    let database = scratch.file("log.db")
    try makeLog(database, cut: cut)
    let expected = try content(of: database)
    #expect(expected.hasPrefix("[('ok',)]"))
    #expect(!expected.contains("never"))
    #expect(try content(of: image(of: database)) == expected)
  }

  private func makeJournal(_ database: String, pageSize: Int, zeroed: Bool = false) throws {
    try Peer.run(
      """
      import sqlite3, sys, shutil, os
      out, size, zeroed = sys.argv[1], sys.argv[2], sys.argv[3] == "true"
      work = out + ".work"
      c = sqlite3.connect(work, isolation_level=None)
      c.execute("PRAGMA page_size=" + size); c.execute("PRAGMA cache_size=5")
      c.execute("CREATE TABLE t(a, b)")
      for i in range(300): c.execute("INSERT INTO t VALUES(?, randomblob(400))", (i,))
      c.execute("BEGIN")
      # The small cache spills: the journal is synced and the main file overwritten, several times.
      for i in range(0, 300, 2): c.execute("UPDATE t SET b = randomblob(900) WHERE a = ?", (i,))
      for i in range(200): c.execute("INSERT INTO t VALUES('never', randomblob(700))")
      for s in ("", "-journal"): shutil.copy(work + s, out + s)
      if zeroed:
          with open(out + "-journal", "r+b") as f: f.write(bytes(28))
      c.execute("ROLLBACK"); c.close(); os.remove(work)
      """, [database, String(pageSize), String(zeroed)])
  }

  @Test(arguments: [512, 1024, 4096, 65536])
  func undoesAHotJournal(pageSize: Int) throws {
    let database = scratch.file("hot.db")
    try makeJournal(database, pageSize: pageSize)
    let expected = try content(of: database)
    #expect(expected.hasPrefix("[('ok',)]"))
    #expect(!expected.contains("never"))
    #expect(try content(of: image(of: database)) == expected)
  }

  @Test func ignoresAFinishedJournal() throws {
    let database = scratch.file("done.db")
    try makeJournal(database, pageSize: 1024, zeroed: true)
    let snapshot = try Snapshot(reading: database, timeout: 0, cancellation: Cancellation())
    #expect(snapshot.overlay == nil)
  }

  @Test(arguments: [true, false])
  func settlesAsSQLiteWouldRecover(log: Bool) throws {
    let database = scratch.file("settle.db")
    if log { try makeLog(database) } else { try makeJournal(database, pageSize: 4096) }
    let expected = try content(of: database)
    do {
      let snapshot = try Snapshot(replacing: database, timeout: 0, cancellation: Cancellation())
      try snapshot.settle()
    }
    #expect(scratch.names == ["settle.db"])
    #expect(try content(of: database) == expected)
  }

  @Test func looksAgainWhereAWriterBeganInBetween() throws {
    let database = scratch.file("live.db")
    try Peer.run(
      """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("PRAGMA journal_mode=WAL"); c.execute("CREATE TABLE t(a)"); c.close()
      """, [database])
    let writer = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("INSERT INTO t SELECT zeroblob(9000) FROM (VALUES(1),(2),(3))")
      c.execute("PRAGMA wal_checkpoint")
      print("written", flush=True); sys.stdin.read()
      """
    var looks: [UInt32?] = []
    var process: Process?
    var input: Pipe?
    let found = try Snapshot.reading(database, timeout: 5, cancellation: Cancellation()) {
      snapshot in
      let start = try snapshot.start(count: 100)
      let header = try start.withUnsafeBytes { try DatabaseHeader($0, path: database) }
      looks.append(header.pageCount)
      if process == nil {
        let started = try Peer.start(Peer.python, ["-c", writer, database])
        (process, input) = (started.0, started.2)
        _ = started.1.fileHandleForReading.availableData
      }
      if header.isWAL { try snapshot.protectLog(timeout: 5, cancellation: Cancellation()) }
      return snapshot.physicalPages(pageSize: header.pageSize)
    }
    try input?.fileHandleForWriting.close()
    process?.waitUntilExit()
    #expect(looks.count == 2 && looks[0] == 2)
    #expect(UInt32(found) == looks[1] && found > 2)
  }
}
