// Plan: what a user gives as a key is understood as SQLCipher does, and what may have been meant by
// a wrong one is found.
// - quoted digits are raw;
// - the readings of a key that opens nothing: by a table; a plain one has one, long ones few;
// - encodings by what Foundation says they are; base64 and hex too; no bytes make a trap.

import Foundation
import Testing

@testable import SealCore

private func secret(_ text: String) -> Secret { secret(bytes: Array(text.utf8)) }
private func bytes(_ secret: Secret?) -> [UInt8]? { secret?.withBytes { Array($0) } }

/// The readings of a key by name.
private func variants(_ key: [UInt8], _ reading: KeyMaterial.Reading = .automatic) throws
  -> [KeyVariant: KeyMaterial]
{
  let found = try KeyMaterial(secret(bytes: key), as: reading).variants()
  #expect(Set(found.map(\.variant.rawValue)).count == found.count)
  return Dictionary(found.map { ($0.variant, $0.key) }) { first, _ in first }
}

@Suite struct KeyMaterialTests {
  @Test func takesQuotedDigitsAsRaw() throws {
    let key = try KeyMaterial(secret("x'" + String(repeating: "0f", count: 32) + "'"))
    guard case .raw(let bytes, nil, nil) = key.kind else {
      Issue.record("not raw")
      return
    }
    #expect(bytes.withBytes { Array($0) } == Array(repeating: 0x0f, count: 32))
  }

  /// What every text has: what apps make of it, and the zeros of a cleared array.
  private static let always: Set<KeyVariant> = [.utf16, .markedUTF16, .cleared]

  @Test func aPlainPassphraseHasFewOtherReadings() throws {
    for key in ["words", "Passw0rd!", "a", "two words"] {
      let found = try variants(Array(key.utf8))
      #expect(Set(found.keys) == Self.always.union([.withNewline]), "\(key)")
      #expect(bytes(found[.cleared]?.engineKey) == [0])
      #expect(bytes(found[.withNewline]?.engineKey) == Array((key + "\n").utf8))
    }
  }

  @Test(
    arguments: [
      ("word\n", [.withoutNewline: "word"]), ("word\r\n", [.withoutNewline: "word"]),
      (" word\n", [.withoutNewline: " word", .withoutBlanks: "word"]),
      ("\u{feff}\"word\"", [.withoutMark: "\"word\"", .withoutQuotes: "word"]),
      ("'a", [.withNewline: "'a\n"]), ("\"\"", [.withNewline: "\"\"\n"]),
      ("\n", [.withNewline: "\n\n"]), ("word\r", [.withoutReturn: "word"]),
      ("word\r\n\n", [.withoutNewline: "word\r\n", .withoutNewlines: "word"]),
      ("word;", [.withoutSemicolon: "word"]), ("w\0\u{1}\0", [.fromUTF16: "w\u{1}"]),
      ("pragma KEY = 'word' ;", [.withoutStatement: "word"]),
      ("pragma", [.withNewline: "pragma\n"]),
      (" \n", [.withoutNewline: " "]),
    ] as [(String, [KeyVariant: String])])
  func takesOffWhatStandsAround(_ key: String, _ expected: [KeyVariant: String]) throws {
    let found = try variants(Array(key.utf8)).filter { !Self.always.contains($0.key) }
      .mapValues { bytes($0.engineKey) }
    #expect(found == expected.mapValues { Array($0.utf8) })
  }

  @Test func joinsAndPartsEveryAccentOfLatin1() throws {
    // Those whose decomposition Unicode has: by Foundation.
    for scalar in (0xc0...0xff).compactMap(Unicode.Scalar.init) {
      let joined = String(Character(scalar)).precomposedStringWithCanonicalMapping
      let apart = joined.decomposedStringWithCanonicalMapping
      guard Array(apart.utf8) != Array(joined.utf8) else { continue }
      let (nfc, nfd) = (Array("a\(joined)b".utf8), Array("a\(apart)b".utf8))
      #expect(bytes(try variants(nfc)[.decomposed]?.engineKey) == nfd, "\(joined)")
      #expect(bytes(try variants(nfd)[.composed]?.engineKey) == nfc, "\(joined)")
    }
  }

  @Test func changesTheEncoding() throws {
    let text = String(String.UnicodeScalarView((0xa0...0xff).compactMap(Unicode.Scalar.init)))
    let latin1 = try #require(text.data(using: .isoLatin1).map { Array($0) })
    #expect(bytes(try variants(Array(text.utf8))[.latin1]?.engineKey) == latin1)
    #expect(bytes(try variants(latin1)[.utf8]?.engineKey) == Array(text.utf8))
    #expect(try variants(Array("\u{20ac}".utf8))[.latin1] == nil)
  }

