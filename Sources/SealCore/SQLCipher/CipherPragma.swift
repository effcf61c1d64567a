// The closed list of cipher settings that may be sent to the engine, each with the form of its
// values and of its answer. Nothing outside of this list becomes SQL text.

/// A PRAGMA of SQLCipher that changes how a database is read.
enum CipherPragma: String, CaseIterable, Sendable {
  case compatibility = "cipher_compatibility"
  case pageSize = "cipher_page_size"
  case kdfIterations = "kdf_iter"
  case kdfAlgorithm = "cipher_kdf_algorithm"
  case useHMAC = "cipher_use_hmac"
  case hmacAlgorithm = "cipher_hmac_algorithm"
  case hmacPageNumber = "cipher_hmac_pgno"
  case hmacSaltMask = "cipher_hmac_salt_mask"
  case fastKDFIterations = "fast_kdf_iter"
  case plaintextHeader = "cipher_plaintext_header_size"
  case salt = "cipher_salt"

  /// The oldest SQLCipher that has it.
  var since: String {
    switch self {
    case .compatibility, .kdfAlgorithm, .hmacAlgorithm, .plaintextHeader, .salt: "4.0"
    case .pageSize, .kdfIterations, .useHMAC, .hmacPageNumber, .hmacSaltMask, .fastKDFIterations:
      "2.1"
    }
  }

  /// The value in the one form in which it is sent; nil if it cannot be one.
  func normalized(_ value: String) -> String? {
    var text = Substring(value)
    if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    switch self {
    case .compatibility: return Self.number(text, in: 1...4)
    case .pageSize:
      return Self.number(text, in: 512...65536).flatMap { number in
        (Int(number) ?? 0).nonzeroBitCount == 1 ? number : nil
      }
    case .kdfIterations, .fastKDFIterations: return Self.number(text, in: 1...Int(Int32.max))
    case .plaintextHeader: return Self.number(text, in: 0...65536)
    case .useHMAC: return ["0": "0", "off": "0", "1": "1", "on": "1"][text.lowercased()]
    case .hmacPageNumber: return Self.word(text, of: ["le", "be", "native"])
    case .hmacAlgorithm: return Self.word(text, of: Self.hashes.map { "HMAC_" + $0 })
    case .kdfAlgorithm: return Self.word(text, of: Self.hashes.map { "PBKDF2_HMAC_" + $0 })
    case .hmacSaltMask: return Self.hexBlob(text, bytes: 1)
    case .salt: return Self.hexBlob(text, bytes: 16)
    }
  }

  /// What reading the setting answers once `value`, a normalized one, is in force. Nil: it cannot
  /// be read.
  func answer(to value: String) -> String? {
    switch self {
    case .compatibility: nil
    case .hmacSaltMask, .salt: String(value.dropFirst(2).dropLast())
    default: value
    }
  }

  /// The SQL that sets it to a normalized value.
  func sql(_ value: String) -> String { "PRAGMA \(rawValue) = \"\(value)\"" }

  /// What makes SQLCipher 3 read formats 1 to 3; nil for others. The same as
  /// `cipher_compatibility` does in SQLCipher 4, less the hashes, of which 3 has one.
  static func spelledOut(format: Int) -> [(name: String, value: String)]? {
    guard (1...3).contains(format) else { return nil }
    return [
      (pageSize.rawValue, "1024"), (kdfIterations.rawValue, format == 3 ? "64000" : "4000"),
      (useHMAC.rawValue, format == 1 ? "0" : "1"),
    ]
  }

  /// A salt mask as `normalized` gives it.
  static func maskText(_ mask: UInt8) -> String {
    let digits = Array("0123456789abcdef")
    return "x'\(digits[Int(mask >> 4)])\(digits[Int(mask & 15)])'"
  }

  private static let hashes = ["SHA1", "SHA256", "SHA512"]

  private static func number(_ text: Substring, in range: ClosedRange<Int>) -> String? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard let number = Int(text), range.contains(number) else { return nil }
    return String(number)
  }

  private static func word(_ text: Substring, of words: [String]) -> String? {
    words.first { $0.lowercased() == text.lowercased() }
  }

  private static func hexBlob(_ text: Substring, bytes: Int) -> String? {
    let all = Array(text.lowercased().utf8)
    guard all.count == bytes * 2 + 3, all[0] == 0x78, all[1] == 0x27, all[all.count - 1] == 0x27
    else { return nil }
    let digits = all[2..<(all.count - 1)]
    guard digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
      return nil
    }
    return String(decoding: all, as: UTF8.self)
  }
}
