// Numbers the pages of a new database in the order in which they are finished, around the pages
// that hold no content, and keeps the pointer map of a database with auto_vacuum.

/// Where the pages of a new database go.
final class PageOutput {
  /// SQLite's own limit.
  private static let maxPage: UInt32 = 0xffff_fffe

  let geometry: PageGeometry
  /// nil without auto_vacuum.
  let map: PointerMap?
  /// The highest page number given out; the size of the database in pages.
  private(set) var last: UInt32 = 1
  private let sink: any PageWriting
  private let path: String

  /// `path` is the source's, for the error of a database that gets too large.
  init(sink: any PageWriting, path: String, geometry: PageGeometry, autoVacuum: Bool) {
    self.sink = sink
    self.path = path
    self.geometry = geometry
    map = autoVacuum ? PointerMap(geometry: geometry, sink: sink) : nil
  }

  /// The number of the next page.
  func allocate() throws -> UInt32 {
    var number = last
    repeat {
      guard number < Self.maxPage else {
        // EFBIG, the same number wherever this builds.
        throw SealError.io(IOFailure(.write, path: path, errno: 27))
      }
      number += 1
    } while number == geometry.lockPage || (map != nil && geometry.isPointerMap(number))
    last = number
    return number
  }

  func write(_ number: UInt32, _ bytes: UnsafeRawPointer) throws { try sink.write(number, bytes) }

  /// Writes what is left of the pointer map.
  func finish() throws { try map?.finish() }
}

/// The pointer-map pages of a new database: for each page its kind and its parent, so that SQLite
/// can move it. A page of the map is written once all its entries are known.
final class PointerMap {
  /// What a page is, as the map says it.
  enum Kind: UInt8 {
    case root = 1
    case firstOverflow = 3
    case laterOverflow = 4
    case tree = 5
  }

  private struct Page {
    var bytes: [UInt8]
    /// Entries that are not yet known.
    var missing: Int
  }

  private let geometry: PageGeometry
  private let sink: any PageWriting
  private var pages: [UInt32: Page] = [:]

  init(geometry: PageGeometry, sink: any PageWriting) {
    self.geometry = geometry
    self.sink = sink
  }

  /// Notes what page `number` is. Each page is noted once. `parent` is 0 for a root.
  func note(_ number: UInt32, _ kind: Kind, parent: UInt32) throws {
    let mapPage = geometry.pointerMapPage(for: number)
    guard mapPage > 0, number > mapPage else { return }
    var page = pages.removeValue(forKey: mapPage) ?? emptyPage(mapPage)
    let place = 5 * Int(number - mapPage - 1)
    page.bytes[place] = kind.rawValue
    for i in 0..<4 {
      page.bytes[place + 1 + i] = UInt8(truncatingIfNeeded: parent >> UInt32(24 - 8 * i))
    }
    page.missing -= 1
    if page.missing == 0 {
      try write(mapPage, page)
    } else {
      pages[mapPage] = page
    }
  }

  /// Writes the last pages, which need not be full.
  func finish() throws {
    for (number, page) in pages.sorted(by: { $0.key < $1.key }) { try write(number, page) }
    pages.removeAll()
  }

  private func emptyPage(_ number: UInt32) -> Page {
    let stride = geometry.pointerMapStride
    // A page that moved up for the lock byte has one entry less; the lock page itself has none.
    let moved = number &- 1 == geometry.lockPage && (number &- 3) % stride == 0
    var entries = Int(stride) - 1 - (moved ? 1 : 0)
    if geometry.lockPage > number, Int(geometry.lockPage - number) <= entries { entries -= 1 }
    return Page(bytes: [UInt8](repeating: 0, count: geometry.pageSize), missing: entries)
  }

  private func write(_ number: UInt32, _ page: Page) throws {
    try page.bytes.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { try sink.write(number, start) }
    }
  }
}
