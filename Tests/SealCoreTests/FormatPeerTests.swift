// Plan: SQLCipher 4.19 and 4.12 as judges, where DBSEAL_PEERS names the folder with their Pythons
// (`make test` sets it). When it is set and a peer is missing or broken, these tests fail.
// - what we seal, with new keys, salts and settings, both peers open, with the content unchanged, a
//   clean cipher_integrity_check and a clean integrity_check, sent nothing but `pragmas(salt:)`;
// - what the peers write under generated settings, 512 to 65536 bytes a page, we open, and stock
//   SQLite finds it sound; sealed again under other settings, the peers open it.

import Foundation
import Testing

@testable import SealCore

/// The peers' Pythons, run with Tests/Fixtures/peer.py.
enum CipherPeer: String, CaseIterable {
  case sqlcipher419 = "a"
  case sqlcipher412 = "b"

  static let folder = ProcessInfo.processInfo.environment["DBSEAL_PEERS"]

  struct Job: Encodable {
    var path: String
    var key = ""
    var pragmas: [[String]] = []
    var sql: String?
    var plain: Bool?
  }

  struct Answer: Decodable {
    var integrity: [[String]]?
    var cipher: [[String]]?
    var content: String?
    var error: String?
  }

  func ask(_ jobs: [Job]) throws -> [Answer] {
    let python = "\(Self.folder ?? "")/\(rawValue)/bin/python"
    let script = Fixture.folder.appendingPathComponent("peer.py").path
    let input = String(decoding: try JSONEncoder().encode(jobs), as: UTF8.self)
    let output = try Judge.run([python, script], input: input)
    return try JSONDecoder().decode([Answer].self, from: Data(output.utf8))
  }
}

