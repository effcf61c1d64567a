// Two processes that find no key of a name would each make one, and the store keeps the second: the
// database of the first could never be opened again. So looking and making is one step, for one process
// at a time. The lock is one on the user's home folder, which leaves no file behind.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// One maker of keys at a time.
enum KeyMakingLock {
  /// Runs `body` under the lock. Throws `KeyStoreFailure(.busy)` where it was not free in time. Where
  /// there is no folder to lock, `body` runs all the same.
  static func held<R>(
    seconds: Double, _ cancellation: Cancellation, _ body: () throws -> R
  ) throws -> R {
    let home = getenv("HOME").flatMap { String(validatingCString: $0) }
    var folder: Int32 = -1
    for path in [home, "/"].compactMap({ $0 }) where folder < 0 {
      folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard folder >= 0 else { return try body() }
    defer { close(folder) }
    let deadline = Deadline(seconds: seconds)
    while flock(folder, LOCK_EX | LOCK_NB) != 0 {
      // Some file systems have no such locks.
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      try cancellation.check()
      if deadline.isOver { throw KeyStoreFailure(.busy) }
      usleep(10_000)
    }
    return try body()
  }
}
