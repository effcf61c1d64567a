// What the SQL library that was loaded can do, found by asking it, once, in one place. The binary
// may be linked with any SQLCipher from 3.4 on, and a PRAGMA that an engine does not know is
// ignored by it without a word: so nothing is sent in hope.

internal import CSQLCipher

/// The SQLite or SQLCipher that this process runs.
public struct Engine: Sendable {
  /// SQLite's version, such as `3.46.1`.
  public let sqliteVersion: String
  /// The same as SQLite numbers it: 3046001.
  public let sqliteVersionNumber: Int32
  /// What `PRAGMA cipher_version` says, such as `4.6.1 community`; nil if it is no SQLCipher.
  public let cipherVersion: String?
  /// Who does SQLCipher's cryptography, such as `openssl`.
  public let provider: String?
  /// The provider's version in its own words, such as `OpenSSL 3.0.17 1 Jul 2025`.
  public let providerVersion: String?
  private let pragmas: Set<CipherPragma>
  /// Holds SQLCipher's set-up and its silence for the life of the process: both end when the
  /// last keyed connection closes.
  private let keeper: Connection?

  /// This process's engine.
  public static let current = Engine()

  /// Whether `PRAGMA writable_schema = RESET` is known: older ones take it for `OFF`.
  var rereadsSchema: Bool { sqliteVersionNumber >= 3_030_000 }

  /// SQLite's version number, without asking anything else.
  static var sqliteNumber: Int32 { sqlite3_libversion_number() }

  private init() {
    sqliteVersion = String(cString: sqlite3_libversion())
    sqliteVersionNumber = Self.sqliteNumber
    let connection = try? Connection(inMemory: "engine")
    let version = (try? connection?.run("PRAGMA cipher_version"))?.string
    guard let connection, let version else {
      (cipherVersion, provider, providerVersion, pragmas, keeper) = (nil, nil, nil, [], nil)
      return
    }
    cipherVersion = version
    // From 4.5 on it writes to standard error what dbseal says itself, and better. Already the first
    // key may (of memory that it could not pin), so the sources of messages are closed before it; the
    // level is set by it, and has to be lowered after it. Both are the process's.
    let logs = Self.parts(version).first ?? 0 >= 4
    if logs { _ = try? connection.run("PRAGMA cipher_log_source = NONE") }
    // The key opens nothing; SQLCipher answers about itself only where a key is set.
    try? connection.attach(Secret(count: 1) { $0[0] = 0x6b })
    if logs { _ = try? connection.run("PRAGMA cipher_log_level = NONE") }
    provider = (try? connection.run("PRAGMA cipher_provider"))?.string
    providerVersion = (try? connection.run("PRAGMA cipher_provider_version"))?.string
    pragmas = Self.known(on: connection)
    keeper = connection
  }

  /// Whether it is SQLCipher.
  public var hasCodec: Bool { cipherVersion != nil }

  /// SQLCipher's version as numbers, such as [4, 6, 1]; empty if it is none.
  public var cipherVersionParts: [Int] { cipherVersion.map(Self.parts) ?? [] }

  /// Whether its integrity_check looks for rows that break NOT NULL and CHECK: old ones do not.
  static let checksRules: Bool = {
    guard let connection = try? Connection(inMemory: "engine") else { return false }
    do {
      try connection.execute("CREATE TABLE t(a CHECK(a > 0))")
      try connection.execute("PRAGMA ignore_check_constraints = ON")
      try connection.execute("INSERT INTO t VALUES(0)")
      try connection.execute("PRAGMA ignore_check_constraints = OFF")
      return try connection.scalar("PRAGMA integrity_check")?.string != "ok"
    } catch { return false }
  }()

  /// Whether its integrity_check takes the name of a table, and looks at that one alone.
  static let checksTables = sqliteNumber >= 3_033_000

  /// Whether it can open SQLCipher's format 4, the default since version 4.0.
  public var supportsFormat4: Bool { (cipherVersionParts.first ?? 0) >= 4 }

  /// Whether it knows this cipher setting.
  func knows(_ pragma: CipherPragma) -> Bool { pragmas.contains(pragma) }

  /// Whether it knows the cipher setting of this name, such as `cipher_plaintext_header_size`.
  public func knows(setting name: String) -> Bool {
    CipherPragma(rawValue: name).map(knows) ?? false
  }

  /// Throws `SealError.unsupported(.noCodec)` unless it is SQLCipher.
  public func requireCodec() throws {
    guard hasCodec else { throw SealError.unsupported(.noCodec(sqlite: sqliteVersion)) }
  }

  /// The settings that answer when they are read. `cipher_compatibility` cannot be read, so it is
  /// tried: format 1 derives with 4,000 rounds, which is no engine's default.
  private static func known(on connection: Connection) -> Set<CipherPragma> {
    let readable = CipherPragma.allCases.filter { $0 != .compatibility }
    // Asked for a salt that nobody has set, it draws one, for which libcrypto makes its generators
    // first: more than half of what `--version` would cost.
    _ = try? connection.run(CipherPragma.salt.sql("x'\(String(repeating: "0", count: 32))'"))
    var known = Set(
      readable.filter { (try? connection.run("PRAGMA \($0.rawValue)")) != nil })
    _ = try? connection.run(CipherPragma.compatibility.sql("1"))
    let rounds = (try? connection.run("PRAGMA kdf_iter"))?.string
    if rounds == "4000" { known.insert(.compatibility) }
    return known
  }

  private static func parts(_ version: String) -> [Int] {
    version.split(separator: " ").first?.split(separator: ".").map { Int($0) ?? 0 } ?? []
  }
}
