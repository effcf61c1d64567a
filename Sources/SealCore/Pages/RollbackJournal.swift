// Reads a rollback journal as SQLite's recovery would. A hot journal means that the last writer
// died: the main file is half written and the original pages stand here.
// Source: sqlite.org/fileformat2.html, "The Rollback Journal"; pager.c, pager_playback.

enum RollbackJournal {
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// The original pages in the journal `path`, or nil where there is no journal, it was finished
  /// (emptied, zeroed, or its super-journal is gone), or it holds nothing. The caller has made
  /// sure that no living writer owns it. `pageSize`: the database's, where it can be known, for
  /// journals of old writers that do not record it.
  static func read(_ path: String, pageSize: Int?, cancellation: Cancellation) throws
    -> PageOverlay?
  {
    guard let status = try FileStatus.of(path), status.kind == .regular, status.size > 0 else {
      return nil
    }
    let file = try File(path)
    let size = try file.size()
    guard let first = try Segment(file, at: 0, pageSize: pageSize) else { return nil }
    guard try !wasCommitted(file, size: size) else { return nil }
    return try scan(file, size: size, first: first, cancellation: cancellation)
  }

  /// What a look at the first header tells.
  enum State: Equatable {
    /// Nothing to roll back: emptied, zeroed, or its super-journal is gone.
    case finished
    /// Original pages stand in it. `pageSize`: of the database, nil where it was not recorded.
    case pending(pageSize: Int?)
  }

  /// Looks at the journal `path` without reading it through.
  static func look(_ path: String, pageSize: Int?) throws -> State {
    let file = try File(path)
    guard let first = try Segment(file, at: 0, pageSize: pageSize),
      try !wasCommitted(file, size: file.size())
    else { return .finished }
    return .pending(pageSize: first.pageSize)
  }

  private struct Segment {
    let records: UInt32
    let nonce: UInt32
    let pageCount: UInt32
    let sectorSize: Int
    let pageSize: Int

    /// The header at `offset`, or nil where there is none.
    init?(_ file: File, at offset: UInt64, pageSize known: Int?) throws {
      let bytes = try file.bytes(at: offset, count: 28)
      guard bytes.count == 28, bytes.starts(with: magic) else { return nil }
      let recorded: Int
      (records, nonce, pageCount, sectorSize, recorded) = bytes.withUnsafeBytes {
        (
          $0.bigEndian32(at: 8), $0.bigEndian32(at: 12), $0.bigEndian32(at: 16),
          Int($0.bigEndian32(at: 20)), Int($0.bigEndian32(at: 24))
        )
      }
      pageSize = recorded == 0 ? known ?? 0 : recorded
      // The limits of readJournalHdr in pager.c.
      guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
        (32...65536).contains(sectorSize), sectorSize & (sectorSize - 1) == 0
      else { return nil }
    }
  }

  private static func scan(
    _ file: File, size: UInt64, first: Segment, cancellation: Cancellation
  ) throws -> PageOverlay? {
    let recordSize = UInt64(first.pageSize + 8)
    var offsets: [UInt32: UInt64] = [:]
    var used = 0
    var record = [UInt8](repeating: 0, count: first.pageSize + 8)
    var headerOffset: UInt64 = 0
    var segment: Segment? = first
    segments: while let current = segment {
      // Only the first header's sizes count, as in SQLite.
      var position = headerOffset + UInt64(first.sectorSize)
      var records = UInt64(current.records)
      if current.records == UInt32.max {
        records = position < size ? (size - position) / recordSize : 0
      }
      while records > 0 {
        if used % 1024 == 0 { try cancellation.check() }
        let got = try record.withUnsafeMutableBytes { try file.read(at: position, into: $0) }
        guard got == record.count else { break segments }
        let page = record.withUnsafeBytes { $0.bigEndian32(at: 0) }
        guard page != 0, page != PageGeometry.lockPage(pageSize: first.pageSize) else {
          break segments
        }
        // In the order of pager_playback_one_page: what is not wanted is not checked either.
        if page <= first.pageCount, offsets[page] == nil {
          guard record.withUnsafeBytes({ isIntact($0, first.pageSize, current.nonce) }) else {
            break segments
          }
          offsets[page] = position + 4
        }
        used += 1
        position += recordSize
        records -= 1
      }
      let sector = UInt64(first.sectorSize)
      let next = (position + sector - 1) / sector * sector
      guard next > headerOffset, next < size else { break }
      headerOffset = next
      segment = try Segment(file, at: next, pageSize: first.pageSize)
    }
    return PageOverlay(
      origin: .journal, pageSize: first.pageSize, pageCount: first.pageCount, offsets: offsets,
      records: used, file: file)
  }

  /// Whether the checksum of a record holds; recovery stops at the first where it does not.
  private static func isIntact(
    _ record: UnsafeRawBufferPointer, _ pageSize: Int, _ nonce: UInt32
  ) -> Bool {
    var sum = nonce
    for index in stride(from: pageSize - 200, to: 0, by: -200) {
      sum = sum &+ UInt32(record[4 + index])
    }
    return sum == record.bigEndian32(at: 4 + pageSize)
  }

  /// Whether the journal names a super-journal that is gone: then the transaction was committed.
  private static func wasCommitted(_ file: File, size: UInt64) throws -> Bool {
    guard size >= 16 else { return false }
    let tail = try file.bytes(at: size - 16, count: 16)
    guard tail.count == 16, tail.suffix(8).elementsEqual(magic) else { return false }
    let (length, checksum) = tail.withUnsafeBytes {
      (UInt64($0.bigEndian32(at: 0)), $0.bigEndian32(at: 4))
    }
    // A longer name than the unix VFS takes is not read at all (readSuperJournal in pager.c).
    guard length > 0, length <= 512, length + 16 <= size else { return false }
    let name = try file.bytes(at: size - 16 - length, count: Int(length))
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    return sum == checksum && !System.exists(cString: name)
  }
}
