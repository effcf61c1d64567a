// SQLite's own locks, taken on descriptors of ours, so that a snapshot is whole and other programs
// wait or are waited for exactly as if dbseal were SQLite. They belong to the open file and not to
// the process (System.lock), so no other descriptor that closes can drop them, and neither the key
// nor an engine that understands the format is needed to take them.
//
// Bytes: sqlite.org/lockingv3.html and os_unix.c (main file); walformat.html section 2.3 (-shm).

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Locks on a database for as long as this lives.
final class DatabaseLock: @unchecked Sendable {
  enum Strength: Sendable {
    /// Readers may come, writers wait.
    case shared
    /// Nobody else reads or writes.
    case exclusive
    /// The file cannot be opened for writing, so only a reader's lock could be had although an
    /// exclusive one was wanted; the end of the work checks that nothing changed.
    case sharedOnReadOnly
  }

  private static let pending: Int64 = 0x4000_0000
  /// The byte that a writer locks.
  static let reserved = pending + 1
  private static let sharedFirst = pending + 2
  private static let sharedLength: Int64 = 510
  /// The byte of the -shm that every connection in WAL mode holds while it lives.
  static let deadMansSwitch: Int64 = 128

  let path: String
  private(set) var strength: Strength
  private let file: File
  private var writable: File?
  private var sharedMemory: File?

  /// Takes a reader's lock on `file`, waiting up to `timeout` seconds.
  init(shared file: File, timeout: Double, cancellation: Cancellation) throws {
    self.file = file
    path = file.path
    strength = .shared
    try Self.wait(path, timeout, cancellation) { try self.tryShared() }
  }

  /// Takes the exclusive lock on `file`, which must be open for writing.
  init(exclusive file: File, timeout: Double, cancellation: Cancellation) throws {
    self.file = file
    path = file.path
    strength = .exclusive
    try Self.wait(path, timeout, cancellation) { try Self.tryExclusive(file) }
  }

  /// Whether a writer is at work, so that a journal beside the file is its own and not a hot one.
  func writerIsActive() throws -> Bool {
    try System.isLockedByOthers(file.descriptor, path, start: Self.reserved, length: 1)
  }

  /// Protects a database in WAL mode. Where others have it open, their log must not be reset and
  /// not be written back into the file: two read marks of the wal-index see to both. Where nobody
  /// has, an exclusive lock keeps newcomers waiting, and no file is made.
  func protectLog(timeout: Double, cancellation: Cancellation) throws {
    guard strength == .shared, sharedMemory == nil else { return }
    var live = false
    try Self.wait(path, timeout, cancellation) {
      live = try self.tryReadMarks()
      if live { return self.sharedMemory != nil }
      return try self.tryAlone()
    }
  }

  private func tryShared() throws -> Bool {
    guard try Self.set(file, F_RDLCK, Self.pending, 1) else { return false }
    defer { _ = try? Self.set(file, F_UNLCK, Self.pending, 1) }
    return try Self.set(file, F_RDLCK, Self.sharedFirst, Self.sharedLength)
  }

  private static func tryExclusive(_ file: File) throws -> Bool {
    guard try set(file, F_WRLCK, reserved, 1) else { return false }
    if try set(file, F_WRLCK, pending, 1) {
      if try set(file, F_WRLCK, sharedFirst, sharedLength) { return true }
      _ = try set(file, F_UNLCK, pending, 1)
    }
    _ = try set(file, F_UNLCK, reserved, 1)
    return false
  }

  /// True: other connections share a wal-index. Its marks were taken if `sharedMemory` is set.
  private func tryReadMarks() throws -> Bool {
    // walformat.html: eight lock bytes from 120 on (write, checkpoint, recover, five read marks),
    // then the dead man's switch.
    let mark0: Int64 = 123
    let deadMansSwitch = Self.deadMansSwitch
    guard try FileStatus.of(path + "-shm")?.kind == .regular else { return false }
    let memory: File
    do { memory = try File(path + "-shm") } catch { return false }
    guard try System.isLockedByOthers(memory.descriptor, path, start: deadMansSwitch, length: 1)
    else { return false }
    guard try Self.set(memory, F_RDLCK, deadMansSwitch, 1), try Self.set(memory, F_RDLCK, mark0, 2)
    else { return true }
    sharedMemory = memory
    return true
  }

  /// Exchanges the reader's lock for an exclusive one on a second, writable descriptor.
  private func tryAlone() throws -> Bool {
    let second: File
    do {
      second = try File(path, .readWrite)
    } catch SealError.io(let failure) where [EACCES, EROFS, EPERM].contains(failure.errno) {
      strength = .sharedOnReadOnly
      return true
    }
    guard try second.status().identity == file.status().identity else {
      throw SealError.changedWhileReading(path: path)
    }
    guard try Self.set(second, F_WRLCK, Self.reserved, 1) else { return false }
    _ = try Self.set(file, F_UNLCK, Self.sharedFirst, Self.sharedLength)
    if try Self.set(second, F_WRLCK, Self.pending, 1),
      try Self.set(second, F_WRLCK, Self.sharedFirst, Self.sharedLength)
    {
      writable = second
      strength = .exclusive
      return true
    }
    // `second` closes and gives its locks back.
    _ = try tryShared()
    return false
  }

  private static func set(_ file: File, _ type: Int32, _ start: Int64, _ length: Int64) throws
    -> Bool
  {
    try System.lock(file.descriptor, file.path, type: type, start: start, length: length)
  }

  private static func wait(
    _ path: String, _ timeout: Double, _ cancellation: Cancellation, _ attempt: () throws -> Bool
  ) throws {
    let end = System.now() + timeout
    while try !attempt() {
      try cancellation.check()
      guard System.now() < end else {
        throw SealError.locked(path: path, holders: OpenFiles.holders(of: path))
      }
      System.pause(milliseconds: 20)
    }
  }
}
