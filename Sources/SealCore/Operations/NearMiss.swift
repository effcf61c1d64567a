// A key that opens nothing is mostly nearly right: a newline too many, digits taken for words, the
// settings of another format. What is likely is tried on page 1, so that the failure can say what
// would open the file. Nothing here runs where the key is right.

/// What may be spent on finding out what would open a file.
public enum KeyHints: Sendable {
  /// Nothing is tried.
  case none
  /// Only what needs no derivation from a passphrase.
  case free
  /// A few derivations.
  case derivations
}

/// The search for what opens a file that the key as it was given does not open.
struct NearMiss {
  /// The settings that were tried.
  let candidates: [CipherProfile]
  let settings: CipherSettings
  let depth: KeyHints
  let cancellation: Cancellation

  /// Derived readings beyond this many are not tried.
  static let mostDerived = 8
  /// Nor are more rounds of PBKDF2 spent than this, whatever number of them is asked for.
  private static let mostRounds = 4_000_000
  /// Nor more bytes of page 1 authenticated for sizes of its plaintext header.
  private static let mostHashed = 4 << 20
  /// Nor longer headers where nothing is tagged: page 1 is judged by what stands before.
  private static let longestUntagged = 96

  /// What fits page 1; `trials` are those of the key as it was given. Throws what `read` throws,
  /// `.interrupted` and `.unsupported(.crypto)`.
  func fit(_ trials: inout DetectionTrials, read: Detection.RawRead) throws -> KeyFit? {
    let key = trials.material
    // Where there is no page but the first, nothing else tells that the header has another size.
    let size = trials.size
    let small = candidates.filter { $0.plaintextHeader > 0 && size < 2 * UInt64($0.pageSize) }
    if let fit = try fit(otherHeaderOf: small, &trials, read) { return fit }
    guard depth != .none else { return nil }
    let isDeep = depth == .derivations && !isFree(key)
    let sizes = Self.common(upTo: trials.size).map(\.pageSize)
    // Their derivations have been made.
    let resized = candidates.flatMap { base in
      Set(sizes).sorted().map { size in
        var profile = base
        profile.pageSize = size
        return profile
      }
    }.filter { (try? $0.validate()) != nil }
    let others = (resized + Self.common(upTo: trials.size) + (isDeep ? Self.mixtures : []))
      .filter { !candidates.contains($0) }
    if settings.salt != nil, key.salt == nil, isFree(key) || depth == .derivations {
      let all = candidates + others
      if let fit = try fit(.withoutGivenSalt, &trials, all, salt: nil, read) { return fit }
    }
    // Without named settings the derivations have been made already.
    if isFree(key) || depth == .derivations || settings.isDetecting {
      if let fit = try fit(.asGiven, &trials, others, salt: nil, read) { return fit }
    }
    var derived = 0
    let rounds = Set(candidates.map(\.kdfIterations)).reduce(0) { $0.addingReportingOverflow($1).0 }
    for (variant, also, key) in key.variants() {
      try cancellation.check()
      if !isFree(key) {
        derived += 1
        guard depth == .derivations, derived <= Self.mostDerived,
          rounds <= Self.mostRounds / derived
        else { continue }
      }
      var trials = DetectionTrials(
        material: key, size: trials.size, deriver: trials.deriver)
      let profiles = candidates + (isFree(key) ? others : [])
      if var fit = try fit(variant, &trials, profiles, salt: settings.salt, read) {
        fit.also = also
        return fit
      }
    }
    return nil
  }

  private func isFree(_ key: KeyMaterial) -> Bool {
    if case .raw = key.kind { return true }
    return false
  }

  private func fit(
    _ variant: KeyVariant, _ trials: inout DetectionTrials, _ profiles: [CipherProfile],
    salt: [UInt8]?, _ read: Detection.RawRead, isKeyProven: Bool = false
  ) throws -> KeyFit? {
    // Page 1 alone is no witness where its header is plain and nothing is tagged.
    let profiles = profiles.filter {
      isKeyProven || $0.hmacAlgorithm != nil || $0.plaintextHeader == 0
    }
    do {
      let outcome = try Detection.detect(
        candidates: profiles, &trials, salt: salt, limit: 1, read: read)
      guard case .fits(let cipher) = outcome else { return nil }
      return Self.fit(variant, cipher.profile)
    } catch SealError.badProfile {
      // A salt that goes with the key as it was given, and not with this reading.
      return nil
    }
  }

