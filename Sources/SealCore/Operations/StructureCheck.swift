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
  /// Of SQLite's own cache, in KiB: the check goes through every index in its own order.
  private static let cache = 32 << 10

  /// The verdict. Throws `PageFault` where a page turned out to be damaged after all.
  func run(_ connection: Connection) throws -> StructureVerdict {
    do {
      try connection.execute("PRAGMA cache_size = -\(Self.cache)")
      var messages: [String] = []
      try connection.forEachRow("PRAGMA integrity_check(\(Self.limit))") { row in
        messages += Self.lines(row.value(0).string ?? "")
      }
      if messages == ["ok"] { messages = [] }
      // SQLITE_IOERR_READ of a page: not a finding of SQLite's, but a page that nobody can read.
      guard !messages.contains(where: { $0.hasSuffix("error code=266") }) else { throw PageFault() }
      return try judged(messages, connection)
    } catch SealError.engine(_, let number, let message) {
      return try judge(ResultCode(rawValue: number), message, connection)
    } catch SealError.io(let failure) where failure.path == connection.path {
      throw PageFault()
    }
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

  /// SQLite could not look into a full-text index, and did not find it damaged either: it says so of
  /// every FTS4 table without content.
  static func isUnvalidated(_ message: String) -> Bool {
    message.hasPrefix("unable to validate the inverted index for FTS")
      && !message.hasSuffix(" malformed")
  }

  private func judged(_ messages: [String], _ connection: Connection) throws -> StructureVerdict {
    let unvalidated = messages.filter(Self.isUnvalidated)
    let messages = messages.filter { !Self.isUnvalidated($0) }
    var verdict = StructureVerdict(state: .sound, messages: messages)
    verdict.unvalidated = unvalidated
    verdict.isCapped = messages.count >= Self.limit
    verdict.checkedRules = Engine.checksRules
    if !messages.isEmpty {
      verdict.state = messages.allSatisfy(Self.isAboutRows) ? .violated : .damaged
    }
    // The check passes over virtual tables whose module it does not have.
    let missing = try missingParts(connection)
    verdict.missing = missing
    if verdict.state == .sound, !missing.isEmpty {
      verdict.state = .notChecked
      verdict.hindrance = .missingParts
    }
    return verdict
  }

  private func judge(_ code: ResultCode, _ message: String, _ connection: Connection) throws
    -> StructureVerdict
  {
    switch code {
    case .notADatabase:
      return StructureVerdict(state: .damaged, messages: ["SQLite does not accept the header"])
    case .corrupt, .error:
      if message == code.text {
        // SQLite names no page here; the walk may.
        let flaw = try walk().map { [$0] } ?? []
        return StructureVerdict(state: .damaged, messages: flaw + [message])
      }
    default: throw SealError.engine(path: source.path, code: code.rawValue, message: message)
    }
    // Words about a tree that the schema names are about damage; others may be about this engine.
    if ["invalid rootpage", "orphan index"].contains(where: { message.contains($0) }) {
      return StructureVerdict(state: .damaged, messages: [message])
    }
    if let flaw = try walk() { return StructureVerdict(state: .damaged, messages: [flaw]) }
    var verdict = StructureVerdict(state: .notChecked, hindrance: .schema(message), wasWalked: true)
    if MissingPart(message: message) != nil {
      verdict.missing = try missingParts(connection)
      verdict.hindrance = .missingParts
    }
    return verdict
  }

  /// Walks every tree by the file format alone; what is wrong, in words, or nil.
  private func walk() throws -> String? {
    guard let header = source.header else { return nil }
    do {
      let reader = try ReadAhead(
        source.store, workers: workers, cancellation: context.cancellation)
      defer { reader.stop() }
      _ = try ContentWalk.summary(
        of: reader, path: source.path, key: try StreamDigest.randomKey())
      _ = try FreeList(reading: reader, header: header, path: source.path)
      return nil
    } catch SealError.damaged(let damage) {
      switch damage.flaw {
      case .structure, .header, .log, .reported: return damage.flaw.words
      case .pages, .size, .journal: throw PageFault()
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
    case .journal(let flaw): "the journal fails at record \(flaw.record) of \(flaw.records)"
    case .reported(let message): message
    }
  }
}

/// A page could not be read although all were sound: it is looked at again.
struct PageFault: Error {}
