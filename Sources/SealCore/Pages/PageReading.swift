// How the parts that understand pages get at them, and where they put them. Pages are decoded
// (plain) here: whoever implements these deals with encryption, overlays and files.

/// Random access to the decoded pages of a consistent snapshot. Not safe for concurrent callers.
protocol PageReading: AnyObject {
  /// Bytes of a page, a power of two from 512 to 65536.
  var pageSize: Int { get }
  /// Number of pages in the snapshot; pages are numbered from 1.
  var pageCount: UInt32 { get }
  /// Copies page `number` (pageSize bytes) to `buffer`. Throws `SealError`, for instance
  /// `.damaged` where the tag of the page does not verify or the page was wiped to zeros.
  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws
  /// Page `number` where it is already, or else copied to `buffer`. `BTreePage.slack` bytes behind it
  /// can be read. It stays until this is called again. Throws as `read`.
  func page(_ number: UInt32, or buffer: UnsafeMutableRawPointer) throws -> UnsafeRawPointer
  /// Calls `body` with page `number`, where it is already or copied to `buffer`. What `page` gave stays.
  /// Throws as `read`, and what `body` throws.
  func withPage(
    _ number: UInt32, or buffer: UnsafeMutableRawPointer, _ body: (UnsafeRawPointer) throws -> Void
  ) throws
  /// A hint: these pages will be asked for in this order, after what was announced before; where
  /// `now` is set, before all of that. May do nothing.
  func prefetch(_ numbers: [UInt32], now: Bool)
}

extension PageReading {
  func page(_ number: UInt32, or buffer: UnsafeMutableRawPointer) throws -> UnsafeRawPointer {
    try read(number, into: buffer)
    return UnsafeRawPointer(buffer)
  }

  func withPage(
    _ number: UInt32, or buffer: UnsafeMutableRawPointer, _ body: (UnsafeRawPointer) throws -> Void
  ) throws {
    try read(number, into: buffer)
    try body(UnsafeRawPointer(buffer))
  }
}

/// Takes the pages of a new database, in any order, each exactly once.
protocol PageWriting: AnyObject {
  /// Takes page `number`; the bytes are copied before the call returns.
  func write(_ number: UInt32, _ bytes: UnsafeRawPointer) throws
}
