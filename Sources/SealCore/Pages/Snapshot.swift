// The raw pages of a database at one moment: the main file under a lock, with the committed frames
// of its log, or the originals in a hot journal, laid over. Raw means as they are on the disk:
// encrypted if the database is. Nothing is ever written through this.

/// A consistent view of a database's bytes. Reading is safe from several threads at once.
final class Snapshot: @unchecked Sendable {
  let file: File
  let lock: DatabaseLock
  let overlay: PageOverlay?
  /// What the log holds, where there is one.
  let log: WriteAheadLog.Contents?
  /// What is wrong with the hot journal that was applied; nil where nothing is.
  let journalFlaw: JournalFlaw?
  /// Size of the main file in bytes, under the lock.
  let fileSize: UInt64
  private let status: FileStatus
  private let logStatus: FileStatus?
  /// Nobody could write to main file or log since they were looked at first.
  private let wasProtected: Bool

  var path: String { file.path }

  /// Opens `path` for reading under a reader's lock. Waits up to `timeout` seconds for it.
  convenience init(reading path: String, timeout: Double, cancellation: Cancellation) throws {
    let (file, lock) = try Self.locked(path, .read) {
      try DatabaseLock(shared: $0, timeout: timeout, cancellation: cancellation)
    }
    try self.init(file, lock, timeout, cancellation)
  }

  /// Opens `path` for reading and has `look` find out what it is, which ends with `protectLog` for a
  /// database in WAL mode. Until then, where no log was there, a reader's lock keeps nobody from
  /// beginning one and writing it back: if that happened, everything is done once more.
  static func reading<R>(
    _ path: String, timeout: Double, cancellation: Cancellation, _ look: (Snapshot) throws -> R
  ) throws -> R {
    for _ in 0..<4 {
      let snapshot = try Snapshot(reading: path, timeout: timeout, cancellation: cancellation)
      let result = Result { try look(snapshot) }
      if try snapshot.wasProtected || snapshot.isAsFound() { return try result.get() }
      try cancellation.check()
    }
    return try look(Snapshot(reading: path, timeout: timeout, cancellation: cancellation))
  }

  /// Opens `path` under the exclusive lock, for a command that will replace the file.
  convenience init(replacing path: String, timeout: Double, cancellation: Cancellation) throws {
    let (file, lock) = try Self.locked(path, .readWrite) {
      try DatabaseLock(exclusive: $0, timeout: timeout, cancellation: cancellation)
    }
    try self.init(file, lock, timeout, cancellation)
  }

  private init(
    _ file: File, _ lock: DatabaseLock, _ timeout: Double, _ cancellation: Cancellation
  ) throws {
    try Memory.requireRoom(for: file.path)
    self.file = file
    self.lock = lock
    let sidecars = Sidecars(of: file.path)
    let hasLog = try Self.holdsBytes(sidecars.log)
    wasProtected = hasLog || lock.strength == .exclusive
    if hasLog {
      try lock.protectLog(timeout: timeout, cancellation: cancellation)
    }
    status = try file.status()
    fileSize = status.size
    log = try WriteAheadLog.read(sidecars.log, cancellation: cancellation)
    logStatus = try FileStatus.of(sidecars.log)
    if let frames = log?.overlay {
      (overlay, journalFlaw) = (frames, nil)
    } else if fileSize > 0, try Self.holdsBytes(sidecars.journal), try !lock.writerIsActive() {
      let journal = try RollbackJournal.read(
        sidecars.journal, pageSize: Self.plainPageSize(of: file), cancellation: cancellation)
      // A writer may have begun this one meanwhile: then it is not hot, and not complete.
      let isHot = try journal?.flaw == nil || !lock.writerIsActive()
      (overlay, journalFlaw) = isHot ? (journal?.overlay, journal?.flaw) : (nil, nil)
    } else {
      (overlay, journalFlaw) = (nil, nil)
    }
    file.adviseSequential()
  }

  /// The page size in the header of a plaintext database.
  private static func plainPageSize(of file: File) throws -> Int? {
    let start = try file.bytes(at: 0, count: DatabaseHeader.length)
    return try? start.withUnsafeBytes { try DatabaseHeader($0, path: file.path).pageSize }
  }

  /// The file under its lock. Whoever waited for it may have got that of a file that was replaced
  /// meanwhile and has no name any more: then the one that has the name now is taken.
  private static func locked(
    _ path: String, _ access: File.Access, _ lock: (File) throws -> DatabaseLock
  ) throws -> (File, DatabaseLock) {
    for _ in 0..<5 {
      let file = try File(path, access)
      try requireRegular(file)
      let held = try lock(file)
      if try names(path, file.status().identity) { return (file, held) }
    }
    throw SealError.changedWhileReading(path: path)
  }

  /// Whether `path` still leads to the file with that identity.
  private static func names(_ path: String, _ identity: FileIdentity) throws -> Bool {
    try FileStatus.of(path)?.identity == identity
  }

