// After a rekey the old key must be worth nothing, and that is proven, not assumed: it is tried on
// the output the way a user would try it, before the output gets its name.

/// The key that a database had, derived over the salt of the output that it must not open.
struct OldKey {
  private struct Candidate {
    let profile: CipherProfile
    let keys: PageKeys
  }

  private let candidates: [Candidate]
  /// The key for the engine, derived for the first of the profiles.
  private let material: KeyMaterial
  private let salt: [UInt8]

  /// What has to be derived. `salt` is the output's; a raw key's own goes before it. `profiles` are
  /// the settings under which the key is tried: the output's first, then those that the database had.
  static func requests(
    _ material: KeyMaterial, over salt: [UInt8], profiles: [CipherProfile]
  ) -> [KeyRequest] {
    var requests: [KeyRequest] = []
    for profile in profiles where !requests.contains(where: { $0.profile == profile }) {
      requests.append(
        KeyRequest(material: material, profile: profile, salt: material.salt ?? salt))
    }
    return requests
  }

  /// With what was derived for the `requests`; nil where there are none.
  init?(_ requests: [KeyRequest], _ keys: [PageKeys]) {
    guard let first = requests.first, let derived = keys.first else { return nil }
    candidates = zip(requests, keys).map { Candidate(profile: $0.profile, keys: $1) }
    salt = first.salt
    material = TargetCipher.underived(first.material, derived, first.salt)
  }

  /// Whether this key opens any tried page of the output, or opens it through SQLCipher where this
  /// engine can try.
  func opens(_ file: File, _ cipher: TargetCipher) throws -> Bool {
    let trials = DetectionTrials(material: material, size: try file.size())
    for candidate in candidates {
      guard candidate.profile.hmacAlgorithm != nil else {
        // Without tags a page can look right by chance; what decides is the key itself.
        if candidate.keys.encryption.isEqual(to: cipher.keys.encryption) { return true }
        continue
      }
      let codec = try PageCodec(profile: candidate.profile, keys: candidate.keys, salt: salt)
      let (page, _) = try trials.pages(of: codec) { offset, buffer in
        try file.read(at: offset, into: buffer) == buffer.count
      }
      if page != nil { return true }
    }
    return try engineOpens(file, cipher)
  }

  private func engineOpens(_ file: File, _ cipher: TargetCipher) throws -> Bool {
    do {
      let settings = try EngineSettings.settings(for: cipher.profile, salt: salt, key: material)
      let connection = try Connection(output: file)
      try connection.key(material.engineKey)
      try connection.apply(settings: settings)
      switch connection.probe() {
      case .ready, .schemaNotUnderstood: return true
      case .notADatabase, .busy, .io, .failed: return false
      }
    } catch SealError.unsupported { return false }
  }
}
