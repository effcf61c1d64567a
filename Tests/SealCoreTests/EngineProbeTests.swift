// Keys and the probe. Plan: right key, wrong key, no key, a key on a plain file, odd keys; settings
// of every kind against files of SQLCipher 4.19; settings that the engine does not know, or that
// are no settings; schemas that the engine cannot read though the key is right; silence on
// standard error. Where SQLCipher 3 and 4 differ the test says what each must do.

import Foundation
import Testing

@testable import SealCore

private typealias Setting = (name: String, value: String)

private let version4 = Engine.current.supportsFormat4

/// A setting list for parameterized tests.
struct EngineSettingsCase: Sendable, CustomTestStringConvertible {
  var settings: [[String]]
  /// SQLCipher 3 can open it too.
  var old = false
  var pairs: [(name: String, value: String)] { settings.map { ($0[0], $0[1]) } }
  var testDescription: String { "\(settings)" }

  static let all = [
    EngineSettingsCase(settings: []),
    EngineSettingsCase(settings: [["cipher_compatibility", "1"]], old: true),
    EngineSettingsCase(settings: [["cipher_compatibility", "2"]], old: true),
    EngineSettingsCase(settings: [["cipher_compatibility", "3"]], old: true),
    EngineSettingsCase(
      settings: [
        ["cipher_compatibility", "3"], ["cipher_page_size", "8192"], ["kdf_iter", "1234"],
        ["fast_kdf_iter", "9"],
      ], old: true),
    EngineSettingsCase(
      settings: [["cipher_compatibility", "3"], ["cipher_hmac_pgno", "be"]], old: true),
    EngineSettingsCase(
      settings: [["cipher_compatibility", "3"], ["cipher_hmac_salt_mask", "x'00'"]], old: true),
    EngineSettingsCase(settings: [
      ["cipher_page_size", "65536"], ["kdf_iter", "10"],
      ["cipher_kdf_algorithm", "PBKDF2_HMAC_SHA1"],
      ["cipher_hmac_algorithm", "HMAC_SHA1"],
    ]),
    EngineSettingsCase(settings: [
      ["kdf_iter", "10"], ["cipher_kdf_algorithm", "PBKDF2_HMAC_SHA256"],
      ["cipher_hmac_algorithm", "HMAC_SHA256"], ["cipher_hmac_salt_mask", "x'A5'"],
    ]),
    EngineSettingsCase(settings: [["kdf_iter", "10"], ["cipher_use_hmac", "OFF"]]),
    EngineSettingsCase(settings: [
      ["kdf_iter", "10"], ["cipher_plaintext_header_size", "32"],
      ["cipher_salt", "x'000102030405060708090A0B0C0D0E0F'"],
    ]),
  ]
}

@Suite struct EngineProbeTests {
  private func probe(_ path: String, _ key: Secret?, _ settings: [Setting]) throws -> ProbeOutcome {
    let connection = try Connection(path: path)
    if let key {
      try connection.key(key)
      try connection.apply(settings: settings)
    }
    return connection.probe()
  }