  /// The file that is read, whatever its name means by now.
  var identity: FileIdentity { status.identity }

  /// Throws `.changedWhileReading` where the name leads to another file than the one that is read:
  /// that one is somebody's newer work.
  func requireNamed() throws {
    guard try Self.names(path, status.identity) else {
      throw SealError.changedWhileReading(path: path)
    }
  }

  private static func requireRegular(_ file: File) throws {
    try file.status().requireRegular(file.path)
  }

  private static func holdsBytes(_ path: String) throws -> Bool {
    guard let status = try FileStatus.of(path) else { return false }
    return status.kind == .regular && status.size > 0
  }

  /// Whether a log stands beside the file that holds bytes, and none that SQLite would believe.
  var hasUnusableLog: Bool {
    guard log == nil, let status = logStatus else { return false }
    return status.kind == .regular && status.size > 0
  }
  /// Whether the file is empty, and the log has all of the database.
  var isEmptied: Bool { fileSize == 0 && overlay?.origin == .log }
  /// Whether there is no log, not even an empty one.
  var lacksLog: Bool { logStatus == nil }

  /// Pages of `pageSize` bytes that file and overlay hold; a last partial page counts.
  func physicalPages(pageSize: Int) -> UInt64 {
    if let overlay { return UInt64(overlay.pageCount) }
    return (fileSize + UInt64(pageSize) - 1) / UInt64(pageSize)
  }

  /// Reads `count` raw pages from number `first` on. Bytes past the end of the file read as zeros,
  /// as SQLite has it.
  func read(first: UInt32, count: Int, pageSize: Int, into buffer: UnsafeMutableRawPointer) throws {
    let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: count * pageSize)
    if overlay == nil || count > 1 || overlay?.offsets[first] == nil {
      let got = try file.read(at: UInt64(first &- 1) * UInt64(pageSize), into: bytes)
      if got < bytes.count {
        UnsafeMutableRawBufferPointer(rebasing: bytes[got...]).initializeMemory(
          as: UInt8.self, repeating: 0)
      }
    }
    guard let overlay, overlay.pageSize == pageSize else { return }
    for index in 0..<count {
      let page = UnsafeMutableRawBufferPointer(
        rebasing: bytes[(index * pageSize)...].prefix(pageSize))
      _ = try overlay.read(first &+ UInt32(index), into: page)
    }
  }

  /// The first `count` bytes of page 1 as the snapshot has them (fewer where there are fewer).
  func start(count: Int) throws -> [UInt8] {
    guard let overlay, overlay.offsets[1] != nil else {
      return try file.bytes(at: 0, count: count)
    }
    var page = [UInt8](repeating: 0, count: overlay.pageSize)
    try page.withUnsafeMutableBytes { _ = try overlay.read(1, into: $0) }
    return Array(page.prefix(count))
  }

  /// Protects a database whose header turned out to say WAL although no log was there.
  func protectLog(timeout: Double, cancellation: Cancellation) throws {
    try lock.protectLog(timeout: timeout, cancellation: cancellation)
  }

  private func isAsFound() throws -> Bool {
    let now = try file.status()
    let log = try FileStatus.of(Sidecars(of: path).log)
    return now.size == status.size && now.modified == status.modified && log == logStatus
  }

  /// Throws `.changedWhileReading` if main file or log are not what they were. A log that others
  /// have open may have grown.
  func requireUnchanged() throws {
    let now = try file.status()
    let log = try FileStatus.of(Sidecars(of: path).log)
    let sameLog =
      log == logStatus
      || (lock.strength == .shared && log?.identity == logStatus?.identity)
      || (lock.strength == .shared && logStatus == nil)
    guard now.size == status.size, now.modified == status.modified, sameLog else {
      throw SealError.changedWhileReading(path: path)
    }
    // A reader may lose the name, as long as the file is whole; who replaces it may not.
    if lock.strength != .shared { try requireNamed() }
  }

  /// Writes the overlay into the main file and removes log, index and journal: a checkpoint or a
  /// rollback. Only under the exclusive lock, just before the file is replaced: afterwards main
  /// file alone is the database, and a crash at any point leaves what SQLite recovers.
  func settle() throws {
    guard lock.strength == .exclusive else {
      throw SealError.locked(path: path, holders: OpenFiles.holders(of: path))
    }
    if let overlay {
      var page = [UInt8](repeating: 0, count: overlay.pageSize)
      for number in overlay.offsets.keys.sorted() {
        try page.withUnsafeMutableBytes { bytes in
          _ = try overlay.read(number, into: bytes)
          try file.write(
            at: UInt64(number - 1) * UInt64(overlay.pageSize), UnsafeRawBufferPointer(bytes))
        }
      }
      try file.truncate(to: UInt64(overlay.pageCount) * UInt64(overlay.pageSize))
      try file.sync()
    }
    try Sidecars(of: path).remove()
    try Path.syncFolder(Path.folder(of: path))
  }
}
