// Random access to decoded pages at the speed of sequential reading. Whoever walks a B-tree says
// on entering an interior page which pages come next; worker threads read them in runs, decode
// them, and have them ready when they are asked for. Memory is a fixed number of chunks, whatever
// the size of the database. A page that nobody announced is read on the spot.

/// Decoded pages of a store, each asked for about once.
final class ReadAhead: PageReading, @unchecked Sendable {
  let store: PageStore
  var pageSize: Int { store.pageSize }
  var pageCount: UInt32 { store.pageCount }
  /// The pages that were read, and with them authenticated.
  let visited: PageBitmap

  private let meter: ProgressMeter?
  private let cancellation: Cancellation
  private let shared: Monitor<Schedule>
  private var threads: [WorkerThread] = []
  private let ownCodec: PageCodec?
  /// The chunk of the page that was asked for last, ready.
  private var current: Chunk?
  /// Bytes of a chunk, which one system call reads.
  private static let chunkBytes = 256 << 10
  private static let chunkCount = 32

  /// `workers` 0: no threads, every page is read when it is asked for.
  init(
    _ store: PageStore, workers: Int, meter: ProgressMeter? = nil, cancellation: Cancellation
  ) throws {
    self.store = store
    self.meter = meter
    self.cancellation = cancellation
    visited = PageBitmap(count: store.pageCount)
    ownCodec = try store.codec?()
    let capacity = max(1, Self.chunkBytes / store.pageSize)
    // A small database needs no more chunks than it has pages.
    let chunks = workers == 0 ? 0 : min(Self.chunkCount, Int(store.pageCount) / capacity + 4)
    shared = Monitor(
      Schedule(chunks: chunks, capacity: capacity, pageSize: store.pageSize, last: store.pageCount))
    for _ in 0..<workers {
      let codec = UncheckedBox(try store.codec?())
      guard let thread = WorkerThread({ [shared] in Self.load(store, codec, from: shared) })
      else { break }
      threads.append(thread)
    }
  }

  deinit { stop() }

  /// Ends the threads. Pages can still be read, one by one.
  func stop() {
    shared.update { $0.isStopped = true }
    for thread in threads { thread.join() }
    threads = []
  }

  func prefetch(_ numbers: [UInt32], now: Bool) {
    guard !threads.isEmpty else { return }
    shared.update { schedule in
      schedule.announce(numbers, now: now)
      schedule.plan(skipping: visited)
    }
  }

  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    try cancellation.check()
    let chunk = chunk(with: number)
    let isNew = visited.insert(number)
    meter?.add(pageSize)
    guard let chunk else { return try readNow(number, into: buffer) }
    let index = Int(number - chunk.first)
    buffer.copyMemory(from: chunk.buffer + index * pageSize, byteCount: pageSize)
    let verdict = chunk.verdicts[index]
    let failure = chunk.failure
    if isNew { chunk.remaining -= 1 }
    if chunk.remaining == 0 {
      current = nil
      shared.update { schedule in
        schedule.release(chunk)
        schedule.plan(skipping: visited)
      }
    }
    if let failure { throw failure }
    try require(verdict, page: number)
  }

  /// The ready chunk that holds `number`, or nil where nobody announced it. Most pages are in the
  /// chunk of the page before, which takes no lock to find.
  private func chunk(with number: UInt32) -> Chunk? {
    if let current, number >= current.first, number - current.first < UInt32(current.count) {
      return current
    }
    let found = shared.wait { schedule -> Lookup? in
      guard let chunk = schedule.chunks[number] else { return .missing }
      return chunk.isReady ? .ready(chunk) : nil
    }
    if found.chunk == nil, shared.withLock({ $0.missed(skipping: visited) }) {
      // Chunks were planned: the threads are told.
      shared.update { _ in }
    }
    // Whatever was given up, the last chunk among it, may be loaded anew from now on.
    current = found.chunk
    return current
  }

  /// Found at once or not at all; not an optional of an optional, where `nil` means either.
  private enum Lookup {
    case ready(Chunk)
    case missing

    var chunk: Chunk? {
      if case .ready(let chunk) = self { return chunk }
      return nil
    }
  }

  private func readNow(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    try store.pages.read(first: number, count: 1, pageSize: pageSize, into: buffer)
    guard let ownCodec else { return }
    try require(ownCodec.open(page: number, in: buffer), page: number)
  }

  private func require(_ verdict: PageVerdict, page: UInt32) throws {
    switch verdict {
    case .opened: return
    case .blank:
      throw SealError.damaged(
        Damage(path: store.pages.path, flaw: .structure(page: page, .blank)))
    case .forged:
      throw SealError.damaged(
        Damage(
          path: store.pages.path, flaw: .pages([page], total: 1, pagesInFile: pageCount)))
    }
  }

  /// What each thread does: load the chunks that are due.
  private static func load(
    _ store: PageStore, _ codec: UncheckedBox<PageCodec?>, from shared: Monitor<Schedule>
  ) {
    while true {
      let next = shared.wait { schedule -> Lookup? in
        if schedule.isStopped { return .missing }
        guard schedule.due < schedule.queue.count else { return nil }
        return .ready(schedule.nextDue())
      }
      guard let chunk = next.chunk else { return }
      do {
        try store.pages.read(
          first: chunk.first, count: chunk.count, pageSize: store.pageSize, into: chunk.buffer)
        if let codec = codec.value {
          codec.open(first: chunk.first, count: chunk.count, in: chunk.buffer) { number, verdict in
            chunk.verdicts[Int(number - chunk.first)] = verdict
          }
        }
      } catch { chunk.failure = error }
      shared.update { _ in chunk.isReady = true }
    }
  }
}

/// Hands a value that is used by one thread only across to it.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
