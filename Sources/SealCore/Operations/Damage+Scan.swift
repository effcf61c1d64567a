// From "this page is broken" to what a user needs: all pages that are, not only the first one met.

extension Damage {
  /// How many page numbers an error carries; the total is exact.
  static let limit = 1000

  /// The pages whose tag does not verify, as damage; nil where there are none.
  init?(forged pages: [UInt32], in store: PageStore) {
    guard !pages.isEmpty else { return nil }
    self.init(
      path: store.pages.path,
      flaw: .pages(
        Array(pages.prefix(Self.limit)), total: pages.count, pagesInFile: store.pageCount))
  }

  /// The same finding, with all pages whose tag fails where one failed.
  func completed(by scan: PageScan) -> Damage {
    guard case .pages = flaw, let found = try? scan.run() else { return self }
    return Damage(forged: found.forged, in: scan.store) ?? self
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
    let lockPage = PageGeometry.lockPage(pageSize: store.pageSize)
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
