// Plan: a file that is cut anywhere is never read past its end, and is what it was or nothing.
// - every sign, cut at each length up to 64 bytes, and the table of an encrypted Realm file;
// - bytes of all ones and zeros behind each sign;
// - a salt with a whole sign is not drawn.

import Testing

@testable import SealCore

@Suite struct OtherFormatTests {
  /// The shortest start that has the sign.
  static let signs: [(OtherFormat, [UInt8])] = [
    (.realm, Array(repeating: 0, count: 16) + Array("T-DB".utf8) + [9, 9, 0, 1]),
    (.duckDB, Array(repeating: 0, count: 8) + Array("DUCK".utf8) + [64, 0, 0, 0, 0, 0, 0, 0]),
    (.lmdb, Array(repeating: 0, count: 16) + [0xde, 0xc0, 0xef, 0xbe, 1, 0, 0, 0]),
    (.gzip, [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 2, 3] + Array(repeating: 7, count: 8)),
    (.zip, [0x50, 0x4b, 3, 4, 20, 0] + Array(repeating: 7, count: 12)),
    (
      .bzip2,
      Array("BZh9".utf8) + [0x31, 0x41, 0x59, 0x26, 0x53, 0x59] + Array(repeating: 7, count: 8)
    ),
    (.xz, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0] + Array(repeating: 7, count: 11)),
    (.zstd, [0x28, 0xb5, 0x2f, 0xfd, 0x24, 5, 0x29, 0, 0] + Array(repeating: 7, count: 9)),
    (.age, Array("age-encryption.org/v1\n".utf8)),
    (.openPGP, [0x8c, 13, 4, 9, 3, 10] + Array(repeating: 7, count: 10)),
    (.openPGP, [0x85, 1, 0x0c, 3] + Array(repeating: 7, count: 8) + [1]),
    (.openPGP, [0x84, 0x5e, 3] + Array(repeating: 7, count: 8) + [18, 1, 7]),
    (.androidBackup, Array("ANDROID BACKUP\n".utf8)),
    (.sqlText, Array(" Begin Transaction;".utf8)),
  ]

  @Test(arguments: signs.indices) func isFoundWholeAndNeverPastTheEnd(index: Int) {
    let (format, sign) = Self.signs[index]
    for filler: UInt8 in [0, 0xff] {
      let whole = sign + Array(repeating: filler, count: 64)
      for count in 0...whole.count {
        // An array of its own size, so that a read past its end shows under a sanitizer.
        let found = Array(whole[..<count]).withUnsafeBytes { OtherFormat.recognised(in: $0) }
        #expect(found == (count >= sign.count ? format : nil), "\(count) bytes")
      }
    }
  }

  @Test func aTableOfRealmIsReadWholeOrNotAtAll() {
    var bytes = [UInt8](repeating: 0, count: 8192)
    bytes[0] = 1
    for index in 4..<32 { bytes[index] = UInt8(index) }
    for count in [0, 31, 32, 4095, 4096, 8191] {
      let found = Array(bytes[..<count]).withUnsafeBytes { OtherFormat.recognised(in: $0) }
      #expect(found == nil, "\(count) bytes")
    }
    #expect(bytes.withUnsafeBytes { OtherFormat.recognised(in: $0) } == .realmEncrypted)
  }

  @Test func nothingIsFoundInBytesOfOneKind() {
    for filler: UInt8 in [0, 0x20, 0x7f, 0xff] {
      for count in 0..<300 {
        let bytes = [UInt8](repeating: filler, count: count)
        #expect(bytes.withUnsafeBytes { OtherFormat.recognised(in: $0) } == nil)
      }
    }
  }

  @Test func aSaltThatReadsLikeAnotherFileIsKnown() {
    let logs: [[UInt8]] = [
      [0x37, 0x7f, 6, 0x82], [0x37, 0x7f, 6, 0x83],
      [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7],
    ]
    let signs = Self.signs.filter { $0.0.standsInSalt && $0.1.count <= 18 }.map(\.1)
    #expect(signs.count > 8)
    for sign in signs + logs {
      let salt = Array((sign + [UInt8](repeating: 7, count: 16)).prefix(16))
      #expect(FileClassifier.isMisleading(salt: salt), "\(salt)")
    }
    #expect(FileClassifier.isMisleading(salt: Array("SQLite format 3\0".utf8)))
    #expect(!FileClassifier.isMisleading(salt: Array(1...16)))
  }
}
