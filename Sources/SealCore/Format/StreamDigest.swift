// A keyed digest of the records that both sides of a conversion read. Payloads go through NH, block by
// block (BlockHash.swift), and what that makes of them, with their lengths and rowids, through Poly1305,
// as in UMAC: both under a random key of the run. With a key that nobody knows, two different contents
// agree with a chance below 2^-60, and it costs a twentieth of what SHA-256 would. It proves equality
// inside one run; it is not stored, and depends on the order of the machine's bytes.
internal import CLibCrypto

/// Digests numbers and payloads in their order. Not safe for concurrent callers; `finish` once.
final class StreamDigest {
  /// Length of Poly1305's key in bytes.
  private static let macKeyLength = 32
  /// Length of the key in bytes: Poly1305's, and that of the blocks.
  static let keyLength = macKeyLength + BlockHash.blockLength
  /// Bytes that wait for Poly1305, a multiple of 8.
  private static let capacity = 1 << 14

  /// What is touched for every record, so it is behind a pointer.
  private struct State {
    var block: BlockHash
    /// Bytes in the buffer.
    var fill = 0
    /// Bytes of the payload that make no pair of words yet.
    var rest = 0
    var failed = false
  }

  private let context: OpaquePointer
  private let state: UnsafeMutablePointer<State>
  private let buffer: UnsafeMutableRawPointer
  private let rest: UnsafeMutableRawPointer
  private let blockKey: BlockKey

  /// `key`: `keyLength` bytes. Throws `SealError.engine` where libcrypto has no Poly1305.
  init(key: Secret) throws {
    guard key.count == Self.keyLength else { throw Self.failure }
    context = try Self.context(key: key)
    buffer = .allocate(byteCount: Self.capacity, alignment: 64)
    rest = .allocate(byteCount: 16, alignment: 16)
    blockKey = BlockKey(endOf: key)
    state = .allocate(capacity: 1)
    state.initialize(to: State(block: BlockHash(key: blockKey.start)))
  }

  /// A Poly1305 that the start of `key` started, for the caller to free. Throws `SealError.engine`.
  static func context(key: Secret) throws -> OpaquePointer {
    guard let mac = EVP_MAC_fetch(nil, "POLY1305", nil) else { throw failure }
    defer { EVP_MAC_free(mac) }
    guard key.count >= macKeyLength, let context = EVP_MAC_CTX_new(mac) else { throw failure }
    let started = key.withBytes {
      EVP_MAC_init(context, $0.bindMemory(to: UInt8.self).baseAddress, macKeyLength, nil)
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

  /// Takes a number. A payload ends before it.
  @inline(__always)
  func update(_ number: UInt64) {
    endPayload()
    append(number)
  }

  /// Takes `count` bytes of a payload. How many they are in all must have been said by a number.
  func update(_ bytes: UnsafeRawPointer, _ count: Int) {
    var (piece, left) = (bytes, count)
    while left > 0 {
      let used = state.pointee.rest
      let share = used == 0 ? state.pointee.block.share(of: left) : 0
      let part = share > 0 ? share : min(left, 16 &- used)
      if share > 0 {
        add(piece, share)
      } else {
        (rest + used).copyMemory(from: piece, byteCount: part)
        state.pointee.rest = used &+ part
        if used &+ part == 16 {
          state.pointee.rest = 0
          add(rest, 16)
        }
      }
      piece += part
      left &-= part
    }
  }

  /// Takes one or two numbers, and a whole payload. 15 bytes behind it must be readable
  /// (`BTreePage.slack`).
  @inline(__always)
  func update(_ first: UInt64, _ second: UInt64?, _ bytes: UnsafeRawPointer, _ count: Int) {
    update(first)
    if let second { append(second) }
    guard count > 0, count <= BlockHash.blockLength else { return update(bytes, count) }
    let whole = count & ~15
    state.pointee.block.add(bytes, whole)
    if whole < count { state.pointee.block.addEnd(bytes + whole, count &- whole) }
    endBlock()
  }

  /// The digest of everything taken, 16 bytes.
  func finish() throws -> [UInt8] {
    endPayload()
    flush()
    var digest = [UInt8](repeating: 0, count: 16)
    var length = 0
    guard EVP_MAC_final(context, &digest, &length, digest.count) == 1, !state.pointee.failed,
      length == digest.count
    else { throw Self.failure }
    return digest
  }

  /// Adds what the block takes, and ends it where it is full.
  @inline(__always)
  private func add(_ bytes: UnsafeRawPointer, _ count: Int) {
    state.pointee.block.add(bytes, count)
    if state.pointee.block.count == BlockHash.blockLength { endBlock() }
  }

  /// The rest of a payload that came in pieces.
  @inline(__always)
  private func endPayload() {
    guard state.pointee.rest != 0 || state.pointee.block.count != 0 else { return }
    if state.pointee.rest != 0 {
      state.pointee.block.addEnd(rest, state.pointee.rest)
      state.pointee.rest = 0
    }
    endBlock()
  }

  @inline(__always)
  private func endBlock() {
    let (low, high) = state.pointee.block.finish()
    append(low)
    append(high)
  }

  @inline(__always)
  private func append(_ number: UInt64) {
    let used = state.pointee.fill
    (buffer + used).storeBytes(of: number, as: UInt64.self)
    state.pointee.fill = used &+ 8
    if used &+ 8 == Self.capacity { flush() }
  }

  @inline(never)
  private func flush() {
    let start = UnsafeRawPointer(buffer).assumingMemoryBound(to: UInt8.self)
    if EVP_MAC_update(context, start, state.pointee.fill) != 1 { state.pointee.failed = true }
    state.pointee.fill = 0
  }

  private static var failure: SealError {
    .engine(path: "", code: 0, message: "libcrypto cannot compute Poly1305")
  }

  deinit {
    EVP_MAC_CTX_free(context)
    for (start, count) in [(rest, 16), (buffer, Self.capacity)] {
      Secret.wipe(UnsafeMutableRawBufferPointer(start: start, count: count))
    }
    buffer.deallocate()
    rest.deallocate()
    state.deallocate()
  }
}
