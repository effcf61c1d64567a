// Plan: the two providers are one in what they do, judged by each other and by what peers wrote.
// - the library is there where it was built in;
// - over every profile and runs of many lengths: what one seals the other opens, page 1 included;
// - a flipped byte anywhere is the same verdict for both, and a page that is not opened, or only
//   authenticated, stays as it was;
// - every fixture of a peer opens by either, to the same bytes.

import Foundation
import Testing

@testable import SealCore

@Suite struct FormatProviderTests {
  private static let providers: [CryptoProvider] = [.openSSL, .multiBuffer]

  private func codec(_ profile: CipherProfile, _ provider: CryptoProvider) throws -> PageCodec {
    let salt = Array(UInt8(100)..<116)
    let keys = try KeyDerivation.derive(keyOf("k"), profile: profile, salt: salt)
    return try PageCodec(profile: profile, keys: keys, salt: salt, provider: provider)
  }

  /// `count` pages from number `first` on, with an empty reserve.
  private func pages(_ first: UInt32, _ count: Int, _ codec: PageCodec) -> [UInt8] {
    var generator = SeededGenerator(state: UInt64(first) &+ UInt64(count))
    var bytes = [UInt8](repeating: 0, count: count * codec.pageSize)
    for index in 0..<count {
      for offset in stride(from: 0, to: codec.usableSize, by: 16) {
        let word = generator.next()
        withUnsafeBytes(of: word) {
          bytes.replaceSubrange(
            (index * codec.pageSize + offset)..<(index * codec.pageSize + offset + 8), with: $0)
        }
      }
    }
    if first == 1 { bytes.replaceSubrange(0..<16, with: PageCodec.magic) }
    return bytes
  }

  @Test func hasTheLibraryThatWasBuiltIn() {
    let folder = ProcessInfo.processInfo.environment["DBSEAL_MULTIBUFFER"] ?? ""
    if !folder.isEmpty { #expect(CryptoProvider.name?.hasPrefix("ipsec-mb ") == true) }
  }

  @Test(arguments: FormatCodecTests.profiles)
  func opensWhatTheOtherSealed(_ profile: CipherProfile) throws {
    for (writer, reader) in [(0, 1), (1, 0)] {
      let seals = try codec(profile, Self.providers[writer])
      let opens = try codec(profile, Self.providers[reader])
      let size = seals.pageSize
      let longest = max(5, min(300, (1 << 19) / size))
      for (first, count) in [(1, 1), (1, 4), (2, 3), (7, 5), (1, longest), (0xffff_ff00, 17)] {
        let plain = pages(UInt32(first), count, seals)
        var sealed = plain
        try sealed.withUnsafeMutableBytes { bytes in
          let base = try #require(bytes.baseAddress)
          try seals.seal(first: UInt32(first), count: count, in: base)
        }
        #expect(sealed != plain)
        var odd: [UInt32] = []
        sealed.withUnsafeMutableBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          opens.authenticate(first: UInt32(first), count: count, base) {
            odd.append($0); _ = $1
          }
          opens.open(first: UInt32(first), count: count, in: base) {
            odd.append($0); _ = $1
          }
        }
        #expect(odd.isEmpty)
        #expect(sealed == plain, "\(count) pages from \(first)")
      }
    }
  }

  @Test(arguments: FormatCodecTests.profiles.filter { $0.pageSize <= 8192 })
  func agreesAboutDamage(_ profile: CipherProfile) throws {
    let codecs = try Self.providers.map { try codec(profile, $0) }
    let size = codecs[0].pageSize
    let count = 140
    var sealed = pages(1, count, codecs[0])
    try sealed.withUnsafeMutableBytes { bytes in
      try codecs[0].seal(first: 1, count: count, in: #require(bytes.baseAddress))
    }
    var generator = SeededGenerator(state: 11)
    for _ in 0..<60 { sealed[Int.random(in: 0..<sealed.count, using: &generator)] ^= 0x10 }
    for page in [3, 77, 139] {
      sealed.replaceSubrange(
        (page * size)..<((page + 1) * size), with: [UInt8](repeating: 0, count: size))
    }
    var outcomes: [(verdicts: [UInt32: PageVerdict], bytes: [UInt8])] = []
    for codec in codecs {
      var bytes = sealed
      var verdicts: [UInt32: PageVerdict] = [:]
      codec.authenticate(first: 1, count: count, &bytes) { verdicts[$0] = $1 }
      #expect(bytes == sealed)
      var again: [UInt32: PageVerdict] = [:]
      bytes.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return }
        codec.open(first: 1, count: count, in: base) { again[$0] = $1 }
      }
      #expect(again == verdicts)
      outcomes.append((verdicts, bytes))
    }
    #expect(outcomes[0].verdicts == outcomes[1].verdicts)
    #expect(outcomes[0].bytes == outcomes[1].bytes)
    #expect(outcomes[0].verdicts.count >= 3)
  }

  @Test(arguments: Fixture.all)
  func opensWhatAPeerWroteAlike(_ fixture: Fixture) throws {
    let codec = try fixture.codec()
    let keys = try KeyDerivation.derive(
      fixture.material(), profile: codec.profile, salt: codec.salt)
    let opened = try Self.providers.map { provider in
      try PageCodec(profile: codec.profile, keys: keys, salt: codec.salt, provider: provider)
        .openAll(fixture.bytes())
    }
    #expect(opened[0] != nil && opened[0] == opened[1])
  }
}
