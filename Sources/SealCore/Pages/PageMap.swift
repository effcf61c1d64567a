// What every page of a database is used for, found by walking its trees and lists. Unlike the walks
// that a conversion makes, this one goes on behind damage: it notes the page and leaves out what
// hangs below it. So a damaged database can still be described, and its map drawn.

/// What a tree holds, as far as it could be walked.
struct TreeUsage: Sendable, Equatable {
  /// nil where its first page could not be read.
  var isTable: Bool?
  /// Records in its cells.
  var rows: UInt64 = 0
  /// Pages, overflow pages among them.
  var pages: UInt32 = 0
  var overflowPages: UInt32 = 0
  /// Levels.
  var depth = 0
  /// Something below it could not be read: the numbers are too low.
  var isPartial = false
}

/// The uses of all pages of one database. Each page is read once.
final class PageMap {
  /// Gets each whole record of a table, in the order of rowids; false for one that is damaged.
  typealias Row = (UnsafeRawBufferPointer) -> Bool

  /// The longest record that `Row` gets, in bytes.
  static let longestRow = 16 << 20
  /// How many findings are kept; `damageCount` is exact.
  static let damageLimit = 1000

  private(set) var uses: PageUses
  private(set) var damage: [Damage.Flaw] = []
  private(set) var damageCount = 0

  private let source: any PageReading
  private let geometry: PageGeometry
  private let visited: PageBitmap
  private let page: UnsafeMutableRawPointer
  private let extra: UnsafeMutableRawPointer
  /// Pages of an overflow chain that are asked for ahead.
  private static let ahead = 64

  init(of source: any PageReading, geometry: PageGeometry) {
    self.source = source
    self.geometry = geometry
    visited = PageBitmap(count: source.pageCount)
    uses = PageUses(count: source.pageCount)
    let size = geometry.pageSize + BTreePage.slack
    page = .allocate(byteCount: size, alignment: 16)
    page.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    extra = .allocate(byteCount: geometry.pageSize, alignment: 16)
    mark(geometry.lockPage, .lockByte)
  }

  deinit {
    page.deallocate()
    extra.deallocate()
  }

  /// Notes a page that was found damaged elsewhere.
  func note(_ number: UInt32, _ flaw: Damage.Flaw) {
    mark(number, .damaged)
    damageCount += 1
    if damage.count < Self.damageLimit { damage.append(flaw) }
  }

  /// Walks the tree at `root`. Throws what is not damage: a read error, a signal.
  func walk(_ root: UInt32, row: Row? = nil) throws -> TreeUsage {
    var usage = TreeUsage()
    var stack: [(number: UInt32, depth: Int)] = [(root, 0)]
    while let (number, depth) = stack.popLast() {
      let before = damageCount
      if let found = try open(number, depth: depth, of: &usage) {
        try take(found, depth, &usage, &stack, row)
      }
      if damageCount > before { usage.isPartial = true }
    }
    return usage
  }

  /// Reads and checks a page of a tree; nil where it is damaged, which is noted then.
  private func open(_ number: UInt32, depth: Int, of usage: inout TreeUsage) throws -> BTreePage? {
    guard try load(number, into: page) else { return nil }
    do throws(StructureFlaw) {
      guard depth < TreeCursor.maxDepth else { throw .tooDeep }
      let found = try BTreePage(
        page, number: number, geometry: geometry,
        header: number == 1 ? DatabaseHeader.length : 0)
      if let isTable = usage.isTable, isTable != found.isTable { throw .mixedTree }
      usage.isTable = found.isTable
      usage.pages += 1
      usage.depth = max(usage.depth, depth + 1)
      return found
    } catch {
      note(number, .structure(page: number, error))
      return nil
    }
  }

  /// Counts the cells of a page, follows their overflow chains, and puts its children on the stack.
  private func take(
    _ found: BTreePage, _ depth: Int, _ usage: inout TreeUsage,
    _ stack: inout [(number: UInt32, depth: Int)], _ row: Row?
  ) throws {
    mark(
      found.number,
      found.isTable
        ? (found.isLeaf ? .tableLeaf : .tableInterior)
        : (found.isLeaf ? .indexLeaf : .indexInterior))
    var children: [UInt32] = []
    do throws(StructureFlaw) {
      var room = found.room
      for index in 0..<found.count {
        let cell = try found.cell(index)
        room &-= cell.size
        guard room >= 0 else { throw .cellCount }
        if !found.isLeaf { children.append(cell.leftChild) }
        guard found.isLeaf || !found.isTable else { continue }
        usage.rows += 1
        try follow(cell, on: found.number, &usage, row)
      }
    } catch { note(found.number, .structure(page: found.number, error)) }
    try interruption?.rethrow()
    guard !found.isLeaf else { return }
    children.append(found.rightChild)
    // The next pages to be read are these, in this order, unless their own children come between.
    source.prefetch(children.filter { $0 >= 2 && $0 <= source.pageCount }, now: true)
    stack += children.reversed().map { ($0, depth + 1) }
  }

