// Walks B-trees in key order over pages that may claim anything. A page is used once, by one tree;
// a tree is at most twenty levels deep and of one kind. So a walk ends after as many pages as the
// file has, and whatever is wrong is thrown as damage with the number of the page.

/// Takes what a tree holds, in order.
protocol TreeConsumer: AnyObject {
  /// Takes all cells of a leaf.
  func leaf(_ page: BTreePage) throws
  /// Takes a record that stands between two subtrees of an index.
  func separator(_ cell: Cell, on page: UInt32) throws
}

/// In-order traversal of the trees of one database.
final class TreeCursor {
  /// No real tree is deeper: with the smallest fan-out 2^32 pages would be full before.
  static let maxDepth = 20

  let source: any PageReading
  let path: String
  let geometry: PageGeometry
  let pageCount: UInt32
  /// The pages used so far, by all trees walked.
  let visited: PageBitmap
  let overflow: OverflowReader

  private struct Level {
    var page: BTreePage
    /// Steps done: even steps visit child i/2, odd ones the cell behind it.
    var step = 0
  }

  /// The pages from the root to where the walk is, `height` of them. Touched for every page, so
  /// behind a pointer.
  private let levels: UnsafeMutablePointer<Level>
  private var height = 0

  /// The next leaf parents, read before their turn so that their children can be announced in time;
  /// 0 is none. They stand in the last of the buffers.
  private var ahead: [UInt32]
  private let stride: Int
  private let buffers: UnsafeMutableRawPointer
  /// The depth of the leaves; 0 until the first was seen.
  private var leafDepth = 0

  init(
    source: any PageReading, path: String, geometry: PageGeometry, visited: PageBitmap? = nil
  ) {
    self.source = source
    self.path = path
    self.geometry = geometry
    pageCount = source.pageCount
    self.visited = visited ?? PageBitmap(count: source.pageCount)
    overflow = OverflowReader(source: source, path: path, geometry: geometry)
    // The leaves of one parent have about the tenth of a page's square in bytes: a megabyte ahead.
    let square = geometry.pageSize * geometry.pageSize / 10
    ahead = Array(repeating: 0, count: max(1, min(16, (1 << 20) / square)))
    stride = geometry.pageSize + BTreePage.slack
    let size = stride * (Self.maxDepth + ahead.count)
    buffers = .allocate(byteCount: size, alignment: 16)
    buffers.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    levels = .allocate(capacity: Self.maxDepth)
  }

  deinit {
    buffers.deallocate()
    levels.deallocate()
  }

  /// Enters the tree at `root`. True for a table, false for an index.
  func start(_ root: UInt32) throws -> Bool {
    height = 0
    leafDepth = 0
    for slot in ahead.indices { ahead[slot] = 0 }
    try descend(to: root, isTable: nil)
    return levels[0].page.isTable
  }

  /// Gives the rest of the tree that `start` entered to `consumer`.
  func run(_ consumer: some TreeConsumer) throws {
    while height > 0 {
      let depth = height - 1
      let level = levels + depth
      let page = level.pointee.page
      if page.isLeaf {
        try consumer.leaf(page)
        height = depth
        continue
      }
      let step = level.pointee.step
      level.pointee.step = step + 1
      let index = step / 2
      if step % 2 == 0 {
        if depth + 1 == leafDepth, index == page.count / 2 { try lookAhead(from: depth) }
        try descend(
          to: checked(page) { () throws(StructureFlaw) in try page.child(index) },
          isTable: page.isTable)
      } else if index >= page.count {
        height = depth
      } else if !page.isTable {
        let cell = try checked(page) { () throws(StructureFlaw) in try page.cell(index) }
        try consumer.separator(cell, on: page.number)
      }
    }
  }

