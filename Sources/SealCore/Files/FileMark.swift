// What tells whether a file is still the one that was seen before, without reading it.

/// Number, size and last change of a file. Not its device: many have another number after a reboot.
public struct FileMark: Sendable, Equatable {
  public var inode: UInt64
  /// Bytes.
  public var size: UInt64
  /// Last change of the content, in nanoseconds since 1970.
  public var modified: Int64

  public init(inode: UInt64, size: UInt64, modified: Int64) {
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  /// That of the file that `path` leads to; nil where there is none, or none that can be looked at.
  public static func of(_ path: String) -> FileMark? {
    guard let status = try? FileStatus.of(path), status.kind == .regular else { return nil }
    return FileMark(
      inode: status.identity.inode, size: status.size, modified: status.modified)
  }
}

/// What tells whether a database is still the one that was seen before: its file, and a log or hot
/// journal with content of its own.
public struct DatabaseMark: Sendable, Equatable {
  public var file: FileMark?
  public var log: FileMark?
  public var journal: FileMark?

  public init(file: FileMark?, log: FileMark? = nil, journal: FileMark? = nil) {
    (self.file, self.log, self.journal) = (file, log, journal)
  }

  /// That of the database at `path`, links followed.
  public static func of(_ path: String) -> DatabaseMark {
    guard let real = try? System.realPath(path) else { return DatabaseMark(file: nil) }
    let sidecars = Sidecars(of: real)
    func content(_ path: String) -> FileMark? {
      FileMark.of(path).flatMap { $0.size > 0 ? $0 : nil }
    }
    return DatabaseMark(
      file: FileMark.of(real), log: content(sidecars.log), journal: content(sidecars.journal))
  }

  /// Where `path` is, whatever leads there and whether there is something or not.
  public static func place(of path: String) -> String {
    guard let folder = try? System.realPath(Path.folder(of: path)) else { return path }
    return Path.join(folder, Path.name(of: path))
  }
}
