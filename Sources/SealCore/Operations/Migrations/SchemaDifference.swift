// What a dry run would have changed of the schema: the rows of `sqlite_master` before and after, and
// the two numbers of the header that applications keep.

/// A part of the schema that is there on one side only, or with another text.
public struct SchemaChange: Sendable, Equatable {
  /// SQL text before; nil where it is new.
  public var old: String?
  /// SQL text afterwards; nil where it is gone.
  public var new: String?
}

/// The schema at one moment.
struct SchemaImage {
  /// In the order of `sqlite_master`, without the indexes that come with a table.
  private var objects: [(key: String, sql: String)] = []

  init(_ connection: Connection) throws {
    for name in ["user_version", "application_id"] {
      let number = try connection.scalar("PRAGMA main.\(name)")?.integer ?? 0
      objects.append((key: "pragma \(name)", sql: "PRAGMA \(name) = \(number);"))
    }
    try connection.forEachRow(
      "SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    ) { row in
      let type = row.value(0).string ?? ""
      let sql = row.value(2).string ?? ""
      objects.append((key: "\(type) \(row.value(1).string ?? "")", sql: sql + ";"))
    }
  }

  /// What has to be taken away and added to get `other`.
  func changes(to other: SchemaImage) -> [SchemaChange] {
    // A hostile schema may have a name twice; the first one stands for it.
    let before = Dictionary(objects.map { ($0.key, $0.sql) }) { first, _ in first }
    let after = Dictionary(other.objects.map { ($0.key, $0.sql) }) { first, _ in first }
    let kept = objects.compactMap { each -> SchemaChange? in
      let new = after[each.key]
      return new == each.sql ? nil : SchemaChange(old: each.sql, new: new)
    }
    let added = other.objects.filter { before[$0.key] == nil }
    return kept + added.map { SchemaChange(old: nil, new: $0.sql) }
  }
}
