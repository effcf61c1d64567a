// The digest of a conversion is a quarter of what the thread that walks the trees has to do, and nobody
// waits for it before the end: a thread of its own digests what is gathered while more is. It costs
// processor time, because another core has to fetch what was gathered from the first one's cache, so
// where other databases wait for their turn the walk digests as it goes.

/// Digests buffers on a thread, in their order.
final class DigestThread: DigestRelay {
  private struct State {
    var full: [(buffer: UnsafeMutableRawPointer, count: Int)] = []
    var empty: [UnsafeMutableRawPointer] = []
    var isFinished = false
  }

  /// Buffers beside the one that is being filled.
  private static let buffers = 2

  private let shared = Monitor(State())
  private var thread: WorkerThread?
  private var capacity = 0

  /// One beside `workers` threads that open or seal pages; nil where it would not help.
  static func helping(_ workers: Int) -> DigestThread? { workers > 1 ? DigestThread() : nil }

  func begin(capacity: Int, _ digest: @escaping (UnsafeRawPointer, Int) -> Void) -> Bool {
    self.capacity = capacity
    let digest = UncheckedBox(digest)
    thread = WorkerThread { [shared] in Self.run(shared, digest.value) }
    guard thread != nil else { return false }
    shared.withLock { state in
      state.empty = (0..<Self.buffers).map { _ in
        .allocate(byteCount: capacity, alignment: 64)
      }
    }
    return true
  }

  func exchange(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
    shared.wait(waking: true) { state in
      guard let next = state.empty.popLast() else { return nil }
      state.full.append((buffer, count))
      return next
    }
  }

  func end() {
    shared.update { $0.isFinished = true }
    thread?.join()
    thread = nil
  }

  deinit {
    end()
    for buffer in shared.withLock({ $0.empty }) {
      Secret.wipe(UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
      buffer.deallocate()
    }
  }

  private static func run(_ shared: Monitor<State>, _ digest: (UnsafeRawPointer, Int) -> Void) {
    while true {
      let next = shared.wait { state -> [(buffer: UnsafeMutableRawPointer, count: Int)]? in
        if !state.full.isEmpty { return [state.full.removeFirst()] }
        return state.isFinished ? [] : nil
      }
      guard let (buffer, count) = next.first else { return }
      digest(UnsafeRawPointer(buffer), count)
      shared.update { $0.empty.append(buffer) }
    }
  }
}
