// From what the user gave to the two keys that pages are encrypted and tagged with, as SQLCipher
// derives them (sqlcipher_cipher_ctx_key_derive in its src/sqlcipher.c).

/// The keys of a database's pages.
struct PageKeys: Sendable {
  /// The AES key, 32 bytes.
  let encryption: Secret
  /// The key of the page tags, 32 bytes; nil where pages have none.
  let hmac: Secret?
}

/// What page keys are derived from.
struct KeyRequest: Sendable {
  let material: KeyMaterial
  let profile: CipherProfile
  /// The one in use: see `Detection.salt` for which that is.
  let salt: [UInt8]
}

/// Key derivation. Everything throws `.unsupported(.crypto)` where libcrypto refuses a hash.
enum KeyDerivation {
  /// Bytes of a salt.
  static let saltLength = 16

  /// The page keys for `profile`. A passphrase costs `profile.kdfIterations` rounds of PBKDF2,
  /// which `deriver` runs.
  static func derive(
    _ material: KeyMaterial, profile: CipherProfile, salt: [UInt8],
    by deriver: Deriver = { try Derivation.run($0) }
  ) throws -> PageKeys {
    let request = KeyRequest(material: material, profile: profile, salt: salt)
    guard let keys = try derive([request], by: deriver).first else { throw refused }
    return keys
  }

  /// The page keys of several requests in their order. What they share is derived once.
  static func derive(_ requests: [KeyRequest], by deriver: Deriver) throws -> [PageKeys] {
    var wanted: [Derivation] = []
    // Of each request: the place of its derivation; nil for a raw key.
    let places = requests.map { request -> Int? in
      guard
        let own = Self.derivation(
          request.material, request.profile.kdfAlgorithm, request.profile.kdfIterations,
          request.salt)
      else { return nil }
      let known = wanted.firstIndex {
        $0.password === own.password && $0.salt == own.salt && $0.isAlike(own)
      }
      if let known { return known }
      wanted.append(own)
      return wanted.count - 1
    }
    let derived = wanted.isEmpty ? [] : try deriver(wanted)
    return try zip(requests, places).map { request, place in
      let key: Secret
      switch request.material.kind {
      case .raw(let raw, _, _): key = raw
      case .passphrase:
        guard let place, derived.indices.contains(place) else {
          throw refused
        }
        key = derived[place]
      }
      return try pageKeys(
        key, of: request.material, profile: request.profile, salt: request.salt)
    }
  }

  /// The AES key: the raw key as it is, or PBKDF2 of the passphrase.
  static func encryptionKey(
    _ material: KeyMaterial, algorithm: HashAlgorithm, iterations: Int, salt: [UInt8],
    by deriver: Deriver
  ) throws -> Secret {
    if case .raw(let key, _, _) = material.kind { return key }
    guard let own = derivation(material, algorithm, iterations, salt),
      let key = try deriver([own]).first
    else { throw refused }
    return key
  }

  private static var refused: SealError { .unsupported(.crypto(function: "PBKDF2")) }

  /// nil for a raw key.
  private static func derivation(
    _ material: KeyMaterial, _ algorithm: HashAlgorithm, _ iterations: Int, _ salt: [UInt8]
  ) -> Derivation? {
    guard case .passphrase(let bytes) = material.kind else { return nil }
    return Derivation(password: bytes, salt: salt, algorithm: algorithm, iterations: iterations)
  }

  /// Adds the HMAC key: the one that a 160-digit raw key brings along, or a second, short PBKDF2
  /// with the KDF's hash (not the tag's) over the masked salt.
  static func pageKeys(
    _ encryption: Secret, of material: KeyMaterial, profile: CipherProfile, salt: [UInt8]
  ) throws -> PageKeys {
    guard profile.hmacAlgorithm != nil else { return PageKeys(encryption: encryption, hmac: nil) }
    if case .raw(_, .some(let own), _) = material.kind {
      return PageKeys(encryption: encryption, hmac: own)
    }
    let hmac = try Derivation.run([
      Derivation(
        password: encryption, salt: salt.map { $0 ^ profile.saltMask },
        algorithm: profile.kdfAlgorithm, iterations: profile.fastKDFIterations)
    ])
    return PageKeys(encryption: encryption, hmac: hmac.first)
  }

  /// Whether two passphrases lead to the same keys, whatever the salt; nil where only deriving can
  /// tell. HMAC pads a key with zeros to a block of its hash (RFC 2104), so `k` and `k` + NUL are
  /// one; a longer one is hashed first.
  static func isSamePassphrase(
    _ a: KeyMaterial, _ b: KeyMaterial, _ algorithm: HashAlgorithm
  ) -> Bool? {
    guard case .passphrase(let a) = a.kind, case .passphrase(let b) = b.kind else { return nil }
    if a.isEqual(to: b) { return true }
    let block = algorithm == .sha512 ? 128 : 64
    guard a.count <= block, b.count <= block else { return nil }
    func padded(_ secret: Secret) -> Secret {
      Secret(count: block) { out in secret.withBytes { out.copyMemory(from: $0) } }
    }
    return padded(a).isEqual(to: padded(b))
  }
}
