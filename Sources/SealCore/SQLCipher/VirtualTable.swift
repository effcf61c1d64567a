// Which module a virtual table names, and with which options, read from its CREATE statement: the
// engine says nothing of a module that it does not have.

/// The text of a CREATE VIRTUAL TABLE.
struct VirtualTable {
  /// The module's name, as it is written.
  let module: String
  /// What stands before a `=` at the start of an argument, in lower case.
  private(set) var options: Set<String> = []

  /// Reads a statement; nil for any other.
  init?(_ sql: String) {
    var words = Words(Array(sql.utf8))
    guard let module = Self.module(&words) else { return nil }
    self.module = module
    var depth = 0
    // The word before, where it began an argument.
    var first: Word?
    var begins = false
    while let word = words.next() {
      let (key, isFirst) = (first, begins)
      (first, begins) = (nil, false)
      guard !word.isQuoted else {
        if isFirst { first = word }
        continue
      }
      switch word.text {
      case "(":
        depth += 1
        begins = depth == 1
      case ")": depth -= 1
      case ",": begins = depth == 1
      case "=": if let key { options.insert(key.text.lowercased()) }
      default: if isFirst { first = word }
      }
    }
  }

  /// The module's name; nil for any other statement.
  static func module(in sql: String) -> String? {
    var words = Words(Array(sql.utf8))
    return module(&words)
  }

  private static func module(_ words: inout Words) -> String? {
    for wanted in ["CREATE", "VIRTUAL", "TABLE"] {
      guard let word = words.next(), !word.isQuoted, word.text.uppercased() == wanted else {
        return nil
      }
    }
    while let word = words.next() {
      if !word.isQuoted, word.text.uppercased() == "USING" { return words.next()?.text }
    }
    return nil
  }

  private struct Word {
    let text: String
    let isQuoted: Bool
  }

  /// Splits SQL into words; blanks and comments between them are dropped.
  private struct Words {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Word? {
      skipBlanks()
      guard place < bytes.count else { return nil }
      let first = bytes[place]
      switch first {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return quoted(first)
      case UInt8(ascii: "["): return quoted(UInt8(ascii: "]"))
      default: break
      }
      let start = place
      while place < bytes.count, Self.isPlain(bytes[place]) { place += 1 }
      if place == start { place += 1 }
      return Word(text: String(decoding: bytes[start..<place], as: UTF8.self), isQuoted: false)
    }

    private mutating func quoted(_ end: UInt8) -> Word {
      var text: [UInt8] = []
      place += 1
      while place < bytes.count {
        let byte = bytes[place]
        place += 1
        if byte == end {
          // A doubled quote stands for one.
          guard end != UInt8(ascii: "]"), place < bytes.count, bytes[place] == end else { break }
          place += 1
        }
        text.append(byte)
      }
      return Word(text: String(decoding: text, as: UTF8.self), isQuoted: true)
    }

    private mutating func skipBlanks() {
      while place < bytes.count {
        let byte = bytes[place]
        let following = place + 1 < bytes.count ? bytes[place + 1] : 0
        if byte <= 0x20 {
          place += 1
        } else if byte == UInt8(ascii: "-"), following == byte {
          while place < bytes.count, bytes[place] != 0x0a { place += 1 }
        } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
          place += 2
          while place < bytes.count, !isCommentEnd(place) { place += 1 }
          place = min(bytes.count, place + 2)
        } else {
          return
        }
      }
    }

    private func isCommentEnd(_ at: Int) -> Bool {
      bytes[at] == UInt8(ascii: "*") && at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "/")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...: true
      default: false
      }
    }
  }
}
