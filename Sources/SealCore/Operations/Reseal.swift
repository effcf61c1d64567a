// rekey and migrate: an encrypted database becomes another encrypted one, under another key, other
// cipher settings, or both.

/// Seals a database anew.
public enum Reseal {
  /// What to make of the database.
  public enum Change: Sendable {
    /// Another key. The settings of the source stay, with the target's on top.
    case key(KeyMaterial)
    /// The same key. The settings are format 4's, or the format's that is named, with the target's
    /// on top.
    case format
  }

  /// Throws what `run` would throw for a source or a target that cannot be used, without a key.
  /// Whether the backup's name is free is asked later: a run that was done before needs none.
  public static func precheck(source: String, output: OutputOptions, settings: CipherSettings)
    throws
  {
    try Decrypt.precheck(source: source, output: output, settings: settings, backup: false)
  }

  /// Seals anew. `sourceSettings`: what to read; detected where nothing is named. Throws
  /// `SealError`; `.sameKey` where a rekey would change nothing.
  public static func run(
    _ request: ConversionRequest, change: Change, reading sourceSettings: CipherSettings
  ) throws -> ConversionReport {
    let started = System.now()
    try Engine.current.requireCodec()
    let context = request.context
    let plan = try OutputPlan(request.output, source: request.source, context)
    let path = plan.isInPlace ? plan.path : try System.realPath(request.source)
    let source: OpenedDatabase
    let ahead: KeyAhead?
    let planned = planAhead(
      request, change, reading: sourceSettings, path: path, losesSource: plan.isInPlace)
    do {
      (source, ahead) = try KeyAhead.opening(planned, context) {
        try OpenedDatabase.encrypted(
          path, key: request.key, settings: sourceSettings, exclusive: plan.isInPlace, context)
      }
    } catch SealError.wrongKey(let wrong) {
      guard case .key(let new) = change else {
        // Named settings may be those that it had before an earlier run.
        if plan.isInPlace, sourceSettings != request.settings,
          let report = try done(request, plan, path, started)
        {
          return report
        }
        throw SealError.wrongKey(wrong)
      }
      throw SealError.wrongKey(
        try wrong.fitted(
          by: new, path, [request.settings.filled(from: sourceSettings), CipherSettings()], context)
      )
    }
    guard let own = source.cipher else {
      throw SealError.wrongKind(path: request.source, found: .plaintext)
    }
    let profile: CipherProfile
    let material: KeyMaterial
    var isSameKey = true
    switch change {
    case .key(let new):
      profile = try request.settings.profile(over: own.profile)
      material = new
      isSameKey = try isSame(new, request.key, own, context)
      if isSameKey, keepsSettings(request, profile, new, own) {
        throw SealError.sameKey(path: request.source)
      }
    case .format:
      profile = try request.settings.profile()
      material = request.key
      if plan.isInPlace, keepsSettings(request, profile, material, own) {
        return unchanged(request, plan, source, own, System.now() - started)
      }
    }
    context.progress?(Progress(.deriving, done: 0, total: 0))
    let known = ahead?.fitting(profile, own: own.profile)
    let salt =
      try known?.plan.requests.first?.salt
      ?? TargetCipher.salt(
        material, profile: profile, given: request.settings.salt, losesSource: plan.isInPlace)
    let (cipher, oldKey) = try keys(
      KeyRequest(material: material, profile: profile, salt: salt), known,
      old: isSameKey
        ? [] : OldKey.requests(request.key, over: salt, profiles: [profile, own.profile]),
      context)
    let status = try source.snapshot.file.status()
    let job = ConversionJob(
      source: source, plan: plan, pageSize: profile.pageSize, reserve: profile.reserve,
      keepsPages: keepsLayout(profile, own, source.header), cipher: cipher,
      mode: plan.isInPlace ? nil : status.mode & 0o777 & ~UInt32(System.currentUmask()),
      context: context, oldKey: oldKey)
    var outcome = try job.run()
    if case .key(let new) = change, let oddity = new.oddity {
      outcome.notes.append(.keyForm(oddity))
    }
    let saltToTell = TargetCipher.knownSalt(
      material, request.settings, salt, dryRun: request.output.dryRun)
    if profile.plaintextHeader > 0, !saltToTell.isEmpty {
      outcome.notes.append(.saltOutside(saltToTell))
    }
    return ConversionReport(
      request.source, job, outcome, profile: profile, salt: saltToTell,
      pragmas: saltToTell.isEmpty ? [] : profile.pragmas(salt: saltToTell),
      seconds: System.now() - started)
  }

