// Plan: the codec against itself and against damage, over generated profiles (page size, KDF, HMAC,
// page-number order, mask, header).
// - seal, then open, gives the page back; every IV is new; the salt or the plain header stands;
// - any flipped byte is forged, except those that no tag covers: the salt or plaintext header of
//   page 1 and the random filler; the buffer is left as it was;
// - a page under another number is forged; zeros are blank; without tags everything opens;
// - several pages at once are the same as one by one, and the report names exactly the odd ones;
// - impossible profiles and salts are refused.

import Testing

@testable import SealCore

@Suite struct FormatCodecTests {
  /// Profiles that cover each value of each setting, the rest drawn at random.
  static let profiles: [CipherProfile] = {
    var generator = SeededGenerator(state: 4)
    var found: [CipherProfile] = []
    for pageSize in [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] {
      for tag in [nil, HashAlgorithm.sha1, .sha256, .sha512] {
        var profile = CipherProfile.format4
        profile.pageSize = pageSize
        profile.hmacAlgorithm = tag
        profile.kdfAlgorithm = HashAlgorithm.allCases.randomElement(using: &generator) ?? .sha1
        profile.kdfIterations = Int.random(in: 1...3, using: &generator)
        profile.fastKDFIterations = Int.random(in: 1...3, using: &generator)
        profile.saltMask = UInt8.random(in: 0...255, using: &generator)
        profile.pageNumberOrder = Bool.random(using: &generator) ? .bigEndian : .littleEndian
        profile.plaintextHeader = [0, 0, 16, 32, 96, 112].randomElement(using: &generator) ?? 0
        if (try? profile.validate()) != nil { found.append(profile) }
      }
    }
    return found
  }()

  private func codec(_ profile: CipherProfile, key: String = "k") throws -> PageCodec {
    let salt = Array(UInt8(100)..<116)
    let keys = try KeyDerivation.derive(keyOf(key), profile: profile, salt: salt)
    return try PageCodec(profile: profile, keys: keys, salt: salt)
  }

  /// Random bytes with an empty reserve; page 1 starts with the magic.
  private func page(_ number: UInt32, _ codec: PageCodec) -> [UInt8] {
    var generator = SeededGenerator(state: UInt64(number))
    var page = (0..<codec.pageSize).map { index in
      index < codec.usableSize ? UInt8.random(in: 1...255, using: &generator) : 0
    }
    if number == 1 { page.replaceSubrange(0..<16, with: PageCodec.magic) }
    return page
  }

  @Test(arguments: profiles)
  func opensWhatItSealed(_ profile: CipherProfile) throws {
    let codec = try codec(profile)
    var ivs: Set<[UInt8]> = []
    for number in [1, 2, 3, 0x0102_0304, UInt32.max] as [UInt32] {
      let plain = page(number, codec)
      var sealed = plain
      try codec.seal(page: number, in: &sealed)
      ivs.insert(Array(sealed[codec.usableSize..<codec.usableSize + 16]))
      let header = number == 1 ? max(16, profile.plaintextHeader) : 0
      if number == 1 {
        let stands = profile.plaintextHeader > 0 ? Array(plain[..<header]) : codec.salt
        #expect(Array(sealed[..<header]) == stands)
      }
      let same = zip(sealed[header..<codec.usableSize], plain[header...]).filter { $0 == $1 }
      #expect(same.count < codec.usableSize / 16)
      #expect(codec.authenticate(page: number, sealed) == .opened)
      #expect(codec.open(page: number, in: &sealed) == .opened)
      #expect(sealed == plain)
    }
    #expect(ivs.count == 5)
  }

