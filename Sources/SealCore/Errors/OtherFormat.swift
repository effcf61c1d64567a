// What a file is that is no database of SQLite's, where its own format says so: people hand such
// files to a tool for encrypted databases, and deserve better than "wrong key".

/// A format that is recognised and not read.
public enum OtherFormat: String, Sendable, Equatable, CaseIterable {
  case realm
  /// No magic stands there: it has the table of counters and tags that Realm keeps.
  case realmEncrypted = "realm_encrypted"
  /// A SQLite database that another extension than SQLCipher encrypted.
  case sqliteEncryption = "sqlite_encryption"
  case duckDB = "duckdb"
  case lmdb
  case gzip, zip, bzip2, xz, zstd
  /// Statements that would make a database.
  case sqlText = "sql"
  case age
  case openPGP = "openpgp"
  case openSSL = "openssl"
  case androidBackup = "android_backup"
}
