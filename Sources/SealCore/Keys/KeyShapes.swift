// What a passphrase looks like that may not be meant as one: the form in which something else keeps a key,
// or what stands where a key should. Found byte by byte, without a String.

extension KeyMaterial {
  /// Why a passphrase may not be what its owner thinks it is: another reading that the bytes have,
  /// something around them, or what they look like; nil where `--passphrase` said that they are meant.
  public var oddity: KeyOddity? {
    guard case .passphrase(let bytes) = kind, !isAsTyped else { return nil }
    if isFileName { return .shape(.path) }
    if looksRaw { return .reading(.raw) }
    let isText = bytes.withBytes { text in text.allSatisfy { $0 >= 0x20 || 0x09...0x0d ~= $0 } }
    for (variant, cut) in KeyBytes.cuts {
      guard cut(bytes) != nil else { continue }
      switch variant {
      case .fromUTF16, .withoutMark: return .reading(variant)
      // Bytes of any kind end so now and then.
      case .withoutNewline, .withoutReturn, .withoutBlanks, .withoutQuotes, .withoutStatement:
        if isText { return .reading(variant) }
      default: break
      }
    }
    if KeyBytes.rawDigits(bytes) != nil { return .reading(.digitsAsRaw) }
    switch shape {
    case .json, .placeholder, .controls, .encrypted, .path: return shape.map { .shape($0) }
    // A digit that was lost, and not a hash that somebody uses as a passphrase.
    case .hex where Self.digitCounts.contains(where: { abs($0 - bytes.count) <= 2 }):
      return .shape(.hex)
    case .hex, .base64, .realm, .notASCII, nil: return nil
    }
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
      if KeyForm.isEncryptedText(text) { return .encrypted }
      if isRealmKey(text, bytes) { return .realm }
      if KeyForm.isJSON(text) { return .json }
      if isPlaceholder(text) { return .placeholder }
      if hasControls(text) { return .controls }
      if text.contains(where: { $0 >= 0x80 }) { return .notASCII }
      let isHex = text.allSatisfy { KeyBytes.nibble($0) != nil }
      if isHex { return text.count >= 32 && !digitCounts.contains(text.count) ? .hex : nil }
      let hasBoth = text.contains { 0x41...0x5a ~= $0 } && text.contains { 0x61...0x7a ~= $0 }
      let isBase64 = text.count >= 22 && hasBoth && KeyBytes.bytes(ofBase64: bytes) != nil
      return isBase64 && (text.last == 0x3d || text.contains { 0x30...0x39 ~= $0 }) ? .base64 : nil
    }
  }

  /// What programs and templates leave where a value is missing, hidden or was not put in.
  private static func isPlaceholder(_ text: UnsafeRawBufferPointer) -> Bool {
    if !text.isEmpty, text.allSatisfy({ $0 == 0x2a }) { return true }
    let words: [StaticString] = ["null", "undefined", "none", "nil", "[masked]"]
    if words.contains(where: { word in
      text.count == word.utf8CodeUnitCount
        && zip(text, KeyBytes.bytes(word)).allSatisfy {
          0x41...0x5a ~= $0 ? $0 | 0x20 == $1 : $0 == $1
        }
    }) {
      return true
    }
    let marks: [(start: StaticString, end: StaticString, isName: Bool)] = [
      ("${{", "}}", false), ("{{", "}}", false), ("${", "}", true), ("$(", ")", true),
      ("%", "%", true), ("$", "", true),
    ]
    return marks.contains { start, end, isName in
      let (start, end) = (KeyBytes.bytes(start), KeyBytes.bytes(end))
      guard text.count > start.count + end.count, text.starts(with: start),
        text.suffix(end.count).elementsEqual(end)
      else { return false }
      let inner = text[start.count..<(text.count - end.count)]
      return !isName || inner.allSatisfy(isOfName) && !(0x30...0x39 ~= inner[inner.startIndex])
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte || byte == 0x5f
  }

  /// Text in which characters stand that are no text, as an arrow key or a second line leaves them.
  private static func hasControls(_ text: UnsafeRawBufferPointer) -> Bool {
    guard KeyBytes.isUTF8(text) else { return false }
    let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0d ~= byte }
    guard let first = text.firstIndex(where: { !isBlank($0) }),
      let last = text.lastIndex(where: { !isBlank($0) })
    else { return false }
    let controls = text[first...last].count { $0 < 0x20 || $0 == 0x7f }
    // More of them are bytes of any kind.
    return controls > 0 && 4 * controls <= text.count
  }
}
