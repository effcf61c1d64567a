// decrypt: a SQLCipher database of any format becomes a plaintext database.

/// Decrypts a SQLCipher database.
public enum Decrypt {
  /// Throws what `run` would throw for a source or a target that cannot be used, without a key.
  /// `backup`: the name of the old file must be free.
  public static func precheck(
    source: String, output: OutputOptions, settings: CipherSettings, backup: Bool = true
  ) throws {
    try Engine.current.requireCodec()
    let (kind, isDoubtful) = try SourceCheck.kind(of: source, settings: settings)
    let hasPlainHeader = settings.plaintextHeader ?? 0 > 0
    guard kind == .sqlcipher || isDoubtful || (hasPlainHeader && kind != .empty) else {
      throw SealError.wrongKind(path: source, found: kind)
    }
    try SourceCheck.output(output, source: source, backup: backup)
  }

  /// Decrypts; settings that are not named are detected. `pageSize`: bytes, of the output; nil is
  /// the source's. `exact`: keep pages and reserve as they are. Throws `SealError`.
  public static func run(_ request: ConversionRequest, pageSize: Int? = nil, exact: Bool = false)
    throws -> ConversionReport
  {
    let started = System.now()
    try Engine.current.requireCodec()
    let context = request.context
    if let pageSize, !PageGeometry.isPageSize(pageSize) {
      throw SealError.badProfile(.pageSize(pageSize))
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
      pageSize: exact
        ? source.header.pageSize : pageSize ?? source.header.pageSize,
      reserve: exact ? source.header.reserve : 0, keepsPages: exact, cipher: nil,
      mode: 0o600, context: context)
    var outcome = try job.run()
    outcome.notes.append(.privateMode)
    return ConversionReport(
      request.source, job, outcome, profile: cipher.profile, salt: cipher.salt, pragmas: [],
      seconds: System.now() - started)
  }
}
