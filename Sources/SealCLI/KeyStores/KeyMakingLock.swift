// Two processes that find no key of a name would each make one, and the store keeps the second: the
// database of the first could never be opened again. So looking and making is one step, for one process
// of a user at a time. Whose process it is, is asked of the system: services and cron have another $HOME,
// or none. There are several locks, and each keeps out those that can have it too: on a file in a folder
// that is the user's by his number, on one in the shared memory's folder, and, since such folders are not
// always there, on the name of a socket, which other network namespaces do not see. Others may hold that
// name, or have such a file; they are told by their number, and cannot pass for the user.

internal import CSystem
internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// One maker of keys at a time.
enum KeyMakingLock {
  /// Runs `body` under the lock. Throws `KeyStoreFailure`: `.busy` where it was not free in time,
  /// `.lockTaken` and `.noLock` where there is none to have.
  static func held<R>(
    seconds: Double, _ cancellation: Cancellation, _ body: () throws -> R
  ) throws -> R {
    let deadline = Deadline(seconds: seconds)
    var held: [Int32] = []
    defer { for each in held { close(each) } }
    for path in paths {
      if let file = try lockedFile(path, deadline, cancellation) { held.append(file) }
    }
    if let name = try lockedName(deadline, cancellation, isNeeded: held.isEmpty) {
      held.append(name)
    }
    guard !held.isEmpty else { throw KeyStoreFailure(.noLock) }
    return try body()
  }

  /// The files that are locked, where there are folders for them.
  private static var paths: [String] {
    #if os(Linux)
      let user = getuid()
      return [
        user == 0 ? "/run/dbseal-key.lock" : "/run/user/\(user)/dbseal-key.lock",
        "/dev/shm/dbseal-key-\(user).lock",
      ]
    #else
      guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return [] }
      return String(validatingCString: home).map { [$0 + "/.dbseal-key.lock"] } ?? []
    #endif
  }

  /// The lock of one file; nil where it cannot be had by nobody but this user.
  private static func lockedFile(
    _ path: String, _ deadline: Deadline, _ cancellation: Cancellation
  ) throws -> Int32? {
    let file = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    var isLocked = false
    defer { if !isLocked { close(file) } }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_uid == getuid(), facts.st_mode & S_IFMT == S_IFREG,
      facts.st_mode & 0o077 == 0
    else { return nil }
    // Whatever the umask was: who cannot open it later has no lock.
    if facts.st_mode & 0o777 != 0o600 { _ = fchmod(file, 0o600) }
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      // Some file systems have no such locks.
      guard errno == EWOULDBLOCK || errno == EINTR else { return nil }
      try cancellation.check()
      if deadline.isOver { throw KeyStoreFailure(.busy) }
      usleep(10_000)
    }
    isLocked = true
    return file
  }

  /// The socket that has the name; nil where there are none, or where it is another user's and not
  /// needed.
  private static func lockedName(
    _ deadline: Deadline, _ cancellation: Cancellation, isNeeded: Bool
  ) throws -> Int32? {
    let name = "dbseal-key-\(getuid())"
    // A process of this user has the name for a moment before it can be asked whose it is.
    var patience = Deadline(seconds: 1)
    var other: UInt32?
    while true {
      var owner: UInt32 = 0
      let own = dbseal_named_socket(name, 0, &owner)
      if own >= 0 { return own }
      guard errno == EADDRINUSE else { return nil }
      try cancellation.check()
      let holder = dbseal_named_socket(name, 1, &owner)
      defer { if holder >= 0 { close(holder) } }
      let isOwn = holder >= 0 && owner == getuid()
      // Who does not accept, can soon no longer be asked.
      if holder >= 0 { other = isOwn ? nil : owner }
      if isOwn {
        patience = Deadline(seconds: 1)
      } else if patience.isOver {
        if !isNeeded { return nil }
        throw KeyStoreFailure(.lockTaken(by: other))
      }
      if deadline.isOver { throw KeyStoreFailure(.busy) }
      guard isOwn else {
        usleep(10_000)
        continue
      }
      // It ends with the one that has the name.
      var end = pollfd(fd: holder, events: Int16(POLLIN), revents: 0)
      _ = poll(&end, 1, 100)
    }
  }
}
