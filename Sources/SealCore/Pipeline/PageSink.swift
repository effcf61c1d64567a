// The output end of the pipeline: takes pages in any order, and threads seal them and write them,
// in runs as long as the numbers allow. Memory is a fixed number of batches.

/// Writes the pages of a new database to a file.
final class PageSink: PageWriting, @unchecked Sendable {
  private let output: Output
  private let capacity: Int
  private let cancellation: Cancellation
  private let shared: Monitor<State>
  private var current: Batch
  private var threads: [WorkerThread]
  private let ownCodec: PageCodec?
  private static let batchBytes = 512 << 10
  /// Bytes after which the device is given what was written so far, and room is asked for anew.
  private static let stepBytes = 8 << 20

  private struct State {
    var sum = PageSum()
    var full: [Batch] = []
    var empty: [Batch] = []
    /// Bytes written, and those that the device was told to begin with.
    var written: UInt64 = 0
    var begun: UInt64 = 0
    var isFinished = false
    /// Somebody waits for an empty batch.
    var isAwaited = false
    var failure: (any Error)?
  }

  private final class Batch {
    let buffer: UnsafeMutableRawPointer
    private let all: UnsafeMutableBufferPointer<UInt32>
    var count = 0
    init(bytes: Int, pages: Int) {
      buffer = .allocate(byteCount: bytes, alignment: 4096)
      all = .allocate(capacity: pages)
    }
    deinit {
      buffer.deallocate()
      all.deallocate()
    }

    /// The numbers of its pages, `count` of them.
    var numbers: UnsafeBufferPointer<UInt32> {
      UnsafeBufferPointer(rebasing: UnsafeBufferPointer(all)[..<count])
    }

    @inline(__always)
    func append(_ number: UInt32) {
      all[count] = number
      count &+= 1
    }
  }

  /// `codec` nil: pages are written as they are. `sums`: who adds them up for `finish`. `expected`: about
  /// how many bytes there will be. `workers` 0: everything happens in `write`.
  init(
    _ file: File, pageSize: Int, codec: CodecMaker?, sums: PageSummer?, expected: UInt64 = 0,
    workers: Int,
    meter: ProgressMeter? = nil, cancellation: Cancellation
  ) throws {
    output = Output(file: file, pageSize: pageSize, sums: sums, expected: expected, meter: meter)
    self.cancellation = cancellation
    let pages = max(1, Self.batchBytes / pageSize)
    capacity = pages
    func batch() -> Batch { Batch(bytes: pages * pageSize, pages: pages) }
    current = batch()
    var state = State()
    if workers > 0 { state.empty = (0...(2 * workers)).map { _ in batch() } }
    shared = Monitor(state)
    // All codecs first: nothing may throw while threads run that nobody would join.
    let codecs = try (0..<workers).map { _ in UncheckedBox(try codec?()) }
    var threads: [WorkerThread] = []
    for codec in codecs {
      guard
        let thread = WorkerThread({ [shared, output] in
          Self.drain(shared, output, codec.value)
        })
      else { break }
      threads.append(thread)
    }
    self.threads = threads
    // Without a thread everything happens in `write`.
    ownCodec = threads.isEmpty ? try codec?() : nil
  }

  deinit { stop() }

  func write(_ number: UInt32, _ bytes: UnsafeRawPointer) throws {
    let batch = current
    (batch.buffer + batch.count * output.pageSize).copyMemory(
      from: bytes, byteCount: output.pageSize)
    batch.append(number)
    if batch.count == capacity { try submit() }
  }

  /// Writes what is left and waits for it; the file then has exactly `pageCount` pages, and those
  /// that were never written (the lock-byte page) read as zeros. The sum of what was written, plain.
  @discardableResult
  func finish(pageCount: UInt32) throws -> PageSum {
    if current.count > 0 { try submit() }
    stop()
    if let failure = shared.withLock({ $0.failure }) { throw failure }
    try output.file.truncate(to: UInt64(pageCount) * UInt64(output.pageSize))
    return shared.withLock { $0.sum }
  }

  /// Ends the threads after what they were given.
  func stop() {
    shared.update { $0.isFinished = true }
    for thread in threads { thread.join() }
    threads = []
  }

  private func submit() throws {
    try cancellation.check()
    if threads.isEmpty {
      let sum = try output.process(current, ownCodec)
      Self.note(sum, current, shared, output)
      current.count = 0
      return
    }
    let batch = current
    current = try shared.wait(waking: true) { state -> Batch? in
      if let failure = state.failure { throw failure }
      guard let next = state.empty.popLast() else {
        state.isAwaited = true
        return nil
      }
      state.isAwaited = false
      state.full.append(batch)
      return next
    }
  }

  private static func drain(_ shared: Monitor<State>, _ output: Output, _ codec: PageCodec?) {
    while true {
      let next = shared.wait { state -> [Batch]? in
        if !state.full.isEmpty { return [state.full.removeFirst()] }
        return state.isFinished ? [] : nil
      }
      guard let batch = next.first else { return }
      let failed = shared.withLock { $0.failure != nil }
      do {
        if !failed {
          let sum = try output.process(batch, codec)
          note(sum, batch, shared, output)
        }
      } catch { shared.update { $0.failure = $0.failure ?? error } }
      batch.count = 0
      let isAwaited = shared.withLock { state in
        state.empty.append(batch)
        return state.isAwaited
      }
      if isAwaited { shared.update { _ in } }
    }
  }

  /// A batch was written: the device begins with what there is, so that the sync at the end has
  /// little left to wait for, and room is kept a little ahead, which makes writing cheaper. Not for
  /// all that may come: others have to do with the rest of the disk.
  private static func note(
    _ sum: PageSum, _ batch: Batch, _ shared: Monitor<State>, _ output: Output
  ) {
    let written = shared.withLock { state -> UInt64? in
      state.sum.add(sum)
      state.written += UInt64(batch.count * output.pageSize)
      guard state.written - state.begun >= UInt64(stepBytes) else { return nil }
      state.begun = state.written
      return state.written
    }
    guard let written else { return }
    output.file.startWriteback()
    output.reserve(behind: written, step: UInt64(stepBytes))
  }

  /// The file and how its pages are written: what the threads share.
  private struct Output: Sendable {
    let file: File
    let pageSize: Int
    let sums: PageSummer?
    let expected: UInt64
    let meter: ProgressMeter?

    /// Asks for room for the next bytes, as far as so many are expected.
    func reserve(behind written: UInt64, step: UInt64) {
      let end = min(written + 4 * step, expected)
      if end >= written + 2 * step { file.reserve(written..<end) }
    }

    /// Seals and writes a batch, one write for each run of consecutive numbers. Gives the sum of
    /// the pages before they are sealed.
    func process(_ batch: Batch, _ codec: PageCodec?) throws -> PageSum {
      var sum = PageSum()
      let numbers = batch.numbers
      var start = 0
      while start < numbers.count {
        var end = start + 1
        while end < numbers.count, numbers[end] == numbers[end - 1] &+ 1 { end += 1 }
        let run = batch.buffer + start * pageSize
        if let sums {
          for index in start..<end {
            sum.add(sums.sum(numbers[index], batch.buffer + index * pageSize, pageSize))
          }
        }
        try codec?.seal(first: numbers[start], count: end - start, in: run)
        try file.write(
          at: UInt64(numbers[start] &- 1) * UInt64(pageSize),
          UnsafeRawBufferPointer(start: run, count: (end - start) * pageSize))
        start = end
      }
      meter?.add(numbers.count * pageSize)
      return sum
    }
  }
}
