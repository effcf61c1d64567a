// The digest by which both sides of a conversion are compared: that it is Poly1305 over NH, as its two
// definitions have them, and that it does not matter in which pieces a payload comes.

import Testing

@testable import SealCore

@Suite struct StreamDigestTests {
  /// RFC 8439, appendix A.3, test vectors 7 to 12: those whose text is whole blocks.
  @Test(arguments: [
    ("02", "", "ffffffffffffffffffffffffffffffff", "03"),
    ("02", "ffffffffffffffffffffffffffffffff", "02000000000000000000000000000000", "03"),
    (
      "01", "",
      "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff"
        + "11000000000000000000000000000000", "05"
    ),
    (
      "01", "",
      "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe"
        + "01010101010101010101010101010101", ""
    ),
    ("02", "", "fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"),
    (
      "01000000000000000400000000000000", "",
      "e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000"
        + "0000000000000000000000000000000001000000000000000000000000000000",
      "14000000000000005500000000000000"
    ),
  ])
  func digestsNumbersAsPoly1305(r: String, s: String, text: String, tag: String) throws {
    let key = bytes(r, 16) + bytes(s, 16) + [UInt8](repeating: 7, count: BlockHash.blockLength)
    let digest = try StreamDigest(key: key.withUnsafeBytes { Secret(copying: $0) })
    for word in words(bytes(text, text.utf8.count / 2)) { digest.update(word) }
    #expect(try digest.finish() == bytes(tag, 16))
  }

  private static let lengths =
    Array(0...40) + [63, 64, 65, 100, 1007, 1008, 1009, 1023, 1024, 1025, 1040, 2047, 2048, 5003]

  @Test(arguments: lengths)
  func digestsPayloadsAsDefined(length: Int) throws {
    var random = SeededGenerator(state: UInt64(length))
    let key = random.bytes(StreamDigest.keyLength)
    let payload = random.bytes(length)
    let right = try digest(key) { digest in
      digest.update(1)
      for word in nh(of: payload, key: words(Array(key[32...]))) { digest.update(word) }
      digest.update(2)
    }
    // At every place of a word, and with other bytes behind it.
    for shift in 0..<8 {
      let there = random.bytes(shift) + payload + random.bytes(BTreePage.slack)
      try there.withUnsafeBytes { there in
        let start = try #require(there.baseAddress) + shift
        let whole = try digest(key) { digest in
          digest.update(1, nil, start, length)
          digest.update(2)
        }
        #expect(whole == right)
        for step in [1, 3, 16, 17, 250, 1024, 4092] {
          let pieces = try digest(key) { digest in
            digest.update(1)
            for place in stride(from: 0, to: length, by: step) {
              digest.update(start + place, min(step, length - place))
            }
            digest.update(2)
          }
          #expect(pieces == right, "in pieces of \(step)")
        }
      }
    }
  }

  /// More than waits for Poly1305 at once.
  @Test func digestsManyRecords() throws {
    var random = SeededGenerator(state: 31)
    let key = random.bytes(StreamDigest.keyLength)
    let records = (0..<3000).map { ($0, random.bytes($0 % 90)) }
    let right = try digest(key) { digest in
      for (rowid, payload) in records {
        digest.update(UInt64(payload.count))
        digest.update(UInt64(rowid))
        for word in nh(of: payload, key: words(Array(key[32...]))) { digest.update(word) }
      }
    }
    let found = try digest(key) { digest in
      for (rowid, payload) in records {
        (payload + [UInt8](repeating: 1, count: BTreePage.slack)).withUnsafeBytes {
          if let start = $0.baseAddress {
            digest.update(UInt64(payload.count), UInt64(rowid), start, payload.count)
          }
        }
      }
    }
    #expect(found == right)
  }

  private func digest(_ key: [UInt8], _ feed: (StreamDigest) throws -> Void) throws -> [UInt8] {
    let digest = try StreamDigest(key: key.withUnsafeBytes { Secret(copying: $0) })
    try feed(digest)
    return try digest.finish()
  }

  /// NH of each block of 1024 bytes, low word first, as the definition has it: the sum of the products of
  /// words and words of the key, which are added before, with zeros behind the last block.
  private func nh(of payload: [UInt8], key: [UInt64]) -> [UInt64] {
    stride(from: 0, to: payload.count, by: 1024).flatMap { start in
      let block = Array(payload[start..<min(start + 1024, payload.count)])
      let text = words(block + [UInt8](repeating: 0, count: (16 - block.count % 16) % 16))
      var sum: UInt128 = 0
      for pair in stride(from: 0, to: text.count, by: 2) {
        let (left, right) = (text[pair] &+ key[pair], text[pair + 1] &+ key[pair + 1])
        sum &+= UInt128(left) * UInt128(right)
      }
      return [UInt64(truncatingIfNeeded: sum), UInt64(truncatingIfNeeded: sum >> 64)]
    }
  }

  private func words(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count - 7, by: 8).map { place in
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
    }
  }

  /// Hex digits, with zeros behind them up to `count` bytes.
  private func bytes(_ hex: String, _ count: Int) -> [UInt8] {
    let digits = Array(hex.utf8).map { $0 < 58 ? $0 - 48 : $0 - 87 }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    return bytes + [UInt8](repeating: 0, count: count - bytes.count)
  }
}
