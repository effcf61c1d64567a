// What a user may have meant by a key that opens nothing: the same bytes without what a file, a
// shell or an editor added, or read in another way. All are made without a String, and none is kept.

extension KeyMaterial {
  /// Another reading, and what had to be cut off before.
  typealias Variant = (variant: KeyVariant, also: [KeyVariant], key: KeyMaterial)

  /// Other readings of the bytes, the likeliest first. Few: each costs a derivation or two.
  func variants() -> [Variant] {
    var found: [Variant] = []
    var also: [KeyVariant] = []
    func add(_ variant: KeyVariant, _ bytes: Secret?, as reading: Reading = .automatic) {
      guard let bytes, let key = try? KeyMaterial(bytes, as: reading),
        !found.contains(where: { $0.key.engineKey.isEqual(to: key.engineKey) })
      else { return }
      found.append((variant, also, key))
    }
    switch kind {
    case .raw(let key, _, let salt):
      let digits = engineKey.slice(2..<(engineKey.count - 1))
      if salt != nil { add(.withoutSalt, digits.slice(0..<64), as: .raw) }
      add(.passphrase, digits, as: .passphrase)
      if salt == nil { add(.bytesOfDigits, key, as: .passphrase) }
    case .passphrase(let bytes):
      if looksRaw { add(.raw, bytes, as: .raw) }
      if bytes.count >= Self.shortestEncoded, let decoded = KeyBytes.bytes(ofHex: bytes) {
        add(.bytesOfDigits, decoded, as: .passphrase)
        add(.firstBytes, Self.firstBytes(decoded), as: .passphrase)
      }
      if [32, 48, 80].contains(bytes.count) { add(.bytesAsRaw, KeyBytes.hex(of: bytes), as: .raw) }
      if bytes.count >= Self.shortestEncoded, let decoded = KeyBytes.bytes(ofBase64: bytes) {
        if decoded.count == 32 { add(.base64AsRaw, KeyBytes.hex(of: decoded), as: .raw) }
        add(.bytesOfBase64, decoded, as: .passphrase)
      }
      var plain = bytes
      for (variant, cut) in KeyBytes.cuts {
        guard let shorter = cut(plain), shorter.count > 0 else { continue }
        plain = shorter
        add(variant, plain)
        also.append(variant)
      }
      for (variant, change) in KeyBytes.encodings { add(variant, change(plain)) }
      also = []
      add(.digitsAsRaw, KeyBytes.rawDigits(bytes), as: .raw)
      if bytes.withBytes({ text in text.contains { $0 < 0x20 } || !KeyBytes.isUTF8(text) }) {
        add(.firstBytes, Self.firstBytes(bytes), as: .passphrase)
      }
      if plain === bytes { add(.withNewline, KeyBytes.withNewline(bytes), as: .passphrase) }
      // HMAC pads keys with zeros up to its block, so one of them stands for 64 at least.
      add(.cleared, Secret(count: 1) { $0[0] = 0 }, as: .passphrase)
    }
    return found
  }

  /// What `PRAGMA hexkey` takes of bytes; nil where that is all of them.
  private static func firstBytes(_ bytes: Secret) -> Secret? {
    bytes.count > 40 ? bytes.slice(0..<40) : nil
  }

  /// Fewer digits, or letters of base64, than this are a word rather than the form of a key.
  private static let shortestEncoded = 12

  /// What makes a raw key of bytes that are none, if it is cut off.
  static func cut(_ bytes: Secret) -> KeyVariant? {
    var plain = bytes
    for (variant, cut) in KeyBytes.cuts {
      guard let shorter = cut(plain), shorter.count > 0 else { continue }
      plain = shorter
      if plain.withBytes({ digits(in: $0).areRaw }) { return variant }
    }
    return KeyBytes.rawDigits(bytes) == nil ? nil : .digitsAsRaw
  }

  /// Why a passphrase may not be what its owner thinks it is: another reading that the bytes have,
  /// or something around them; nil where `--passphrase` said that they are meant.
  var oddity: KeyVariant? {
    guard case .passphrase(let bytes) = kind, !isAsTyped else { return nil }
    if looksRaw { return .raw }
    let isText = bytes.withBytes { text in text.allSatisfy { $0 >= 0x20 || 0x09...0x0d ~= $0 } }
    for (variant, cut) in KeyBytes.cuts {
      guard cut(bytes) != nil else { continue }
      switch variant {
      case .fromUTF16, .withoutMark: return variant
      // Bytes of any kind end so now and then.
      case .withoutNewline, .withoutBlanks, .withoutQuotes, .withoutStatement:
        if isText { return variant }
      default: break
      }
    }
    return KeyBytes.rawDigits(bytes) == nil ? nil : .digitsAsRaw
  }

  /// What the key looks like, where apps keep keys so and use them otherwise.
  var shape: KeyShape? {
    if case .passphrase(let bytes) = kind { Self.shape(of: bytes) } else { nil }
  }

  /// Whether they are, or stand for, as many bytes as a key of Realm's has. 64 letters are words.
  private static func isRealmKey(_ text: UnsafeRawBufferPointer, _ bytes: Secret) -> Bool {
    switch text.count {
    case 64: text.contains { $0 < 0x20 } || !KeyBytes.isUTF8(text)
    case 128: text.allSatisfy { KeyBytes.nibble($0) != nil }
    case 86...88: KeyBytes.bytes(ofBase64: bytes)?.count == 64
    default: false
    }
  }

  /// What a passphrase looks like.
  static func shape(of bytes: Secret) -> KeyShape? {
    bytes.withBytes { text in
      // v10 and v11 in hex and base64 (Electron), and the provider's number of a DPAPI blob.
      let encrypted: [StaticString] = [
        "763130", "763131", "djEw", "djEx", "v10", "v11", "01000000d08c9ddf", "01000000D08C9DDF",
        "AQAAANCMnd8", "RFBBUEk",
      ]
      let isLong = text.count >= 48
      if isLong, encrypted.contains(where: { start in text.starts(with: KeyBytes.bytes(start)) }) {
        return .encrypted
      }
      if isRealmKey(text, bytes) { return .realm }
      if text.contains(where: { $0 >= 0x80 }) { return .notASCII }
      let isHex = text.allSatisfy { KeyBytes.nibble($0) != nil }
      if isHex { return text.count >= 32 && ![64, 96, 160].contains(text.count) ? .hex : nil }
      let hasBoth = text.contains { 0x41...0x5a ~= $0 } && text.contains { 0x61...0x7a ~= $0 }
      let isBase64 = text.count >= 22 && hasBoth && KeyBytes.bytes(ofBase64: bytes) != nil
      return isBase64 && (text.last == 0x3d || text.contains { 0x30...0x39 ~= $0 }) ? .base64 : nil
    }
  }
}
