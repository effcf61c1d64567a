// Compares what two databases mean, whatever form each is stored in: version numbers, schema, and
// every table by rowid, storage class and value. Differences are counted, and of each table the
// first one is told. Memory does not grow with the databases.

/// What a comparison found. `here` is the database, `there` the other one.
public struct ContentDifferences: Sendable, Equatable {
  /// What differs: numbers, then tables, indexes, views and triggers by name. The list may be
  /// shorter than `total`.
  public var list: [ContentDifference] = []
  /// Differences in all: one for each number, schema row and table that differs.
  public var total = 0
  /// Tables that both have and whose rows were compared.
  public var tables = 0
  /// Rows of those tables here.
  public var rows: UInt64 = 0

  /// How many of them are kept.
  static let limit = 1000

  mutating func add(_ difference: ContentDifference) {
    total += 1
    if list.count < Self.limit { list.append(difference) }
  }
}

/// One thing that differs.
public enum ContentDifference: Sendable, Equatable {
  case userVersion(here: Int32, there: Int32)
  case applicationID(here: Int32, there: Int32)
  /// A schema row that only one of them has.
  case missing(type: String, name: String, here: Bool)
  /// A schema row whose SQL text or table differs.
  case schema(type: String, name: String)
  /// A table whose rows were not compared, because it has other columns.
  case columns(table: String, here: Int, there: Int)
  case rows(TableDifference)
}

/// How the rows of a table differ.
public struct TableDifference: Sendable, Equatable {
  public var table: String
  public var rowsHere: UInt64
  public var rowsThere: UInt64
  /// Rowids that only one of them has, and rows whose values differ; nil where rows have no rowid.
  public var onlyHere: UInt64?
  public var onlyThere: UInt64?
  public var changed: UInt64?
  /// The first difference; nil where the order of the rows is not the same in both.
  public var first: RowDifference?
}

/// Where two rows begin to differ.
public struct RowDifference: Sendable, Equatable {
  /// The row's rowid, or, where rows have none, its place in the order of the key, from 1.
  public enum Place: Sendable, Equatable {
    case rowid(Int64)
    case position(UInt64)
  }
  /// Who has the row.
  public enum Side: String, Sendable { case both, here, there }
  public var place: Place
  public var side: Side
  /// The first column that differs, where both have the row.
  public var column: String?
  public var here: ShownValue?
  public var there: ShownValue?
}

/// A value as far as it is shown.
public struct ShownValue: Sendable, Equatable {
  /// SQLite's name of the storage class.
  public var type: String
  /// Bytes of a text (as UTF-8) or a blob.
  public var bytes: Int?
  /// The value, of long ones the start. Whether a user may see it is not decided here.
  public var value: Value

  /// How much of a text or blob is kept.
  static let limit = 256
}

/// Compares two contents.
struct ContentComparison {
  let here: DatabaseContent
  let there: DatabaseContent

  func run() throws -> ContentDifferences {
    var found = ContentDifferences()
    let (a, b) = (here.header, there.header)
    if a.userVersion != b.userVersion {
      found.add(.userVersion(here: a.userVersion, there: b.userVersion))
    }
    if a.applicationID != b.applicationID {
      found.add(.applicationID(here: a.applicationID, there: b.applicationID))
    }
    for (mine, other) in pairs() {
      guard let mine, let other else {
        guard let row = mine ?? other else { continue }
        found.add(
          .missing(type: row.type.string ?? "", name: row.label, here: mine == nil))
        continue
      }
      let isSame = mine.encoding == other.encoding
      if !isSame { found.add(.schema(type: mine.type.string ?? "", name: mine.label)) }
      guard mine.isTable, other.isTable else { continue }
      try compare(mine, other, isSame: isSame, &found)
    }
    return found
  }

  /// The schema rows of both: tables, indexes, views, triggers, each by name.
  private func pairs() -> [(SchemaRow?, SchemaRow?)] {
    var pairs: [(SchemaRow?, SchemaRow?)] = []
    var (i, j) = (0, 0)
    while i < here.schema.count || j < there.schema.count {
      let mine = i < here.schema.count ? here.schema[i] : nil
      let other = j < there.schema.count ? there.schema[j] : nil
      let order = mine.map { mine in other.map { Self.order(mine.key, $0.key) } ?? -1 } ?? 1
      pairs.append((order <= 0 ? mine : nil, order >= 0 ? other : nil))
      if order <= 0 { i += 1 }
      if order >= 0 { j += 1 }
    }
    let ranks = ["table": 0, "index": 1, "view": 2, "trigger": 3]
    return pairs.map { pair -> (pair: (SchemaRow?, SchemaRow?), rank: Int, name: String) in
      let row = pair.0 ?? pair.1
      return (pair, ranks[row?.type.string ?? ""] ?? 4, row?.label ?? "")
    }.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.map(\.pair)
  }

  private static func order(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    if a.lexicographicallyPrecedes(b) { return -1 }
    return b.lexicographicallyPrecedes(a) ? 1 : 0
  }

