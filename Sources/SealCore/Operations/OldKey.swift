// After a rekey the old key must be worth nothing, and that is proven, not assumed: it is tried on
// the output the way a user would try it, before the output gets its name.

/// The key that a database had, and the settings that it had with it.
struct OldKey {
  let material: KeyMaterial
  let profile: CipherProfile

  /// Whether this key opens any tried page of the output, under the output's settings or its own
  /// former ones, or opens it through SQLCipher where this engine can try.
  func opens(_ file: File, _ cipher: TargetCipher) throws -> Bool {
    let former = profile == cipher.profile ? [] : [profile]
    for candidate in [cipher.profile] + former where try fits(file, cipher, candidate) {
      return true
    }
    return try engineOpens(file, cipher)
  }

  private func fits(_ file: File, _ cipher: TargetCipher, _ candidate: CipherProfile) throws
    -> Bool
  {
    guard candidate.hmacAlgorithm != nil else {
      // Without tags a page can look right by chance; what decides is the key itself.
      let salt = material.salt ?? cipher.salt
      let keys = try KeyDerivation.derive(material, profile: candidate, salt: salt)
      return keys.encryption.isEqual(to: cipher.keys.encryption)
    }
    let outcome = try Detection.detect(
      candidates: [candidate], material: material,
      salt: material.salt == nil ? cipher.salt : nil, size: file.size()
    ) { offset, buffer in try file.read(at: offset, into: buffer) == buffer.count }
    if case .none = outcome { return false }
    return true
  }

  private func engineOpens(_ file: File, _ cipher: TargetCipher) throws -> Bool {
    do {
      let settings = try EngineSettings.settings(
        for: cipher.profile, salt: material.salt ?? cipher.salt, key: material)
      let connection = try Connection(output: file)
      try connection.key(material.engineKey)
      try connection.apply(settings: settings)
      switch connection.probe() {
      case .ready, .schemaNotUnderstood: return true
      case .notADatabase, .busy, .failed: return false
      }
    } catch SealError.unsupported { return false }
  }
}
