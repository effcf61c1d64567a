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
    let starts = [0] + text.indices.filter { text[$0] == 0x0a }.map { $0 + 1 }
    for (index, statement) in script.statements.enumerated() {
      try demand(starts.indices.contains(statement.line - 1), "a line that is not there")
      let first = max(rest.startIndex, starts[statement.line - 1])
      guard let place = text[first...].firstRange(of: Array(statement.sql.utf8)) else {
        throw Broken(description: "a statement that is not in the text, or out of order")
      }
      let isOnLine = statement.line == starts.count || place.lowerBound < starts[statement.line]
      try demand(isOnLine, "a statement on another line")
      rest = text[place.upperBound...]
      try check(statement, isLast: index == script.statements.count - 1)
    }
    do {
      try MigrationRules.check(script, file: "f")
      _ = MigrationRules.lastingPragmas(of: script)
    } catch SealError.migration(.refused) {}
  }

  private static func check(_ statement: SqlStatement, isLast: Bool) throws {
    try demand(statement.shortened.unicodeScalars.count <= 121, "a shortened statement is long")
    let bytes = Array(statement.sql.utf8)
    let alone = try SqlScript(bytes, file: "f").statements
    try demand(alone.map(\.sql) == [statement.sql], "one statement is split into \(alone.count)")
    // What SQLite's judge, unlike its tokenizer, takes for words.
    if bytes.contains(0x0b) || bytes.firstRange(of: [0xef, 0xbb, 0xbf]) != nil { return }
    var tokens = SqlTokens(bytes, range: 0..<bytes.count)
    // And it takes any words between EXPLAIN and CREATE, which SQLite does not.
    if tokens.next() == .word("EXPLAIN") { return }
    while let token = tokens.next() {
      guard token == .semicolon else { continue }
      let isEnd = tokens.index == bytes.count
      if isEnd, isLast { return }
      let start = String(decoding: bytes[..<tokens.index], as: UTF8.self)
      try demand((sqlite3_complete(start) == 1) == isEnd, "SQLite ends elsewhere: \(start)")
    }
  }

  private static func files(_ name: String) throws {
    guard let digits = MigrationFolder.digits(of: name) else { return }
    try demand(!digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 }, "no digits")
    try demand(name.hasPrefix(digits) && name.hasSuffix(".sql"), "digits of another name")
  }
}
