// Decoded pages that are kept because they are wanted again. integrity_check looks every row up in
// every index, so that it comes to each page of an index hundreds of times, in an order that may be
// any. SQLite's own cache drops what was not used for longest, and of an index that is larger and
// gone through in turns it keeps nothing; here most of what is kept stays.

/// A bounded number of pages. For one thread at a time.
final class PageShelf {
  private let pageSize: Int
  private let capacity: Int
  private let buffer: PageBuffer
  private var places: [UInt32: Int] = [:]
  /// The page at each place.
  private var pages: [UInt32] = []
  private var chance: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// One in so many pages gets a place once all are taken: the shelf changes, but not faster than
  /// what stands on it is asked for.
  private static let odds: UInt64 = 8

  /// Room for `bytes` of pages, which is used as far as there are any. nil where it is for none, and
  /// where memory is too short for a comfort.
  init?(bytes: Int, pageSize: Int, pageCount: UInt32) {
    capacity = min(bytes / max(1, pageSize), Int(pageCount))
    guard capacity > 0, Memory.hasRoom(for: 4 * Memory.basis + capacity * pageSize) else {
      return nil
    }
    self.pageSize = pageSize
    buffer = PageBuffer(bytes: capacity * pageSize)
  }

  /// Copies page `number` to `target`; false where it is not here.
  func copy(_ number: UInt32, to target: UnsafeMutableRawPointer) -> Bool {
    guard let place = places[number] else { return false }
    target.copyMemory(from: buffer.start + place * pageSize, byteCount: pageSize)
    return true
  }

  /// Offers a page that is not here. `isAgain`: it was wanted before.
  func offer(_ number: UInt32, _ page: UnsafeRawPointer, isAgain: Bool) {
    guard isAgain || isInner(number, page) else { return }
    let place: Int
    if pages.count < capacity {
      place = pages.count
      pages.append(number)
    } else {
      let drawn = draw()
      guard drawn % Self.odds == 0 else { return }
      place = Int(drawn / Self.odds % UInt64(capacity))
      places[pages[place]] = nil
      pages[place] = number
    }
    places[number] = place
    (buffer.start + place * pageSize).copyMemory(from: page, byteCount: pageSize)
  }

  /// Whether it is, by its first byte, a page of an index or an interior page of a table. Leaves of
  /// tables and overflow pages are mostly read once, in their order.
  private func isInner(_ number: UInt32, _ page: UnsafeRawPointer) -> Bool {
    let start = number == 1 ? DatabaseHeader.length : 0
    let kind = BTreePage.Kind(rawValue: page.load(fromByteOffset: start, as: UInt8.self))
    return kind != nil && kind != .leafTable
  }

  /// A number by chance (xorshift); nothing depends on nobody guessing it.
  private func draw() -> UInt64 {
    chance ^= chance << 13
    chance ^= chance >> 7
    chance ^= chance << 17
    return chance >> 8
  }
}
