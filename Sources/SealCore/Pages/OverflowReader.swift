// Payloads that do not fit in their page, page by page: a value of two gigabytes is never gathered
// in memory. Every overflow page is marked, so no chain can meet itself or another.

/// Reads overflow chains of one database.
final class OverflowReader {
  /// Pages that are asked for ahead in a chain that runs on from page to page.
  private static let ahead = 64

  private let source: any PageReading
  private let path: String
  private let geometry: PageGeometry
  private let buffer: UnsafeMutableRawPointer

  init(source: any PageReading, path: String, geometry: PageGeometry) {
    self.source = source
    self.path = path
    self.geometry = geometry
    buffer = .allocate(byteCount: geometry.pageSize, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Gives `body` the payload of `cell` in pieces, the part in the page first. Pages of the chain
  /// are added to `visited`. `page` is where the cell stands, for the error.
  func forEachPiece(
    of cell: Cell, on page: UInt32, visited: PageBitmap,
    _ body: (UnsafeRawPointer, Int) throws -> Void
  ) throws {
    try body(cell.payload, cell.local)
    var left = cell.length &- cell.local
    guard left > 0 else { return }
    let perPage = geometry.usable &- 4
    guard left / perPage <= Int(visited.count) else {
      throw SealError.structure(path, page, .payloadTooLarge)
    }
    var next = cell.overflow
    var previous = page
    var hinted: UInt32 = 0
    while left > 0 {
      guard next != 0 else { throw SealError.structure(path, previous, .overflowShort) }
      guard next <= visited.count, next != geometry.lockPage else {
        throw SealError.structure(path, next, .pageOutside)
      }
      guard visited.insert(next) else { throw SealError.structure(path, next, .pageTwice) }
      if next == previous &+ 1, next > hinted, left > 4 &* perPage {
        hinted = prefetch(from: next, pages: left / perPage &+ 1, count: visited.count)
      }
      let piece = min(left, perPage)
      previous = next
      try source.withPage(next, or: buffer) { page in
        try body(page + 4, piece)
        next = page.big32(0)
      }
      left &-= piece
    }
  }

  /// Hints at the pages from `first` on and returns the last of them.
  private func prefetch(from first: UInt32, pages: Int, count: UInt32) -> UInt32 {
    let wanted = UInt32(truncatingIfNeeded: min(pages, Self.ahead, Int(count - first) + 1))
    guard wanted > 0 else { return first }
    source.prefetch(Array(first...(first + (wanted - 1))), now: true)
    return first + (wanted - 1)
  }
}

extension SealError {
  /// Damage in the structure of `page`.
  static func structure(_ path: String, _ page: UInt32, _ flaw: StructureFlaw) -> SealError {
    .damaged(Damage(path: path, flaw: .structure(page: page, flaw)))
  }
}
