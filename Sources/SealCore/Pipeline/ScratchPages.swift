// A database that can be changed without being changed: what is written lies over a snapshot, in
// memory, and is gone with this object. A dry run works on it.

/// Pages of a snapshot with changes laid over. The changed pages are all that takes memory.
final class ScratchPages: ScratchFile, @unchecked Sendable {
  private struct State {
    var size: UInt64
    /// Where the snapshot's own bytes end; what was cut off does not come back.
    var baseEnd: UInt64
    var pages: [UInt64: [UInt8]] = [:]
  }

  private let base: any SnapshotFile
  private let pageSize: Int
  private let state: Monitor<State>

  init(over base: any SnapshotFile, pageSize: Int) {
    self.base = base
    self.pageSize = pageSize
    state = Monitor(State(size: base.size, baseEnd: base.size))
  }

  var size: UInt64 { state.withLock { $0.size } }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    state.withLock { state in
      forEachPart(offset, buffer.count) { number, within, part in
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[part])
        if let page = state.pages[number] {
          page.withUnsafeBytes {
            target.copyMemory(
              from: UnsafeRawBufferPointer(rebasing: $0[within..<(within + part.count)]))
          }
          return true
        }
        return readBase(number, within, target, state)
      }
    }
  }

  func write(offset: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      let (end, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
      guard !overflow else { return false }
      let done = forEachPart(offset, bytes.count) { number, within, part in
        var page = state.pages[number] ?? [UInt8](repeating: 0, count: pageSize)
        if state.pages[number] == nil, part.count < pageSize {
          let isRead = page.withUnsafeMutableBytes { readBase(number, 0, $0, state) }
          guard isRead else { return false }
        }
        page.withUnsafeMutableBytes {
          UnsafeMutableRawBufferPointer(rebasing: $0[within..<(within + part.count)])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[part]))
        }
        state.pages[number] = page
        return true
      }
      if done { state.size = max(state.size, end) }
      return done
    }
  }

  func truncate(to size: UInt64) -> Bool {
    state.withLock { state in
      guard size < state.size else { return true }
      state.size = size
      state.baseEnd = min(state.baseEnd, size)
      state.pages = state.pages.filter { $0.key * UInt64(pageSize) < size }
      let last = size / UInt64(pageSize)
      if let page = state.pages[last] {
        let kept = Int(size % UInt64(pageSize))
        state.pages[last] = page[..<kept] + [UInt8](repeating: 0, count: pageSize - kept)
      }
      return true
    }
  }

  /// Calls `body` with page number (from 0), offset in the page and range of the buffer, until it
  /// answers false.
  private func forEachPart(
    _ offset: UInt64, _ count: Int, _ body: (UInt64, Int, Range<Int>) -> Bool
  ) -> Bool {
    var done = 0
    while done < count {
      let position = offset &+ UInt64(done)
      let within = Int(position % UInt64(pageSize))
      let length = min(count - done, pageSize - within)
      guard body(position / UInt64(pageSize), within, done..<(done + length)) else { return false }
      done += length
    }
    return true
  }

  /// Bytes of a page that was not changed; zeros where the snapshot has none.
  private func readBase(
    _ number: UInt64, _ within: Int, _ target: UnsafeMutableRawBufferPointer, _ state: State
  ) -> Bool {
    let start = number * UInt64(pageSize) + UInt64(within)
    let there = start < state.baseEnd ? min(target.count, Int(clamping: state.baseEnd - start)) : 0
    if there < target.count {
      UnsafeMutableRawBufferPointer(rebasing: target[there...]).initializeMemory(
        as: UInt8.self, repeating: 0)
    }
    guard there > 0 else { return true }
    return base.read(offset: start, into: UnsafeMutableRawBufferPointer(rebasing: target[..<there]))
  }
}
