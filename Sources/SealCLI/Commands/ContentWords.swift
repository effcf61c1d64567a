// What verify found about the content, in words and as JSON. Values of rows may be secret, and a
// log keeps what it was shown: without --verbose only their storage class and length are said.

internal import SealCore

/// The words for one content verdict.
struct ContentWords {
  private let content: ContentVerdict
  private let values: Bool

  /// `values`: what stands in rows may be shown.
  init(_ content: ContentVerdict, values: Bool) {
    self.content = content
    self.values = values
  }

  /// The digest in hex digits; nil where there is none.
  var digest: String? { content.fingerprint.map { Hex.text($0.digest) } }

  private var other: String { content.other ?? "" }

  /// How the comparison ended; nil where there was none and nothing was in the way.
  var verdict: String? {
    if let hindrance = content.hindrance {
      let what = content.hindersOther ? "of \(other) not read" : "not read"
      return "\(what): " + VerifyRendering.reason(hindrance, nil)
    }
    guard let found = content.comparison else { return nil }
    let size = "\(Self.count(found.tables, "table")), \(Diagnostics.count(found.rows, "row"))"
    return found.total == 0
      ? "equal to \(other) (\(size))"
      : "differs from \(other) in \(Self.count(found.total, "place")) (compared \(size))"
  }

  /// What differs, in one phrase: the verdict and the first difference.
  var summary: [String] {
    guard content.differs, let verdict else { return [] }
    return ["content " + verdict + (differences.first.map { ": " + $0 } ?? "")]
  }

  /// What differs, a line each.
  var differences: [String] { content.comparison?.list.map(sentence) ?? [] }

  private func sentence(_ difference: ContentDifference) -> String {
    switch difference {
    case .userVersion(let here, let there): return "user_version is \(here), there \(there)"
    case .applicationID(let here, let there): return "application_id is \(here), there \(there)"
    case .missing(let type, let name, let here):
      return "\(type) \(name) is only \(here ? "there" : "here")"
    case .schema(let type, let name): return "the SQL of \(type) \(name) differs"
    case .columns(let table, let here, let there):
      return "table \(table) has \(Self.count(here, "column")), there \(there); rows not compared"
    case .rows(let table): return sentence(table)
    }
  }

  private func sentence(_ table: TableDifference) -> String {
    var parts: [String] = []
    func add(_ number: UInt64?, _ words: String) {
      if let number, number > 0 { parts.append("\(Diagnostics.count(number, "row")) \(words)") }
    }
    add(table.changed, table.changed == 1 ? "differs" : "differ")
    add(table.onlyHere, "only here")
    add(table.onlyThere, "only there")
    if parts.isEmpty {
      let here = Diagnostics.count(table.rowsHere, "row")
      parts.append(
        table.rowsHere == table.rowsThere
          ? "some of \(here) differ" : "\(here) here, \(table.rowsThere) there")
    }
    let first = table.first.map { "; first: " + sentence($0, in: table) } ?? ""
    return "table \(table.table): " + parts.joined(separator: ", ") + first
  }

  private func sentence(_ row: RowDifference, in table: TableDifference) -> String {
    let place =
      switch row.place {
      case .rowid(let rowid): "row \(rowid)"
      case .position(let number): "row \(number) in the order of the key"
      }
    guard let column = row.column, let here = row.here, let there = row.there else {
      return "\(place) is only \(row.side == .there ? "there" : "here")"
    }
    return "\(place), column \(column): \(words(here)), there \(words(there))"
  }

  private func words(_ value: ShownValue) -> String {
    let bytes = value.bytes.map { " of \(Self.count($0, "byte"))" } ?? ""
    guard values, let text = Self.text(value.value) else { return value.type + bytes }
    return "\(value.type)\(bytes) \(text)"
  }

