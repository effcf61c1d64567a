// The rows of one table as SQLite answers them, in the order of the table's tree: the columns that
// are stored, in the order of their declaration. Generated columns that are not stored are left
// out: they follow from the others, and may need a function that this engine lacks.

/// A forward cursor over a table. Used by one thread.
final class TableRows {
  /// SQLite answers up to 2000 columns in one statement; the rowid is one more.
  private static let columnsPerStatement = 1000

  /// Rows have a rowid that counts, and come in its order. Otherwise they are a heap.
  let isOrdered: Bool
  /// Names of the stored columns.
  let columns: [[UInt8]]
  /// The row's rowid where rows are ordered.
  private(set) var rowid: Int64 = 0
  /// Rows met so far.
  private(set) var count: UInt64 = 0
  /// The row: its rowid where rows are ordered, then its columns.
  let buffer = ValueBuffer()

  private let content: DatabaseContent
  private let root: UInt32
  private let statements: [(statement: Statement, columns: Range<Int>)]

  /// `connection` must see `table` and may see nothing else.
  init(
    _ connection: Connection, _ table: SchemaRow, isRowidTable: Bool, _ content: DatabaseContent
  ) throws {
    self.content = content
    root = table.root
    try connection.toleratesMissingCollations()
    guard case .text(let bytes) = table.name else {
      throw SealError.structure(content.path, 1, .schemaRecord)
    }
    let name = Self.quoted(bytes)
    let all = try Self.names(connection, name, table)
    columns = all.filter(\.isStored).map(\.name)
    let taken = Set(all.map { Self.lowercased($0.name) })
    let rowid = ["rowid", "_rowid_", "oid"].map { Array($0.utf8) }.first { !taken.contains($0) }
    let sequence = Self.lowercased(bytes) == Array("sqlite_sequence".utf8)
    isOrdered = isRowidTable && rowid != nil && !sequence
    let source = try Self.source(connection, name, isRowidTable)
    var names = columns.map(Self.quoted)
    if isOrdered, let rowid { names.insert(rowid, at: 0) }
    if names.isEmpty { names = [Array("1".utf8)] }
    let starts = stride(from: 0, to: names.count, by: Self.columnsPerStatement)
    statements = try starts.map { start in
      let part = names[start...].prefix(Self.columnsPerStatement)
      let sql = Array("SELECT ".utf8) + part.joined(separator: Array(", ".utf8)) + source
      return (try Statement(unsettled: connection, bytes: sql), 0..<part.count)
    }
  }

  /// Goes to the next row; false at the end.
  func next() throws -> Bool {
    if count & 0xff == 0 { try content.cancellation.check() }
    return try content.explaining(root) {
      buffer.clear()
      var isThere = true
      for (index, part) in statements.enumerated() {
        let more = try part.statement.step()
        if index == 0 {
          isThere = more
          if isOrdered, more { rowid = part.statement.value(0).integer ?? 0 }
        }
        guard more == isThere else { throw SealError.structure(content.path, 1, .mixedTree) }
        if more { try part.statement.append(part.columns, to: buffer) }
      }
      if isThere { count += 1 }
      return isThere
    }
  }

  /// The table's columns in their order.
  private static func names(_ connection: Connection, _ table: [UInt8], _ row: SchemaRow) throws
    -> [(name: [UInt8], isStored: Bool)]
  {
    // `table_info` leaves generated columns out; before 3.31 there are none.
    let word = Engine.current.sqliteVersionNumber >= 3_031_000 ? "table_xinfo" : "table_info"
    let sql = Array("PRAGMA \(word)(".utf8) + table + Array(")".utf8)
    let statement = try Statement(unsettled: connection, bytes: sql)
    var names: [(name: [UInt8], isStored: Bool)] = []
    while try statement.step() {
      guard case .text(let name) = statement.value(1) else { continue }
      names.append((name, statement.columnCount < 7 || statement.value(6) != .integer(2)))
    }
    guard !names.isEmpty else {
      throw SealError.unsupported(.schema(message: "no such table: \(row.label)"))
    }
    return names
  }

  /// What follows the columns. A table without rowid is its primary key's index, and SQLite might
  /// take another one that covers all columns.
  private static func source(_ connection: Connection, _ table: [UInt8], _ isRowidTable: Bool)
    throws -> [UInt8]
  {
    let from = Array(" FROM main.".utf8) + table
    guard !isRowidTable else { return from + Array(" NOT INDEXED".utf8) }
    let list = try Statement(
      unsettled: connection, bytes: Array("PRAGMA index_list(".utf8) + table + Array(")".utf8))
    while try list.step() {
      if list.value(3) == .string("pk"), case .text(let name) = list.value(1) {
        return from + Array(" INDEXED BY ".utf8) + quoted(name)
      }
    }
    return from
  }

  private static func quoted(_ name: [UInt8]) -> [UInt8] {
    [0x22] + name.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
  }

  /// As SQLite compares names: ASCII letters without their case.
  private static func lowercased(_ name: [UInt8]) -> [UInt8] {
    name.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }
}
