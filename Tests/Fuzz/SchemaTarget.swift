// Rows of `sqlite_master`: what a record says of its root page, and what it becomes with another.
// Input: a flags byte, a new root page, then the record.
@testable import SealCore

enum SchemaTarget {
  static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let flags = input.byte()
    let root = input.number()
    let record = input.all()
    // A record may be longer than what is there of it.
    let total = record.count + (flags & 1 == 0 ? 0 : Int(root))
    try record.withUnsafeBytes { try judge($0, total: total, root: root, flags) }
  }

  private static func judge(
    _ record: UnsafeRawBufferPointer, total: Int, root: UInt32, _ flags: UInt8
  ) throws {
    let encoding = UInt32(flags >> 1 & 3)
    let entry = SchemaEntry(record, encoding: encoding)
    if let entry {
      try demand(entry.name.utf8.count <= 4 * record.count, "a name longer than its record")
    }
    let row = SchemaRecord(record, total: total)
    try asForEachRow(record, total: total, row)
    guard let row else { return }
    if let entry, total == record.count, row.root != 0 {
      try demand(entry.root == row.root, "two readings of the root: \(entry.root), \(row.root)")
    }
    let (head, tail) = row.pieces(of: record, withRoot: row.root == 0 ? 0 : root)
    let changed = head + Array(tail)
    guard row.root != 0, root != 0, total == record.count else {
      let isSame = row.root == 0 && !row.hasIdleRoot
      try demand(!isSame || changed.elementsEqual(record), "a row without a root changed")
      return
    }
    try changed.withUnsafeBytes { changed in
      guard let again = SchemaRecord(changed, total: changed.count) else {
        throw Broken(description: "the changed row is none")
      }
      try demand(again.root == root, "another root than the one that was put in")
      let (same, rest) = again.pieces(of: changed, withRoot: root)
      try demand((same + Array(rest)).elementsEqual(changed), "the same root changes the row")
      let other = SchemaEntry(changed, encoding: encoding)
      try demand(
        other?.name == entry?.name && other?.type == entry?.type && other?.sql == entry?.sql,
        "more than the root changed")
    }
  }

  /// Taking no more than is wanted, piece by piece, must say the same as having all of it.
  private static func asForEachRow(
    _ record: UnsafeRawBufferPointer, total: Int, _ whole: SchemaRecord?
  ) throws {
    var have = 0
    for _ in 0..<8 {
      let start = UnsafeRawBufferPointer(rebasing: record[..<have])
      guard let wanted = SchemaRecord.wanted(of: start, total: total) else {
        return try demand(whole == nil, "no row by its start, and one as a whole")
      }
      guard wanted > have else {
        return try demand(
          SchemaRecord(start, total: total) == whole, "another row by its start")
      }
      try demand(wanted <= total, "more is wanted than there is")
      guard wanted <= record.count else {
        return try demand(whole == nil, "a row of which something is missing")
      }
      have = wanted
    }
    throw Broken(description: "more and more is wanted")
  }
}
