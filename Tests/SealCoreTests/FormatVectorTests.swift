// Plan: published vectors, so that the hashes are the ones that everybody else means.
// - PBKDF2: RFC 6070 (SHA-1), RFC 7914 section 11 (SHA-256).
// - HMAC: RFC 2202 (SHA-1), RFC 4231 (SHA-256, SHA-512).
// - AES-256-CBC: NIST SP 800-38A, F.2.5 and F.2.6.
// - libcrypto names itself, gives random bytes, compares.

import Testing

@testable import SealCore

@Suite struct FormatVectorTests {
  struct Vector: Sendable {
    let password: String
    let salt: String
    let algorithm: HashAlgorithm
    let iterations: Int
    let key: String
  }

  static let derivations = [
    Vector(
      password: "password", salt: "salt", algorithm: .sha1, iterations: 1,
      key: "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
    Vector(
      password: "password", salt: "salt", algorithm: .sha1, iterations: 2,
      key: "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
    Vector(
      password: "password", salt: "salt", algorithm: .sha1, iterations: 4096,
      key: "4b007901b765489abead49d926f721d065a429c1"),
    Vector(
      password: "passwordPASSWORDpassword", salt: "saltSALTsaltSALTsaltSALTsaltSALTsalt",
      algorithm: .sha1, iterations: 4096,
      key: "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
    Vector(
      password: "pass\0word", salt: "sa\0lt", algorithm: .sha1, iterations: 4096,
      key: "56fa6aa75548099dcc37d7f03425e0c3"),
    Vector(
      password: "passwd", salt: "salt", algorithm: .sha256, iterations: 1,
      key: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"),
  ]

  @Test(arguments: derivations)
  func derivesAsTheRFCsSay(_ vector: Vector) throws {
    let key = hex(vector.key)
    let derivation = Derivation(
      password: secretOf(Array(vector.password.utf8)), salt: Array(vector.salt.utf8),
      algorithm: vector.algorithm, iterations: vector.iterations, length: key.count)
    #expect(try Derivation.run([derivation]).map(bytesOf) == [key])
    #expect(try bytesOf(derivation.byPKCS5()) == key)
  }

  @Test(arguments: [0, -1, Int.max, 1 << 31])
  func refusesImpossibleRounds(_ rounds: Int) {
    #expect(throws: SealError.badProfile(.kdfIterations(rounds))) {
      _ = try Derivation.run([
        Derivation(password: secretOf([1]), salt: [1], algorithm: .sha1, iterations: rounds)
      ])
    }
  }

  struct Authentication: Sendable {
    let key: [UInt8]
    let message: String
    let algorithm: HashAlgorithm
    let tag: String
  }

  static let authentications = [
    Authentication(
      key: Array(repeating: 0x0b, count: 20), message: "Hi There", algorithm: .sha1,
      tag: "b617318655057264e28bc0b6fb378c8ef146be00"),
    Authentication(
      key: Array("Jefe".utf8), message: "what do ya want for nothing?", algorithm: .sha1,
      tag: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    Authentication(
      key: Array(repeating: 0x0b, count: 20), message: "Hi There", algorithm: .sha256,
      tag: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Authentication(
      key: Array("Jefe".utf8), message: "what do ya want for nothing?", algorithm: .sha256,
      tag: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Authentication(
      key: Array(repeating: 0x0b, count: 20), message: "Hi There", algorithm: .sha512,
      tag: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
    Authentication(
      key: Array("Jefe".utf8), message: "what do ya want for nothing?", algorithm: .sha512,
      tag: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
  ]

  @Test(arguments: authentications)
  func tagsAsTheRFCsSayAndAgainTheSameWay(_ vector: Authentication) throws {
    let context = try MacContext(key: secretOf(vector.key), vector.algorithm)
    // The last four bytes of the message go where the page number does.
    let message = Array(vector.message.utf8)
    let suffix = message.suffix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    for _ in 0..<3 {
      var tag = [UInt8](repeating: 0, count: vector.algorithm.length)
      #expect(context.tag(message, count: message.count - 4, suffix: suffix, into: &tag))
      #expect(tag == hex(vector.tag))
    }
  }

  @Test func encryptsAsNISTSaysAndAgainTheSameWay() throws {
    let key = secretOf(hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
    let iv = hex("000102030405060708090a0b0c0d0e0f")
    let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    let cipher = hex("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")
    let encryptor = try CipherContext(key: key, .encrypt)
    let decryptor = try CipherContext(key: key, .decrypt)
    for _ in 0..<3 {
      var bytes = plain
      #expect(encryptor.run(&bytes, count: bytes.count, iv: iv))
      #expect(bytes == cipher)
      #expect(decryptor.run(&bytes, count: bytes.count, iv: iv))
      #expect(bytes == plain)
    }
  }

  @Test func refusesAKeyOfAnotherLength() {
    #expect(throws: SealError.self) { try CipherContext(key: secretOf([1, 2, 3]), .encrypt) }
  }

  @Test func namesItsVersionAndGivesRandomBytes() throws {
    #expect(LibCrypto.version.contains("SSL"))
    #expect(try LibCrypto.randomBytes(16) != LibCrypto.randomBytes(16))
    #expect(try bytesOf(LibCrypto.randomSecret(32)) != bytesOf(LibCrypto.randomSecret(32)))
    #expect(try LibCrypto.randomBytes(0) == [])
    #expect(try Set(LibCrypto.randomBytes(3 << 20)).count == 256)
    let (a, b): ([UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4])
    #expect(LibCrypto.isEqual(a, a, count: 3))
    #expect(!LibCrypto.isEqual(a, b, count: 3))
    #expect(LibCrypto.isEqual(a, b, count: 2))
  }

  @Test func givesEveryRandomByteOnce() throws {
    let pool = RandomPool(capacity: 64)
    var seen: Set<[UInt8]> = []
    for _ in 0..<1000 {
      var bytes = [UInt8](repeating: 0, count: 16)
      try pool.take(16, into: &bytes)
      seen.insert(bytes)
    }
    #expect(seen.count == 1000)
  }
}
