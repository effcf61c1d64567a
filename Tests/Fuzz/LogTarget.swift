// The write-ahead log: what of it counts, and what its audit says of the rest. Input: a flags byte
// (1: the rest is a log as it is), page size, salts, then frames, whose checksums are made right
// before the faults that the input asks for are put in. The model knows the frames and never reads
// the log.
@testable import SealCore

enum LogTarget {
  private struct Frame {
    var page: UInt32
    var commit: UInt32
    var fill: UInt8
    var fault: UInt8
    /// The checksum in it is wrong.
    var isMisrecorded: Bool { fault & 1 != 0 }
    /// It does not hold by itself.
    var isBad: Bool { page == 0 || fault & 7 != 0 }
  }

  static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let flags = input.byte()
    let scratch = try ScratchFile("wal")
    guard flags & 1 == 0 else {
      let log = input.all()
      try scratch.fill(log)
      _ = try look(scratch.path, pageSize: 512, size: log.count)
      return
    }
    let pageSize = 512 << Int(input.byte() % 4)
    let salts = input.take(8)
    var frames: [Frame] = []
    while !input.isEmpty, frames.count < 48 {
      frames.append(
        Frame(
          page: input.count(), commit: input.count(), fill: input.byte(), fault: input.byte() & 15))
    }
    let isBig = flags & 2 != 0
    var log = write(frames, pageSize, salts, isBig)
    if flags & 4 != 0 { log.removeLast((log.count - 32) % 97) }
    let whole = (log.count - 32) / (24 + pageSize)
    try scratch.fill(log)
    let found = try look(scratch.path, pageSize: pageSize, size: log.count)
    try compare(Array(frames.prefix(whole)), found, pageSize)
  }

  private typealias Found = (contents: WriteAheadLog.Contents?, audit: LogAudit?)

  /// Reads a log and checks what must hold for any.
  private static func look(_ path: String, pageSize: Int, size: Int) throws -> Found {
    let contents: WriteAheadLog.Contents?
    do {
      contents = try WriteAheadLog.read(path, cancellation: Cancellation())
    } catch SealError.unsupported(.logVersion) { return (nil, nil) }
    let audit = try WriteAheadLog.audit(
      path, contents: contents, pageSize: pageSize, cancellation: Cancellation())
    if let contents {
      try demand(contents.committed >= 0 && contents.beyond >= 0, "fewer than no frames")
      try demand((contents.overlay != nil) == (contents.committed > 0), "an overlay of nothing")
    }
    if let overlay = contents?.overlay {
      var page = [UInt8](repeating: 0, count: overlay.pageSize)
      for (number, offset) in overlay.offsets {
        try demand(number >= 1 && number <= overlay.pageCount, "a page behind the last commit")
        try demand(Int(offset) + overlay.pageSize <= size, "a page behind the end of the log")
        let isThere = try page.withUnsafeMutableBytes { try overlay.read(number, into: $0) }
        try demand(isThere, "a page that is and is not in the log")
      }
    }
    if let audit {
      let all = audit.committed + audit.uncommitted + audit.ignored + audit.lost
      let recorded = try WriteAheadLog.pageSize(of: path)
      let frame = 24 + (recorded ?? pageSize)
      try demand(all == (size - 32) / frame, "the audit counts \(all) of \((size - 32) / frame)")
      try demand(audit.lostCommits <= audit.lost, "more commits than frames are lost")
      try demand((audit.firstBad != nil) == (audit.lost > 0), "lost behind nothing")
    }
    return (contents, audit)
  }

  private static func compare(_ frames: [Frame], _ found: Found, _ pageSize: Int) throws {
    let sound = frames.prefix { !$0.isBad }
    let committed = (sound.lastIndex { $0.commit != 0 } ?? -1) + 1
    try demand(found.contents?.committed == committed, "not \(committed) committed frames")
    var expected: [UInt32: UInt64] = [:]
    let count = committed == 0 ? 0 : frames[committed - 1].commit
    for index in 0..<committed where frames[index].page <= count {
      expected[frames[index].page] = UInt64(32 + index * (24 + pageSize) + 24)
    }
    if let overlay = found.contents?.overlay {
      try demand(overlay.offsets == expected, "other pages than were committed")
      try demand(overlay.pageCount == count && overlay.pageSize == pageSize, "another size")
    }
    guard let audit = found.audit else { throw Broken(description: "a log without an audit") }
    let behind = frames.indices.dropFirst(sound.count).filter { index in
      !frames[index].isBad && index > sound.count && !frames[index - 1].isMisrecorded
    }
    try demand(audit.committed == committed, "the audit has other commits")
    try demand(audit.uncommitted == sound.count - committed, "other frames are unfinished")
    try demand(audit.lost == behind.count, "\(audit.lost) are lost, not \(behind.count)")
    try demand(
      audit.lostCommits == behind.count { frames[$0].commit != 0 }, "other commits are lost")
    try demand(
      audit.firstBad == (behind.isEmpty ? nil : sound.count + 1), "another frame is the bad one")
  }

  /// A log of `frames`: walformat.html.
  private static func write(
    _ frames: [Frame], _ pageSize: Int, _ salts: [UInt8], _ isBig: Bool
  ) -> [UInt8] {
    var sum: (UInt32, UInt32) = (0, 0)
    func add(_ bytes: some Collection<UInt8>) {
      var words = FuzzInput(Array(bytes))
      while !words.isEmpty {
        let (x, y) = (words.number(), words.number())
        sum.0 = sum.0 &+ (isBig ? x : x.byteSwapped) &+ sum.1
        sum.1 = sum.1 &+ (isBig ? y : y.byteSwapped) &+ sum.0
      }
    }
    var log = bigEndian(isBig ? 0x377f_0683 : 0x377f_0682) + bigEndian(3_007_000)
    log += bigEndian(UInt32(pageSize)) + bigEndian(0) + salts
    add(log)
    log += bigEndian(sum.0) + bigEndian(sum.1)
    for frame in frames {
      let head = bigEndian(frame.page) + bigEndian(frame.commit)
      var page = [UInt8](repeating: frame.fill, count: pageSize)
      add(head + page)
      var salts = salts
      if frame.fault & 2 != 0 { salts[3] ^= 1 }
      if frame.fault & 4 != 0 { page[pageSize - 1] ^= 1 }
      let recorded = frame.isMisrecorded ? sum.0 ^ 0x100 : sum.0
      log += head + salts + bigEndian(recorded) + bigEndian(sum.1) + page
    }
    return log
  }
}
