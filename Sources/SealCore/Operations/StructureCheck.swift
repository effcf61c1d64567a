// The second verdict: what SQLite's integrity_check says, all of it. SQLite reads decoded pages, so
// any engine checks any format, and what it cannot check (a collation that an application
// registers, a newer SQL) is told apart from what is broken.

/// Runs integrity_check over a database whose pages are sound.
struct StructureCheck {
  let source: VerifySource
  let workers: Int
  let context: OperationContext

  /// What is counted at most. SQLite holds its list in memory.
  static let limit = 100_000
  /// Of SQLite's own cache, in KiB: for the pages in use, and the upper ones of each tree.
  private static let cache = 4 << 10
  /// Bytes of pages that are kept behind it: the check looks every row up in every index.
  static let kept = 56 << 20

  /// The verdict. Throws `PageFault` where a page turned out to be damaged after all.
  func run(_ connection: Connection) throws -> StructureVerdict {
    let shadows = try source.header.map {
      try ShadowTables(
        reading: ReadAhead(source.store, workers: 0, cancellation: context.cancellation),
        header: $0, path: source.path)
    }
    var verdict = try ask(connection, shadows)
    if let findings = shadows?.findings, !findings.isEmpty {
      verdict.state = .damaged
      verdict.messages = findings + verdict.messages
      verdict.wasWalked = false
      // What SQLite could not make sense of is what is gone.
      if case .schema = verdict.hindrance { verdict.hindrance = nil }
    }
    return verdict
  }

  private func ask(_ connection: Connection, _ shadows: ShadowTables?) throws -> StructureVerdict {
    do {
      try connection.execute("PRAGMA cache_size = -\(Self.cache)")
      let sql = "PRAGMA integrity_check(\(Self.limit))"
      let found = try quietly(sql, connection) ?? Self.findings(sql, connection)
      return try judged(found, shadows, connection)
    } catch SealError.engine(_, let number, let message) {
      return try judge(ResultCode(rawValue: number), message, shadows, connection)
    } catch SealError.io(let failure) where failure.path == connection.path {
      throw PageFault()
    }
  }

  /// What integrity_check says where it says nothing about damage, and else nil. With
  /// `cell_size_check` SQLite looks at every cell of a page each time that it loads one, and an
  /// index's page is loaded hundreds of times; integrity_check itself looks at every cell once, at
  /// the same bounds. So a database that is sound without is sound with it, and where something is
  /// found it is worded as with it.
  private func quietly(_ sql: String, _ connection: Connection) throws -> [String]? {
    try connection.execute("PRAGMA cell_size_check = OFF")
    let found = Result { try Self.findings(sql, connection) }
    try connection.execute("PRAGMA cell_size_check = ON")
    if case .failure(SealError.interrupted(let number)) = found {
      throw SealError.interrupted(signal: number)
    }
    if let found = try? found.get(), found.allSatisfy(Self.isAboutRows) { return found }
    // Pages that were loaded without are loaded anew.
    try connection.execute("PRAGMA shrink_memory")
    return nil
  }

  /// What a run of integrity_check says, a line each.
  static func findings(_ sql: String, _ connection: Connection) throws -> [String] {
    var messages: [String] = []
    try connection.forEachRow(sql) { messages += lines($0.value(0).string ?? "") }
    if messages == ["ok"] { return [] }
    // SQLITE_IOERR_READ of a page: not a finding of SQLite's, but a page that nobody can read.
    guard !messages.contains(where: { $0.hasSuffix("error code=266") }) else { throw PageFault() }
    return messages
  }

  /// A row about pages holds a heading and a line for each finding; others are a line.
  static func lines(_ row: String) -> [String] {
    let lines = row.split(separator: "\n").map(String.init)
    return lines.filter { !($0.hasPrefix("*** in database ") && $0.hasSuffix(" ***")) }
  }

