// What a run of several databases remembers: which command with which options it was, what tells its keys
// from others, and each database that was finished, with the state in which it was left. A run that was
// stopped, by whatever, goes on where it was; what changed since is told apart. There is no key in it, nor
// where one comes from.

internal import SealCore

/// A database that was finished.
struct JournalEntry: Sendable, Equatable {
  /// Where it is, and where its output is; no output of its own in place and where none is made.
  var database: String
  var target: String?
  /// As it was read; in place, as it was left. nil: it was removed.
  var state: DatabaseMark?
  var targetState: DatabaseMark?
  /// The keys that finished it: another one is none of this run then. nil where that is not said.
  var used: [KeyRole]?
}

/// The journal of one command line.
struct ResumeJournal: Sendable {
  private let file: RunJournal
  /// It was there before: this run goes on with another.
  let isResumed: Bool
  private var entries: [Step: JournalEntry]
  private var keys: RunKeys

  private struct Step: Hashable {
    let database: String
    let target: String?
  }

  private static let beginning = #"{"dbseal_journal":"#
  /// A journal of version 1 does not know its keys.
  private static let version: Int64 = 2

  /// nil where the command line names none. Throws `ResumeFlaw` and `SealError`.
  init?(_ parsed: ParsedCommand) throws {
    guard let path = parsed.text(Options.resume) else { return nil }
    let header = try RunHeader(parsed)
    do {
      file = try RunJournal(path, beginning: Array(Self.beginning.utf8))
    } catch let flaw as RunJournal.Flaw {
      throw ResumeFlaw.file(path, flaw)
    }
    guard let first = file.lines.first else {
      try file.append(Array(header.json(Self.version).text.utf8))
      (isResumed, entries, keys) = (false, [:], RunKeys())
      return
    }
    let version = try Self.require(header, first, path)
    isResumed = true
    (entries, keys) = try Self.read(file, version, KeyRole.always(in: parsed.command))
  }

  /// What stands behind the first line. Where the keys are not known, or others follow, nothing can be
  /// told from what was finished before: each of those databases is looked at again. `needed`: without
  /// these keys nothing can have been finished.
  private static func read(_ file: RunJournal, _ version: Int64, _ needed: [KeyRole]) throws -> (
    [Step: JournalEntry], RunKeys
  ) {
    var entries: [Step: JournalEntry] = [:]
    var keys: RunKeys?
    for (index, line) in file.lines.enumerated().dropFirst() {
      if var entry = JournalEntry(line) {
        let known = (keys?.known ?? [:]).map(\.key)
        let used = entry.used ?? known
        guard version > 1 || keys != nil, (needed + used).allSatisfy(known.contains) else {
          continue
        }
        entry.used = used
        entries[Step(database: entry.database, target: entry.target)] = entry
      } else if let now = RunKeys(line) {
        if keys?.isReplaced(by: now) == true { entries = [:] }
        keys = now
      } else {
        throw ResumeFlaw.line(file.path, index + 1)
      }
    }
    return (entries, keys ?? RunKeys())
  }

  /// The version of the journal, whose first line is that.
  private static func require(_ header: RunHeader, _ line: [UInt8], _ path: String) throws -> Int64
  {
    guard let node = try? JSONReader.read(line),
      let version = node.member("dbseal_journal")?.integer, version >= 1
    else { throw ResumeFlaw.line(path, 1) }
    guard version <= Self.version else { throw ResumeFlaw.newer(path) }
    guard let before = RunHeader(node) else { throw ResumeFlaw.line(path, 1) }
    guard before.fingerprint == header.fingerprint else {
      throw ResumeFlaw.otherRun(path, before: before, now: header)
    }
    return version
  }

  /// Whether it knows the key of that role, which is to be had then, whatever is left to do.
  func knows(_ role: KeyRole) -> Bool { keys.known[role] != nil }

  /// Remembers the keys of this run, each once. Throws where one is not that of the run before; nothing
  /// is written then.
  mutating func admit(
    _ given: [(role: KeyRole, key: KeyChoice)], rounds: Int, until cancellation: Cancellation
  ) throws {
    var (now, isNew) = (keys, false)
    for (role, key) in given {
      do {
        let isBound = entries.values.contains { $0.used?.contains(role) == true }
        switch try now.admit(role, key, isBound: isBound, rounds: rounds, until: cancellation) {
        case .none: break
        case .more: isNew = true
        case .others: (isNew, entries) = (true, [:])
        }
      } catch let other as RunKeys.Other {
        throw ResumeFlaw.otherKey(file.path, other.role)
      }
    }
    guard isNew else { return }
    try file.append(Array(now.json.text.utf8))
    keys = now
  }

