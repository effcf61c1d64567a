// Shows SQLite a database with one table in it: every page as it is, only page 1 replaced by one
// whose schema is a single row of the real one. So a table is read by SQLite's own rules (affinity,
// defaults of added columns, encodings) although the rest of the schema needs collations, functions,
// modules or syntax that the engine lacks; and nothing is scanned but the table itself, because its
// indexes are not there.

/// A snapshot under the schema of one table. The added pages stand behind the last one.
final class TableWindow: SnapshotFile {
  let size: UInt64
  private let base: any SnapshotFile
  private let first: [UInt8]
  private let behind: [UInt8]
  private let start: UInt64

  /// The rows of `sqlite_master`, as a table of this name with the columns type, name, tbl_name,
  /// rootpage and sql. `page` is page 1, decoded.
  static func schema(of base: any SnapshotFile, page: [UInt8], header: DatabaseHeader, path: String)
    throws -> (window: TableWindow, name: String)
  {
    let geometry = header.geometry
    var layout = try Layout(base, geometry, row: 0, path)
    let root = try onlyChild(page) ?? layout.add(moved(page, geometry, path))
    let sql = "CREATE TABLE master(type TEXT,name TEXT,tbl_name TEXT,rootpage INT,sql TEXT)"
    let record = record("table", "master", "master", root: root, sql, encoding: header.encoding)
    return (try TableWindow(base, page, layout, record), "master")
  }

  /// The table whose row in `sqlite_master` is `record`. `page` is page 1, decoded.
  convenience init(
    _ base: any SnapshotFile, page: [UInt8], geometry: PageGeometry, record: [UInt8], path: String
  ) throws {
    try self.init(base, page, Layout(base, geometry, row: record.count, path), record)
  }