  /// Whether a finding is about a rule of the schema that a row breaks, not about the file.
  static func isAboutRows(_ message: String) -> Bool {
    if message.hasPrefix("NULL value in ") || message.hasPrefix("CHECK constraint failed in ") {
      return true
    }
    // STRICT tables, and from SQLite 3.41 on values that a column's affinity would have changed.
    for kind in ["NUMERIC", "TEXT"] where message.hasPrefix("\(kind) value in ") { return true }
    let strict = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]
    return strict.contains { message.hasPrefix("non-\($0) value in ") }
  }

  private func judged(
    _ found: [String], _ shadows: ShadowTables?, _ connection: Connection
  ) throws -> StructureVerdict {
    let unvalidated = found.filter { shadows?.excuses($0) == true }
    let messages = found.filter { shadows?.excuses($0) != true }
    var verdict = StructureVerdict(
      state: Self.state(of: messages) ?? .sound, messages: messages)
    verdict.unvalidated = unvalidated
    verdict.isCapped = messages.count >= Self.limit
    verdict.checkedRules = Engine.checksRules
    // The check passes over virtual tables whose module it does not have.
    let missing = try missingParts(connection)
    verdict.missing = missing
    if !missing.isEmpty { verdict.hindrance = .missingParts }
    if verdict.state == .sound, !missing.isEmpty { verdict.state = .notChecked }
    return verdict
  }

  /// What findings amount to; nil where there are none.
  private static func state(of messages: [String]) -> CheckState? {
    messages.isEmpty ? nil : messages.allSatisfy(isAboutRows) ? .violated : .damaged
  }

  private func judge(
    _ code: ResultCode, _ message: String, _ shadows: ShadowTables?, _ connection: Connection
  ) throws -> StructureVerdict {
    switch code {
    case .notADatabase:
      return StructureVerdict(state: .damaged, messages: ["SQLite does not accept the header"])
    case .corrupt, .error:
      if message == code.text {
        // SQLite names no page here; the walk may.
        return StructureVerdict(state: .damaged, messages: try walk().messages + [message])
      }
    default: throw SealError.engine(path: source.path, code: code.rawValue, message: message)
    }
    // Words about a tree that the schema names are about damage; others may be about this engine.
    if ["invalid rootpage", "orphan index"].contains(where: { message.contains($0) }) {
      return StructureVerdict(state: .damaged, messages: [message])
    }
    return try parts(.schema(message), shadows, connection)
  }

  /// What can be checked where the whole cannot: every tree by the file format, and what SQLite says
  /// of each table whose own part of the schema it understands.
  private func parts(
    _ hindrance: Hindrance, _ shadows: ShadowTables?, _ connection: Connection
  ) throws -> StructureVerdict {
    let walked = try walk()
    var verdict = StructureVerdict(state: .notChecked, messages: walked.messages)
    verdict.hindrance = hindrance
    verdict.wasWalked = walked.messages.isEmpty
    verdict.isCapped = walked.isCapped
    if !walked.isBroken {
      let tables = try TableByTable(connection: connection).run()
      verdict.unvalidated = tables.messages.filter { shadows?.excuses($0) == true }
      verdict.messages += tables.messages.filter { shadows?.excuses($0) != true }
      verdict.isCapped = verdict.isCapped || tables.isCapped
      verdict.checkedRules = tables.checked > 0 && Engine.checksRules
    }
    verdict.state = Self.state(of: verdict.messages) ?? .notChecked
    if case .schema(let message) = hindrance, MissingPart(message: message) != nil {
      verdict.missing = try missingParts(connection)
      verdict.hindrance = .missingParts
    }
    return verdict
  }

  /// What a walk over all trees found.
  private struct Walked {
    var messages: [String] = []
    /// There are more pages that nothing uses.
    var isCapped = false
    /// A tree is broken: SQLite may follow its pages for ever.
    var isBroken = false
  }

  /// Walks every tree by the file format alone, and looks for pages that none of them uses.
  private func walk() throws -> Walked {
    guard let header = source.header else { return Walked() }
    do {
      let reader = try ReadAhead(
        source.store, workers: workers, cancellation: context.cancellation)
      defer { reader.stop() }
      try ContentWalk.summary(of: reader, path: source.path, key: nil)
      let unused = try UnusedPages(
        in: reader, header: header, used: reader.visited.copy(), path: source.path)
      if let page = unused.brokenFreeList {
        return Walked(messages: [Damage.Flaw.structure(page: page, .freelist).words])
      }
      // As SQLite says it.
      return Walked(
        messages: unused.first.map { "Page \($0): never used" },
        isCapped: unused.total > unused.first.count)
    } catch SealError.damaged(let damage) {
      switch damage.flaw {
      case .structure, .header, .log, .reported:
        return Walked(messages: [damage.flaw.words], isBroken: true)
      case .pages, .size, .emptied, .journal: throw PageFault()
      }
    }
  }

  /// Everything that the schema needs and this engine lacks.
  private func missingParts(_ connection: Connection) throws -> [MissingPart] {
    var statements: [String] = ["PRAGMA integrity_check", "PRAGMA foreign_key_check"]
    let virtual =
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0 ORDER BY name"
    for row in (try? connection.rows(virtual)) ?? [] {
      guard let name = row.first?.string else { continue }
      statements.append("SELECT 1 FROM \(name.quoted) LIMIT 0")
    }
    let second = try Connection(
      snapshot: DecodedPages(source.store), path: source.path, keepingChecks: true)
    return try MissingParts(second).parts(of: statements)
  }
}

extension Damage.Flaw {
  /// What a finding of our own says beside those of SQLite.
  var words: String {
    switch self {
    case .structure(let page, let flaw): "page \(page) \(flaw.rawValue)"
    case .header(DatabaseHeader.headerString):
      "the first 16 bytes are not those of a database, and what follows is one"
    case .header(let field): "the header's \(field) cannot be right"
    case .pages(let pages, _, _): "page \(pages.first ?? 0) does not authenticate"
    case .size(let actual, let expected): "\(actual) bytes are there, not \(expected)"
    case .log: "commits in the log are lost"
    case .emptied: "the file is empty"
    case .journal(let flaw): "the journal fails at record \(flaw.record) of \(flaw.records)"
    case .reported(let message): message
    }
  }
}

/// A page could not be read although all were sound: it is looked at again.
struct PageFault: Error {}