  /// Reads page `number` as the next level down.
  private func descend(to number: UInt32, isTable: Bool?) throws {
    let depth = height
    let parent = depth > 0 ? levels[depth - 1].page.number : number
    guard number >= 1, number <= pageCount, number != geometry.lockPage else {
      throw SealError.structure(path, number == 0 ? parent : number, .pageOutside)
    }
    guard visited.insert(number) else { throw SealError.structure(path, number, .pageTwice) }
    guard depth < Self.maxDepth else { throw SealError.structure(path, number, .tooDeep) }
    let buffer = buffers + stride * depth
    // Pages that are read ahead are interior ones.
    let slot = depth + 1 == leafDepth ? ahead.firstIndex(of: number) : nil
    let bytes: UnsafeRawPointer
    if let slot {
      ahead[slot] = 0
      buffer.copyMemory(
        from: buffers + stride * (Self.maxDepth + slot), byteCount: geometry.pageSize)
      bytes = UnsafeRawPointer(buffer)
    } else {
      bytes = try source.page(number, or: buffer)
    }
    var page = try view(of: bytes, number)
    if let isTable, isTable != page.isTable {
      throw SealError.structure(path, number, .mixedTree)
    }
    if !page.isLeaf, bytes != UnsafeRawPointer(buffer) {
      // It is needed for longer than until the next page comes.
      buffer.copyMemory(from: bytes, byteCount: geometry.pageSize)
      page = try view(of: buffer, number)
    }
    (levels + depth).initialize(to: Level(page: page))
    height = depth + 1
    if page.isLeaf, leafDepth == 0, depth > 0 {
      // Only now it is known which interior pages are the parents of leaves.
      leafDepth = depth
      try prefetchChildren(of: levels[depth - 1].page)
    } else if !page.isLeaf, depth + 1 == leafDepth, slot == nil {
      try prefetchChildren(of: page)
    }
  }

  private func view(of bytes: UnsafeRawPointer, _ number: UInt32) throws -> BTreePage {
    do throws(StructureFlaw) {
      return try BTreePage(
        bytes, number: number, geometry: geometry,
        header: number == 1 ? DatabaseHeader.length : 0)
    } catch { throw SealError.structure(path, number, error) }
  }

  /// Announces the leaves under `page`: they are what the walk reads next, one after another.
  private func prefetchChildren(of page: BTreePage) throws {
    var children: [UInt32] = []
    try addChildren(of: page, to: &children)
    source.prefetch(children, now: false)
  }

  private func addChildren(of page: BTreePage, to children: inout [UInt32]) throws {
    children.reserveCapacity(children.count + page.count + 1)
    for i in 0...page.count {
      let child = try checked(page) { () throws(StructureFlaw) in try page.child(i) }
      if child >= 2, child <= pageCount { children.append(child) }
    }
  }

  /// Reads the leaf parents that follow the one at `depth` and announces their leaves, so that they
  /// are ready when the walk gets there. What is wrong with one is found when it is its turn.
  private func lookAhead(from depth: Int) throws {
    // Several at once: their leaves are announced together, for reads that are as long as they can be.
    guard depth > 0, ahead.count(where: { $0 != 0 }) <= ahead.count / 2 else { return }
    var children: [UInt32] = []
    defer { if !children.isEmpty { source.prefetch(children, now: false) } }
    for step in 1...ahead.count {
      guard let next = try sibling(step, above: depth) else { return }
      guard !visited.contains(next), !ahead.contains(next) else { continue }
      guard let slot = ahead.firstIndex(of: 0) else { return }
      let buffer = buffers + stride * (Self.maxDepth + slot)
      try source.read(next, into: buffer)
      ahead[slot] = next
      let page = try? BTreePage(buffer, number: next, geometry: geometry, header: 0)
      if let page, !page.isLeaf { try? addChildren(of: page, to: &children) }
    }
  }

  /// The page that stands `step` places behind the one at `depth` under the same parent.
  private func sibling(_ step: Int, above depth: Int) throws -> UInt32? {
    let parent = levels[depth - 1]
    let index = (parent.step + 1) / 2 + step - 1
    guard index <= parent.page.count else { return nil }
    let page = parent.page
    let number = try checked(page) { () throws(StructureFlaw) in try page.child(index) }
    return number >= 2 && number <= pageCount ? number : nil
  }

  /// Says which page a flaw is in.
  @inline(__always)
  private func checked<R>(
    _ page: BTreePage, _ body: () throws(StructureFlaw) -> R
  ) throws -> R {
    do throws(StructureFlaw) {
      return try body()
    } catch { throw SealError.structure(path, page.number, error) }
  }
}
