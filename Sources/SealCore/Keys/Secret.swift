// Bytes that must not leak: keys and everything derived from them. They live in memory that is
// kept out of swap and core files where the system allows it, are wiped on release, and cannot be
// printed. A key is never a `String`: Swift compares é and e + U+0301 as equal, SQLCipher derives
// different keys from them.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A fixed number of secret bytes, wiped when the last reference goes.
public final class Secret: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  /// Length in bytes.
  public let count: Int
  private let storage: UnsafeMutableRawPointer
  private let capacity: Int

  /// Makes `count` zero bytes and lets `fill` write them.
  public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    self.count = count
    let page = 4096
    capacity = Swift.max(1, (count + page - 1) / page) * page
    storage = .allocate(byteCount: capacity, alignment: page)
    memset(storage, 0, capacity)
    // Both are wishes: without the privilege the key is still wiped, only not pinned.
    _ = mlock(storage, capacity)
    #if os(Linux)
      _ = madvise(storage, capacity, 16 /* MADV_DONTDUMP */)
    #endif
    try fill(UnsafeMutableRawBufferPointer(start: storage, count: count))
  }

  /// Copies `bytes`. The caller wipes its own copy.
  public convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Reads the bytes. The pointer must not leave the closure.
  public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: storage, count: count))
  }

  /// The bytes of `range` as a secret of their own.
  public func slice(_ range: Range<Int>) -> Secret {
    withBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// Equality in time that depends on the lengths only.
  public func isEqual(to other: Secret) -> Bool {
    guard count == other.count else { return false }
    return withBytes { a in
      other.withBytes { b in
        var difference: UInt8 = 0
        for i in 0..<a.count { difference |= a[i] ^ b[i] }
        return difference == 0
      }
    }
  }

  /// Says nothing about the bytes.
  public var description: String { "<secret>" }
  /// Shows nothing to a debugger or `dump`.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  deinit {
    Secret.wipe(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
    _ = munlock(storage, capacity)
    #if os(Linux)
      // Else the heap would fall into more and more mappings, of which a process has a limited number.
      _ = madvise(storage, capacity, 17 /* MADV_DODUMP */)
    #endif
    storage.deallocate()
  }

  /// Overwrites with zeros in a way that the optimizer must keep.
  public static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    #if canImport(Glibc)
      explicit_bzero(base, bytes.count)
    #else
      _ = memset_s(base, bytes.count, 0, bytes.count)
    #endif
  }
}
