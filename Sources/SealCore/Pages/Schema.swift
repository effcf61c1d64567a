// The list of trees that a database holds, from the rows of `sqlite_master` (the tree at page 1).

/// Reads `sqlite_master` row by row. One row is held in memory at a time.
final class SchemaReader: TreeConsumer {
  /// Gets the cell of a row, its whole payload, and what that says about the root page.
  typealias Row = (Cell, UnsafeRawBufferPointer, SchemaRecord) throws -> Void

  private let cursor: TreeCursor
  private let body: Row
  private var payload: [UInt8] = []

  private init(_ cursor: TreeCursor, _ body: @escaping Row) {
    self.cursor = cursor
    self.body = body
  }

  /// Gives every row to `body` in the order of rowids, and marks the pages in `cursor.visited`.
  /// Throws damage also for a root page that cannot be one.
  static func forEachRow(_ cursor: TreeCursor, _ body: @escaping Row) throws {
    guard try cursor.start(1) else { throw SealError.structure(cursor.path, 1, .mixedTree) }
    try cursor.run(SchemaReader(cursor, body))
  }

  /// The root pages of all trees but page 1, in the order of the rows. Marks nothing in `visited`.
  static func roots(
    source: any PageReading, path: String, geometry: PageGeometry
  ) throws -> [UInt32] {
    let cursor = TreeCursor(source: source, path: path, geometry: geometry)
    let seen = PageBitmap(count: cursor.pageCount)
    var roots: [UInt32] = []
    try forEachRow(cursor) { _, _, record in
      guard record.root != 0 else { return }
      guard record.root <= cursor.pageCount else {
        throw SealError.structure(path, record.root, .pageOutside)
      }
      guard record.root > 1, seen.insert(record.root) else {
        throw SealError.structure(path, record.root, .pageTwice)
      }
      roots.append(record.root)
    }
    return roots
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
    payload.removeAll(keepingCapacity: true)
    try cursor.overflow.forEachPiece(of: cell, on: page, visited: cursor.visited) { bytes, count in
      payload.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    try payload.withUnsafeBytes { bytes in
      guard let record = SchemaRecord(bytes) else {
        throw SealError.structure(cursor.path, page, .schemaRecord)
      }
      try body(cell, bytes, record)
    }
  }
}
