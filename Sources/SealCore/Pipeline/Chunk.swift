// Memory for pages that read-ahead loads together. It is touched for every page, so it is behind a
// plain pointer, which costs no counting of references; whoever made a chunk frees it.

/// Consecutive pages, being loaded or ready. Some were announced, the others stand between those.
struct ChunkState {
  /// The pages, with `BTreePage.slack` bytes behind them.
  let buffer: UnsafeMutableRawPointer
  let pageSize: Int
  let verdicts: UnsafeMutablePointer<PageVerdict>
  /// Of each page: whether nobody announced it.
  let isBetween: UnsafeMutablePointer<Bool>
  /// Of each page, decoded; only where somebody wants them.
  let sums: UnsafeMutablePointer<PageSum>?
  var first: UInt32 = 0
  var count = 0
  /// Reading it failed, as a whole.
  var isUnreadable = false
  var isReady = false
  /// Filled by the reader itself, not planned.
  var isOwn = false
  /// Somebody looks at one of its pages where it stands.
  var isLent = false
  /// Grows with every chunk that is planned.
  var age = 0
  /// Announced pages that were not asked for yet, and pages between them that were not.
  var remaining = 0
  var between = 0
  /// How many pages nobody had announced when it was planned.
  var extra = 0

  @inline(__always)
  func contains(_ number: UInt32) -> Bool { number &- first < UInt32(truncatingIfNeeded: count) }

  /// Where page `number` is, which must be in it.
  @inline(__always)
  func page(_ number: UInt32) -> UnsafeMutableRawPointer {
    buffer + Int(number &- first) &* pageSize
  }

  /// Reads its pages, opens them, and adds them up where that is wanted. Throws `.io`.
  func load(from store: PageStore, _ codec: PageCodec?, _ summer: PageSummer?) throws {
    try store.pages.read(first: first, count: count, pageSize: pageSize, into: buffer)
    codec?.open(first: first, count: count, in: buffer) { number, verdict in
      verdicts[Int(number - first)] = verdict
    }
    guard let sums, let summer else { return }
    for index in 0..<count {
      let number = first &+ UInt32(truncatingIfNeeded: index)
      sums[index] = summer.sum(number, buffer + index &* pageSize, pageSize)
    }
  }

  /// Whether every page was asked for.
  var isUsedUp: Bool { remaining == 0 && between == 0 }
}

/// A chunk; two are equal when they are the same one.
typealias Chunk = UnsafeMutablePointer<ChunkState>

extension Chunk {
  /// Room for `capacity` pages, and their sums.
  static func make(capacity: Int, pageSize: Int, sums: Bool) -> Chunk {
    let buffer = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * pageSize + BTreePage.slack, alignment: 4096)
    (buffer + capacity * pageSize).initializeMemory(
      as: UInt8.self, repeating: 0, count: BTreePage.slack)
    let verdicts = UnsafeMutablePointer<PageVerdict>.allocate(capacity: capacity)
    verdicts.initialize(repeating: .opened, count: capacity)
    let isBetween = UnsafeMutablePointer<Bool>.allocate(capacity: capacity)
    isBetween.initialize(repeating: false, count: capacity)
    var pageSums: UnsafeMutablePointer<PageSum>?
    if sums {
      let made = UnsafeMutablePointer<PageSum>.allocate(capacity: capacity)
      made.initialize(repeating: PageSum(), count: capacity)
      pageSums = made
    }
    let chunk = Chunk.allocate(capacity: 1)
    chunk.initialize(
      to: ChunkState(
        buffer: buffer, pageSize: pageSize, verdicts: verdicts, isBetween: isBetween,
        sums: pageSums))
    return chunk
  }

  /// Gives the memory back.
  func free() {
    pointee.buffer.deallocate()
    pointee.verdicts.deallocate()
    pointee.isBetween.deallocate()
    pointee.sums?.deallocate()
    deallocate()
  }
}
