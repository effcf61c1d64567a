// What a user gives as a key, understood once: a passphrase, or raw key bytes with or without an
// HMAC key and a salt. The rules are SQLCipher's own, made strict: what SQLCipher would silently
// take for a passphrase although it was meant as a raw key is refused.

/// The key of a database, before any derivation.
public struct KeyMaterial: Sendable {
  public enum Kind: Sendable {
    /// Bytes for PBKDF2, from 1 byte to 1 MiB.
    case passphrase(Secret)
    /// 32 key bytes; optionally 32 HMAC key bytes (SQLCipher 4.7) and a 16-byte salt.
    case raw(key: Secret, hmacKey: Secret?, salt: [UInt8]?)
  }

  /// How the bytes are to be taken.
  public enum Reading: Sendable {
    /// `x'…'` of 64, 96 or 160 digits is raw, another `x'` is refused, all else is a passphrase.
    case automatic
    /// 64, 96 or 160 hex digits, bare or in `x'…'`; all else is refused.
    case raw
    /// As typed, whatever it looks like.
    case passphrase
  }

  /// How many digits a raw key has: the key, with a salt, with an HMAC key and a salt.
  public static let digitCounts = [64, 96, 160]
  /// The longest key that is taken, in bytes.
  public static let limit = 1 << 20

  public let kind: Kind
  /// Taken as a passphrase, although it is 64, 96 or 160 bare hex digits.
  public let looksRaw: Bool
  /// A file is called so, as far as that was looked for.
  var isFileName = false
  /// Meant as typed, whatever it looks like.
  let isAsTyped: Bool
  /// The bytes as they were given, as `sqlite3_key_v2` wants them (`x'…'` for a raw key).
  public let engineKey: Secret

  /// It is used as it is.
  public var isRaw: Bool {
    if case .raw = kind { true } else { false }
  }

  /// Understands `bytes`. Throws `SealError.badKey`.
  public init(_ bytes: Secret, as reading: Reading = .automatic) throws {
    guard bytes.count > 0 else { throw SealError.badKey(.empty) }
    guard bytes.count <= Self.limit else { throw SealError.badKey(.tooLong(limit: Self.limit)) }
    let (inner, quoted, isHex) = bytes.withBytes { Self.digits(in: $0) }
    let startsRaw = bytes.withBytes { $0.count >= 2 && ($0[0] | 0x20) == 0x78 && $0[1] == 0x27 }
    // Of bytes that are nothing but digits, how many.
    let number: Int? = bytes.withBytes { text in
      let digits = startsRaw && !quoted ? text[2...] : text[inner]
      return digits.isEmpty || !Self.isHex(digits) ? nil : digits.count
    }
    switch reading {
    case .raw where !isHex:
      throw SealError.badKey(
        .rawMalformed(
          characters: inner.count, digits: number, shape: Self.shape(of: bytes),
          without: Self.cut(bytes)))
    case .automatic where startsRaw && !(quoted && isHex):
      throw SealError.badKey(
        .rawAmbiguous(
          characters: quoted ? inner.count : bytes.count - 2, digits: number, isClosed: quoted,
          without: Self.cut(bytes)))
    case .passphrase where bytes.withBytes({ Self.engineTakesAsRaw($0) }):
      throw SealError.badKey(.passphraseTakenRaw)
    default: break
    }
    isAsTyped = reading == .passphrase
    let takesRaw = isHex && (reading == .raw || (reading == .automatic && quoted))
    guard takesRaw else {
      kind = .passphrase(bytes)
      looksRaw = isHex
      engineKey = bytes
      return
    }
    let digits = bytes.slice(inner)
    let raw = KeyBytes.bytes(ofHex: digits) ?? digits
    looksRaw = false
    engineKey = Self.quoted(digits)
    let salt = raw.count > 32 ? raw.withBytes { Array($0.suffix(16)) } : nil
    let hmacKey = raw.count == 80 ? raw.slice(32..<64) : nil
    kind = .raw(key: raw.slice(0..<32), hmacKey: hmacKey, salt: salt)
  }

  /// A key of 32 bytes that was derived, with the salt that it was derived over: as a raw key of 96
  /// digits it opens the same database without another derivation.
  init(derived key: Secret, salt: [UInt8]) {
    kind = .raw(key: key, hmacKey: nil, salt: salt)
    looksRaw = false
    isAsTyped = false
    let whole = Secret(count: key.count + salt.count) { out in
      key.withBytes { out.copyMemory(from: $0) }
      for (index, byte) in salt.enumerated() { out[key.count + index] = byte }
    }
    engineKey = Self.rawText(whole)
  }

  /// Bytes as the text of a raw key: `x'…'`.
  static func rawText(_ bytes: Secret) -> Secret { quoted(KeyBytes.hex(of: bytes)) }

  /// Digits as `x'…'`.
  private static func quoted(_ digits: Secret) -> Secret {
    Secret(count: digits.count + 3) { out in
      out[0] = 0x78
      out[1] = 0x27
      digits.withBytes { UnsafeMutableRawBufferPointer(rebasing: out[2...]).copyMemory(from: $0) }
      out[out.count - 1] = 0x27
    }
  }

  /// The salt that the raw key carries, 16 bytes.
  public var salt: [UInt8]? {
    if case .raw(_, _, let salt) = kind { return salt }
    return nil
  }

  /// Where the digits are, whether they are in `x'…'`, and whether they make a raw key.
  static func digits(in b: UnsafeRawBufferPointer) -> (
    range: Range<Int>, areQuoted: Bool, areRaw: Bool
  ) {
    let quoted = isQuoted(b)
    let inner = quoted ? 2..<(b.count - 1) : 0..<b.count
    return (inner, quoted, digitCounts.contains(inner.count) && isHex(b[inner]))
  }

  private static func isQuoted(_ b: UnsafeRawBufferPointer) -> Bool {
    b.count >= 3 && (b[0] | 0x20) == 0x78 && b[1] == 0x27 && b[b.count - 1] == 0x27
  }

  /// Whether SQLCipher takes the bytes as a raw key whatever is meant: 4.6 looks at `x'`, the digits
  /// and the length and not at the last character, as 4.19 does; 160 digits count since 4.7.
  private static func engineTakesAsRaw(_ b: UnsafeRawBufferPointer) -> Bool {
    guard [67, 99, 163].contains(b.count), (b[0] | 0x20) == 0x78, b[1] == 0x27 else { return false }
    return isHex(b[2..<(b.count - 1)])
  }

  private static func isHex(_ b: Slice<UnsafeRawBufferPointer>) -> Bool {
    b.allSatisfy { KeyBytes.nibble($0) != nil }
  }
}
