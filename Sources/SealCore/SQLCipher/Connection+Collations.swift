// A table may be ordered by a collation that only its application has. Reading it from one end to
// the other compares nothing, but SQLite wants to know every collation before it opens the tree.

internal import CSQLCipher

extension Connection {
  /// From now on a collation that the engine lacks is taken for one, without its order: for a
  /// connection that only scans.
  func toleratesMissingCollations() throws {
    let db = try open()
    let code = sqlite3_collation_needed(db, nil) { _, db, encoding, name in
      sqlite3_create_collation(db, name, encoding, nil) { _, _, _, _, _ in 0 }
    }
    guard ResultCode(code) == .ok else { throw failure(ResultCode(code)) }
  }
}
