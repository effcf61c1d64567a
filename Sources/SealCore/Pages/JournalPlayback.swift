// Plays a rollback journal back in memory, record by record, as SQLite's recovery does. SQLite stops
// at the first record that fails and says nothing: what was found wrong is kept here. The number of
// records in a header is written once they are safe, so one that fails among them is damage; where
// it was not written, the end of the journal may be torn.
// Source: pager.c, pager_playback, pager_playback_one_page, syncJournal.

/// The walk over all records.
struct JournalPlayback {
  let file: File
  let size: UInt64
  let first: RollbackJournal.Segment
  /// Page number to the offset of its bytes.
  private(set) var offsets: [UInt32: UInt64] = [:]
  /// Records that were put back.
  private(set) var used = 0
  private(set) var flaw: JournalFlaw?
  /// Records that were looked at.
  private var seen: UInt64 = 0
  private var record: [UInt8]

  init(file: File, size: UInt64, first: RollbackJournal.Segment) {
    self.file = file
    self.size = size
    self.first = first
    record = [UInt8](repeating: 0, count: first.pageSize + 8)
  }

  private var recordSize: UInt64 { UInt64(record.count) }

  /// Plays all of it.
  mutating func run(_ cancellation: Cancellation) throws {
    try walk { playback, segment, position in
      try playback.play(segment, from: position, cancellation)
    }
    guard flaw != nil, flaw?.cause != .header, flaw?.cause != .count else { return }
    var total: UInt64 = 0
    try walk { playback, segment, position in
      let records = playback.records(of: segment, from: position)
      total += records
      return position + records * playback.recordSize
    }
    flaw?.records = total
  }

  /// Calls `body` for each segment with the offset of its records; it returns that of their end, or
  /// nil to stop.
  private mutating func walk(
    _ body: (inout JournalPlayback, RollbackJournal.Segment, UInt64) throws -> UInt64?
  ) throws {
    let sector = UInt64(first.sectorSize)
    var header: UInt64 = 0
    var segment = first
    while let end = try body(&self, segment, header + sector) {
      let next = (end + sector - 1) / sector * sector
      guard next > header, next < size else { return }
      header = next
      let found = try RollbackJournal.Segment(
        file, at: header, pageSize: first.pageSize, first: first)
      guard let found else {
        if try RollbackJournal.Segment.isBroken(file, at: header) { note(.header, seen) }
        return
      }
      segment = found
    }
  }

  private mutating func note(_ cause: JournalFlaw.Cause, _ record: UInt64) {
    flaw = flaw ?? JournalFlaw(cause: cause, record: record, records: 0)
  }

  private func records(of segment: RollbackJournal.Segment, from position: UInt64) -> UInt64 {
    guard segment.records == .max else { return UInt64(segment.records) }
    return position < size ? (size - position) / recordSize : 0
  }

  /// Plays the records from `start` on; nil where SQLite would stop for good.
  private mutating func play(
    _ segment: RollbackJournal.Segment, from start: UInt64, _ cancellation: Cancellation
  ) throws -> UInt64? {
    let isCounted = segment.records != .max
    var position = start
    var isOver = false
    // Without a count a record that fails is the torn end, unless sound ones follow.
    var doubt: (cause: JournalFlaw.Cause, record: UInt64)?
    var left = records(of: segment, from: start)
    while left > 0 {
      if seen % 1024 == 0 { try cancellation.check() }
      seen += 1
      left -= 1
      let (page, cause) = try look(at: position, segment)
      switch cause {
      case nil, .repeated:
        if !isOver {
          offsets[page] = position + 4
          used += 1
        }
        if let doubt { note(doubt.cause, doubt.record) }
        if cause == .repeated { note(.repeated, seen) }
      case let cause?:
        if isCounted { note(cause, seen) }
        doubt = doubt ?? (cause, seen)
        // In the order of pager_playback_one_page: what is not wanted is passed over, unchecked.
        let isUnwanted = cause == .pageNumber && page > first.pageCount && !isLockPage(page)
        isOver = isOver || !isUnwanted
        if isOver, isCounted { return nil }
      }
      position += recordSize
      guard cause != nil, page == 0 else { continue }
      let empty = try emptyRecords(at: position, most: left)
      seen += empty
      left -= empty
      position += empty * recordSize
    }
    if isCounted, segment.records > 0, try look(at: position, segment).cause == nil {
      note(.count, seen + 1)
    }
    return isOver ? nil : position
  }

  /// How many records from `position` on, at most `most`, are in a hole of the file: zeros, which no
  /// page has as its number. A journal can claim to have terabytes of them.
  private func emptyRecords(at position: UInt64, most: UInt64) throws -> UInt64 {
    guard let data = try file.nextData(from: position) else { return most }
    return min(most, (max(data, position) - position) / recordSize)
  }

  private func isLockPage(_ page: UInt32) -> Bool {
    page == PageGeometry.lockPage(pageSize: first.pageSize)
  }

  /// The page that the record at `position` is of, and what is wrong with it.
  private mutating func look(at position: UInt64, _ segment: RollbackJournal.Segment) throws
    -> (page: UInt32, cause: JournalFlaw.Cause?)
  {
    let got = try record.withUnsafeMutableBytes { try file.read(at: position, into: $0) }
    guard got == record.count else { return (0, .cut) }
    let page = record.withUnsafeBytes { $0.bigEndian32(at: 0) }
    guard page != 0, !isLockPage(page), page <= first.pageCount else { return (page, .pageNumber) }
    let isIntact = record.withUnsafeBytes { Self.isIntact($0, first.pageSize, segment.nonce) }
    guard isIntact else { return (page, .checksum) }
    return (page, offsets[page] == nil ? nil : .repeated)
  }

  /// Whether the checksum of a record holds. It does not cover the page number.
  private static func isIntact(
    _ record: UnsafeRawBufferPointer, _ pageSize: Int, _ nonce: UInt32
  ) -> Bool {
    var sum = nonce
    for index in stride(from: pageSize - 200, to: 0, by: -200) {
      sum = sum &+ UInt32(record[4 + index])
    }
    return sum == record.bigEndian32(at: 4 + pageSize)
  }
}