  /// Throws where the journal is one of the files of the run.
  func requireApart(from paths: [String]) throws {
    let own = DatabaseMark.place(of: file.path)
    if let path = paths.first(where: { DatabaseMark.place(of: $0) == own }) {
      throw ResumeFlaw.isDatabase(path)
    }
  }

  /// What was done with that database before.
  func entry(of database: String, target: String?) -> JournalEntry? {
    entries[
      Step(
        database: DatabaseMark.place(of: database), target: target.map(DatabaseMark.place(of:)))]
  }

  /// Throws where nothing can be remembered any more, so that nothing more is begun.
  func requireWritable(for database: String) throws {
    guard case .io(let failure) = file.failure else { return }
    throw ResumeFlaw.notBegun(file.path, failure, database: database)
  }

  /// Remembers that a database is finished. `read`: its state as it was read; nil in place.
  func record(_ database: String, target: String?, read: DatabaseMark?, used: [KeyRole]) throws {
    let now = DatabaseMark.of(database)
    let entry = JournalEntry(
      database: DatabaseMark.place(of: database), target: target.map(DatabaseMark.place(of:)),
      state: now.file == nil ? nil : read ?? now, targetState: target.map(DatabaseMark.of),
      used: used)
    do {
      try file.append(Array(entry.json.text.utf8))
    } catch SealError.io(let failure) {
      throw ResumeFlaw.notWritten(file.path, failure, database: database)
    }
  }
}

extension JournalEntry {
  /// Everything is as it was left. A source that was removed since leaves nothing to do either.
  var isCurrent: Bool {
    guard target != nil else { return sourceIsCurrent }
    return targetIsCurrent && (sourceIsCurrent || DatabaseMark.of(database).file == nil)
  }

  var sourceIsCurrent: Bool { state == DatabaseMark.of(database) }

  var targetIsCurrent: Bool { target.map { DatabaseMark.of($0) } == targetState }

  /// The line.
  var json: JSON {
    .object([
      .init("database", .string(database)), .init("target", .optional(target)),
      .init("state", state?.json ?? .null), .init("target_state", targetState?.json ?? .null),
      .init("used_keys", .array((used ?? []).map { .string($0.rawValue) })),
    ])
  }

  /// nil where the line is none of a journal.
  init?(_ line: [UInt8]) {
    guard let node = try? JSONReader.read(line), let database = node.member("database")?.text,
      let state = node.member("state"), let target = node.member("target"),
      let targetState = node.member("target_state")
    else { return nil }
    self.database = database
    self.target = target.text
    (self.state, self.targetState) = (DatabaseMark(state), DatabaseMark(targetState))
    used = node.member("used_keys")?.items?.compactMap { $0.text.flatMap(KeyRole.init) }
  }
}

extension FileMark {
  var json: [JSON.Field] {
    [
      .init("size", .unsigned(size)), .init("mtime_ns", .integer(modified)),
      .init("inode", .unsigned(inode)),
    ]
  }

  init?(_ node: JSONNode?) {
    guard let size = node?.member("size")?.unsigned,
      let modified = node?.member("mtime_ns")?.integer, let inode = node?.member("inode")?.unsigned
    else { return nil }
    self.init(inode: inode, size: size, modified: modified)
  }
}

extension DatabaseMark {
  var json: JSON? {
    guard let file else { return nil }
    return .object(
      file.json + [
        .init("wal", log.map { .object($0.json) } ?? .null),
        .init("journal", journal.map { .object($0.json) } ?? .null),
      ])
  }

  init?(_ node: JSONNode) {
    guard let file = FileMark(node) else { return nil }
    self.init(
      file: file, log: FileMark(node.member("wal")), journal: FileMark(node.member("journal")))
  }
}

extension JSONNode {
  /// The value of that name in an object.
  func member(_ name: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.name == name }?.value
  }

  var text: String? {
    if case .string(let text) = value { return text }
    return nil
  }

  var integer: Int64? {
    if case .integer(let number) = value { return number }
    return nil
  }

  /// A number that may be beyond a signed one.
  var unsigned: UInt64? {
    switch value {
    case .integer(let number): UInt64(exactly: number)
    case .number(let text): UInt64(text)
    default: nil
    }
  }

  /// What a boolean is.
  var isTrue: Bool? {
    if case .bool(let value) = value { return value }
    return nil
  }

  var items: [JSONNode]? {
    if case .array(let values) = value { return values }
    return nil
  }
}
