// How many records a tree holds, counted from its pages: no collation, function or module has to be
// known for that, and no index is asked instead of the table.

/// Counts the records of one tree.
final class TreeCounter: TreeConsumer {
  private var records: UInt64 = 0

  private init() {}

  /// The rows of the table whose tree starts at `root`. Throws damage.
  static func records(
    in root: UInt32, of source: any PageReading, path: String, _ header: DatabaseHeader
  )
    throws -> UInt64
  {
    let cursor = TreeCursor(source: source, path: path, geometry: header.geometry)
    let counter = TreeCounter()
    _ = try cursor.start(root)
    try cursor.run(counter)
    return counter.records
  }

  func leaf(_ page: BTreePage) throws { records &+= UInt64(page.count) }

  func separator(_ cell: Cell, on page: UInt32) throws { records &+= 1 }
}
