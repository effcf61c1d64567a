// What stands around a key that was copied, exported or typed: line ends, quotes, a statement, the
// marks of an editor. Cut off byte by byte, inside Secrets.

extension KeyBytes {
  /// What can stand around a key, from the outside in.
  static let cuts: [(KeyVariant, Change)] = [
    (.fromUTF16, fromUTF16),
    (
      .withoutMark,
      { $0.withBytes { $0.starts(with: [0xef, 0xbb, 0xbf]) } ? $0.slice(3..<$0.count) : nil }
    ),
    (.withoutNewline, withoutLineEnd),
    (.withoutReturn, { $0.withBytes { $0.last == 0x0d } ? $0.slice(0..<($0.count - 1)) : nil }),
    (.withoutNewlines, { trimmed($0, start: false) { $0 == 0x0a || $0 == 0x0d } }),
    (.withoutStatement, withoutStatement),
    (.withoutBlanks, { trimmed($0, start: true, isBlank) }),
    (.withoutSemicolon, { trimmed($0, start: false) { $0 == 0x3b } }),
    (.withoutQuotes, withoutQuotes),
    (.undoubled, undoubled),
  ]

  private static func trimmed(
    _ key: Secret, start: Bool, _ isCut: (UInt8) -> Bool
  ) -> Secret? {
    let range = key.withBytes { bytes in
      let first = start ? bytes.firstIndex { !isCut($0) } ?? bytes.count : 0
      let last = bytes.lastIndex { !isCut($0) } ?? -1
      return first..<max(first, last + 1)
    }
    return range.count == key.count ? nil : key.slice(range)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }

  /// Exactly one LF or CRLF.
  private static let withoutLineEnd: Change = { key in
    let count = key.withBytes { bytes in
      guard bytes.last == 0x0a else { return bytes.count }
      let count = bytes.count - 1
      return count > 0 && bytes[count - 1] == 0x0d ? count - 1 : count
    }
    return count == key.count ? nil : key.slice(0..<count)
  }

  private static let withoutQuotes: Change = { key in
    let isQuoted = key.withBytes { bytes in
      guard bytes.count > 2, let first = bytes.first, first == bytes.last else { return false }
      return first == 0x22 || first == 0x27
    }
    return isQuoted ? key.slice(1..<(key.count - 1)) : nil
  }

  private static let undoubled: Change = { key in
    let short = rewritten(key) { bytes, index, put in
      put(bytes[index])
      let isDoubled = bytes[index] == 0x27 && index + 1 < bytes.count && bytes[index + 1] == 0x27
      return isDoubled ? 2 : 1
    }
    return short?.count == key.count ? nil : short
  }

  /// The value in `PRAGMA key = '...';`, and of a similar statement.
  private static let withoutStatement: Change = { key in
    let range: Range<Int>? = key.withBytes { text in
      let start = text.drop(while: isBlank)
      let word = bytes("pragma")
      guard start.count > word.count, zip(start, word).allSatisfy({ $0 | 0x20 == $1 }) else {
        return nil
      }
      guard let open = start.firstIndex(where: { $0 == 0x22 || $0 == 0x27 }),
        let close = start.lastIndex(of: text[open]), open + 1 < close
      else { return nil }
      return open + 1..<close
    }
    return range.map { key.slice($0) }
  }

  /// UTF-16 text as UTF-8: with a mark, or where each second byte of several is NUL. Pairs that
  /// stand for one character are left to others.
  private static let fromUTF16: Change = { key in
    guard let high = key.withBytes({ highByteOfUTF16($0) }) else { return nil }
    return rewritten(key) { bytes, index, put in
      let unit = UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high])
      if unit == 0xfeff, index == 0 { return 2 }
      guard !(0xd800...0xdfff ~= unit) else { return nil }
      func part(_ shift: UInt16) -> UInt8 { UInt8(unit >> shift & 0x3f) }
      if unit < 0x80 {
        put(UInt8(unit))
      } else if unit < 0x800 {
        put(0xc0 | part(6))
        put(0x80 | part(0))
      } else {
        put(0xe0 | UInt8(unit >> 12))
        put(0x80 | part(6))
        put(0x80 | part(0))
      }
      return 2
    }
  }

  /// Which byte of each two is the high one (0 or 1), where the bytes look like UTF-16.
  static func highByteOfUTF16(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count % 2 == 0, bytes.count >= 4 else { return nil }
    if bytes.starts(with: [0xff, 0xfe]) { return 1 }
    if bytes.starts(with: [0xfe, 0xff]) { return 0 }
    return [1, 0].first { high in
      stride(from: 0, to: bytes.count, by: 2).allSatisfy { index in
        bytes[index + high] == 0 && bytes[index + 1 - high] != 0
      }
    }
  }

  /// The hex digits of a raw key as other tools write them, with `0x` before them, colons or blanks
  /// between them, or quotes around them. nil where something else is in it, or nothing but digits.
  static func rawDigits(_ key: Secret) -> Secret? {
    let digits = rewritten(key) { bytes, index, put in
      let byte = bytes[index]
      let isNext = index + 1 < bytes.count
      if byte == 0x30, isNext, bytes[index + 1] | 0x20 == 0x78 { return 2 }
      if byte | 0x20 == 0x78, isNext, bytes[index + 1] == 0x27 { return 2 }
      if isBlank(byte) || [0x22, 0x27, 0x2c, 0x2d, 0x3a, 0x3b, 0x5f].contains(byte) { return 1 }
      guard nibble(byte) != nil else { return nil }
      put(byte)
      return 1
    }
    guard let digits, [64, 96, 160].contains(digits.count) else { return nil }
    return digits
  }
}

/// What a key looks like before it is one.
public enum KeyForm {
  /// Whether the bytes are UTF-16 text, by their mark or by a NUL in each two.
  public static func isUTF16(_ bytes: UnsafeRawBufferPointer) -> Bool {
    KeyBytes.highByteOfUTF16(bytes) != nil
  }

  /// Whether the bytes are text in UTF-8.
  public static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var (parser, rest) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }

  /// Whether text begins as what other programs encrypted: openssl enc, HashiCorp Vault's transit, SOPS,
  /// Fernet, Ansible, PEM (a certificate or PKCS #7), and systemd-creds under the machine's key.
  public static func isEncryptedText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let starts: [StaticString] = [
      "U2FsdGVkX1", "vault:v", "ENC[", "gAAAAA", "$ANSIBLE_VAULT;", "-----BEGIN ",
      "Whxqht+dQJax1aZeCGLx",
    ]
    return starts.contains { bytes.starts(with: KeyBytes.bytes($0)) }
  }

  /// Whether the bytes look like an object or an array of JSON.
  public static func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0d ~= byte }
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) }), first < last,
      let next = bytes[(first + 1)...last].first(where: { !isBlank($0) })
    else { return false }
    switch (bytes[first], bytes[last]) {
    case (0x7b, 0x7d): return next == 0x22 && bytes[first...last].contains(0x3a)
    case (0x5b, 0x5d): return [0x22, 0x5b, 0x7b].contains(next) || 0x30...0x39 ~= next
    default: return false
    }
  }
}
