// What can be said about a database once its pages can be read: plain values, from Inspect.

/// A database, seen from inside.
public struct ContentFacts: Sendable {
  /// nil for a plaintext database.
  public var profile: CipherProfile?
  /// The salt in use.
  public var salt: [UInt8]?
  /// The PRAGMAs after the key, name and value in order, that open it where no format's defaults do.
  public var openingPragmas: [(name: String, value: String)] = []
  /// nil where page 1 cannot be read.
  public var header: HeaderFacts?
  public var pages: UInt32 = 0
  /// nil where neither key nor header tells.
  public var pageSize: Int?
  public var notes: [Note] = []
  /// What is damaged; may be capped.
  public var damage: [Damage] = []
  public var damageTotal = 0
  public var objects: [SchemaObject] = []
  /// What the schema needs and this engine lacks; nil where the engine could not look.
  public var lacks: [MissingPart]?
  /// SQLite's words where the engine could not make sense of the schema.
  public var schemaMessage: String?
  /// The use of each page, where it was asked for and page 1 could be read.
  public var map: PageUses?
}

/// One object of a schema.
public struct SchemaObject: Sendable {
  public enum Kind: String, Sendable {
    case table, index, view, trigger
    case virtualTable = "virtual_table"
    case other
  }

  public var kind: Kind
  public var name: String
  /// The table that an index or trigger belongs to; else its own name.
  public var table: String
  public var sql: String?
  /// What its tree holds; nil where it has none or was not walked.
  public var usage: Usage?
  /// Of a virtual table.
  public var module: String?
  /// SQLite's words where the engine cannot use a view or virtual table.
  public var problem: String?

  /// What a tree holds.
  public struct Usage: Sendable, Equatable {
    /// Records in the tree.
    public var rows: UInt64
    public var pages: UInt32
    public var bytes: UInt64
    /// A part of it could not be read: the numbers are too low.
    public var isPartial: Bool
  }

  /// SQLite made it for itself.
  public var isInternal: Bool { name.utf8.starts(with: "sqlite_".utf8) }
}