@Suite(.enabled(if: CipherPeer.folder != nil)) struct FormatPeerTests {
  static let keys = [
    "correct horse", "it's \"odd\"; é",
    "x'" + String(repeating: "5a", count: 32) + "'",
    "x'" + String(repeating: "5a", count: 32) + String(repeating: "c3", count: 16) + "'",
    "x'" + String(repeating: "5a", count: 32) + String(repeating: "99", count: 32)
      + String(repeating: "c3", count: 16) + "'",
  ]

  /// A profile with `pageSize` whose reserve is at most `reserve`, drawn at random.
  static func profile(
    pageSize: Int, reserve: Int, _ generator: inout SeededGenerator
  ) -> CipherProfile {
    if Int.random(in: 0..<4, using: &generator) == 0, reserve >= 80,
      var profile = CipherProfile.format(Int.random(in: 1...4, using: &generator))
    {
      profile.pageSize = pageSize
      return profile
    }
    var profile = CipherProfile.format4
    profile.pageSize = pageSize
    let tags: [HashAlgorithm?] = reserve >= 80 ? [nil, .sha1, .sha256, .sha512] : [nil, .sha1]
    profile.hmacAlgorithm = (reserve >= 48 ? tags : [nil]).randomElement(using: &generator) ?? nil
    profile.kdfAlgorithm = HashAlgorithm.allCases.randomElement(using: &generator) ?? .sha512
    profile.kdfIterations = Int.random(in: 1...3000, using: &generator)
    if Bool.random(using: &generator) {
      profile.fastKDFIterations = Int.random(in: 1...5, using: &generator)
      profile.saltMask = UInt8.random(in: 0...255, using: &generator)
      profile.pageNumberOrder = Bool.random(using: &generator) ? .bigEndian : .littleEndian
    }
    profile.plaintextHeader = [0, 0, 16, 32, 112].randomElement(using: &generator) ?? 0
    return profile
  }

  /// A codec for a new database under `key`: its own salt, or a random one.
  static func newCodec(_ profile: CipherProfile, key: String) throws -> PageCodec {
    let material = try keyOf(key)
    let salt = try material.salt ?? LibCrypto.randomBytes(16)
    let keys = try KeyDerivation.derive(material, profile: profile, salt: salt)
    return try PageCodec(profile: profile, keys: keys, salt: salt)
  }

  /// Seals `plain` under several profiles and has both peers say what they find.
  func expectPeersOpen(_ plain: [UInt8], seed: UInt64, rounds: Int) throws {
    var generator = SeededGenerator(state: seed)
    let stored = Int(plain[16]) << 8 | Int(plain[17])
    let pageSize = stored == 1 ? 65536 : stored
    try withFolder { folder in
      let plainFile = folder.appendingPathComponent("plain.db")
      try Data(plain).write(to: plainFile)
      var jobs = [CipherPeer.Job(path: plainFile.path, plain: true)]
      var profiles: [CipherProfile] = []
      for round in 0..<rounds {
        let profile = Self.profile(
          pageSize: pageSize, reserve: Int(plain[20]), &generator)
        let key = Self.keys.randomElement(using: &generator) ?? ""
        let codec = try Self.newCodec(profile, key: key)
        let file = folder.appendingPathComponent("\(round).db")
        try Data(codec.sealAll(plain)).write(to: file)
        let pragmas = profile.pragmas(salt: codec.salt).map { [$0.name, $0.value] }
        jobs.append(CipherPeer.Job(path: file.path, key: key, pragmas: pragmas))
        profiles.append(profile)
      }
      for peer in CipherPeer.allCases {
        let answers = try peer.ask(jobs)
        try #require(answers.count == rounds + 1)
        let right = try #require(answers[0].content)
        for (answer, profile) in zip(answers.dropFirst(), profiles) {
          let tagless = profile.hmacAlgorithm == nil
          let checked = tagless ? [["HMAC is not enabled, unable to integrity check"]] : []
          #expect(answer.error == nil, "\(peer) \(profile)")
          #expect(answer.integrity == [["ok"]], "\(peer) \(profile)")
          #expect(answer.cipher == checked, "\(peer) \(profile)")
          #expect(answer.content == right, "\(peer) \(profile)")
        }
      }
    }
  }

  @Test(arguments: Fixture.all)
  func sealsWhatPeersOpen(_ fixture: Fixture) throws {
    let plain = try #require(try fixture.codec().openAll(fixture.bytes()))
    let seed = UInt64(fixture.file.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xffff)
    try expectPeersOpen(plain, seed: seed, rounds: 4)
  }

  @Test(arguments: [1024, 2048, 4096, 8192, 16384, 32768, 65536], CipherPeer.allCases)
  func opensWhatPeersWriteUnderAnySettings(pageSize: Int, _ peer: CipherPeer) throws {
    var generator = SeededGenerator(state: UInt64(pageSize) + UInt64(peer == .sqlcipher419 ? 0 : 1))
    let script = Fixture.folder.appendingPathComponent("full.sql")
    let sql = try String(contentsOf: script, encoding: .utf8)
    for _ in 0..<4 {
      let profile = Self.profile(pageSize: pageSize, reserve: 80, &generator)
      // SQLCipher 4.12 and 4.19 both know 160-digit keys.
      let key = Self.keys.randomElement(using: &generator) ?? ""
      let material = try keyOf(key)
      let salt = try material.salt ?? LibCrypto.randomBytes(16)
      let plain = try withFolder { folder in
        let file = folder.appendingPathComponent("peer.db")
        let pragmas = profile.pragmas(salt: salt).map { [$0.name, $0.value] }
        let job = CipherPeer.Job(path: file.path, key: key, pragmas: pragmas, sql: sql)
        let answer = try peer.ask([job])
        try #require(answer.first?.error == nil, "\(profile)")
        let bytes = Array(try Data(contentsOf: file))
        let used = profile.plaintextHeader > 0 ? salt : Array(bytes.prefix(16))
        let keys = try KeyDerivation.derive(material, profile: profile, salt: used)
        let codec = try PageCodec(profile: profile, keys: keys, salt: used)
        return try #require(codec.openAll(bytes), "\(profile)")
      }
      #expect(try Judge.verdict(on: plain) == Judge.expected("full"), "\(profile)")
      try expectPeersOpen(plain, seed: generator.next(), rounds: 1)
    }
  }
}
