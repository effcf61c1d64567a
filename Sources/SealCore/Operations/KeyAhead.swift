// What is sealed anew has several keys to derive, and each takes a core a tenth of a second: all the
// time that a small database takes. The output's is derived while the source is opened, where it is
// known or likely what will be asked for, and where there is a core for it.

/// Keys derived before the source was open.
struct KeyAhead {
  /// What to derive: the output's key, and what else goes with it.
  struct Plan {
    var requests: [KeyRequest]
    /// The settings that the source was taken to have; nil where they do not matter.
    var own: CipherProfile?
  }

  let plan: Plan
  let keys: [PageKeys]

  /// More rounds than this are not spent before the source's key is known to be right.
  private static let mostRounds = 1_000_000

  /// Opens the source by `open` and derives what is planned meanwhile.
  static func opening(
    _ plan: Plan?, _ context: OperationContext, _ open: () throws -> OpenedDatabase
  ) throws -> (OpenedDatabase, KeyAhead?) {
    // Of many databases derivations are run together, and only those that are needed.
    guard let plan, context.sharedDeriver == nil, context.cores > plan.requests.count,
      plan.requests.allSatisfy({ $0.profile.kdfIterations <= mostRounds }),
      case .passphrase = plan.requests.first?.material.kind
    else { return (try open(), nil) }
    return try ParallelRuns.both(open) {
      let keys = try? KeyDerivation.derive(plan.requests) {
        try ParallelRuns.derive(
          $0, workers: context.cores - 1, until: context.cancellation)
      }
      return keys.map { KeyAhead(plan: plan, keys: $0) }
    }
  }

  /// These, if they are what an output with `profile` of a source with `own` needs.
  func fitting(_ profile: CipherProfile, own: CipherProfile) -> KeyAhead? {
    let isRight = plan.requests.first?.profile == profile && (plan.own == nil || plan.own == own)
    return isRight ? self : nil
  }
}

extension Reseal {
  /// What can be told before the source is open. A rekey keeps settings, so the likeliest are taken
  /// for the source's.
  static func planAhead(
    _ request: ConversionRequest, _ change: Change, reading sourceSettings: CipherSettings,
    path: String, losesSource: Bool
  ) -> KeyAhead.Plan? {
    func salt(_ material: KeyMaterial, _ profile: CipherProfile) -> [UInt8]? {
      try? TargetCipher.salt(
        material, profile: profile, given: request.settings.salt, losesSource: losesSource)
    }
    switch change {
    case .format:
      guard let profile = try? request.settings.profile(), let salt = salt(request.key, profile)
      else { return nil }
      return KeyAhead.Plan(
        requests: [KeyRequest(material: request.key, profile: profile, salt: salt)])
    case .key(let new):
      let size = (try? FileStatus.of(path))?.size ?? 0
      guard let candidates = try? sourceSettings.candidates(),
        let own = KeySearch.likelyFirst(candidates, size: size).first,
        let profile = try? request.settings.profile(over: own), let salt = salt(new, profile),
        KeyDerivation.isSamePassphrase(new, request.key, own.kdfAlgorithm) == false
      else { return nil }
      let old = OldKey.requests(request.key, over: salt, profiles: [profile, own])
      return KeyAhead.Plan(
        requests: [KeyRequest(material: new, profile: profile, salt: salt)] + old, own: own)
    }
  }
}