  private init(_ base: any SnapshotFile, _ page: [UInt8], _ layout: Layout, _ record: [UInt8])
    throws
  {
    var layout = layout
    let leaf = try layout.addRow(record)
    self.base = base
    start = layout.start
    behind = layout.bytes
    size = start + UInt64(behind.count)
    var first = [UInt8](repeating: 0, count: layout.geometry.pageSize)
    first.replaceSubrange(0..<DatabaseHeader.length, with: page.prefix(DatabaseHeader.length))
    let pages = layout.next - 1
    first.withUnsafeMutableBytes { bytes in
      guard let page = bytes.baseAddress else { return }
      // A rollback journal's database of this many pages, without free ones, without auto_vacuum.
      page.storeBytes(of: 0x0101, toByteOffset: 18, as: UInt16.self)
      for (field, value) in [24: 1, 28: pages, 32: 0, 36: 0, 48: 0, 52: 0, 64: 0, 92: 1] {
        page.storeBig32(value, field)
      }
      // SQLite allows an interior page without cells as the root of page 1 only.
      page.storeBytes(of: BTreePage.Kind.interiorTable.rawValue, toByteOffset: 100, as: UInt8.self)
      page.storeBig16(layout.geometry.usable, 105)
      page.storeBig32(leaf, 108)
    }
    self.first = first
  }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var done = 0
    while done < buffer.count {
      let position = offset &+ UInt64(done)
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      if position < first.count {
        done += copy(first, from: Int(position), to: rest)
      } else if position >= start {
        guard position < size else { return false }
        done += copy(behind, from: Int(position - start), to: rest)
      } else {
        // Between the last page and the added ones there may be the lock-byte page.
        let end = position < base.size ? base.size : start
        let count = Int(clamping: min(end - position, UInt64(rest.count)))
        let part = UnsafeMutableRawBufferPointer(rebasing: rest[..<count])
        if position >= base.size {
          part.initializeMemory(as: UInt8.self, repeating: 0)
        } else if !base.read(offset: position, into: part) {
          return false
        }
        done += count
      }
    }
    return true
  }

  private func copy(
    _ bytes: [UInt8], from position: Int, to buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let count = min(bytes.count - position, buffer.count)
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position...].prefix(count)))
    }
    return count
  }

  /// The subtree of an interior page 1 without cells; nil for any other. SQLite has such a page where
  /// what was in it does not fit beside the database header, and calls it malformed elsewhere.
  private static func onlyChild(_ page: [UInt8]) -> UInt32? {
    let start = DatabaseHeader.length
    guard page[start] == BTreePage.Kind.interiorTable.rawValue,
      page[start + 3] | page[start + 4] == 0
    else { return nil }
    return page[(start + 8)..<(start + 12)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Page 1 as a page of another number: without the database header before its B-tree header.
  private static func moved(_ page: [UInt8], _ geometry: PageGeometry, _ path: String) throws
    -> [UInt8]
  {
    let start = DatabaseHeader.length
    guard page.count == geometry.pageSize else { throw SealError.structure(path, 1, .pageType) }
    let isLeaf = page[start] == BTreePage.Kind.leafTable.rawValue
    let length = (isLeaf ? 8 : 12) + 2 * (Int(page[start + 3]) << 8 | Int(page[start + 4]))
    guard start + length <= geometry.usable else { throw SealError.structure(path, 1, .cellCount) }
    var moved = page
    moved.replaceSubrange(0..<length, with: page[start..<(start + length)])
    return moved
  }

  /// A row of `sqlite_master`, of ASCII texts.
  private static func record(
    _ type: String, _ name: String, _ table: String, root: UInt32, _ sql: String, encoding: UInt32
  ) -> [UInt8] {
    func text(_ text: String) -> [UInt8] {
      switch encoding & 3 {
      case 2: text.utf8.flatMap { [$0, 0] }
      case 3: text.utf8.flatMap { [0, $0] }
      default: Array(text.utf8)
      }
    }
    let number = withUnsafeBytes(of: UInt64(root).bigEndian) { Array($0) }
    let values = [text(type), text(name), text(table), number, text(sql)]
    let types = values.enumerated().flatMap { index, value in
      Varint.bytes(index == 3 ? 6 : UInt64(13 + 2 * value.count))
    }
    // Five short types: the header's own length takes one byte.
    return Varint.bytes(UInt64(types.count + 1)) + types + values.flatMap { $0 }
  }
}

/// Pages that are added behind a database, one after another.
private struct Layout {
  let geometry: PageGeometry
  /// Offset of the first added page.
  let start: UInt64
  private(set) var bytes: [UInt8] = []
  /// The number of the next page.
  private(set) var next: UInt32
  private let path: String

  /// The pages behind `base`, for a page and a row of `row` bytes; behind the lock-byte page too,
  /// where they would reach it.
  init(_ base: any SnapshotFile, _ geometry: PageGeometry, row: Int, _ path: String) throws {
    let last = base.size / UInt64(geometry.pageSize)
    let lockPage = UInt64(geometry.lockPage)
    let room = UInt64(max(row, 1024) / (geometry.usable - 4)) + 4
    let first = last < lockPage && last + room >= lockPage ? lockPage + 1 : last + 1
    guard let next = UInt32(exactly: first), first + room < UInt64(UInt32.max) else {
      throw SealError.structure(path, 1, .pageOutside)
    }
    self.geometry = geometry
    self.path = path
    self.next = next
    start = (first - 1) * UInt64(geometry.pageSize)
  }

  /// Adds a page; its number.
  mutating func add(_ page: [UInt8]) throws -> UInt32 {
    bytes += page
    next += 1
    return next - 1
  }

  /// Adds a table leaf with one row, and the overflow pages of that; the leaf's number.
  mutating func addRow(_ record: [UInt8]) throws -> UInt32 {
    let leaf = next
    let local = geometry.local(record.count, most: geometry.tableMax)
    var cell = Varint.bytes(UInt64(record.count)) + [1] + record.prefix(local)
    if local < record.count {
      cell += withUnsafeBytes(of: (leaf + 1).bigEndian) { Array($0) }
    }
    let content = geometry.usable - max(4, cell.count)
    var page = [UInt8](repeating: 0, count: geometry.pageSize)
    page[0] = BTreePage.Kind.leafTable.rawValue
    page[4] = 1
    for place in [5, 8] {
      page[place] = UInt8(truncatingIfNeeded: content >> 8)
      page[place + 1] = UInt8(truncatingIfNeeded: content)
    }
    page.replaceSubrange(content..<(content + cell.count), with: cell)
    _ = try add(page)
    var rest = record[local...]
    while !rest.isEmpty {
      let part = rest.prefix(geometry.usable - 4)
      rest = rest.dropFirst(part.count)
      let following = rest.isEmpty ? 0 : next + 1
      var page = withUnsafeBytes(of: following.bigEndian) { Array($0) } + part
      page += [UInt8](repeating: 0, count: geometry.pageSize - page.count)
      _ = try add(page)
    }
    return leaf
  }
}
