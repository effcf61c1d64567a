// One open file: whole reads and writes at offsets, and the few facts about it that decide
// whether two names mean one file. The descriptor closes with the last reference.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What makes a file the same file, whatever it is called.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
}

/// The facts of a file that dbseal acts on.
struct FileStatus: Sendable, Equatable {
  enum Kind: Sendable { case regular, directory, link, other }
  var identity: FileIdentity
  var kind: Kind
  /// What it is, where it is neither a regular file nor a link.
  var special: SpecialFile?
  /// Bytes.
  var size: UInt64
  var links: Int
  /// Permission bits.
  var mode: UInt32
  var user: UInt32
  var group: UInt32
  /// Last change of the content, in nanoseconds since 1970.
  var modified: Int64

  init(_ s: stat) {
    identity = FileIdentity(device: UInt64(s.st_dev), inode: UInt64(s.st_ino))
    kind =
      switch s.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .other
      }
    special =
      switch s.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      case S_IFREG, S_IFLNK: nil
      default: .device
      }
    size = UInt64(clamping: s.st_size)
    links = Int(s.st_nlink)
    mode = UInt32(s.st_mode) & 0o7777
    user = s.st_uid
    group = s.st_gid
    #if canImport(Darwin)
      modified = Int64(s.st_mtimespec.tv_sec) &* 1_000_000_000 &+ Int64(s.st_mtimespec.tv_nsec)
    #else
      modified = Int64(s.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(s.st_mtim.tv_nsec)
    #endif
  }

  /// Throws `.notRegular` for anything else than a regular file, with `path` in it.
  func requireRegular(_ path: String) throws {
    guard kind == .regular else {
      throw SealError.notRegular(path: path, special ?? .device)
    }
  }

  /// The status of what `path` names, or nil where there is nothing.
  static func of(_ path: String, followLinks: Bool = true) throws -> FileStatus? {
    do {
      return FileStatus(try System.status(at: path, followLinks: followLinks))
    } catch SealError.io(let failure)
      where [ENOENT, ENOTDIR, ENAMETOOLONG].contains(failure.errno)
    {
      // Nothing can have a name that is too long, so nothing is there: the log of a database whose
      // own name has 253 bytes.
      return nil
    }
  }
}

/// An open regular file.
final class File: @unchecked Sendable {
  enum Access: Sendable {
    case read
    case readWrite
    /// The same, never through a link.
    case readWriteItself
    /// A new file, mode 0600, never through a link, never over something that exists.
    case create
  }

  let path: String
  let descriptor: Int32
  /// The name in errors.
  let subject: String

  /// Opens `path`. Errors speak of `subject` where it is named: nobody knows a temporary name.
  init(_ path: String, _ access: Access = .read, subject: String? = nil) throws {
    self.path = path
    self.subject = subject ?? path
    // O_NONBLOCK: a FIFO must not make the open wait; it is refused by its kind right after.
    switch access {
    case .read: descriptor = try System.open(path, O_RDONLY | O_NONBLOCK)
    case .readWrite: descriptor = try System.open(path, O_RDWR | O_NONBLOCK)
    case .readWriteItself:
      descriptor = try System.open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
    case .create:
      descriptor = try System.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    }
  }

  deinit { System.close(descriptor) }

  func status() throws -> FileStatus { FileStatus(try System.status(descriptor, subject)) }

  /// Size in bytes.
  func size() throws -> UInt64 { try status().size }

  /// Reads until `buffer` is full or the file ends; the number of bytes read.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try System.read(descriptor, subject, into: rest, at: offset &+ UInt64(done))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Up to `count` bytes at `offset`.
  func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try bytes.withUnsafeMutableBytes { try read(at: offset, into: $0) }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Writes all of `buffer`.
  func write(at offset: UInt64, _ buffer: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
      let count = try System.write(descriptor, subject, from: rest, at: offset &+ UInt64(done))
      // A write of nothing without an error would loop for ever: call it a full disk.
      if count == 0 { throw SealError.io(IOFailure(.write, path: subject, errno: ENOSPC)) }
      done += count
    }
  }

  /// Where the next bytes from `offset` on stand that may differ from zero; nil where only a hole
  /// follows. Where the file system does not know its holes, `offset` itself.
  func nextData(from offset: UInt64) throws -> UInt64? {
    try System.nextData(descriptor, subject, from: offset)
  }

  /// A hint that the file will be read from front to back.
  func adviseSequential() { System.adviseSequential(descriptor) }
  /// A hint that these bytes will be written. `truncate` gives back what is too much.
  func reserve(_ range: Range<UInt64>) { System.reserve(descriptor, range) }
  /// A hint that `sync` will follow: the device can begin.
  func startWriteback() { System.startWriteback(descriptor) }
  func sync() throws { try System.sync(descriptor, subject) }
  func truncate(to size: UInt64) throws { try System.truncate(descriptor, subject, to: size) }
  func setMode(_ mode: UInt32) throws { try System.setMode(descriptor, subject, mode_t(mode)) }
}

/// Names and folders of paths, as text.
enum Path {
  /// The folder of `path`, `.` for a bare name.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// The last component of `path`.
  static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Throws where no file can have the name, because it or the whole path is too long.
  static func requireName(_ path: String) throws {
    do {
      _ = try System.status(at: path, followLinks: false)
    } catch SealError.io(let failure) where failure.errno != ENAMETOOLONG {
      // Whatever else is wrong is for whoever opens it to find.
    }
  }

  /// Whether two names mean one place: the same name in the same folder.
  static func isSame(_ a: String, _ b: String) throws -> Bool {
    guard name(of: a) == name(of: b), let folder = try FileStatus.of(folder(of: a)) else {
      return false
    }
    return try FileStatus.of(Path.folder(of: b))?.identity == folder.identity
  }

  static func join(_ folder: String, _ name: String) -> String {
    folder == "."
      ? name : folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
  }

  /// Makes the entries of a folder durable.
  static func syncFolder(_ folder: String) throws {
    let descriptor = try System.open(folder, O_RDONLY)
    defer { System.close(descriptor) }
    do {
      try System.sync(descriptor, folder)
    } catch SealError.io(let failure) where failure.errno == EINVAL || failure.errno == EROFS {
      // Some file systems have nothing to sync in a folder.
    }
  }
}
