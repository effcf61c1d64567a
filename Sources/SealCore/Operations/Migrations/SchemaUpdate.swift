// Migrations on a database that exists.

/// Brings one database up to date, or says what there is to do.
struct SchemaUpdate {
  private let request: SchemaMigration.Request
  private let context: OperationContext

  init(_ request: SchemaMigration.Request) {
    self.request = request
    context = request.context
  }

  /// What opens the database in the engine.
  private struct Opening {
    let path: String
    /// nil for a plaintext database.
    let cipher: DetectedCipher?
  }

  func run() throws -> MigrationReport {
    var report = MigrationReport(request)
    if !request.folder.ignored.isEmpty {
      report.notes.append(.ignoredFiles(request.folder.ignored))
    }
    let path = try System.realPath(request.database)
    // The snapshot's lock and descriptors have to be gone before the engine opens the file: POSIX
    // locks of a process end when any of its descriptors of the file closes.
    let (opening, isDone): (Opening, Bool)
    do {
      (opening, isDone) = try look(path, &report)
    } catch {
      guard let damage = Self.damage(in: error), damage.isCertain else { throw error }
      throw reported(damage)
    }
    if !isDone { try change(opening, &report) }
    let missing = report.states.filter { $0.state == .missing }.map(\.version)
    if !missing.isEmpty { report.notes.append(.missingFiles(missing)) }
    return report
  }

  /// Everything that changes nothing: true where that is all there is to do.
  private func look(_ path: String, _ report: inout MigrationReport) throws -> (Opening, Bool) {
    let opened = try open(path)
    let opening = Opening(path: path, cipher: opened.cipher)
    (report.profile, report.salt) = (opened.cipher?.profile, opened.cipher?.salt)
    do {
      return (opening, try look(into: opened, &report))
    } catch SealError.damaged(let damage) {
      // SQLite ended at the first page that does not authenticate.
      throw SealError.damaged(damage.completed(by: scan(opened)))
    }
  }

  private func look(into opened: OpenedDatabase, _ report: inout MigrationReport) throws -> Bool {
    let pages = try DecodedPages(opened.store, cancellation: context.cancellation)
    return try pages.explaining {
      let connection = try Connection(snapshot: pages, path: request.database)
      try connection.stop(on: context.cancellation)
      try requireSchema(connection)
      let plan = try MigrationRunner(connection, request).plan()
      report.versionBefore = plan.applied.newest
      report.version = plan.applied.newest
      report.states = plan.states
      if try !hasWork(plan) { return true }
      if opened.snapshot.isEmptied {
        // The engine would begin with removing the log.
        let size = UInt64(opened.pageCount) * UInt64(opened.header.pageSize)
        throw SealError.damaged(Damage(path: request.database, flaw: .emptied(expected: size)))
      }
      guard request.dryRun else { return false }
      try rehearse(pages, opened.header.pageSize, &report)
      return true
    }
  }

  private func scan(_ opened: OpenedDatabase) -> PageScan {
    PageScan(
      store: opened.store, workers: System.processorCount, cancellation: context.cancellation)
  }

  private func open(_ path: String) throws -> OpenedDatabase {
    guard let key = request.key else {
      return try OpenedDatabase.plaintext(path, exclusive: false, context)
    }
    return try OpenedDatabase.encrypted(
      path, key: key, settings: request.settings, exclusive: false, context)
  }

  private func hasWork(_ plan: MigrationPlan) throws -> Bool {
    switch request.action {
    case .status, .create: false
    case .baseline(let version): try !plan.unrecorded(upTo: version).isEmpty
    case .apply:
      try !plan.pending(upTo: request.target, allowOutOfOrder: request.allowOutOfOrder).isEmpty
    }
  }

  /// Runs the migrations on a copy in memory that is made of the snapshot and the changes.
  private func rehearse(
    _ pages: DecodedPages, _ pageSize: Int, _ report: inout MigrationReport
  ) throws {
    let connection = try Connection(
      scratch: ScratchPages(over: pages, pageSize: pageSize), path: request.database)
    try connection.stop(on: context.cancellation)
    let before = try SchemaImage(connection)
    try work(connection, &report)
    report.changes = before.changes(to: try SchemaImage(connection))
  }

