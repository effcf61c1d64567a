// B-trees: relayout, the walks, page map and owners, over one database. Input: page size and reserve
// of the output, options, then a database, whose header is made to fit so that mutations go on below
// it. What relayout writes is read again by the other parts, and nobody may read a page more often
// than a few times, whatever the pages claim.
@testable import SealCore

/// A database in memory that counts what is asked of it.
private final class FuzzPages: PageReading, PageWriting {
  let pageSize: Int
  private(set) var bytes: [UInt8]
  var reads = 0
  private var written: Set<UInt32> = []

  init(pageSize: Int, bytes: [UInt8] = []) {
    self.pageSize = pageSize
    self.bytes = bytes
  }

  var pageCount: UInt32 { UInt32(bytes.count / pageSize) }

  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    try demand(number >= 1 && number <= pageCount, "page \(number) was read, which is not there")
    reads += 1
    let start = (Int(number) - 1) * pageSize
    bytes.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: buffer, count: pageSize)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + pageSize)]))
    }
  }

  func prefetch(_ numbers: [UInt32], now: Bool) {}

  func write(_ number: UInt32, _ page: UnsafeRawPointer) throws {
    try demand(written.insert(number).inserted, "page \(number) was written twice")
    try demand(number >= 1 && number < 1 << 16, "page \(number) was written")
    let end = Int(number) * pageSize
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(
      (end - pageSize)..<end, with: UnsafeRawBufferPointer(start: page, count: pageSize))
  }
}

enum PagesTarget {
  private static let key = Secret(count: StreamDigest.keyLength) { bytes in
    for i in bytes.indices { bytes[i] = UInt8(truncatingIfNeeded: i &* 167 &+ i >> 8 &* 13) }
  }
  private static let path = "f"

