// A migration's text, split into the statements that SQLite will be given one by one, each with
// its line. A semicolon ends a statement, except inside of a trigger, whose own end is the `;` after
// an `END` that follows a `;` (sqlite.org/c3ref/complete.html).

/// One statement of a script.
struct SqlStatement: Sendable, Equatable {
  /// Its text, from the first token to the semicolon.
  let sql: String
  /// The line of its first token, from 1.
  let line: Int

  /// The statement on one line of at most 120 characters.
  var shortened: String {
    var out = ""
    var blank = false
    for scalar in sql.unicodeScalars {
      if scalar.value <= 0x20 {
        blank = true
        continue
      }
      let gap = blank && !out.isEmpty ? " " : ""
      blank = false
      guard out.unicodeScalars.count + gap.utf8.count < Self.limit else { return out + "…" }
      out += gap
      out.unicodeScalars.append(scalar)
    }
    return out
  }

  private static let limit = 120

  func place(in file: String) -> StatementPlace {
    StatementPlace(file: file, line: line, statement: shortened)
  }
}

/// A migration's statements.
struct SqlScript: Sendable, Equatable {
  let statements: [SqlStatement]
  /// Not even a comment is in it.
  let isBlank: Bool

  /// Splits `bytes`. Throws `.migration(.notText)`; `file` is the name in errors.
  init(_ bytes: [UInt8], file: String) throws {
    try Self.requireText(bytes, file)
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let first = bytes.starts(with: mark) ? mark.count : 0
    var tokens = SqlTokens(bytes, range: first..<bytes.count)
    var found: [SqlStatement] = []
    var current: (start: Int, line: Int)?
    var end = StatementEnd()
    while let token = tokens.next() {
      if current == nil {
        // Empty statements are none.
        if token == .semicolon { continue }
        current = (tokens.start, tokens.startLine)
      }
      guard let begun = current, end.isReached(by: token) else { continue }
      found.append(Self.statement(bytes[begun.start..<tokens.index], begun.line))
      current = nil
      end = StatementEnd()
    }
    if let begun = current { found.append(Self.statement(bytes[begun.start...], begun.line)) }
    statements = found
    isBlank = bytes[first...].allSatisfy { $0 <= 0x20 || $0 == 0x3b }
  }

  private static func statement(_ bytes: ArraySlice<UInt8>, _ line: Int) -> SqlStatement {
    SqlStatement(sql: String(decoding: bytes, as: UTF8.self), line: line)
  }

  /// SQLite stops at a NUL without a word, and other encodings than UTF-8 are full of them.
  private static func requireText(_ bytes: [UInt8], _ file: String) throws {
    var line = 1
    for rest in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      guard !rest.contains(0), String(validating: rest, as: UTF8.self) != nil else {
        throw SealError.migration(.notText(file: file, line: line))
      }
      line += 1
    }
  }
}

/// Whether a statement is at its end: what it begins with decides what ends it.
private struct StatementEnd {
  private enum State { case start, explain, create, statement, trigger, semicolon, end }
  private var state = State.start

  mutating func isReached(by token: SqlTokens.Token) -> Bool {
    switch (state, token) {
    case (.trigger, .semicolon), (.semicolon, .semicolon): state = .semicolon
    case (.end, .semicolon): return true
    case (_, .semicolon): return true
    case (.semicolon, .word("END")): state = .end
    case (.trigger, _), (.semicolon, _), (.end, _): state = .trigger
    case (.start, .word("EXPLAIN")): state = .explain
    // `EXPLAIN QUERY PLAN` as well.
    case (.explain, .word("QUERY")), (.explain, .word("PLAN")): break
    case (.start, .word("CREATE")), (.explain, .word("CREATE")): state = .create
    case (.create, .word("TEMP")), (.create, .word("TEMPORARY")): break
    case (.create, .word("TRIGGER")): state = .trigger
    default: state = .statement
    }
    return false
  }
}
