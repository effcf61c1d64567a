// The two tables of C functions by which SQLite reaches a snapshot: one of the file system, one of
// an open file. What would change something answers SQLITE_READONLY, except for a scratch file; what
// would lock answers ok.

internal import CSQLCipher

/// What SQLite allocates for an open file: its own part, then ours.
struct SnapshotHandle {
  var base: sqlite3_file
  /// A retained `SnapshotBox`; nil once closed.
  var box: UnsafeMutableRawPointer?
  /// SQLite knows that it cannot write, and that nobody else can.
  var isImmutable = true
}

/// Carries the existential through C's pointer.
final class SnapshotBox {
  let file: any SnapshotFile
  init(_ file: any SnapshotFile) { self.file = file }
}

enum SnapshotMethods {
  /// The description of the file system for `sqlite3_vfs_register`.
  static func fileSystem(name: UnsafePointer<CChar>) -> sqlite3_vfs {
    var vfs = sqlite3_vfs()
    vfs.iVersion = 1
    vfs.szOsFile = Int32(MemoryLayout<SnapshotHandle>.stride)
    vfs.mxPathname = 512
    vfs.zName = name
    vfs.xOpen = { _, name, file, flags, outFlags in
      SnapshotMethods.open(name, file, flags, outFlags)
    }
    vfs.xDelete = { _, _, _ in SQLITE_READONLY }
    vfs.xAccess = { _, _, _, answer in
      answer?.pointee = 0
      return SQLITE_OK
    }
    vfs.xFullPathname = { _, name, room, out in SnapshotMethods.copyName(name, room, out) }
    vfs.xDlOpen = { _, _ in nil }
    vfs.xDlError = { _, room, out in
      if room > 0 { out?.pointee = 0 }
    }
    vfs.xDlSym = { _, _, _ in nil }
    vfs.xDlClose = { _, _ in }
    // Time and chance come from the system's own file system.
    vfs.xRandomness = { _, count, out in
      guard let system = sqlite3_vfs_find(nil) else { return 0 }
      return system.pointee.xRandomness?(system, count, out) ?? 0
    }
    vfs.xSleep = { _, microseconds in
      guard let system = sqlite3_vfs_find(nil) else { return 0 }
      return system.pointee.xSleep?(system, microseconds) ?? 0
    }
    vfs.xCurrentTime = { _, out in
      guard let system = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
      return system.pointee.xCurrentTime?(system, out) ?? SQLITE_ERROR
    }
    vfs.xGetLastError = { _, _, _ in 0 }
    return vfs
  }

  /// The functions of an open file. Never freed: SQLite keeps the pointer.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var io = sqlite3_io_methods()
    io.iVersion = 1
    io.xClose = { SnapshotMethods.close($0) }
    io.xRead = { SnapshotMethods.read($0, $1, $2, $3) }
    io.xWrite = { SnapshotMethods.write($0, $1, $2, $3) }
    io.xTruncate = { SnapshotMethods.truncate($0, $1) }
    io.xSync = { _, _ in SQLITE_OK }
    io.xFileSize = { SnapshotMethods.size($0, $1) }
    io.xLock = { _, _ in SQLITE_OK }
    io.xUnlock = { _, _ in SQLITE_OK }
    io.xCheckReservedLock = { _, answer in
      answer?.pointee = 0
      return SQLITE_OK
    }
    io.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    io.xSectorSize = { _ in 4096 }
    io.xDeviceCharacteristics = { file in
      SnapshotMethods.handle(file)?.pointee.isImmutable == false ? 0 : SQLITE_IOCAP_IMMUTABLE
    }
    let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    copy.initialize(to: io)
    return UnsafePointer(copy)
  }()

  private static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let file else { return SQLITE_CANTOPEN }
    // SQLite closes a file that has methods even if opening it failed.
    file.pointee.pMethods = nil
    guard flags & SQLITE_OPEN_MAIN_DB != 0, let snapshot = SnapshotVFS.find(name) else {
      return SQLITE_CANTOPEN
    }
    let box = Unmanaged.passRetained(SnapshotBox(snapshot)).toOpaque()
    UnsafeMutableRawPointer(file).initializeMemory(
      as: SnapshotHandle.self,
      to: SnapshotHandle(
        base: sqlite3_file(pMethods: methods), box: box,
        isImmutable: flags & SQLITE_OPEN_READWRITE == 0))
    let access = flags & (SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY)
    outFlags?.pointee = access | SQLITE_OPEN_MAIN_DB
    return SQLITE_OK
  }

  /// Our part of an open file.
  private static func handle(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<SnapshotHandle>? {
    file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: SnapshotHandle.self) }
  }

  private static func snapshot(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> (any SnapshotFile)? {
    guard let box = handle(file)?.pointee.box else { return nil }
    return Unmanaged<SnapshotBox>.fromOpaque(box).takeUnretainedValue().file
  }

  private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
    guard let handle = handle(file), let box = handle.pointee.box else { return SQLITE_OK }
    handle.pointee.box = nil
    Unmanaged<SnapshotBox>.fromOpaque(box).release()
    return SQLITE_OK
  }

  /// Past the end SQLite wants zeros and to be told so.
  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ out: UnsafeMutableRawPointer?, _ count: Int32,
    _ offset: sqlite3_int64
  ) -> Int32 {
    guard let snapshot = snapshot(file), let out, let start = UInt64(exactly: offset),
      let length = Int(exactly: count), length >= 0
    else { return ResultCode.readError.rawValue }
    let size = snapshot.size
    let left = start < size ? size - start : 0
    let there = min(length, Int(clamping: left))
    if there > 0 {
      let buffer = UnsafeMutableRawBufferPointer(start: out, count: there)
      guard snapshot.read(offset: start, into: buffer) else {
        return ResultCode.readError.rawValue
      }
    }
    guard there < length else { return SQLITE_OK }
    (out + there).initializeMemory(as: UInt8.self, repeating: 0, count: length - there)
    return ResultCode.shortRead.rawValue
  }

  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: sqlite3_int64
  ) -> Int32 {
    guard let scratch = snapshot(file) as? any ScratchFile else { return SQLITE_READONLY }
    guard let start = UInt64(exactly: offset), let length = Int(exactly: count), length >= 0,
      scratch.write(offset: start, UnsafeRawBufferPointer(start: bytes, count: length))
    else { return ResultCode.writeError.rawValue }
    return SQLITE_OK
  }

  private static func truncate(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ size: sqlite3_int64
  ) -> Int32 {
    guard let scratch = snapshot(file) as? any ScratchFile else { return SQLITE_READONLY }
    guard let size = UInt64(exactly: size), scratch.truncate(to: size) else {
      return ResultCode.writeError.rawValue
    }
    return SQLITE_OK
  }

  private static func size(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ out: UnsafeMutablePointer<sqlite3_int64>?
  ) -> Int32 {
    guard let snapshot = snapshot(file) else { return ResultCode.ioError.rawValue }
    out?.pointee = sqlite3_int64(clamping: snapshot.size)
    return SQLITE_OK
  }

  private static func copyName(
    _ name: UnsafePointer<CChar>?, _ room: Int32, _ out: UnsafeMutablePointer<CChar>?
  ) -> Int32 {
    guard let name, let out, let room = Int(exactly: room) else { return SQLITE_CANTOPEN }
    var length = 0
    while name[length] != 0 { length += 1 }
    guard length < room else { return SQLITE_CANTOPEN }
    out.update(from: name, count: length + 1)
    return SQLITE_OK
  }
}
