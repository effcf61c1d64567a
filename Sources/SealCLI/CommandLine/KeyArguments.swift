// Words by which other tools take a key in argv. Here they get an answer that explains the safe
// ways, and what stood beside them is never repeated.

/// Recognizes keys where keys must not be.
enum KeyArguments {
  /// Long options that would have a key as their value.
  static let names: Set<String> = [
    "key", "password", "passwd", "pass", "pwd", "pin", "secret", "hex-key", "hexkey", "rawkey",
    "key-hex", "key-value", "new-key", "new-password", "old-key", "old-password", "against-key",
  ]

  /// Letters that would have a key as their value.
  static let letters: Set<Character> = ["k", "K", "p", "P"]

  /// Options that say how a key is to be read, behind which somebody may write it.
  static let flags = Set(
    KeyOptions.sets.flatMap { [$0.raw, $0.passphrase, $0.binary].map(\.name) })

  /// 64, 96 or 160 hex digits, bare or in `x'...'`: nobody calls a file that.
  static func looksRaw(_ word: String) -> Bool {
    var digits = word[...]
    if digits.utf8.count > 3, digits.lowercased().hasPrefix("x'"), digits.hasSuffix("'") {
      digits = digits.dropFirst(2).dropLast()
    }
    return [64, 96, 160].contains(digits.utf8.count)
      && digits.utf8.allSatisfy { OptionValues.nibble($0) != nil }
  }

  /// What may be a key, or a part of one, and should not be repeated.
  static func mayBeKey(_ word: String) -> Bool {
    holdsKey(word) || word.utf8.contains { $0 == 0x2f || $0 == 0x2b } && looksRandom(word)
  }

  /// What nobody calls a key: `x'`, 32 hex digits in a row, with or without colons or spaces between
  /// them, or base64 with its padding.
  static func holdsKey(_ word: String) -> Bool {
    if word.lowercased().contains("x'") { return true }
    var digits = 0
    for character in word.utf8 where character != 0x3a && character != 0x20 {
      digits = OptionValues.nibble(character) == nil ? 0 : digits + 1
      if digits == 32 { return true }
    }
    return word.utf8.count >= 24 && word.hasSuffix("=") && word.utf8.allSatisfy(isBase64)
  }

  /// Throws where the new key that `parsed` may make would get a key as its name.
  static func requireName(_ parsed: ParsedCommand, _ option: OptionSpec) throws(UsageFlaw) {
    if let name = parsed.text(option), holdsKey(name) { throw .keyValue(option) }
  }

  /// Letters of base64, of which capitals, small letters and digits take turns as in hardly any name:
  /// of a key in base64 two of three are of another kind than the one before, here three of ten.
  static func looksRandom(_ word: String) -> Bool {
    guard word.utf8.count >= 20, word.utf8.allSatisfy(isBase64) else { return false }
    let kinds = word.utf8.map { character in
      switch character {
      case 0x30...0x39: 0
      case 0x41...0x5a: 1
      case 0x61...0x7a: 2
      // Between the parts of a path nothing changes.
      case 0x2f: 3
      default: 4
      }
    }
    let changes = zip(kinds, kinds.dropFirst()).count { $0 != $1 && $0 != 3 && $1 != 3 }
    return 10 * changes >= 3 * kinds.count { $0 != 3 }
  }

  /// Whether `path`, at which there may be no file, can stand in a message: a word without a slash and a
  /// dot is as likely a passphrase.
  static func isRepeatable(path: String) -> Bool {
    path.utf8.contains { $0 == 0x2f || $0 == 0x2e } && !mayBeKey(path)
  }

  /// Whether `name` may be that of a field, and is no key that was cut.
  static func isRepeatable(field name: String) -> Bool {
    let isName = name.utf8.allSatisfy {
      switch $0 {
      case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, 0x2d, 0x5f: true
      default: false
      }
    }
    return isName
      && (name.utf8.count < 16 || !name.utf8.allSatisfy { OptionValues.nibble($0) != nil })
  }

  /// Whether `word` looks like the name of a command that is misspelt.
  static func isRepeatable(command word: String) -> Bool {
    word.utf8.count <= 24 && word.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d }
  }

  private static func isBase64(_ character: UInt8) -> Bool {
    switch character {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2f, 0x3d: true
    default: false
    }
  }
}
