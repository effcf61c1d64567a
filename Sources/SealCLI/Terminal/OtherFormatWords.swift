// Files of formats that are recognised and not read, in words: what they are, how that was told, and
// what to do with them. "Neither a SQLite nor a SQLCipher database" would leave a user guessing.

internal import SealCore

/// Words for other formats.
enum OtherFormatWords {
  /// What the file is, in one line.
  static func sentence(_ format: OtherFormat) -> String {
    "not a SQLCipher or plaintext SQLite database, but " + name(format)
  }

  /// What the format makes of a file.
  static func name(_ format: OtherFormat) -> String {
    switch format {
    case .realm: "a Realm database"
    case .realmEncrypted: "likely an encrypted Realm database"
    case .sqliteEncryption:
      "likely one that another extension of SQLite encrypted"
    case .duckDB: "a DuckDB database"
    case .lmdb: "a LMDB database"
    case .gzip, .bzip2, .xz: "a file that \(format.rawValue) compressed"
    case .zip: "a zip archive"
    case .zstd: "a file that Zstandard compressed"
    case .sqlText: "SQL statements as text"
    case .age: "a file that age encrypted"
    case .openPGP: "a file that OpenPGP (gpg) encrypted"
    case .openSSL: "a file that openssl enc encrypted"
    case .androidBackup: "an Android backup"
    }
  }

  /// How that was told.
  static func reason(_ format: OtherFormat) -> String {
    switch format {
    case .realm: "it has \"T-DB\" at byte 16, as Realm files do"
    case .realmEncrypted:
      "its first 4096 bytes are a table of counters and tags, as in encrypted Realm files"
    case .sqliteEncryption:
      "its bytes 16 to 23 are those of a SQLite header and the others are spread like ciphertext, as"
        + " SQLite3 Multiple Ciphers, wxSQLite3 and SEE leave it"
    case .duckDB: "it has \"DUCK\" at byte 8, as DuckDB files do"
    case .lmdb: "it has LMDB's magic (de c0 ef be) at byte 16"
    case .gzip, .zip, .bzip2, .xz, .zstd: "it begins as such files do"
    case .sqlText: "it begins with a statement that makes a database"
    case .age, .openPGP, .openSSL, .androidBackup: "it begins as such files do"
    }
  }

  /// Why a command does not take it.
  static func explain(_ path: String, _ format: OtherFormat) -> Diagnosis {
    Diagnosis(
      .wrongKind, "this is \(sentence(format))", about: path,
      hint: hint(format),
      facts: [
        .init("kind", .string(FileKind.other.rawValue)),
        .init("other_format", .string(format.rawValue)),
      ])
  }

  private static func hint(_ format: OtherFormat) -> String {
    switch format {
    case .realm, .realmEncrypted:
      "Realm has a file format of its own, which only its own libraries and Realm Studio read"
    case .sqliteEncryption:
      "in SQLite3 Multiple Ciphers, PRAGMA cipher='sqlcipher', PRAGMA legacy=4 and PRAGMA rekey make"
        + " SQLCipher's format of it"
    case .duckDB, .lmdb: "only its own tools read it"
    case .gzip, .bzip2, .xz, .zip, .zstd: "unpack it first"
    case .sqlText: "sqlite3 new.db < FILE makes a database of it"
    case .age, .openPGP, .openSSL: "decrypt it with that program first"
    case .androidBackup: "unpack it first; the databases of an app are in its folder db"
    }
  }
}
