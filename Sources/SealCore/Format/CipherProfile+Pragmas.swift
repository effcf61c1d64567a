// The PRAGMAs that tell an engine what a profile says, for the report of a conversion and for the
// connection that proves its output. All of them were found by asking SQLCipher 4.12 and 4.19, and
// all still work there; `cipher_hmac_pgno`, `cipher_hmac_salt_mask` and `fast_kdf_iter` answer that
// they are deprecated, and do what they say. The salt mask is one variable of the whole process in
// SQLCipher (hmac_salt_mask in src/sqlcipher.c): it stays set for connections opened later.

extension CipherProfile {
  /// One PRAGMA: its name, and its value as SQLCipher takes it; `x'…'` wants double quotes in SQL.
  public typealias Pragma = (name: String, value: String)

  /// The PRAGMAs, in the order to send them after the key, that make SQLCipher 4 open a database
  /// of this profile: none for format 4. `salt` (16 bytes) is sent where the file holds none.
  public func pragmas(salt: [UInt8]) -> [Pragma] {
    // Whatever format is nearest is named first, and what differs from it follows.
    let variants = Self.formatNumbers.compactMap { number in
      Self.format(number).map { base in
        (number == 4 ? [] : [("cipher_compatibility", "\(number)")]) + differences(from: base)
      }
    }
    var settings = variants.first ?? []
    for variant in variants.dropFirst() where variant.count < settings.count { settings = variant }
    if plaintextHeader > 0 {
      settings.append(("cipher_plaintext_header_size", "\(plaintextHeader)"))
      settings.append(("cipher_salt", Self.blob(salt)))
    }
    return settings
  }

  private func differences(from base: CipherProfile) -> [Pragma] {
    var settings: [Pragma] = []
    if pageSize != base.pageSize { settings.append(("cipher_page_size", "\(pageSize)")) }
    if kdfIterations != base.kdfIterations { settings.append(("kdf_iter", "\(kdfIterations)")) }
    if kdfAlgorithm != base.kdfAlgorithm {
      settings.append(("cipher_kdf_algorithm", "PBKDF2_\(Self.hmacName(kdfAlgorithm))"))
    }
    if (hmacAlgorithm == nil) != (base.hmacAlgorithm == nil) {
      settings.append(("cipher_use_hmac", hmacAlgorithm == nil ? "OFF" : "ON"))
    }
    guard let hmacAlgorithm else { return settings }
    // `cipher_compatibility = 1` sets SHA1 beside switching tags off.
    if hmacAlgorithm != base.hmacAlgorithm ?? .sha1 {
      settings.append(("cipher_hmac_algorithm", Self.hmacName(hmacAlgorithm)))
    }
    if pageNumberOrder != base.pageNumberOrder {
      settings.append(("cipher_hmac_pgno", pageNumberOrder.rawValue))
    }
    if saltMask != base.saltMask {
      settings.append(("cipher_hmac_salt_mask", Self.blob([saltMask])))
    }
    if fastKDFIterations != base.fastKDFIterations {
      settings.append(("fast_kdf_iter", "\(fastKDFIterations)"))
    }
    return settings
  }

  private static func hmacName(_ algorithm: HashAlgorithm) -> String {
    "HMAC_\(algorithm.rawValue.uppercased())"
  }

  private static func blob(_ bytes: [UInt8]) -> String {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "x'\(digits.joined())'"
  }
}
