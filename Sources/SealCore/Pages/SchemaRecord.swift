// A row of `sqlite_master`, as far as a new layout must know it: whether it has a tree, and where
// the root page number stands, the one value that changes. The rest of the record stays byte for
// byte. What is believed of a row is what SQLite believes (sqlite3InitCallback in prepare.c).

/// The root page of a row of `sqlite_master`, and where in the record it stands.
struct SchemaRecord: Equatable {
  /// type, name, tbl_name, rootpage, sql.
  private static let rootColumn = 3
  private static let sqlColumn = 4
  /// The longest record header that SQLite reads, in bytes (OP_Column in vdbe.c).
  private static let longestHeader = 98307
  /// Bytes of the SQL that are looked at: enough for the words before a name.
  private static let sqlStart = 256

  /// The root page; 0 where the row has no tree (views, triggers, virtual tables).
  private(set) var root: UInt32 = 0
  /// The row has no tree and all the same a root page, which SQLite ignores.
  private(set) var hasIdleRoot = false
  private var headerStart = 0
  private var headerEnd = 0
  /// Where type and value of the root page stand.
  private var type = 0..<0
  private var value = 0..<0

  /// How many bytes from the start of a record of `total` bytes `init` wants to see, as far as
  /// `start` tells; nil for a record that cannot be a row. At most that many are enough.
  static func wanted(of start: UnsafeRawBufferPointer, total: Int) -> Int? {
    guard start.count >= min(total, Varint.maxLength) else { return min(total, Varint.maxLength) }
    guard let size = headerSize(start, total: total) else { return nil }
    guard start.count >= size else { return size }
    guard let columns = columns(start, size: size, total: total) else { return nil }
    return columns.count > sqlColumn
      ? columns[sqlColumn].body.lowerBound + min(columns[sqlColumn].body.count, sqlStart)
      : columns.last?.body.upperBound
  }

  /// Understands a record of `total` bytes by its `start`, which holds what `wanted` asks for.
  /// nil where it cannot be a row of `sqlite_master`.
  init?(_ start: UnsafeRawBufferPointer, total: Int) {
    guard let wanted = Self.wanted(of: start, total: total), start.count >= wanted,
      let size = Self.headerSize(start, total: total),
      let header = Varint.read(start, at: 0),
      let columns = Self.columns(start, size: size, total: total)
    else { return nil }
    headerStart = header.length
    headerEnd = size
    let root = columns[Self.rootColumn]
    type = root.type
    value = root.body
    // Type, name and table are texts in every row that SQLite accepts.
    guard columns[..<Self.rootColumn].allSatisfy({ $0.isText }),
      let number = SerialType.pageNumber(root.serial, start[root.body])
    else { return nil }
    let kind = Self.letters(start[columns[0].body])
    var words: [[UInt8]] = []
    if columns.count > Self.sqlColumn, !columns[Self.sqlColumn].isNull {
      let sql = columns[Self.sqlColumn]
      guard sql.isText else { return nil }
      words = Self.words(start[sql.body.lowerBound..<min(sql.body.upperBound, start.count)])
    }
    // Only the indexes that a constraint makes come without SQL.
    guard !words.isEmpty || kind == Array("index".utf8) else { return nil }
    switch Self.expectation(kind, words.count > 1 ? words[1] : []) {
    case .tree:
      guard number != 0 else { return nil }
      self.root = number
    case .none: hasIdleRoot = number != 0
    case .either: self.root = number
    }
  }

  /// What `start` becomes with `root` (0: none) in place of its root page: new bytes, and those that
  /// follow them. A row that has no root page to change stays as it is.
  func pieces(
    of start: UnsafeRawBufferPointer, withRoot root: UInt32
  ) -> (head: [UInt8], tail: UnsafeRawBufferPointer) {
    guard self.root != 0 || hasIdleRoot else { return ([], start) }
    return (
      head(of: start, withRoot: root), UnsafeRawBufferPointer(rebasing: start[value.upperBound...])
    )
  }

  /// The record up to the root page, with `root` in its place.
  private func head(of start: UnsafeRawBufferPointer, withRoot root: UInt32) -> [UInt8] {
    let (serial, bytes) = Self.encode(root)
    let inner = headerEnd - headerStart - type.count + 1
    var size = inner + 1
    while size != inner + Varint.length(UInt64(size)) {
      size = inner + Varint.length(UInt64(size))
    }
    var record = Varint.bytes(UInt64(size))
    record += start[headerStart..<type.lowerBound]
    record.append(serial)
    record += start[type.upperBound..<value.lowerBound]
    record += bytes
    return record
  }
}

