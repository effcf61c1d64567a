// What a migration may not contain. A file is one transaction together with its version row, so
// statements that begin or end one, that cannot run inside of one, or that silently do nothing there
// are refused before anything runs.

enum MigrationRules {
  /// Throws `.migration(.refused)` for the first statement that cannot be part of a migration.
  static func check(_ script: SqlScript, file: String) throws {
    for statement in script.statements {
      guard let refusal = refusal(of: statement.sql) else { continue }
      var place = statement.place(in: file)
      // Behind these words a key may stand, which no message may show.
      switch refusal {
      case .cipherPragma, .otherDatabase: place.statement = opening(of: statement.sql)
      default: break
      }
      throw SealError.migration(.refused(place, refusal))
    }
  }

  /// Why `sql`, one statement, is refused; nil where it is not.
  static func refusal(of sql: String, sqlite: Int32 = Engine.current.sqliteVersionNumber)
    -> Refusal?
  {
    let bytes = Array(sql.utf8)
    var tokens = SqlTokens(bytes, range: 0..<bytes.count)
    guard case .word(let verb) = tokens.next() else { return nil }
    switch verb {
    case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE": return .transaction
    case "VACUUM": return .notInTransaction
    case "ATTACH", "DETACH": return .otherDatabase
    case "PRAGMA": return pragma(Pragma(bytes, &tokens), sqlite)
    default: return nil
    }
  }

  /// The first word, and of a PRAGMA its name.
  private static func opening(of sql: String) -> String {
    let bytes = Array(sql.utf8)
    var tokens = SqlTokens(bytes, range: 0..<bytes.count)
    guard case .word(let verb) = tokens.next() else { return "" }
    return verb == "PRAGMA" ? "PRAGMA \(Pragma(bytes, &tokens).name)" : verb
  }

  /// The PRAGMAs whose effect is the connection's: they are switched off behind a file that has
  /// them, because the next file is to find what it would find alone.
  static func lastingPragmas(of script: SqlScript) -> [String] {
    var found: [String] = []
    for statement in script.statements {
      let bytes = Array(statement.sql.utf8)
      var tokens = SqlTokens(bytes, range: 0..<bytes.count)
      guard tokens.next() == .word("PRAGMA") else { continue }
      let name = Pragma(bytes, &tokens).name
      if lasting.contains(name), !found.contains(name) { found.append(name) }
    }
    return found
  }

  /// What stands behind the word PRAGMA.
  private struct Pragma {
    /// In lower case, without the database's name that may stand before it.
    let name: String
    /// Something follows the name.
    let hasValue: Bool

    init(_ bytes: [UInt8], _ tokens: inout SqlTokens) {
      var token = tokens.next()
      var next = tokens.next()
      if next == .other(UInt8(ascii: ".")) {
        token = tokens.next()
        next = tokens.next()
      }
      name = Self.text(token, bytes)
      hasValue = next != nil && next != .semicolon
    }

    private static func text(_ token: SqlTokens.Token?, _ bytes: [UInt8]) -> String {
      switch token {
      case .word(let word): word.lowercased()
      case .quoted(let range):
        String(decoding: bytes[range].dropFirst().dropLast(), as: UTF8.self).lowercased()
      case .semicolon, .other, nil: ""
      }
    }
  }

  private static func pragma(_ pragma: Pragma, _ sqlite: Int32) -> Refusal? {
    let name = pragma.name
    if let since = useful[name] {
      return sqlite >= since ? nil : .unknownPragma(needs: SqlNews.text(since))
    }
    if name.hasPrefix("cipher_") || cipher.contains(name) { return .cipherPragma }
    // Without a value it only answers what it is set to.
    let looks = !pragma.hasValue && !acting.contains(name)
    if name == "foreign_keys" { return looks ? nil : .foreignKeys }
    if idle.contains(name) { return looks ? nil : .idlePragma }
    if useless.contains(name) { return looks ? nil : .uselessPragma }
    return .unknownPragma(needs: nil)
  }

  private static let lasting: Set<String> = [
    "case_sensitive_like", "ignore_check_constraints", "legacy_alter_table", "recursive_triggers",
    "writable_schema",
  ]

  /// PRAGMAs that work inside a transaction and are of use to a migration, with the SQLite that
  /// brought them (0: older than any that is supported). sqlite.org/pragma.html
  private static let useful: [String: Int32] = [
    "analysis_limit": 3_032_000, "application_id": 0, "case_sensitive_like": 0,
    "defer_foreign_keys": 0, "foreign_key_check": 0, "foreign_key_list": 0,
    "ignore_check_constraints": 0, "incremental_vacuum": 0, "index_info": 0, "index_list": 0,
    "index_xinfo": 0, "integrity_check": 0, "legacy_alter_table": 3_026_000,
    "optimize": 3_018_000, "quick_check": 0, "recursive_triggers": 0, "schema_version": 0,
    "table_info": 0, "table_list": 3_037_000, "table_xinfo": 3_026_000, "user_version": 0,
    "writable_schema": 0,
  ]

  /// PRAGMAs that fail or do nothing inside a transaction, or before a database has content.
  private static let idle: Set<String> = [
    "auto_vacuum", "encoding", "journal_mode", "page_size", "synchronous", "temp_store",
    "wal_checkpoint",
  ]

  /// PRAGMAs that answer, or that set what ends with the connection or is no part of the database's
  /// content. With those above these are all that sqlite.org/pragma.html has.
  private static let useless: Set<String> = [
    "automatic_index", "busy_timeout", "cache_size", "cache_spill", "cell_size_check",
    "checkpoint_fullfsync", "collation_list", "compile_options", "count_changes",
    "data_store_directory", "data_version", "database_list", "default_cache_size",
    "empty_result_callbacks", "freelist_count", "full_column_names", "fullfsync", "function_list",
    "hard_heap_limit", "journal_size_limit", "legacy_file_format", "locking_mode",
    "max_page_count", "mmap_size", "module_list", "page_count", "parser_trace", "pragma_list",
    "query_only", "read_uncommitted", "reverse_unordered_selects", "secure_delete",
    "short_column_names", "shrink_memory", "soft_heap_limit", "stats", "temp_store_directory",
    "threads", "trusted_schema", "vdbe_addoptrace", "vdbe_debug", "vdbe_listing", "vdbe_trace",
    "wal_autocheckpoint",
  ]

  /// Of these, those that do something without a value.
  private static let acting: Set<String> = ["shrink_memory", "wal_checkpoint"]

  private static let cipher: Set<String> = [
    "fast_kdf_iter", "hexkey", "hexrekey", "kdf_iter", "key", "rekey", "textkey", "textrekey",
  ]
}
