// Environment variables that hold keys. The system keeps the environment that a process began with in
// memory that is not pinned and that root sees in /proc/PID/environ: once a key was read, its bytes are
// overwritten there. Whoever asks for the same variable again gets what was read.

internal import SealCore
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The variables of this process, as key sources.
enum KeyVariables {
  private static let taken = Mutex<[String: Secret]>([:])

  /// The bytes of a variable, which stays as it is; nil if it is not set.
  static let look: @Sendable (String) -> Secret? = { name in
    taken.withLock { $0[name] }
      ?? value(of: name).map { Secret(copying: UnsafeRawBufferPointer($0)) }
  }

  /// The bytes of a variable that holds a key, which are then nowhere else.
  static let take: @Sendable (String) -> Secret? = { name in
    taken.withLock { taken in
      if let known = taken[name] { return known }
      guard let value = value(of: name) else { return nil }
      let key = Secret(copying: UnsafeRawBufferPointer(value))
      Secret.wipe(value)
      taken[name] = key
      return key
    }
  }

  /// Lets go of the keys, at the end of the work.
  static func forget() { taken.withLock { $0.removeAll() } }

  private static func value(of name: String) -> UnsafeMutableRawBufferPointer? {
    getenv(name).map { UnsafeMutableRawBufferPointer(start: $0, count: strlen($0)) }
  }
}
