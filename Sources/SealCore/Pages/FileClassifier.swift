// What a file is, judged without a key. Header magic alone proves nothing: a plaintext header, or
// a salt that somebody chose, can look like one, so the whole first page must make sense; and only
// bytes that look random can be an encrypted database.

enum FileClassifier {
  /// How many bytes of the start are wanted.
  static let sampleSize = 65536

  /// The kind of a file of `size` bytes that begins with `start` (up to `sampleSize` bytes).
  static func kind(start: UnsafeRawBufferPointer, size: UInt64) -> FileKind {
    guard size > 0 else { return .empty }
    if let sidecar = sidecarKind(start, size) { return sidecar }
    if start.starts(with: DatabaseHeader.magic) { return kindBehindMagic(start, size) }
    if lacksMagicOnly(start) { return .plaintext }
    if OtherFormat.recognised(in: start) != nil { return .other }
    guard looksRandom(start) else { return .other }
    return size < 512 ? .truncated : .sqlcipher
  }

  /// Log or rollback journal, by their magic. A salt can be chosen so that it reads like one, and
  /// then whole pages of ciphertext follow: a journal's header is mostly zeros, and a log's has its
  /// version.
  private static func sidecarKind(_ start: UnsafeRawBufferPointer, _ size: UInt64) -> FileKind? {
    if start.starts(with: journalMagic) { return isWholeCiphertext(start, size) ? nil : .journal }
    guard logMagics.contains(where: { start.starts(with: $0) }) else { return nil }
    let hasVersion = start.count >= 8 && start.bigEndian32(at: 4) == WriteAheadLog.version
    return !hasVersion && isWholeCiphertext(start, size) ? nil : .wal
  }

  private static let journalMagic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
  private static let logMagics: [[UInt8]] = [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]]

  /// Whether a database with that salt would be taken for something else by its first bytes.
  static func isMisleading(salt: [UInt8]) -> Bool {
    if ([journalMagic, DatabaseHeader.magic] + logMagics).contains(where: { salt.starts(with: $0) })
    {
      return true
    }
    return (salt + [UInt8](repeating: 0, count: 48)).withUnsafeBytes {
      OtherFormat.recognised(in: $0) != nil
    }
  }

  /// Whether what follows the first 16 bytes may be SQLCipher's: whole pages, and random.
  private static func isWholeCiphertext(_ start: UnsafeRawBufferPointer, _ size: UInt64) -> Bool {
    start.count >= 512 && size % 512 == 0 && isRandomFrom(16, start)
  }

  /// Whether a key may still fit what `kind` calls something else. A salt can be chosen so that it
  /// reads like the magic, and then ciphertext stands where the header's fields would; and a sector
  /// that was wiped makes the rest of an encrypted file no less random. `plaintextHeader`: bytes in
  /// clear that the caller named; whatever stands there, the page tags will tell.
  static func mayBeEncrypted(
    _ start: UnsafeRawBufferPointer, _ kind: FileKind, size: UInt64, plaintextHeader: Int = 0
  ) -> Bool {
    switch kind {
    case .plaintext:
      return DatabaseHeader.flaw(in: start) != nil && isRandomFrom(16, start)
        && !lacksMagicOnly(start)
    case .wal:
      let header = UnsafeRawBufferPointer(rebasing: start.prefix(WriteAheadLog.headerSize))
      return isWholeCiphertext(start, size) && WriteAheadLog.Header(header) == nil
    case .other:
      if let format = OtherFormat.recognised(in: start) {
        if plaintextHeader > 0, start.count >= 512 {
          return isRandomFrom(min(max(16, plaintextHeader), 448), start)
        }
        return format.standsInSalt && isWholeCiphertext(start, size)
      }
      let windows = stride(from: 0, to: start.count - 511, by: 512)
      return windows.contains {
        looksRandom(UnsafeRawBufferPointer(rebasing: start[$0..<($0 + 512)]))
      }
    default: return false
    }
  }

  /// Whether everything but the first 16 bytes is as in a plaintext database: they are damaged. Bytes
  /// that are random fit about once in 2^40.
  static func lacksMagicOnly(_ start: UnsafeRawBufferPointer) -> Bool {
    start.count >= 512 && !start.starts(with: DatabaseHeader.magic)
      && DatabaseHeader.flawBehindMagic(in: start) == nil && firstPageMakesSense(start)
  }

  private static func kindBehindMagic(_ start: UnsafeRawBufferPointer, _ size: UInt64) -> FileKind {
    guard start.count >= 512 else { return .truncated }
    // A broken header is a broken database: the one plaintext header in use, iOS's 32 bytes, keeps
    // the fields that are looked at here.
    guard DatabaseHeader.flaw(in: start) == nil else { return .plaintext }
    return firstPageMakesSense(start) || !isRandomFrom(128, start)
      ? .plaintext : .sqlcipherPlaintextHeader
  }

  /// Whether page 1 is a table B-tree page whose cell pointers stay inside the page and whose tree
  /// fields are in order.
  static func firstPageMakesSense(_ start: UnsafeRawBufferPointer) -> Bool {
    func big16(_ offset: Int) -> Int { Int(start[offset]) << 8 | Int(start[offset + 1]) }
    let stored = big16(16)
    let usable = (stored == 1 ? 65536 : stored) - Int(start[20])
    guard start[100] == 0x0d || start[100] == 0x05 else { return false }
    let headerEnd = start[100] == 0x0d ? 108 : 112
    let cells = big16(103)
    let content = big16(105) == 0 ? 65536 : big16(105)
    guard headerEnd + 2 * cells <= content, content <= usable, big16(101) < usable else {
      return false
    }
    return (0..<cells).allSatisfy { index in
      let at = headerEnd + 2 * index
      guard at + 1 < start.count else { return true }
      return (content..<usable).contains(big16(at))
    }
  }

  private static func isRandomFrom(_ offset: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    looksRandom(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
  }

  /// Whether the byte values are spread as evenly as ciphertext's are: the chi-squared statistic
  /// against a uniform spread, whose mean is 255 and whose deviation is about 23. Text and SQLite
  /// pages are in the thousands.
  static func looksRandom(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let sample = bytes.prefix(4096)
    guard sample.count >= 64 else { return false }
    var counts = [Int](repeating: 0, count: 256)
    for byte in sample { counts[Int(byte)] += 1 }
    let expected = Double(sample.count) / 256
    let chiSquared = counts.reduce(0.0) {
      let distance = Double($1) - expected
      return $0 + distance * distance / expected
    }
    return chiSquared < 420
  }
}
