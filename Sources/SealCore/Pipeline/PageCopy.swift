// Conversion page for page, where both sides have the same page size and reserve: pages are opened
// and sealed in place, in runs that the threads take in turn. What was read and what was written
// is digested run by run, so that the output can be proven equal when it is read back.

/// One direction of a page-for-page conversion.
struct PageCopy: Sendable {
  let source: PageStore
  let cancellation: Cancellation
  let workers: Int
  /// Key of the digests; the same for the copy and its proof.
  let digestKey: Secret
  /// Bytes of a run.
  private static let runBytes = 512 << 10

  /// What passed by.
  struct Passage: Sendable {
    /// A digest of the plain pages, one a run.
    var digests: [[UInt8]]
    /// Pages that were zeros on the disk, as never-written ones are, ascending.
    var blanks: [UInt32]
  }

  private var pagesPerRun: Int { max(1, Self.runBytes / source.pageSize) }

  /// Converts all pages to `file`, sealed by `codec` or plain.
  func write(to file: File, codec: CodecMaker?, meter: ProgressMeter) throws -> Passage {
    let passage = try pass(meter: meter, sealing: codec) { first, count, isBlank, buffer, codec in
      var start = 0
      // Blank pages stay blank: sealing one would give it a tag that it never had.
      while start < count {
        var end = start + 1
        while end < count, isBlank[end] == isBlank[start] { end += 1 }
        if !isBlank[start] {
          let run = buffer + start * source.pageSize
          let number = first + UInt32(start)
          try codec?.seal(first: number, count: end - start, in: run)
          try file.write(
            at: UInt64(number - 1) * UInt64(source.pageSize),
            UnsafeRawBufferPointer(start: run, count: (end - start) * source.pageSize))
        }
        start = end
      }
    }
    try file.truncate(to: source.bytes)
    return passage
  }

  /// Reads all pages, authenticates and digests them.
  func read(meter: ProgressMeter) throws -> Passage {
    try pass(meter: meter, sealing: nil) { _, _, _, _, _ in }
  }

  private typealias Output =
    @Sendable (
      _ first: UInt32, _ count: Int, _ isBlank: [Bool], UnsafeMutableRawPointer, PageCodec?
    ) throws -> Void

  private func pass(
    meter: ProgressMeter, sealing makeSealer: CodecMaker?, output: @escaping Output
  ) throws -> Passage {
    let runs = (Int(source.pageCount) + pagesPerRun - 1) / pagesPerRun
    let passage = Monitor(
      Passage(digests: Array(repeating: [], count: runs), blanks: []))
    try ParallelRuns.forEach(count: runs, workers: workers, cancellation: cancellation) {
      let buffer = PageBuffer(bytes: pagesPerRun * source.pageSize)
      let codec = try source.codec?()
      let sealer = try makeSealer?()
      return { run in
        let first = UInt32(run * pagesPerRun + 1)
        let count = min(pagesPerRun, Int(source.pageCount) - Int(first) + 1)
        let isBlank = try load(first, count, codec, into: buffer.start)
        let digest = try StreamDigest(key: digestKey)
        digest.update(buffer.start, count * source.pageSize)
        let sum = try digest.finish()
        try output(first, count, isBlank, buffer.start, sealer)
        let blanks = isBlank.indices.filter { isBlank[$0] }.map { first + UInt32($0) }
        passage.withLock {
          $0.digests[run] = sum
          $0.blanks += blanks
        }
        meter.add(count * source.pageSize)
      }
    }
    var result = passage.withLock { $0 }
    result.blanks.sort()
    return result
  }

  /// Reads and opens a run; which of its pages are blank. The lock-byte page always is.
  private func load(
    _ first: UInt32, _ count: Int, _ codec: PageCodec?, into buffer: UnsafeMutableRawPointer
  ) throws -> [Bool] {
    let size = source.pageSize
    try source.pages.read(first: first, count: count, pageSize: size, into: buffer)
    var isBlank = Array(repeating: false, count: count)
    try codec?.open(first: first, count: count, in: buffer) { number, verdict in
      guard verdict == .blank else {
        throw SealError.damaged(
          Damage(
            path: source.pages.path,
            flaw: .pages([number], total: 1, pagesInFile: source.pageCount)))
      }
      isBlank[Int(number - first)] = true
    }
    let lockPage = PageGeometry.lockPage(pageSize: size)
    if lockPage >= first, lockPage - first < UInt32(count) {
      isBlank[Int(lockPage - first)] = true
      (buffer + Int(lockPage - first) * size).initializeMemory(
        as: UInt8.self, repeating: 0, count: size)
    }
    return isBlank
  }
}

/// Memory for a run of pages.
final class PageBuffer {
  let start: UnsafeMutableRawPointer
  init(bytes: Int) { start = .allocate(byteCount: bytes, alignment: 4096) }
  deinit { start.deallocate() }
}
