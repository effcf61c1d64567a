// A key as it is printed where somebody asked for it: the bytes go from wiped memory to the stream, and
// no String holds them on the way.

internal import SealCore

/// Secrets made printable.
enum SecretText {
  /// The key and a line feed. `forTerminal`: what a terminal would act on is made visible.
  static func line(_ key: Secret, forTerminal: Bool) -> Secret {
    mapped(key, end: [0x0a]) { byte, put in
      guard forTerminal, byte < 0x20 || byte == 0x7f else { return put([byte]) }
      put([0x5c, 0x78] + Hex.digits([byte]))
    }
  }

  /// `object` with the field `key` at its end; where the key is no UTF-8 it is null, and `key_hex`
  /// has its bytes.
  static func line(_ object: JSON, withKey key: Secret) -> Secret {
    let isText = key.withBytes { String(validating: $0, as: UTF8.self) != nil }
    let opening = object.text.dropLast() + (isText ? ",\"key\":\"" : ",\"key\":null,\"key_hex\":\"")
    return mapped(key, start: Array(opening.utf8), end: Array("\"}\n".utf8)) { byte, put in
      if !isText {
        put(Hex.digits([byte]))
      } else if byte < 0x20 || byte == 0x7f {
        put(Array("\\u00".utf8) + Hex.digits([byte]))
      } else {
        put(byte == 0x22 || byte == 0x5c ? [0x5c, byte] : [byte])
      }
    }
  }

  /// `start`, then what `map` puts for each byte, at most six for each, then `end`.
  private static func mapped(
    _ key: Secret, start: [UInt8] = [], end: [UInt8],
    _ map: (UInt8, (_ put: [UInt8]) -> Void) -> Void
  ) -> Secret {
    var count = 0
    let made = Secret(count: start.count + 6 * key.count + end.count) { out in
      func put(_ bytes: [UInt8]) {
        for byte in bytes {
          out[count] = byte
          count += 1
        }
      }
      put(start)
      key.withBytes { bytes in
        for byte in bytes { map(byte, put) }
      }
      put(end)
    }
    return made.slice(0..<count)
  }
}
