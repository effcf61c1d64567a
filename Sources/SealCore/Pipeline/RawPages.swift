// Where the pipeline's raw pages come from: a snapshot of a source, or the file that was just
// written and is read back. Raw means as on the disk.

/// Raw pages, readable from several threads at once.
protocol RawPages: AnyObject, Sendable {
  /// For errors.
  var path: String { get }
  /// Reads `count` pages of `pageSize` bytes from number `first` on; zeros past the end.
  func read(first: UInt32, count: Int, pageSize: Int, into buffer: UnsafeMutableRawPointer) throws
}

extension Snapshot: RawPages {}

/// The pages of a file that nobody else knows: an output under its temporary name.
final class OutputPages: RawPages {
  private let file: File
  let path: String

  /// `path` is the name that errors speak of.
  init(_ file: File, path: String) {
    self.file = file
    self.path = path
  }

  func read(first: UInt32, count: Int, pageSize: Int, into buffer: UnsafeMutableRawPointer) throws {
    let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: count * pageSize)
    let got = try file.read(at: UInt64(first &- 1) * UInt64(pageSize), into: bytes)
    if got < bytes.count {
      UnsafeMutableRawBufferPointer(rebasing: bytes[got...]).initializeMemory(
        as: UInt8.self, repeating: 0)
    }
  }
}

/// Makes a codec for a thread; nil where pages are plain.
typealias CodecMaker = @Sendable () throws -> PageCodec

/// What the pages of one database are read by.
struct PageStore: Sendable {
  let pages: any RawPages
  let pageSize: Int
  let pageCount: UInt32
  /// nil for a plaintext database.
  let codec: CodecMaker?

  var bytes: UInt64 { UInt64(pageCount) * UInt64(pageSize) }
}
