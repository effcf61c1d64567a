// Reads everything that a database holds, writes nothing, and says what it was: the second half of
// the proof that a conversion lost nothing. On the way every page that a tree uses is checked.

/// Walks all trees of a database for its digest.
final class ContentWalk: TreeConsumer {
  private let cursor: TreeCursor
  private let digest: ContentDigest
  private var isTable = true

  private init(_ cursor: TreeCursor, _ digest: ContentDigest) {
    self.cursor = cursor
    self.digest = digest
  }

  /// The content of `source`, digested under `key` (`StreamDigest.randomKey`); without a key the pages are checked and not digested. Throws damage, with `path` in it,
  /// and whatever reading throws. `lockByte` differs in tests only.
  @discardableResult
  static func summary(
    of source: any PageReading, path: String, key: Secret?,
    lockByte: Int = PageGeometry.lockByte
  ) throws -> ContentSummary {
    let header = try DatabaseHeader.read(from: source, path: path, lockByte: lockByte).header
    let roots = try SchemaReader.roots(source: source, path: path, geometry: header.geometry)
    let cursor = TreeCursor(source: source, path: path, geometry: header.geometry)
    let digest = try ContentDigest(key: key)
    let walk = ContentWalk(cursor, digest)
    for root in roots {
      walk.isTable = try cursor.start(root)
      digest.beginTree(isTable: walk.isTable)
      try cursor.run(walk)
    }
    digest.beginTree(isTable: true)
    try SchemaReader.forEachRow(cursor, SchemaRows(digest))
    return try digest.finish()
  }

  /// Digests the rows of `sqlite_master`.
  private final class SchemaRows: SchemaConsumer {
    private let digest: ContentDigest
    private var ordinal: UInt32 = 0

    init(_ digest: ContentDigest) { self.digest = digest }

    func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) {
      if record.root != 0 { ordinal &+= 1 }
      digest.beginSchemaRow(cell, start, record, ordinal: record.root == 0 ? 0 : ordinal)
    }

    func more(_ bytes: UnsafeRawPointer, _ count: Int) { digest.bytes(bytes, count) }
    func end() {}
  }

  func leaf(_ page: BTreePage) throws {
    let isTable = isTable
    var room = page.room
    for i in 0..<page.count {
      let cell: Cell
      do throws(StructureFlaw) {
        cell = isTable ? try page.tableLeafCell(i) : try page.indexCell(i, child: 0)
        room &-= cell.size
        guard room >= 0 else { throw .cellCount }
      } catch { throw SealError.structure(cursor.path, page.number, error) }
      if cell.local == cell.length {
        digest.record(cell, isTable: isTable)
      } else {
        digest.beginRecord(cell, isTable: isTable)
        try pieces(of: cell, on: page.number)
      }
    }
  }

  func separator(_ cell: Cell, on page: UInt32) throws {
    digest.beginRecord(cell, isTable: false)
    try pieces(of: cell, on: page)
  }

  private func pieces(of cell: Cell, on page: UInt32) throws {
    try cursor.overflow.forEachPiece(of: cell, on: page, visited: cursor.visited) {
      digest.bytes($0, $1)
    }
  }
}

extension DatabaseHeader {
  /// Reads page 1 of `source`: its header understood, and as it stands. Throws `SealError.damaged`
  /// also where the header's page size is not that of the pages.
  static func read(
    from source: any PageReading, path: String, lockByte: Int = PageGeometry.lockByte
  ) throws -> (header: DatabaseHeader, bytes: [UInt8]) {
    guard source.pageCount > 0 else {
      throw SealError.damaged(Damage(path: path, flaw: .header(field: "header string")))
    }
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: source.pageSize, alignment: 16)
    defer { page.deallocate() }
    guard let start = page.baseAddress, page.count >= length else {
      throw SealError.damaged(Damage(path: path, flaw: .header(field: "page size")))
    }
    try source.read(1, into: start)
    let header = try DatabaseHeader(UnsafeRawBufferPointer(page), path: path, lockByte: lockByte)
    guard header.pageSize == source.pageSize else {
      throw SealError.damaged(Damage(path: path, flaw: .header(field: "page size")))
    }
    return (header, Array(page[..<length]))
  }
}
