// Rows whose parent is not there, as foreign_key_check finds them: verify's third verdict, and what a
// migration must not make worse. A key that SQLite cannot check hides no other, not even one of the
// same table.

/// Looks for rows without a parent.
struct ReferencesCheck {
  let connection: Connection

  func run() throws -> ReferencesVerdict {
    var verdict = ReferencesVerdict(state: .sound)
    do {
      try check("PRAGMA main.foreign_key_check", &verdict)
    } catch SealError.engine(let path, let code, let message) {
      _ = try Self.excuse(path, code, message)
      verdict = ReferencesVerdict(state: .sound)
      try checkTables(&verdict)
    }
    if verdict.rows > 0 {
      verdict.state = .violated
    } else if !verdict.unchecked.isEmpty {
      verdict.state = .notChecked
    }
    return verdict
  }

  /// SQLite's words about a schema. Throws where they are not about one but about pages.
  private static func excuse(_ path: String, _ code: Int32, _ message: String) throws -> String {
    let result = ResultCode(rawValue: code)
    guard [.error, .corrupt].contains(result.primary), message != result.text else {
      throw SealError.engine(path: path, code: code, message: message)
    }
    return message
  }

  private func checkTables(_ verdict: inout ReferencesVerdict) throws {
    let tables: [String]
    do {
      tables = try connection.rows(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY rowid"
      ).compactMap { $0.first?.string }
    } catch SealError.engine(let path, let code, let message) {
      verdict.state = .notChecked
      verdict.hindrance = .schema(try Self.excuse(path, code, message))
      return
    }
    for table in tables {
      do {
        try check("PRAGMA main.foreign_key_check(\(table.quoted))", &verdict)
      } catch SealError.engine(let path, let code, let message) {
        try checkKeys(of: table, try Self.excuse(path, code, message), &verdict)
      }
    }
  }

  /// Each key of a table that SQLite does not check as a whole, for which it said `message`.
  private func checkKeys(of table: String, _ message: String, _ verdict: inout ReferencesVerdict)
    throws
  {
    for key in try ForeignKey.all(of: table, on: connection) {
      var violation = ReferencesVerdict.Violation(
        table: table, parent: key.parent, constraint: key.constraint, rows: 0, firstRowid: nil)
      var reason: String?
      do {
        let isChecked = try key.forEachOrphan(on: connection) { rowid in
          if violation.rows == 0 { violation.firstRowid = rowid }
          violation.rows += 1
        }
        if !isChecked {
          reason = "foreign key mismatch - \(table.quoted) referencing \(key.parent.quoted)"
        }
      } catch SealError.engine(let path, let code, let message) {
        reason = try Self.excuse(path, code, message)
      }
      if let reason {
        verdict.unchecked.append(
          .init(
            table: table, parent: key.parent, constraint: key.constraint, message: reason))
      } else if violation.rows > 0 {
        verdict.violations.append(violation)
        verdict.rows += violation.rows
      }
    }
  }

  private func check(_ sql: String, _ verdict: inout ReferencesVerdict) throws {
    var found: [ReferencesVerdict.Key: ReferencesVerdict.Violation] = [:]
    var order: [ReferencesVerdict.Key] = []
    try connection.forEachRow(sql) { row in
      let violation = ReferencesVerdict.Violation(
        table: row.value(0).string ?? "", parent: row.value(2).string ?? "",
        constraint: row.value(3).integer ?? 0, rows: 0, firstRowid: row.value(1).integer)
      let key = violation.key
      if found[key] == nil {
        order.append(key)
        found[key] = violation
      }
      found[key]?.rows += 1
    }
    let violations = order.compactMap { found[$0] }
    verdict.violations += violations
    verdict.rows += violations.reduce(0) { $0 + $1.rows }
  }
}
