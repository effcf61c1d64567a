// Random bytes for IVs and fillers, drawn from libcrypto for some hundred pages at once: a draw of
// 16 bytes costs as much as a draw of a few thousand.

/// A store of random bytes, each given out once. For one thread at a time.
final class RandomPool {
  private let storage: UnsafeMutableRawBufferPointer
  private var used: Int

  /// An empty pool; it fills itself at the first `take`.
  init(capacity: Int = 8192) {
    storage = .allocate(byteCount: max(64, capacity), alignment: 16)
    used = storage.count
  }

  deinit { storage.deallocate() }

  /// Moves `count` bytes to `target`; `count` is at most the pool's capacity.
  func take(_ count: Int, into target: UnsafeMutableRawPointer) throws {
    guard count > 0 else { return }
    guard count <= storage.count else {
      return try LibCrypto.fillRandom(UnsafeMutableRawBufferPointer(start: target, count: count))
    }
    if storage.count - used < count {
      try LibCrypto.fillRandom(storage)
      used = 0
    }
    guard let base = storage.baseAddress else { return }
    target.copyMemory(from: base + used, byteCount: count)
    used += count
  }
}
