// What tells whether a file is still the one that was seen before, without reading it.

/// Identity, size and last change of a file.
public struct FileMark: Sendable, Equatable {
  public var device: UInt64
  public var inode: UInt64
  /// Bytes.
  public var size: UInt64
  /// Last change of the content, in nanoseconds since 1970.
  public var modified: Int64

  public init(device: UInt64, inode: UInt64, size: UInt64, modified: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  /// That of the file that `path` leads to; nil where there is none, or none that can be looked at.
  public static func of(_ path: String) -> FileMark? {
    guard let status = try? FileStatus.of(path), status.kind == .regular else { return nil }
    return FileMark(
      device: status.identity.device, inode: status.identity.inode, size: status.size,
      modified: status.modified)
  }
}
