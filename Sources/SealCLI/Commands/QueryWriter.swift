// Prints the rows of a query. All forms stream, except that a table looks at its first rows for the
// width of its columns; cells of later rows may be wider.

internal import SealCore

/// Nobody reads the rows any more, which ends the query and is no failure.
struct ReaderGone: Error {}

/// Writes columns and rows in one form.
final class QueryWriter {
  /// Rows that a table looks at.
  private static let sample = 1000
  /// Bytes that are gathered before they are written.
  private static let chunk = 1 << 16

  private let form: QueryForm
  private let console: Console
  private var columns: [String] = []
  private var waiting: [[String]] = []
  private var widths: [Int] = []
  private var numeric: [Bool] = []
  private var hasWidths = false
  /// Rows of this database.
  private var count = 0
  /// Rows of all.
  private var total = 0
  private var hasBegun = false
  /// The name of the database, where there are several.
  private var database: String?
  private var heading: [String] = []
  private var out: [UInt8] = []

  /// The rows of all databases are one array, which nothing else may stand in.
  var isOneText: Bool { form == .json }

  init(_ form: QueryForm, on console: Console) {
    self.form = form
    self.console = console
  }

  /// Takes the names of the columns. `database` is the name that the rows are given, where there are
  /// several databases.
  func begin(_ names: [String], of database: String?) {
    columns = form == .table || form == .line ? names.map(Console.escaped) : names
    numeric = names.map { _ in true }
    (hasWidths, count) = (false, 0)
    self.database = database
    switch form {
    case .csv, .tsv:
      let heading = (database == nil ? [] : ["database"]) + names
      if heading != self.heading { delimited(heading.map { Array($0.utf8) }) }
      self.heading = heading
    case .table, .line:
      if let database { add("\(hasBegun ? "\n" : "")\(Console.escaped(database)):\n") }
    case .json: break
    }
    hasBegun = true
  }

  /// Takes a row. Throws where nobody reads any more.
  func row(_ values: [Value]) throws {
    switch form {
    case .table: table(values)
    case .csv, .tsv:
      delimited((database.map { [Array($0.utf8)] } ?? []) + values.map(QueryValue.bytes))
    case .json: object(values)
    case .line: lines(values)
    }
    count += 1
    total += 1
    if out.count >= Self.chunk { flush() }
    if console.isDeaf { throw ReaderGone() }
  }

  /// Ends the rows of a database.
  func end() {
    if form == .table, hasBegun { settle() }
    flush()
  }

  /// Ends the rows of all, once; nothing for queries that did not come so far as to have columns.
  func finish() {
    if form == .json, hasBegun { add(total == 0 ? "[]\n" : "]\n") }
    hasBegun = false
    flush()
  }

  private func flush() {
    if !out.isEmpty { console.raw(out) }
    out.removeAll(keepingCapacity: true)
  }

  private func add(_ text: String) { out += text.utf8 }

  // MARK: table

  private func table(_ values: [Value]) {
    if count < Self.sample {
      for (index, value) in values.enumerated() where index < numeric.count {
        switch value {
        case .integer, .real, .null: break
        case .text, .blob: numeric[index] = false
        }
      }
    }
    let cells = values.map(Self.cell)
    guard !hasWidths else { return tableLine(cells) }
    waiting.append(cells)
    if waiting.count >= Self.sample { settle() }
  }

  /// Fixes the widths and writes the heading and what waited for it.
  private func settle() {
    guard !hasWidths else { return }
    hasWidths = true
    guard !columns.isEmpty else { return }
    widths = columns.indices.map { index in
      waiting.reduce(max(1, TextWidth.columns(columns[index]))) {
        max($0, index < $1.count ? TextWidth.columns($1[index]) : 0)
      }
    }
    if waiting.isEmpty { numeric = columns.map { _ in false } }
    tableLine(columns)
    add(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ") + "\n")
    for cells in waiting { tableLine(cells) }
    waiting = []
  }

  private func tableLine(_ cells: [String]) {
    let padded = cells.enumerated().map { index, cell -> String in
      guard index < widths.count else { return cell }
      let isLast = index == cells.count - 1
      if numeric[index] { return TextWidth.padded(cell, to: widths[index], right: true) }
      return isLast ? cell : TextWidth.padded(cell, to: widths[index])
    }
    add(padded.joined(separator: "  ") + "\n")
  }

  private static func cell(_ value: Value) -> String {
    QueryValue.bytes(value).map { Console.escaped(String(decoding: $0, as: UTF8.self)) } ?? "NULL"
  }

  // MARK: line

  private func lines(_ values: [Value]) {
    if count > 0 { add("\n") }
    let width = columns.map(TextWidth.columns).max() ?? 0
    for (name, value) in zip(columns, values) {
      add("\(TextWidth.padded(name, to: width, right: true)) = \(Self.cell(value))\n")
    }
  }

  // MARK: json

  private func object(_ values: [Value]) {
    let name = database.map { [JSON.Field("database", .string($0))] } ?? []
    let fields = zip(columns, values).map { JSON.Field($0, QueryValue.json($1)) }
    add((total == 0 ? "[" : ",\n") + JSON.object(name + fields).text)
  }

  // MARK: csv and tsv

  private func delimited(_ cells: [[UInt8]?]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { out.append(form == .csv ? UInt8(ascii: ",") : 0x09) }
      if form == .csv { csv(cell) } else { tsv(cell) }
    }
    out.append(0x0a)
  }

  /// RFC 4180: quoted where it has to be. On a terminal, control characters are made visible.
  private func csv(_ cell: [UInt8]?) {
    guard var cell else { return }
    if console.outputIsTerminal { cell = Self.visible(cell) }
    let quote = UInt8(ascii: "\"")
    let needsQuotes =
      cell.isEmpty || cell.first == 0x20 || cell.last == 0x20
      || cell.contains { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0a || $0 == 0x0d }
    guard needsQuotes else { return out += cell }
    out.append(quote)
    for byte in cell {
      if byte == quote { out.append(quote) }
      out.append(byte)
    }
    out.append(quote)
  }

  /// One line a row whatever is in it: tab, line feed, carriage return and backslash are escaped.
  private func tsv(_ cell: [UInt8]?) {
    guard let cell else { return add("\\N") }
    if cell.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x5c }) { return out += cell }
    var text: [UInt8] = []
    for byte in cell {
      switch byte {
      case 0x09: text += "\\t".utf8
      case 0x0a: text += "\\n".utf8
      case 0x0d: text += "\\r".utf8
      case 0x5c: text += "\\\\".utf8
      default: text.append(byte)
      }
    }
    out += console.outputIsTerminal ? Self.visible(text) : text
  }

  private static func visible(_ bytes: [UInt8]) -> [UInt8] {
    Array(Console.escaped(String(decoding: bytes, as: UTF8.self)).utf8)
  }
}
