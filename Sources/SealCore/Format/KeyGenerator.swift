// Keys that nobody can guess, made of the generator that keys are for. They are texts, so that every
// place that keeps keys can keep them.

/// Makes keys.
public enum KeyGenerator {
  /// 32 characters, none of which is taken for another: five bits each.
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
  private static let groups = 7
  private static let groupLength = 4

  /// What a guesser has to try of a generated passphrase: two to this power.
  public static let passphraseBits = 5 * groups * groupLength

  /// A raw key of 256 bits as `x'…'`, with a salt of its own where that is asked for. Throws
  /// `.unsupported(.crypto)`.
  public static func rawKey(withSalt: Bool) throws -> Secret {
    KeyMaterial.rawText(try LibCrypto.randomSecret(withSalt ? 48 : 32))
  }

  /// A passphrase of groups of letters and digits. Throws `.unsupported(.crypto)`.
  public static func passphrase() throws -> Secret {
    let random = try LibCrypto.randomSecret(groups * groupLength)
    return Secret(count: groups * (groupLength + 1) - 1) { out in
      random.withBytes { random in
        for (index, byte) in random.enumerated() {
          out[index + index / groupLength] = alphabet[Int(byte) % alphabet.count]
        }
      }
      for place in stride(from: groupLength, to: out.count, by: groupLength + 1) {
        out[place] = UInt8(ascii: "-")
      }
    }
  }
}
