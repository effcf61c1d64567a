// Reads a file of secrets without waiting for one that never comes, and never more than a key can have.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files that hold keys.
enum KeyFileReader {
  /// Why it gave nothing.
  struct Failure: Error { let flaw: KeyFailure.Flaw }

  /// The longest key and the end of its line.
  static let limit = KeyMaterial.limit + 2

  /// All bytes of the file. `allowsOpen`: others may be able to read it. Throws `Failure`, or
  /// `SealError.interrupted`.
  static func bytes(
    of path: String, allowsOpen: Bool, deadline: Deadline, cancellation: Cancellation
  ) throws -> Secret {
    // Without O_NONBLOCK, opening a FIFO waits for its writer in a way no signal ends.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(flaw: .unreadable(errno: errno)) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw Failure(flaw: .unreadable(errno: errno)) }
    let kind = facts.st_mode & S_IFMT
    if kind == S_IFDIR { throw Failure(flaw: .directory) }
    let isOpen = kind == S_IFREG && facts.st_mode & 0o044 != 0 && !allowsOpen
    // A file that was named by mistake is not to be told to be of another mode.
    if isOpen || Int64(facts.st_size) > limit, let flaw = mistaken(descriptor) {
      throw Failure(flaw: flaw)
    }
    if isOpen { throw Failure(flaw: .openToOthers(mode: UInt32(facts.st_mode & 0o777))) }
    return try bytes(from: descriptor, deadline, cancellation)
  }

  /// Whether a descriptor or a file (`/dev/stdin`, `/dev/tty`) is a terminal.
  static func isTerminal(_ source: KeySource) -> Bool {
    switch source {
    case .descriptor(let number): return isatty(number) == 1
    case .file(let path):
      var facts = stat()
      guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFCHR else { return false }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return isatty(descriptor) == 1
    case .standardInput, .environment, .command, .keyring, .store, .terminal: return false
    }
  }

  /// What the beginning of a file says, where it is none of a key's.
  private static func mistaken(_ descriptor: Int32) -> KeyFailure.Flaw? {
    var start = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &start, start.count, 0)
    return count > 0 ? start.prefix(count).withUnsafeBytes(KeyText.mistaken) : nil
  }

  /// All bytes of an open descriptor.
  static func bytes(
    from descriptor: Int32, _ deadline: Deadline, _ cancellation: Cancellation
  ) throws -> Secret {
    do {
      let read = try BoundedRead.all(
        descriptor, limit: limit, deadline: deadline, cancellation: cancellation)
      guard let read else { throw Failure(flaw: .tooLong(limit: KeyMaterial.limit)) }
      return read
    } catch let failure as BoundedRead.Failure {
      switch failure.errno {
      case EISDIR: throw Failure(flaw: .directory)
      case ETIMEDOUT: throw Failure(flaw: .slow(seconds: deadline.seconds))
      default: throw Failure(flaw: .unreadable(errno: failure.errno))
      }
    }
  }
}
