// How the engine opens an output that still has its temporary name: immutable, so that it makes no
// log beside it, and whatever the length of the path. SQLite takes paths of up to about 500 bytes
// (MAX_PATHNAME in os_unix.c), the system eight times as many.

extension Connection {
  /// The longest path, links followed, that is left to SQLite's own file layer, in bytes.
  private static let longestPath = 490

  /// Opens `file`, which nobody else knows, read-only and without locks.
  convenience init(output file: File) throws {
    if let path = try? System.realPath(file.path), path.utf8.count <= Self.longestPath {
      try self.init(path: file.path, access: .immutable, subject: file.subject)
    } else {
      try self.init(snapshot: OpenOutput(file), path: file.subject)
    }
  }
}

/// The bytes of an open file, for the file system that asks for no path.
private final class OpenOutput: SnapshotFile {
  let size: UInt64
  private let file: File

  init(_ file: File) throws {
    self.file = file
    size = try file.size()
  }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    (try? file.read(at: offset, into: buffer)) == buffer.count
  }
}
