// Where a database keeps what was applied to it. Either the table `schema_migrations` exactly as
// FMDBMigrationManager makes and reads it, with what that library does not know (name, checksum,
// time) in a second table; or `user_version`, and then nothing else.

/// Which of a database's own stores holds its version.
public enum VersionTrack: String, Sendable, CaseIterable {
  case table = "schema_migrations"
  case userVersion = "user_version"
}

/// What a database says was applied.
struct AppliedVersions: Equatable {
  /// What dbseal wrote down about a migration.
  struct Details: Equatable {
    var name: String
    var checksum: String
    var time: String
  }

  /// Ascending. With `user_version`, the one number that is there, or none for 0.
  var versions: [Int64] = []
  var details: [Int64: Details] = [:]

  var newest: Int64? { versions.last }
}

/// Reads and writes a store, on a connection inside of a transaction or on a snapshot.
struct VersionStore {
  let connection: Connection
  let track: VersionTrack

  static let table = "schema_migrations"
  static let detailTable = "dbseal_migrations"
  /// Tables that are the store's, and not a migration's to change.
  static func tables(_ track: VersionTrack) -> [String] {
    switch track {
    case .table: [table, detailTable]
    case .userVersion: []
    }
  }

  private static let detailColumns = ["version", "name", "checksum", "applied_at"]

  /// The versions that the store can hold.
  static func range(_ track: VersionTrack) -> ClosedRange<Int64> {
    switch track {
    case .table: 0...Int64.max
    // 0 is what a database has to which nothing was applied.
    case .userVersion: 1...Int64(Int32.max)
    }
  }

  /// What was applied. Throws `.migration(.foreignTable)` for tables of others.
  func read() throws -> AppliedVersions {
    switch track {
    case .userVersion:
      let number = try connection.scalar("PRAGMA main.user_version")?.integer ?? 0
      return AppliedVersions(versions: number > 0 ? [number] : [])
    case .table:
      var applied = AppliedVersions()
      guard try hasTable() else { return applied }
      try connection.forEachRow("SELECT version FROM main.\(Self.table) ORDER BY version") {
        guard let version = $0.value(0).integer else { throw foreign(Self.table) }
        applied.versions.append(version)
      }
      guard try hasDetailTable() else { return applied }
      let columns = Self.detailColumns.joined(separator: ", ")
      try connection.forEachRow("SELECT \(columns) FROM main.\(Self.detailTable)") { row in
        guard let version = row.value(0).integer, let name = row.value(1).string,
          let checksum = row.value(2).string, let time = row.value(3).string
        else { throw foreign(Self.detailTable) }
        applied.details[version] = .init(name: name, checksum: checksum, time: time)
      }
      return applied
    }
  }

  /// What has to be there after `version` was recorded where `before` was there.
  func versions(_ before: [Int64], with version: Int64) -> [Int64] {
    switch track {
    case .userVersion: [version]
    case .table: before + [version]
    }
  }

  /// Records that `file` was applied, in the transaction that is open.
  func record(_ file: MigrationFile) throws {
    switch track {
    case .userVersion:
      // A number, so nothing of the file gets into the SQL text.
      try connection.execute("PRAGMA main.user_version = \(file.version)")
    case .table:
      if try !hasTable() {
        try connection.execute(
          "CREATE TABLE main.\(Self.table)(version INTEGER UNIQUE NOT NULL)")
      }
      if try !hasDetailTable() {
        try connection.execute(
          "CREATE TABLE main.\(Self.detailTable)(version INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            + " checksum TEXT NOT NULL, applied_at TEXT NOT NULL)")
      }
      try connection.execute(
        "INSERT OR IGNORE INTO main.\(Self.table)(version) VALUES(?1)", [.integer(file.version)])
      try connection.execute(
        "INSERT OR REPLACE INTO main.\(Self.detailTable)(version, name, checksum, applied_at)"
          + " VALUES(?1, ?2, ?3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
        [.integer(file.version), .string(file.name), .string(file.checksum)])
    }
  }

  /// Whether the table is there. Other tools make tables of this name with other columns, and what
  /// those mean is not ours to guess.
  private func hasTable() throws -> Bool {
    guard let columns = try columns(of: Self.table) else { return false }
    guard columns.count == 1, columns[0].name == "version",
      columns[0].type.uppercased().contains("INT")
    else { throw foreign(Self.table) }
    return true
  }

  private func hasDetailTable() throws -> Bool {
    guard let columns = try columns(of: Self.detailTable) else { return false }
    guard columns.map(\.name) == Self.detailColumns else { throw foreign(Self.detailTable) }
    return true
  }

  /// Names in lower case and declared types; nil where nothing has that name.
  private func columns(of table: String) throws -> [(name: String, type: String)]? {
    let type = try connection.scalar(
      "SELECT type FROM main.sqlite_master WHERE lower(name) = ?1", [.string(table)])
    guard let type else { return nil }
    guard type.string == "table" else { throw foreign(table) }
    return try connection.rows("PRAGMA main.table_info(\(table))").map { row in
      (
        row.count > 1 ? row[1].string?.lowercased() ?? "" : "",
        row.count > 2 ? row[2].string ?? "" : ""
      )
    }
  }

  private func foreign(_ table: String) -> SealError {
    let number = try? connection.scalar("PRAGMA main.user_version")?.integer
    return .migration(
      .foreignTable(path: connection.path, table: table, userVersion: number))
  }
}
