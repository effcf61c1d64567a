// How a connection waits for locks: as long as SQLite's own busy timeout would, and no longer than
// until the user asks for the end. And what else a transaction needs around it.

internal import CSQLCipher

/// One connection's patience.
final class LockPatience {
  private let seconds: Double
  private let cancellation: Cancellation
  private var end = 0.0

  init(seconds: Double, cancellation: Cancellation) {
    self.seconds = seconds
    self.cancellation = cancellation
  }

  /// Waits a little. False: enough waited. `round` counts from 0 for each lock.
  func goesOn(round: Int32) -> Bool {
    if round == 0 { end = System.now() + seconds }
    guard cancellation.requested == nil, System.now() < end else { return false }
    System.pause(milliseconds: 10)
    return true
  }
}

extension Connection {
  /// Waits for locks up to `seconds`, in a way that `cancellation` ends.
  func wait(upTo seconds: Double, cancellation: Cancellation) throws {
    let db = try open()
    let patience = LockPatience(seconds: seconds, cancellation: cancellation)
    // The connection keeps what the callback is given alive.
    self.patience = patience
    sqlite3_busy_handler(
      db,
      { context, round in
        guard let context else { return 0 }
        let patience = Unmanaged<LockPatience>.fromOpaque(context).takeUnretainedValue()
        return patience.goesOn(round: round) ? 1 : 0
      }, Unmanaged.passUnretained(patience).toOpaque())
  }

  /// A transaction was begun and has not ended. SQLite ends one by itself after some errors.
  var isInTransaction: Bool {
    guard let db = try? open() else { return false }
    return sqlite3_get_autocommit(db) == 0
  }

  /// Removes a journal that nobody needs, under the lock that says so: leaving the mode that keeps
  /// journals does it (sqlite3PagerSetJournalMode in pager.c). Before, a hot one is rolled back.
  func clearJournal() throws {
    try settle()
    guard try run("PRAGMA journal_mode")?.string == "delete" else { return }
    try run("PRAGMA journal_mode = TRUNCATE")
    try run("PRAGMA journal_mode = DELETE")
  }

  /// Lets SQL change the schema table itself, once `PRAGMA writable_schema` asks for it.
  func allowSchemaEdits() throws {
    guard Engine.sqliteNumber >= 3_026_000 else { return }
    let code = ResultCode(dbseal_db_config_int(try open(), SQLITE_DBCONFIG_DEFENSIVE, 0))
    guard code == .ok else { throw failure(code) }
  }
}
