// migrate --schema --create: a new database from nothing to the newest version. It is built under a
// temporary name, read back, and named only when it is whole; before that nothing is there.

/// Makes one database.
struct SchemaCreation {
  private let request: SchemaMigration.Request
  /// nil: plaintext.
  private let settings: CipherSettings?
  private let context: OperationContext

  init(_ request: SchemaMigration.Request, _ settings: CipherSettings?) {
    self.request = request
    self.settings = settings
    context = request.context
  }

  func run() throws -> MigrationReport {
    var report = MigrationReport(request)
    if !request.folder.ignored.isEmpty {
      report.notes.append(.ignoredFiles(request.folder.ignored))
    }
    var output = OutputOptions(.target(request.database))
    output.dryRun = request.dryRun
    // What it is made of stands where a conversion has its source.
    let plan = try OutputPlan(output, source: request.folder.path, context)
    report.profile = try settings?.profile()
    if report.profile != nil, let oddity = request.key?.oddity {
      report.notes.append(.keyForm(oddity))
    }
    if request.dryRun {
      report.salt = try knownSalt(report.profile)
      try rehearse(&report)
    } else {
      report.notes += Replacement.removeLeftovers(of: plan.path).map(MigrationNote.leftover)
      let replacement = try Replacement(of: plan.path)
      defer { replacement.discard() }
      try build(replacement.temporary, &report)
      try request.lastCheck?()
      try context.cancellation.check()
      try replacement.commit(replacing: false, backup: nil)
    }
    return report
  }

  /// The salt that the database will get. nil: a random one, or none.
  private func knownSalt(_ profile: CipherProfile?) throws -> [UInt8]? {
    guard let profile, let key = request.key else { return nil }
    let salt = try TargetCipher.salt(
      key, profile: profile, given: settings?.salt, losesSource: false)
    return key.salt == nil && settings?.salt == nil ? nil : salt
  }

  private func rehearse(_ report: inout MigrationReport) throws {
    let connection = try Connection(inMemory: request.database)
    try connection.stop(on: context.cancellation)
    let before = try SchemaImage(connection)
    try work(connection, &report)
    report.changes = before.changes(to: try SchemaImage(connection))
  }

  private func build(_ file: File, _ report: inout MigrationReport) throws {
    guard let profile = report.profile, let key = request.key else {
      let connection = try open(file)
      try work(connection, &report)
      connection.close()
      try file.sync()
      return try prove(file, nil, report)
    }
    let salt = try TargetCipher.salt(
      key, profile: profile, given: settings?.salt, losesSource: false)
    context.progress?(Progress(.deriving, done: 0, total: 0))
    let cipher = try TargetCipher(key, profile: profile, salt: salt, context)
    // A key that names no salt would have the engine draw one of its own.
    let material =
      key.salt == nil ? KeyMaterial(derived: cipher.keys.encryption, salt: salt) : key
    let connection = try open(file)
    try connection.key(material.engineKey)
    try connection.apply(
      settings: EngineSettings.settings(for: profile, salt: salt, key: material))
    // The keys of the tags are derived by the first page that is written.
    try connection.writeFirst { try work(connection, &report) }
    connection.close()
    try file.sync()
    try prove(file, cipher, report)
    try proveOpening(file, cipher)
    report.salt = salt
    report.openingPragmas = profile.pragmas(salt: salt)
    if profile.plaintextHeader > 0 { report.notes.append(.saltOutside(salt)) }
  }

  /// A journal beside a temporary name could not be told from a database's: it is kept in memory,
  /// and what a crash leaves is removed by the next run.
  private func open(_ file: File) throws -> Connection {
    let connection = try Connection(path: file.path, access: .readWrite, subject: request.database)
    try connection.stop(on: context.cancellation)
    try connection.run("PRAGMA journal_mode = MEMORY")
    return connection
  }

  private func work(_ connection: Connection, _ report: inout MigrationReport) throws {
    let runner = MigrationRunner(connection, request)
    defer { report.notes += runner.notes }
    report.applied = try runner.apply()
    let plan = try runner.plan()
    report.version = plan.applied.newest
    report.states = plan.states
  }

  /// The key and the settings that the report will name open the file in the engine.
  private func proveOpening(_ file: File, _ cipher: TargetCipher) throws {
    let settings = try EngineSettings.settings(
      for: cipher.profile, salt: cipher.salt, key: cipher.material)
    let connection = try Connection(output: file)
    try connection.key(cipher.material.engineKey)
    try connection.apply(settings: settings)
    guard case .ready = connection.probe() else {
      throw SealError.selfCheckFailed(path: request.database, stage: .engine)
    }
  }

  /// Reads the file back: every page authenticates, SQLite finds it sound, and it says the version
  /// that it should.
  private func prove(_ file: File, _ cipher: TargetCipher?, _ report: MigrationReport) throws {
    func failure(_ stage: ProofStage) -> SealError {
      .selfCheckFailed(path: request.database, stage: stage)
    }
    let size = try file.size()
    let pageSize: Int
    if let cipher {
      pageSize = cipher.profile.pageSize
    } else {
      let start = try file.bytes(at: 0, count: DatabaseHeader.length)
      pageSize = try start.withUnsafeBytes {
        try DatabaseHeader($0, path: request.database).geometry.pageSize
      }
    }
    guard size > 0, size % UInt64(pageSize) == 0,
      let count = UInt32(exactly: size / UInt64(pageSize))
    else { throw failure(.size) }
    let store = PageStore(
      pages: OutputPages(file, path: request.database), pageSize: pageSize, pageCount: count,
      codec: cipher?.codec)
    let scan = PageScan(
      store: store, workers: System.processorCount, cancellation: context.cancellation)
    guard try scan.run() == PageScan.Findings() else { throw failure(.pages) }
    let connection = try Connection(snapshot: DecodedPages(store), path: request.database)
    try connection.stop(on: context.cancellation)
    guard case .ready = connection.probe(),
      try connection.scalar("PRAGMA integrity_check")?.string == "ok"
    else { throw failure(.engine) }
    guard try MigrationRunner(connection, request).plan().states == report.states else {
      throw failure(.content)
    }
  }
}
