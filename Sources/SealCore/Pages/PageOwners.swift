// Whose a page is: a table's or an index's, the free list's, the pointer map's. Asked of a damaged
// database, so nothing here fails: a page that cannot be read still has a place in its parent, and
// only what lies behind it stays unknown.

/// What a page belongs to.
public struct PageOwner: Sendable, Equatable {
  public enum Role: String, Sendable {
    /// A page of a B-tree.
    case tree
    /// A part of a value that is too long for its page.
    case overflow
    case freeList = "free_list"
    case pointerMap = "pointer_map"
  }

  public var role: Role
  /// `table` or `index`; nil where no tree owns it.
  public var type: String?
  public var name: String?
}

/// Finds the owners of some pages of one database.
final class PageOwners {
  private let source: any PageReading
  private let header: DatabaseHeader
  private let visited: PageBitmap
  private var wanted: Set<UInt32>
  private(set) var owners: [UInt32: PageOwner] = [:]
  private let buffer: UnsafeMutableRawPointer

  private init(_ source: any PageReading, _ header: DatabaseHeader, _ wanted: some Sequence<UInt32>)
  {
    self.source = source
    self.header = header
    self.wanted = Set(wanted)
    visited = PageBitmap(count: source.pageCount)
    let size = source.pageSize + BTreePage.slack
    buffer = .allocate(byteCount: size, alignment: 16)
    buffer.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { buffer.deallocate() }

  /// The owners of `pages`, as far as they can be found. Throws only what is no damage.
  static func find(
    _ pages: some Sequence<UInt32>, in source: any PageReading, header: DatabaseHeader
  ) throws -> [UInt32: PageOwner] {
    guard source.pageSize == header.pageSize else { return [:] }
    let search = PageOwners(source, header, pages)
    search.fixedPages()
    try search.freeList()
    var trees: [SchemaEntry] = []
    try search.walk(.schema) { entry in
      if entry.root > 1, ["table", "index"].contains(entry.type) { trees.append(entry) }
    }
    for tree in trees where !search.wanted.isEmpty { try search.walk(tree, nil) }
    return search.owners
  }

  private func note(_ number: UInt32, _ owner: PageOwner) {
    if wanted.remove(number) != nil { owners[number] = owner }
  }

  private func fixedPages() {
    guard header.hasAutoVacuum else { return }
    for number in wanted where header.geometry.isPointerMap(number) {
      note(number, PageOwner(role: .pointerMap))
      _ = visited.insert(number)
    }
  }

  /// Reads a page into the buffer; false where it is damaged.
  private func read(_ number: UInt32) throws -> Bool {
    do {
      try source.read(number, into: buffer)
      return true
    } catch SealError.damaged { return false }
  }

  /// Whether `number` is a page to be read. One behind the end of a file that was cut has an owner
  /// all the same, which is noted.
  private func isPage(_ number: UInt32, of owner: PageOwner) -> Bool {
    if number > source.pageCount { note(number, owner) }
    return number >= 1 && number <= source.pageCount && number != header.geometry.lockPage
  }

  private func freeList() throws {
    var trunk = header.firstFreeTrunk
    let owner = PageOwner(role: .freeList)
    while isPage(trunk, of: owner), visited.insert(trunk) {
      note(trunk, owner)
      guard try read(trunk) else { return }
      let page = UnsafeRawPointer(buffer)
      let count = page.big32(4)
      guard count <= UInt32(header.geometry.usable / 4 - 2) else { return }
      for i in 0..<Int(count) {
        let leaf = page.big32(8 + 4 * i)
        if isPage(leaf, of: owner), visited.insert(leaf) { note(leaf, owner) }
      }
      trunk = page.big32(0)
    }
  }

  /// Walks one tree, in no order. `entry` gets the rows of leaves where it is `sqlite_master`.
  private func walk(_ tree: SchemaEntry, _ entry: ((SchemaEntry) -> Void)?) throws {
    let owner = PageOwner(role: .tree, type: tree.type, name: tree.name)
    var stack = [tree.root]
    while let number = stack.popLast() {
      guard isPage(number, of: owner), visited.insert(number) else { continue }
      note(number, owner)
      guard try read(number) else { continue }
      let start = number == 1 ? DatabaseHeader.length : 0
      guard
        let page = try? BTreePage(
          buffer, number: number, geometry: header.geometry, header: start)
      else { continue }
      var chains: [(first: UInt32, bytes: Int)] = []
      for i in 0..<page.count {
        if !page.isLeaf, let child = try? page.child(i) { stack.append(child) }
        guard let cell = try? page.cell(i) else { continue }
        if cell.overflow != 0 { chains.append((cell.overflow, cell.length - cell.local)) }
        guard let entry, page.kind == .leafTable else { continue }
        let payload = UnsafeRawBufferPointer(start: cell.payload, count: cell.local)
        if let row = SchemaEntry(payload, encoding: header.encoding) { entry(row) }
      }
      if !page.isLeaf { stack.append(page.rightChild) }
      // Only now: the buffer is the page's until here.
      for chain in chains { try follow(chain.first, chain.bytes, owner) }
    }
  }

  private func follow(_ first: UInt32, _ bytes: Int, _ owner: PageOwner) throws {
    var owner = owner
    owner.role = .overflow
    var next = first
    var left = bytes
    while left > 0, isPage(next, of: owner), visited.insert(next) {
      note(next, owner)
      guard try read(next) else { return }
      next = UnsafeRawPointer(buffer).big32(0)
      left -= header.geometry.usable - 4
    }
  }
}
