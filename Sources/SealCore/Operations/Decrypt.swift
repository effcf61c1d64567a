// decrypt: a SQLCipher database of any format becomes a plaintext database.

/// Decrypts a SQLCipher database.
public enum Decrypt {
  public struct Request: Sendable {
    public var source: String
    public var output: OutputOptions
    public var key: KeyMaterial
    /// What to read; detected where nothing is named.
    public var settings: CipherSettings
    /// Page size of the output; the source's where none is named.
    public var pageSize: Int?
    /// Keep pages and reserve as they are.
    public var exact = false
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
  public static func precheck(source: String, output: OutputOptions, settings: CipherSettings)
    throws
  {
    try Engine.current.requireCodec()
    let (kind, isDoubtful) = try SourceCheck.kind(of: source)
    let hasPlainHeader = settings.plaintextHeader ?? 0 > 0
    guard kind == .sqlcipher || isDoubtful || (hasPlainHeader && kind != .empty) else {
      throw SealError.wrongKind(path: source, found: kind)
    }
    try SourceCheck.output(output, source: source)
  }

  /// Decrypts. Throws `SealError`.
  public static func run(_ request: Request) throws -> ConversionReport {
    let started = System.now()
    try Engine.current.requireCodec()
    let context = request.context
    if let size = request.pageSize, !PageGeometry.isPageSize(size) {
      throw SealError.badProfile(.pageSize(size))
    }
    let plan = try OutputPlan(request.output, source: request.source, context)
    let path = plan.isInPlace ? plan.path : try System.realPath(request.source)
    let source = try OpenedDatabase.encrypted(
      path, key: request.key,
      settings: request.settings,
      exclusive: plan.isInPlace, context)
    guard let cipher = source.cipher else {
      throw SealError.wrongKind(path: request.source, found: .plaintext)
    }
    // The content was secret until now: nobody but the owner gets to read it.
    let job = ConversionJob(
      source: source, plan: plan,
      pageSize: request.exact
        ? source.header.pageSize : request.pageSize ?? source.header.pageSize,
      reserve: request.exact ? source.header.reserve : 0, keepsPages: request.exact, cipher: nil,
      mode: 0o600, context: context)
    var outcome = try job.run()
    outcome.notes.append(.privateMode)
    return ConversionReport(
      request.source, job, outcome, profile: cipher.profile, salt: cipher.salt, pragmas: [],
      seconds: System.now() - started)
  }
}
