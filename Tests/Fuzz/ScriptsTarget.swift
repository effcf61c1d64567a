// Migrations: text to statements, what they may contain, and names of files. SQLite's own judge of
// complete statements has to agree. Input: a name of up to 40 bytes, a line feed, the text.
internal import CSQLCipher

@testable import SealCore

enum ScriptsTarget {
  static func run(_ bytes: [UInt8]) throws {
    let name = bytes.prefix(40).prefix { $0 != 0x0a }
    let text = Array(bytes.dropFirst(name.count + 1))
    try files(String(decoding: name, as: UTF8.self))
    let script: SqlScript
    do {
      script = try SqlScript(text, file: "f")
    } catch SealError.migration(.notText(_, let line)) {
      let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
      return try demand(line >= 1 && line <= lines.count, "a line that is not there")
    }
    var rest = text[...]
    var line = 0
    for statement in script.statements {
      let sql = Array(statement.sql.utf8)
      guard let place = rest.firstRange(of: sql) else {
        throw Broken(description: "a statement that is not in the text, or out of order")
      }
      let before = text[..<place.lowerBound].count { $0 == 0x0a }
      try demand(statement.line >= line, "lines out of order")
      try demand(statement.line <= before + 1, "a line behind its statement")
      line = statement.line
      rest = rest[place.upperBound...]
      try check(statement)
    }
    do {
      try MigrationRules.check(script, file: "f")
      _ = MigrationRules.lastingPragmas(of: script)
    } catch SealError.migration(.refused) {}
  }

  private static func check(_ statement: SqlStatement) throws {
    try demand(statement.shortened.unicodeScalars.count <= 121, "a shortened statement is long")
    let alone = try SqlScript(Array(statement.sql.utf8), file: "f").statements
    try demand(alone.map(\.sql) == [statement.sql], "one statement is split into \(alone.count)")
    let bytes = Array(statement.sql.utf8)
    var tokens = SqlTokens(bytes, range: 0..<bytes.count)
    var last: SqlTokens.Token?
    while let token = tokens.next() { last = token }
    guard last == .semicolon else { return }
    try demand(sqlite3_complete(statement.sql) == 1, "SQLite waits for more: \(statement.sql)")
  }

  private static func files(_ name: String) throws {
    guard let digits = MigrationFolder.digits(of: name) else { return }
    try demand(!digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 }, "no digits")
    try demand(name.hasPrefix(digits) && name.hasSuffix(".sql"), "digits of another name")
  }
}