  private func change(_ opening: Opening, _ report: inout MigrationReport) throws {
    if !request.force { try OutputPlan.requireOwnerWritable(opening.path) }
    do {
      let connection = try connect(opening)
      defer { connection.close() }
      try work(connection, &report)
    } catch {
      clean(opening)
      switch error {
      case SealError.locked(let path, let holders) where holders.isEmpty:
        throw SealError.locked(path: path, holders: OpenFiles.holders(of: opening.path))
      case SealError.io(let failure) where failure.call == .open: throw unmade(failure, opening)
      default:
        guard let damage = Self.damage(in: error) else { throw error }
        throw try diagnose(damage, opening) ?? error
      }
    }
  }

  /// A connection that met a full disk, or a page it cannot decrypt, does nothing more, and leaves
  /// its journal. A new one rolls it back and removes it.
  private func clean(_ opening: Opening) {
    guard (try? FileStatus.of(Sidecars(of: opening.path).journal)) != nil else { return }
    try? connect(opening).clearJournal()
  }

  /// What SQLite cannot open where it opened the database is a file that it makes beside it. Why,
  /// its second try hides, in which it does not want to make one (unixOpen in os_unix.c).
  private func unmade(_ failure: IOFailure, _ opening: Opening) -> any Error {
    do {
      try OutputPlan.requireRoom(beside: opening.path)
      return SealError.io(failure)
    } catch SealError.io(let found) {
      return SealError.io(IOFailure(found.call, path: request.database, errno: found.errno))
    } catch { return error }
  }

  private func connect(_ opening: Opening) throws -> Connection {
    let connection = try Connection(
      path: opening.path, access: .readWrite, subject: request.database)
    try connection.stop(on: context.cancellation)
    try connection.wait(upTo: context.busyTimeout, cancellation: context.cancellation)
    if let key = request.key, let cipher = opening.cipher {
      let material = TargetCipher.underived(key, cipher.keys, cipher.salt)
      let settings = try EngineSettings.settings(
        for: cipher.profile, salt: cipher.salt, key: material)
      try connection.key(material.engineKey)
      try connection.apply(settings: settings)
    }
    try requireSchema(connection)
    // Less would leave the removal of a journal to chance: a power cut just after a commit could bring
    // it back, and with it the old state (sqlite.org/pragma.html#pragma_synchronous).
    try connection.run("PRAGMA synchronous = EXTRA")
    return connection
  }

  /// Throws unless the engine reads the schema.
  private func requireSchema(_ connection: Connection) throws {
    switch connection.probe() {
    case .ready: return
    case .schemaNotUnderstood(let message): throw SealError.unsupported(.schema(message: message))
    case .busy:
      try context.cancellation.check()
      throw SealError.locked(path: request.database, holders: [])
    case .notADatabase: throw EngineDamage(message: "file is not a database")
    case .io(let failure):
      try context.cancellation.check()
      throw SealError.io(failure)
    case .failed(let code, let message):
      try context.cancellation.check()
      if code == .corrupt { throw EngineDamage(message: message) }
      throw SealError.engine(path: request.database, code: code.rawValue, message: message)
    }
  }

  private func work(_ connection: Connection, _ report: inout MigrationReport) throws {
    let runner = MigrationRunner(connection, request)
    defer { report.notes += runner.notes }
    if case .baseline(let version) = request.action {
      report.applied = try runner.baseline(version)
    } else {
      report.applied = try runner.apply()
    }
    let plan = try runner.plan()
    report.version = plan.applied.newest
    report.states = plan.states
  }

  /// What of SQLite's answers can come from a damaged page, wherever it was met: a statement, the
  /// table of versions, the check of the references. A page that does not authenticate is an I/O
  /// error, a malformed image or no more than an error, by the version of SQLCipher.
  private static func damage(in error: any Error) -> EngineDamage? {
    if let damage = error as? EngineDamage { return damage }
    if case SealError.io(let failure) = error, failure.call == .read {
      return EngineDamage(message: ResultCode.ioError.text, isCertain: false)
    }
    guard case SealError.engine(_, let number, let message) = error else { return nil }
    let code = ResultCode(rawValue: number)
    switch code {
    case .corrupt, .notADatabase: return EngineDamage(message: message)
    case .error where message == code.text: return EngineDamage(message: message, isCertain: false)
    default: return nil
    }
  }

  /// Damage as the pages tell it; where they are silent, in SQLite's words. nil: there is none.
  private func diagnose(_ damage: EngineDamage, _ opening: Opening) throws -> SealError? {
    let opened = try open(opening.path)
    if let found = Damage(forged: try scan(opened).run().forged, in: opened.store) {
      return .damaged(found)
    }
    return damage.isCertain ? reported(damage) : nil
  }

  private func reported(_ damage: EngineDamage) -> SealError {
    .damaged(Damage(path: request.database, flaw: .reported(message: damage.message)))
  }
}
