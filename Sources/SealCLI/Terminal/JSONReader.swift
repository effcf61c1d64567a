// Reads JSON (RFC 8259) that people write: strictly, with the line of every value, so that whatever is
// wrong can be said with its place. Depth is bounded, no name stands twice in an object, and numbers are
// whole or kept as they are written. What stands in a text is in no flaw, because it may be a secret.

/// A JSON value and the line on which it begins, from 1.
struct JSONNode: Sendable, Equatable {
  enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number, as it is written.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([Member])
  }

  /// A name and its value.
  struct Member: Sendable, Equatable {
    let name: String
    /// On which the name stands.
    let line: Int
    let value: JSONNode
  }

  let line: Int
  let value: Value

  /// What it is, in words.
  var kind: String {
    switch value {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// Why bytes are no JSON.
struct JSONFlaw: Error, Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case notUTF8
    case byteOrderMark
    /// What was expected, in words.
    case expected(String)
    /// The text ends where that was expected.
    case ended(String)
    case tooDeep(limit: Int)
    case twice(String)
    /// A control character in a text.
    case control
    case escape
    /// Something behind the value.
    case more
  }
  /// From 1.
  let line: Int
  let kind: Kind
}

/// One pass over a text.
struct JSONReader {
  /// How deep values may be nested.
  static let depthLimit = 32

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The one value that `bytes` are.
  static func read(_ bytes: [UInt8]) throws(JSONFlaw) -> JSONNode {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) || bytes.starts(with: [0xff, 0xfe])
      || bytes.starts(with: [0xfe, 0xff])
    {
      throw JSONFlaw(line: 1, kind: .byteOrderMark)
    }
    var reader = JSONReader(bytes)
    let node = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw reader.flaw(.more) }
    return node
  }

  private func flaw(_ kind: JSONFlaw.Kind) -> JSONFlaw { JSONFlaw(line: line, kind: kind) }

  /// Something else than what is wanted, or nothing.
  private func wanted(_ words: String) -> JSONFlaw {
    flaw(index < bytes.count ? .expected(words) : .ended(words))
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) {
      if byte == 0x0a { line += 1 }
      index += 1
    }
  }

  /// Passes over `byte` if it is next.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONFlaw) -> JSONNode {
    skipBlanks()
    guard depth < Self.depthLimit else { throw flaw(.tooDeep(limit: Self.depthLimit)) }
    let start = line
    let value: JSONNode.Value
    switch next {
    case UInt8(ascii: "{"): value = try object(depth)
    case UInt8(ascii: "["): value = try array(depth)
    case UInt8(ascii: "\""): value = .string(try text())
    case .some(0x2d), .some(0x30...0x39): value = try number()
    default: value = try word()
    }
    return JSONNode(line: start, value: value)
  }

  private mutating func object(_ depth: Int) throws(JSONFlaw) -> JSONNode.Value {
    index += 1
    skipBlanks()
    if take("}") { return .object([]) }
    var members: [JSONNode.Member] = []
    var names: Set<[UInt8]> = []
    while true {
      skipBlanks()
      let start = line
      guard next == UInt8(ascii: "\"") else { throw wanted("a name in double quotes") }
      let name = try text()
      guard names.insert(Array(name.utf8)).inserted else { throw flaw(.twice(name)) }
      skipBlanks()
      guard take(":") else { throw wanted("a colon") }
      members.append(.init(name: name, line: start, value: try value(depth: depth + 1)))
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { throw wanted("a comma or }") }
    }
  }

  private mutating func array(_ depth: Int) throws(JSONFlaw) -> JSONNode.Value {
    index += 1
    skipBlanks()
    if take("]") { return .array([]) }
    var values: [JSONNode] = []
    while true {
      values.append(try value(depth: depth + 1))
      skipBlanks()
      if take("]") { return .array(values) }
      guard take(",") else { throw wanted("a comma or ]") }
    }
  }

  private mutating func word() throws(JSONFlaw) -> JSONNode.Value {
    for (word, value) in [
      ("true", JSONNode.Value.bool(true)), ("false", .bool(false)), ("null", .null),
    ] where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return value
    }
    throw wanted("a value")
  }

  /// `-`, digits without a leading zero, a fraction, an exponent.
  private mutating func number() throws(JSONFlaw) -> JSONNode.Value {
    let start = index
    _ = take("-")
    if !take("0") { try digits() }
    var isWhole = true
    if take(".") {
      isWhole = false
      try digits()
    }
    if take("e") || take("E") {
      isWhole = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole, let number = Int64(text) { return .integer(number) }
    return .number(text)
  }

  private mutating func digits() throws(JSONFlaw) {
    let start = index
    while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
    guard index > start else { throw wanted("a digit") }
  }

  private mutating func text() throws(JSONFlaw) -> String {
    index += 1
    var out: [UInt8] = []
    while true {
      let start = index
      while let byte = next, byte != 0x22, byte != 0x5c, byte >= 0x20 { index += 1 }
      out += bytes[start..<index]
      guard let byte = next else { throw flaw(.ended("a double quote")) }
      guard byte >= 0x20 else { throw flaw(.control) }
      index += 1
      if byte == 0x22 { break }
      out += try escape()
    }
    guard let text = String(validating: out, as: UTF8.self) else { throw flaw(.notUTF8) }
    return text
  }

  /// What stands behind a backslash, as UTF-8.
  private mutating func escape() throws(JSONFlaw) -> [UInt8] {
    let plain: [UInt8: UInt8] = [
      0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d,
      0x74: 0x09,
    ]
    guard let byte = next else { throw flaw(.ended("an escape")) }
    index += 1
    if let meant = plain[byte] { return [meant] }
    guard byte == UInt8(ascii: "u") else { throw flaw(.escape) }
    var unit = try fourDigits()
    if (0xd800..<0xdc00).contains(unit) {
      guard take("\\"), take("u") else { throw flaw(.escape) }
      let low = try fourDigits()
      guard (0xdc00..<0xe000).contains(low) else { throw flaw(.escape) }
      unit = 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw flaw(.escape) }
    return Array(String(scalar).utf8)
  }

  private mutating func fourDigits() throws(JSONFlaw) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = OptionValues.nibble(byte) else { throw flaw(.escape) }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }
}
