// The list of trees that a database holds, from the rows of `sqlite_master` (the tree at page 1).

/// Takes rows of `sqlite_master`, in order.
protocol SchemaConsumer: AnyObject {
  /// A row begins: its cell, the start of its payload, and what that says about the root page.
  func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) throws
  /// More of its payload.
  func more(_ bytes: UnsafeRawPointer, _ count: Int) throws
  /// The row is complete.
  func end() throws
}

/// Reads `sqlite_master` row by row. Of a row no more is held in memory than says what it is: SQL
/// of a gigabyte goes by in pieces.
final class SchemaReader: TreeConsumer {
  private let cursor: TreeCursor
  private let consumer: any SchemaConsumer
  /// The start of a row's payload, until it says enough.
  private var start: [UInt8] = []

  private init(_ cursor: TreeCursor, _ consumer: any SchemaConsumer) {
    self.cursor = cursor
    self.consumer = consumer
  }

  /// Gives every row to `consumer` in the order of rowids, and marks the pages in
  /// `cursor.visited`. Throws damage also for a row that no SQLite would read.
  static func forEachRow(_ cursor: TreeCursor, _ consumer: any SchemaConsumer) throws {
    guard try cursor.start(1) else { throw SealError.structure(cursor.path, 1, .mixedTree) }
    try cursor.run(SchemaReader(cursor, consumer))
  }

  /// The root pages of all trees but page 1, in the order of the rows. Marks nothing in `visited`.
  static func roots(
    source: any PageReading, path: String, geometry: PageGeometry
  ) throws -> [UInt32] {
    let cursor = TreeCursor(source: source, path: path, geometry: geometry)
    let roots = Roots(path: path, pageCount: cursor.pageCount)
    try forEachRow(cursor, roots)
    return roots.found
  }

  /// Gathers root pages and checks that each can be one.
  private final class Roots: SchemaConsumer {
    private(set) var found: [UInt32] = []
    private let path: String
    private let seen: PageBitmap

    init(path: String, pageCount: UInt32) {
      self.path = path
      seen = PageBitmap(count: pageCount)
    }

    func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) throws {
      guard record.root != 0 else { return }
      guard record.root <= seen.count else {
        throw SealError.structure(path, record.root, .pageOutside)
      }
      guard record.root > 1, seen.insert(record.root) else {
        throw SealError.structure(path, record.root, .pageTwice)
      }
      found.append(record.root)
    }

    func more(_ bytes: UnsafeRawPointer, _ count: Int) {}
    func end() {}
  }

  func leaf(_ page: BTreePage) throws {
    var room = page.room
    for i in 0..<page.count {
      let cell: Cell
      do throws(StructureFlaw) {
        cell = try page.tableLeafCell(i)
        room &-= cell.size
        guard room >= 0 else { throw .cellCount }
      } catch { throw SealError.structure(cursor.path, page.number, error) }
      try row(cell, on: page.number)
    }
  }

  func separator(_ cell: Cell, on page: UInt32) throws {
    throw SealError.structure(cursor.path, page, .mixedTree)
  }

  private func row(_ cell: Cell, on page: UInt32) throws {
    start.removeAll(keepingCapacity: true)
    var hasBegun = false
    try cursor.overflow.forEachPiece(of: cell, on: page, visited: cursor.visited) { bytes, count in
      if hasBegun { return try consumer.more(bytes, count) }
      start.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
      hasBegun = try begin(cell, on: page)
    }
    try consumer.end()
  }

  /// Begins the row if enough of it is there; whether it did.
  private func begin(_ cell: Cell, on page: UInt32) throws -> Bool {
    try start.withUnsafeBytes { bytes in
      guard let wanted = SchemaRecord.wanted(of: bytes, total: cell.length) else {
        throw SealError.structure(cursor.path, page, .schemaRecord)
      }
      guard bytes.count >= wanted else { return false }
      guard let record = SchemaRecord(bytes, total: cell.length) else {
        throw SealError.structure(cursor.path, page, .schemaRecord)
      }
      try consumer.begin(cell, bytes, record)
      return true
    }
  }
}
