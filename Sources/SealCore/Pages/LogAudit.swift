// What stands in a write-ahead log behind its last valid commit. SQLite stops at the first frame
// whose checksum fails and says nothing; whether that frame is the torn end of a transaction that
// never was, or stands before commits that are lost with it, is found out here. Each frame records
// the running checksum, so the frames behind a bad one can be checked from there on.

/// What a look at the whole log found.
struct LogAudit: Equatable, Sendable {
  /// Frames up to and with the last commit.
  var committed = 0
  /// Valid frames behind it: a transaction that was not finished.
  var uncommitted = 0
  /// Whole frames that do not count: torn ones, and those from before the last reset.
  var ignored = 0
  /// The first frame that fails although valid ones follow, from 1; 0 is the log's own header.
  var firstBad: Int?
  /// Valid frames behind it, and how many of them are commits.
  var lost = 0
  var lostCommits = 0

  /// Commits are lost.
  var isDamaged: Bool { lostCommits > 0 }
}

extension WriteAheadLog {
  /// The same, and where damage is found once more: a writer may be at work behind our back, and a
  /// frame half written. It is whole soon.
  static func patientAudit(
    _ path: String, contents: Contents?, pageSize: Int, cancellation: Cancellation
  ) throws -> LogAudit? {
    var found: LogAudit?
    for attempt in 0..<11 {
      if attempt > 0 { System.pause(milliseconds: 20) }
      found =
        try audit(path, contents: contents, pageSize: pageSize, cancellation: cancellation)
        ?? found
      guard found?.isDamaged == true else { break }
    }
    return found
  }

  /// Looks at all of the log `path`. `contents` is what `read` made of it; `pageSize` the
  /// database's. nil where there is no log, or an empty one.
  static func audit(
    _ path: String, contents: Contents?, pageSize: Int, cancellation: Cancellation
  ) throws -> LogAudit? {
    guard try FileStatus.of(path)?.kind == .regular else { return nil }
    let file = try File(path)
    let header = try file.bytes(at: 0, count: headerSize)
    guard header.count == headerSize else { return nil }
    let log = header.withUnsafeBytes { Header($0) }
    var walk = AuditWalk(file: file, frameSize: frameHeaderSize + (log?.pageSize ?? pageSize))
    if let log {
      walk.isBigEndian = log.isBigEndian
      walk.salt = log.salt
      try walk.start(at: contents?.committed ?? 0, header: log.checksum)
    } else {
      // The order that the magic says may be what is broken in it.
      var other = walk
      walk.isBigEndian = header.withUnsafeBytes { $0.bigEndian32(at: 0) } & 1 == 1
      other.isBigEndian = !walk.isBigEndian
      try walk.startBehind(brokenHeader: header)
      try other.startBehind(brokenHeader: header)
      try other.run(cancellation)
      try walk.run(cancellation)
      return other.audit.lost > walk.audit.lost ? other.audit : walk.audit
    }
    try walk.run(cancellation)
    return walk.audit
  }

  /// The walk over the frames behind the last commit.
  private struct AuditWalk {
    let file: File
    let frameSize: Int
    var isBigEndian = false
    var salt: UInt64 = 0
    var audit = LogAudit()
    private var sum: (UInt32, UInt32) = (0, 0)
    private var frame = 0
    private var bad: Int?

    init(file: File, frameSize: Int) {
      self.file = file
      self.frameSize = frameSize
    }

    private func offset(of frame: Int) -> UInt64 {
      UInt64(headerSize) + UInt64(frame) * UInt64(frameSize)
    }

    mutating func start(at committed: Int, header: (UInt32, UInt32)) throws {
      frame = committed
      audit.committed = committed
      sum = header
      guard committed > 0 else { return }
      let last = try file.bytes(at: offset(of: committed - 1), count: frameHeaderSize)
      guard last.count == frameHeaderSize else { return }
      sum = last.withUnsafeBytes { ($0.bigEndian32(at: 16), $0.bigEndian32(at: 20)) }
    }

    /// The salt is taken from the first frame. Whether that one is sound is told by the checksum in
    /// the header or, where that is what is broken, by the one that it should be.
    mutating func startBehind(brokenHeader header: [UInt8]) throws {
      bad = 0
      let first = try file.bytes(at: offset(of: 0), count: frameSize)
      guard first.count == frameSize, header.count == headerSize else { return }
      salt = first.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
      sum = header.withUnsafeBytes { ($0.bigEndian32(at: 24), $0.bigEndian32(at: 28)) }
      var next = sum
      guard !first.withUnsafeBytes({ isValid($0, isBigEndian: isBigEndian, salt: salt, &next) })
      else { return }
      sum = header.withUnsafeBytes { checksum(ofHeader: $0, isBigEndian: isBigEndian) }
    }

    mutating func run(_ cancellation: Cancellation) throws {
      let batch = max(1, (1 << 20) / frameSize)
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: batch * frameSize, alignment: 16)
      defer { buffer.deallocate() }
      while true {
        try cancellation.check()
        guard try !skipHole() else { return }
        let got = try file.read(at: offset(of: frame), into: buffer)
        for index in 0..<(got / frameSize) {
          look(
            at: UnsafeRawBufferPointer(rebasing: buffer[(index * frameSize)...].prefix(frameSize)))
          frame += 1
        }
        guard got == buffer.count else { return }
      }
    }

    /// Passes over frames in a hole of the file, which are zeros and never valid: a log can claim to
    /// have terabytes of them. True where nothing else follows.
    private mutating func skipHole() throws -> Bool {
      let start = offset(of: frame)
      let data = try file.nextData(from: start)
      let end = max(try data ?? file.size(), start)
      let empty = Int(clamping: (end - start) / UInt64(frameSize))
      guard empty > 0 else { return data == nil }
      bad = bad ?? frame + 1
      audit.ignored += empty
      frame += empty
      sum = (0, 0)
      return data == nil
    }

    private mutating func look(at bytes: UnsafeRawBufferPointer) {
      var next = sum
      if isValid(bytes, isBigEndian: isBigEndian, salt: salt, &next) {
        sum = next
        guard bad != nil else {
          audit.uncommitted += 1
          return
        }
        audit.firstBad = audit.firstBad ?? bad
        audit.lost += 1
        if bytes.bigEndian32(at: 4) != 0 { audit.lostCommits += 1 }
        return
      }
      bad = bad ?? frame + 1
      audit.ignored += 1
      sum = (bytes.bigEndian32(at: 16), bytes.bigEndian32(at: 20))
    }
  }
}
