// One compiled SQL statement: bind, step, read columns. Every answer of SQLite is looked at; the
// statement keeps its connection alive and is finalized with the last reference.

internal import CSQLCipher

/// A compiled statement. Used by one thread at a time.
final class Statement {
  private let connection: Connection
  private let handle: OpaquePointer?
  /// The SQL behind the first statement was not empty: `sql` held more than one.
  let hasTail: Bool

  /// Compiles the first statement of `sql`. Throws `SealError`.
  convenience init(_ connection: Connection, _ sql: String) throws {
    try connection.settle()
    try self.init(unsettled: connection, sql)
  }

  /// The same without the first read of a keyed database: for PRAGMAs that must come before it.
  convenience init(unsettled connection: Connection, _ sql: String) throws {
    try self.init(unsettled: connection, bytes: Array(sql.utf8))
  }

  /// The same of SQL text whose names need not be UTF-8.
  init(unsettled connection: Connection, bytes sql: [UInt8]) throws {
    self.connection = connection
    var compiled: OpaquePointer?
    let db = try connection.open()
    (handle, hasTail) = try sql.withUnsafeBufferPointer { bytes in
      guard let length = Int32(exactly: bytes.count) else {
        throw connection.failure(ResultCode(18))
      }
      return try bytes.withMemoryRebound(to: CChar.self) { chars in
        var tail: UnsafePointer<CChar>?
        let code = ResultCode(sqlite3_prepare_v2(db, chars.baseAddress, length, &compiled, &tail))
        guard code == .ok else { throw connection.failure(code) }
        guard let tail, let start = chars.baseAddress else { return (compiled, false) }
        let rest = chars[min(max(0, start.distance(to: tail)), chars.count)...]
        return (compiled, Self.holdsStatement(UnsafeBufferPointer(rebasing: rest), db))
      }
    }
  }

  deinit { sqlite3_finalize(handle) }

