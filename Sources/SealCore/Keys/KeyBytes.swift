// Keys as text, changed byte by byte inside Secrets: what can be cut off, other encodings, hex and
// base64. A String would compare é and e + U+0301 as equal and could not be wiped.

/// Changes of a key's bytes. nil: this one has nothing to change.
enum KeyBytes {
  typealias Change = @Sendable (Secret) -> Secret?

  /// The same text in other bytes.
  static let encodings: [(KeyVariant, Change)] = [
    (.decomposed, decomposed), (.composed, composed), (.latin1, latin1), (.utf8, utf8),
    (.modifiedUTF8, modifiedUTF8), (.utf16, utf16), (.markedUTF16, markedUTF16),
  ]

  /// With a line end behind it.
  static func with(_ end: StaticString, behind key: Secret) -> Secret {
    Secret(count: key.count + end.utf8CodeUnitCount) { out in
      key.withBytes { out.copyMemory(from: $0) }
      for (index, byte) in bytes(end).enumerated() { out[key.count + index] = byte }
    }
  }

  /// Puts a byte.
  typealias Put = (UInt8) -> Void

  /// Another key; nil where `body` stops or changes nothing. `body` reads at an index, puts at most
  /// two bytes for each that it takes, and says how many it took.
  static func rewritten(
    _ key: Secret, _ body: (UnsafeRawBufferPointer, Int, Put) -> Int?
  ) -> Secret? {
    var count = 0
    var isWhole = true
    let long = Secret(count: 2 * key.count) { out in
      key.withBytes { bytes in
        var index = 0
        while index < bytes.count, isWhole {
          let taken = body(bytes, index) { byte in
            guard count < out.count else { return }
            out[count] = byte
            count += 1
          }
          index += max(1, taken ?? 0)
          isWhole = taken != nil
        }
      }
    }
    let short = long.slice(0..<count)
    return !isWhole || short.isEqual(to: key) ? nil : short
  }

  /// Letters of Latin-1 with an accent: each row has an accent (U+0300 and on), then pairs.
  private static let accents: [(mark: UInt8, letters: StaticString, bases: StaticString)] = [
    (0x80, "\u{c0}\u{c8}\u{cc}\u{d2}\u{d9}\u{e0}\u{e8}\u{ec}\u{f2}\u{f9}", "AEIOUaeiou"),
    (
      0x81, "\u{c1}\u{c9}\u{cd}\u{d3}\u{da}\u{dd}\u{e1}\u{e9}\u{ed}\u{f3}\u{fa}\u{fd}",
      "AEIOUYaeiouy"
    ),
    (0x82, "\u{c2}\u{ca}\u{ce}\u{d4}\u{db}\u{e2}\u{ea}\u{ee}\u{f4}\u{fb}", "AEIOUaeiou"),
    (0x83, "\u{c3}\u{d1}\u{d5}\u{e3}\u{f1}\u{f5}", "ANOano"),
    (
      0x88, "\u{c4}\u{cb}\u{cf}\u{d6}\u{dc}\u{e4}\u{eb}\u{ef}\u{f6}\u{fc}\u{ff}", "AEIOUaeiouy"
    ),
    (0x8a, "\u{c5}\u{e5}", "Aa"), (0xa7, "\u{c7}\u{e7}", "Cc"),
  ]

  private static let decomposed: Change = { key in
    rewritten(key) { bytes, index, put in
      if bytes[index] == 0xc3, index + 1 < bytes.count {
        for (mark, letters, bases) in accents {
          // In UTF-8, each of these letters is 0xc3 and another byte.
          let letters = Self.bytes(letters)
          for at in 0..<letters.count / 2 where letters[2 * at + 1] == bytes[index + 1] {
            put(Self.bytes(bases)[at])
            put(0xcc)
            put(mark)
            return 2
          }
        }
      }
      put(bytes[index])
      return 1
    }
  }

