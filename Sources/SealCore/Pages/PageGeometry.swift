// The numbers that follow from a database's page size and reserve: how much of a cell stays in its
// page, and which pages hold no content. From sqlite.org/fileformat2.html, "B-tree Pages", "The
// Lock-Byte Page" and "Pointer Map or Ptrmap Pages".

/// Page size and reserve, and what follows from them. All lengths in bytes.
struct PageGeometry: Sendable, Equatable {
  /// Where the byte stands that SQLite locks, the same in every database.
  static let lockByte = 0x4000_0000

  let pageSize: Int
  let reserve: Int
  /// Bytes of a page that the B-trees may use.
  let usable: Int
  /// The longest payload that stays whole in a table leaf.
  let tableMax: Int
  /// The longest payload that stays whole in an index page.
  let indexMax: Int
  /// The least of a longer payload that stays in the page.
  let localMin: Int
  /// The page that is never used because of the lock byte.
  let lockPage: UInt32

  /// nil unless SQLite could work with it: at least 480 usable bytes, the reserve at most 255.
  /// `lockByte` differs in tests only.
  init?(pageSize: Int, reserve: Int, lockByte: Int = PageGeometry.lockByte) {
    guard Self.isPageSize(pageSize), (0...255).contains(reserve), pageSize - reserve >= 480 else {
      return nil
    }
    self.pageSize = pageSize
    self.reserve = reserve
    usable = pageSize - reserve
    tableMax = usable - 35
    indexMax = (usable - 12) * 64 / 255 - 23
    localMin = (usable - 12) * 32 / 255 - 23
    lockPage = Self.lockPage(pageSize: pageSize, lockByte: lockByte)
  }

  /// The number of the lock-byte page, which holds nothing and has no tag.
  static func lockPage(pageSize: Int, lockByte: Int = PageGeometry.lockByte) -> UInt32 {
    UInt32(truncatingIfNeeded: lockByte / pageSize + 1)
  }

  /// A power of two from 512 to 65536.
  static func isPageSize(_ size: Int) -> Bool {
    (512...65536).contains(size) && size & (size - 1) == 0
  }

  /// Bytes of a payload of `length` that stay in the page, where the whole may be up to `most`.
  @inline(__always)
  func local(_ length: Int, most: Int) -> Int {
    if length <= most { return length }
    let kept = localMin &+ (length &- localMin) % (usable &- 4)
    return kept <= most ? kept : localMin
  }

  /// Pages from one pointer-map page to the next.
  var pointerMapStride: UInt32 { UInt32(truncatingIfNeeded: usable / 5 + 1) }

  /// The pointer-map page that describes page `number`; 0 for page 1 and below. Where it would be
  /// the lock-byte page it is the next one.
  func pointerMapPage(for number: UInt32) -> UInt32 {
    guard number >= 2 else { return 0 }
    let page = (number - 2) / pointerMapStride * pointerMapStride + 2
    return page == lockPage ? page &+ 1 : page
  }

  /// Whether page `number` is a pointer-map page of a database with auto_vacuum.
  func isPointerMap(_ number: UInt32) -> Bool { pointerMapPage(for: number) == number }
}