  private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x3b }

  /// Whether there is more than blanks and comments in `rest`.
  private static func holdsStatement(_ rest: UnsafeBufferPointer<CChar>, _ db: OpaquePointer)
    -> Bool
  {
    var rest = rest
    while rest.contains(where: { !isBlank(UInt8(bitPattern: $0)) }), let start = rest.baseAddress {
      var compiled: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(
        db, start, Int32(truncatingIfNeeded: rest.count), &compiled, &tail)
      sqlite3_finalize(compiled)
      guard code == SQLITE_OK, compiled == nil, let tail else { return true }
      let used = start.distance(to: tail)
      guard used > 0, used <= rest.count else { return false }
      rest = UnsafeBufferPointer(rebasing: rest[used...])
    }
    return false
  }

  /// There is nothing to run: `sql` was blanks and comments.
  var isEmpty: Bool { handle == nil }

  /// Whether running it can change no database. True of an empty statement.
  var isReadOnly: Bool { handle.map { sqlite3_stmt_readonly($0) != 0 } ?? true }

  /// Number of columns of a row; 0 where the statement answers no rows.
  var columnCount: Int { handle.map { Int(sqlite3_column_count($0)) } ?? 0 }

  /// Name of column `index`, from 0.
  func columnName(_ index: Int) -> String {
    guard let column = column(index), let name = sqlite3_column_name(handle, column) else {
      return ""
    }
    return String(cString: name)
  }

  /// Binds `values` to the parameters 1, 2, 3 … . Throws where there are more than parameters.
  func bind(_ values: [Value]) throws {
    for (offset, value) in values.enumerated() {
      let index = Int32(truncatingIfNeeded: offset &+ 1)
      let code = ResultCode(Self.bind(value, to: handle, at: index))
      guard code == .ok else { throw connection.failure(code) }
    }
  }

  /// The names of the parameters, such as `:id`, from the first on; nil for a nameless `?`.
  var parameterNames: [String?] {
    guard let handle else { return [] }
    return (0..<max(0, sqlite3_bind_parameter_count(handle))).map { index in
      sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0) }
    }
  }

  /// Which of the `count` parameters, from 0, stand nowhere in the statement: each is given a text
  /// of its own, and SQLite says what the statement is then. Their values are null afterwards.
  func unusedParameters(of count: Int) throws -> Set<Int> {
    let mark = "\(UInt64.random(in: 1 << 60...UInt64.max))"
    for index in 0..<count { try bind(.string("\(mark)-\(index)-"), at: index + 1) }
    defer { if let handle { sqlite3_clear_bindings(handle) } }
    guard let handle, let expanded = sqlite3_expanded_sql(handle) else { return [] }
    defer { sqlite3_free(expanded) }
    let text = String(cString: expanded)
    return Set((0..<count).filter { !text.contains("\(mark)-\($0)-") })
  }

  /// Binds a value to parameter `index`, from 1.
  func bind(_ value: Value, at index: Int) throws {
    let code = ResultCode(
      Self.bind(value, to: handle, at: Int32(truncatingIfNeeded: index)))
    guard code == .ok else { throw connection.failure(code) }
  }

  private static func bind(_ value: Value, to handle: OpaquePointer?, at index: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let number): sqlite3_bind_int64(handle, index, number)
    case .real(let number): sqlite3_bind_double(handle, index, number)
    case .text(let bytes):
      bytes.withUnsafeBytes {
        dbseal_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
      }
    case .blob(let bytes):
      bytes.withUnsafeBytes {
        dbseal_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  /// Goes to the next row; false at the end. Throws `SealError`.
  func step() throws -> Bool {
    let code = try advance()
    switch code {
    case .row: return true
    case .done: return false
    default: throw connection.failure(code)
    }
  }

  /// Goes to the next row and says what SQLite answered.
  func advance() throws -> ResultCode {
    _ = try connection.open()
    guard let handle else { return .done }
    return ResultCode(sqlite3_step(handle))
  }

  /// Makes the statement ready to run again; parameters stay bound.
  func reset() {
    sqlite3_reset(handle)
  }

  /// Column `index` (from 0) of the row; null outside of a row.
  func value(_ index: Int) -> Value {
    guard let column = column(index) else { return .null }
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT: return .text(withBytes(index) { Array($0) })
    case SQLITE_BLOB: return .blob(withBytes(index) { Array($0) })
    default: return .null
    }
  }

  /// The whole row.
  var row: [Value] { (0..<columnCount).map(value) }

  /// Appends columns of the row to `buffer`. Throws where SQLite has no memory for one.
  func append(_ columns: Range<Int>, to buffer: ValueBuffer) throws {
    for index in columns {
      guard let column = Int32(exactly: index) else { return }
      switch sqlite3_column_type(handle, column) {
      case SQLITE_INTEGER: buffer.append(sqlite3_column_int64(handle, column))
      case SQLITE_FLOAT: buffer.append(sqlite3_column_double(handle, column))
      case SQLITE_TEXT: try append(.text, sqlite3_column_text(handle, column), column, to: buffer)
      case SQLITE_BLOB: try append(.blob, sqlite3_column_blob(handle, column), column, to: buffer)
      default: buffer.appendNull()
      }
    }
  }

  private func append(
    _ kind: ValueBuffer.Class, _ start: UnsafeRawPointer?, _ column: Int32, to buffer: ValueBuffer
  ) throws {
    // An empty blob has no address; anything else without one is what SQLite had no memory for.
    let count = Int(sqlite3_column_bytes(handle, column))
    guard start != nil || (kind == .blob && count == 0) else {
      throw connection.failure(.noMemory)
    }
    buffer.append(kind, UnsafeRawBufferPointer(start: start, count: max(0, count)))
  }

  /// Bytes of a text or blob column without a copy; valid in `body` only.
  func withBytes<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    guard let column = column(index) else {
      return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    // The pointer first: asking for it may convert the value and change its length.
    let start: UnsafeRawPointer? =
      sqlite3_column_type(handle, column) == SQLITE_TEXT
      ? UnsafeRawPointer(sqlite3_column_text(handle, column))
      : sqlite3_column_blob(handle, column)
    let count = start == nil ? 0 : max(0, Int(sqlite3_column_bytes(handle, column)))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func column(_ index: Int) -> Int32? {
    (0..<columnCount).contains(index) ? Int32(exactly: index) : nil
  }
}