  @Test(arguments: profiles.filter { $0.pageSize <= 4096 && $0.hmacAlgorithm != nil }, [1, 2])
  func noticesAnyFlippedByteThatATagCovers(_ profile: CipherProfile, number: UInt32) throws {
    let codec = try codec(profile)
    var sealed = page(number, codec)
    try codec.seal(page: number, in: &sealed)
    let start = number == 1 ? max(16, profile.plaintextHeader) : 0
    let covered = start..<codec.usableSize + 16 + (profile.hmacAlgorithm?.length ?? 0)
    for offset in 0..<codec.pageSize {
      var flipped = sealed
      flipped[offset] ^= 1 << UInt8(offset % 8)
      let before = flipped
      if covered.contains(offset) {
        #expect(codec.open(page: number, in: &flipped) == .forged, "byte \(offset)")
        #expect(flipped == before, "byte \(offset)")
      } else {
        #expect(codec.authenticate(page: number, flipped) == .opened, "byte \(offset)")
      }
    }
  }

  @Test(arguments: profiles.filter { $0.hmacAlgorithm != nil })
  func refusesAPageInAnothersPlace(_ profile: CipherProfile) throws {
    let codec = try codec(profile)
    var sealed = page(7, codec)
    try codec.seal(page: 7, in: &sealed)
    #expect(codec.authenticate(page: 8, sealed) == .forged)
    #expect(codec.authenticate(page: 7 << 24, sealed) == .forged)
    #expect(try self.codec(profile, key: "other").authenticate(page: 7, sealed) == .forged)
  }

  @Test(arguments: profiles)
  func callsZerosBlankAndLeavesThem(_ profile: CipherProfile) throws {
    let codec = try codec(profile)
    var zeros = [UInt8](repeating: 0, count: codec.pageSize)
    #expect(codec.open(page: 5, in: &zeros) == .blank)
    #expect(codec.authenticate(page: 1, zeros) == .blank)
    #expect(zeros.allSatisfy { $0 == 0 })
    zeros[codec.pageSize - 1] = 1
    let verdict: PageVerdict = profile.hmacAlgorithm == nil ? .opened : .forged
    #expect(codec.authenticate(page: 5, zeros) == verdict)
  }

  @Test(arguments: profiles.filter { $0.pageSize <= 4096 })
  func treatsManyPagesAsItDoesOne(_ profile: CipherProfile) throws {
    let codec = try codec(profile)
    let size = codec.pageSize
    let plain = (1...9).flatMap { page($0, codec) }
    var file = try codec.sealAll(plain)
    #expect(codec.openAll(file) == plain)
    file.replaceSubrange(3 * size..<4 * size, with: [UInt8](repeating: 0, count: size))
    file[6 * size + 20] ^= 1
    var expected: [UInt32: PageVerdict] = [4: .blank]
    if profile.hmacAlgorithm != nil { expected[7] = .forged }
    var seen: [UInt32: PageVerdict] = [:]
    codec.authenticate(first: 1, count: 9, &file) { seen[$0] = $1 }
    #expect(seen == expected)
    seen = [:]
    file.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      codec.open(first: 1, count: 9, in: base) { seen[$0] = $1 }
    }
    #expect(seen == expected)
    #expect(Array(file[..<(3 * size)]) == Array(plain[..<(3 * size)]))
    #expect(Array(file[(7 * size)...]) == Array(plain[(7 * size)...]))
  }

  @Test func refusesWhatCannotBe() throws {
    var profile = CipherProfile.format4
    let keys = try KeyDerivation.derive(
      keyOf("x'" + String(repeating: "0f", count: 32) + "'"), profile: profile,
      salt: [UInt8](repeating: 0, count: 16))
    #expect(throws: SealError.badProfile(.saltLength(15))) {
      _ = try PageCodec(profile: profile, keys: keys, salt: [UInt8](repeating: 0, count: 15))
    }
    let tagless = PageKeys(encryption: keys.encryption, hmac: nil)
    #expect(throws: SealError.self) {
      _ = try PageCodec(profile: profile, keys: tagless, salt: [UInt8](repeating: 0, count: 16))
    }
    profile.pageSize = 512
    #expect(throws: SealError.badProfile(.usableSize(pageSize: 512, reserve: 80))) {
      _ = try PageCodec(profile: profile, keys: keys, salt: [UInt8](repeating: 0, count: 16))
    }
  }
}
