// Plan: the check that an old key is worth nothing must be able to fail.
// - on what a peer wrote, the peer's own key opens, in every format, with tags and without;
// - another key does not.

import Testing

@testable import SealCore

@Suite struct OldKeyTests {
  private static let fixtures = Fixture.all.filter { $0.settings.plaintext_header ?? 0 == 0 }

  private func target(_ fixture: Fixture, _ material: KeyMaterial) throws -> TargetCipher {
    let codec = try fixture.codec()
    let keys = try KeyDerivation.derive(material, profile: codec.profile, salt: codec.salt)
    return TargetCipher(
      profile: codec.profile, keys: keys, salt: codec.salt,
      material: TargetCipher.underived(material, keys, codec.salt))
  }

  private func old(_ material: KeyMaterial, _ cipher: TargetCipher) throws -> OldKey {
    let requests = OldKey.requests(material, over: cipher.salt, profiles: [cipher.profile])
    let keys = try KeyDerivation.derive(requests, by: { try Derivation.run($0) })
    return try #require(OldKey(requests, keys))
  }

  @Test(arguments: fixtures)
  func noticesAKeyThatStillOpens(_ fixture: Fixture) throws {
    let material = try fixture.material()
    let cipher = try target(fixture, material)
    let file = try File(Fixture.folder.appendingPathComponent(fixture.file).path, .read)
    let old = try old(material, cipher)
    #expect(try old.opens(file, cipher))
  }

  @Test(arguments: fixtures)
  func passesAKeyThatOpensNothing(_ fixture: Fixture) throws {
    let cipher = try target(fixture, fixture.material())
    let file = try File(Fixture.folder.appendingPathComponent(fixture.file).path, .read)
    let old = try old(keyOf("something else"), cipher)
    #expect(try !old.opens(file, cipher))
  }
}
