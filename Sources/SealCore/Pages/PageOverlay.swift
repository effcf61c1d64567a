// The pages that replace those of the main file: committed frames of a write-ahead log, or the
// original pages in a hot rollback journal. Both are applied in memory; neither file is touched.

/// Where the newer (log) or older (journal) version of each page stands.
struct PageOverlay {
  enum Origin: Sendable, Equatable { case log, journal }

  let origin: Origin
  /// Bytes of a page, as log or journal say it.
  let pageSize: Int
  /// Pages in the database once this is applied.
  let pageCount: UInt32
  /// Page number to the offset of its bytes in `file`.
  let offsets: [UInt32: UInt64]
  /// Frames or records that were used, repeated pages counted.
  let records: Int
  let file: File

  /// Copies page `number` to `buffer` if it is here.
  func read(_ number: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
    guard let offset = offsets[number] else { return false }
    guard try file.read(at: offset, into: buffer) == buffer.count else {
      throw SealError.changedWhileReading(path: file.path)
    }
    return true
  }
}

/// Big-endian numbers at an offset that the caller has checked.
extension UnsafeRawBufferPointer {
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
