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
      // Of bytes that were taken as text, what looked like the end of a line is gone.
      let isText = bytes.withBytes(KeyForm.isUTF8)
      if !isText {
        let cuts = also
        also = []
        add(.withNewline, KeyBytes.with("\n", behind: bytes), as: .passphrase)
        add(.withReturn, KeyBytes.with("\r\n", behind: bytes), as: .passphrase)
        also = cuts
      }
      for (variant, change) in KeyBytes.encodings { add(variant, change(plain)) }
      also = []
      add(.digitsAsRaw, KeyBytes.rawDigits(bytes), as: .raw)
      if !isText || bytes.withBytes({ text in text.contains { $0 < 0x20 } }) {
        add(.firstBytes, Self.firstBytes(bytes), as: .passphrase)
      }
      if plain === bytes, isText {
        add(.withNewline, KeyBytes.with("\n", behind: bytes), as: .passphrase)
      }
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
}
