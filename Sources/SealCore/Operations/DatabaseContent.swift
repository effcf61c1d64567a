// What a database means, apart from how it is stored: the rows of its schema and the tables with
// their rows, each read by SQLite from its tree alone. Content digest and comparison stand on this.
// What does not count, and why, is written in Docs/digest.md.

/// A row of `sqlite_master` that counts as content.
struct SchemaRow {
  let type: Value
  let name: Value
  /// type, name, tbl_name and sql, as `ValueBuffer` has them.
  let encoding: [UInt8]
  /// The row's record; empty where it has no rows that count.
  let record: [UInt8]
  let root: UInt32

  /// It is a table that is stored: no view, no virtual table.
  var isTable: Bool { !record.isEmpty }
  /// The name for people.
  var label: String { name.string ?? "" }
}

/// The content of one database.
final class DatabaseContent {
  let path: String
  let header: DatabaseHeader
  /// The rows that count, by their bytes.
  let schema: [SchemaRow]
  let cancellation: Cancellation
  /// The engine could not make sense of a table's SQL.
  private(set) var isNotUnderstood = false
  private let store: PageStore
  private let image: DecodedPages
  private let firstPage: [UInt8]

  /// The tables that are read, in the order of the schema.
  var tables: [SchemaRow] { schema.filter(\.isTable) }

  /// Walks all trees first: SQLite may follow pages that are used twice for years. So `meter` counts
  /// each page twice. Throws damage.
  init(
    _ store: PageStore, path: String, workers: Int, meter: ProgressMeter? = nil,
    _ cancellation: Cancellation
  ) throws {
    self.store = store
    self.path = path
    self.cancellation = cancellation
    image = try DecodedPages(store, workers: workers, meter: meter, cancellation: cancellation)
    let reader = try ReadAhead(
      store, workers: workers, meter: meter, cancellation: cancellation)
    defer { reader.stop() }
    try ContentWalk.summary(of: reader, path: path, key: nil)
    let pages = try ReadAhead(store, workers: 0, cancellation: cancellation)
    header = try DatabaseHeader.read(from: pages, path: path).header
    var page = [UInt8](repeating: 0, count: store.pageSize)
    try page.withUnsafeMutableBytes {
      if let start = $0.baseAddress { try pages.read(1, into: start) }
    }
    firstPage = page
    let (image, header) = (image, header)
    schema = try Self.explaining(image, path, 1) {
      try SchemaRow.all(of: image, page, header, pages, path)
    }
  }

  /// The rows of a table, from its tree alone.
  func rows(of table: SchemaRow) throws -> TableRows {
    try explaining(table.root) {
      let window = try TableWindow(
        image, page: firstPage, geometry: header.geometry, record: table.record, path: path)
      let connection = try Connection(snapshot: window, path: path, byOneThread: true)
      return try TableRows(connection, table, isRowidTable: isRowidTable(table), self)
    }
  }

  /// A table with rowids is stored as a table, one without as an index.
  private func isRowidTable(_ table: SchemaRow) throws -> Bool {
    let pages = try ReadAhead(store, workers: 0, cancellation: cancellation)
    let cursor = TreeCursor(source: pages, path: path, geometry: header.geometry)
    return try cursor.start(table.root)
  }

  /// Says what is wrong where SQLite only said that something is, reading the tree at `root`.
  func explaining<R>(_ root: UInt32, _ body: () throws -> R) throws -> R {
    do {
      return try Self.explaining(image, path, root, body)
    } catch SealError.unsupported(let shortcoming) {
      isNotUnderstood = true
      throw SealError.unsupported(shortcoming)
    }
  }

  private static func explaining<R>(
    _ image: DecodedPages, _ path: String, _ root: UInt32, _ body: () throws -> R
  ) throws -> R {
    do {
      return try image.explaining(body)
    } catch SealError.engine(let path, let number, let message) {
      let code = ResultCode(rawValue: number).primary
      // About a schema SQLite has words of its own; about pages only those of the code.
      switch code {
      case .corrupt where message == code.text:
        throw SealError.structure(path, root, .malformed)
      case .error, .corrupt: throw SealError.unsupported(.schema(message: message))
      default: throw SealError.engine(path: path, code: number, message: message)
      }
    }
  }
}

extension SchemaRow {
  /// The rows of `sqlite_master` that count, ordered by their bytes.
  fileprivate static func all(
    of image: DecodedPages, _ page: [UInt8], _ header: DatabaseHeader, _ pages: ReadAhead,
    _ path: String
  ) throws -> [SchemaRow] {
    let cursor = TreeCursor(source: pages, path: path, geometry: header.geometry)
    let reader = StoredRows()
    try SchemaReader.forEachRow(cursor, reader)
    let stored = reader.found
    let (window, name) = try TableWindow.schema(of: image, page: page, header: header, path: path)
    let connection = try Connection(snapshot: window, path: path, byOneThread: true)
    let buffer = ValueBuffer()
    var rows: [SchemaRow] = []
    var index = 0
    try connection.forEachRow("SELECT rowid, type, name, tbl_name, sql FROM \(name)") { row in
      guard index < stored.count, row.value(0) == .integer(stored[index].rowid) else {
        throw SealError.structure(path, 1, .schemaRecord)
      }
      defer { index += 1 }
      guard !isStatistics(row.value(3)) else { return }
      buffer.clear()
      try row.append(1..<5, to: buffer)
      let isTable = row.value(1) == .string("table") && stored[index].root != 0
      rows.append(
        SchemaRow(
          type: row.value(1), name: row.value(2), encoding: Array(buffer.bytes),
          record: isTable ? stored[index].record : [], root: stored[index].root))
    }
    guard index == stored.count else { throw SealError.structure(path, 1, .schemaRecord) }
    return rows.sorted { $0.encoding.lexicographicallyPrecedes($1.encoding) }
  }

  /// Gathers the rows as they are stored; whole where there is a tree.
  private final class StoredRows: SchemaConsumer {
    private(set) var found: [(rowid: Int64, record: [UInt8], root: UInt32)] = []
    private var row: (rowid: Int64, record: [UInt8], root: UInt32) = (0, [], 0)

    func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) {
      row = (cell.rowid, record.root == 0 ? [] : Array(start), record.root)
    }

    func more(_ bytes: UnsafeRawPointer, _ count: Int) {
      guard row.root != 0 else { return }
      row.record += UnsafeRawBufferPointer(start: bytes, count: count)
    }

    func end() { found.append(row) }
  }

  /// Whether a table holds the planner's statistics, which ANALYZE and `PRAGMA optimize` make anew.
  private static func isStatistics(_ table: Value) -> Bool {
    guard case .text(let bytes) = table else { return false }
    let prefix = Array("sqlite_stat".utf8)
    return bytes.count >= prefix.count
      && zip(bytes, prefix).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 && $1 != 0x5f) }
  }
}
