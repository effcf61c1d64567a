// How many columns a text takes on a terminal: East Asian wide characters and most emoji take two,
// combining marks none, and what is joined to one emoji (flags, families, skin tones) two together.
// After Unicode's EastAsianWidth.txt and UTS #51, in ranges coarse enough for tables.

/// Columns of text.
enum TextWidth {
  /// Columns of `text`, which holds no control characters.
  static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// `text` with blanks behind it, or before it, up to `width` columns.
  static func padded(_ text: String, to width: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - columns(text)))
    return right ? blanks + text : text + blanks
  }

  /// As much of `text` as takes at most `width` columns.
  static func cut(_ text: String, to width: Int) -> String {
    var (room, out) = (width, "")
    for character in text {
      room -= columns(character)
      guard room >= 0 else { break }
      out.append(character)
    }
    return out
  }

  /// The end of `text`, after an ellipsis where that is not all, in at most `width` columns.
  static func tail(_ text: String, of width: Int) -> String {
    guard columns(text) > width else { return text }
    var (room, end) = (width - 3, text.endIndex)
    while end > text.startIndex {
      let before = text.index(before: end)
      room -= columns(text[before])
      guard room >= 0 else { break }
      end = before
    }
    return "..." + text[end...]
  }

  private static func columns(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    guard scalars.count > 1 else { return columns(first) }
    if scalars.contains(where: { joinsEmoji($0.value) }) { return 2 }
    // A zero-width joiner makes one picture of several; in other scripts it joins letters.
    if scalars.contains(where: { $0.value == 0x200d }), columns(first) == 2 { return 2 }
    return scalars.reduce(0) { $0 + columns($1) }
  }

  /// The presentation of an emoji, a skin tone, or a part of a flag.
  private static func joinsEmoji(_ value: UInt32) -> Bool {
    value == 0xfe0f || (0x1f3fb...0x1f3ff).contains(value) || (0x1f1e6...0x1f1ff).contains(value)
      || (0xe0020...0xe007f).contains(value)
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    // Vowels and final consonants that are drawn into the syllable before them.
    if (0x1160...0x11ff).contains(value) || (0xd7b0...0xd7ff).contains(value) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return wide.contains { $0.contains(value) } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23ec, 0x25fd...0x25fe,
    0x2614...0x2615, 0x2648...0x2653, 0x26a1...0x26a1, 0x26bd...0x26be, 0x2705...0x2705,
    0x270a...0x270b, 0x2728...0x2728, 0x274c...0x274c, 0x2753...0x2757, 0x2795...0x2797,
    0x2b1b...0x2b1c, 0x2b50...0x2b50, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf,
    0x4e00...0x9fff, 0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff,
    0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18aff,
    0x1b000...0x1b2ff, 0x1f004...0x1f004, 0x1f0cf...0x1f0cf, 0x1f18e...0x1f18e,
    0x1f191...0x1f19a, 0x1f200...0x1f320, 0x1f32d...0x1f335, 0x1f337...0x1f37c,
    0x1f37e...0x1f393, 0x1f3a0...0x1f3ca, 0x1f3cf...0x1f3d3, 0x1f3e0...0x1f3f0,
    0x1f3f4...0x1f3f4, 0x1f3f8...0x1f43e, 0x1f440...0x1f440, 0x1f442...0x1f4fc,
    0x1f4ff...0x1f53d, 0x1f54b...0x1f54e, 0x1f550...0x1f567, 0x1f57a...0x1f57a,
    0x1f595...0x1f596, 0x1f5a4...0x1f5a4, 0x1f5fb...0x1f64f, 0x1f680...0x1f6c5,
    0x1f6cc...0x1f6cc, 0x1f6d0...0x1f6d2, 0x1f6d5...0x1f6d7, 0x1f6dc...0x1f6df,
    0x1f6eb...0x1f6ec, 0x1f6f4...0x1f6fc, 0x1f7e0...0x1f7eb, 0x1f90c...0x1f9ff,
    0x1fa70...0x1faff, 0x20000...0x3fffd,
  ]
}