  /// The output's keys, and the old one to be tried on it, derived together where they are not known.
  private static func keys(
    _ request: KeyRequest, _ known: KeyAhead?, old: [KeyRequest], _ context: OperationContext
  ) throws -> (TargetCipher, OldKey?) {
    if let known, let own = known.keys.first {
      return (TargetCipher(request, own), OldKey(old, Array(known.keys.dropFirst())))
    }
    let keys = try KeyDerivation.derive([request] + old, by: context.deriver)
    return (TargetCipher(request, keys[0]), OldKey(old, Array(keys.dropFirst())))
  }

  /// Whether `new` leads to the key that the database has, however it is written; `k` and
  /// `k` + NUL are one to HMAC.
  private static func isSame(
    _ new: KeyMaterial, _ old: KeyMaterial, _ own: DetectedCipher, _ context: OperationContext
  )
    throws -> Bool
  {
    if let answer = KeyDerivation.isSamePassphrase(new, old, own.profile.kdfAlgorithm) {
      return answer
    }
    let keys = try KeyDerivation.derive(
      new, profile: own.profile, salt: own.salt, by: context.deriver)
    guard keys.encryption.isEqual(to: own.keys.encryption) else { return false }
    guard let hmac = keys.hmac, let old = own.keys.hmac else { return true }
    return hmac.isEqual(to: old)
  }

  /// Whether pages can stay what they are. Between a longer reserve of the B-trees and a shorter one
  /// of the codec stand bytes that the output's tags would take the place of.
  private static func keepsLayout(
    _ profile: CipherProfile, _ own: DetectedCipher, _ header: DatabaseHeader
  ) -> Bool {
    header.pageSize == profile.pageSize && header.reserve == profile.reserve
      && own.profile.reserve == profile.reserve
  }

  private static func keepsSettings(
    _ request: ConversionRequest, _ profile: CipherProfile, _ material: KeyMaterial,
    _ own: DetectedCipher
  ) -> Bool {
    profile == own.profile && (material.salt ?? request.settings.salt ?? own.salt) == own.salt
  }

  /// The report where the database has what is asked for already, whatever it was said to have; else nil.
  private static func done(
    _ request: ConversionRequest, _ plan: OutputPlan, _ path: String, _ started: Double
  ) throws -> ConversionReport? {
    var context = request.context
    context.keyHints = .none
    do {
      let source = try OpenedDatabase.encrypted(
        path, key: request.key, settings: request.settings, exclusive: false, context)
      let profile = try request.settings.profile()
      guard let own = source.cipher, keepsSettings(request, profile, request.key, own) else {
        return nil
      }
      return unchanged(request, plan, source, own, System.now() - started)
    } catch SealError.interrupted(let number) {
      throw SealError.interrupted(signal: number)
    } catch is SealError { return nil }
  }

  private static func unchanged(
    _ request: ConversionRequest, _ plan: OutputPlan, _ source: OpenedDatabase,
    _ own: DetectedCipher,
    _ seconds: Double
  ) -> ConversionReport {
    ConversionReport(
      source: request.source, target: plan.path, dryRun: request.output.dryRun,
      profile: own.profile, salt: own.salt, sourcePageSize: source.header.pageSize,
      targetPageSize: source.header.pageSize, sourcePages: source.pageCount,
      targetPages: source.pageCount, bytesRead: 0, bytesWritten: 0, openingPragmas: [],
      backup: nil, proof: nil, notes: [], seconds: seconds, isUnchanged: true)
  }
}

extension WrongKey {
  /// The same with `new` as what opens the file, where it does and nothing else was found: the
  /// database was rekeyed before, or the two keys are swapped, which nobody can tell.
  fileprivate func fitted(
    by new: KeyMaterial, _ path: String, _ readings: [CipherSettings], _ context: OperationContext
  ) throws -> WrongKey {
    guard fit == nil else { return self }
    var context = context
    context.keyHints = .free
    for (index, settings) in readings.enumerated() where !readings[..<index].contains(settings) {
      do {
        let database = try OpenedDatabase.encrypted(
          path, key: new, settings: settings, exclusive: false, context)
        guard let profile = database.cipher?.profile else { continue }
        var found = self
        found.fit = KeyFit(
          variant: .newKey, settings: profile.name, format: profile.formatNumber,
          pageSize: profile.pageSize, kdfIterations: profile.kdfIterations)
        return found
      } catch SealError.interrupted(let number) {
        throw SealError.interrupted(signal: number)
      } catch is SealError { continue }
    }
    return self
  }
}
