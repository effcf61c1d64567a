// The first 100 bytes of a database (sqlite.org/fileformat2.html, "The Database Header"), read from
// decoded bytes. What decides the layout is checked; everything else is taken as a fact.

/// The database header.
struct DatabaseHeader: Sendable, Equatable {
  /// Its length in bytes.
  static let length = 100

  /// Page size and reserve: the layout that the B-trees follow.
  let geometry: PageGeometry
  /// 1 (or 0) rollback journal, 2 write-ahead log; above that only SQLite of another day writes.
  var writeVersion: UInt8
  var readVersion: UInt8
  var changeCounter: UInt32
  /// Size of the database in pages, as stored; see `pageCount`.
  var storedPageCount: UInt32
  var firstFreeTrunk: UInt32
  var freePages: UInt32
  var schemaCookie: UInt32
  var schemaFormat: UInt32
  var defaultCacheSize: UInt32
  /// Not 0 in a database with auto_vacuum.
  var largestRoot: UInt32
  /// 1 UTF-8, 2 UTF-16le, 3 UTF-16be; 0 while there is no table yet.
  var encoding: UInt32
  var userVersion: Int32
  var incrementalVacuum: UInt32
  var applicationID: Int32
  var versionValidFor: UInt32
  /// SQLITE_VERSION_NUMBER of the last writer.
  var writerVersion: UInt32

  /// Understands the first 100 of `bytes`. Throws `SealError.damaged(.header)`, with `path` in it,
  /// and `.unsupported(.fileFormat)` for a database that no SQLite reads yet. `lockByte` differs in
  /// tests only.
  init(
    _ bytes: UnsafeRawBufferPointer, path: String, lockByte: Int = PageGeometry.lockByte
  ) throws {
    let flaw = Self.flaw(in: bytes)
    guard flaw == nil, let base = bytes.baseAddress,
      let geometry = PageGeometry(
        pageSize: Self.pageSize(base.big16(16)), reserve: Int(base.byte(20)), lockByte: lockByte)
    else {
      throw SealError.damaged(Damage(path: path, flaw: .header(field: flaw ?? "page size")))
    }
    self.geometry = geometry
    // As lockBtree in btree.c: any write version can be read (above 2 SQLite does not write), and
    // read versions up to 2.
    writeVersion = base.byte(18)
    readVersion = base.byte(19)
    guard readVersion <= 2 else { throw SealError.unsupported(.fileFormat(readVersion)) }
    changeCounter = base.big32(24)
    storedPageCount = base.big32(28)
    firstFreeTrunk = base.big32(32)
    freePages = base.big32(36)
    schemaCookie = base.big32(40)
    schemaFormat = base.big32(44)
    defaultCacheSize = base.big32(48)
    largestRoot = base.big32(52)
    encoding = base.big32(56)
    userVersion = Int32(bitPattern: base.big32(60))
    incrementalVacuum = base.big32(64)
    applicationID = Int32(bitPattern: base.big32(68))
    versionValidFor = base.big32(92)
    writerVersion = base.big32(96)
  }

  /// The first field that no SQLite database could have, by SQLite's name for it; nil for a header
  /// that can be worked with. Judges only what the layout rests on.
  static func flaw(in bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count >= length else { return headerString }
    guard bytes.starts(with: magic) else { return headerString }
    return flawBehindMagic(in: bytes)
  }

  /// The same, of the fields behind the first 16 bytes.
  static func flawBehindMagic(in bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count >= length, let base = bytes.baseAddress else { return headerString }
    let size = pageSize(base.big16(16))
    guard PageGeometry.isPageSize(size) else { return "page size" }
    guard size - Int(base.byte(20)) >= 480 else { return "reserved space" }
    guard base.byte(21) == 64 else { return "maximum embedded payload fraction" }
    guard base.byte(22) == 32 else { return "minimum embedded payload fraction" }
    guard base.byte(23) == 32 else { return "leaf payload fraction" }
    return nil
  }

  /// SQLite's name for the first 16 bytes.
  static let headerString = "header string"

  /// "SQLite format 3" and a zero byte.
  static let magic: [UInt8] = Array("SQLite format 3".utf8) + [0]

  private static func pageSize(_ stored: Int) -> Int { stored == 1 ? 65536 : stored }

  /// Bytes of a page.
  var pageSize: Int { geometry.pageSize }
  /// Bytes at the end of each page that the B-trees leave alone.
  var reserve: Int { geometry.reserve }

  /// The size in pages, where the header knows it: old writers left it stale.
  var pageCount: UInt32? {
    changeCounter == versionValidFor && storedPageCount != 0 ? storedPageCount : nil
  }

  /// The database is in WAL mode.
  var isWAL: Bool { readVersion == 2 }
  /// The database has auto_vacuum, full or incremental, and with it pointer-map pages.
  var hasAutoVacuum: Bool { largestRoot != 0 }

  /// Whether `other` means the same to SQLite and to applications: everything except the layout
  /// (page size, reserve, page counts, free list, root numbers) and who wrote it last.
  func keepsMeaning(of other: DatabaseHeader) -> Bool {
    writeVersion == other.writeVersion && readVersion == other.readVersion
      && schemaCookie == other.schemaCookie && schemaFormat == other.schemaFormat
      && defaultCacheSize == other.defaultCacheSize && hasAutoVacuum == other.hasAutoVacuum
      && encoding == other.encoding && userVersion == other.userVersion
      && incrementalVacuum == other.incrementalVacuum && applicationID == other.applicationID
  }
}
