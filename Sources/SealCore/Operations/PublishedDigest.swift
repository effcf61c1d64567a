// The content digest: one number for what a database means, whatever key, format, page size,
// encoding or free space it has. Its definition is in Docs/digest.md and never changes; a new one
// would get another first line.

/// A content digest and what went into it.
public struct ContentFingerprint: Sendable, Equatable {
  /// 32 bytes.
  public var digest: [UInt8]
  public var tables: Int
  public var rows: UInt64
  /// The tables that went in, in the order of the schema, with their rows.
  public var counts: [Count]

  /// A table and how many rows it has.
  public struct Count: Sendable, Equatable {
    /// nil where it is no text.
    public var table: String?
    public var rows: UInt64
  }
}

enum PublishedDigest {
  private static let title = "dbseal content digest 1\n"
  private static let row: [UInt8] = [0x10]
  private static let end: [UInt8] = [0x11]
  private static let heap: [UInt8] = [0x12]

  /// The digest of `content`.
  static func digest(of content: DatabaseContent) throws -> ContentFingerprint {
    let hash = try HashStream(.sha256)
    let values = ValueBuffer()
    hash.update(Array(title.utf8))
    values.append(Int64(content.header.userVersion))
    values.append(Int64(content.header.applicationID))
    hash.update(values.bytes)
    for entry in content.schema {
      hash.update(row)
      hash.update(entry.encoding)
    }
    finish(UInt64(content.schema.count), hash)
    var counts: [ContentFingerprint.Count] = []
    for table in content.tables {
      let rows = try content.rows(of: table)
      values.clear()
      values.append(table.name)
      values.append(Int64(rows.columns.count))
      hash.update(values.bytes)
      if rows.isOrdered {
        while try rows.next() {
          hash.update(row)
          hash.update(rows.buffer.bytes)
        }
      } else {
        hash.update(heap)
        hash.update(try RowSum(of: rows).bytes)
      }
      finish(rows.count, hash)
      counts.append(.init(table: table.name.string, rows: rows.count))
    }
    var digest = [UInt8](repeating: 0, count: 32)
    try digest.withUnsafeMutableBytes { try hash.finish(into: $0) }
    return ContentFingerprint(
      digest: digest, tables: counts.count, rows: counts.reduce(0) { $0 + $1.rows }, counts: counts)
  }

  private static func finish(_ count: UInt64, _ hash: HashStream) {
    hash.update(end)
    hash.update(withUnsafeBytes(of: count.bigEndian) { Array($0) })
  }
}

/// A sum over rows that does not depend on their order: SHAKE-256 of each, 512 bytes long, as
/// little-endian numbers modulo 2^4096. The length is what makes it as hard to find two sets with
/// one sum as the digest is strong: for sums of 256 bits that is easy (Wagner, "A Generalized
/// Birthday Problem", 2002).
struct RowSum: Equatable {
  private static let words = 64
  private var sum = [UInt64](repeating: 0, count: words)

  /// The sum over the rows that are left in `rows`.
  init(of rows: TableRows) throws {
    let hash = try HashStream(.shake256)
    var number = [UInt64](repeating: 0, count: Self.words)
    while try rows.next() {
      hash.update(rows.buffer.bytes)
      try number.withUnsafeMutableBytes { try hash.finish(into: $0) }
      add(number)
    }
  }

  private mutating func add(_ number: [UInt64]) {
    var carry: UInt64 = 0
    for index in 0..<Self.words {
      let (first, over) = sum[index].addingReportingOverflow(UInt64(littleEndian: number[index]))
      let (second, again) = first.addingReportingOverflow(carry)
      sum[index] = second
      carry = over || again ? 1 : 0
    }
  }

  /// 512 bytes, the least significant first.
  var bytes: [UInt8] { sum.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) } }
}
