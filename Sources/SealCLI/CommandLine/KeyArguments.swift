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

  /// 64, 96 or 160 hex digits, bare or in `x'...'`: nobody calls a file that.
  static func looksRaw(_ word: String) -> Bool {
    var digits = word[...]
    if digits.utf8.count > 3, digits.lowercased().hasPrefix("x'"), digits.hasSuffix("'") {
      digits = digits.dropFirst(2).dropLast()
    }
    return [64, 96, 160].contains(digits.utf8.count)
      && digits.utf8.allSatisfy { OptionValues.nibble($0) != nil }
  }
}
