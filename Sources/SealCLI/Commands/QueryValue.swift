// The values of a query: parameters from the command line, and results as text and JSON.

internal import SealCore

/// `--param NAME=VALUE`.
enum QueryParameter {
  /// Reads one. Throws `UsageFlaw.badParameter`.
  static func parse(_ text: String) throws -> Query.Parameter {
    let split = text.unicodeScalars.firstIndex(of: "=")
    let head = String(split.map { text[..<$0] } ?? text[...])
    let value = split.map { String(text[text.unicodeScalars.index(after: $0)...]) }
    let parts = head.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    // `:id=5` names the parameter as the SQL does.
    let isPrefixed = head.hasPrefix(":")
    let bare = isPrefixed ? head.dropFirst().split(separator: ":", maxSplits: 1) : parts
    guard let name = bare.first.map({ String($0) }), !name.isEmpty, bare.count <= 2 else {
      throw UsageFlaw.badParameter(text)
    }
    let type = bare.count == 2 ? String(bare[1]) : "text"
    guard let found = Self.value(value, as: type) else {
      guard let value, types.contains(type) else { throw UsageFlaw.badParameter(text) }
      throw UsageFlaw.badParameterValue(value, of: head)
    }
    return Query.Parameter(name: name, value: found)
  }

  /// The types whose values have a form.
  private static let types = ["integer", "real", "blob"]

  private static func value(_ text: String?, as type: String) -> Value? {
    guard let text else { return type == "null" ? .null : nil }
    switch type {
    case "text": return .string(text)
    case "integer": return Int64(text).map { .integer($0) }
    case "real": return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    case "blob": return OptionValues.bytes(hex: text).map { .blob($0) }
    default: return nil
    }
  }
}

/// Values as text and JSON.
enum QueryValue {
  /// A value as JSON: integers whole, blobs as hex digits, text that is no UTF-8 repaired.
  static func json(_ value: Value) -> JSON {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let bytes): .name(bytes)
    case .blob(let bytes): .hex(bytes)
    }
  }

  /// A value as bytes of text; nil for NULL.
  static func bytes(_ value: Value) -> [UInt8]? {
    switch value {
    case .null: nil
    case .integer(let number): Array(String(number).utf8)
    case .real(let number): Array(real(number).utf8)
    case .text(let bytes): bytes
    case .blob(let bytes): Hex.digits(bytes)
    }
  }

  /// The shortest digits that read back as the same number; infinities as SQLite writes them.
  static func real(_ number: Double) -> String {
    if number.isInfinite { return number < 0 ? "-Inf" : "Inf" }
    return "\(number)"
  }
}
