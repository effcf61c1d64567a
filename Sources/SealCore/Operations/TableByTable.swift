// integrity_check of each table by itself. Of a whole database SQLite checks nothing where one index
// needs a collation or a function that it lacks; the other tables can still be looked at, so that
// damage and broken rules in them do not stay hidden.

/// Runs integrity_check on one table after another.
struct TableByTable {
  let connection: Connection

  /// What was found.
  struct Findings {
    var messages: [String] = []
    /// Tables that SQLite could look at.
    var checked = 0
    /// SQLite lists no more than `limit` of a table.
    var isCapped = false
  }

  /// What SQLite lists of one table at most.
  private static let limit = 100

  /// Checks what can be checked: nothing where this engine cannot look at one table alone, or not
  /// make sense of the schema at all. Throws `PageFault`, and what is no finding.
  func run() throws -> Findings {
    var findings = Findings()
    guard Engine.checksTables else { return findings }
    let tables: [String]
    do {
      tables = try connection.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
      ).compactMap { $0.first?.string }
    } catch SealError.engine { return findings }
    for table in tables where findings.messages.count < StructureCheck.limit {
      // SQLite would take the name for the number of findings to list, and check everything.
      guard Int(table) == nil else { continue }
      let sql = "PRAGMA integrity_check(\"\(table.replacing("\"", with: "\"\""))\")"
      do {
        let found = try StructureCheck.findings(sql, connection)
        findings.messages += found
        findings.isCapped = findings.isCapped || found.count >= Self.limit
        findings.checked += 1
      } catch SealError.engine(let path, let number, let message) {
        let code = ResultCode(rawValue: number)
        guard [.corrupt, .error].contains(code.primary) else {
          throw SealError.engine(path: path, code: number, message: message)
        }
        // In words of its own SQLite says what it does not understand.
        if message == code.text { findings.messages.append("table \(table): \(message)") }
      }
    }
    return findings
  }
}
