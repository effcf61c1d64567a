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

extension NamedDatabase {
  /// Runs `body`, whose errors are all about this database, the one to compare with.
  public func explaining<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch SealError.interrupted(let number) {
      throw SealError.interrupted(signal: number)
    } catch SealError.unsupported(.schema(let message)) {
      // A finding, not a failure.
      throw SealError.unsupported(.schema(message: message))
    } catch {
      throw OtherFailure(path: path, error: error, hasSharedKey: hasSharedKey)
    }
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

/// What is wrong with the database to compare with, so that nobody takes it for the one that is
/// checked.
public struct OtherFailure: Error {
  /// As it was named.
  public let path: String
  public let error: any Error
  /// It was opened with the key of the database that is checked.
  public var hasSharedKey = false
}

/// Digests and compares.
struct ContentCheck {
  let source: VerifySource
  let other: OpenedDatabase?
  let workers: Int
  let request: Verify.Request

  private var wantsDigest: Bool { request.digest || request.expectations.digest != nil }

  /// Looks at the content as far as it was asked for. `report` says what was found before. Throws
  /// damage that shows only now, and `OtherFailure`.
  func run(after report: VerifyReport) throws -> ContentVerdict {
    var verdict = ContentVerdict(other: request.against?.path)
    guard wantsDigest || request.against != nil else { return verdict }
    if let hindrance = Self.hindrance(report) {
      verdict.hindrance = hindrance
      return verdict
    }
    do {
      let meter = ProgressMeter(
        .content, total: 2 * source.store.bytes, request.context.progress)
      let (first, second) = try both(
        { Result { try content(source.store, source.path, meter) } },
        { Result { try otherContent() } })
      let here = try first.get()
      if wantsDigest { verdict.fingerprint = try PublishedDigest.digest(of: here) }
      guard let other, let against = request.against else { return verdict }
      verdict.hindersOther = true
      guard let there = try second.get() else { return verdict }
      defer { verdict.hindersOther = there.isNotUnderstood }
      do {
        verdict.comparison = try ContentComparison(here: here, there: there).run()
      } catch  where isAboutOther(error) {
        throw OtherFailure(path: against.path, error: error)
      }
      try against.explaining { try other.snapshot.requireUnchanged() }
    } catch SealError.unsupported(.schema(let message)) {
      verdict.hindrance = .schema(message)
    }
    return verdict
  }

  /// Does both, at once where that is worth it.
  private func both<A, B>(_ first: () -> A, _ second: () -> B) throws -> (A, B) {
    guard other != nil, workers > 1 else { return (first(), second()) }
    return try ParallelRuns.both(first, second)
  }

  /// The content of the database to compare with, where there is one.
  private func otherContent() throws -> DatabaseContent? {
    guard let other, let against = request.against else { return nil }
    return try against.explaining {
      try completing(other) { try content(other.store, against.path) }
    }
  }

  private static func hindrance(_ report: VerifyReport) -> Hindrance? {
    if report.pages.isDamaged { return .damagedPages }
    if report.structure.state == .damaged { return .damagedStructure }
    return nil
  }

  /// Runs `body`; where a page of `other` turns out to be damaged, all that are get named.
  private func completing<R>(_ other: OpenedDatabase, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch SealError.damaged(let damage) {
      let scan = PageScan(
        store: other.store, workers: workers, cancellation: request.context.cancellation)
      throw SealError.damaged(damage.completed(by: scan))
    }
  }

  private func isAboutOther(_ error: any Error) -> Bool {
    switch error {
    case SealError.damaged(let damage): damage.path != source.path
    case SealError.io(let failure): !failure.path.hasPrefix(source.path)
    case SealError.engine(let path, _, _): path != source.path
    default: false
    }
  }

  private func content(_ store: PageStore, _ path: String, _ meter: ProgressMeter? = nil) throws
    -> DatabaseContent
  {
    try DatabaseContent(
      store, path: path, workers: workers > 1 ? workers : 0, meter: meter,
      request.context.cancellation)
  }
}
