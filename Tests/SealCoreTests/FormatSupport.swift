// What the tests of Format share: the fixtures that peers wrote, bytes in and out, a folder of their
// own, and the judges: the stock `sqlite3` shell and, where DBSEAL_PEERS names their folder,
// Python with SQLCipher 4.

import Foundation
import Testing

@testable import SealCore

/// The folder `Tests/`.
let testsFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent()

/// Bytes of hex digits.
func hex(_ digits: String) -> [UInt8] {
  let digits = Array(digits.utf8)
  return stride(from: 0, to: digits.count - 1, by: 2).map { index in
    UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
  }
}

func hexText(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { String(format: "%02x", $0) }.joined()
}

func secretOf(_ bytes: [UInt8]) -> Secret { bytes.withUnsafeBytes { Secret(copying: $0) } }

func bytesOf(_ secret: Secret) -> [UInt8] { secret.withBytes { Array($0) } }

func keyOf(_ text: String) throws -> KeyMaterial { try KeyMaterial(secretOf(Array(text.utf8))) }

/// Repeatable random numbers (splitmix64), so that a failing case can be run again.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}

/// A folder of its own, removed at the end of `body`.
func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("dbseal-format-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}

/// A database that a peer wrote, as Tests/Fixtures/manifest.json describes it.
struct Fixture: Decodable, CustomTestStringConvertible {
  struct Settings: Decodable {
    var format: Int?
    var page_size: Int?
    var kdf_iter: Int?
    var kdf_algorithm: String?
    var hmac_algorithm: String?
    var hmac_pgno: String?
    var hmac_salt_mask: String?
    var fast_kdf_iter: Int?
    var plaintext_header: Int?
    var salt: String?
  }

  var file: String
  var key: String
  var content: String
  var settings: Settings

  var testDescription: String { file }

  static let folder = testsFolder.appendingPathComponent("Fixtures")

  /// All fixtures; empty where the manifest cannot be read, which `readsTheManifest` notices.
  static let all: [Fixture] = {
    let manifest = folder.appendingPathComponent("manifest.json")
    guard let data = try? Data(contentsOf: manifest) else { return [] }
    return (try? JSONDecoder().decode([Fixture].self, from: data)) ?? []
  }()

  static func named(_ name: String) throws -> Fixture {
    guard let fixture = all.first(where: { $0.file == name + ".db" }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return fixture
  }

  func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: Self.folder.appendingPathComponent(file)))
  }

  func material() throws -> KeyMaterial { try keyOf(key) }

  /// The settings as a user would name them.
  var cipherSettings: CipherSettings {
    var named = CipherSettings()
    named.format = settings.format
    named.pageSize = settings.page_size
    named.kdfIterations = settings.kdf_iter
    named.kdfAlgorithm = settings.kdf_algorithm.flatMap(HashAlgorithm.init)
    named.tag = settings.hmac_algorithm.map { text in
      HashAlgorithm(rawValue: text).map { .hmac($0) } ?? CipherSettings.Tag.none
    }
    named.pageNumberOrder = settings.hmac_pgno.flatMap(PageNumberOrder.init)
    named.saltMask = settings.hmac_salt_mask.map { hex($0)[0] }
    named.fastKDFIterations = settings.fast_kdf_iter
    named.plaintextHeader = settings.plaintext_header
    named.salt = settings.salt.map(hex)
    return named
  }

  /// A codec for the file, from its manifest entry.
  func codec() throws -> PageCodec {
    let profile = try cipherSettings.profile()
    let material = try material()
    let salt =
      try Detection.salt(
        for: profile, material: material, given: cipherSettings.salt,
        fileStart: Array(bytes().prefix(16))) ?? []
    let keys = try KeyDerivation.derive(material, profile: profile, salt: salt)
    return try PageCodec(profile: profile, keys: keys, salt: salt)
  }
}

extension PageCodec {
  /// Opens all pages of `file`; nil where one does not open.
  func openAll(_ file: [UInt8]) -> [UInt8]? {
    var pages = file
    var opened = true
    pages.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress, buffer.count % pageSize == 0 else {
        opened = false
        return
      }
      open(first: 1, count: buffer.count / pageSize, in: base) { _, _ in opened = false }
    }
    return opened ? pages : nil
  }

  /// Seals all pages of the plain database `pages`.
  func sealAll(_ pages: [UInt8]) throws -> [UInt8] {
    var file = pages
    try file.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      try seal(first: 1, count: buffer.count / pageSize, in: base)
    }
    return file
  }
}

/// Other programs that judge.
enum Judge {
  struct Failure: Error { let output: String }

  /// Runs a program found by PATH or by its path; its standard output. Throws on another exit
  /// status than 0.
  static func run(_ command: [String], input: String = "") throws -> String {
    try withFolder { folder in
      let inputFile = folder.appendingPathComponent("input")
      let outputFile = folder.appendingPathComponent("output")
      let errorFile = folder.appendingPathComponent("error")
      for (file, text) in [(inputFile, input), (outputFile, ""), (errorFile, "")] {
        try Data(text.utf8).write(to: file)
      }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      process.standardInput = try FileHandle(forReadingFrom: inputFile)
      process.standardOutput = try FileHandle(forWritingTo: outputFile)
      process.standardError = try FileHandle(forWritingTo: errorFile)
      try process.run()
      process.waitUntilExit()
      let output = String(decoding: try Data(contentsOf: outputFile), as: UTF8.self)
      let errors = String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
      guard process.terminationStatus == 0 else { throw Failure(output: output + errors) }
      return output
    }
  }

  /// What stock SQLite says of a plain database: integrity, version and a dump.
  static func verdict(on pages: [UInt8]) throws -> String {
    try withFolder { folder in
      let file = folder.appendingPathComponent("plain.db")
      try Data(pages).write(to: file)
      return try run(["sqlite3", "-bail", file.path], input: questions)
    }
  }

  /// What stock SQLite says of the database that the script `name`.sql makes.
  static func expected(_ name: String) throws -> String {
    let script = Fixture.folder.appendingPathComponent("\(name).sql").path
    return try run(["sqlite3", "-bail", ":memory:"], input: ".read \(script)\n" + questions)
  }

  private static let questions = "PRAGMA integrity_check;\nPRAGMA user_version;\n.dump\n"
}
