// The pages that nothing accounts for: no tree, no free list, no pointer map, not the lock byte.
// SQLite never reads them, and its integrity check calls them "never used". They may be what is
// left of a table whose row in `sqlite_master` is gone, so whoever leaves them behind must say so.

/// Pages of a database that no structure leads to.
struct UnusedPages: Equatable {
  /// How many page numbers are kept; `total` is exact.
  static let limit = 1000

  var total = 0
  /// The first of them, ascending.
  var first: [UInt32] = []
  /// Where the list of free pages breaks off. What nothing uses cannot be told then.
  var brokenFreeList: UInt32?

  /// Accounts for every page of `source`. `used` are the pages of all trees, overflow included.
  /// Throws what reading the free list throws, damage in it excepted.
  init(in source: any PageReading, header: DatabaseHeader, used: PageBitmap, path: String) throws {
    let free: FreeList
    do {
      free = try FreeList(reading: source, header: header, path: path, used: used)
    } catch SealError.damaged(let damage) {
      guard case .structure(let page, .freelist) = damage.flaw else {
        throw SealError.damaged(damage)
      }
      brokenFreeList = page
      return
    }
    let trunks = PageBitmap(count: source.pageCount)
    for trunk in free.trunks { _ = trunks.insert(trunk) }
    var number: UInt32 = 1
    while number <= source.pageCount {
      // A file can claim billions of pages, and hold a few: who knows enough of them counts the rest.
      if first.count == Self.limit, let a = used.emptyEnd(from: number),
        let b = free.leaves.emptyEnd(from: number), let c = trunks.emptyEnd(from: number)
      {
        let last = min(a, b, c)
        total += Int(last - number) + 1 - Self.fixedPages(in: number...last, header)
        guard last < source.pageCount else { return }
        number = last + 1
        continue
      }
      let isUsed = used.contains(number) || free.leaves.contains(number) || trunks.contains(number)
      if !isUsed, Self.fixedPages(in: number...number, header) == 0 {
        total += 1
        if first.count < Self.limit { first.append(number) }
      }
      guard number < source.pageCount else { return }
      number += 1
    }
  }

  /// How many pages of a range are the lock-byte page or pointer maps.
  private static func fixedPages(in range: ClosedRange<UInt32>, _ header: DatabaseHeader) -> Int {
    let geometry = header.geometry
    var count = range.contains(geometry.lockPage) ? 1 : 0
    guard header.hasAutoVacuum, range.upperBound >= 2 else { return count }
    // The first page of each stretch that a pointer map describes.
    let stride = geometry.pointerMapStride
    var start = (max(2, range.lowerBound) - 2) / stride * stride + 2
    while start <= range.upperBound {
      if range.contains(geometry.pointerMapPage(for: start)) { count += 1 }
      let (next, over) = start.addingReportingOverflow(stride)
      guard !over else { break }
      start = next
    }
    return count
  }

  /// Throws damage where leaving these pages behind may lose something: one of them is not zeros,
  /// or nobody can tell which they are.
  func requireNothingToLose(in source: any PageReading, path: String) throws {
    if let page = brokenFreeList { throw SealError.structure(path, page, .freelist) }
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: source.pageSize, alignment: 16)
    defer { page.deallocate() }
    guard let start = page.baseAddress else { return }
    for number in first {
      try source.read(number, into: start)
      if page.contains(where: { $0 != 0 }) { throw SealError.structure(path, number, .unused) }
    }
    if total > first.count, let last = first.last {
      throw SealError.structure(path, last, .unused)
    }
  }
}
