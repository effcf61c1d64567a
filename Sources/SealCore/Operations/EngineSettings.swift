// Where Format meets SQLCipher: which PRAGMAs open a database of some profile in the engine at
// hand, and whether that engine can open it at all.

enum EngineSettings {
  /// The settings to apply after the key, in order. Throws `.unsupported(.engineTooOld)` where
  /// this engine cannot open such a database.
  static func settings(
    for profile: CipherProfile, salt: [UInt8], key: KeyMaterial, engine: Engine = .current
  ) throws -> [(name: String, value: String)] {
    try engine.requireCodec()
    if case .raw(_, .some, _) = key.kind, !isAtLeast(engine, 4, 7) {
      throw tooOld(engine, "4.7", "a raw key of 160 digits")
    }
    let settings =
      engine.supportsFormat4 ? profile.pragmas(salt: salt) : try before4(profile, engine)
    for setting in settings where !engine.knows(setting: setting.name) {
      throw tooOld(engine, "4.0", "PRAGMA \(setting.name)")
    }
    return settings
  }

  private static func isAtLeast(_ engine: Engine, _ major: Int, _ minor: Int) -> Bool {
    let parts = engine.cipherVersionParts + [0, 0]
    return (parts[0], parts[1]) >= (major, minor)
  }

  /// SQLCipher 2 and 3: format 3 is the default, hashes are SHA1, and settings are single.
  private static func before4(_ profile: CipherProfile, _ engine: Engine) throws
    -> [(name: String, value: String)]
  {
    guard profile.kdfAlgorithm == .sha1, profile.hmacAlgorithm ?? .sha1 == .sha1,
      profile.plaintextHeader == 0
    else { throw tooOld(engine, "4.0", profile.name) }
    var settings: [(name: String, value: String)] = []
    if profile.pageSize != 1024 { settings.append(("cipher_page_size", "\(profile.pageSize)")) }
    if profile.kdfIterations != 64_000 { settings.append(("kdf_iter", "\(profile.kdfIterations)")) }
    guard profile.hmacAlgorithm != nil else { return settings + [("cipher_use_hmac", "OFF")] }
    if profile.pageNumberOrder == .bigEndian { settings.append(("cipher_hmac_pgno", "be")) }
    if profile.saltMask != 0x3a {
      let digits = String(profile.saltMask, radix: 16)
      let value = profile.saltMask < 16 ? "x'0\(digits)'" : "x'\(digits)'"
      settings.append(("cipher_hmac_salt_mask", value))
    }
    if profile.fastKDFIterations != 2 {
      settings.append(("fast_kdf_iter", "\(profile.fastKDFIterations)"))
    }
    return settings
  }

  private static func tooOld(_ engine: Engine, _ needed: String, _ feature: String) -> SealError {
    .unsupported(
      .engineTooOld(
        engine: engine.cipherVersion ?? engine.sqliteVersion, needed: needed, feature: feature))
  }
}
