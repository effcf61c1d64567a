// From what the user gave to the two keys that pages are encrypted and tagged with, as SQLCipher
// derives them (sqlcipher_cipher_ctx_key_derive in its src/sqlcipher.c).

internal import CLibCrypto

/// The keys of a database's pages.
struct PageKeys: Sendable {
  /// The AES key, 32 bytes.
  let encryption: Secret
  /// The key of the page tags, 32 bytes; nil where pages have none.
  let hmac: Secret?
}

/// Key derivation. Everything throws `.unsupported(.crypto)` where libcrypto refuses a hash.
enum KeyDerivation {
  /// Bytes of a salt.
  static let saltLength = 16
  private static let keyLength = 32

  /// The page keys for `profile`. A passphrase costs `profile.kdfIterations` rounds of PBKDF2.
  /// `salt` is the one in use: see `Detection.salt` for which that is.
  static func derive(
    _ material: KeyMaterial, profile: CipherProfile, salt: [UInt8]
  ) throws -> PageKeys {
    let encryption = try encryptionKey(
      material, algorithm: profile.kdfAlgorithm, iterations: profile.kdfIterations, salt: salt)
    return try pageKeys(encryption, of: material, profile: profile, salt: salt)
  }

  /// The AES key: the raw key as it is, or PBKDF2 of the passphrase.
  static func encryptionKey(
    _ material: KeyMaterial, algorithm: HashAlgorithm, iterations: Int, salt: [UInt8]
  ) throws -> Secret {
    switch material.kind {
    case .raw(let key, _, _): key
    case .passphrase(let bytes):
      try pbkdf2(bytes, salt: salt, algorithm, iterations: iterations, count: keyLength)
    }
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
    let hmac = try pbkdf2(
      encryption, salt: salt.map { $0 ^ profile.saltMask }, profile.kdfAlgorithm,
      iterations: profile.fastKDFIterations, count: keyLength)
    return PageKeys(encryption: encryption, hmac: hmac)
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

  /// PBKDF2-HMAC (RFC 8018) with a password of any length and any bytes, giving `count` bytes.
  static func pbkdf2(
    _ password: Secret, salt: [UInt8], _ algorithm: HashAlgorithm, iterations: Int, count: Int
  ) throws -> Secret {
    guard let passwordLength = Int32(exactly: password.count),
      let saltLength = Int32(exactly: salt.count),
      let rounds = Int32(exactly: iterations), rounds > 0, let length = Int32(exactly: count)
    else { throw SealError.badProfile(.kdfIterations(iterations)) }
    let digest =
      switch algorithm {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha512: EVP_sha512()
      }
    return try Secret(count: count) { out in
      let derived = password.withBytes { password in
        password.withMemoryRebound(to: CChar.self) { password in
          out.withMemoryRebound(to: UInt8.self) { out in
            PKCS5_PBKDF2_HMAC(
              password.baseAddress, passwordLength, salt, saltLength, rounds, digest, length,
              out.baseAddress)
          }
        }
      }
      guard derived == 1 else {
        throw SealError.unsupported(.crypto(function: "PKCS5_PBKDF2_HMAC"))
      }
    }
  }
}
