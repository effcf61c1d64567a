// Plan: the PRAGMAs of a profile are the fewest that say it, in the order that SQLCipher wants them.
// That SQLCipher understands them is for FormatPeerTests.

import Testing

@testable import SealCore

@Suite struct FormatPragmaTests {
  static let salt = Array(UInt8(0)..<16)

  func pragmas(_ profile: CipherProfile) -> [String] {
    profile.pragmas(salt: Self.salt).map { "\($0.name) = \($0.value)" }
  }

  @Test func saysNothingForFormat4() {
    #expect(pragmas(.format4).isEmpty)
  }

  @Test(arguments: [1, 2, 3])
  func namesAnOlderFormat(_ number: Int) throws {
    let profile = try #require(CipherProfile.format(number))
    #expect(pragmas(profile) == ["cipher_compatibility = \(number)"])
  }

  @Test func namesWhatDiffersFromTheNearestFormat() throws {
    var profile = try #require(CipherProfile.format(3))
    profile.pageSize = 4096
    #expect(pragmas(profile) == ["cipher_compatibility = 3", "cipher_page_size = 4096"])
    profile = .format4
    profile.pageSize = 8192
    profile.hmacAlgorithm = nil
    profile.saltMask = 0
    #expect(pragmas(profile) == ["cipher_page_size = 8192", "cipher_use_hmac = OFF"])
    profile = .format4
    profile.saltMask = 7
    profile.fastKDFIterations = 9
    profile.pageNumberOrder = .bigEndian
    #expect(
      pragmas(profile) == [
        "cipher_hmac_pgno = be", "cipher_hmac_salt_mask = x'07'", "fast_kdf_iter = 9",
      ])
    profile = .format4
    profile.kdfAlgorithm = .sha256
    profile.kdfIterations = 1000
    profile.hmacAlgorithm = .sha256
    #expect(
      pragmas(profile) == [
        "kdf_iter = 1000", "cipher_kdf_algorithm = PBKDF2_HMAC_SHA256",
        "cipher_hmac_algorithm = HMAC_SHA256",
      ])
  }

  @Test func givesTheSaltThatThePlaintextHeaderHides() {
    var profile = CipherProfile.format4
    profile.plaintextHeader = 32
    #expect(
      pragmas(profile) == [
        "cipher_plaintext_header_size = 32",
        "cipher_salt = x'000102030405060708090a0b0c0d0e0f'",
      ])
  }
}
