// migrate --schema: numbered SQL files bring a database's schema up to date. Looking (status, a dry
// run, and whether there is anything to do) goes over a snapshot, which changes nothing; applying goes
// through the engine's own file layer, because other programs may have the database open.

/// Applies schema migrations.
public enum SchemaMigration {
  public enum Action: Sendable, Equatable {
    case apply
    /// Says what was applied and what is pending.
    case status
    /// Records every file up to the version as applied, without running it.
    case baseline(Int64)
    /// Makes a new database; without settings a plaintext one.
    case create(CipherSettings?)
  }

  public struct Request: Sendable {
    public var database: String
    public var folder: MigrationFolder
    public var action: Action
    /// nil for a plaintext database.
    public var key: KeyMaterial?
    /// What to read; detected where nothing is named.
    public var settings = CipherSettings()
    public var track = VersionTrack.table
    /// The last version to apply.
    public var target: Int64?
    /// Apply files below the newest version that was applied.
    public var allowOutOfOrder = false
    /// Do it, show it, and leave no trace.
    public var dryRun = false
    /// Change a database that its owner may not write.
    public var force = false
    /// Asked when a new database lacks its name only: what it throws ends the run, without one.
    public var lastCheck: (@Sendable () throws -> Void)?
    /// Called after each migration that became permanent (or would, in a dry run).
    public var onApplied: (@Sendable (AppliedMigration) -> Void)?
    public var context: OperationContext

    public init(
      database: String, folder: MigrationFolder, action: Action, context: OperationContext
    ) {
      self.database = database
      self.folder = folder
      self.action = action
      self.context = context
    }
  }

  /// Throws where folder and options contradict each other, whatever the databases are.
  public static func check(_ folder: MigrationFolder, track: VersionTrack, versions: [Int64]) throws
  {
    try MigrationPlan.requireRange(folder, track, upTo: versions.max())
    for version in versions { try MigrationPlan.requireKnown(version, in: folder) }
  }

  /// Throws what stands in the way of a new database at `path`, before a key is asked for.
  public static func precheckCreation(_ path: String, _ folder: MigrationFolder) throws {
    try SourceCheck.output(OutputOptions(.target(path)), source: folder.path)
  }

  /// Does what the request says. Throws `SealError`.
  public static func run(_ request: Request) throws -> MigrationReport {
    let started = System.now()
    var report: MigrationReport
    switch request.action {
    case .create(let settings): report = try SchemaCreation(request, settings).run()
    case .apply, .baseline, .status: report = try SchemaUpdate(request).run()
    }
    report.seconds = System.now() - started
    return report
  }
}

/// What came of it.
public struct MigrationReport: Sendable {
  public var database: String
  public var action: SchemaMigration.Action
  public var track: VersionTrack
  public var dryRun: Bool
  /// The newest version before and after; nil where nothing was applied.
  public var versionBefore: Int64?
  public var version: Int64?
  /// What this run applied or recorded, in order.
  public var applied: [AppliedMigration] = []
  /// All migrations, known and missing, as they stand now.
  public var states: [MigrationState] = []
  /// In a dry run, what would change of the schema.
  public var changes: [SchemaChange] = []
  /// How an encrypted database is encrypted.
  public var profile: CipherProfile?
  public var salt: [UInt8]?
  /// PRAGMAs that open a created database where a format's defaults do not.
  public var openingPragmas: [(name: String, value: String)] = []
  public var notes: [MigrationNote] = []
  public var seconds = 0.0

  init(_ request: SchemaMigration.Request) {
    database = request.database
    action = request.action
    track = request.track
    dryRun = request.dryRun
  }

  /// Files that were not applied.
  public var pending: [MigrationState] { states.filter { $0.state == .pending } }
}

/// Things that a user should know although it went well.
public enum MigrationNote: Sendable, Equatable {
  /// A key was given for a database that is not encrypted.
  case keyNotUsed
  /// Names in the folder that are no migrations'.
  case ignoredFiles([String])
  /// Versions that were applied and have no file.
  case missingFiles([Int64])
  /// Rows referred to nothing before anything was done.
  case brokenReferences(count: Int, first: String)
  /// SQLite cannot check the foreign keys of this schema.
  case uncheckedReferences(message: String)
  /// A created file does not hold its salt.
  case saltOutside([UInt8])
  /// The new database's key was taken as a passphrase, and looks like something else.
  case keyForm(KeyOddity)
  /// A file of comments alone was applied.
  case noStatements(file: String)
  /// A temporary file of a run that was killed was removed.
  case leftover(String)
}
