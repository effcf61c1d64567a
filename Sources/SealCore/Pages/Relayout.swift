// Copies a database into another page size or reserve: each tree is read in order and loaded anew.
// No key is compared and no SQL is parsed, so collations, functions and modules that nobody here
// knows arrive unchanged, and so do rowids. Of the content only the root page numbers in
// `sqlite_master` change. Free pages are left behind.

/// Re-lays the B-trees of a database.
final class Relayout: TreeConsumer {
  /// What was written.
  struct Result {
    /// Pages of the new database. Its lock-byte page, where it is large enough to have one, is
    /// among them and was not written: it must read as zeros.
    var pageCount: UInt32
    /// The content, digested under the key that was given.
    var content: ContentSummary
    /// The header as it was written.
    var header: DatabaseHeader
  }

  private let cursor: TreeCursor
  private let output: PageOutput
  private let loader: TreeLoader
  private let splitter: CellSplitter
  private let digest: ContentDigest
  private let head: UnsafeMutableRawPointer
  private var isTable = true
  private var lastRowid: Int64 = 0

  private init(
    cursor: TreeCursor, output: PageOutput, key: Secret
  ) throws {
    self.cursor = cursor
    self.output = output
    loader = TreeLoader(output: output, path: cursor.path)
    splitter = CellSplitter(output: output)
    digest = try ContentDigest(key: key)
    head = .allocate(byteCount: 2 * Varint.maxLength, alignment: 8)
  }

  deinit { head.deallocate() }

  /// Copies `source` to `sink` with pages of `pageSize` bytes, `reserve` of them left alone (zero).
  /// Page 1 is the last page written. `path` names the source in errors; `key` is for the digest
  /// (`StreamDigest.randomKey`). `lockByte` differs in tests only. Throws `SealError.damaged`,
  /// `.badProfile` for an impossible layout, and what source and sink throw.
  static func run(
    from source: any PageReading, path: String, to sink: any PageWriting, pageSize: Int,
    reserve: Int, key: Secret,
    lockByte: Int = PageGeometry.lockByte
  ) throws -> Result {
    guard let geometry = PageGeometry(pageSize: pageSize, reserve: reserve, lockByte: lockByte)
    else { throw SealError.badProfile(.usableSize(pageSize: pageSize, reserve: reserve)) }
    let (header, bytes) = try DatabaseHeader.read(from: source, path: path, lockByte: lockByte)
    let roots = try SchemaReader.roots(source: source, path: path, geometry: header.geometry)
    let cursor = TreeCursor(source: source, path: path, geometry: header.geometry)
    let output = PageOutput(
      sink: sink, path: path, geometry: geometry, autoVacuum: header.hasAutoVacuum)
    let relayout = try Relayout(cursor: cursor, output: output, key: key)
    let newRoots = try relayout.copyTrees(roots)
    let first = UnsafeMutableRawBufferPointer.allocate(
      byteCount: pageSize + BTreePage.slack, alignment: 16)
    defer { first.deallocate() }
    first.initializeMemory(as: UInt8.self, repeating: 0)
    guard let page = first.baseAddress else { throw SealError.badProfile(.pageSize(pageSize)) }
    try relayout.copySchema(newRoots, firstPage: page)
    try output.finish()
    first.copyBytes(from: bytes)
    let largest = header.hasAutoVacuum ? max(1, newRoots.max() ?? 1) : 0
    writeHeader(page, geometry, header, pageCount: output.last, largestRoot: largest)
    let written = try DatabaseHeader(UnsafeRawBufferPointer(first), path: path, lockByte: lockByte)
    try output.write(1, page)
    return Result(
      pageCount: output.last, content: try relayout.digest.finish(), header: written)
  }

  /// Changes what the layout changes in the database header at `page`.
  private static func writeHeader(
    _ page: UnsafeMutableRawPointer, _ geometry: PageGeometry, _ source: DatabaseHeader,
    pageCount: UInt32, largestRoot: UInt32
  ) {
    page.storeBig16(geometry.pageSize == 65536 ? 1 : geometry.pageSize, 16)
    page.storeBytes(
      of: UInt8(truncatingIfNeeded: geometry.reserve), toByteOffset: 20, as: UInt8.self)
    page.storeBig32(pageCount, 28)
    page.storeBig32(0, 32)
    page.storeBig32(0, 36)
    page.storeBig32(largestRoot, 52)
    page.storeBig32(source.changeCounter, 92)
  }

  /// Copies the trees at `roots` and says where their new roots are.
  private func copyTrees(_ roots: [UInt32]) throws -> [UInt32] {
    var reserved: [UInt32] = []
    if let map = output.map {
      // SQLite wants all roots at the front of a database with auto_vacuum.
      reserved = try roots.map { _ in
        let number = try output.allocate()
        try map.note(number, .root, parent: 0)
        return number
      }
    }
    return try roots.indices.map { i in
      isTable = try cursor.start(roots[i])
      digest.beginTree(isTable: isTable)
      loader.begin(isTable: isTable)
      try cursor.run(self)
      return try loader.finish(reserved: output.map == nil ? nil : reserved[i])
    }
  }

