// What a conversion must not change, as one digest: every record of every tree, in order, with its
// rowid. Root page numbers are replaced by the ordinal of their tree, so that two databases with the
// same content and another layout agree. Both sides of a conversion feed this.

/// What a database holds, for comparing two layouts of it. Only digests of one key compare.
public struct ContentSummary: Equatable, Sendable {
  /// 16 bytes; empty where nobody compares it.
  public var digest: [UInt8]
  /// B-trees, `sqlite_master` included.
  public var trees: Int
  public var records: UInt64
  /// Bytes of all payloads, overflow included.
  public var payloadBytes: UInt64
}

/// Feeds the digest of a content. Trees in the order of their rows in `sqlite_master`, that last.
final class ContentDigest {
  private let digest: StreamDigest?
  private let counts: UnsafeMutablePointer<(records: UInt64, payload: UInt64)>
  private var trees = 0

  /// `key` nil: only counts.
  init(key: Secret?) throws {
    digest = try key.map { try StreamDigest(key: $0) }
    counts = .allocate(capacity: 1)
    counts.initialize(to: (0, 0))
  }

  deinit { counts.deallocate() }

  func beginTree(isTable: Bool) {
    trees += 1
    // No payload is as long as either number, so that no record looks like a boundary.
    digest?.update(isTable ? UInt64.max : UInt64.max - 1)
    digest?.update(UInt64(trees))
  }

  /// A record of a payload of `length` bytes follows, all of it, by `bytes`.
  @inline(__always)
  func beginRecord(_ cell: Cell, isTable: Bool) {
    digest?.update(UInt64(truncatingIfNeeded: cell.length))
    if isTable { digest?.update(UInt64(bitPattern: cell.rowid)) }
    counts.pointee.records &+= 1
    counts.pointee.payload &+= UInt64(truncatingIfNeeded: cell.length)
  }

  /// A record that is all in `cell`.
  @inline(__always)
  func record(_ cell: Cell, isTable: Bool) {
    let length = UInt64(truncatingIfNeeded: cell.length)
    if isTable {
      digest?.update(length, UInt64(bitPattern: cell.rowid), cell.payload, cell.length)
    } else {
      digest?.update(length, nil, cell.payload, cell.length)
    }
    counts.pointee.records &+= 1
    counts.pointee.payload &+= length
  }

  @inline(__always)
  func bytes(_ start: UnsafeRawPointer, _ count: Int) { digest?.update(start, count) }

  /// A row of `sqlite_master` of which `start` is known; the rest follows by `bytes`. `ordinal` is
  /// its tree's, from 1, or 0 where it has none.
  func beginSchemaRow(
    _ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord, ordinal: UInt32
  ) {
    var cell = cell
    let (head, tail) = record.pieces(of: start, withRoot: ordinal)
    cell.length += head.count - (start.count - tail.count)
    beginRecord(cell, isTable: true)
    head.withUnsafeBytes { head in
      if let base = head.baseAddress { bytes(base, head.count) }
    }
    if let base = tail.baseAddress { bytes(base, tail.count) }
  }

  func finish() throws -> ContentSummary {
    let (records, payload) = counts.pointee
    return ContentSummary(
      digest: try digest?.finish() ?? [], trees: trees, records: records, payloadBytes: payload)
  }
}
