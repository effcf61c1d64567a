// encrypt: a plaintext database becomes a SQLCipher database.

/// Encrypts a plaintext database.
public enum Encrypt {
  /// Throws what `run` would throw for a source or a target that cannot be used, without a key.
  public static func precheck(source: String, output: OutputOptions) throws {
    try Engine.current.requireCodec()
    let (kind, isDoubtful) = try SourceCheck.kind(of: source, settings: nil)
    guard kind == .plaintext || (isDoubtful && ![.sqlcipher, .journal, .wal].contains(kind)) else {
      throw SealError.wrongKind(path: source, found: kind)
    }
    try SourceCheck.output(output, source: source)
  }

  /// Encrypts, in format 4 where the settings name nothing else. `shred`: overwrite and remove the
  /// plaintext source after success. Throws `SealError`.
  public static func run(_ request: ConversionRequest, shred: Bool = false) throws
    -> ConversionReport
  {
    let started = System.now()
    try Engine.current.requireCodec()
    let context = request.context
    let profile = try request.settings.profile()
    let plan = try OutputPlan(request.output, source: request.source, context)
    // Sidecars stand beside the real file, whatever links lead to it.
    let path = plan.isInPlace ? plan.path : try System.realPath(request.source)
    if shred {
      try Shredder.requireOwnFiles(path, force: request.output.force)
      try OutputPlan.requireReplaceable(path, request.output)
      try System.requireWritable(folder: Path.folder(of: path), for: path)
    }
    let source = try OpenedDatabase.plaintext(
      path, exclusive: plan.isInPlace || shred, context)
    context.progress?(Progress(.deriving, done: 0, total: 0))
    let salt = try TargetCipher.salt(
      request.key, profile: profile, given: request.settings.salt,
      losesSource: plan.isInPlace || shred)
    let cipher = try TargetCipher(request.key, profile: profile, salt: salt, context)
    let status = try source.snapshot.file.status()
    let job = ConversionJob(
      source: source, plan: plan, pageSize: profile.pageSize, reserve: profile.reserve,
      cipher: cipher,
      mode: plan.isInPlace ? nil : status.mode & 0o777 & ~UInt32(System.currentUmask()),
      losesSource: shred, context: context)
    var outcome = try job.run()
    if let oddity = request.key.oddity { outcome.notes.append(.keyForm(oddity)) }
    let known = TargetCipher.knownSalt(
      request.key, request.settings, salt, dryRun: request.output.dryRun)
    if profile.plaintextHeader > 0, !known.isEmpty { outcome.notes.append(.saltOutside(known)) }
    if shred, !request.output.dryRun { try Shredder.shred(source.snapshot, plan) }
    return ConversionReport(
      request.source, job, outcome, profile: profile, salt: known,
      pragmas: known.isEmpty ? [] : profile.pragmas(salt: known), seconds: System.now() - started)
  }
}
