// Applies files to an open database, one transaction each: the file's statements and its version row
// become permanent together or not at all. What there is to do is read again under the lock of each
// transaction, so two runners side by side never do a thing twice.

/// A migration that was applied, or recorded.
public struct AppliedMigration: Sendable, Equatable {
  public var version: Int64
  /// The file's name.
  public var name: String
  public var checksum: String
  public var statements: Int
  public var seconds: Double
}

/// SQLite met damage in the middle of a migration; what it is, only the pages can tell.
struct EngineDamage: Error {
  var message: String
  /// It can be nothing else.
  var isCertain = true
}

/// Runs migrations on one connection.
final class MigrationRunner {
  let connection: Connection
  let request: SchemaMigration.Request
  private var references: (known: References, dataVersion: Int64)?
  /// Things to know of the database before, or of a file.
  private(set) var notes: [MigrationNote] = []

  init(_ connection: Connection, _ request: SchemaMigration.Request) {
    self.connection = connection
    self.request = request
  }

  private var path: String { connection.path }
  private var store: VersionStore { VersionStore(connection: connection, track: request.track) }
  private var cancellation: Cancellation { request.context.cancellation }

  /// The folder against what the database says now.
  func plan() throws -> MigrationPlan {
    MigrationPlan(
      path: path, folder: request.folder, track: request.track, applied: try store.read())
  }

  /// Applies what is pending, file after file. Throws `SealError`; the file at fault was rolled
  /// back, and those before it stay.
  func apply() throws -> [AppliedMigration] {
    var applied: [AppliedMigration] = []
    // Nothing but a no-op inside of a transaction.
    try connection.execute("PRAGMA foreign_keys = OFF")
    while true {
      let started = System.now()
      var finished: (MigrationFile, Int)?
      let done: (MigrationFile, Int)?
      do {
        done = try transaction {
          let pending = try plan().pending(
            upTo: request.target, allowOutOfOrder: request.allowOutOfOrder)
          // Where nothing is left, the end was asked for too late.
          guard let file = pending.first else { return nil }
          try cancellation.check()
          finished = (file, try run(file))
          return finished
        }
      } catch {
        // A commit can be in the file although it failed: only that the journal is gone could not be
        // made durable.
        if let (file, statements) = finished, (try? isRecorded(file)) == true {
          request.onApplied?(AppliedMigration(file, statements, since: started))
        }
        throw error
      }
      guard let (file, statements) = done else { return applied }
      applied.append(AppliedMigration(file, statements, since: started))
      request.onApplied?(applied[applied.count - 1])
    }
  }

  private func isRecorded(_ file: MigrationFile) throws -> Bool {
    try Set(store.read().versions).isSuperset(of: store.versions([], with: file.version))
  }

  /// Records files as applied without running them.
  func baseline(_ version: Int64) throws -> [AppliedMigration] {
    try transaction {
      let files = try plan().unrecorded(upTo: version)
      for file in files { try store.record(file) }
      return files.map {
        AppliedMigration(
          version: $0.version, name: $0.name, checksum: $0.checksum, statements: 0, seconds: 0)
      }
    }
  }

