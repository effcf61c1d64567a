// The language of manual pages: escaping, fonts, and lines as groff and mandoc like them, a sentence
// to a line.

/// Pieces of roff.
enum Roff {
  /// Columns of a line of source.
  private static let width = 78

  /// Bold, escaped.
  static func bold(_ text: String) -> String { "\\fB\(escape(text))\\fR" }

  /// Slanted or underlined, escaped.
  static func italic(_ text: String) -> String { "\\fI\(escape(text))\\fR" }

  /// Sentences as lines, the first with a capital letter, the last with a full stop; option names,
  /// variables, and names of `actions` that begin a sentence in bold. "show: print ..." is about the
  /// action that stands before the colon.
  static func sentences(_ text: String, actions: [String] = []) -> [String] {
    let head = text.prefix { $0 != ":" }
    let names = head.split(separator: ", ").map(String.init)
    var start: [String] = []
    var rest = text[...]
    if !names.isEmpty, names.allSatisfy(actions.contains) {
      start = ["(\(names.map(bold).joined(separator: ", ")))"]
      rest = text[head.endIndex...].dropFirst().drop { $0 == " " }
    }
    let end = rest.last.map { ".:?!".contains($0) } == false ? "." : ""
    let first = rest.prefix { $0 != " " }
    let whole = (actions.contains(String(first)) ? String(rest) : capitalized(rest)) + end
    return filled(start + words(whole, actions))
  }

  private static func capitalized(_ text: Substring) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// A usage line: placeholders slanted, options and other words in bold.
  static func usage(_ text: String) -> String {
    var out = ""
    var word = ""
    func end() {
      guard !word.isEmpty else { return }
      let isPlaceholder = word.allSatisfy { $0.isUppercase }
      out += isPlaceholder ? italic(word) : bold(word)
      word = ""
    }
    for character in text {
      if character.isLetter || character == "-" {
        word.append(character)
      } else {
        end()
        out += escape(String(character))
      }
    }
    end()
    return out
  }

  /// The words of a text, escaped, option names, variables and actions in bold.
  private static func words(_ text: String, _ actions: [String]) -> [String] {
    var begins = true
    return text.split(separator: " ").map { word in
      defer { begins = word.last.map { ".?!".contains($0) } ?? false }
      if begins, actions.contains(String(word)) { return bold(String(word)) }
      let open = word.prefix { $0 == "(" }
      let inner = word.dropFirst(open.count)
      guard inner.hasPrefix("--") || inner.hasPrefix("$"),
        let last = inner.lastIndex(where: { $0.isLetter || $0 == "_" })
      else { return escape(String(word)) }
      let rest = inner[last...].dropFirst()
      return "\(open)\(bold(String(inner[...last])))\(rest.isEmpty ? "" : escape(String(rest)))"
    }
  }

  /// Words on lines of source, each sentence on lines of its own.
  private static func filled(_ words: [String]) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
      let bare = word.replacing("\\fR", with: "")
      guard let end = bare.last(where: { $0 != ")" && $0 != "\"" }), ".?!".contains(end),
        !bare.hasSuffix("...")
      else { continue }
      lines.append(line)
      line = ""
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Backslashes, dashes, what roff takes for a request at the start of a line, and characters that
  /// it would print as others.
  static func escape(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "'": out += "\\(aq"
      case "`": out += "\\(ga"
      case "^": out += "\\(ha"
      case "~": out += "\\(ti"
      default: out.append(character)
      }
    }
    return out.hasPrefix(".") ? "\\&" + out : out
  }
}