  @Test(arguments: EngineSettingsCase.all)
  func opensWhatSQLCipherWroteWithTheseSettings(each: EngineSettingsCase) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makeEncrypted(path, key: "pass", pragmas: each.pairs, Peer.table)
    guard version4 || each.old else {
      // SQLCipher 3 refuses the settings of 4; where only defaults differ, the key does not fit.
      do {
        #expect(try probe(path, secret(utf8: "pass"), each.pairs) == .notADatabase)
      } catch SealError.unsupported(.engineTooOld) {}
      return
    }
    #expect(try probe(path, secret(utf8: "pass"), each.pairs) == .ready(objects: 1))
    let wrong = try probe(path, secret(utf8: "Pass"), each.pairs)
    #expect(wrong == .notADatabase)
    let connection = try Connection(path: path)
    try connection.key(secret(utf8: "pass"))
    try connection.apply(settings: each.pairs)
    // Without a probe first: the first statement settles the keys.
    #expect(try connection.scalar("SELECT sum(b) FROM t") == .integer(4950))
    #expect(try connection.scalar("PRAGMA user_version") == .integer(7))
  }

  @Test func derivationsWithDifferentSaltMasksDoNotMix() async throws {
    let scratch = try Scratch()
    let masks = ["x'3a'", "x'00'", "x'7f'"]
    let base: [Setting] = [("cipher_compatibility", "3"), ("kdf_iter", "1000")]
    for (index, mask) in masks.enumerated() {
      try Peer.makeEncrypted(
        scratch.file("\(index)"), key: "k", pragmas: base + [("cipher_hmac_salt_mask", mask)],
        Peer.table)
    }
    let paths = masks.indices.map { scratch.file("\($0)") }
    let outcomes = await withTaskGroup(of: ProbeOutcome?.self) { group in
      for turn in 0..<60 {
        let (path, mask) = (paths[turn % 3], masks[turn % 3])
        group.addTask {
          guard let connection = try? Connection(path: path) else { return nil }
          try? connection.key(secret(utf8: "k"))
          try? connection.apply(settings: [
            ("cipher_compatibility", "3"), ("kdf_iter", "1000"), ("cipher_hmac_salt_mask", mask),
          ])
          return connection.probe()
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes == Array(repeating: .ready(objects: 1), count: 60))
  }

  @Test func tellsPlaintextFromEncryptedByTheKeyAlone() throws {
    let scratch = try Scratch()
    let (plain, sealed) = (scratch.file("plain.db"), scratch.file("sealed.db"))
    try Peer.makePlain(plain, Peer.table)
    let format3: [Setting] = [("cipher_compatibility", "3")]
    try Peer.makeEncrypted(sealed, key: "k", pragmas: format3, Peer.table)
    #expect(try probe(plain, nil, []) == .ready(objects: 1))
    #expect(try probe(plain, secret(utf8: "k"), format3) == .notADatabase)
    #expect(try probe(sealed, nil, []) == .notADatabase)
  }

  /// SQLCipher 4.19 takes the raw key and the salt in one literal; so must this engine.
  @Test(arguments: [64, 96])
  func takesRawKeys(digits: Int) throws {
    let scratch = try Scratch()
    let key = "x'" + String(repeating: "9c", count: digits / 2) + "'"
    let settings: [Setting] = [("cipher_compatibility", "3")]
    try Peer.makeEncrypted(scratch.file("a"), key: key, pragmas: settings, Peer.table)
    #expect(try probe(scratch.file("a"), secret(utf8: key), settings) == .ready(objects: 1))
  }

  @Test(arguments: ["it's", "a\"b", "x'", "é", "e\u{301}", "a;--", "%s%n"])
  func takesOddPassphrasesByteForByte(key: String) throws {
    let scratch = try Scratch()
    let settings: [Setting] = [("cipher_compatibility", "3")]
    try Peer.makeEncrypted(scratch.file("a"), key: key, pragmas: settings, Peer.table)
    #expect(try probe(scratch.file("a"), secret(utf8: key), settings) == .ready(objects: 1))
    #expect(try probe(scratch.file("a"), secret(utf8: key + "y"), settings) == .notADatabase)
  }

  /// SQL text cannot hold a NUL, so the peer gives the keys that such a passphrase derives: the
  /// raw key and its salt from Python's own PBKDF2.
  @Test func takesAPassphraseWithNULWhole() throws {
    let scratch = try Scratch()
    let salt = "000102030405060708090a0b0c0d0e0f"
    let raw = try Peer.run(
      "import hashlib,sys; s=bytes.fromhex(sys.argv[1]);"
        + "print(hashlib.pbkdf2_hmac('sha1', b'a\\0b\\'', s, 64000, 32).hex(), end='')", [salt])
    let settings: [Setting] = [("cipher_compatibility", "3")]
    try Peer.makeEncrypted(
      scratch.file("a"), key: "x'\(raw)\(salt)'", pragmas: settings, Peer.table)
    let key = secret(bytes: [0x61, 0, 0x62, 0x27])
    #expect(try probe(scratch.file("a"), key, settings) == .ready(objects: 1))
    #expect(try probe(scratch.file("a"), secret(utf8: "a"), settings) == .notADatabase)
  }

  @Test func refusesAnEmptyKey() throws {
    let connection = try Connection(inMemory: "test")
    #expect(throws: SealError.badKey(.empty)) { try connection.key(secret(bytes: [])) }
  }

  @Test(arguments: [
    ("cipher_page_size", "1024; DROP TABLE t"), ("cipher_page_size", "-1"), ("kdf_iter", ""),
    ("kdf_iter", "99999999999999999999"), ("kdf_iter", "0"), ("cipher_salt", "x'00'"),
    ("cipher_hmac_algorithm", "HMAC_MD5"), ("cipher_hmac_pgno", "native'"), ("key", "k"),
    ("rekey", "k"), ("cipher_default_kdf_iter", "1"), ("cipher_compatibility", "5"),
    ("cipher_hmac_salt_mask", "x'zz'"), ("cipher_page_size", "1000"), ("user_version", "1"),
  ])
  func refusesWhatIsNoSetting(name: String, value: String) throws {
    let connection = try Connection(inMemory: "test")
    try connection.key(secret(utf8: "k"))
    #expect {
      try connection.apply(settings: [("cipher_compatibility", "3"), (name, value)])
    } throws: { error in
      guard case SealError.unsupported = error else { return false }
      return true
    }
  }

  @Test func aVersion3EngineKnowsNoneOfTheSettingsOf4() throws {
    for name in [
      "cipher_compatibility", "cipher_kdf_algorithm", "cipher_hmac_algorithm",
      "cipher_plaintext_header_size", "cipher_salt",
    ] {
      #expect(Engine.current.knows(setting: name) == version4, "\(name)")
    }
    for name in ["cipher_page_size", "kdf_iter", "cipher_use_hmac"] {
      #expect(Engine.current.knows(setting: name), "\(name)")
    }
    #expect(Engine.current.knows(setting: "cipher_nonsense") == false)
  }

  @Test func saysWhatItIs() throws {
    let engine = Engine.current
    #expect(engine.hasCodec)
    #expect(engine.provider == "openssl")
    #expect(engine.providerVersion?.hasPrefix("OpenSSL 3") == true)
    try engine.requireCodec()
    // `make` says which engine was linked.
    switch ProcessInfo.processInfo.environment["DBSEAL_ENGINE"] {
    case "built": #expect(engine.cipherVersionParts.lexicographicallyPrecedes([4, 5]) == false)
    case "system", nil: #expect(engine.cipherVersionParts.count >= 3)
    case let other: Issue.record("DBSEAL_ENGINE is \(other ?? "")")
    }
  }

  @Test(.enabled(if: version4, "SQLCipher 3 knows no plain header"))
  func aSchemaBehindAPlainHeaderIsToldFromAWrongKey() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    let settings: [Setting] = [
      ("kdf_iter", "10"), ("cipher_plaintext_header_size", "32"),
      ("cipher_salt", "x'000102030405060708090a0b0c0d0e0f'"),
    ]
    let broken = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE t(,)';"
    try Peer.makeEncrypted(path, key: "k", pragmas: settings, Peer.table + broken)
    guard case .schemaNotUnderstood = try probe(path, secret(utf8: "k"), settings) else {
      Issue.record("not understood as a schema")
      return
    }
    #expect(try probe(path, secret(utf8: "wrong"), settings) == .notADatabase)
  }

  @Test func aSchemaThatNoEngineUnderstandsProvesTheKey() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    let broken =
      Peer.table + """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = 'CREATE TABLE t(a INTEGER PRIMARY KEY, b WITH NO SENSE ,,)';
        """
    try Peer.makeEncrypted(path, key: "k", pragmas: [("cipher_compatibility", "3")], broken)
    let connection = try Connection(path: path)
    try connection.key(secret(utf8: "k"))
    try connection.apply(settings: [("cipher_compatibility", "3")])
    guard case .schemaNotUnderstood(let message) = connection.probe() else {
      Issue.record("\(connection.probe())")
      return
    }
    #expect(message.contains("malformed database schema (t)"))
  }

  /// Page 1 opens, a later page of sqlite_master does not: neither a wrong key nor a strange schema.
  @Test(arguments: [true, false])
  func damageBehindTheFirstPageIsNoWrongKey(encrypted: Bool) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    let settings: [Setting] = [("cipher_compatibility", "3")]
    let big = (0..<200).map { "CREATE TABLE t\($0)(a,b,c,d,e,f,g);" }.joined()
    if encrypted {
      try Peer.makeEncrypted(path, key: "k", pragmas: settings, big)
    } else {
      try Peer.makePlain(path, "PRAGMA page_size = 1024;" + big)
    }
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for index in 1024..<(bytes.count) { bytes[index] ^= 0x55 }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let outcome = try probe(path, encrypted ? secret(utf8: "k") : nil, settings)
    guard case .failed = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  /// STRICT came with SQLite 3.37.
  @Test func aNewerSchemaIsToldFromAWrongKey() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makeEncrypted(
      path, key: "k", pragmas: [("cipher_compatibility", "3")], "CREATE TABLE s(a INT) STRICT")
    let outcome = try probe(path, secret(utf8: "k"), [("cipher_compatibility", "3")])
    if Engine.current.sqliteVersionNumber >= 3_037_000 {
      #expect(outcome == .ready(objects: 1))
    } else {
      guard case .schemaNotUnderstood = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  @Test func anUnknownModuleOrCollationDoesNotMatter() throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makePlain(
      path,
      """
      CREATE TABLE t(a); PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master VALUES('table','v','v',0,'CREATE VIRTUAL TABLE v USING nowhere(x)');
      UPDATE sqlite_master SET sql = 'CREATE TABLE t(a COLLATE NOWHERE)' WHERE name = 't';
      """)
    #expect(try probe(path, nil, []) == .ready(objects: 2))
  }

  @Test(arguments: [0, 1, 100, 511, 5000])
  func junkIsNoDatabaseAndNothingIsEmpty(bytes: Int) throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Data(repeating: 0x5a, count: bytes).write(to: URL(fileURLWithPath: path))
    let outcome = try probe(path, secret(utf8: "k"), [("cipher_compatibility", "3")])
    // A file of nothing is an empty database to SQLite. What is under a page is told elsewhere.
    #expect(bytes == 0 ? outcome == .ready(objects: 0) : outcome != .ready(objects: 1))
    if bytes == 5000 { #expect(outcome == .notADatabase) }
  }

  /// In a process of its own, whose standard error is read: this one's belongs to all tests.
  @Test func aWrongKeyPrintsNothing() async throws {
    let scratch = try Scratch()
    let path = scratch.file("a.db")
    try Peer.makeEncrypted(path, key: "k", pragmas: [("cipher_compatibility", "3")], Peer.table)
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) { [path = path as String] in
      for _ in 0..<2 {
        let connection = try Connection(path: path)
        try connection.key(secret(utf8: "wrong"))
        try connection.apply(settings: [("cipher_compatibility", "3")])
        #expect(connection.probe() == .notADatabase)
      }
    }
    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!printed.contains("ERROR"), "\(printed)")
    #expect(!printed.lowercased().contains("hmac"), "\(printed)")
  }
}
