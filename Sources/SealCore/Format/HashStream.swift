// The published hashes that a content digest is made of: SHA-256, and SHAKE-256 where a sum of
// many hashes needs long ones. Unlike `StreamDigest` they have no key, so anybody can compute them.
internal import CLibCrypto

/// Hashes a stream of bytes, again and again. Not safe for concurrent callers.
final class HashStream {
  enum Algorithm { case sha256, shake256 }

  private static let capacity = 1 << 16

  private let algorithm: Algorithm
  private let context: OpaquePointer
  private let buffer: UnsafeMutableRawPointer
  /// Bytes waiting in `buffer`.
  private var fill = 0
  private var failed = false

  /// Throws `SealError.unsupported(.crypto)` where libcrypto does not have the algorithm.
  init(_ algorithm: Algorithm) throws {
    self.algorithm = algorithm
    guard let context = EVP_MD_CTX_new() else { throw Self.failure(algorithm) }
    let method = algorithm == .sha256 ? EVP_sha256() : EVP_shake256()
    guard EVP_DigestInit_ex(context, method, nil) == 1 else {
      EVP_MD_CTX_free(context)
      throw Self.failure(algorithm)
    }
    self.context = context
    buffer = .allocate(byteCount: Self.capacity, alignment: 64)
  }

  /// Takes bytes.
  @inline(__always)
  func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if bytes.count <= Self.capacity &- fill {
      (buffer + fill).copyMemory(from: start, byteCount: bytes.count)
      fill &+= bytes.count
    } else {
      flush()
      digest(start, bytes.count)
    }
  }

  /// Takes bytes.
  func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Fills `digest` with the hash of everything taken (SHA-256: 32 bytes) and starts anew.
  func finish(into digest: UnsafeMutableRawBufferPointer) throws {
    flush()
    let ended: Int32
    switch algorithm {
    case .sha256:
      guard digest.count == 32 else { throw Self.failure(algorithm) }
      ended = EVP_DigestFinal_ex(
        context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
    case .shake256:
      ended = EVP_DigestFinalXOF(
        context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), digest.count)
    }
    guard ended == 1, !failed, EVP_DigestInit_ex(context, nil, nil) == 1 else {
      throw Self.failure(algorithm)
    }
  }

  private func flush() {
    digest(buffer, fill)
    fill = 0
  }

  private func digest(_ bytes: UnsafeRawPointer, _ count: Int) {
    if EVP_DigestUpdate(context, bytes, count) != 1 { failed = true }
  }

  private static func failure(_ algorithm: Algorithm) -> SealError {
    .unsupported(.crypto(function: algorithm == .sha256 ? "EVP_sha256" : "EVP_shake256"))
  }

  deinit {
    EVP_MD_CTX_free(context)
    // Rows were in it.
    Secret.wipe(UnsafeMutableRawBufferPointer(start: buffer, count: Self.capacity))
    buffer.deallocate()
  }
}
