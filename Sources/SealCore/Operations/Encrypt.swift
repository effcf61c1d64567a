// encrypt: a plaintext database becomes a SQLCipher database.

/// Encrypts a plaintext database.
public enum Encrypt {
  public struct Request: Sendable {
    public var source: String
    public var output: OutputOptions
    public var key: KeyMaterial
    /// What to write; format 4 where nothing else is named.
    public var settings: CipherSettings
    /// Overwrite and remove the plaintext source after success.
    public var shred = false
    public var context: OperationContext

    public init(
      source: String, output: OutputOptions, key: KeyMaterial, settings: CipherSettings,
      context: OperationContext
    ) {
      self.source = source
      self.output = output
      self.key = key
      self.settings = settings
      self.context = context
    }
  }

  /// Throws what `run` would throw for a source or a target that cannot be used, without a key.
  public static func precheck(source: String, output: OutputOptions) throws {
    try Engine.current.requireCodec()
    let (kind, isDoubtful) = try SourceCheck.kind(of: source)
    guard kind == .plaintext || (isDoubtful && kind != .sqlcipher && kind != .journal) else {
      throw SealError.wrongKind(path: source, found: kind)
    }
    try SourceCheck.output(output, source: source)
  }

  /// Encrypts. Throws `SealError`.
  public static func run(_ request: Request) throws -> ConversionReport {
    let started = System.now()
    try Engine.current.requireCodec()
    let context = request.context
    let profile = try request.settings.profile()
    let plan = try OutputPlan(request.output, source: request.source, context)
    // Sidecars stand beside the real file, whatever links lead to it.
    let path = plan.isInPlace ? plan.path : try System.realPath(request.source)
    if request.shred {
      try OutputPlan.requireReplaceable(path, request.output)
      try System.requireWritable(folder: Path.folder(of: path))
    }
    let source = try OpenedDatabase.plaintext(
      path, exclusive: plan.isInPlace || request.shred, context)
    context.progress?(Progress(.deriving, done: 0, total: 0))
    let cipher = try TargetCipher(
      request.key, profile: profile, givenSalt: request.settings.salt,
      losesSource: plan.isInPlace || request.shred)
    let status = try source.snapshot.file.status()
    let job = ConversionJob(
      source: source, plan: plan, pageSize: profile.pageSize, reserve: profile.reserve,
      cipher: cipher,
      mode: plan.isInPlace ? nil : status.mode & 0o777 & ~UInt32(System.currentUmask()),
      context: context)
    var outcome = try job.run()
    if profile.plaintextHeader > 0 { outcome.notes.append(.saltOutside(cipher.salt)) }
    if request.shred, !request.output.dryRun { try Shredder.shred(source.snapshot, plan) }
    return ConversionReport(
      request.source, job, outcome, profile: profile, salt: cipher.salt,
      pragmas: profile.pragmas(salt: cipher.salt), seconds: System.now() - started)
  }
}
