// Whether the output fits on its file system, asked before anything is written. The header says how
// large it can be at most. Where that leaves a doubt, the database is laid out once for
// nobody, and the answer is exact: a disk is not filled to the brim to find out.

extension ConversionJob {
  /// Throws `.noSpace` where the output does not fit.
  func requireSpace() throws {
    let available = try plan.availableSpace()
    guard available < mostSize + growth else { return }
    let size = try keepsPages ? aboutSize : explaining { try exactSize() }
    guard available >= size + growth else {
      throw SealError.noSpace(path: plan.path, needed: size + growth, available: available)
    }
  }

  /// Size of the output in bytes; where its pages are laid out anew, about that. Half-empty pages
  /// make it smaller, records that just filled their pages make it larger.
  var aboutSize: UInt64 {
    guard !keepsPages else { return UInt64(source.pageCount) * UInt64(pageSize) }
    let content = usedPages * UInt64(source.header.pageSize - source.header.reserve)
    return content / UInt64(pageSize - reserve) * UInt64(pageSize) + UInt64(pageSize)
  }

  /// What the output cannot exceed, in bytes: a page for each tree, and there are no more trees than
  /// pages, and what the records need at worst. Of a tree's leaves, any two neighbours hold more than
  /// a page, or a leaf and the key behind it do, and the pages above are fewer than the leaves: two
  /// or four pages for each page's worth. A record that just overflows takes a page of its own and as
  /// little as `indexMax` bytes to fill it.
  private var mostSize: UInt64 {
    guard !keepsPages else { return aboutSize }
    guard let geometry = PageGeometry(pageSize: pageSize, reserve: reserve) else { return .max / 2 }
    let content = usedPages * UInt64(source.header.pageSize - source.header.reserve)
    let room = UInt64(geometry.usable - 8)
    let filled = max(
      4 * content / room, 2 * content / room + content / UInt64(geometry.indexMax))
    let pages = usedPages + filled + 2
    // Pointer maps, and the page of the lock byte.
    let maps = pages / UInt64(geometry.pointerMapStride - 1) + 2
    return (pages + maps) * UInt64(pageSize)
  }

  /// Pages that are not free.
  private var usedPages: UInt64 {
    UInt64(source.pageCount - min(source.header.freePages, source.pageCount - 1))
  }

  /// In place, what log or journal hold is written into the old file first: by so much it grows.
  private var growth: UInt64 {
    let settled = source.snapshot.overlay.map { UInt64($0.pageCount) * UInt64($0.pageSize) } ?? 0
    let size = source.snapshot.fileSize
    return plan.isInPlace && settled > size ? settled - size : 0
  }

  private func exactSize() throws -> UInt64 {
    let reader = try reader(.reading)
    defer { reader.stop() }
    let layout = try Relayout.run(
      from: reader, path: source.path, to: NoPages(), pageSize: pageSize, reserve: reserve,
      key: StreamDigest.randomKey())
    return UInt64(layout.pageCount) * UInt64(pageSize)
  }

  /// Takes pages and keeps none.
  private final class NoPages: PageWriting {
    func write(_ number: UInt32, _ bytes: UnsafeRawPointer) {}
  }
}
