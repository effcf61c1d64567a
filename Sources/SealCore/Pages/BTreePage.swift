// A checked view of one B-tree page. Whatever the bytes claim, a cell that this returns lies inside
// its page; what it claims about other pages (children, overflow) is the caller's to check.

extension StructureFlaw: Error {}

/// A cell of a B-tree page. Which fields mean something depends on the kind of page.
struct Cell {
  /// The cell's first byte and its length in the page.
  var start: UnsafeRawPointer
  var size: Int
  /// Interior pages: the subtree before this cell.
  var leftChild: UInt32 = 0
  /// Tables.
  var rowid: Int64 = 0
  /// The part of the payload in this page; tables' interior cells have none.
  var payload: UnsafeRawPointer
  var local: Int = 0
  /// Length of the whole payload in bytes.
  var length: Int = 0
  /// The first overflow page, 0 where the payload is all here.
  var overflow: UInt32 = 0
}

/// One page of a B-tree, valid as long as its buffer.
struct BTreePage {
  enum Kind: UInt8 {
    case interiorIndex = 0x02
    case interiorTable = 0x05
    case leafIndex = 0x0a
    case leafTable = 0x0d
  }

  /// Bytes behind the page that must be readable: a cell's head is read before it is checked.
  static let slack = 32

  let number: UInt32
  let kind: Kind
  let count: Int
  /// Of an interior page: the subtree after the last cell.
  let rightChild: UInt32

  private let base: UnsafeRawPointer
  private let pointers: Int
  private let cellsStart: Int
  private let usable: Int
  private let indexMax: Int
  private let tableMax: Int
  private let localMin: Int

  var isLeaf: Bool { kind == .leafTable || kind == .leafIndex }
  var isTable: Bool { kind == .leafTable || kind == .interiorTable }

  /// The page in `bytes` (a page and `slack`). Throws what contradicts the format. `header` is where
  /// the B-tree page starts: 100 in page 1, otherwise 0.
  init(
    _ bytes: UnsafeRawPointer, number: UInt32, geometry: PageGeometry, header: Int
  ) throws(StructureFlaw) {
    guard let kind = Kind(rawValue: bytes.byte(header)) else { throw .pageType }
    self.kind = kind
    self.number = number
    base = bytes
    count = bytes.big16(header &+ 3)
    let isLeaf = kind == .leafTable || kind == .leafIndex
    rightChild = isLeaf ? 0 : bytes.big32(header &+ 8)
    pointers = header &+ (isLeaf ? 8 : 12)
    cellsStart = pointers &+ 2 &* count
    usable = geometry.usable
    indexMax = geometry.indexMax
    tableMax = geometry.tableMax
    localMin = geometry.localMin
    guard cellsStart <= usable else { throw .cellCount }
  }

  /// The most bytes that all cells together can have.
  @inline(__always)
  var room: Int { usable &- cellsStart }

  /// Where cell `index` says it starts. `index` must be below `count`.
  @inline(__always)
  private func place(_ index: Int) throws(StructureFlaw) -> Int {
    let place = base.big16(pointers &+ 2 &* index)
    guard place >= cellsStart, place < usable else { throw .cellOutside }
    return place
  }

  /// Cell `index` of any page. `index` must be below `count`.
  func cell(_ index: Int) throws(StructureFlaw) -> Cell {
    switch kind {
    case .leafTable: try tableLeafCell(index)
    case .leafIndex: try indexCell(index, child: 0)
    case .interiorIndex: try indexCell(index, child: 4)
    case .interiorTable: try tableInteriorCell(index)
    }
  }

  /// Cell `index` of a table leaf.
  @inline(__always)
  func tableLeafCell(_ index: Int) throws(StructureFlaw) -> Cell {
    let place = try place(index)
    let start = base + place
    let length = Varint.read(start)
    let rowid = Varint.read(start + length.length)
    var cell = Cell(start: start, size: 0, payload: start + (length.length &+ rowid.length))
    cell.rowid = Int64(bitPattern: rowid.value)
    try finish(&cell, place, length.value, most: tableMax)
    return cell
  }

  /// Cell `index` of an index page; `child` is 4 where it starts with a child's number.
  @inline(__always)
  func indexCell(_ index: Int, child: Int) throws(StructureFlaw) -> Cell {
    let place = try place(index)
    let start = base + place
    let length = Varint.read(start + child)
    var cell = Cell(start: start, size: 0, payload: start + (child &+ length.length))
    if child != 0 { cell.leftChild = start.big32(0) }
    try finish(&cell, place, length.value, most: indexMax)
    return cell
  }

  /// Works out and checks where the payload that starts at `cell.payload` ends.
  @inline(__always)
  private func finish(
    _ cell: inout Cell, _ place: Int, _ length: UInt64, most: Int
  ) throws(StructureFlaw) {
    let head = cell.payload - cell.start
    let left = usable &- place &- head
    if length <= UInt64(most) {
      cell.length = Int(truncatingIfNeeded: length)
      cell.local = cell.length
      cell.size = head &+ cell.length
      guard cell.length <= left else { throw .cellOutside }
      return
    }
    guard length <= UInt64(UInt32.max) else { throw .payloadTooLarge }
    cell.length = Int(truncatingIfNeeded: length)
    let kept = localMin &+ (cell.length &- localMin) % (usable &- 4)
    cell.local = kept <= most ? kept : localMin
    cell.size = head &+ cell.local &+ 4
    guard cell.local &+ 4 <= left else { throw .cellOutside }
    cell.overflow = cell.payload.big32(cell.local)
  }

  private func tableInteriorCell(_ index: Int) throws(StructureFlaw) -> Cell {
    let place = try place(index)
    let start = base + place
    let rowid = Varint.read(start + 4)
    guard 4 &+ rowid.length <= usable &- place else { throw .cellOutside }
    var cell = Cell(start: start, size: 4 &+ rowid.length, payload: start + 4)
    cell.leftChild = start.big32(0)
    cell.rowid = Int64(bitPattern: rowid.value)
    return cell
  }

  /// The subtree before cell `index`, or after the last cell where `index` is `count`.
  func child(_ index: Int) throws(StructureFlaw) -> UInt32 {
    guard index < count else { return rightChild }
    let place = try place(index)
    guard usable &- place >= 4 else { throw .cellOutside }
    return base.big32(place)
  }
}
