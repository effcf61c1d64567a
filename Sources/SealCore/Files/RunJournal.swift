// A file that is only appended to, a line at a time, each on the disk before the next thing happens: what
// a run of many files remembers of itself through a kill or a power cut. One run holds it at a time.
// What the lines say is not known here.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An append-only file of lines.
public final class RunJournal: Sendable {
  /// Why a file is not taken for a journal.
  public enum Flaw: Error, Sendable, Equatable {
    /// Another process holds it.
    case inUse
    case tooLong(limit: Int)
    /// The file does not begin as a journal does.
    case foreign
  }

  /// Bytes of the longest journal.
  public static let limit = 1 << 30

  public let path: String
  /// What stood there when it was opened, without what a run that was cut short left of a line.
  public let lines: [[UInt8]]
  private let file: File
  private struct State {
    /// Where the next line goes.
    var end: UInt64
    /// Why a line could not be written: from then on none is.
    var failure: SealError?
  }
  private let state: Mutex<State>

  /// Opens the journal, or makes it, mode 0600, and holds it as long as this lives. `beginning`: how
  /// every journal begins; a file that begins otherwise is somebody else's, and left as it is. Throws
  /// `Flaw` and `SealError`.
  public init(_ path: String, beginning: [UInt8]) throws {
    self.path = path
    try Path.requireOrdinary(path)
    try Sidecars.requireNone(at: path)
    file = try Self.open(path)
    try file.status().requireRegular(path)
    while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { throw Flaw.inUse }
      guard errno == EINTR else {
        throw SealError.io(IOFailure(.lock, path: path, errno: errno))
      }
    }
    let size = try file.size()
    guard size <= UInt64(Self.limit) else { throw Flaw.tooLong(limit: Self.limit) }
    let bytes = try file.bytes(at: 0, count: Int(size))
    let start = bytes.prefix(beginning.count)
    guard beginning.starts(with: start) else { throw Flaw.foreign }
    let whole = bytes.lastIndex(of: 0x0a).map { bytes.index(after: $0) } ?? 0
    lines = bytes[..<whole].split(separator: 0x0a).map(Array.init)
    if whole < bytes.count {
      try file.truncate(to: UInt64(whole))
      try file.sync()
    }
    state = Mutex(State(end: UInt64(whole)))
  }

  private static func open(_ path: String) throws -> File {
    if try FileStatus.of(path) != nil { return try File(path, .readWrite) }
    do {
      let file = try File(path, .create)
      try Path.syncFolder(Path.folder(of: path))
      return file
    } catch SealError.io(let failure) where failure.errno == EEXIST {
      return try File(path, .readWrite)
    }
  }

  /// Adds a line, which holds no line feed; it is on the disk when this returns. A part of a line that
  /// could not be written whole is taken back.
  public func append(_ line: [UInt8]) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      let bytes = line + [0x0a]
      do {
        try bytes.withUnsafeBytes { try file.write(at: state.end, $0) }
        try file.sync()
        state.end += UInt64(bytes.count)
      } catch {
        state.failure = error as? SealError
        _ = try? file.truncate(to: state.end)
        throw error
      }
    }
  }

  /// Why it cannot be written any more.
  public var failure: SealError? { state.withLock { $0.failure } }
}
