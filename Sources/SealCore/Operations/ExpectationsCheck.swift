// The fourth verdict: what the caller said the database holds. All differences are found, not only
// the first. Rows are counted from the pages, so no index, collation or function can be in the way.

/// What a database is expected to hold.
public struct Expectations: Sendable, Equatable {
  public var userVersion: Int32?
  public var applicationID: Int32?
  public var tables: [Table] = []
  /// The content digest, 32 bytes.
  public var digest: [UInt8]?
  /// Whether it has to be encrypted; nil where it may be either.
  public var encrypted: Bool?

  public init() {}

  /// A table that has to be there, and how many rows it has to have.
  public struct Table: Sendable, Equatable {
    public var name: String
    public var rows: UInt64?
    public init(name: String, rows: UInt64?) {
      self.name = name
      self.rows = rows
    }
  }

  /// How many they are.
  public var count: Int {
    (userVersion == nil ? 0 : 1) + (applicationID == nil ? 0 : 1) + tables.count
      + (digest == nil ? 0 : 1) + (encrypted == nil ? 0 : 1)
  }
}

/// Compares a database with expectations.
struct ExpectationsCheck {
  let source: VerifySource
  let expected: Expectations
  let content: ContentVerdict
  let context: OperationContext

  /// The verdict, and the first damage that was met on the way.
  func run() throws -> (verdict: ExpectationsVerdict, damage: Damage?) {
    var verdict = ExpectationsVerdict(checked: expected.count)
    guard expected.count > 0 else { return (verdict, nil) }
    if let encrypted = expected.encrypted, encrypted != (source.cipher != nil) {
      verdict.differences.append(.encryption(expected: encrypted))
    }
    guard let header = source.header else {
      let hindrance: Hindrance = source.flaw == nil ? .damagedPages : .damagedHeader
      verdict.differences += names.map { .unknown($0, hindrance) }
      return (verdict, nil)
    }
    if let version = expected.userVersion, version != header.userVersion {
      verdict.differences.append(.userVersion(expected: version, found: header.userVersion))
    }
    if let id = expected.applicationID, id != header.applicationID {
      verdict.differences.append(.applicationID(expected: id, found: header.applicationID))
    }
    if let digest = expected.digest {
      if let found = content.fingerprint?.digest {
        if found != digest { verdict.differences.append(.digest(expected: digest, found: found)) }
      } else {
        let hindrance = content.hindrance ?? .damagedStructure
        verdict.differences.append(.unknown("the content digest", hindrance))
      }
    }
    guard !expected.tables.isEmpty else { return (verdict, nil) }
    let (differences, damage) = try tables(header)
    verdict.differences += differences
    return (verdict, damage)
  }

  private var names: [String] {
    (expected.userVersion == nil ? [] : ["user_version"])
      + (expected.applicationID == nil ? [] : ["application_id"])
      + expected.tables.map { "table \($0.name)" }
      + (expected.digest == nil ? [] : ["the content digest"])
  }

  private func tables(_ header: DatabaseHeader) throws
    -> ([ExpectationsVerdict.Difference], Damage?)
  {
    let reader = try ReadAhead(source.store, workers: 0, cancellation: context.cancellation)
    let tables = Tables(encoding: header.encoding)
    do {
      let cursor = TreeCursor(source: reader, path: source.path, geometry: header.geometry)
      try SchemaReader.forEachRow(cursor, tables)
    } catch SealError.damaged(let damage) {
      let unknown = expected.tables.map { self.unknown($0, damage) }
      return (unknown, damage)
    }
    var differences: [ExpectationsVerdict.Difference] = []
    var met: Damage?
    for table in expected.tables {
      guard let entry = tables.found.first(where: { $0.name.isSameName(as: table.name) }) else {
        let isView = tables.views.contains { $0.isSameName(as: table.name) }
        differences.append(.noTable(table.name, isView: isView))
        continue
      }
      guard let rows = table.rows else { continue }
      do {
        let found = try count(entry, reader, header)
        if found != rows {
          differences.append(.rows(table: table.name, expected: rows, found: found))
        }
      } catch SealError.damaged(let damage) {
        differences.append(unknown(table, damage))
        met = met ?? damage
      } catch SealError.engine(_, _, let message) {
        differences.append(.unknown("table \(table.name)", .schema(message)))
      }
    }
    return (differences, met)
  }

  private func unknown(_ table: Expectations.Table, _ damage: Damage)
    -> ExpectationsVerdict.Difference
  {
    var hindrance = Hindrance.damagedStructure
    if case .pages = damage.flaw { hindrance = .damagedPages }
    return .unknown("table \(table.name)", hindrance)
  }

  /// Gathers the tables of a schema.
  private final class Tables: SchemaConsumer {
    private(set) var found: [SchemaEntry] = [.schema]
    /// Names.
    private(set) var views: [String] = []
    private let encoding: UInt32

    init(encoding: UInt32) { self.encoding = encoding }

    func begin(_ cell: Cell, _ start: UnsafeRawBufferPointer, _ record: SchemaRecord) {
      guard var entry = SchemaEntry(start, encoding: encoding) else { return }
      if entry.type == "view" { views.append(entry.name) }
      guard entry.type == "table" else { return }
      entry.root = record.root
      found.append(entry)
    }

    func more(_ bytes: UnsafeRawPointer, _ count: Int) {}
    func end() {}
  }

  /// A virtual table has no tree: its module counts.
  private func count(_ entry: SchemaEntry, _ reader: ReadAhead, _ header: DatabaseHeader) throws
    -> UInt64
  {
    guard entry.root == 0 else {
      return try TreeCounter.records(in: entry.root, of: reader, path: source.path, header)
    }
    let decoded = try DecodedPages(source.store, cancellation: context.cancellation)
    let connection = try Connection(snapshot: decoded, path: source.path)
    try connection.stop(on: context.cancellation)
    let found = try decoded.explaining {
      try connection.scalar("SELECT count(*) FROM \(entry.name.quoted)")
    }
    return UInt64(clamping: found?.integer ?? 0)
  }
}
