// One value of a row or a parameter, in SQLite's five storage classes. Text is bytes: what a
// database calls text need not be UTF-8, and Swift strings compare other than SQLite does.

/// A value as SQLite stores it.
public enum Value: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  /// UTF-8 as a rule, any bytes in fact.
  case text([UInt8])
  case blob([UInt8])

  /// A text value.
  public static func string(_ text: String) -> Value { .text(Array(text.utf8)) }

  /// The number, if this is an integer.
  public var integer: Int64? {
    if case .integer(let number) = self { return number }
    return nil
  }

  /// The text with invalid UTF-8 replaced, if this is text.
  public var string: String? {
    if case .text(let bytes) = self { return String(decoding: bytes, as: UTF8.self) }
    return nil
  }
}
