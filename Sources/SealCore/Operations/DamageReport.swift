// From "this page is broken" to what a user needs: all pages that are, not only the first one met.

/// Completes a finding of damage.
struct DamageReport {
  let store: PageStore
  let workers: Int
  let context: OperationContext
  /// How many page numbers an error carries; the total is exact.
  static let limit = 1000

  /// The error to throw for `damage`: where a page's tag failed, the list of all such pages.
  func complete(_ damage: Damage) -> SealError {
    guard case .pages = damage.flaw, let pages = try? forgedPages(), !pages.isEmpty else {
      return .damaged(damage)
    }
    return .damaged(
      Damage(
        path: damage.path,
        flaw: .pages(
          Array(pages.prefix(Self.limit)), total: pages.count, pagesInFile: store.pageCount)))
  }

  /// Every page whose tag does not verify, ascending.
  func forgedPages() throws -> [UInt32] {
    guard let makeCodec = store.codec else { return [] }
    let perRun = max(1, (256 << 10) / store.pageSize)
    let runs = (Int(store.pageCount) + perRun - 1) / perRun
    let forged = Monitor<[UInt32]>([])
    let cancellation = context.cancellation
    try ParallelRuns.forEach(count: runs, workers: workers, cancellation: cancellation) {
      let codec = try makeCodec()
      let buffer = PageBuffer(bytes: perRun * store.pageSize)
      return { run in
        let first = UInt32(run * perRun + 1)
        let count = min(perRun, Int(store.pageCount) - run * perRun)
        try store.pages.read(
          first: first, count: count, pageSize: store.pageSize, into: buffer.start)
        codec.authenticate(first: first, count: count, buffer.start) { number, verdict in
          if verdict == .forged { forged.withLock { $0.append(number) } }
        }
      }
    }
    return forged.withLock { $0 }.sorted()
  }
}

/// Pages of an encrypted database that are zeros on the disk. Only a page that was never written
/// may be: a free one. Anything else was wiped.
struct BlankPages {
  let store: PageStore
  let header: DatabaseHeader
  let context: OperationContext

  /// Throws `.damaged(.structure(_, .blank))` if one of `numbers` is not a free page.
  func require(_ numbers: [UInt32]) throws {
    let lockPage = UInt32(PageGeometry.lockByte / store.pageSize + 1)
    let numbers = numbers.filter { $0 != lockPage }
    guard store.codec != nil, !numbers.isEmpty else { return }
    let reader = try ReadAhead(store, workers: 0, cancellation: context.cancellation)
    let free = try FreeList(reading: reader, header: header, path: store.pages.path)
    for number in numbers where !free.leaves.contains(number) {
      throw SealError.damaged(
        Damage(path: store.pages.path, flaw: .structure(page: number, .blank)))
    }
  }
}
