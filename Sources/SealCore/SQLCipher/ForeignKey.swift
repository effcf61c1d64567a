// One foreign key by itself. SQLite's foreign_key_check gives a whole table up where one of its keys
// has a parent that cannot be looked into, so such a table's keys are told apart here by the rules
// of https://sqlite.org/foreignkeys.html#fk_indexes, and the rows of each are looked up alone.

internal import CSQLCipher

/// A foreign key of a table.
struct ForeignKey {
  let table: String
  let parent: String
  /// The number of the constraint in its table, as `PRAGMA foreign_key_list` has it.
  let constraint: Int64
  /// The columns, and those of the parent where they are named.
  private(set) var columns: [String] = []
  private(set) var parentColumns: [String]?

  /// The keys of `table`, in the order of their numbers.
  static func all(of table: String, on connection: Connection) throws -> [ForeignKey] {
    var found: [Int64: ForeignKey] = [:]
    try connection.forEachRow("PRAGMA main.foreign_key_list(\(table.quoted))") { row in
      let number = row.value(0).integer ?? 0
      var key =
        found[number]
        ?? ForeignKey(table: table, parent: row.value(2).string ?? "", constraint: number)
      key.columns.append(row.value(3).string ?? "")
      if let name = row.value(4).string { key.parentColumns = (key.parentColumns ?? []) + [name] }
      found[number] = key
    }
    return found.values.sorted { $0.constraint < $1.constraint }
  }

  /// Calls `body` with the rowid of each row whose parent is not there, nil in a table without
  /// rowids. False where no unique key of the parent is what this one refers to: SQLite calls that
  /// a mismatch.
  func forEachOrphan(on connection: Connection, _ body: (Int64?) -> Void) throws -> Bool {
    guard let keys = try parentKey(on: connection) else { return false }
    var sql =
      "SELECT \(try rowid(on: connection)) FROM main.\(table.quoted) AS child WHERE "
      + columns.map { "child.\($0.quoted) IS NOT NULL" }.joined(separator: " AND ")
    if !keys.isEmpty {
      // The parent's column stands first and the child's has no affinity, so that the parent's
      // collation and affinity decide, as they do for SQLite.
      let pairs = zip(keys, columns).map { "parent.\($0.quoted) = +child.\($1.quoted)" }
      sql +=
        " AND NOT EXISTS (SELECT 1 FROM main.\(parent.quoted) AS parent WHERE "
        + pairs.joined(separator: " AND ") + ")"
    }
    try connection.forEachRow(sql) { body($0.value(0).integer) }
    return true
  }

  /// The columns of the parent's key; none where there is no such table, nil for a mismatch.
  private func parentKey(on connection: Connection) throws -> [String]? {
    let kind = try connection.scalar(
      "SELECT type FROM main.sqlite_master WHERE name = ? COLLATE NOCASE"
        + " AND type IN ('table', 'view')", [.string(parent)])
    guard let kind else { return [] }
    guard kind == .string("table") else { return nil }
    let rows = try connection.rows("PRAGMA main.table_info(\(parent.quoted))")
    let primary = rows.compactMap { row -> (place: Int64, name: String)? in
      guard row.count > 5, let place = row[5].integer, place > 0 else { return nil }
      return (place, row[1].string ?? "")
    }.sorted { $0.place < $1.place }.map(\.name)
    let names = parentColumns ?? primary
    guard names.count == columns.count else { return nil }
    var hasPrimaryIndex = false
    for index in try connection.rows("PRAGMA main.index_list(\(parent.quoted))")
    where index.count > 4 && index[2] == .integer(1) && index[4] == .integer(0) {
      let isPrimary = index[3] == .string("pk")
      hasPrimaryIndex = hasPrimaryIndex || isPrimary
      guard isPrimary || parentColumns != nil, let name = index[1].string else { continue }
      if try isKey(name, names, on: connection) { return names }
    }
    // A primary key without an index is the rowid.
    let isRowid = !hasPrimaryIndex && primary.count == 1 && primary[0].isSameName(as: names[0])
    return isRowid && names.count == 1 ? names : nil
  }

  /// Whether a unique index is one of exactly these columns, under their own collations.
  private func isKey(_ index: String, _ names: [String], on connection: Connection) throws -> Bool {
    let entries = try connection.rows("PRAGMA main.index_xinfo(\(index.quoted))").filter {
      $0.count > 5 && $0[5] == .integer(1)
    }
    guard entries.count == names.count else { return false }
    for entry in entries {
      guard let name = entry[2].string, names.contains(where: { $0.isSameName(as: name) }),
        let collation = entry[4].string,
        let own = connection.collation(of: name, in: parent), collation.isSameName(as: own)
      else { return false }
    }
    return true
  }

  /// What the rowid of a child is called; `NULL` where it has none.
  private func rowid(on connection: Connection) throws -> String {
    let taken = try connection.rows("PRAGMA main.table_info(\(table.quoted))").map {
      $0.count > 1 ? $0[1].string ?? "" : ""
    }
    let free = ["rowid", "_rowid_", "oid"].first { name in
      !taken.contains { $0.isSameName(as: name) }
    }
    guard let free else { return "NULL" }
    do {
      _ = try Statement(connection, "SELECT \(free) FROM main.\(table.quoted)")
      return "child." + free
    } catch SealError.engine(_, let code, _) where ResultCode(rawValue: code).primary == .error {
      return "NULL"
    }
  }
}

extension Connection {
  /// The collation that a column was declared with; nil where there is no such column.
  fileprivate func collation(of column: String, in table: String) -> String? {
    guard let db = try? open() else { return nil }
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(db, "main", table, column, nil, &name, nil, nil, nil)
    guard code == SQLITE_OK, let name else { return nil }
    return String(cString: name)
  }
}
