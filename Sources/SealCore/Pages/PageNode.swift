// A page of a new B-tree while it is filled. Cells come in order and are placed from the end of
// the page towards its header, without gaps; everything else is zero once the page is complete.

/// One page under construction. Its fields are touched for every cell, so they are behind pointers.
final class PageNode {
  private struct State {
    var kind = BTreePage.Kind.leafTable
    var count = 0
    /// Where the cells start.
    var content = 0
    /// Where the pointer to the next cell goes.
    var pointers = 8
    var rightChild: UInt32 = 0
  }

  let geometry: PageGeometry
  /// The page, and `BTreePage.slack` zero bytes behind it.
  let bytes: UnsafeMutableRawPointer
  private let state: UnsafeMutablePointer<State>

  init(geometry: PageGeometry) {
    self.geometry = geometry
    bytes = .allocate(byteCount: geometry.pageSize + BTreePage.slack, alignment: 16)
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    bytes.initializeMemory(
      as: UInt8.self, repeating: 0, count: geometry.pageSize + BTreePage.slack)
    reset(.leafTable)
  }

  deinit {
    bytes.deallocate()
    state.deallocate()
  }

  /// Empties the page and makes it one of `kind`.
  func reset(_ kind: BTreePage.Kind) {
    let isLeaf = kind == .leafTable || kind == .leafIndex
    state.pointee = State(kind: kind, content: geometry.usable, pointers: isLeaf ? 8 : 12)
  }

  var count: Int { state.pointee.count }
  var kind: BTreePage.Kind { state.pointee.kind }

  /// Of an interior page: the subtree after the last cell.
  var rightChild: UInt32 {
    get { state.pointee.rightChild }
    set { state.pointee.rightChild = newValue }
  }

  /// Takes a cell. False, and nothing happened, where it does not fit.
  @inline(__always)
  func append(_ cell: UnsafeRawPointer, _ size: Int) -> Bool {
    guard let place = reserve(size) else { return false }
    place.copyMemory(from: cell, byteCount: size)
    return true
  }

  /// Takes a cell of an interior page: a subtree, and what separates it from the next. False, and
  /// nothing happened, where it does not fit.
  func append(child: UInt32, _ separator: UnsafeRawPointer, _ size: Int) -> Bool {
    guard let place = reserve(size &+ 4) else { return false }
    place.storeBig32(child, 0)
    (place + 4).copyMemory(from: separator, byteCount: size)
    return true
  }

  /// Makes room for a cell; a cell takes at least 4 bytes.
  @inline(__always)
  private func reserve(_ size: Int) -> UnsafeMutableRawPointer? {
    let pointers = state.pointee.pointers
    let content = state.pointee.content &- (size < 4 ? 4 : size)
    guard content >= pointers &+ 2 else { return nil }
    if size < 4 { bytes.storeBig32(0, content) }
    bytes.storeBig16(content, pointers)
    state.pointee.pointers = pointers &+ 2
    state.pointee.content = content
    state.pointee.count &+= 1
    return bytes + content
  }

  /// Removes the last cell.
  func removeLast() {
    guard count > 0 else { return }
    let pointers = state.pointee.pointers - 2
    let end = count > 1 ? UnsafeRawPointer(bytes).big16(pointers - 2) : geometry.usable
    state.pointee.pointers = pointers
    state.pointee.content = end
    state.pointee.count -= 1
  }

  /// Writes the page's header and clears what holds nothing; the page is complete then.
  func seal() {
    writeHeader(to: bytes, at: 0)
    let (pointers, content) = (state.pointee.pointers, state.pointee.content)
    guard pointers < content else { return }
    (bytes + pointers).initializeMemory(as: UInt8.self, repeating: 0, count: content - pointers)
  }

  /// The page as a reader sees it.
  func view(number: UInt32) throws(StructureFlaw) -> BTreePage {
    seal()
    return try BTreePage(bytes, number: number, geometry: geometry, header: 0)
  }

  /// Whether everything fits in page 1, behind the database header.
  var fitsFirstPage: Bool {
    state.pointee.pointers + DatabaseHeader.length <= state.pointee.content
  }

  /// Copies the page behind the database header in `page`, a zeroed page. It must fit.
  func writeFirstPage(to page: UnsafeMutableRawPointer) {
    let content = state.pointee.content
    let head = state.pointee.pointers
    guard fitsFirstPage else { return }
    (page + DatabaseHeader.length).copyMemory(from: bytes, byteCount: head)
    (page + content).copyMemory(from: bytes + content, byteCount: geometry.usable - content)
    writeHeader(to: page, at: DatabaseHeader.length)
  }

  private func writeHeader(to page: UnsafeMutableRawPointer, at place: Int) {
    let isLeaf = kind == .leafTable || kind == .leafIndex
    page.storeBytes(of: kind.rawValue, toByteOffset: place, as: UInt8.self)
    page.storeBig16(0, place + 1)
    page.storeBig16(count, place + 3)
    // 65536 is stored as 0.
    page.storeBig16(state.pointee.content, place + 5)
    page.storeBytes(of: 0, toByteOffset: place + 7, as: UInt8.self)
    if !isLeaf { page.storeBig32(rightChild, place + 8) }
  }
}
