// Lays one payload out for another usable size: what stays in the page goes into a cell, the rest
// into overflow pages that are numbered and written as they fill.

/// Makes cells of payloads that come in pieces. Used for the cells that cannot be copied whole.
final class CellSplitter {
  private let output: PageOutput
  private let buffer: UnsafeMutableRawPointer
  private let page: UnsafeMutableRawPointer
  /// The finished cell's length; the cell is at `cell` until the next `begin`.
  private(set) var size = 0
  private var localLeft = 0
  private var left = 0
  /// The overflow page that is being filled, 0 before the first; bytes of payload in it.
  private var current: UInt32 = 0
  private var filled = 0

  init(output: PageOutput) {
    self.output = output
    buffer = .allocate(byteCount: output.geometry.pageSize + BTreePage.slack, alignment: 16)
    page = .allocate(byteCount: output.geometry.pageSize, alignment: 16)
  }

  deinit {
    buffer.deallocate()
    page.deallocate()
  }

  var cell: UnsafeRawPointer { UnsafeRawPointer(buffer) }

  /// Starts a cell with `head` (its varints) for a payload of `length` bytes.
  func begin(head: UnsafeRawPointer, _ headLength: Int, length: Int, isTable: Bool) {
    let geometry = output.geometry
    buffer.copyMemory(from: head, byteCount: headLength)
    size = headLength
    left = length
    localLeft = geometry.local(length, most: isTable ? geometry.tableMax : geometry.indexMax)
    current = 0
    filled = 0
  }

  /// Takes the next piece of the payload. Takes no more than the length that was announced.
  func append(_ bytes: UnsafeRawPointer, _ count: Int) throws {
    var piece = bytes
    var count = min(count, left)
    let local = min(count, localLeft)
    if local > 0 {
      (buffer + size).copyMemory(from: piece, byteCount: local)
      size &+= local
      localLeft &-= local
      left &-= local
      piece += local
      count &-= local
    }
    let perPage = output.geometry.usable &- 4
    while count > 0 {
      if current == 0 || filled == perPage { try nextPage() }
      let part = min(count, perPage &- filled)
      (page + (4 &+ filled)).copyMemory(from: piece, byteCount: part)
      filled &+= part
      left &-= part
      piece += part
      count &-= part
    }
    if left == 0, current != 0 { try flush(next: 0) }
  }

  /// Starts the next overflow page; the one before is full.
  private func nextPage() throws {
    let number = try output.allocate()
    if current == 0 {
      buffer.storeBig32(number, size)
      size &+= 4
    } else {
      try output.map?.note(number, .laterOverflow, parent: current)
      try flush(next: number)
    }
    current = number
    filled = 0
  }

  private func flush(next: UInt32) throws {
    page.storeBig32(next, 0)
    let used = 4 &+ filled
    (page + used).initializeMemory(
      as: UInt8.self, repeating: 0, count: output.geometry.pageSize &- used)
    try output.write(current, page)
    if next == 0 { current = 0 }
  }
}
