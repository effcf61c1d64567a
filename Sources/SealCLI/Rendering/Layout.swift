// Text in columns.

/// Breaks and pads texts.
enum Layout {
  /// Columns of a help text.
  static let width = 80

  /// The words of `text` on lines of at most `width` columns, each after `indent` blanks.
  static func wrap(_ text: String, indent: Int = 0, width: Int = Layout.width) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [margin + line]
  }

  /// `left` and `right` side by side, `right` from column `start` on.
  static func row(_ left: String, _ right: String, start: Int) -> [String] {
    let lines = wrap(right, indent: start)
    guard let first = lines.first else { return [left] }
    if left.count + 2 > start { return [left] + lines }
    let padding = String(repeating: " ", count: start - left.count)
    return [left + padding + first.drop { $0 == " " }] + lines.dropFirst()
  }
}
