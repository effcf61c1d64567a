// Texts to values: what an option's word, number or hex digits mean.

/// Reads the values of options. Pure functions.
enum OptionValues {
  /// The value of `option`, or the flaw in `text`.
  static func parse(_ text: String, for option: OptionSpec) throws(UsageFlaw) -> ParsedCommand.Value
  {
    let parsed: ParsedCommand.Value? =
      switch option.value {
      case .none: .flag
      case .text: .text(text)
      case .suffix: text.utf8.contains(0x2f) || same(text, ".") ? nil : .text(text)
      case .integer(_, let range): integer(text, range)
      case .seconds: seconds(text)
      case .choice(_, let words): words.contains(where: { same($0, text) }) ? .text(text) : nil
      case .hex(_, let count): hex(text, count)
      }
    if text.isEmpty, let name = option.valueName {
      throw .missingValue(option.flag, valueName: name)
    }
    if isKey(text, for: option) { throw .keyValue(option) }
    guard let parsed else {
      let isHidden = option.section.mayHoldKey || KeyArguments.mayBeKey(text)
      throw .badValue(
        option.flag, value: isHidden ? nil : text,
        allowed: option.allowed ?? "text")
    }
    return parsed
  }

  /// Whether `text` is a key rather than the name that `option` takes: it would be said, and become a
  /// file's name.
  private static func isKey(_ text: String, for option: OptionSpec) -> Bool {
    switch option.value {
    case .text where option.repeats:
      // `NAME=VALUE`, `NAME=ROWS`.
      let name = text.lastIndex(of: "=").map { String(text[..<$0]) } ?? text
      return KeyArguments.looksRaw(text) || KeyArguments.looksRaw(name)
    case .text: return KeyArguments.looksRaw(text)
    // Behind a dot stands what versions and digests are made of, and the 80 bytes of a key and two
    // salts have less than 240 characters, with colons too.
    case .suffix:
      return KeyArguments.looksRaw(text)
        || !text.hasPrefix(".") && text.utf8.count < 240 && KeyArguments.mayBeKey(text)
    case .none, .integer, .seconds, .choice, .hex: return false
    }
  }

  /// Equal byte for byte: Swift's own comparison takes é and e with an accent for one.
  static func same(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

  /// The bytes of an even number of hex digits; nil for anything else.
  static func bytes(hex text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func integer(_ text: String, _ range: ClosedRange<Int>) -> ParsedCommand.Value? {
    let digits = range.lowerBound < 0 && text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      range.contains(number)
    else { return nil }
    return .integer(number)
  }

  private static func seconds(_ text: String) -> ParsedCommand.Value? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }),
      let number = Double(text), (0...86400).contains(number)
    else { return nil }
    return .seconds(number)
  }

  private static func hex(_ text: String, _ count: Int) -> ParsedCommand.Value? {
    var digits = count == 1 && text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    // As SQL has it, and SQLCipher.
    if text.lowercased().hasPrefix("x'"), text.hasSuffix("'") {
      digits = String(text.dropFirst(2).dropLast())
    }
    guard digits.utf8.count == 2 * count, let bytes = bytes(hex: digits) else { return nil }
    return .bytes(bytes)
  }

  static func nibble(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x61...0x66: character - 0x61 + 10
    case 0x41...0x46: character - 0x41 + 10
    default: nil
    }
  }
}
