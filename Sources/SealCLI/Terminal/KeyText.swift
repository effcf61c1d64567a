// The text rule: what of a file's bytes is the key. One rule for files, descriptors, standard
// input and the output of commands.

internal import SealCore

/// Bytes of a text to the key in it.
enum KeyText {
  /// Drops exactly one final LF or CRLF. Refuses what no single line of text has.
  static func line(of bytes: Secret, from source: KeySource) throws(KeyFailure) -> Secret {
    if let flaw = bytes.withBytes({ flaw(in: $0) }) {
      throw KeyFailure(source: source, flaw: flaw)
    }
    return bytes.slice(0..<bytes.withBytes { length(of: $0) })
  }

  /// The bytes before a final LF or CRLF.
  private static func length(of bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.last == 0x0a else { return bytes.count }
    let count = bytes.count - 1
    return count > 0 && bytes[count - 1] == 0x0d ? count - 1 : count
  }

  /// What the bytes are instead of text in UTF-8: a database, an encrypted file, UTF-16, or an editor's
  /// mark before it.
  static func otherForm(of bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    if let other = mistaken(bytes) { return other }
    if KeyForm.isUTF16(bytes) { return .utf16 }
    let marks: [[UInt8]] = [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]]
    return marks.contains { bytes.starts(with: $0) } ? .byteOrderMark : nil
  }

  /// A file that was named by mistake, by its first bytes.
  static func mistaken(_ bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    database(bytes) ?? OtherFormat.sealer(of: bytes).map { .sealed($0) }
  }

  /// `.database` where they are one of SQLite's.
  static func plainDatabase(_ bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    bytes.starts(with: "SQLite format 3\0".utf8) ? .database(isEncrypted: false) : nil
  }

  /// `.database` where the first bytes, or all, are one: SQLite's begin with its name, encrypted ones are
  /// whole pages of what is no text.
  static func database(_ bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    if let plain = plainDatabase(bytes) { return plain }
    let start = bytes.prefix(4096)
    guard bytes.count >= 512, bytes.count % 512 == 0, !KeyForm.isUTF16(bytes),
      start.contains(where: { $0 < 0x20 && !(0x09...0x0d).contains($0) }),
      !KeyForm.isUTF8(UnsafeRawBufferPointer(rebasing: start))
    else { return nil }
    return .database(isEncrypted: true)
  }

  private static func flaw(in bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    let count = length(of: bytes)
    if count == 0 { return .empty }
    if let form = otherForm(of: bytes) { return form }
    let line = bytes[..<count]
    if let end = line.firstIndex(of: 0x0a) {
      let isText = line.allSatisfy { $0 >= 0x20 || 0x09...0x0d ~= $0 }
      guard isText, KeyForm.isUTF8(bytes) else { return .notText }
      if KeyForm.isJSON(bytes) { return .json }
      if KeyForm.isEncryptedText(bytes) { return .encryptedText }
      let isIdentity = bytes.split(separator: 0x0a).contains {
        $0.starts(with: "AGE-SECRET-KEY-".utf8)
      }
      if isIdentity { return .identity }
      if line.first == 0x23 { return .comment }
      let rest = bytes[end...]
      let isBlank = end > 0 && rest.allSatisfy { $0 == 0x0a || $0 == 0x0d }
      return .severalLines(blank: isBlank ? rest.count { $0 == 0x0a } - 1 : 0)
    }
    return line.contains(0) ? .nul : nil
  }

  /// What has to be left out of a key for `variant`; nil for a reading that leaves nothing out.
  static func words(for variant: KeyVariant) -> String? {
    switch variant {
    case .withoutMark: "without the byte-order mark before it"
    case .withoutNewline: "without its final newline"
    case .withoutReturn: "without the carriage return at its end"
    case .withoutNewlines: "without all the newlines at its end"
    case .withoutBlanks: "without the blanks around it"
    case .withoutQuotes: "without the quotes around it"
    case .withoutSemicolon: "without the semicolon at its end"
    case .undoubled: "with one apostrophe for each two"
    case .withoutStatement: "without the statement around it"
    case .digitsAsRaw: "without what is before, between or around its hex digits"
    case .fromUTF16: "in UTF-8 instead of UTF-16"
    default: nil
    }
  }
}
