// SQLCipher keeps `cipher_hmac_salt_mask` in one variable for the whole process and reads it when
// a connection derives its keys, in its first read. A connection that needs another mask than the
// default must therefore derive alone; all others derive side by side.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Lets key derivations run side by side, except those with a salt mask of their own.
final class SaltMaskGate: @unchecked Sendable {
  static let shared = SaltMaskGate()
  /// SQLCipher's HMAC_SALT_MASK.
  static let standard: UInt8 = 0x3a

  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  private init() {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_rwlock_t())
    pthread_rwlock_init(lock, nil)
  }

  /// Runs `derive` while the engine's mask is `mask` (nil: the standard one).
  func pass(_ mask: UInt8?, on connection: Connection, _ derive: () throws -> Void) throws {
    guard let mask, mask != Self.standard else {
      pthread_rwlock_rdlock(lock)
      defer { pthread_rwlock_unlock(lock) }
      return try derive()
    }
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    try connection.send(.hmacSaltMask, CipherPragma.maskText(mask))
    defer { try? connection.send(.hmacSaltMask, CipherPragma.maskText(Self.standard)) }
    try derive()
  }
}
