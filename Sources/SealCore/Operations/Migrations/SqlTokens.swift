// SQL text into words, as far as telling statements apart needs it: strings, names in quotes and
// comments are passed over as wholes, as SQLite's own tokenizer does (sqlite.org/lang_expr.html).

/// A walk over the tokens of SQL. Comments and blanks are no tokens.
struct SqlTokens {
  enum Token: Equatable {
    /// A keyword or a bare name, in upper case; or a number.
    case word(String)
    /// `'…'`, `"…"`, `` `…` `` or `[…]`, with the quotes.
    case quoted(Range<Int>)
    case semicolon
    /// Any other byte.
    case other(UInt8)
  }

  private let bytes: [UInt8]
  private(set) var index: Int
  private let end: Int
  /// Where the last token began, and on which line of the text.
  private(set) var start: Int
  private(set) var startLine: Int
  private var line: Int

  /// The tokens of `range`, whose first byte stands on line `line`.
  init(_ bytes: [UInt8], range: Range<Int>, line: Int = 1) {
    self.bytes = bytes
    index = range.lowerBound
    end = range.upperBound
    start = range.lowerBound
    startLine = line
    self.line = line
  }

  /// The next token; nil at the end.
  mutating func next() -> Token? {
    skipBlanks()
    guard index < end else { return nil }
    start = index
    startLine = line
    let byte = bytes[index]
    switch byte {
    case 0x3b:
      index += 1
      return .semicolon
    case 0x27, 0x22, 0x60:
      skipQuoted(by: byte)
      return .quoted(start..<index)
    case 0x5b:
      skip(to: 0x5d)
      return .quoted(start..<index)
    case _ where Self.isWord(byte):
      while index < end, Self.isWord(bytes[index]) { index += 1 }
      return .word(String(decoding: bytes[start..<index].map(Self.upper), as: UTF8.self))
    default:
      index += 1
      return .other(byte)
    }
  }

  private mutating func skipBlanks() {
    while index < end {
      let byte = bytes[index]
      let following = index + 1 < end ? bytes[index + 1] : 0
      if byte == 0x2d, following == 0x2d {
        skip(to: 0x0a)
      } else if byte == 0x2f, following == 0x2a {
        skipComment()
      } else if byte == 0x20 || (0x09...0x0d).contains(byte) {
        step()
      } else if byte == 0xef, following == 0xbb, index + 2 < end, bytes[index + 2] == 0xbf {
        // A byte-order mark, wherever files were put together.
        index += 3
      } else {
        return
      }
    }
  }

  private mutating func skipComment() {
    index += 2
    while index < end {
      let closes = bytes[index] == 0x2a && index + 1 < end && bytes[index + 1] == 0x2f
      step()
      if closes { return step() }
    }
  }

  /// A doubled quote stands for itself.
  private mutating func skipQuoted(by quote: UInt8) {
    index += 1
    while index < end {
      let isQuote = bytes[index] == quote
      step()
      guard isQuote else { continue }
      guard index < end, bytes[index] == quote else { return }
      index += 1
    }
  }

  /// Goes behind the next `byte`, or to the end.
  private mutating func skip(to byte: UInt8) {
    while index < end {
      let found = bytes[index] == byte
      step()
      if found { return }
    }
  }

  private mutating func step() {
    if bytes[index] == 0x0a { line += 1 }
    index += 1
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...0xff: true
    default: false
    }
  }

  private static func upper(_ byte: UInt8) -> UInt8 {
    (0x61...0x7a).contains(byte) ? byte & 0xdf : byte
  }
}
