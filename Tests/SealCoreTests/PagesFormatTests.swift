// Plan: the small readers, against values that the file format document gives or that stock SQLite
// wrote: varints, header fields, layout numbers, pointer-map pages, the free list, the schema
// record, and what the cursor asks for ahead.
import Foundation
import Testing

@testable import SealCore

@Suite struct PagesFormatTests {
  /// Encodings by sqlite3's own putVarint rule: 7 bits a byte, 9 bytes from 2^56 on.
  @Test(
    arguments: [
      (0, [0x00]), (0x7f, [0x7f]), (0x80, [0x81, 0x00]), (0x3fff, [0xff, 0x7f]),
      (0x4000, [0x81, 0x80, 0x00]), (1 << 55, [0xc0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]),
      (1 << 56, [0x80, 0xc0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]),
      (UInt64.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ] as [(UInt64, [UInt8])])
  func readsAndWritesVarints(_ value: UInt64, _ bytes: [UInt8]) {
    #expect(Varint.bytes(value) == bytes)
    #expect(Varint.length(value) == bytes.count)
    (bytes + [UInt8](repeating: 0xff, count: 9)).withUnsafeBytes {
      #expect(Varint.read($0.baseAddress!) == (value, bytes.count))
    }
    bytes.withUnsafeBytes {
      let read = Varint.read($0, at: 0)
      #expect(read?.value == value && read?.length == bytes.count)
      #expect(Varint.read(UnsafeRawBufferPointer(rebasing: $0.dropLast()), at: 0) == nil)
      #expect(Varint.read($0, at: $0.count) == nil)
      #expect(Varint.read($0, at: -1) == nil)
    }
  }

  /// The formulas of fileformat2.html, "Cell Payload Overflow Pages", worked by hand for U = 1024:
  /// X = U - 35; index X = (U - 12) * 64 / 255 - 23; M = (U - 12) * 32 / 255 - 23; a longer P keeps
  /// K = M + (P - M) % (U - 4) where that is at most X, else M.
  @Test func splitsPayloadsAsTheFormatSays() throws {
    let geometry = try #require(PageGeometry(pageSize: 1024, reserve: 0))
    #expect(geometry.tableMax == 989)
    #expect(geometry.indexMax == 230)
    #expect(geometry.localMin == 103)
    #expect(geometry.local(989, most: 989) == 989)
    #expect(geometry.local(990, most: 989) == 103)
    #expect(geometry.local(1200, most: 989) == 180)
    #expect(geometry.local(231, most: 230) == 103)
    #expect(geometry.local(1200, most: 230) == 180)
    #expect(geometry.lockPage == 1_048_577)
    #expect(PageGeometry(pageSize: 4096, reserve: 0)?.lockPage == 262_145)
    #expect(PageGeometry(pageSize: 512, reserve: 33) == nil)
    #expect(PageGeometry(pageSize: 1000, reserve: 0) == nil)
    #expect(PageGeometry(pageSize: 1 << 17, reserve: 0) == nil)
  }

  /// "The first ptrmap page is page 2 …, J = U/5 pages later the next": fileformat2.html.
  @Test func findsPointerMapPages() throws {
    let geometry = try #require(PageGeometry(pageSize: 1024, reserve: 0))
    #expect([2, 207, 412].allSatisfy { geometry.isPointerMap($0) })
    #expect([1, 3, 206, 208, 411, 413].allSatisfy { !geometry.isPointerMap($0) })
    #expect(geometry.pointerMapPage(for: 206) == 2)
    #expect(geometry.pointerMapPage(for: 208) == 207)
    let moved = try #require(PageGeometry(pageSize: 1024, reserve: 0, lockByte: 206 * 1024))
    #expect(moved.lockPage == 207 && moved.isPointerMap(208) && !moved.isPointerMap(207))
  }

  @Test func readsTheHeaderThatSQLiteWrote() throws {
    let workshop = try Workshop([("plain", 2)])
    let pages = try MemoryPages(file: try #require(try workshop.sources.first))
    let header = try DatabaseHeader.read(from: pages, path: "plain.db").header
    #expect(header.pageSize == 512 && header.reserve == 0)
    #expect(header.userVersion == -5 && header.applicationID == 252_006_673)
    #expect(header.encoding == 1 && !header.isWAL && !header.hasAutoVacuum)
    #expect(header.defaultCacheSize == 77 && header.schemaFormat == 4)
    #expect(header.pageCount == pages.pageCount)
    let output = try relay(pages, pageSize: 2048, reserve: 80)
    let written = try DatabaseHeader.read(from: output, path: "out.db").header
    #expect(written.keepsMeaning(of: header))
    #expect(written.pageSize == 2048 && written.reserve == 80)
    #expect(written.pageCount == output.pageCount && written.freePages == 0)
  }

  @Test func listsTheFreePagesThatSQLiteFreed() throws {
    let workshop = try Workshop([("freed", 1)])
    let pages = try MemoryPages(file: try #require(try workshop.sources.first))
    let header = try DatabaseHeader.read(from: pages, path: "freed.db").header
    let list = try FreeList(reading: pages, header: header, path: "freed.db")
    // The judge stores what `PRAGMA freelist_count` said.
    #expect(header.userVersion > 300)
    #expect(list.trunks.count + list.leaves.cardinality == Int(header.userVersion))
    #expect(list.trunks.count > 1)
    let trunk = Int(list.trunks[1] - 1) * 512
    pages.bytes[trunk + 8..<trunk + 12] = [0, 0, 0, UInt8(list.trunks[0] & 0xff)]
    pages.bytes[trunk + 10] = UInt8(list.trunks[0] >> 8)
    #expect(throws: SealError.structure("freed.db", list.trunks[1], .freelist)) {
      try FreeList(reading: pages, header: header, path: "freed.db")
    }
  }

  /// Types by fileformat2.html, "Record Format": 0 NULL, 1-6 integers, 8 and 9 constants, 13 + 2n
  /// text.
  @Test func rewritesTheRootAndNothingElse() throws {
    // index, a name and a table of one letter, the root page, SQL of two letters.
    let before: [UInt8] = [6, 23, 15, 15]
    let texts: [UInt8] = Array("indexAB".utf8)
    func row(_ root: [UInt8], _ value: [UInt8]) -> [UInt8] {
      before + root + [17] + texts + value + Array("xy".utf8)
    }
    #expect(rewritten(row([1], [5]), 300) == row([2], [1, 44]))
    #expect(rewritten(row([1], [5]), 0x8000_0000) == row([5], [0, 0, 0x80, 0, 0, 0]))
    // SQLite reads a text or a blob of digits as their number.
    #expect(rewritten(row([15], Array("7".utf8)), 8) == row([1], [8]))
  }

  private func rewritten(_ row: [UInt8], _ root: UInt32) -> [UInt8]? {
    row.withUnsafeBytes { bytes in
      guard let record = SchemaRecord(bytes, total: bytes.count) else { return nil }
      let (head, tail) = record.pieces(of: bytes, withRoot: root)
      return head + tail
    }
  }

  private func record(_ row: [UInt8]) -> SchemaRecord? {
    row.withUnsafeBytes { SchemaRecord($0, total: $0.count) }
  }

  /// What SQLite 3.40 makes of each was tried with `PRAGMA writable_schema`.
  @Test(
    arguments: [
      ([9], [], 1), ([6], [0, 0, 0, 0, 0, 0, 0, 7], 7), ([16], Array("12".utf8), 12),
      ([17], Array("12".utf8), 12), ([16], [0x31, 0], 1), ([0], [], nil), ([8], [], nil),
      ([1], [0], nil), ([1], [0xff], nil), ([7], [0, 0, 0, 0, 0, 0, 0, 7], nil), ([13], [], nil),
      ([17], Array("1x".utf8), nil), ([17], Array("-1".utf8), nil),
      ([33], Array("99999999999".utf8), nil),
      ([10], [], nil), ([11], [], nil),
    ] as [([UInt8], [UInt8], UInt32?)])
  func readsARootAsSQLiteDoes(_ serial: [UInt8], _ value: [UInt8], _ root: UInt32?) {
    let sql = Array("CREATE TABLE t(a)".utf8)
    let row =
      [6, 23, 15, 15] + serial + [UInt8(13 + 2 * sql.count)] + Array("tablett".utf8) + value + sql
    #expect(record(row)?.root == root)
  }

  /// A row whose kind and SQL agree that it has no tree keeps none, whatever number it carries.
  @Test(
    arguments: [
      ("trigger", "CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1; END", 5, 0),
      ("view", "create view a AS SELECT 1", 5, 0),
      ("table", "CREATE /*x*/ VIRTUAL TABLE a USING b", 5, 0),
      ("table", "CREATE VIRTUAL TABLE a USING b", 0, 0), ("table", "CREATE TABLE a(b)", 5, 5),
      ("table", "CREATE TABLE a(b)", 0, nil), ("index", "CREATE INDEX a ON b(c)", 0, nil),
      ("index", "", 5, 5), ("table", "", 5, nil), ("trigger", "CREATE TABLE a(b)", 5, 5),
      ("tomorrow", "CREATE TOMORROW a", 5, 5), ("tomorrow", "CREATE TOMORROW a", 0, 0),
    ] as [(String, String, UInt8, UInt32?)])
  func tellsWhichRowsHaveATree(_ kind: String, _ sql: String, _ number: UInt8, _ root: UInt32?) {
    let row =
      [6, UInt8(13 + 2 * kind.utf8.count), 15, 15, 1] + [
        UInt8(truncatingIfNeeded: 13 + 2 * sql.utf8.count)
      ]
      + Array((kind + "ab").utf8) + [number] + Array(sql.utf8)
    #expect(sql.utf8.count < 57)
    #expect(record(row)?.root == root)
    if root == 0, number != 0 { #expect(rewritten(row, 0)?.count == row.count) }
  }

  @Test(
    arguments: [
      [6, 0, 0, 0, 1, 0, 7], [6, 15, 15, 15, 1, 15], [4, 0, 0, 0], [0], [0xff], [],
      [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0],
    ] as [[UInt8]])
  func refusesWhatIsNoRow(_ row: [UInt8]) { #expect(record(row) == nil) }

  /// One damaged byte in the header of the record moves every value behind it.
  @Test(arguments: [127, 10, 11, 1, 0, 45, 49] as [UInt8])
  func refusesADamagedTypeOfTheSQL(_ serial: UInt8) {
    let sql = Array("CREATE TABLE t(a)".utf8)
    let row = [6, 23, 15, 15, 1, serial] + Array("tablett".utf8) + [5] + sql
    #expect(record(row) == nil)
  }

  /// SQLite never writes more than five columns there; what stands behind them survives.
  @Test func keepsColumnsBehindTheLast() throws {
    let extra = [UInt8](repeating: 8, count: 130)
    let row: [UInt8] =
      [0x81, 8, 23, 15, 15, 1, 17] + extra.dropFirst() + Array("indexAB".utf8) + [9]
      + Array("xy".utf8)
    #expect(record(row)?.root == 9)
    var wanted = row
    wanted[wanted.count - 3] = 8
    #expect(rewritten(row, 8) == wanted)
  }

  @Test func asksAheadForTheLeavesInOrder() throws {
    let workshop = try Workshop([("plain", 3)])
    let pages = try MemoryPages(file: try #require(try workshop.sources.first))
    _ = try ContentWalk.summary(of: pages, path: "plain.db", key: digestKey)
    let hinted = pages.hints.flatMap { $0 }
    #expect(hinted.allSatisfy { $0 >= 2 && $0 <= pages.pageCount })
    #expect(Set(hinted).isSuperset(of: Set(pages.reads).subtracting([1, 2])) == true)
  }

  @Test func digestsTellContentsApart() throws {
    let workshop = try Workshop([("plain", 4)])
    let pages = try MemoryPages(file: try #require(try workshop.sources.first))
    let right = try ContentWalk.summary(of: pages, path: "plain.db", key: digestKey)
    let content = [UInt8]("row 40 ".utf8)
    let place = try #require(
      pages.bytes.indices.first { pages.bytes[$0...].starts(with: content) })
    pages.bytes[place] ^= 1
    let wrong = try ContentWalk.summary(of: pages, path: "plain.db", key: digestKey)
    #expect(wrong.records == right.records && wrong.payloadBytes == right.payloadBytes)
    #expect(wrong.digest != right.digest)
  }
}
