// What can be refused before a key is asked for: a user should not type a passphrase for a file
// that cannot be converted anyway.

/// A first look at a source.
public enum SourceCheck {
  /// The kind of the file at `path`, and whether a key may fit it all the same. Throws `.io` where
  /// it cannot be read, and `.otherFormat`. `settings`: what the key would be tried with; nil where
  /// the file has to be a plaintext one.
  static func kind(of path: String, settings: CipherSettings?) throws -> (
    kind: FileKind, isDoubtful: Bool
  ) {
    let file = try File(path)
    let status = try file.status()
    try status.requireRegular(path)
    let start = try file.bytes(at: 0, count: FileClassifier.sampleSize)
    let sidecars = Sidecars(of: try System.realPath(path))
    // The good page 1 may stand there: the snapshot will tell.
    let hasMore = try [sidecars.log, sidecars.journal].contains {
      try FileStatus.of($0)?.size ?? 0 > 0
    }
    return try start.withUnsafeBytes { start in
      let kind = FileClassifier.kind(start: start, size: status.size)
      let isDoubtful = FileClassifier.mayBeEncrypted(
        start, kind, size: status.size, plaintextHeader: settings?.plaintextHeader ?? 0)
      let mayFit = isDoubtful && settings != nil
      if kind == .other, !hasMore, !mayFit, let format = OtherFormat.recognised(in: start) {
        throw SealError.otherFormat(path: path, format)
      }
      return (kind, hasMore || isDoubtful)
    }
  }

  /// Whether the database needs a key. `keyIsNamed`: the caller gave one for it. Throws
  /// `.wrongKind` for a file that is no database, and for a plaintext one where a key or cipher
  /// settings say that it is encrypted.
  public static func needsKey(path: String, settings: CipherSettings, keyIsNamed: Bool) throws
    -> Bool
  {
    var (kind, isDoubtful) = try kind(of: path, settings: settings)
    if [.truncated, .empty, .other].contains(kind), isDoubtful, let there = kindWithLog(path) {
      (kind, isDoubtful) = there
    }
    if settings.plaintextHeader ?? 0 > 0, kind != .empty { return true }
    switch kind {
    case .sqlcipher: return true
    case .plaintext:
      guard keyIsNamed || settings != CipherSettings() else { return false }
      guard isDoubtful else { throw SealError.wrongKind(path: path, found: kind) }
      return true
    default:
      guard isDoubtful else { throw SealError.wrongKind(path: path, found: kind) }
      return true
    }
  }

  /// The kind of a database whose page 1 stands in its log or journal; nil where that cannot be told.
  private static func kindWithLog(_ path: String) -> (FileKind, Bool)? {
    let context = OperationContext()
    guard let real = try? System.realPath(path),
      let snapshot = try? Snapshot(
        reading: real, timeout: context.busyTimeout, cancellation: context.cancellation),
      snapshot.overlay != nil,
      let start = try? snapshot.start(count: FileClassifier.sampleSize)
    else { return nil }
    let kind = OpenedDatabase.kind(of: snapshot, start)
    // That nothing but the log has it is said by the command, which opens it.
    return (
      kind,
      (kind == .plaintext && snapshot.isEmptied)
        || start.withUnsafeBytes {
          FileClassifier.mayBeEncrypted(
            $0, kind, size: max(snapshot.fileSize, UInt64(start.count)))
        }
    )
  }

  /// Throws `.io` unless `path` is a folder.
  public static func folder(_ path: String) throws {
    guard let status = try FileStatus.of(path) else {
      throw SealError.io(IOFailure(.open, path: path, errno: SystemError.notFound))
    }
    guard status.kind == .directory else {
      throw SealError.io(IOFailure(.open, path: path, errno: SystemError.notDirectory))
    }
  }

  /// The first two of `paths` that lead to one file, whatever they are called.
  public static func oneFile(among paths: [String]) -> (String, String)? {
    var files: [FileIdentity: String] = [:]
    var missing: [[UInt8]: String] = [:]
    for path in paths {
      let earlier =
        if let identity = try? FileStatus.of(path)?.identity {
          files.updateValue(path, forKey: identity)
        } else {
          missing.updateValue(path, forKey: Array(DatabaseMark.place(of: path).utf8))
        }
      if let earlier { return (earlier, path) }
    }
    return nil
  }

  /// Whether nothing at all has the name.
  public static func isMissing(_ path: String) -> Bool {
    do { return try FileStatus.of(path, followLinks: false) == nil } catch { return false }
  }

  /// Where `path` leads to, all links followed; nil where that cannot be told.
  public static func realPath(of path: String) -> String? { try? System.realPath(path) }

  /// Throws what stands in the way of the output. `backup`: the name of the old file must be free.
  static func output(_ options: OutputOptions, source: String, backup: Bool = true) throws {
    var options = options
    // Only looking: no lock is taken on what would be replaced.
    options.dryRun = true
    let plan = try OutputPlan(options, source: source, OperationContext())
    if backup { try plan.requireFreeBackup() }
  }
}

extension ConversionReport {
  init(
    _ source: String, _ job: ConversionJob, _ outcome: ConversionJob.Outcome,
    profile: CipherProfile, salt: [UInt8], pragmas: [(name: String, value: String)],
    seconds: Double
  ) {
    let dryRun = job.plan.options.dryRun
    // In place, the old file stands beside the one that a link leads to.
    let isLink = (try? FileStatus.of(source, followLinks: false)?.kind) == .link
    let named = job.plan.isInPlace && !isLink ? job.plan.options.backupSuffix : nil
    self.init(
      source: source, target: job.plan.path, dryRun: dryRun, profile: profile, salt: salt,
      sourcePageSize: job.source.header.pageSize, targetPageSize: job.pageSize,
      sourcePages: job.source.pageCount, targetPages: outcome.pages,
      bytesRead: job.source.store.bytes,
      bytesWritten: UInt64(outcome.pages) * UInt64(job.pageSize), openingPragmas: pragmas,
      backup: outcome.backup.map { kept in named.map { source + $0 } ?? kept },
      proof: outcome.proof,
      notes: job.source.notes + outcome.notes, seconds: seconds)
  }
}
