// A keyed digest of a stream that both sides of a conversion feed: Poly1305 under a random key of
// the run. With a key that nobody knows, two different contents agree with a chance below 2^-60,
// and it costs a tenth of what SHA-256 would. It proves equality inside one run; it is not stored.
internal import CLibCrypto

/// Digests what a `StreamDigest` gathers, somewhere else.
protocol DigestRelay: AnyObject {
  /// Starts: `digest` is to be called with every buffer, in their order, from one thread at a time.
  /// `capacity`: bytes of a buffer. False: nothing will be done.
  func begin(capacity: Int, _ digest: @escaping (UnsafeRawPointer, Int) -> Void) -> Bool
  /// Takes a buffer with `count` bytes to digest, and gives another one.
  func exchange(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer
  /// Returns when everything is digested.
  func end()
}

/// Digests a stream of bytes. Not safe for concurrent callers; `finish` once.
final class StreamDigest {
  /// Length of the key in bytes.
  static let keyLength = 32
  /// What waits to be digested. Behind a pointer: it is touched for every cell.
  private struct Waiting {
    var buffer: UnsafeMutableRawPointer
    /// Bytes that it has room for, and bytes in it.
    let capacity: Int
    var fill = 0
  }

  private let context: OpaquePointer
  private let waiting: UnsafeMutablePointer<Waiting>
  private let failed: UnsafeMutablePointer<Bool>
  private let relay: (any DigestRelay)?

  /// `relay`: who digests, where that is somebody else. Throws `SealError.engine` where libcrypto has
  /// no Poly1305.
  init(key: Secret, relay: (any DigestRelay)? = nil) throws {
    let context = try Self.context(key: key)
    let failed = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    failed.initialize(to: false)
    (self.context, self.failed) = (context, failed)
    waiting = .allocate(capacity: 1)
    // Handing over costs two switches of threads.
    let capacity = relay == nil ? 1 << 16 : 1 << 19
    waiting.initialize(
      to: Waiting(buffer: .allocate(byteCount: capacity, alignment: 64), capacity: capacity))
    let isTaken = relay?.begin(capacity: capacity) { Self.digest($0, $1, context, failed) }
    self.relay = isTaken == true ? relay : nil
  }

  /// A Poly1305 that `key` started, for the caller to free. Throws `SealError.engine`.
  static func context(key: Secret) throws -> OpaquePointer {
    guard let mac = EVP_MAC_fetch(nil, "POLY1305", nil) else { throw failure }
    defer { EVP_MAC_free(mac) }
    guard key.count == keyLength, let context = EVP_MAC_CTX_new(mac) else { throw failure }
    let started = key.withBytes {
      EVP_MAC_init(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, nil)
    }
    guard started == 1 else {
      EVP_MAC_CTX_free(context)
      throw failure
    }
    return context
  }

  /// A new random key. Throws `SealError.engine` where the system has no random bytes.
  static func randomKey() throws -> Secret {
    try Secret(count: keyLength) { bytes in
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      guard RAND_bytes(start, Int32(truncatingIfNeeded: bytes.count)) == 1 else { throw failure }
    }
  }

  /// Takes `count` bytes.
  @inline(__always)
  func update(_ bytes: UnsafeRawPointer, _ count: Int) {
    let used = waiting.pointee.fill
    if count <= waiting.pointee.capacity &- used {
      (waiting.pointee.buffer + used).copyMemory(from: bytes, byteCount: count)
      waiting.pointee.fill = used &+ count
    } else {
      overflow(bytes, count)
    }
  }

  /// Takes a number as 8 bytes, little-endian.
  @inline(__always)
  func update(_ number: UInt64) {
    if waiting.pointee.capacity &- waiting.pointee.fill < 8 { flush() }
    let used = waiting.pointee.fill
    (waiting.pointee.buffer + used).storeBytes(of: number.littleEndian, as: UInt64.self)
    waiting.pointee.fill = used &+ 8
  }

  /// Takes one or two numbers and `count` bytes.
  @inline(__always)
  func update(_ first: UInt64, _ second: UInt64?, _ bytes: UnsafeRawPointer, _ count: Int) {
    let used = waiting.pointee.fill
    let head = second == nil ? 8 : 16
    guard count <= waiting.pointee.capacity &- 16 &- used else {
      update(first)
      if let second { update(second) }
      return update(bytes, count)
    }
    let place = waiting.pointee.buffer + used
    place.storeBytes(of: first.littleEndian, as: UInt64.self)
    if let second { place.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self) }
    (place + head).copyMemory(from: bytes, byteCount: count)
    waiting.pointee.fill = used &+ head &+ count
  }

  /// The digest of everything taken, 16 bytes.
  func finish() throws -> [UInt8] {
    flush()
    relay?.end()
    var digest = [UInt8](repeating: 0, count: 16)
    var length = 0
    guard EVP_MAC_final(context, &digest, &length, digest.count) == 1, !failed.pointee,
      length == digest.count
    else { throw Self.failure }
    return digest
  }

  @inline(never)
  private func overflow(_ bytes: UnsafeRawPointer, _ count: Int) {
    var (piece, left) = (bytes, count)
    while left > 0 {
      if waiting.pointee.fill == waiting.pointee.capacity { flush() }
      let used = waiting.pointee.fill
      let part = min(left, waiting.pointee.capacity - used)
      (waiting.pointee.buffer + used).copyMemory(from: piece, byteCount: part)
      waiting.pointee.fill = used + part
      piece += part
      left -= part
    }
  }

  private func flush() {
    let (buffer, count) = (waiting.pointee.buffer, waiting.pointee.fill)
    waiting.pointee.fill = 0
    if let relay {
      waiting.pointee.buffer = relay.exchange(buffer, count)
    } else {
      Self.digest(UnsafeRawPointer(buffer), count, context, failed)
    }
  }

  private static func digest(
    _ bytes: UnsafeRawPointer, _ count: Int, _ context: OpaquePointer,
    _ failed: UnsafeMutablePointer<Bool>
  ) {
    let start = bytes.assumingMemoryBound(to: UInt8.self)
    if EVP_MAC_update(context, start, count) != 1 { failed.pointee = true }
  }

  private static var failure: SealError {
    .engine(path: "", code: 0, message: "libcrypto cannot compute Poly1305")
  }

  deinit {
    relay?.end()
    EVP_MAC_CTX_free(context)
    let buffer = waiting.pointee.buffer
    Secret.wipe(UnsafeMutableRawBufferPointer(start: buffer, count: waiting.pointee.capacity))
    buffer.deallocate()
    waiting.deallocate()
    failed.deallocate()
  }
}
