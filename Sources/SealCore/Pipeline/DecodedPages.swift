// Decoded pages as a file that SQLite can read, through the read-only VFS: any engine reads any
// format so, and nothing can be written. Header bytes 18 and 19 are shown as 1, because the log, if
// there is one, is already laid over. SQLite mostly asks for pages in ascending order; where it
// does, threads decode ahead of it. To SQLite a page that cannot be read is an I/O error and no
// more; what was wrong with it is kept here.

/// The plain image of a page store.
final class DecodedPages: SnapshotFile, @unchecked Sendable {
  let size: UInt64
  private let store: PageStore
  private let state: Monitor<State>

  private struct State {
    let reader: ReadAhead
    let buffer: PageBuffer
    let shelf: PageShelf?
    /// Made when a page is first wanted again.
    var known: KnownPages?
    /// The page in `buffer`; 0 is none.
    var page: UInt32 = 0
    /// The block of the page that was read last, and how many of its pages were.
    var block: UInt32 = 0
    var inBlock = 0
    /// Blocks come from the end to the start.
    var isBackward = false
    var fault: (any Error)?
  }

  /// Bytes of a block, and pages of one that tell that it is gone through. integrity_check goes
  /// through a tree backwards, but forwards through the pages of each long row: so it is blocks, and
  /// not pages, that come in turn.
  private static let blockBytes = 256 << 10
  private static let enough = 4
  /// Bytes that are decoded ahead of whoever reads block after block.
  private static let aheadBytes = 2 << 20

  /// `workers` 0: every page is decoded when it is asked for. `claimed`: pages of the database where
  /// the file was cut; SQLite refuses all of one that is shorter than its header says, and so it
  /// gets to read what is left. `keeping`: bytes of pages that are kept for when they are wanted
  /// again. `meter` counts each page once.
  init(
    _ store: PageStore, workers: Int = 0, claimed: UInt32? = nil, keeping: Int = 0,
    meter: ProgressMeter? = nil, cancellation: Cancellation = Cancellation()
  ) throws {
    self.store = store
    size = UInt64(max(store.pageCount, claimed ?? 0)) * UInt64(store.pageSize)
    state = Monitor(
      State(
        reader: try ReadAhead(
          store, workers: workers, meter: meter, cancellation: cancellation),
        buffer: PageBuffer(bytes: store.pageSize),
        shelf: PageShelf(
          bytes: keeping, pageSize: store.pageSize, pageCount: store.pageCount)))
  }

  /// Runs `body`, which has SQLite read this file. Where that failed because of a page, throws what
  /// was wrong with the page (`.damaged`, `.io`, `.interrupted`), and not what SQLite made of it.
  func explaining<R>(_ body: () throws -> R) throws -> R {
    state.withLock { $0.fault = nil }
    do { return try body() } catch { throw state.withLock { $0.fault } ?? error }
  }

  /// Throws where a page could not be read from the file since `explaining` began: that is no finding
  /// about the database.
  func requireReadable() throws {
    let fault = state.withLock { $0.fault as? SealError }
    if let fault, case .io = fault { throw fault }
  }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    state.withLock { state in
      var done = 0
      while done < buffer.count {
        let position = offset &+ UInt64(done)
        let pageSize = UInt64(store.pageSize)
        guard let number = UInt32(exactly: position / pageSize + 1) else { return false }
        let within = Int(position % pageSize)
        let count = min(buffer.count - done, store.pageSize - within)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
        guard copy(number, from: within, to: target, &state) else { return false }
        done += count
      }
      return true
    }
  }

  /// Bytes of one page: a whole one straight from the reader, a part of one by way of the buffer.
  private func copy(
    _ number: UInt32, from start: Int, to target: UnsafeMutableRawBufferPointer,
    _ state: inout State
  ) -> Bool {
    if number != state.page, target.count == store.pageSize, let base = target.baseAddress {
      return load(number, into: base, &state)
    }
    if number != state.page {
      state.page = 0
      guard load(number, into: state.buffer.start, &state) else { return false }
      state.page = number
    }
    target.copyMemory(
      from: UnsafeRawBufferPointer(start: state.buffer.start + start, count: target.count))
    return true
  }

  private func load(_ number: UInt32, into target: UnsafeMutableRawPointer, _ state: inout State)
    -> Bool
  {
    guard number <= store.pageCount else {
      let missing = SealError.structure(store.pages.path, number, .pageOutside)
      state.fault = state.fault ?? missing
      return false
    }
    if state.shelf?.copy(number, to: target) == true { return true }
    let isAgain = state.reader.visited.contains(number)
    do {
      if isAgain {
        try readAgain(number, into: target, &state)
      } else {
        announce(after: number, &state)
        try state.reader.read(number, into: target)
      }
    } catch {
      state.fault = state.fault ?? error
      return false
    }
    if number == 1 {
      target.storeBytes(of: 1, toByteOffset: 18, as: UInt8.self)
      target.storeBytes(of: 1, toByteOffset: 19, as: UInt8.self)
    }
    state.shelf?.offer(number, target, isAgain: isAgain)
    return true
  }

  private func readAgain(
    _ number: UInt32, into target: UnsafeMutableRawPointer, _ state: inout State
  ) throws {
    if state.known == nil, let codec = try store.codec?() {
      state.known = try KnownPages(codec, pageCount: store.pageCount)
    }
    try state.reader.readAgain(number, into: target, state.known)
  }

  /// Has the threads decode what will be wanted next: the rest of a block, and those that follow it
  /// in the direction in which blocks are gone through.
  private func announce(after number: UInt32, _ state: inout State) {
    let size = UInt32(clamping: max(16, Self.blockBytes / store.pageSize))
    let block = (number - 1) / size
    let isForward = block >= state.block
    if block == state.block {
      state.inBlock += 1
    } else {
      let isNext = isForward ? block - state.block == 1 : state.block - block == 1
      state.inBlock = isNext && state.inBlock >= Self.enough ? Self.enough : 1
      state.isBackward = !isForward
      state.block = block
    }
    guard state.inBlock == Self.enough else { return }
    let count = UInt32(clamping: max(2, Self.aheadBytes / (Int(size) * store.pageSize)))
    let last = (store.pageCount - 1) / size
    let blocks =
      state.isBackward
      ? Array((block - min(block, count - 1)...block).reversed())
      : Array(block...min(last, block + (count - 1)))
    state.reader.prefetchOnly(
      blocks.flatMap { block in
        block * size + 1...min(store.pageCount, block * size + size)
      })
  }
}
