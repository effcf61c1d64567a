// Everything that decides how SQLCipher lays an encrypted page out. Nothing of it is recorded in
// the file, so a profile is either one of the four formats' defaults, detected by trying them, or
// given by the user setting by setting.

/// A hash that PBKDF2 and the page tags can use.
public enum HashAlgorithm: String, Sendable, CaseIterable {
  case sha1, sha256, sha512

  /// Length of its tag in bytes.
  public var length: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }
}

/// Order of the four page-number bytes that a page's tag covers.
public enum PageNumberOrder: String, Sendable, CaseIterable {
  case littleEndian = "le"
  case bigEndian = "be"
}

/// The complete cipher settings of a database.
public struct CipherProfile: Sendable, Equatable {
  /// Bytes of a page, a power of two from 512 to 65536.
  public var pageSize: Int
  public var kdfAlgorithm: HashAlgorithm
  /// PBKDF2 rounds for a passphrase.
  public var kdfIterations: Int
  /// The hash of the page tags; nil is a database without tags (format 1).
  public var hmacAlgorithm: HashAlgorithm?
  public var pageNumberOrder: PageNumberOrder
  /// XORed with every byte of the salt for the derivation of the HMAC key.
  public var saltMask: UInt8
  /// PBKDF2 rounds for the HMAC key.
  public var fastKDFIterations: Int
  /// Bytes at the start of the file that stay plain: 0 or a multiple of 16.
  public var plaintextHeader: Int

  /// The numbers of all formats, the newest first: the order in which they are tried.
  public static let formatNumbers = [4, 3, 2, 1]

  /// A format's number to its defaults. Source: SQLCipher's `cipher_compatibility`.
  public static func format(_ number: Int) -> CipherProfile? {
    switch number {
    case 1: CipherProfile(1024, .sha1, 4_000, nil)
    case 2: CipherProfile(1024, .sha1, 4_000, .sha1)
    case 3: CipherProfile(1024, .sha1, 64_000, .sha1)
    case 4: CipherProfile(4096, .sha512, 256_000, .sha512)
    default: nil
    }
  }

  private init(_ pageSize: Int, _ kdf: HashAlgorithm, _ rounds: Int, _ hmac: HashAlgorithm?) {
    self.pageSize = pageSize
    kdfAlgorithm = kdf
    kdfIterations = rounds
    hmacAlgorithm = hmac
    pageNumberOrder = .littleEndian
    saltMask = 0x3a
    fastKDFIterations = 2
    plaintextHeader = 0
  }

  /// SQLCipher 4's defaults.
  public static let format4 = CipherProfile(4096, .sha512, 256_000, .sha512)

  /// Bytes at the end of a page that the codec keeps: the IV and the tag, rounded up to 16.
  public var reserve: Int { (16 + (hmacAlgorithm?.length ?? 0) + 15) / 16 * 16 }

  /// The format whose defaults these are, the page size included; nil for custom settings.
  public var formatNumber: Int? { Self.formatNumbers.first { Self.format($0) == self } }

  /// `format 4`, `format 3 with page size 4096 and 64000 rounds`: the format with the fewest other
  /// settings, the newest of several.
  public var name: String {
    var name: String?
    var fewest = Int.max
    for number in Self.formatNumbers {
      guard let others = Self.format(number).map(settings(beside:)), others.count < fewest else {
        continue
      }
      fewest = others.count
      let all = others.dropLast(1).joined(separator: ", ")
      let words = [all, others.last ?? ""].filter { !$0.isEmpty }.joined(separator: " and ")
      name = "format \(number)" + (words.isEmpty ? "" : " with \(words)")
    }
    return name ?? "custom settings"
  }

  private static func rounds(_ count: Int) -> String { "\(count) round\(count == 1 ? "" : "s")" }

  /// What differs from `base`, in words.
  private func settings(beside base: CipherProfile) -> [String] {
    var words: [String] = []
    if pageSize != base.pageSize { words.append("page size \(pageSize)") }
    if kdfIterations != base.kdfIterations { words.append(Self.rounds(kdfIterations)) }
    if kdfAlgorithm != base.kdfAlgorithm { words.append("derivation by \(kdfAlgorithm.rawValue)") }
    if hmacAlgorithm != base.hmacAlgorithm {
      words.append(hmacAlgorithm.map { "tags by \($0.rawValue)" } ?? "no tags")
    }
    if pageNumberOrder != base.pageNumberOrder {
      words.append("page numbers in order \(pageNumberOrder.rawValue)")
    }
    if saltMask != base.saltMask {
      words.append("salt mask \(saltMask < 16 ? "0" : "")\(String(saltMask, radix: 16))")
    }
    if fastKDFIterations != base.fastKDFIterations {
      words.append("\(Self.rounds(fastKDFIterations)) for the tags")
    }
    if plaintextHeader != base.plaintextHeader {
      words.append("a plaintext header of \(plaintextHeader)")
    }
    return words
  }

  /// Throws `SealError.badProfile` for settings that cannot work.
  public func validate() throws {
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw SealError.badProfile(.pageSize(pageSize))
    }
    guard pageSize - reserve >= 480 else {
      throw SealError.badProfile(.usableSize(pageSize: pageSize, reserve: reserve))
    }
    guard (1...Int(Int32.max)).contains(kdfIterations) else {
      throw SealError.badProfile(.kdfIterations(kdfIterations))
    }
    guard (1...Int(Int32.max)).contains(fastKDFIterations) else {
      throw SealError.badProfile(.fastKDFIterations(fastKDFIterations))
    }
    guard plaintextHeader >= 0, plaintextHeader % 16 == 0,
      plaintextHeader <= pageSize - reserve - 16
    else { throw SealError.badProfile(.plaintextHeader(plaintextHeader)) }
  }
}
