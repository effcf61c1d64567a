// Plan: every database that a peer wrote is read here, and stock SQLite judges what came out.
// - all pages authenticate and decrypt under the settings of the manifest;
// - stock sqlite3 finds the decrypted file sound, with the content of the script that made it;
// - the reserve of every page is zeros after opening;
// - another key, and each setting changed, opens no page (settings that have a say in tags);
// - the passphrases é of one and of two code points are two keys.

import Testing

@testable import SealCore

@Suite struct FormatFixtureTests {
  @Test func readsTheManifest() { #expect(Fixture.all.count >= 29) }

  @Test(arguments: Fixture.all)
  func opensWhatAPeerWrote(_ fixture: Fixture) throws {
    let codec = try fixture.codec()
    let pages = try #require(try codec.openAll(fixture.bytes()))
    #expect(try Judge.verdict(on: pages) == Judge.expected(fixture.content))
    for start in stride(from: codec.usableSize, to: pages.count, by: codec.pageSize) {
      #expect(pages[start..<start + codec.profile.reserve].allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: Fixture.all)
  func authenticatesWithoutChangingAByte(_ fixture: Fixture) throws {
    let codec = try fixture.codec()
    var file = try fixture.bytes()
    let before = file
    codec.authenticate(first: 1, count: file.count / codec.pageSize, &file) { number, verdict in
      Issue.record("page \(number): \(verdict)")
    }
    #expect(file == before)
  }

  @Test(arguments: Fixture.all.filter { $0.settings.hmac_algorithm != "none" })
  func opensNoPageUnderAnotherSetting(_ fixture: Fixture) throws {
    let right = try fixture.codec()
    guard right.profile.hmacAlgorithm != nil else { return }
    let material = try fixture.material()
    var file = try fixture.bytes()
    var profiles: [CipherProfile] = []
    func vary(_ change: (inout CipherProfile) -> Void) {
      var other = right.profile
      change(&other)
      profiles.append(other)
    }
    vary { $0.pageNumberOrder = $0.pageNumberOrder == .bigEndian ? .littleEndian : .bigEndian }
    vary { $0.hmacAlgorithm = $0.hmacAlgorithm == .sha256 ? .sha512 : .sha256 }
    if case .passphrase = material.kind { vary { $0.kdfIterations += 1 } }
    if fixture.file != "raw160.db" {
      vary { $0.saltMask ^= 1 }
      vary { $0.fastKDFIterations += 1 }
      vary { $0.kdfAlgorithm = $0.kdfAlgorithm == .sha256 ? .sha512 : .sha256 }
    }
    for profile in profiles {
      let keys = try KeyDerivation.derive(material, profile: profile, salt: right.salt)
      let codec = try PageCodec(profile: profile, keys: keys, salt: right.salt)
      var forged = 0
      let count = file.count / codec.pageSize
      codec.authenticate(first: 1, count: count, &file) { _, verdict in
        forged += verdict == .forged ? 1 : 0
      }
      #expect(forged == count, "\(profile)")
    }
  }

  @Test func keepsComposedAndDecomposedPassphrasesApart() throws {
    let composed = try Fixture.named("key-nfc")
    let decomposed = try Fixture.named("key-nfd")
    #expect(composed.key == decomposed.key, "equal to Swift, which is why keys are bytes")
    #expect(Array(composed.key.utf8) != Array(decomposed.key.utf8))
    let codec = try composed.codec()
    let salt = Array(try decomposed.bytes().prefix(16))
    let keys = try KeyDerivation.derive(
      composed.material(), profile: codec.profile, salt: salt)
    let other = try PageCodec(profile: codec.profile, keys: keys, salt: salt)
    #expect(try other.openAll(decomposed.bytes()) == nil)
  }

  @Test func takesPassphrasesOfAnyLengthAndByte() throws {
    // HMAC pads a short key with zeros, so k and k + NUL are one key, and SQLCipher's keys too.
    let long = try KeyMaterial(secretOf(Array(repeating: 0x61, count: KeyMaterial.limit)))
    let salt = [UInt8](repeating: 7, count: 16)
    var profile = CipherProfile.format4
    profile.kdfIterations = 2
    let keys = try KeyDerivation.derive(long, profile: profile, salt: salt)
    #expect(keys.encryption.count == 32 && keys.hmac?.count == 32)
    let plain = try KeyDerivation.derive(keyOf("k"), profile: profile, salt: salt)
    let padded = try KeyDerivation.derive(keyOf("k\0"), profile: profile, salt: salt)
    let split = try KeyDerivation.derive(keyOf("k\0x"), profile: profile, salt: salt)
    #expect(plain.encryption.isEqual(to: padded.encryption))
    #expect(!plain.encryption.isEqual(to: split.encryption))
  }
}
