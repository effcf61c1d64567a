// How a stored statement ends. SQLite keeps what was typed, comments at the end included, and whoever
// prints several statements has to put a semicolon where no comment swallows it.

/// What stands at the end of a statement.
public enum SqlEnding: Sendable {
  /// A token, or a comment that is closed.
  case code
  /// A comment up to the end of the line.
  case line
  /// `/* …`, which SQLite takes as closed at the end of the text.
  case block

  public init(_ sql: String) {
    let bytes = Array(sql.utf8)
    var tokens = SqlTokens(bytes, range: 0..<bytes.count)
    var end = 0
    while tokens.next() != nil { end = tokens.index }
    var rest = bytes[end...]
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (0x2d, 0x2d):
        guard let feed = rest.firstIndex(of: 0x0a) else {
          self = .line
          return
        }
        rest = rest[feed...]
      case (0x2f, 0x2a):
        rest = rest.dropFirst()
        while let next = rest.first, next != 0x2a || rest.dropFirst().first != 0x2f {
          rest = rest.dropFirst()
        }
        guard !rest.isEmpty else {
          self = .block
          return
        }
        rest = rest.dropFirst(2)
      default: break
      }
    }
    self = .code
  }
}
