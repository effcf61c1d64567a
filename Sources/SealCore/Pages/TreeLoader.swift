// Builds one B-tree from its records in order, from the leaves up, each page as full as it goes. A
// finished page waits until its right neighbour is known not to be empty: at the end the last page
// of a level may have to take something back from it.

/// Bulk-loads trees, one after another.
final class TreeLoader {
  /// One level of the tree, the leaves first.
  private final class Level {
    var current: PageNode
    /// Complete, not yet numbered; only where `hasPending`.
    var pending: PageNode
    var hasPending = false
    /// What stands between `pending` and `current` in the level above.
    let separator: UnsafeMutableRawPointer
    var separatorSize = 0

    init(_ geometry: PageGeometry) {
      current = PageNode(geometry: geometry)
      pending = PageNode(geometry: geometry)
      separator = .allocate(byteCount: geometry.pageSize, alignment: 16)
    }

    deinit { separator.deallocate() }

    func keepSeparator(_ bytes: UnsafeRawPointer, _ size: Int) {
      separator.copyMemory(from: bytes, byteCount: size)
      separatorSize = size
    }
  }

  private let output: PageOutput
  private let path: String
  private var levels: [Level] = []
  /// Levels that the tree has so far.
  private var height = 0
  private var isTable = true
  private let key: UnsafeMutableRawPointer

  /// `path` is the source's: what cannot be loaded is damage there.
  init(output: PageOutput, path: String) {
    self.output = output
    self.path = path
    key = .allocate(byteCount: Varint.maxLength, alignment: 8)
  }

  deinit { key.deallocate() }

  /// Starts a tree.
  func begin(isTable: Bool) {
    self.isTable = isTable
    height = 0
    addLevel()
  }

  private func addLevel() {
    if height == levels.count { levels.append(Level(output.geometry)) }
    let level = levels[height]
    level.hasPending = false
    level.current.reset(kind(at: height))
    height += 1
  }

  private func kind(at level: Int) -> BTreePage.Kind {
    if level == 0 { return isTable ? .leafTable : .leafIndex }
    return isTable ? .interiorTable : .interiorIndex
  }

  /// The leaf that takes cells now; after `leafFull` it is another one.
  var leaf: PageNode { levels[0].current }

  /// Takes a table's cell that does not fit in `leaf`; `previous` is the rowid before it.
  func leafFull(_ cell: UnsafeRawPointer, _ size: Int, previous: Int64) throws {
    let length = Varint.write(UInt64(bitPattern: previous), to: key)
    guard leaf.count > 0 else { throw SealError.structure(path, 1, .cellOutside) }
    try close(0, key, length)
    guard leaf.append(cell, size) else { throw SealError.structure(path, 1, .cellOutside) }
  }

  /// Takes an index's record that does not fit in `leaf`: it moves up between two leaves.
  func leafFull(_ record: UnsafeRawPointer, _ size: Int) throws {
    guard leaf.count > 0 else { throw SealError.structure(path, 1, .cellOutside) }
    try close(0, record, size)
  }

  /// Ends the current page of `level`; the separator goes between it and the next.
  private func close(_ index: Int, _ separator: UnsafeRawPointer, _ size: Int) throws {
    let level = levels[index]
    if level.hasPending { try emitPending(index) }
    swap(&level.current, &level.pending)
    level.hasPending = true
    level.keepSeparator(separator, size)
    level.current.reset(kind(at: index))
  }

  /// Numbers and writes the pending page of `level` and enters it in the level above.
  private func emitPending(_ index: Int) throws {
    let level = levels[index]
    level.hasPending = false
    let number = try output.allocate()
    try write(level.pending, as: number)
    if height == index + 1 { addLevel() }
    let above = levels[index + 1].current
    guard !above.append(child: number, level.separator, level.separatorSize) else { return }
    above.rightChild = number
    try close(index + 1, level.separator, level.separatorSize)
  }

  /// Ends the tree: everything below its root is written. The root is what is returned, complete.
  private func complete() throws -> PageNode {
    var index = 0
    var lastChild: UInt32 = 0
    while true {
      let level = levels[index]
      if index > 0 { level.current.rightChild = lastChild }
      if level.hasPending {
        if level.current.count == 0 { try index == 0 ? refillLeaf() : refillInterior(index) }
        try emitPending(index)
      }
      guard height > index + 1 else { return level.current }
      lastChild = try output.allocate()
      try write(level.current, as: lastChild)
      index += 1
    }
  }