  /// Copies `sqlite_master` with `roots` in it; its root goes to `firstPage`.
  private func copySchema(_ roots: [UInt32], firstPage: UnsafeMutableRawPointer) throws {
    digest.beginTree(isTable: true)
    loader.begin(isTable: true)
    try SchemaReader.forEachRow(cursor, SchemaRows(self, roots))
    try loader.finishFirstPage(firstPage)
  }

  /// Loads the rows of `sqlite_master` with new root pages.
  private final class SchemaRows: SchemaConsumer {
    private let relayout: Relayout
    private let roots: [UInt32]
    private var ordinal = 0
    private var rowid: Int64 = 0

    init(_ relayout: Relayout, _ roots: [UInt32]) {
      self.relayout = relayout
      self.roots = roots
    }

    func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) throws {
      var root: UInt32 = 0
      if record.root != 0 {
        guard ordinal < roots.count else {
          throw SealError.changedWhileReading(path: relayout.cursor.path)
        }
        root = roots[ordinal]
        ordinal += 1
      }
      relayout.digest.beginSchemaRow(
        cell, start, record,
        ordinal: root == 0 ? 0 : UInt32(truncatingIfNeeded: ordinal))
      rowid = cell.rowid
      let (head, tail) = record.pieces(of: start, withRoot: root)
      let total = cell.length + head.count - (start.count - tail.count)
      let varints = relayout.head
      var length = Varint.write(UInt64(total), to: varints)
      length += Varint.write(UInt64(bitPattern: rowid), to: varints + length)
      relayout.splitter.begin(head: varints, length, length: total, isTable: true)
      try head.withUnsafeBytes { try append($0) }
      try append(tail)
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws {
      if let base = bytes.baseAddress { try relayout.splitter.append(base, bytes.count) }
    }

    func more(_ bytes: UnsafeRawPointer, _ count: Int) throws {
      relayout.digest.bytes(bytes, count)
      try relayout.splitter.append(bytes, count)
    }

    func end() throws {
      let (loader, splitter) = (relayout.loader, relayout.splitter)
      if !loader.leaf.append(splitter.cell, splitter.size) {
        try loader.leafFull(splitter.cell, splitter.size, previous: relayout.lastRowid)
      }
      relayout.lastRowid = rowid
    }
  }

  func leaf(_ page: BTreePage) throws {
    if isTable { try tableLeaf(page) } else { try indexLeaf(page) }
  }

  private func tableLeaf(_ page: BTreePage) throws {
    let most = output.geometry.tableMax
    var node = loader.leaf
    var previous = lastRowid
    var room = page.room
    for i in 0..<page.count {
      let cell: Cell
      do throws(StructureFlaw) {
        cell = try page.tableLeafCell(i)
        room &-= cell.size
        guard room >= 0 else { throw .cellCount }
      } catch { throw SealError.structure(cursor.path, page.number, error) }
      if cell.local == cell.length, cell.length <= most {
        digest.record(cell, isTable: true)
        if !node.append(cell.start, cell.size) {
          try loader.leafFull(cell.start, cell.size, previous: previous)
          node = loader.leaf
        }
      } else {
        digest.beginRecord(cell, isTable: true)
        try split(cell, on: page.number, child: 0)
        if !node.append(splitter.cell, splitter.size) {
          try loader.leafFull(splitter.cell, splitter.size, previous: previous)
          node = loader.leaf
        }
      }
      previous = cell.rowid
    }
    lastRowid = previous
  }

  private func indexLeaf(_ page: BTreePage) throws {
    var node = loader.leaf
    var room = page.room
    for i in 0..<page.count {
      let cell: Cell
      do throws(StructureFlaw) {
        cell = try page.indexCell(i, child: 0)
        room &-= cell.size
        guard room >= 0 else { throw .cellCount }
      } catch { throw SealError.structure(cursor.path, page.number, error) }
      try record(cell, on: page.number, child: 0, to: &node)
    }
  }

  func separator(_ cell: Cell, on page: UInt32) throws {
    var node = loader.leaf
    try record(cell, on: page, child: 4, to: &node)
  }

  /// Loads an index record; `child` is the length of a child's number before it, `node` the loader's
  /// leaf.
  @inline(__always)
  private func record(_ cell: Cell, on page: UInt32, child: Int, to node: inout PageNode) throws {
    var start = cell.start + child
    var size = cell.size &- child
    if cell.local == cell.length, cell.length <= output.geometry.indexMax {
      digest.record(cell, isTable: false)
    } else {
      digest.beginRecord(cell, isTable: false)
      try split(cell, on: page, child: child)
      start = splitter.cell
      size = splitter.size
    }
    guard !node.append(start, size) else { return }
    try loader.leafFull(start, size)
    node = loader.leaf
  }

  /// Lays the payload of `cell` out anew; the cell is in `splitter` then.
  private func split(_ cell: Cell, on page: UInt32, child: Int) throws {
    let start = cell.start + child
    splitter.begin(
      head: start, cell.payload - start, length: cell.length, isTable: isTable)
    try cursor.overflow.forEachPiece(of: cell, on: page, visited: cursor.visited) { bytes, count in
      digest.bytes(bytes, count)
      try splitter.append(bytes, count)
    }
  }
}
