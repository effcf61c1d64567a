// Which cipher settings a key fits. Nothing in the file tells, so candidates are tried one after
// the other: a derivation each, then the tag of page 1. Where page 1 fails, a sample of the other
// pages tells a damaged first page from a wrong key.

/// A cipher profile that fits a database, with everything needed to open its pages.
struct DetectedCipher: Sendable {
  let profile: CipherProfile
  let keys: PageKeys
  /// The salt in use, 16 bytes.
  let salt: [UInt8]
  /// The first 16 bytes of the file are another salt than the one in use. It fits all the same
  /// (no tag, or an HMAC key of its own, or the salt in the file was overwritten).
  let saltDiffers: Bool
}

/// What came of trying the candidates.
enum DetectionOutcome: Sendable {
  /// Page 1 authenticates; without tags: it looks like a database's first page.
  case fits(DetectedCipher)
  /// Page 1 does not, and another page does: the key is right and page 1 is damaged.
  case fitsDamagedFirstPage(DetectedCipher)
  /// No page that was tried fits. `tried` holds `CipherProfile.name`s, `pagesTried` counts pages
  /// of the first candidate that the file is long enough for. `saltDiffers`: the salt in use (of the raw key, or
  /// given) is not the one at the start of the file, and SQLCipher would not use the file's either.
  case none(tried: [String], pagesTried: Int, saltDiffers: Bool)
}

/// Detection of cipher settings.
enum Detection {
  /// Fills `into` with the raw bytes of the database from `offset`; false where it ends before.
  typealias RawRead = (_ offset: UInt64, _ into: UnsafeMutableRawBufferPointer) throws -> Bool

  /// The most pages that are tried of one candidate, page 1 included.
  static let sampleLimit = 64

  /// Tries `candidates` in their order. `salt` is `CipherSettings.salt`, `size` the length of the
  /// database in bytes. Throws `.badProfile(.saltNeeded)` or `.saltConflict`, what `read` throws,
  /// and `.unsupported(.crypto)`.
  static func detect(
    candidates: [CipherProfile], material: KeyMaterial, salt: [UInt8]?, size: UInt64,
    deriver: @escaping Deriver = { try Derivation.run($0) }, read: RawRead
  ) throws -> DetectionOutcome {
    var trials = DetectionTrials(material: material, size: size, deriver: deriver)
    return try detect(candidates: candidates, &trials, salt: salt, read: read)
  }

  /// The same with derivations that are kept for more; `limit`: how many pages are tried of each.
  static func detect(
    candidates: [CipherProfile], _ trials: inout DetectionTrials, salt: [UInt8]?,
    limit: Int = sampleLimit, read: RawRead
  ) throws -> DetectionOutcome {
    var pagesTried = 0
    var saltDiffers = false
    var fileSalt = [UInt8](repeating: 0, count: KeyDerivation.saltLength)
    let hasStart = try fileSalt.withUnsafeMutableBytes { try read(0, $0) }
    for profile in candidates {
      let used = try Self.salt(
        for: profile, material: trials.material, given: salt, fileStart: hasStart ? fileSalt : nil)
      guard let used, trials.size >= UInt64(profile.pageSize) else { continue }
      let differs = profile.plaintextHeader == 0 && used != fileSalt
      saltDiffers = saltDiffers || differs
      let keys = try trials.keys(for: profile, salt: used)
      let codec = try PageCodec(profile: profile, keys: keys, salt: used)
      let result = try trials.pages(of: codec, limit: limit, read: read)
      if pagesTried == 0 { pagesTried = result.pagesTried }
      let cipher = DetectedCipher(
        profile: profile, keys: keys, salt: used, saltDiffers: differs)
      switch result.fittingPage {
      case .some(1): return .fits(cipher)
      case .some: return .fitsDamagedFirstPage(cipher)
      case nil: break
      }
    }
    return .none(
      tried: candidates.map(\.name), pagesTried: pagesTried, saltDiffers: saltDiffers)
  }

  /// The salt that SQLCipher would use, found by trying 4.12 and 4.19: that of a raw key first,
  /// then one that is set by PRAGMA, then the file's. A raw key's salt stands even where the file
  /// has another. nil: the file is too short to have one. Throws `.badProfile`.
  static func salt(
    for profile: CipherProfile, material: KeyMaterial, given: [UInt8]?, fileStart: [UInt8]?
  ) throws -> [UInt8]? {
    if let given, given.count != KeyDerivation.saltLength {
      throw SealError.badProfile(.saltLength(given.count))
    }
    if let own = material.salt {
      // SQLCipher would ignore the given one without a word.
      if let given, given != own { throw SealError.badProfile(.saltConflict) }
      return own
    }
    if let given { return given }
    guard profile.plaintextHeader > 0 else { return fileStart }
    if case .raw = material.kind, profile.hmacAlgorithm == nil {
      return [UInt8](repeating: 0, count: KeyDerivation.saltLength)
    }
    throw SealError.badProfile(.saltNeeded)
  }
}