  /// A value for people; long ones are cut.
  private static func text(_ value: Value) -> String? {
    let limit = 60
    switch value {
    case .null: return nil
    case .integer(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      return text.count > limit ? "'\(text.prefix(limit))'…" : "'\(text)'"
    case .blob(let bytes):
      let digits = Hex.text(Array(bytes.prefix(limit / 2)))
      return bytes.count > limit / 2 ? "x'\(digits)'…" : "x'\(digits)'"
    }
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    Diagnostics.count(UInt64(clamping: number), noun)
  }
}

extension ContentWords {
  /// The verdict for `--json`.
  var json: JSON {
    let found = content.comparison
    let verdict =
      content.hindrance != nil
      ? "not_read" : found.map { $0.total == 0 ? "equal" : "differs" } ?? "not_compared"
    return .object([
      .init("verdict", .string(verdict)), .init("against", .optional(content.other)),
      .init("tables", (found?.tables ?? content.fingerprint?.tables).map { .integer($0) } ?? .null),
      .init("rows", (found?.rows ?? content.fingerprint?.rows).map { .unsigned($0) } ?? .null),
      .init("total", .integer(found?.total ?? 0)),
      .init("differences", .array(found?.list.map(json) ?? [])),
      .init("other_not_read", .bool(content.hindrance != nil && content.hindersOther)),
      .init("reason", .optional(VerifyJSON.word(content.hindrance))),
      .init("sqlite_message", .optional(VerifyJSON.message(content.hindrance))),
    ])
  }

  private func json(_ difference: ContentDifference) -> JSON {
    var fields: [JSON.Field]
    switch difference {
    case .userVersion(let here, let there):
      fields = Self.fields("user_version", here: .integer(Int64(here)), .integer(Int64(there)))
    case .applicationID(let here, let there):
      fields = Self.fields("application_id", here: .integer(Int64(here)), .integer(Int64(there)))
    case .missing(let type, let name, let here):
      fields = Self.fields("missing", type, name, here: .bool(!here), .bool(here))
    case .schema(let type, let name): fields = Self.fields("schema", type, name)
    case .columns(let table, let here, let there):
      fields = Self.fields("columns", "table", table, here: .integer(here), .integer(there))
    case .rows(let table):
      fields = Self.fields(
        "rows", "table", table.table, here: .unsigned(table.rowsHere), .unsigned(table.rowsThere))
      func number(_ number: UInt64?) -> JSON { number.map { .unsigned($0) } ?? .null }
      fields += [
        .init("changed", number(table.changed)), .init("only_here", number(table.onlyHere)),
        .init("only_there", number(table.onlyThere)),
        .init("first", table.first.map(json) ?? .null),
      ]
    }
    return .object(fields + [.init("message", .string(sentence(difference)))])
  }

  private static func fields(
    _ word: String, _ type: String? = nil, _ name: String? = nil, here: JSON = .null,
    _ there: JSON = .null
  ) -> [JSON.Field] {
    [
      .init("difference", .string(word)), .init("type", .optional(type)),
      .init("name", .optional(name)), .init("here", here), .init("there", there),
    ]
  }

  private func json(_ row: RowDifference) -> JSON {
    var (rowid, position) = (JSON.null, JSON.null)
    switch row.place {
    case .rowid(let number): rowid = .integer(number)
    case .position(let number): position = .unsigned(number)
    }
    return .object([
      .init("rowid", rowid), .init("position", position), .init("in", .string(row.side.rawValue)),
      .init("column", .optional(row.column)),
      .init("here", row.here.map(json) ?? .null), .init("there", row.there.map(json) ?? .null),
    ])
  }

  private func json(_ value: ShownValue) -> JSON {
    var fields: [JSON.Field] = [
      .init("type", .string(value.type)),
      .init("bytes", value.bytes.map { .integer($0) } ?? .null),
    ]
    guard values else { return .object(fields) }
    let shown: JSON =
      switch value.value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .string("\(number)")
      case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
      case .blob(let bytes): .hex(bytes)
      }
    fields.append(.init("value", shown))
    return .object(fields)
  }
}