  @Test(arguments: ["words", "\u{e9}\u{20ac}", "key \u{1f511}!", "\u{10ffff}", "\u{ffff}\u{800}"])
  func writesUTF16(_ text: String) throws {
    let found = try variants(Array(text.utf8))
    let wide = try #require(text.data(using: .utf16LittleEndian).map { Array($0) })
    #expect(bytes(found[.utf16]?.engineKey) == wide)
    #expect(bytes(found[.markedUTF16]?.engineKey) == [0xff, 0xfe] + wide)
    // Each 16-bit unit as if it were a character; only those beyond U+FFFF are written otherwise.
    let units = text.utf16.flatMap { unit -> [UInt8] in
      guard (0xd800...0xdfff).contains(unit) else {
        return Array(String(Unicode.Scalar(unit).map(Character.init) ?? " ").utf8)
      }
      return [0xed, 0x80 | UInt8(unit >> 6 & 0x3f), 0x80 | UInt8(unit & 0x3f)]
    }
    let isSame = units == Array(text.utf8)
    #expect(bytes(found[.modifiedUTF8]?.engineKey) == (isSame ? nil : units))
  }

  @Test(arguments: 16...40) func readsBase64(_ count: Int) throws {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) })
    let text = data.base64EncodedString()
    let plain = text.filter { $0 != "=" }
    let address = text.replacing("+", with: "-").replacing("/", with: "_")
    for form in [text, plain, address] {
      #expect(bytes(KeyBytes.bytes(ofBase64: secret(form))) == Array(data), "\(form)")
    }
    let raw = try variants(Array(text.utf8))[.base64AsRaw]
    #expect((raw != nil) == (count == 32))
  }

  @Test(arguments: [32, 48, 80]) func takesBytesAsRawAndDigitsAsBytes(_ count: Int) throws {
    let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 129) }
    let digits = data.map { String(format: "%02x", $0) }.joined()
    let raw = try #require(try variants(data)[.bytesAsRaw])
    #expect(bytes(raw.engineKey) == Array("x'\(digits)'".utf8))
    let typed = try variants(Array(digits.utf8))
    #expect(bytes(typed[.raw]?.engineKey) == Array("x'\(digits)'".utf8))
    let given = try variants(Array(digits.utf8), .raw)
    #expect(bytes(given[.passphrase]?.engineKey) == Array(digits.utf8))
    #expect((given[.withoutSalt] != nil) == (count > 32))
    #expect(bytes(typed[.bytesOfDigits]?.engineKey) == data)
  }

  @Test func noBytesMakeATrapOrManyReadings() throws {
    var generator = SeededGenerator(state: 21)
    let parts: [[UInt8]] = [
      [0x0a], [0x20], [0x22], [0x27], [0xef, 0xbb, 0xbf], [0xc3], [0xc3, 0xa9], [0x65, 0xcc, 0x81],
      [0xcc], [0xff], [0xff, 0xfe], [0, 0x61], [0x3b], Array("pragma".utf8), [0x30, 0x78], [0x3d],
      [0x78, 0x27], Array("YWJj".utf8), Array(repeating: 0x61, count: 32),
    ]
    let drawn = (0..<3000).map { _ in
      (0..<Int.random(in: 1...6, using: &generator)).flatMap { _ in
        parts.randomElement(using: &generator) ?? []
      }
    }
    // `x'`, 64 digits, and whatever comes then, which is hardly ever drawn.
    let raw = parts.map { [0x78, 0x27] + Array(repeating: 0x61, count: 64) + $0 }
    for key in drawn + raw {
      guard !isTakenAsRaw(key) else {
        #expect(throws: SealError.badKey(.passphraseTakenRaw)) {
          try KeyMaterial(secret(bytes: key), as: .passphrase)
        }
        continue
      }
      let material = try KeyMaterial(secret(bytes: key), as: .passphrase)
      #expect(material.variants().count <= 16, "\(key)")
      _ = material.shape
    }
  }

  /// SQLCipher takes what begins with `x'` and digits for a raw key by its length alone, whatever its
  /// last character is (sqlcipher_codec_key_derive in 4.6.1's crypto_impl.c).
  private func isTakenAsRaw(_ key: [UInt8]) -> Bool {
    [67, 99, 163].contains(key.count) && key.starts(with: Array("x'".utf8))
      && key[2..<(key.count - 1)].allSatisfy { Array("0123456789abcdef".utf8).contains($0) }
  }
}