  private static let composed: Change = { key in
    rewritten(key) { bytes, index, put in
      if index + 2 < bytes.count, bytes[index + 1] == 0xcc {
        for (mark, letters, bases) in accents where mark == bytes[index + 2] {
          guard let at = Self.bytes(bases).firstIndex(of: bytes[index]) else { continue }
          put(0xc3)
          put(Self.bytes(letters)[2 * at + 1])
          return 3
        }
      }
      put(bytes[index])
      return 1
    }
  }

  private static let latin1: Change = { key in
    rewritten(key) { bytes, index, put in
      let byte = bytes[index]
      guard byte >= 0x80 else {
        put(byte)
        return 1
      }
      guard byte == 0xc2 || byte == 0xc3, index + 1 < bytes.count,
        0x80...0xbf ~= bytes[index + 1]
      else { return nil }
      put((byte & 3) << 6 | bytes[index + 1] & 0x3f)
      return 2
    }
  }

  /// Only of what is no UTF-8.
  private static let utf8: Change = { key in
    guard key.withBytes({ !isUTF8($0) }) else { return nil }
    return rewritten(key) { bytes, index, put in
      let byte = bytes[index]
      if byte < 0x80 {
        put(byte)
      } else {
        put(0xc0 | byte >> 6)
        put(0x80 | byte & 0x3f)
      }
      return 1
    }
  }

  /// Whether each byte over 0x7f begins or continues a character as in UTF-8.
  static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var open = 0
    for byte in bytes {
      if byte & 0xc0 == 0x80 {
        open -= 1
        if open < 0 { return false }
      } else {
        if open > 0 { return false }
        open = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0
      }
    }
    return open == 0
  }

  /// The bytes of a constant.
  static func bytes(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// The value of a hex digit.
  static func nibble(_ c: UInt8) -> UInt8? {
    switch c {
    case 0x30...0x39: c - 0x30
    case 0x61...0x66: c - 0x61 + 10
    case 0x41...0x46: c - 0x41 + 10
    default: nil
    }
  }

  /// Two digits a byte.
  static func hex(of key: Secret) -> Secret {
    func digit(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? 0x30 : 0x57) }
    return Secret(count: 2 * key.count) { out in
      key.withBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          out[2 * index] = digit(byte >> 4)
          out[2 * index + 1] = digit(byte & 15)
        }
      }
    }
  }

  /// What hex digits stand for; nil where there is something else.
  static func bytes(ofHex digits: Secret) -> Secret? {
    guard digits.count % 2 == 0, digits.withBytes({ $0.allSatisfy { nibble($0) != nil } }) else {
      return nil
    }
    return Secret(count: digits.count / 2) { out in
      digits.withBytes { bytes in
        for index in 0..<out.count {
          out[index] = (nibble(bytes[2 * index]) ?? 0) << 4 | (nibble(bytes[2 * index + 1]) ?? 0)
        }
      }
    }
  }

  /// What base64 stands for, in its usual letters or those for addresses, with or without its end.
  static func bytes(ofBase64 text: Secret) -> Secret? {
    let padding = text.withBytes { $0.reversed().prefix { $0 == 0x3d }.count }
    let count = text.count - padding
    guard padding <= 2, count >= 2, count % 4 != 1,
      padding == 0 || text.count % 4 == 0,
      text.withBytes({ $0.prefix(count).allSatisfy { sextet($0) != nil } })
    else { return nil }
    return Secret(count: count * 3 / 4) { out in
      text.withBytes { bytes in
        for index in 0..<out.count {
          let (group, place) = (index / 3 * 4, index % 3)
          let high = sextet(bytes[group + place]) ?? 0
          let low = sextet(bytes[group + place + 1]) ?? 0
          out[index] = high << UInt8(2 + 2 * place) | low >> UInt8(4 - 2 * place)
        }
      }
    }
  }

  private static func sextet(_ c: UInt8) -> UInt8? {
    switch c {
    case 0x41...0x5a: c - 0x41
    case 0x61...0x7a: c - 0x61 + 26
    case 0x30...0x39: c - 0x30 + 52
    case 0x2b, 0x2d: 62
    case 0x2f, 0x5f: 63
    default: nil
    }
  }
}
