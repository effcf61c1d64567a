// The files that SQLite keeps beside a database, and why they matter: a log or journal that does
// not belong to the file beside it destroys that file on the next open.

/// The names of a database's companions.
public struct Sidecars: Sendable {
  let log: String
  let sharedMemory: String
  let journal: String

  init(of database: String) {
    log = database + "-wal"
    sharedMemory = database + "-shm"
    journal = database + "-journal"
  }

  /// What their names end with.
  public static let suffixes = ["-wal", "-journal", "-shm"]

  /// Throws `.exists(.companion)` where `path` is one of these names beside a file that is there: SQLite
  /// takes what stands there for the database's own, and removes it or plays it back.
  static func requireNone(at path: String) throws {
    for suffix in suffixes where path.hasSuffix(suffix) {
      if try FileStatus.of(String(path.dropLast(suffix.count))) != nil {
        throw SealError.exists(path: path, .companion)
      }
    }
  }

  var all: [String] { [log, journal, sharedMemory] }

  /// Those that exist, as paths.
  func present() throws -> [String] {
    try all.filter { try FileStatus.of($0, followLinks: false) != nil }
  }

  /// Throws where one that exists is no regular file: SQLite would wait for a pipe without an end, and
  /// before 3.31 write to what a link leads to.
  func requireRegular() throws {
    for path in try present() {
      guard let status = try FileStatus.of(path, followLinks: false) else { continue }
      if status.kind == .link {
        throw SealError.io(IOFailure(.open, path: path, errno: SystemError.link))
      }
      try status.requireRegular(path)
    }
  }

  /// Removes those that exist: the content-bearing ones first, so that what a crash in between
  /// leaves is never a log without its index but with another database.
  func remove() throws {
    for path in try present() { try System.unlink(path) }
  }
}