  private func compare(
    _ mine: SchemaRow, _ other: SchemaRow, isSame: Bool, _ found: inout ContentDifferences
  ) throws {
    let a = try here.rows(of: mine)
    let b = try there.rows(of: other)
    guard a.columns.count == b.columns.count, a.isOrdered == b.isOrdered else {
      found.add(.columns(table: mine.label, here: a.columns.count, there: b.columns.count))
      return
    }
    let isOneOrder = isSame && here.header.encoding & 3 == there.header.encoding & 3
    let (difference, rows) =
      a.isOrdered
      ? try ordered(mine.label, a, b) : try heap(mine, other, a, b, isOneOrder: isOneOrder)
    found.tables += 1
    found.rows += rows
    if let difference { found.add(.rows(difference)) }
  }

  /// Both in the order of their rowids: a merge.
  private func ordered(_ table: String, _ a: TableRows, _ b: TableRows) throws
    -> (TableDifference?, rows: UInt64)
  {
    var (onlyHere, onlyThere, changed): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var first: RowDifference?
    var moreHere = try a.next()
    var moreThere = try b.next()
    while moreHere || moreThere {
      let isHere = moreHere && (!moreThere || a.rowid <= b.rowid)
      let isThere = moreThere && (!moreHere || b.rowid <= a.rowid)
      if isHere, isThere {
        if !a.buffer.isEqual(to: b.buffer) {
          changed += 1
          if first == nil { first = Self.difference(a, b, at: .rowid(a.rowid)) }
        }
      } else {
        if isHere { onlyHere += 1 } else { onlyThere += 1 }
        if first == nil { first = Self.missing(.rowid(isHere ? a.rowid : b.rowid), isHere) }
      }
      if isHere { moreHere = try a.next() }
      if isThere { moreThere = try b.next() }
    }
    guard let first else { return (nil, a.count) }
    let difference = TableDifference(
      table: table, rowsHere: a.count, rowsThere: b.count, onlyHere: onlyHere,
      onlyThere: onlyThere, changed: changed, first: first)
    return (difference, a.count)
  }

  /// Rows without rowid. As a rule both have them in one order. Where they differ, that may be the
  /// order alone: it depends on the encoding, and on collations as they were when rows were written.
  private func heap(
    _ mine: SchemaRow, _ other: SchemaRow, _ a: TableRows, _ b: TableRows, isOneOrder: Bool
  ) throws -> (TableDifference?, rows: UInt64) {
    var isEqual = true
    var (moreHere, moreThere) = (false, false)
    repeat {
      moreHere = try a.next()
      moreThere = try b.next()
      isEqual = moreHere == moreThere && (!moreHere || a.buffer.isEqual(to: b.buffer))
    } while isEqual && moreHere
    guard !isEqual else { return (nil, a.count) }
    var first: RowDifference?
    if isOneOrder {
      let place = RowDifference.Place.position(max(a.count, b.count))
      first =
        moreHere && moreThere
        ? Self.difference(a, b, at: place) : Self.missing(place, moreHere)
    }
    let (all, others) = (try here.rows(of: mine), try there.rows(of: other))
    guard try RowSum(of: all) != RowSum(of: others) else { return (nil, all.count) }
    let difference = TableDifference(
      table: mine.label, rowsHere: all.count, rowsThere: others.count, first: first)
    return (difference, all.count)
  }

  private static func missing(_ place: RowDifference.Place, _ isHere: Bool) -> RowDifference {
    RowDifference(place: place, side: isHere ? .here : .there)
  }

  /// The first column in which two rows differ.
  private static func difference(_ a: TableRows, _ b: TableRows, at place: RowDifference.Place)
    -> RowDifference
  {
    var index = a.isOrdered ? -1 : 0
    var (i, j) = (0, 0)
    while let mine = a.buffer.value(at: i), let other = b.buffer.value(at: j) {
      if mine.kind != other.kind || !mine.body.elementsEqual(other.body) {
        let name = a.columns.indices.contains(index) ? a.columns[index] : []
        return RowDifference(
          place: place, side: .both, column: String(decoding: name, as: UTF8.self),
          here: ShownValue(mine.kind, mine.body), there: ShownValue(other.kind, other.body))
      }
      (i, j) = (mine.next, other.next)
      index += 1
    }
    return RowDifference(place: place, side: .both)
  }
}

extension SchemaRow {
  /// Type and name: the part of the encoding that two versions of one row share.
  fileprivate var key: ArraySlice<UInt8> {
    let buffer = ValueBuffer()
    buffer.append(type)
    buffer.append(name)
    return encoding.prefix(buffer.count)
  }
}

extension ShownValue {
  fileprivate init(_ kind: ValueBuffer.Class, _ body: UnsafeRawBufferPointer) {
    let start = Array(body.prefix(Self.limit))
    let number = body.count == 8 ? UInt64(bigEndian: body.loadUnaligned(as: UInt64.self)) : 0
    switch kind {
    case .null: self.init(type: "null", value: .null)
    case .integer: self.init(type: "integer", value: .integer(Int64(bitPattern: number)))
    case .real: self.init(type: "real", value: .real(Double(bitPattern: number)))
    case .text: self.init(type: "text", bytes: body.count, value: .text(start))
    case .blob: self.init(type: "blob", bytes: body.count, value: .blob(start))
    }
  }
}
