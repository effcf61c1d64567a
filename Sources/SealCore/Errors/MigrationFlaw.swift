// What can be wrong with schema migrations, as facts: the folder, a file in it, a file against what
// the database says was applied, and a statement that failed.

/// Why migrations were not applied.
public enum MigrationFlaw: Sendable, Equatable {
  /// The folder holds no file that is named as a migration.
  case none(folder: String)
  case duplicate(version: Int64, files: [String])
  /// A version beyond what the store can hold. `limit` is the largest, `least` the smallest one.
  case versionOutside(file: String, least: Int64, limit: Int64)
  /// A file that cannot be SQL. `line` is where the first such byte stands.
  case notText(file: String, line: Int)
  case tooLarge(file: String, limit: UInt64)
  /// Named as a migration, and a folder, a pipe or the like.
  case notRegular(file: String)
  /// After the file had run, what was applied could not be recorded, or something else was gone.
  case notRecorded(path: String, file: String)
  /// A file of nothing but blanks: it is still to be written.
  case blank(file: String)
  /// `--to` or `--baseline` name a version that no file has.
  case unknownVersion(Int64, folder: String)
  /// A statement that cannot be part of a migration's transaction.
  case refused(StatementPlace, Refusal)
  /// Files that were applied and have other bytes now; `newest` is the highest version of them.
  case changed(path: String, files: [String], newest: Int64)
  /// Unapplied files below the newest version that was applied.
  case outOfOrder(path: String, files: [String], newest: Int64)
  /// The database is beyond the version that is asked for, and nothing goes back.
  case beyond(path: String, newest: Int64, wanted: Int64)
  /// A table of that name is not what dbseal or FMDBMigrationManager make. `userVersion`: what the
  /// other store holds, or nil.
  case foreignTable(path: String, table: String, userVersion: Int64?)
  /// SQLite refused a statement, and its file was rolled back.
  case failed(path: String, StatementPlace, StatementFailure)
  /// Rows that refer to nothing after a file had run; it was rolled back. `before`: as many were
  /// there already.
  case brokenReferences(path: String, file: String, count: Int, before: Int, first: String)
  /// The references could be checked before the file had run, and not afterwards.
  case uncheckedReferences(path: String, file: String, message: String)

  /// The stable outcome that scripts see.
  public var code: ErrorCode {
    switch self {
    case .unknownVersion: .usage
    case .failed(_, _, let failure): failure.isShortcoming ? .unsupported : .migrationFailed
    case .none, .duplicate, .versionOutside, .notText, .tooLarge, .notRegular, .notRecorded, .blank,
      .refused, .changed,
      .outOfOrder,
      .beyond, .foreignTable, .brokenReferences, .uncheckedReferences:
      .migrationFailed
    }
  }
}

/// Where a statement stands.
public struct StatementPlace: Sendable, Equatable {
  /// The file's name, without its folder.
  public var file: String
  /// The line on which the statement begins, from 1.
  public var line: Int
  /// The statement on one line, shortened.
  public var statement: String
}

/// What SQLite said of a statement.
public struct StatementFailure: Sendable, Equatable {
  public var code: Int32
  public var message: String
  /// The SQLite that is needed, where this engine is too old: `3.37`.
  public var needs: String?
  /// A module that this engine does not have.
  public var module: String?
  /// The engine's version.
  public var engine: String

  /// Another engine could do it.
  public var isShortcoming: Bool { needs != nil || module != nil }
}

/// Why a statement cannot be part of a migration.
public enum Refusal: Sendable, Equatable {
  /// It begins or ends a transaction, and the file is one already.
  case transaction
  /// It cannot run inside a transaction.
  case notInTransaction
  /// It reaches another database, which the transaction cannot roll back.
  case otherDatabase
  /// A PRAGMA that does nothing inside a transaction.
  case idlePragma
  /// `PRAGMA foreign_keys`: they are off while a file runs, and checked at its end.
  case foreignKeys
  /// A PRAGMA of the encryption.
  case cipherPragma
  /// A PRAGMA that leaves nothing in the database.
  case uselessPragma
  /// A PRAGMA that this engine does not know and would ignore; the SQLite that is needed, or nil
  /// where none knows it.
  case unknownPragma(needs: String?)
  /// It would change a table in which dbseal keeps what was applied, otherwise than by adding rows.
  case versionTable
}