  /// Which other size of the plaintext header makes page 1 fit, with everything else as it is in one of
  /// `profiles`. That costs no derivation. `isKeyProven`: another page has spoken for the key.
  func fit(
    otherHeaderOf profiles: [CipherProfile], _ trials: inout DetectionTrials,
    _ read: Detection.RawRead, isKeyProven: Bool = false
  ) throws -> KeyFit? {
    for var profile in profiles where profile.hmacAlgorithm != nil || isKeyProven {
      let own = profile.plaintextHeader
      let isTagged = profile.hmacAlgorithm != nil
      let most =
        isTagged
        ? min(profile.pageSize, Self.mostHashed / profile.pageSize * 16)
        : Self.longestUntagged + 1
      guard settings.salt != nil || trials.material.salt != nil || !isTagged else { continue }
      for header in stride(from: 16, to: most, by: 16) where header != own {
        profile.plaintextHeader = header
        guard (try? profile.validate()) != nil else { break }
        try cancellation.check()
        let found = try fit(
          .asGiven, &trials, [profile], salt: settings.salt, read, isKeyProven: isKeyProven)
        guard found != nil else { continue }
        // No tag covers the first 16 bytes: of a header, or the salt.
        if header == 16, try !Self.hasMagic(read) { profile.plaintextHeader = 0 }
        var fit = Self.fit(.asGiven, profile)
        fit.plaintextHeader = profile.plaintextHeader
        return fit
      }
    }
    return nil
  }

  private static func hasMagic(_ read: Detection.RawRead) throws -> Bool {
    var start = [UInt8](repeating: 0, count: PageCodec.magic.count)
    return try start.withUnsafeMutableBytes { try read(0, $0) } && start == PageCodec.magic
  }

  /// What `variant` opens with the settings `profile`.
  static func fit(_ variant: KeyVariant, _ profile: CipherProfile) -> KeyFit {
    KeyFit(
      variant: variant, settings: profile.name, format: format(of: profile),
      pageSize: profile.pageSize, kdfIterations: profile.kdfIterations)
  }

  /// The format that a profile is, with another page size and number of rounds at most. With its own
  /// rounds before that: format 2 is format 3 with fewer.
  private static func format(of profile: CipherProfile) -> Int? {
    let formats = CipherProfile.formatNumbers.compactMap { number in
      CipherProfile.format(number).map { (number, $0) }
    }
    func first(withRounds rounds: (CipherProfile) -> Int) -> Int? {
      formats.first { _, format in
        var base = format
        base.pageSize = profile.pageSize
        base.kdfIterations = rounds(format)
        return base == profile
      }?.0
    }
    return first { $0.kdfIterations } ?? first { _ in profile.kdfIterations }
  }

  /// What comes of an older engine that was given the numbers of format 4 and ignored its hashes
  /// (github.com/sqlcipher/sqlcipher/issues/363), and of format 4 with the rounds of format 3.
  private static let mixtures: [CipherProfile] = [
    (CipherProfile.format(3), 4096, 256_000), (CipherProfile.format(4), 4096, 64_000),
  ].compactMap { base, pageSize, rounds in
    guard var profile = base else { return nil }
    profile.pageSize = pageSize
    profile.kdfIterations = rounds
    return profile
  }

  /// The four formats, with their own page sizes first.
  private static func common(upTo size: UInt64) -> [CipherProfile] {
    let formats = CipherProfile.formatNumbers.compactMap(CipherProfile.format)
    let sizes = (9...16).map { 1 << $0 }
    let others = formats.flatMap { base in
      sizes.filter { $0 != base.pageSize }.map { pageSize in
        var profile = base
        profile.pageSize = pageSize
        return profile
      }
    }
    return (formats + others).filter { UInt64($0.pageSize) <= size && (try? $0.validate()) != nil }
  }
}
