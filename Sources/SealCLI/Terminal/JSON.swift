// JSON as the tool writes it: one object a line, fields in the order given, integers exact.
// What people write is read by JSONReader.

/// A JSON value.
enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  /// Written with three decimals.
  case decimal(Double)
  /// As exact as it is; infinities as numbers that overflow, since JSON has no other way.
  case real(Double)
  /// As it was written, by somebody else.
  case number(String)
  case string(String)
  case array([JSON])
  case object([Field])

  /// A name and its value.
  struct Field: Sendable, Equatable {
    let name: String
    let value: JSON
    init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// An object with more fields behind its own.
  func adding(_ fields: [Field]) -> JSON {
    if case .object(let own) = self { return .object(own + fields) }
    return self
  }

  static func integer(_ number: Int) -> JSON { .integer(Int64(number)) }
  /// A text, or null.
  static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
  /// Bytes of a name that may not be UTF-8: what is not becomes U+FFFD.
  static func name(_ bytes: [UInt8]) -> JSON { .string(String(decoding: bytes, as: UTF8.self)) }
  /// Bytes as lower-case hex digits.
  static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.text(bytes)) }

  /// The value on one line.
  var text: String {
    var out = ""
    write(to: &out)
    return out
  }

  private func write(to out: inout String) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .integer(let number): out += String(number)
    case .unsigned(let number): out += String(number)
    case .decimal(let number): out += Self.decimalText(number)
    case .real(let number): out += Self.realText(number)
    case .number(let text): out += text
    case .string(let text): Self.quote(text, to: &out)
    case .array(let values):
      out += "["
      for (index, value) in values.enumerated() {
        if index > 0 { out += "," }
        value.write(to: &out)
      }
      out += "]"
    case .object(let fields):
      out += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { out += "," }
        Self.quote(field.name, to: &out)
        out += ":"
        field.value.write(to: &out)
      }
      out += "}"
    }
  }

  private static func realText(_ number: Double) -> String {
    guard number.isFinite else {
      return number.isNaN ? "null" : number < 0 ? "-1e999" : "1e999"
    }
    return "\(number)"
  }

  /// Three decimals; JSON knows no infinity, so that becomes null.
  private static func decimalText(_ number: Double) -> String {
    let thousandths = (number * 1000).rounded()
    guard let whole = Int64(exactly: thousandths) else { return "null" }
    let magnitude = whole.magnitude
    let fraction = String(1000 + magnitude % 1000).dropFirst()
    return "\(whole < 0 ? "-" : "")\(magnitude / 1000).\(fraction)"
  }

  /// RFC 8259, section 7. What a terminal would act on (Console.escaped) is escaped as well, here,
  /// so that the text is JSON and harmless at once.
  private static func quote(_ text: String, to out: inout String) {
    out += "\""
    defer { out += "\"" }
    // Most text is plain, and rows of a query are many.
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c }) {
      out += text
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22: out += "\\\""
      case 0x5c: out += "\\\\"
      case 0x0a: out += "\\n"
      case 0x0d: out += "\\r"
      case 0x09: out += "\\t"
      case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069:
        out += "\\u" + String(String(0x10000 + scalar.value, radix: 16).dropFirst())
      default: out.unicodeScalars.append(scalar)
      }
    }
  }
}

/// Bytes as text.
enum Hex {
  /// Two lower-case digits a byte.
  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: digits(bytes), as: UTF8.self)
  }

  /// The same as bytes of ASCII.
  static func digits(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 2 * bytes.count) { out, count in
      func add(_ digit: UInt8) {
        out.initializeElement(at: count, to: digit < 10 ? 0x30 + digit : 0x57 + digit)
        count += 1
      }
      for byte in bytes {
        add(byte >> 4)
        add(byte & 15)
      }
    }
  }
}