  /// Marks the overflow chain of a cell, and gives the whole record to `row`.
  private func follow(
    _ cell: Cell, on number: UInt32, _ usage: inout TreeUsage, _ row: Row?
  ) throws(StructureFlaw) {
    let keeps = row != nil && cell.length <= Self.longestRow
    var record =
      keeps ? [UInt8](UnsafeRawBufferPointer(start: cell.payload, count: cell.local)) : []
    var left = cell.length &- cell.local
    var next = cell.overflow
    let perPage = geometry.usable &- 4
    guard left / perPage <= Int(uses.count) else { throw .payloadTooLarge }
    var hinted: UInt32 = 0
    while left > 0 {
      guard next != 0 else { throw .overflowShort }
      if next > hinted, left > 4 &* perPage { hinted = announce(next, left / perPage &+ 1) }
      do {
        guard try load(next, into: extra) else {
          usage.isPartial = true
          return
        }
      } catch {
        interruption = Interruption(error)
        return
      }
      mark(next, .overflow)
      usage.pages += 1
      usage.overflowPages += 1
      let piece = min(left, perPage)
      if keeps { record += UnsafeRawBufferPointer(start: extra + 4, count: piece) }
      left &-= piece
      next = UnsafeRawPointer(extra).big32(0)
    }
    if keeps, let row, !record.withUnsafeBytes(row) {
      note(number, .structure(page: number, .schemaRecord))
    }
  }

  /// What ended the walk from within a cell.
  private struct Interruption {
    let error: any Error
    init(_ error: any Error) { self.error = error }
    func rethrow() throws { throw error }
  }
  private var interruption: Interruption?

  private func announce(_ first: UInt32, _ pages: Int) -> UInt32 {
    guard first <= source.pageCount else { return first }
    let last =
      first + UInt32(clamping: min(pages, Self.ahead, Int(source.pageCount - first) + 1) - 1)
    source.prefetch(Array(first...last), now: true)
    return last
  }

  /// Reads a page that nothing led to yet. False where it is damaged, which is noted then.
  private func load(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws -> Bool {
    guard number >= 1, number <= source.pageCount, number != geometry.lockPage else {
      note(number, .structure(page: number, .pageOutside))
      return false
    }
    guard visited.insert(number) else {
      // Its first use stands; that there are two is the finding.
      damageCount += 1
      if damage.count < Self.damageLimit {
        damage.append(.structure(page: number, .pageTwice))
      }
      return false
    }
    do {
      try source.read(number, into: buffer)
      return true
    } catch SealError.damaged(let found) {
      note(number, found.flaw)
      return false
    }
  }

  /// Says of the pages that nothing led to that something might: a page that could not be read.
  func leaveRestOpen() { uses.rest = .unreached }

  private func mark(_ number: UInt32, _ use: PageUse) { uses[number] = use }

  /// Walks the list of free pages, as far as it can be read.
  func walkFreeList(from first: UInt32, count expected: UInt32) throws {
    var trunk = first
    var total: UInt64 = 0
    let before = damageCount
    while trunk != 0 {
      guard try load(trunk, into: page) else { return }
      mark(trunk, .freeTrunk)
      let count = Int(UnsafeRawPointer(page).big32(4))
      guard count <= geometry.usable / 4 - 2 else {
        return note(trunk, .structure(page: trunk, .freelist))
      }
      for index in 0..<count {
        let leaf = UnsafeRawPointer(page).big32(8 + 4 * index)
        guard leaf > 1, leaf != geometry.lockPage, visited.insert(leaf) else {
          return note(trunk, .structure(page: trunk, .freelist))
        }
        mark(leaf, .freeLeaf)
      }
      total += 1 + UInt64(count)
      trunk = UnsafeRawPointer(page).big32(0)
    }
    if total != UInt64(expected), damageCount == before {
      damageCount += 1
      if damage.count < Self.damageLimit { damage.append(.structure(page: 1, .freelist)) }
    }
  }

  /// Marks the pointer maps of a database with auto_vacuum.
  func markPointerMaps() {
    var number: UInt32 = 2
    while number <= source.pageCount {
      let map = geometry.pointerMapPage(for: number)
      if map <= source.pageCount, uses[map] == .unused { mark(map, .pointerMap) }
      let (next, over) = number.addingReportingOverflow(geometry.pointerMapStride)
      if over { return }
      number = next
    }
  }
}
