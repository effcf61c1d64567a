// What the statements of a migration may not do, however they are written: SQLite itself is asked
// what each one does, triggers included.

internal import CSQLCipher

/// An authorizer over one connection, for as long as it lives.
final class MigrationGuard {
  /// What was refused first.
  private(set) var refused: Refusal?
  private let connection: Connection
  private let tables: Set<String>

  /// `tables`: names in lower case, in the main database, that are not to be changed but by
  /// adding rows.
  init(_ connection: Connection, keeping tables: [String]) throws {
    self.connection = connection
    self.tables = Set(tables)
    let code = ResultCode(
      sqlite3_set_authorizer(
        try connection.open(),
        { context, action, first, second, database, _ in
          guard let context else { return SQLITE_DENY }
          let guardian = Unmanaged<MigrationGuard>.fromOpaque(context).takeUnretainedValue()
          return guardian.judge(action, first, second, database)
        }, Unmanaged.passUnretained(self).toOpaque()))
    guard code == .ok else { throw connection.failure(code) }
  }

  deinit {
    if let db = try? connection.open() { sqlite3_set_authorizer(db, nil, nil) }
  }

  private func judge(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?
  ) -> Int32 {
    let refusal: Refusal? =
      switch action {
      // Savepoints are harmless inside of a transaction, and FTS makes some of its own.
      case SQLITE_TRANSACTION: .transaction
      case SQLITE_ATTACH, SQLITE_DETACH: .otherDatabase
      case SQLITE_DROP_TABLE, SQLITE_DELETE, SQLITE_UPDATE: keeping(first, of: database)
      case SQLITE_CREATE_TRIGGER: keeping(second, of: database)
      case SQLITE_ALTER_TABLE: keeping(second, of: first)
      default: nil
      }
    guard let refusal else { return SQLITE_OK }
    refused = refused ?? refusal
    return SQLITE_DENY
  }

  private func keeping(_ table: UnsafePointer<CChar>?, of database: UnsafePointer<CChar>?)
    -> Refusal?
  {
    guard !tables.isEmpty, let table, let database, String(cString: database) == "main",
      tables.contains(String(cString: table).lowercased())
    else { return nil }
    return .versionTable
  }
}
