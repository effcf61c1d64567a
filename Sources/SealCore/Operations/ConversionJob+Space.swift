// Whether the output fits on its file system, asked before anything is written. A look at the header
// says about how large it will be. Where that leaves a doubt, the database is laid out once for
// nobody, and the answer is exact: a disk is not filled to the brim to find out.

extension ConversionJob {
  /// Throws `.noSpace` where the output does not fit.
  func requireSpace() throws {
    let available = try plan.availableSpace()
    guard available / 2 < aboutSize + growth else { return }
    let size = try keepsPages ? aboutSize : explaining { try exactSize() }
    guard available >= size + growth else {
      throw SealError.noSpace(path: plan.path, needed: size + growth, available: available)
    }
  }

  /// Size of the output in bytes; where its pages are laid out anew, about that. Half-empty pages
  /// make it smaller, records that just filled their pages make it larger.
  var aboutSize: UInt64 {
    guard !keepsPages else { return UInt64(source.pageCount) * UInt64(pageSize) }
    let used = UInt64(source.pageCount - min(source.header.freePages, source.pageCount - 1))
    let content = used * UInt64(source.header.pageSize - source.header.reserve)
    return content / UInt64(pageSize - reserve) * UInt64(pageSize) + UInt64(pageSize)
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