  /// Runs `body` in a transaction that has the write lock from its start.
  private func transaction<R>(_ body: () throws -> R) throws -> R {
    try connection.execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try connection.execute("COMMIT")
      return result
    } catch {
      // SQLite ends a transaction itself after a full disk and the like.
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      references = nil
      throw error
    }
  }

  /// Runs a file's statements and writes its row; the number of statements.
  private func run(_ file: MigrationFile) throws -> Int {
    let script = try file.script.get()
    let lasting = MigrationRules.lastingPragmas(of: script)
    if lasting.contains("writable_schema") {
      try requireRereading(script, of: file)
      try connection.allowSchemaEdits()
    }
    defer { for name in lasting { _ = try? connection.run("PRAGMA \(name) = OFF") } }
    let recorded = try store.read().versions
    let before = try referencesBefore()
    if script.statements.isEmpty { note(.noStatements(file: file.name)) }
    do {
      let guardian = try MigrationGuard(connection, keeping: VersionStore.tables(request.track))
      for statement in script.statements {
        try cancellation.check()
        try run(statement, of: file, guardian)
      }
    }
    if lasting.contains("writable_schema") { try requireReadableSchema(after: script, of: file) }
    try store.record(file)
    // A trigger that the file made may keep the row away, and the file would be applied for ever.
    guard
      try Set(store.read().versions).isSuperset(of: store.versions(recorded, with: file.version))
    else {
      throw SealError.migration(.notRecorded(path: path, file: file.name))
    }
    let after = try References.check(on: connection)
    try after.requireNoWorse(than: before, path: path, file: file.name)
    references = (after, try dataVersion())
    return script.statements.count
  }

  /// Throws where this engine could not be made to read an edited schema again.
  private func requireRereading(_ script: SqlScript, of file: MigrationFile) throws {
    guard !Engine.current.rereadsSchema, let first = script.statements.first else { return }
    let failure = StatementFailure(
      code: ResultCode.error.rawValue,
      message: "PRAGMA writable_schema is taken only where the schema can be read again afterwards",
      needs: "3.30", module: nil, engine: Engine.current.sqliteVersion)
    throw SealError.migration(.failed(path: path, first.place(in: file.name), failure))
  }

  /// Throws where the schema that the file edited cannot be read any more. This connection has it in
  /// memory as it was, so it is made to read it anew.
  private func requireReadableSchema(after script: SqlScript, of file: MigrationFile) throws {
    guard let last = script.statements.last else { return }
    do {
      try connection.run("PRAGMA writable_schema = RESET")
      _ = try connection.scalar("SELECT count(*) FROM main.sqlite_master")
      let verdict = try connection.scalar("PRAGMA main.quick_check(1)")?.string
      guard let verdict, verdict != "ok" else { return }
      throw SealError.engine(path: path, code: ResultCode.corrupt.rawValue, message: verdict)
    } catch SealError.engine(_, let code, let message) {
      let failure = StatementFailure(
        code: code, message: message, needs: nil, module: nil,
        engine: Engine.current.sqliteVersion)
      throw SealError.migration(.failed(path: path, last.place(in: file.name), failure))
    }
  }

  /// What was broken already; known from the file before, unless somebody else wrote since.
  private func referencesBefore() throws -> References {
    if let references, try references.dataVersion == dataVersion() { return references.known }
    let found = try References.check(on: connection)
    if found.broken > 0 { note(.brokenReferences(count: found.broken, first: found.first)) }
    if let message = found.hindrance { note(.uncheckedReferences(message: message)) }
    return found
  }

  private func note(_ note: MigrationNote) {
    if !notes.contains(note) { notes.append(note) }
  }

  private func dataVersion() throws -> Int64 {
    try connection.scalar("PRAGMA main.data_version")?.integer ?? 0
  }

  private func run(
    _ statement: SqlStatement, of file: MigrationFile, _ guardian: MigrationGuard
  ) throws {
    do {
      let compiled = try Statement(connection, statement.sql)
      guard !compiled.hasTail else {
        // What follows would be dropped without a word.
        throw SealError.engine(
          path: path, code: ResultCode.error.rawValue, message: "more than one statement")
      }
      while try compiled.step() {}
    } catch SealError.engine(_, let code, let message) {
      if let refusal = guardian.refused {
        throw SealError.migration(.refused(statement.place(in: file.name), refusal))
      }
      throw Self.judge(
        ResultCode(rawValue: code), message, path, statement, statement.place(in: file.name))
    }
    guard connection.isInTransaction else {
      throw SealError.migration(.refused(statement.place(in: file.name), .transaction))
    }
  }

  /// What SQLite's refusal of a statement means.
  private static func judge(
    _ code: ResultCode, _ message: String, _ path: String, _ statement: SqlStatement,
    _ place: StatementPlace
  ) -> any Error {
    switch code {
    case .corrupt, .notADatabase: return EngineDamage(message: message)
    // A page that does not authenticate: SQLCipher has no words of its own for it.
    case .error where message == code.text: return EngineDamage(message: message)
    case .noMemory, .readOnly:
      return SealError.engine(path: path, code: code.rawValue, message: message)
    default: break
    }
    let engine = Engine.current
    var failure = StatementFailure(
      code: code.rawValue, message: message, needs: nil, module: nil, engine: engine.sqliteVersion)
    if code.primary == .error {
      failure.needs = SqlNews.needs(statement.sql, beyond: engine.sqliteVersionNumber)
        .map(SqlNews.text)
      let words = "no such module: "
      if message.hasPrefix(words) { failure.module = String(message.dropFirst(words.count)) }
    }
    return SealError.migration(.failed(path: path, place, failure))
  }
}

extension AppliedMigration {
  /// `since`: when it was begun, by `System.now`.
  fileprivate init(_ file: MigrationFile, _ statements: Int, since started: Double) {
    self.init(
      version: file.version, name: file.name, checksum: file.checksum, statements: statements,
      seconds: System.now() - started)
  }
}
