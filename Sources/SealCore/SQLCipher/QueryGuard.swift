// What a query of a user may do: read. The database cannot be written through a snapshot anyway;
// this keeps statements from reaching other files, changing settings, or loading code, and says which
// part of a statement was refused.

internal import CSQLCipher

/// An authorizer over one connection, for as long as it lives.
final class QueryGuard {
  /// What was refused first, in words of SQL.
  private(set) var refused: String?
  private let connection: Connection

  /// PRAGMAs that answer and change nothing, with or without an argument.
  private static let readable: Set<String> = [
    "application_id", "auto_vacuum", "collation_list", "compile_options", "database_list",
    "data_version", "encoding", "foreign_key_check", "foreign_key_list", "freelist_count",
    "function_list", "index_info", "index_list", "index_xinfo", "integrity_check", "module_list",
    "page_count", "page_size", "pragma_list", "quick_check", "schema_version", "table_info",
    "table_list", "table_xinfo", "user_version", "cipher_provider", "cipher_provider_version",
    "cipher_version",
  ]
  /// Those whose argument would be a new value.
  private static let valued: Set<String> = [
    "cipher_provider", "cipher_provider_version", "cipher_version", "application_id", "auto_vacuum",
    "encoding", "page_size", "schema_version", "user_version",
  ]
  private static let forbidden: Set<String> = [
    "load_extension", "fts3_tokenizer", "sqlcipher_export", "readfile", "writefile", "edit",
  ]

  init(_ connection: Connection) throws {
    self.connection = connection
    sqlite3_set_authorizer(
      try connection.open(),
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        let guardian = Unmanaged<QueryGuard>.fromOpaque(context).takeUnretainedValue()
        return guardian.judge(action, first, second)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    if let db = try? connection.open() { sqlite3_set_authorizer(db, nil, nil) }
  }

  private func judge(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> Int32 {
    let name = first.map { String(cString: $0) } ?? ""
    let argument = second.map { String(cString: $0) }
    let words: String? =
      switch action {
      case SQLITE_ATTACH: "ATTACH"
      case SQLITE_DETACH: "DETACH"
      case SQLITE_TRANSACTION: name
      case SQLITE_SAVEPOINT: "SAVEPOINT"
      case SQLITE_PRAGMA: pragma(name.lowercased(), argument)
      case SQLITE_FUNCTION:
        Self.forbidden.contains(argument?.lowercased() ?? "") ? "\(argument ?? "")()" : nil
      default: nil
      }
    guard let words else { return SQLITE_OK }
    refused = refused ?? words
    return SQLITE_DENY
  }

  private func pragma(_ name: String, _ argument: String?) -> String? {
    guard Self.readable.contains(name) else { return "PRAGMA \(name)" }
    return argument != nil && Self.valued.contains(name) ? "PRAGMA \(name) with a value" : nil
  }
}
