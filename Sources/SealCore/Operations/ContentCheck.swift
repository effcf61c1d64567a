// verify's look at the content: its digest, and whether it is that of another database. Both only
// mean something where every page and every tree is whole.

/// What was found about the content.
public struct ContentVerdict: Sendable {
  /// nil where it was not asked for, or could not be computed.
  public var fingerprint: ContentFingerprint?
  /// nil where it was not asked for, or could not be done.
  public var comparison: ContentDifferences?
  /// The database that it was compared with.
  public var other: String?
  /// Why the content could not be read.
  public var hindrance: Hindrance?
  /// Whose content: the other database's or this one's.
  public var hindersOther = false

  /// What is not as it should be.
  public var differs: Bool { comparison?.total ?? 0 > 0 }
}

extension Verify {
  /// The database to compare with.
  public struct Other: Sendable {
    public var path: String
    /// nil: it is plaintext.
    public var key: KeyMaterial?
    public var settings: CipherSettings

    public init(path: String, key: KeyMaterial?, settings: CipherSettings) {
      self.path = path
      self.key = key
      self.settings = settings
    }

    func open(_ context: OperationContext) throws -> OpenedDatabase {
      let real = try System.realPath(path)
      guard let key else {
        return try OpenedDatabase.plaintext(real, exclusive: false, context)
      }
      return try OpenedDatabase.encrypted(
        real, key: key, settings: settings, exclusive: false, context)
    }
  }
}

/// Digests and compares.
struct ContentCheck {
  let source: VerifySource
  let other: OpenedDatabase?
  let workers: Int
  let request: Verify.Request

  private var wantsDigest: Bool { request.digest || request.expectations.digest != nil }

  /// Looks at the content as far as it was asked for. `report` says what was found before. Throws
  /// damage that shows only now, the other database's too.
  func run(after report: VerifyReport) throws -> ContentVerdict {
    var verdict = ContentVerdict(other: request.against?.path)
    guard wantsDigest || request.against != nil else { return verdict }
    if let hindrance = Self.hindrance(report) {
      verdict.hindrance = hindrance
      return verdict
    }
    do {
      let here = try content(source.store, source.path)
      if wantsDigest { verdict.fingerprint = try PublishedDigest.digest(of: here) }
      guard let other else { return verdict }
      verdict.hindersOther = true
      let there = try content(other.store, request.against?.path ?? other.path)
      defer { verdict.hindersOther = there.isNotUnderstood }
      verdict.comparison = try ContentComparison(here: here, there: there).run()
      try other.snapshot.requireUnchanged()
    } catch SealError.unsupported(.schema(let message)) {
      verdict.hindrance = .schema(message)
    }
    return verdict
  }

  private static func hindrance(_ report: VerifyReport) -> Hindrance? {
    if report.pages.isDamaged { return .damagedPages }
    if report.structure.state == .damaged { return .damagedStructure }
    return nil
  }

  private func content(_ store: PageStore, _ path: String) throws -> DatabaseContent {
    request.context.progress?(Progress(.checking, done: 0, total: 0))
    return try DatabaseContent(
      store, path: path, workers: workers > 1 ? workers : 0, request.context.cancellation)
  }
}
