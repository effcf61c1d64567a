// Reads a key from a descriptor, never more of it than a key can have: a FIFO or device without an
// end ends here. The bytes go straight into wiped memory. Waiting can be interrupted.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reads with a limit.
enum BoundedRead {
  /// An errno.
  struct Failure: Error { let errno: Int32 }

  /// Everything up to the end of `descriptor`, or nil if that is more than `limit` bytes.
  /// Throws `Failure`, with ETIMEDOUT where the end did not come by the deadline, or
  /// `SealError.interrupted`.
  static func all(
    _ descriptor: Int32, limit: Int, deadline: Deadline, cancellation: Cancellation
  ) throws -> Secret? {
    var count = 0
    // Few keys are longer than a page, and every page of a secret has to be pinned and wiped.
    var room = min(limit + 1, 4096)
    var before: Secret?
    while true {
      let bytes = try Secret(count: room) { buffer in
        before?.withBytes { buffer.copyMemory(from: $0) }
        try fill(buffer, &count, descriptor, deadline, cancellation)
      }
      if count < room { return bytes.slice(0..<count) }
      guard room <= limit else { return nil }
      before = bytes
      room = min(limit + 1, 16 * room)
    }
  }

  /// The same for bytes that are no secret, for as long as it takes.
  static func plain(_ descriptor: Int32, limit: Int, cancellation: Cancellation) throws -> [UInt8]?
  {
    var bytes: [UInt8] = []
    let block = 1 << 16
    while bytes.count <= limit {
      var count = 0
      let part = try [UInt8](unsafeUninitializedCapacity: block) { buffer, filled in
        try fill(
          UnsafeMutableRawBufferPointer(buffer), &count, descriptor,
          Deadline(seconds: .infinity), cancellation)
        filled = count
      }
      bytes += part
      if count < block { return bytes.count <= limit ? bytes : nil }
    }
    return nil
  }

  /// The same of a file by its name. Throws `SealError`.
  static func file(_ path: String, limit: Int, cancellation: Cancellation) throws -> [UInt8]? {
    // Without O_NONBLOCK, opening a FIFO waits for its writer in a way no signal ends.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw SealError.io(IOFailure(.open, path: path, errno: errno)) }
    defer { close(descriptor) }
    do {
      return try plain(descriptor, limit: limit, cancellation: cancellation)
    } catch let failure as Failure {
      throw SealError.io(IOFailure(.read, path: path, errno: failure.errno))
    }
  }

  /// Reads until `buffer`, of which `count` bytes are there, is full or the end is reached.
  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, _ count: inout Int, _ descriptor: Int32,
    _ deadline: Deadline, _ cancellation: Cancellation
  ) throws {
    while count < buffer.count {
      try wait(for: descriptor, deadline, cancellation)
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got = read(descriptor, rest.baseAddress, rest.count)
      if got == 0 { return }
      if got > 0 {
        count += got
      } else if errno != EINTR, errno != EAGAIN {
        throw Failure(errno: errno)
      }
    }
  }

  /// Returns once there is something to read or the end is known.
  static func wait(
    for descriptor: Int32, _ deadline: Deadline, _ cancellation: Cancellation
  ) throws {
    while true {
      try cancellation.check()
      if deadline.isOver { throw Failure(errno: ETIMEDOUT) }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // A signal between the check and the call costs one turn of this length.
      let ready = poll(&entry, 1, 100)
      if ready > 0 { return }
      if ready < 0, errno != EINTR, errno != EAGAIN { throw Failure(errno: errno) }
    }
  }
}

/// How long a key is waited for.
struct Deadline: Sendable {
  /// What `--key-timeout` says where it is not given.
  static let usual = 120.0

  /// The whole time.
  let seconds: Double
  private let end: Double

  init(seconds: Double) {
    self.seconds = seconds
    end = Self.now() + seconds
  }

  var isOver: Bool { Self.now() >= end }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
