// The pages that no B-tree led to: free pages and pointer maps. They hold no content, but a page
// that somebody altered is a damaged database all the same, and an output whose every page was not
// authenticated is not proven.

/// Authenticates what a walk left out.
struct UnvisitedPages {
  let store: PageStore
  let visited: PageBitmap
  let workers: Int

  /// Authenticates the rest; the numbers of pages that are blank (zeros without a tag), ascending,
  /// the lock-byte page left out. Throws `.damaged(.pages)`. Plain pages have nothing to check.
  func authenticate(_ cancellation: Cancellation) throws -> [UInt32] {
    guard let makeCodec = store.codec else { return [] }
    let store = store
    let numbers = (1...store.pageCount).filter { !visited.contains($0) }
    let runs = Self.runs(numbers, most: max(1, (256 << 10) / store.pageSize))
    let blanks = Monitor<[UInt32]>([])
    let lockPage = UInt32(PageGeometry.lockByte / store.pageSize + 1)
    try ParallelRuns.forEach(count: runs.count, workers: workers, cancellation: cancellation) {
      let codec = try makeCodec()
      let buffer = PageBuffer(bytes: max(256 << 10, store.pageSize))
      return { index in
        let run = runs[index]
        try store.pages.read(
          first: run.lowerBound, count: run.count, pageSize: store.pageSize, into: buffer.start)
        try codec.authenticate(first: run.lowerBound, count: run.count, buffer.start) {
          number, verdict in
          guard verdict == .blank else {
            throw SealError.damaged(
              Damage(
                path: store.pages.path,
                flaw: .pages([number], total: 1, pagesInFile: store.pageCount)))
          }
          if number != lockPage { blanks.withLock { $0.append(number) } }
        }
      }
    }
    return blanks.withLock { $0 }.sorted()
  }

  private static func runs(_ numbers: [UInt32], most: Int) -> [ClosedRange<UInt32>] {
    var runs: [ClosedRange<UInt32>] = []
    for number in numbers {
      if let last = runs.last, last.upperBound + 1 == number, last.count < most {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs
  }
}
