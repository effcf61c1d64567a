// Splits a command line into words as a shell does, for commands that are run without one: blanks
// separate, quotes and backslashes keep together. What only a shell could do (pipes, variables)
// is refused instead of being passed on as a word.

/// A command line to its words.
enum ShellWords {
  /// What cannot be split.
  enum Flaw: Error, Equatable {
    case unfinishedQuote
    case shellSyntax(Character)
  }

  /// The word as a shell would have to be given it, for a command that a hint names.
  static func quoted(_ word: String) -> String {
    // A path that begins so would be an option.
    quoted(name: word.hasPrefix("-") ? "./" + word : word)
  }

  /// The same of what is no path.
  static func quoted(name word: String) -> String {
    let plain = word.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ",", ":", "@", "%": true
      default: scalar.value > 0x9F
      }
    }
    guard !plain || word.isEmpty else { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  /// The words of `line`. Follows POSIX, Shell Command Language, 2.2 Quoting.
  static func split(_ line: String) throws(Flaw) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    // Quotes with nothing between them are a word, too.
    var isWord = false
    var rest = line.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case " ", "\t", "\n":
        if isWord { words.append(String(word)) }
        word = .init()
        isWord = false
        continue
      case "'":
        let inner = rest.prefix { $0 != "'" }
        rest = rest.dropFirst(inner.count)
        if rest.popFirst() == nil { throw .unfinishedQuote }
        word += inner
      case "\"":
        word += try quoted(&rest)
      case "\\":
        guard let next = rest.popFirst() else { throw .unfinishedQuote }
        if next == "\n" { continue }
        word.append(next)
      case "|", "&", ";", "<", ">", "(", ")", "$", "`":
        throw .shellSyntax(Character(scalar))
      default:
        word.append(scalar)
      }
      isWord = true
    }
    if isWord { words.append(String(word)) }
    return words
  }

  /// The rest of a double-quoted piece.
  private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws(Flaw)
    -> String.UnicodeScalarView
  {
    var inner = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return inner
      case "$", "`": throw .shellSyntax(Character(scalar))
      case "\\":
        guard let next = rest.popFirst() else { throw .unfinishedQuote }
        switch next {
        case "\n": break
        case "$", "`", "\"", "\\": inner.append(next)
        default: inner += [scalar, next]
        }
      default: inner.append(scalar)
      }
    }
    throw .unfinishedQuote
  }
}