// MARK: - What SQLite makes of a row

extension SchemaRecord {
  private enum Expectation { case tree, none, either }

  /// Whether a row of `kind` whose SQL goes `CREATE word` has a tree. Where the two contradict each
  /// other, the number decides: nothing that some SQLite might read as a table is passed over.
  private static func expectation(_ kind: [UInt8], _ word: [UInt8]) -> Expectation {
    let isTree = ["table", "index", "unique"].contains { word == Array($0.utf8) }
    switch kind {
    case Array("table".utf8): return word == Array("virtual".utf8) ? .none : .tree
    case Array("index".utf8): return .tree
    case Array("view".utf8), Array("trigger".utf8): return isTree ? .either : .none
    default: return isTree ? .tree : .either
    }
  }

  /// The ASCII letters of a text in lower case; UTF-16 has zero bytes between them.
  private static func letters(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    bytes.prefix(64).filter { $0 != 0 }.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }

  /// The first two words of SQL in lower case; comments count as blanks.
  private static func words(_ sql: Slice<UnsafeRawBufferPointer>) -> [[UInt8]] {
    let text = sql.filter { $0 != 0 }
    var words: [[UInt8]] = [[]]
    var place = 0
    while place < text.count, words.count < 3 {
      let rest = text[place...]
      if rest.starts(with: Array("/*".utf8)) {
        place += 2
        while place < text.count, !text[place...].starts(with: Array("*/".utf8)) { place += 1 }
        place += 2
      } else if rest.starts(with: Array("--".utf8)) {
        while place < text.count, text[place] != 0x0a { place += 1 }
      } else if text[place] > 0x20 {
        let byte = text[place]
        words[words.count - 1].append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte)
        place += 1
        continue
      } else {
        place += 1
      }
      if words.last?.isEmpty == false { words.append([]) }
    }
    return words.filter { !$0.isEmpty }
  }
}

// MARK: - Record format

extension SchemaRecord {
  /// A column: its serial type, where that stands, and where its value does.
  private struct Column {
    let serial: UInt64
    let type: Range<Int>
    let body: Range<Int>
    /// Text or blob, which SQLite reads alike here.
    var isText: Bool { serial >= 12 }
    var isNull: Bool { serial == 0 }
  }

  private static func headerSize(_ start: UnsafeRawBufferPointer, total: Int) -> Int? {
    guard let header = Varint.read(start, at: 0), let size = Int(exactly: header.value),
      size >= header.length, size <= min(total, longestHeader)
    else { return nil }
    return size
  }

  /// The columns up to the SQL, at least four. nil where one leaves the record, or where they end
  /// before it does: SQLite calls that a malformed record.
  private static func columns(
    _ start: UnsafeRawBufferPointer, size: Int, total: Int
  ) -> [Column]? {
    guard size <= start.count, let header = Varint.read(start, at: 0) else { return nil }
    let head = UnsafeRawBufferPointer(rebasing: start[..<size])
    var columns: [Column] = []
    var place = header.length
    var body = size
    while columns.count <= sqlColumn, place < size {
      guard let serial = Varint.read(head, at: place), let length = SerialType.length(serial.value),
        length <= total - body
      else { return nil }
      columns.append(
        Column(
          serial: serial.value, type: place..<(place + serial.length), body: body..<(body + length)
        ))
      place += serial.length
      body += length
    }
    guard columns.count > rootColumn, place < size || body == total else { return nil }
    return columns
  }

  /// The shortest serial type that holds `root`, and its bytes.
  private static func encode(_ root: UInt32) -> (UInt8, [UInt8]) {
    let length: Int
    switch root {
    case 0...0x7f: length = 1
    case ...0x7fff: length = 2
    case ...0x7f_ffff: length = 3
    case ...0x7fff_ffff: length = 4
    default: length = 6
    }
    let bytes = (0..<length).reversed().map { UInt8(truncatingIfNeeded: UInt64(root) >> (8 * $0)) }
    return (length == 6 ? 5 : UInt8(length), bytes)
  }
}
