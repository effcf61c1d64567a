// verify: is the key right, is every page what was written, does SQLite find the database sound, is
// it what the caller expects. Nothing is written, to the database or beside it.

/// Checks databases.
public enum Verify {
  public struct Request: Sendable {
    public var database: NamedDatabase
    /// Stop after the pages.
    public var quick = false
    /// Look at this share of the pages only, in percent.
    public var sample: Int?
    public var expectations = Expectations()
    /// Compute the content digest.
    public var digest = false
    /// Compare the content with that of another database.
    public var against: NamedDatabase?
    public var context: OperationContext

    public init(_ database: NamedDatabase, _ context: OperationContext) {
      self.database = database
      self.context = context
    }
  }

  /// Checks one database. Throws `SealError` where there is nothing to give a verdict on.
  public static func run(_ request: Request) throws -> VerifyReport {
    let started = System.now()
    let context = request.context
    let source = try VerifySource(request.database, context)
    // Whoever named another one that cannot be opened gets to know it first.
    let other = try request.against.map { other in
      try other.explaining { try other.open(context) }
    }
    let workers = max(1, context.threads(pages: source.store.pageCount))
    let pages = PagesCheck(
      source: source, sample: request.sample, workers: workers, context: context)
    var report = VerifyReport(
      path: request.database.path, profile: source.cipher?.profile, salt: source.cipher?.salt,
      pageSize: source.header?.pageSize, userVersion: source.header?.userVersion,
      applicationID: source.header?.applicationID, pages: try pages.run(),
      structure: StructureVerdict(state: .skipped), references: ReferencesVerdict(state: .skipped),
      expectations: ExpectationsVerdict(), notes: source.notes, seconds: 0)
    if let flaw = source.flaw {
      report.structure = StructureVerdict(
        state: .damaged, messages: [flaw.words])
      report.references = ReferencesVerdict(state: .notChecked, hindrance: .damagedHeader)
    } else if !request.quick {
      do {
        try check(source, workers, context, &report)
      } catch  where Self.isDamage(error) {
        try note(error, in: source, workers, context, &report)
      }
    }
    let content = ContentCheck(source: source, other: other, workers: workers, request: request)
    do {
      report.content = try content.run(after: report)
    } catch SealError.damaged(let damage) where damage.path == source.path {
      try note(SealError.damaged(damage), in: source, workers, context, &report)
      report.content = try content.run(after: report)
    }
    let expectations = ExpectationsCheck(
      source: source, expected: request.expectations, content: report.content, context: context)
    let met = try expectations.run()
    report.expectations = met.verdict
    if let damage = met.damage, !report.pages.isDamaged, report.structure.state != .damaged {
      // Nothing before came by that page: --quick, or a sample.
      try note(SealError.damaged(damage), in: source, workers, context, &report)
      report.expectations = try expectations.run().verdict
    }
    try source.snapshot.requireUnchanged()
    report.seconds = System.now() - started
    return report
  }

  /// Structure and references.
  private static func check(
    _ source: VerifySource, _ workers: Int, _ context: OperationContext,
    _ report: inout VerifyReport
  ) throws {
    // SQLite would meet what is broken again, and call it by other names.
    let size = report.pages.size
    let isCut = size.isWrong && max(size.expected ?? 0, source.store.bytes) > size.actual
    guard report.pages.damaged.isEmpty, !isCut else { return hinder(&report) }
    let decoded = try DecodedPages(
      source.store, workers: workers > 1 ? workers : 0, keeping: StructureCheck.kept,
      meter: ProgressMeter(.structure, total: source.store.bytes, context.progress),
      cancellation: context.cancellation)
    let connection = try Connection(
      snapshot: decoded, path: source.path, keepingChecks: true)
    try connection.stop(on: context.cancellation)
    let structure = StructureCheck(source: source, workers: workers, context: context)
    report.structure = try decoded.explaining { try structure.run(connection) }
    try decoded.requireReadable()
    guard report.structure.state != .damaged else {
      report.references = ReferencesVerdict(state: .notChecked, hindrance: .damagedStructure)
      return
    }
    do {
      report.references = try decoded.explaining {
        try ReferencesCheck(connection: connection).run()
      }
    } catch SealError.io(let failure) where failure.path == source.path {
      throw PageFault()
    }
  }

  /// A page turned out to be damaged while SQLite read it.
  private static func isDamage(_ error: any Error) -> Bool {
    if case SealError.damaged = error { return true }
    return error is PageFault
  }

  /// Damage that was met by the way. Where a page is broken the whole list of such pages is wanted:
  /// a sample passed over them.
  private static func note(
    _ error: any Error, in source: VerifySource, _ workers: Int, _ context: OperationContext,
    _ report: inout VerifyReport
  ) throws {
    report.pages = try PagesCheck(
      source: source, sample: nil, workers: workers, context: context
    ).run()
    guard report.pages.damaged.isEmpty else { return hinder(&report) }
    var words = "a page cannot be read"
    if case SealError.damaged(let damage) = error { words = damage.flaw.words }
    report.structure = StructureVerdict(state: .damaged, messages: [words])
    report.references = ReferencesVerdict(state: .notChecked, hindrance: .damagedStructure)
  }

  private static func hinder(_ report: inout VerifyReport) {
    report.structure = StructureVerdict(state: .notChecked, hindrance: .damagedPages)
    report.references = ReferencesVerdict(state: .notChecked, hindrance: .damagedPages)
  }
}
