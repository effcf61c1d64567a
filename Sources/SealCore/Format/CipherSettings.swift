// The cipher settings that a user named, each optional. Laid over a format's defaults they make a
// profile; what was left out stays the format's.

/// A partial set of cipher settings.
public struct CipherSettings: Sendable, Equatable {
  /// The choice of a page tag: none is a choice too.
  public enum Tag: Sendable, Equatable {
    case none
    case hmac(HashAlgorithm)
  }

  /// 1 to 4.
  public var format: Int?
  public var pageSize: Int?
  public var kdfAlgorithm: HashAlgorithm?
  public var kdfIterations: Int?
  public var tag: Tag?
  public var pageNumberOrder: PageNumberOrder?
  public var saltMask: UInt8?
  public var fastKDFIterations: Int?
  public var plaintextHeader: Int?
  /// 16 bytes: for a file that holds no salt of its own, or the salt to write.
  public var salt: [UInt8]?

  public init() {}

  /// Nothing was named except, possibly, the salt.
  public var isDetecting: Bool {
    var other = self
    other.salt = nil
    return other == CipherSettings()
  }

  /// What was written where these were asked for and `source` was read: where no format is named,
  /// what is left out is the source's, but for the salt.
  public func filled(from source: CipherSettings) -> CipherSettings {
    guard format == nil else { return self }
    var filled = self
    filled.format = source.format
    filled.pageSize = pageSize ?? source.pageSize
    filled.kdfAlgorithm = kdfAlgorithm ?? source.kdfAlgorithm
    filled.kdfIterations = kdfIterations ?? source.kdfIterations
    filled.tag = tag ?? source.tag
    filled.pageNumberOrder = pageNumberOrder ?? source.pageNumberOrder
    filled.saltMask = saltMask ?? source.saltMask
    filled.fastKDFIterations = fastKDFIterations ?? source.fastKDFIterations
    filled.plaintextHeader = plaintextHeader ?? source.plaintextHeader
    return filled
  }

  /// The profile: `base`, or the defaults of `format` where one is named, with these on top.
  /// Throws `SealError.badProfile`.
  public func profile(over base: CipherProfile = .format4) throws -> CipherProfile {
    var profile = format.flatMap(CipherProfile.format) ?? base
    if let pageSize { profile.pageSize = pageSize }
    if let kdfAlgorithm { profile.kdfAlgorithm = kdfAlgorithm }
    if let kdfIterations { profile.kdfIterations = kdfIterations }
    switch tag {
    case nil: break
    case .some(.none): profile.hmacAlgorithm = nil
    case .some(.hmac(let algorithm)): profile.hmacAlgorithm = algorithm
    }
    if let pageNumberOrder { profile.pageNumberOrder = pageNumberOrder }
    if let saltMask { profile.saltMask = saltMask }
    if let fastKDFIterations { profile.fastKDFIterations = fastKDFIterations }
    if let plaintextHeader { profile.plaintextHeader = plaintextHeader }
    if let salt, salt.count != 16 { throw SealError.badProfile(.saltLength(salt.count)) }
    try profile.validate()
    return profile
  }

  /// The profiles to try when reading: the one named, or the four formats, newest first, each with
  /// the named settings on top (those that the settings make impossible are left out).
  public func candidates() throws -> [CipherProfile] {
    if format != nil { return [try profile()] }
    let formats = CipherProfile.formatNumbers.compactMap(CipherProfile.format)
    var found: [CipherProfile] = []
    var firstError: (any Error)?
    for base in formats {
      do {
        let candidate = try profile(over: base)
        if !found.contains(candidate) { found.append(candidate) }
      } catch { firstError = firstError ?? error }
    }
    if found.isEmpty, let firstError { throw firstError }
    return found
  }
}
