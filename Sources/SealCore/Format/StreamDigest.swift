// A keyed digest of a stream that both sides of a conversion feed: Poly1305 under a random key of
// the run. With a key that nobody knows, two different contents agree with a chance below 2^-60,
// and it costs a tenth of what SHA-256 would. It proves equality inside one run; it is not stored.
internal import CLibCrypto

/// Digests a stream of bytes. Not safe for concurrent callers; `finish` once.
final class StreamDigest {
  /// Length of the key in bytes.
  static let keyLength = 32
  private static let capacity = 1 << 16

  private let context: OpaquePointer
  private let buffer: UnsafeMutableRawPointer
  /// Bytes waiting in `buffer`. Behind a pointer: it is touched for every cell.
  private let fill: UnsafeMutablePointer<Int>
  private let failed: UnsafeMutablePointer<Bool>

  /// Throws `SealError.engine` where libcrypto has no Poly1305.
  init(key: Secret) throws {
    context = try Self.context(key: key)
    buffer = .allocate(byteCount: Self.capacity, alignment: 64)
    fill = .allocate(capacity: 1)
    fill.initialize(to: 0)
    failed = .allocate(capacity: 1)
    failed.initialize(to: false)
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
    let used = fill.pointee
    if count <= Self.capacity &- used {
      (buffer + used).copyMemory(from: bytes, byteCount: count)
      fill.pointee = used &+ count
    } else {
      overflow(bytes, count)
    }
  }

  /// Takes a number as 8 bytes, little-endian.
  @inline(__always)
  func update(_ number: UInt64) {
    if Self.capacity &- fill.pointee < 8 { flush() }
    let used = fill.pointee
    (buffer + used).storeBytes(of: number.littleEndian, as: UInt64.self)
    fill.pointee = used &+ 8
  }

  /// Takes one or two numbers and `count` bytes.
  @inline(__always)
  func update(_ first: UInt64, _ second: UInt64?, _ bytes: UnsafeRawPointer, _ count: Int) {
    let used = fill.pointee
    let head = second == nil ? 8 : 16
    guard count <= Self.capacity &- 16 &- used else {
      update(first)
      if let second { update(second) }
      return update(bytes, count)
    }
    let place = buffer + used
    place.storeBytes(of: first.littleEndian, as: UInt64.self)
    if let second { place.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self) }
    (place + head).copyMemory(from: bytes, byteCount: count)
    fill.pointee = used &+ head &+ count
  }

  /// The digest of everything taken, 16 bytes.
  func finish() throws -> [UInt8] {
    flush()
    var digest = [UInt8](repeating: 0, count: 16)
    var length = 0
    guard EVP_MAC_final(context, &digest, &length, digest.count) == 1, !failed.pointee,
      length == digest.count
    else { throw Self.failure }
    return digest
  }

  @inline(never)
  private func overflow(_ bytes: UnsafeRawPointer, _ count: Int) {
    flush()
    if count >= Self.capacity {
      digest(bytes, count)
    } else {
      buffer.copyMemory(from: bytes, byteCount: count)
      fill.pointee = count
    }
  }

  private func flush() {
    digest(buffer, fill.pointee)
    fill.pointee = 0
  }

  private func digest(_ bytes: UnsafeRawPointer, _ count: Int) {
    let start = bytes.assumingMemoryBound(to: UInt8.self)
    if EVP_MAC_update(context, start, count) != 1 { failed.pointee = true }
  }

  private static var failure: SealError {
    .engine(path: "", code: 0, message: "libcrypto cannot compute Poly1305")
  }

  deinit {
    EVP_MAC_CTX_free(context)
    Secret.wipe(UnsafeMutableRawBufferPointer(start: buffer, count: Self.capacity))
    buffer.deallocate()
    fill.deallocate()
    failed.deallocate()
  }
}
