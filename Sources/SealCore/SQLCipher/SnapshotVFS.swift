// A file system for SQLite that serves one object instead of a file: a consistent snapshot of a
// database, raw or decoded. SQLite takes no locks on it, makes no file beside it and cannot write
// it, because there is nothing there but `size` and `read`; unless the object takes changes, and
// keeps them to itself.

internal import CSQLCipher
internal import Synchronization

/// The bytes of a database at one moment, as SQLite reads them: whole pages, from any thread of
/// the connection that it was given to.
protocol SnapshotFile: AnyObject, Sendable {
  /// Length in bytes.
  var size: UInt64 { get }
  /// Fills `buffer` from `offset`; the range lies within `size`. False is a read error to SQLite:
  /// an implementation that knows more keeps it for its owner to ask.
  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool
}

/// A snapshot that takes changes and keeps them apart from what it was made of.
protocol ScratchFile: SnapshotFile {
  /// Takes `bytes` at `offset`, which may lie at the end. False is a write error to SQLite.
  func write(offset: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool
  /// Cuts the end off.
  func truncate(to size: UInt64) -> Bool
}

/// The file system's registration and its table of snapshots on their way into a connection.
enum SnapshotVFS {
  static let name = "dbseal-snapshot"
  private static let prefix = "snapshot-"

  private struct Waiting {
    var next: UInt64 = 1
    var files: [UInt64: any SnapshotFile] = [:]
  }
  private static let waiting = Mutex(Waiting())
  private static let registration: ResultCode = register()

  /// Puts `file` where `xOpen` finds it. Throws `.engine` if SQLite refused the file system.
  static func enter(_ file: any SnapshotFile) throws -> UInt64 {
    guard registration == .ok else {
      throw SealError.engine(
        path: name, code: registration.rawValue, message: "sqlite3_vfs_register failed")
    }
    return waiting.withLock {
      let ticket = $0.next
      $0.next &+= 1
      $0.files[ticket] = file
      return ticket
    }
  }

  /// Forgets the ticket; an open connection has its own reference.
  static func leave(_ ticket: UInt64) {
    waiting.withLock { _ = $0.files.removeValue(forKey: ticket) }
  }

  /// The file name under which SQLite opens it.
  static func fileName(_ ticket: UInt64) -> String { "\(prefix)\(ticket)" }

  /// The snapshot behind a file name.
  static func find(_ fileName: UnsafePointer<CChar>?) -> (any SnapshotFile)? {
    guard let fileName else { return nil }
    let text = String(cString: fileName)
    guard text.hasPrefix(prefix), let ticket = UInt64(text.dropFirst(prefix.count)) else {
      return nil
    }
    return waiting.withLock { $0.files[ticket] }
  }

  /// Registers the file system, not as the default. Its memory lives as long as the process.
  private static func register() -> ResultCode {
    let started = ResultCode(sqlite3_initialize())
    guard started == .ok else { return started }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: SnapshotMethods.fileSystem(name: permanent(name)))
    return ResultCode(sqlite3_vfs_register(vfs, 0))
  }

  /// A C string that is never freed.
  private static func permanent(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    return UnsafePointer(copy)
  }
}
