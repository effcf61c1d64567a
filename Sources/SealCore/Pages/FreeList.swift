// The list of free pages: trunk pages, each with the next trunk and the numbers of free leaf pages
// (sqlite.org/fileformat2.html, "The Freelist"). A leaf holds no content; it may never have been
// written, or have been wiped.

/// The free pages of a database.
struct FreeList {
  /// Pages that list others.
  private(set) var trunks: [UInt32] = []
  /// Free pages without meaning.
  let leaves: PageBitmap

  /// Walks the list that `header` names. Throws `SealError.damaged` with `path` in it where a page
  /// is listed twice, is one of those in use, lies outside, or the number of pages is not the
  /// header's.
  init(
    reading source: any PageReading, header: DatabaseHeader, path: String, used: PageBitmap? = nil
  ) throws {
    leaves = PageBitmap(count: source.pageCount)
    let geometry = header.geometry
    guard source.pageSize == header.pageSize else {
      throw SealError.damaged(Damage(path: path, flaw: .header(field: "page size")))
    }
    let seen = PageBitmap(count: source.pageCount)
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: source.pageSize, alignment: 16)
    defer { buffer.deallocate() }
    var total: UInt32 = 0
    var previous: UInt32 = 1
    var trunk = header.firstFreeTrunk
    while trunk != 0 {
      guard trunk > 1, trunk != geometry.lockPage, seen.insert(trunk),
        used?.contains(trunk) != true
      else {
        throw SealError.structure(path, previous, .freelist)
      }
      try source.read(trunk, into: buffer)
      let page = UnsafeRawPointer(buffer)
      let count = page.big32(4)
      guard count <= UInt32(geometry.usable / 4 - 2) else {
        throw SealError.structure(path, trunk, .freelist)
      }
      for i in 0..<Int(count) {
        let leaf = page.big32(8 + 4 * i)
        guard leaf > 1, leaf != geometry.lockPage, seen.insert(leaf), used?.contains(leaf) != true
        else {
          throw SealError.structure(path, trunk, .freelist)
        }
        _ = leaves.insert(leaf)
      }
      trunks.append(trunk)
      total += 1 + count
      previous = trunk
      trunk = page.big32(0)
    }
    guard total == header.freePages else { throw SealError.structure(path, previous, .freelist) }
  }
}
