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
  /// Of the pages that were asked for, each once; only where `init` was told so.
  private(set) var sum = PageSum()

  private let meter: ProgressMeter?
  private let cancellation: Cancellation
  private let shared: Monitor<Schedule>
  private var threads: [WorkerThread] = []
  private let ownCodec: PageCodec?
  /// The chunk of the page that was asked for last, ready.
  private var current: Chunk?
  /// The chunk that a page was lent from.
  private var lent: Chunk?
  /// Pages that nobody announced and that are read here, in runs that grow while one follows
  /// another. Three, because two may be lent.
  private var own: [Chunk] = []
  private var ownRun = 1
  private var lastAsked: UInt32 = 0
  private let capacity: Int
  private let sums: PageSummer?
  /// Bytes of a chunk, which one system call reads.
  private static let chunkBytes = 256 << 10
  private static let chunkCount = 32

  /// `workers` 0: no threads, every page is read when it is asked for. `sums`: who adds the pages up.
  init(
    _ store: PageStore, workers: Int, sums: PageSummer? = nil, meter: ProgressMeter? = nil,
    cancellation: Cancellation
  ) throws {
    self.sums = sums
    self.store = store
    self.meter = meter
    self.cancellation = cancellation
    visited = PageBitmap(count: store.pageCount)
    ownCodec = try store.codec?()
    capacity = max(1, Self.chunkBytes / store.pageSize)
    // A small database needs no more chunks than it has pages.
    let chunks = workers == 0 ? 0 : min(Self.chunkCount, Int(store.pageCount) / capacity + 4)
    shared = Monitor(
      Schedule(
        chunks: chunks, capacity: capacity, pageSize: store.pageSize, sums: sums != nil,
        last: store.pageCount))
    for _ in 0..<workers {
      let codec = UncheckedBox(try store.codec?())
      guard let thread = WorkerThread({ [shared] in Self.load(store, codec, sums, from: shared) })
      else { break }
      threads.append(thread)
    }
  }

  deinit {
    stop()
    shared.withLock { $0.freeChunks() }
    for chunk in own { chunk.free() }
  }

  /// Ends the threads. Pages can still be read, one by one.
  func stop() {
    shared.update { $0.isStopped = true }
    for thread in threads { thread.join() }
    threads = []
  }

  func prefetch(_ numbers: [UInt32], now: Bool) { announce(numbers, now: now, only: false) }
  /// Announces `numbers` in place of all that was announced and not yet begun: a guess at what comes
  /// next, which makes the guesses before it idle.
  func prefetchOnly(_ numbers: [UInt32]) { announce(numbers, now: true, only: true) }

  private func announce(_ numbers: [UInt32], now: Bool, only: Bool) {
    guard !threads.isEmpty else { return }
    let planned = shared.withLock { schedule in
      if only { schedule.forgetAnnouncements() }
      schedule.announce(numbers, now: now)
      return schedule.plan(skipping: visited)
    }
    wakeThreads(for: planned)
  }

  /// So many chunks are to be loaded. Nobody else waits while this is called: the reader is here.
  private func wakeThreads(for chunks: Int) { shared.wake(min(chunks, threads.count)) }

  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    try cancellation.check()
    let chunk = chunk(with: number)
    if let chunk {
      buffer.copyMemory(from: chunk.pointee.page(number), byteCount: pageSize)
    }
    try take(number, from: chunk, into: buffer)
  }

  func page(_ number: UInt32, or buffer: UnsafeMutableRawPointer) throws -> UnsafeRawPointer {
    try cancellation.check()
    takeBack()
    let chunk = chunk(with: number)
    chunk?.pointee.isLent = true
    lent = chunk
    let isInChunk = try take(number, from: chunk, into: buffer)
    return UnsafeRawPointer(isInChunk ? chunk?.pointee.page(number) ?? buffer : buffer)
  }

  func withPage(
    _ number: UInt32, or buffer: UnsafeMutableRawPointer, _ body: (UnsafeRawPointer) throws -> Void
  ) throws {
    try cancellation.check()
    let chunk = chunk(with: number)
    let wasLent = chunk?.pointee.isLent ?? false
    chunk?.pointee.isLent = true
    defer { if let chunk, !wasLent { takeBack(chunk) } }
    let isInChunk = try take(number, from: chunk, into: buffer)
    try body(UnsafeRawPointer(isInChunk ? chunk?.pointee.page(number) ?? buffer : buffer))
  }

  /// Nobody looks at the page that was lent last any more.
  private func takeBack() {
    guard let chunk = lent else { return }
    lent = nil
    takeBack(chunk)
  }

  private func takeBack(_ chunk: Chunk) {
    chunk.pointee.isLent = false
    if !chunk.pointee.isOwn, chunk.pointee.isUsedUp { giveUp(chunk) }
  }

  /// Notes that page `number` was asked for, and sees to it that it may be used. False: not from the
  /// chunk, it was read into `buffer`.
  @discardableResult
  private func take(
    _ number: UInt32, from chunk: Chunk?, into buffer: UnsafeMutableRawPointer
  ) throws -> Bool {
    let isNew = visited.insert(number)
    meter?.add(pageSize)
    if let chunk {
      let index = Int(number - chunk.pointee.first)
      let verdict = chunk.pointee.verdicts[index]
      let isUnreadable = chunk.pointee.isUnreadable
      if isNew, !isUnreadable, let sums = chunk.pointee.sums { sum.add(sums[index]) }
      if isNew, !chunk.pointee.isOwn { use(index, of: chunk) }
      guard isUnreadable else {
        if verdict != .opened { try require(verdict, page: number) }
        return true
      }
      // It need not be this page that cannot be read.
    }
    try readOne(number, into: buffer)
    if isNew, let sums { sum.add(sums.sum(number, buffer, pageSize)) }
    return false
  }

  /// A page of a planned chunk was asked for, for the first time.
  private func use(_ index: Int, of chunk: Chunk) {
    if chunk.pointee.isBetween[index] {
      chunk.pointee.between -= 1
    } else {
      chunk.pointee.remaining -= 1
    }
    if chunk.pointee.isUsedUp, !chunk.pointee.isLent { giveUp(chunk) }
  }

  /// Gives a chunk back to the threads.
  private func giveUp(_ chunk: Chunk) {
    current = nil
    let planned = shared.withLock { schedule in
      schedule.release(chunk)
      return schedule.plan(skipping: visited)
    }
    wakeThreads(for: planned)
  }

  /// The ready chunk that holds `number`, or nil where it is to be read alone. Most pages are in
  /// the chunk of the page before, which takes no lock to find.
  private func chunk(with number: UInt32) -> Chunk? {
    let isNext = number == lastAsked &+ 1
    lastAsked = number
    if let current, current.pointee.contains(number) { return current }
    current = nil
    if !threads.isEmpty { current = planned(number) }
    if current == nil { current = window(from: number, isNext: isNext) }
    return current
  }

  /// The chunk with `number`, once it is ready; nil where nobody announced it.
  private func planned(_ number: UInt32) -> Chunk? {
    var planned = 0
    let found = shared.withLock { schedule -> Lookup in
      guard let chunk = schedule.find(number) else {
        planned = schedule.missed(skipping: visited)
        return .missing
      }
      planned = schedule.plan(skipping: visited)
      return .found(chunk)
    }
    wakeThreads(for: planned)
    guard let chunk = found.chunk else { return nil }
    shared.wait { schedule -> Void? in
      schedule.awaited = chunk.pointee.isReady ? nil : chunk
      return chunk.pointee.isReady ? () : nil
    }
    return chunk
  }

  /// Found at once or not at all; not an optional of an optional, where `nil` means either.
  private enum Lookup {
    case found(Chunk)
    case missing

    var chunk: Chunk? {
      if case .found(let chunk) = self { return chunk }
      return nil
    }
  }

  /// Reads `number` and pages behind it, as many as it seems worth; nil for one page alone.
  private func window(from number: UInt32, isNext: Bool) -> Chunk? {
    ownRun = isNext ? min(capacity, 2 * ownRun) : 1
    guard ownRun > 1, number >= 1, number <= pageCount else { return nil }
    let count = min(ownRun, Int(pageCount - number) + 1)
    let own = ownChunk()
    own.pointee.first = number
    own.pointee.count = count
    for index in 0..<count { own.pointee.verdicts[index] = .opened }
    do { try own.pointee.load(from: store, ownCodec, sums) } catch {
      own.pointee.count = 0
      return nil
    }
    return own
  }

  /// One that is not lent.
  private func ownChunk() -> Chunk {
    if let chunk = own.first(where: { !$0.pointee.isLent }) { return chunk }
    let chunk = Chunk.make(capacity: capacity, pageSize: pageSize, sums: sums != nil)
    chunk.pointee.isOwn = true
    own.append(chunk)
    return chunk
  }

  private func readOne(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    try store.pages.read(first: number, count: 1, pageSize: pageSize, into: buffer)
    guard let ownCodec else { return }
    try require(ownCodec.open(page: number, in: buffer), page: number)
  }

  /// Reads a page that was read before, past the threads; `known` says whether it is as it was.
  func readAgain(_ number: UInt32, into buffer: UnsafeMutableRawPointer, _ known: KnownPages?)
    throws
  {
    guard let known else { return try read(number, into: buffer) }
    try cancellation.check()
    try store.pages.read(first: number, count: 1, pageSize: pageSize, into: buffer)
    try require(known.open(page: number, in: buffer), page: number)
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
    _ store: PageStore, _ codec: UncheckedBox<PageCodec?>, _ sums: PageSummer?,
    from shared: Monitor<Schedule>
  ) {
    while true {
      let next = shared.wait { schedule -> Lookup? in
        if schedule.isStopped { return .missing }
        return schedule.nextDue().map(Lookup.found)
      }
      guard let chunk = next.chunk else { return }
      do { try chunk.pointee.load(from: store, codec.value, sums) } catch {
        chunk.pointee.isUnreadable = true
      }
      let isAwaited = shared.withLock { schedule in
        chunk.pointee.isReady = true
        return schedule.awaited == chunk
      }
      if isAwaited { shared.update { _ in } }
    }
  }
}
