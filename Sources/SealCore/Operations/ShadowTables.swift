// The tables in which a virtual table of SQLite's own modules keeps its content. Where one of them is
// gone, the virtual table cannot be used any more; whether SQLite says so, and in which words, depends
// on the module and the engine. So they are looked for in the schema, without asking one.

/// What the schema says of the virtual tables of full-text search and R-trees.
struct ShadowTables {
  /// A finding for each table that a virtual table needs and the schema does not have.
  private(set) var findings: [String] = []
  /// Full-text tables whose texts SQLite cannot read by itself, and need not: they are not kept, or
  /// in another table, or compressed by functions of the application.
  private var opaque: [String] = []

  /// A part is what follows the virtual table's name and `_`.
  private struct Part {
    let name: String
    /// The options with which the module does without it.
    var unless: [String] = []
  }

  /// What each module needs (sqlite.org/fts3.html, fts5.html, rtree.html).
  private static func parts(of module: String) -> [Part] {
    switch module {
    case "fts3": ["content", "segments", "segdir"].map { Part(name: $0) }
    case "fts4":
      [
        Part(name: "content", unless: ["content"]), Part(name: "segments"), Part(name: "segdir"),
        Part(name: "docsize", unless: ["matchinfo"]), Part(name: "stat", unless: ["matchinfo"]),
      ]
    case "fts5":
      [
        Part(name: "data"), Part(name: "idx"), Part(name: "config"),
        Part(name: "content", unless: ["content"]), Part(name: "docsize", unless: ["columnsize"]),
      ]
    case "rtree", "rtree_i32", "geopoly": ["node", "rowid", "parent"].map { Part(name: $0) }
    default: []
    }
  }

  /// Reads the schema of `source`. Throws what reading it throws; damage only ends it.
  init(reading source: any PageReading, header: DatabaseHeader, path: String) throws {
    let rows = Rows(encoding: header.encoding)
    do {
      let cursor = TreeCursor(source: source, path: path, geometry: header.geometry)
      try SchemaReader.forEachRow(cursor, rows)
    } catch SealError.damaged {
      return
    }
    for row in rows.virtual {
      guard let table = row.sql.flatMap(VirtualTable.init) else { continue }
      let missing = Self.parts(of: table.module.lowercased()).filter { part in
        !part.unless.contains(where: table.options.contains)
          && !rows.tables.contains(Self.folded("\(row.name)_\(part.name)"))
      }
      findings += missing.map {
        "virtual table \(row.name) lacks its table \(row.name)_\($0.name)"
      }
      if !table.options.isDisjoint(with: ["content", "compress", "uncompress"]) {
        opaque.append(row.name)
      }
    }
  }

  /// Whether a finding of SQLite's is that it could not look into a full-text index, of a table where
  /// that is no damage: it says so of every FTS4 table without content.
  func excuses(_ message: String) -> Bool {
    guard message.hasPrefix("unable to validate the inverted index for FTS"),
      !message.hasSuffix(" malformed")
    else { return false }
    return opaque.contains { message.contains(" table main.\($0): ") }
  }

  /// As SQLite compares names: ASCII letters without their case.
  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Gathers the names of all tables, and the rows of virtual ones.
  private final class Rows: SchemaConsumer {
    private(set) var tables: Set<[UInt8]> = []
    private(set) var virtual: [SchemaEntry] = []
    private let encoding: UInt32
    private var bytes: [UInt8] = []
    private var isVirtual = false
    /// Of longer rows no more is kept: the SQL of a virtual table is short.
    private static let limit = 1 << 20

    init(encoding: UInt32) { self.encoding = encoding }

    func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) {
      bytes = Array(start.prefix(Self.limit))
      isVirtual = record.root == 0
    }

    func more(_ start: UnsafeRawPointer, _ count: Int) {
      let room = isVirtual ? Self.limit - bytes.count : 0
      bytes += UnsafeRawBufferPointer(start: start, count: min(count, room))
    }

    func end() {
      guard let row = bytes.withUnsafeBytes({ SchemaEntry($0, encoding: encoding) }),
        row.type == "table"
      else { return }
      tables.insert(ShadowTables.folded(row.name))
      if row.root == 0 { virtual.append(row) }
    }
  }
}
