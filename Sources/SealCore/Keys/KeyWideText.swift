// Keys as apps hand them over that think in characters of 16 bits: UTF-16, and the modified UTF-8 of
// Java's native interface (docs.oracle.com: JNI types, "Modified UTF-8 Strings").

extension KeyBytes {
  /// Text in UTF-16, little-endian.
  static let utf16: Change = { key in
    guard key.withBytes({ isUTF8($0) }) else { return nil }
    return rewritten(key) { bytes, index, put in
      let (scalar, length) = scalar(bytes, at: index)
      for unit in units(of: scalar) {
        put(UInt8(truncatingIfNeeded: unit))
        put(UInt8(truncatingIfNeeded: unit >> 8))
      }
      return length
    }
  }

  /// The same behind a byte-order mark, as Foundation writes it.
  static let markedUTF16: Change = { key in
    guard let wide = utf16(key) else { return nil }
    return Secret(count: wide.count + 2) { out in
      out[0] = 0xff
      out[1] = 0xfe
      wide.withBytes { UnsafeMutableRawBufferPointer(rebasing: out[2...]).copyMemory(from: $0) }
    }
  }

  /// Characters beyond U+FFFF as two of three bytes each, and NUL as two bytes.
  static let modifiedUTF8: Change = { key in
    guard key.withBytes({ isUTF8($0) }) else { return nil }
    return rewritten(key) { bytes, index, put in
      let (scalar, length) = scalar(bytes, at: index)
      switch scalar {
      case 0:
        put(0xc0)
        put(0x80)
      case 0x10000...:
        for unit in units(of: scalar) {
          put(0xe0 | UInt8(truncatingIfNeeded: unit >> 12))
          put(0x80 | UInt8(truncatingIfNeeded: unit >> 6) & 0x3f)
          put(0x80 | UInt8(truncatingIfNeeded: unit) & 0x3f)
        }
      default: for at in index..<min(index + length, bytes.count) { put(bytes[at]) }
      }
      return length
    }
  }

  /// The character at an index of UTF-8, and how many bytes it has.
  private static func scalar(_ bytes: UnsafeRawBufferPointer, at index: Int) -> (UInt32, Int) {
    let first = bytes[index]
    let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    guard length > 1 else { return (UInt32(first), 1) }
    let high = UInt32(first) & (0xff >> (UInt32(length) + 1))
    let rest = bytes[(index + 1)..<min(index + length, bytes.count)]
    return (rest.reduce(high) { $0 << 6 | UInt32($1 & 0x3f) }, length)
  }

  private static func units(of scalar: UInt32) -> [UInt16] {
    guard scalar >= 0x10000 else { return [UInt16(truncatingIfNeeded: scalar)] }
    let rest = scalar &- 0x10000
    return [0xd800 | UInt16(truncatingIfNeeded: rest >> 10) & 0x3ff, 0xdc00 | UInt16(rest & 0x3ff)]
  }
}
