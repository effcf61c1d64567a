// The third verdict: rows whose parent is not there, as foreign_key_check finds them. Where one
// table's keys cannot be checked, the others' still are.

/// Runs foreign_key_check.
struct ReferencesCheck {
  let connection: Connection

  /// What identifies a foreign key.
  private struct Key: Hashable {
    var table: String
    var parent: String
    var constraint: Int64
  }

  func run() throws -> ReferencesVerdict {
    var verdict = ReferencesVerdict(state: .sound)
    do {
      try check("PRAGMA foreign_key_check", &verdict)
    } catch SealError.engine {
      verdict = ReferencesVerdict(state: .sound)
      try checkEach(&verdict)
    } catch SealError.io(let failure) where failure.path == connection.path {
      throw PageFault()
    }
    if verdict.rows > 0 {
      verdict.state = .violated
    } else if !verdict.unchecked.isEmpty {
      verdict.state = .notChecked
    }
    return verdict
  }

  private func checkEach(_ verdict: inout ReferencesVerdict) throws {
    let tables: [String]
    do {
      tables = try connection.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY rowid"
      ).compactMap { $0.first?.string }
    } catch SealError.engine(_, _, let message) {
      verdict.state = .notChecked
      verdict.hindrance = .schema(message)
      return
    }
    for table in tables {
      do {
        let name = table.replacing("\"", with: "\"\"")
        try check("PRAGMA foreign_key_check(\"\(name)\")", &verdict)
      } catch SealError.engine(_, _, let message) {
        verdict.unchecked.append(.init(table: table, message: message))
      }
    }
  }

  private func check(_ sql: String, _ verdict: inout ReferencesVerdict) throws {
    var found: [Key: ReferencesVerdict.Violation] = [:]
    var order: [Key] = []
    try connection.forEachRow(sql) { row in
      let key = Key(
        table: row.value(0).string ?? "", parent: row.value(2).string ?? "",
        constraint: row.value(3).integer ?? 0)
      if found[key] == nil {
        order.append(key)
        found[key] = ReferencesVerdict.Violation(
          table: key.table, parent: key.parent, constraint: key.constraint, rows: 0,
          firstRowid: row.value(1).integer)
      }
      found[key]?.rows += 1
    }
    let violations = order.compactMap { found[$0] }
    verdict.violations += violations
    verdict.rows += violations.reduce(0) { $0 + $1.rows }
  }
}
