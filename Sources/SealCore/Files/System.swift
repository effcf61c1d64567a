// Every system call that dbseal makes on files, one small function each, so that there is one
// place to see what is asked of the system and one place to make it fail in tests. An interrupted
// call is made again; any other failure becomes a `SealError.io` that names call and path.

internal import CSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

enum System {
  /// Runs `body` until it is not interrupted; a negative answer throws.
  @discardableResult
  private static func call<R: SignedInteger>(
    _ name: IOFailure.Call, _ path: String, _ body: () -> R
  ) throws -> R {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw SealError.io(IOFailure(name, path: path, errno: errno)) }
    }
  }

  static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws -> Int32 {
    try call(.open, path) { openat(AT_FDCWD, path, flags | O_CLOEXEC, mode) }
  }

  static func read(
    _ fd: Int32, _ path: String, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    try call(.read, path) { pread(fd, buffer.baseAddress, buffer.count, off_t(clamping: offset)) }
  }

  static func write(
    _ fd: Int32, _ path: String, from buffer: UnsafeRawBufferPointer, at offset: UInt64
  ) throws -> Int {
    try call(.write, path) { pwrite(fd, buffer.baseAddress, buffer.count, off_t(clamping: offset)) }
  }

  /// The first offset from `offset` on that is in no hole, nil where there is none. Does not move
  /// anything that reads at offsets.
  static func nextData(_ fd: Int32, _ path: String, from offset: UInt64) throws -> UInt64? {
    let found = dbseal_seek_data(fd, Int64(clamping: offset))
    if found >= 0 { return max(offset, UInt64(found)) }
    switch errno {
    case ENXIO: return nil
    case EINVAL, ENOTSUP, EOPNOTSUPP: return offset
    default: throw SealError.io(IOFailure(.read, path: path, errno: errno))
    }
  }

  /// Flushes to the device: F_FULLFSYNC where there is one.
  static func sync(_ fd: Int32, _ path: String) throws {
    #if canImport(Darwin)
      if fcntl(fd, F_FULLFSYNC) == 0 { return }
    #endif
    try call(.sync, path) { fsync(fd) }
  }

  static func truncate(_ fd: Int32, _ path: String, to size: UInt64) throws {
    try call(.truncate, path) { ftruncate(fd, off_t(clamping: size)) }
  }

  static func status(_ fd: Int32, _ path: String) throws -> stat {
    var result = stat()
    try call(.stat, path) { fstat(fd, &result) }
    return result
  }

  static func status(at path: String, followLinks: Bool) throws -> stat {
    var result = stat()
    try call(.stat, path) {
      fstatat(AT_FDCWD, path, &result, followLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    }
    return result
  }

  /// Whether something can be found under a name of bytes that need not be text, up to a NUL. An
  /// empty file is nothing, as SQLite's unix VFS has it (unixAccess in os_unix.c).
  static func exists(cString name: [UInt8]) -> Bool {
    var result = stat()
    let text = (name + [0]).map { CChar(bitPattern: $0) }
    return fstatat(AT_FDCWD, text, &result, 0) == 0
      && (result.st_mode & S_IFMT != S_IFREG || result.st_size > 0)
  }

  /// Throws unless files may be made and removed in `folder`, where `path` is.
  static func requireWritable(folder: String, for path: String) throws {
    try call(.create, path) { faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) }
  }

  static func rename(_ old: String, to new: String) throws {
    try call(.rename, new) { renameat(AT_FDCWD, old, AT_FDCWD, new) }
  }

  /// Renames unless something has that name, in one step where the file system can; elsewhere by
  /// a second link. Throws EEXIST.
  static func renameNew(_ old: String, to new: String) throws {
    do {
      try call(.rename, new) { dbseal_rename_exclusive(old, new) }
    } catch SealError.io(let failure) where [EINVAL, ENOSYS, ENOTSUP].contains(failure.errno) {
      try link(old, to: new)
      try unlink(old)
    }
  }

  static func link(_ old: String, to new: String) throws {
    try call(.link, new) { linkat(AT_FDCWD, old, AT_FDCWD, new, 0) }
  }

  static func unlink(_ path: String) throws {
    try call(.unlink, path) { unlinkat(AT_FDCWD, path, 0) }
  }

  static func setMode(_ fd: Int32, _ path: String, _ mode: mode_t) throws {
    try call(.chmod, path) { fchmod(fd, mode) }
  }

  static func setOwner(_ fd: Int32, _ path: String, user: uid_t, group: gid_t) throws {
    try call(.chown, path) { fchown(fd, user, group) }
  }

  static func close(_ fd: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(fd)
    #else
      _ = Darwin.close(fd)
    #endif
  }

  /// Bytes that an unprivileged process may still write to the file system of `path`.
  static func availableSpace(at path: String) throws -> UInt64 {
    var result = statvfs()
    try call(.stat, path) { statvfs(path, &result) }
    return UInt64(result.f_bavail) &* UInt64(result.f_frsize)
  }

  /// Advice that the file will be read from front to back; a wish.
  static func adviseSequential(_ fd: Int32) {
    #if os(Linux)
      _ = posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  /// Has room kept for a range of bytes, where the file system can; a wish. The file's size stays as
  /// it is.
  static func reserve(_ fd: Int32, _ range: Range<UInt64>) {
    dbseal_reserve(fd, Int64(clamping: range.lowerBound), Int64(clamping: range.count))
  }

  /// Has what was written so far go to the device without waiting for it; a wish.
  static func startWriteback(_ fd: Int32) { dbseal_start_writeback(fd) }

  /// Takes (F_RDLCK, F_WRLCK) or gives back (F_UNLCK) a byte-range lock that belongs to this open
  /// file. False: somebody else's lock is in the way.
  static func lock(
    _ fd: Int32, _ path: String, type: Int32, start: Int64, length: Int64
  ) throws -> Bool {
    while dbseal_lock(fd, Int16(type), start, length) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      default: throw SealError.io(IOFailure(.lock, path: path, errno: errno))
      }
    }
    return true
  }

  /// Whether another open file holds a lock that a write lock on the range would collide with.
  static func isLockedByOthers(
    _ fd: Int32, _ path: String, start: Int64, length: Int64
  ) throws -> Bool {
    try call(.lock, path) { dbseal_lock_conflict(fd, Int16(F_WRLCK), start, length) } == 1
  }

  /// Takes the whole-file advisory lock (flock(2)) that marks a temporary file as in use.
  static func markInUse(_ fd: Int32) -> Bool { flock(fd, LOCK_EX | LOCK_NB) == 0 }

  /// Names in a folder, without order; `.` and `..` left out, and so is what is not UTF-8: a
  /// repaired name would be the name of another file, and no name of ours is like that.
  static func names(in folder: String) throws -> [String] {
    guard let stream = opendir(folder) else {
      throw SealError.io(IOFailure(.list, path: folder, errno: errno))
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The path with every symbolic link followed.
  static func realPath(_ path: String) throws -> String {
    guard let resolved = realpath(path, nil) else {
      throw SealError.io(IOFailure(.open, path: path, errno: errno))
    }
    defer { free(resolved) }
    // A repaired name would be the name of another file.
    guard let text = String(validatingCString: resolved) else {
      throw SealError.io(IOFailure(.open, path: path, errno: EILSEQ))
    }
    return text
  }

  /// Where a symbolic link points, or nil.
  static func linkTarget(_ path: String) -> String? {
    // Not an array: it would be filled with zeros for each of the descriptors in /proc.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }

  /// Sleeps; a signal may end it early.
  static func pause(milliseconds: Int) { _ = usleep(useconds_t(milliseconds * 1000)) }

  /// Seconds of a clock that never goes back.
  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// A variable of the environment; nil where it is not set.
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Processors that this process may use.
  static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The permission bits that new files are denied.
  static func currentUmask() -> mode_t { startUmask }

  /// Asking for it means setting it, which no two threads may do at once: it is asked for once.
  private static let startUmask: mode_t = {
    let mask = umask(0o077)
    _ = umask(mask)
    return mask
  }()
}
