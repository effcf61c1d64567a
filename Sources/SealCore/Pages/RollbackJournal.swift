// Reads a rollback journal as SQLite's recovery would. A hot journal means that the last writer
// died: the main file is half written and the original pages stand here.
// Source: sqlite.org/fileformat2.html, "The Rollback Journal"; pager.c, pager_playback.

enum RollbackJournal {
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// What the journal of a database holds.
  struct Contents {
    /// What recovery would put back; nil where the first header is broken.
    var overlay: PageOverlay?
    /// Why that is less than what was written into it; nil for a sound journal.
    var flaw: JournalFlaw?
  }

  /// The original pages in the journal `path`, or nil where there is no journal, it was finished
  /// (emptied, zeroed, or its super-journal is gone), or it holds nothing. The caller has made
  /// sure that no living writer owns it. `pageSize`: the database's, where it can be known, for
  /// journals of old writers that do not record it.
  static func read(_ path: String, pageSize: Int?, cancellation: Cancellation) throws
    -> Contents?
  {
    guard let status = try FileStatus.of(path), status.kind == .regular, status.size > 0 else {
      return nil
    }
    let file = try File(path)
    let size = try file.size()
    guard try !wasCommitted(file, size: size) else { return nil }
    guard let first = try Segment(file, at: 0, pageSize: pageSize) else {
      guard try Segment.isBroken(file, at: 0) else { return nil }
      return Contents(overlay: nil, flaw: JournalFlaw(cause: .header, record: 0, records: 0))
    }
    var playback = JournalPlayback(file: file, size: size, first: first)
    try playback.run(cancellation)
    let overlay = PageOverlay(
      origin: .journal, pageSize: first.pageSize, pageCount: first.pageCount,
      offsets: playback.offsets, records: playback.used, file: file)
    return Contents(overlay: overlay, flaw: playback.flaw)
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

  /// A header, and with it the records that follow.
  struct Segment {
    static let length = 28
    let records: UInt32
    let nonce: UInt32
    let pageCount: UInt32
    let sectorSize: Int
    let pageSize: Int

    /// The header at `offset`, or nil where there is none. Only the first one's sizes count, as in
    /// SQLite: one behind it is given its `first`.
    init?(_ file: File, at offset: UInt64, pageSize known: Int?, first: Segment? = nil) throws {
      let bytes = try file.bytes(at: offset, count: Self.length)
      guard bytes.count == Self.length, bytes.starts(with: magic) else { return nil }
      let recorded: (page: Int, sector: Int)
      (records, nonce, pageCount, recorded.sector, recorded.page) = bytes.withUnsafeBytes {
        (
          $0.bigEndian32(at: 8), $0.bigEndian32(at: 12), $0.bigEndian32(at: 16),
          Int($0.bigEndian32(at: 20)), Int($0.bigEndian32(at: 24))
        )
      }
      pageSize = first?.pageSize ?? (recorded.page == 0 ? known ?? 0 : recorded.page)
      sectorSize = first?.sectorSize ?? recorded.sector
      // The limits of readJournalHdr in pager.c.
      guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
        (32...65536).contains(sectorSize), sectorSize & (sectorSize - 1) == 0
      else { return nil }
    }

    /// Whether what stands at `offset`, and is no header, was one. SQLite makes no header begin
    /// with anything but zero before the records behind it are safe, nor one that is done with.
    static func isBroken(_ file: File, at offset: UInt64) throws -> Bool {
      let bytes = try file.bytes(at: offset, count: length)
      guard bytes.count == length, bytes[0] != 0 else { return bytes.starts(with: magic) }
      // Old writers leave the page size out, and it cannot always be known.
      guard !bytes.starts(with: magic) else { return bytes[24...] != [0, 0, 0, 0] }
      return zip(bytes, magic).filter { $0 == $1 }.count >= 5
    }
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
