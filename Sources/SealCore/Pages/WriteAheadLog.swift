// Reads a write-ahead log as SQLite's recovery would: frames count while their salts equal the
// header's and the running checksum holds, and only up to the last commit frame.
// Source: sqlite.org/fileformat2.html, "The Write-Ahead Log".

enum WriteAheadLog {
  static let headerSize = 32
  static let frameHeaderSize = 24

  /// What the log of a database holds.
  struct Contents {
    /// Nil where no frame is committed.
    var overlay: PageOverlay?
    /// Frames up to and with the last commit.
    var committed: Int
    /// Whole frames in the file that are not committed, or left from before the last reset.
    var beyond: Int
  }

  /// Reads the log `path` beside a database; nil where there is none, an empty one, or one whose
  /// header SQLite would not believe. Throws `.unsupported` for a sound log of another version:
  /// it may hold committed rows, and nobody here can read them.
  static func read(_ path: String, cancellation: Cancellation) throws -> Contents? {
    guard try FileStatus.of(path)?.kind == .regular else { return nil }
    let file = try File(path)
    let header = try file.bytes(at: 0, count: headerSize)
    guard let log = header.withUnsafeBytes({ Header($0) }) else { return nil }
    guard log.version == version else { throw SealError.unsupported(.logVersion(log.version)) }
    return try scan(file, log, cancellation: cancellation)
  }

  /// Bytes of a page, as the header of the log `path` says; nil where SQLite would not believe it.
  static func pageSize(of path: String) throws -> Int? {
    let header = try File(path).bytes(at: 0, count: headerSize)
    return header.withUnsafeBytes { Header($0)?.pageSize }
  }

  /// The one version of the format there is (sqlite.org/fileformat2.html, section 4.1).
  static let version: UInt32 = 3_007_000

  /// The log's own header.
  struct Header {
    let version: UInt32
    let pageSize: Int
    let isBigEndian: Bool
    let salt: UInt64
    let checksum: (UInt32, UInt32)

    init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count == headerSize else { return nil }
      version = bytes.bigEndian32(at: 4)
      switch bytes.bigEndian32(at: 0) {
      case 0x377f_0682: isBigEndian = false
      case 0x377f_0683: isBigEndian = true
      default: return nil
      }
      let size = Int(bytes.bigEndian32(at: 8))
      guard (512...65536).contains(size), size & (size - 1) == 0 else { return nil }
      pageSize = size
      salt = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
      let sum = WriteAheadLog.checksum(ofHeader: bytes, isBigEndian: isBigEndian)
      guard sum == (bytes.bigEndian32(at: 24), bytes.bigEndian32(at: 28)) else { return nil }
      checksum = sum
    }
  }

  private static func scan(_ file: File, _ log: Header, cancellation: Cancellation) throws
    -> Contents
  {
    let frameSize = frameHeaderSize + log.pageSize
    let batch = max(1, (1 << 20) / frameSize)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: batch * frameSize, alignment: 16)
    defer { buffer.deallocate() }
    var sum = log.checksum
    var offsets: [UInt32: UInt64] = [:]
    var pending: [(page: UInt32, offset: UInt64)] = []
    var pageCount: UInt32 = 0
    var frames = 0
    var committed = 0
    var position = UInt64(headerSize)
    reading: while true {
      try cancellation.check()
      let got = try file.read(at: position, into: buffer)
      for index in 0..<(got / frameSize) {
        let frame = UnsafeRawBufferPointer(
          rebasing: buffer[(index * frameSize)...].prefix(frameSize))
        guard isValid(frame, isBigEndian: log.isBigEndian, salt: log.salt, &sum) else {
          break reading
        }
        let page = frame.bigEndian32(at: 0)
        pending.append((page, position + UInt64(index * frameSize + frameHeaderSize)))
        frames += 1
        let sizeAfterCommit = frame.bigEndian32(at: 4)
        guard sizeAfterCommit != 0 else { continue }
        for entry in pending { offsets[entry.page] = entry.offset }
        pending.removeAll(keepingCapacity: true)
        pageCount = sizeAfterCommit
        committed = frames
      }
      guard got == buffer.count else { break }
      position += UInt64(got)
    }
    // A writer may have cut it meanwhile.
    let size = max(try file.size(), UInt64(headerSize))
    let whole = (size - UInt64(headerSize)) / UInt64(frameSize)
    let overlay =
      committed == 0
      ? nil
      : PageOverlay(
        origin: .log, pageSize: log.pageSize, pageCount: pageCount,
        offsets: offsets.filter { $0.key <= pageCount }, records: committed, file: file)
    return Contents(
      overlay: overlay, committed: committed, beyond: max(0, Int(clamping: whole) - committed))
  }

  /// Whether a frame continues the log; `sum` is the running checksum before it, and after it.
  static func isValid(
    _ frame: UnsafeRawBufferPointer, isBigEndian: Bool, salt: UInt64,
    _ sum: inout (UInt32, UInt32)
  ) -> Bool {
    guard frame.bigEndian32(at: 0) != 0,
      frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == salt
    else { return false }
    add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian, to: &sum)
    add(UnsafeRawBufferPointer(rebasing: frame[frameHeaderSize...]), isBigEndian, to: &sum)
    return sum == (frame.bigEndian32(at: 16), frame.bigEndian32(at: 20))
  }

  /// The checksum that a header of 32 bytes should have.
  static func checksum(ofHeader bytes: UnsafeRawBufferPointer, isBigEndian: Bool)
    -> (UInt32, UInt32)
  {
    var sum: (UInt32, UInt32) = (0, 0)
    add(UnsafeRawBufferPointer(rebasing: bytes.prefix(24)), isBigEndian, to: &sum)
    return sum
  }

  /// The format's checksum over a multiple of eight bytes.
  private static func add(
    _ bytes: UnsafeRawBufferPointer, _ isBigEndian: Bool, to sum: inout (UInt32, UInt32)
  ) {
    var (a, b) = sum
    let swap = isBigEndian != (UInt32(1).bigEndian == 1)
    var offset = 0
    while offset + 8 <= bytes.count {
      let x = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let y = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      a = a &+ (swap ? x.byteSwapped : x) &+ b
      b = b &+ (swap ? y.byteSwapped : y) &+ a
      offset += 8
    }
    sum = (a, b)
  }
}