  /// The last leaf of an index is empty, because the last record moved up: that comes back, and the
  /// one before it moves up instead.
  private func refillLeaf() throws {
    let level = levels[0]
    guard level.current.append(level.separator, level.separatorSize) else { return }
    let last = try lastCell(of: level.pending)
    level.keepSeparator(last.start, last.size)
    level.pending.removeLast()
  }

  /// The last interior page has one subtree and no cell: it takes one from its left neighbour.
  private func refillInterior(_ index: Int) throws {
    let level = levels[index]
    let child = level.pending.rightChild
    guard level.current.append(child: child, level.separator, level.separatorSize) else { return }
    let last = try lastCell(of: level.pending)
    level.keepSeparator(last.start + 4, last.size - 4)
    level.pending.rightChild = last.leftChild
    level.pending.removeLast()
  }

  private func lastCell(of node: PageNode) throws -> Cell {
    do throws(StructureFlaw) {
      guard node.count > 1 else { throw .cellCount }
      return try node.view(number: 0).cell(node.count - 1)
    } catch { throw SealError.structure(path, 1, error) }
  }

  /// Ends the tree and writes its root as page `reserved`, or as the next one. The root's number.
  func finish(reserved: UInt32?) throws -> UInt32 {
    let root = try complete()
    let number = try reserved ?? output.allocate()
    try write(root, as: number)
    return number
  }

  /// Ends `sqlite_master` and puts its root behind the database header in `page`, a zeroed page.
  func finishFirstPage(_ page: UnsafeMutableRawPointer) throws {
    var root = try complete()
    if !root.fitsFirstPage { root = try split(root) }
    root.seal()
    try noteParents(in: root, number: 1)
    root.writeFirstPage(to: page)
  }

  /// Page 1 has 100 bytes less than others: a root that is too large for it becomes two pages below
  /// a new root. A single large cell becomes one page below a root without cells, as SQLite itself
  /// does it: https://sqlite.org/src, btree.c, balance_nonroot.
  private func split(_ old: PageNode) throws -> PageNode {
    let root = PageNode(geometry: output.geometry)
    let left = PageNode(geometry: output.geometry)
    let right = PageNode(geometry: output.geometry)
    root.reset(.interiorTable)
    left.reset(old.kind)
    right.reset(old.kind)
    let middle = old.count / 2
    do throws(StructureFlaw) {
      let view = try old.view(number: 1)
      for i in 0..<old.count {
        let cell = try view.cell(i)
        if view.isLeaf || i != middle {
          guard (i < middle ? left : right).append(cell.start, cell.size) else {
            throw .cellCount
          }
        }
        if i == (view.isLeaf ? middle - 1 : middle) {
          left.rightChild = cell.leftChild
          Varint.write(UInt64(bitPattern: cell.rowid), to: key)
        }
      }
    } catch { throw SealError.structure(path, 1, error) }
    right.rightChild = old.rightChild
    if middle > 0 {
      let number = try output.allocate()
      try write(left, as: number)
      _ = root.append(child: number, key, Varint.read(key).length)
    }
    root.rightChild = try output.allocate()
    try write(right, as: root.rightChild)
    return root
  }

  private func write(_ node: PageNode, as number: UInt32) throws {
    node.seal()
    try noteParents(in: node, number: number)
    try output.write(number, node.bytes)
  }

  /// Tells the pointer map which pages belong to page `number`.
  private func noteParents(in node: PageNode, number: UInt32) throws {
    guard let map = output.map else { return }
    let view: BTreePage
    do throws(StructureFlaw) { view = try node.view(number: number) } catch {
      throw SealError.structure(path, 1, error)
    }
    for i in 0..<view.count {
      let cell: Cell
      do throws(StructureFlaw) { cell = try view.cell(i) } catch {
        throw SealError.structure(path, 1, error)
      }
      if !view.isLeaf { try map.note(cell.leftChild, .tree, parent: number) }
      if cell.overflow != 0 { try map.note(cell.overflow, .firstOverflow, parent: number) }
    }
    if !view.isLeaf { try map.note(view.rightChild, .tree, parent: number) }
  }
}