  static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    var size = 512 << Int(input.byte() % 6)
    let reserve = Int(input.byte()) % (size == 512 ? 33 : 256)
    let options = input.byte()
    let source = database(input.all())
    // A lock-byte page that small databases have too: the third of 2048 bytes, the ninth of 512.
    let lockByte = options & 1 == 0 ? PageGeometry.lockByte : 4096
    if options & 1 != 0 { size = min(size, 2048) }
    let header: DatabaseHeader
    do {
      (header, _) = try DatabaseHeader.read(from: source, path: path, lockByte: lockByte)
    } catch is SealError { return }
    try describe(source, header)
    guard let content = try relayed(source, lockByte: lockByte, size: size, reserve: reserve) else {
      return
    }
    try demand(content.records < 1 << 20, "more records than bytes")
  }

  /// Pages of the input, at least one and at most 64, with a header that has no flaw.
  private static func database(_ input: [UInt8]) -> FuzzPages {
    var bytes = input
    bytes += [UInt8](repeating: 0, count: max(0, 512 - bytes.count))
    bytes.replaceSubrange(0..<16, with: DatabaseHeader.magic)
    var pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    if ![512, 1024, 2048].contains(pageSize) || bytes.count < pageSize { pageSize = 512 }
    bytes[16] = UInt8(pageSize >> 8)
    bytes[17] = 0
    if bytes[19] > 2 { bytes[19] = 1 }
    if pageSize - Int(bytes[20]) < 480 { bytes[20] = 0 }
    bytes.replaceSubrange(21..<24, with: [64, 32, 32])
    bytes.removeLast(bytes.count % pageSize)
    return FuzzPages(pageSize: pageSize, bytes: Array(bytes.prefix(64 * pageSize)))
  }

  /// Runs what may not fail.
  private static func must<R>(_ what: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as SealError { throw Broken(description: "cannot \(what): \(error)") }
  }

  /// Runs `body`, and throws where it reads pages over and over.
  private static func bounded<R>(_ source: FuzzPages, _ body: () throws -> R) throws -> R {
    source.reads = 0
    defer { source.reads = 0 }
    let result = Result { try body() }
    let limit = 8 * Int(source.pageCount) + 32
    try demand(source.reads <= limit, "\(source.reads) reads of \(source.pageCount) pages")
    return try result.get()
  }

  /// What is said of a database whatever is wrong with it.
  private static func describe(_ source: FuzzPages, _ header: DatabaseHeader) throws {
    let everything = 1...(source.pageCount + 1)
    let owners = try bounded(source) {
      try PageOwners.find(everything, in: source, header: header)
    }
    let map = PageMap(of: source, geometry: header.geometry)
    var roots: [UInt32] = []
    try bounded(source) {
      _ = try map.walk(1) { row in
        guard let entry = SchemaEntry(row, encoding: header.encoding) else { return false }
        if entry.root > 1 { roots.append(entry.root) }
        return true
      }
      for root in roots where try map.walk(root).pages == 0 {
        try demand(map.damageCount > 0, "a tree without pages that is not damaged")
      }
      try map.walkFreeList(from: header.firstFreeTrunk, count: header.freePages)
    }
    if header.hasAutoVacuum { map.markPointerMaps() }
    try demand(map.damage.count == min(map.damageCount, PageMap.damageLimit), "damage is not kept")
    if map.damageCount == 0 {
      for number in 1...source.pageCount where number != header.geometry.lockPage {
        guard let owner = owners[number], owner.role == .tree else { continue }
        try demand(map.uses[number] != .unused, "page \(number) has an owner and no use")
      }
    }
  }

  /// Lays the database out anew and reads what came of it; nil where it is damaged.
  private static func relayed(
    _ source: FuzzPages, lockByte: Int, size: Int, reserve: Int
  ) throws -> ContentSummary? {
    let output = FuzzPages(pageSize: size)
    let result: Relayout.Result
    do {
      result = try bounded(source) {
        try Relayout.run(
          from: source, path: path, to: output, pageSize: size, reserve: reserve, key: key,
          lockByte: lockByte)
      }
    } catch SealError.damaged {
      do {
        _ = try bounded(source) {
          try ContentWalk.summary(of: source, path: path, key: key, lockByte: lockByte)
        }
      } catch SealError.damaged { return nil }
      throw Broken(description: "damaged for one walk and sound for the other")
    }
    let read = try bounded(source) {
      try ContentWalk.summary(of: source, path: path, key: key, lockByte: lockByte)
    }
    try demand(read == result.content, "the content was another")
    try demand(result.pageCount == output.pageCount, "another number of pages was written")
    let again = try must("read the output") {
      try ContentWalk.summary(of: output, path: path, key: key, lockByte: lockByte)
    }
    try demand(again == result.content, "the output holds another content")
    let limit = 4 * source.bytes.count + 4 * size * (result.content.trees + 2)
    try demand(output.bytes.count <= limit, "\(output.bytes.count) bytes of output")
    try describe(output, result.header)
    try sound(output, result.header)
    let back = FuzzPages(pageSize: source.pageSize)
    let second = try must("lay the output out") {
      try Relayout.run(
        from: output, path: path, to: back, pageSize: source.pageSize,
        reserve: Int(source.bytes[20]), key: key, lockByte: lockByte)
    }
    try demand(second.content == result.content, "the way back lost something")
    return result.content
  }

  /// What relayout wrote has no damage, no unused page and no free one.
  private static func sound(_ output: FuzzPages, _ header: DatabaseHeader) throws {
    let map = PageMap(of: output, geometry: header.geometry)
    let roots = try SchemaReader.roots(source: output, path: path, geometry: header.geometry)
    for root in [1] + roots { _ = try map.walk(root) }
    try map.walkFreeList(from: header.firstFreeTrunk, count: header.freePages)
    if header.hasAutoVacuum { map.markPointerMaps() }
    try demand(map.damageCount == 0, "the output is damaged: \(map.damage)")
    for number in 1...output.pageCount {
      try demand(map.uses[number] != .unused, "page \(number) of the output is unused")
    }
    try demand(header.pageCount == nil || header.pageCount == output.pageCount, "a stale count")
  }
}
