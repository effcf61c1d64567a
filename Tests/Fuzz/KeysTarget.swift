// Keys: bytes of a key file or a list to a key, its other readings, and command lines that give one.
// Input: the bytes.
import Foundation
internal import SealCore

@testable import SealCLI
@testable import SealCore

enum KeysTarget {
  static func run(_ bytes: [UInt8]) throws {
    let secret = bytes.withUnsafeBytes { Secret(copying: $0) }
    try lines(bytes, secret)
    try list(bytes, secret)
    for reading in [KeyMaterial.Reading.automatic, .raw, .passphrase] {
      do {
        try material(KeyMaterial(secret, as: reading), of: secret)
      } catch SealError.badKey {}
    }
    try encodings(bytes, secret)
    if let text = String(validating: bytes, as: UTF8.self) { try words(text) }
  }

  private static func content(_ secret: Secret) -> [UInt8] { secret.withBytes { Array($0) } }

  /// A file of one line.
  private static func lines(_ bytes: [UInt8], _ secret: Secret) throws {
    do {
      let line = content(try KeyText.line(of: secret, from: .standardInput))
      try demand(!line.isEmpty && !line.contains(0x0a) && !line.contains(0), "no line")
      try demand(bytes.starts(with: line), "another line than the file has")
      let end = Array(bytes[line.count...])
      try demand([[], [0x0a], [0x0d, 0x0a]].contains(end), "more than a line end was dropped")
    } catch is KeyFailure {}
  }

  /// A list of keys.
  private static func list(_ bytes: [UInt8], _ secret: Secret) throws {
    do {
      let found = try KeyList.candidates(in: secret, from: .standardInput, .passphrase)
      let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
      for candidate in found {
        let key = content(try candidate.key().engineKey)
        try demand(lines[candidate.line - 1].starts(with: key), "a key of another line")
      }
      try demand(zip(found, found.dropFirst()).allSatisfy { $0.line < $1.line }, "out of order")
    } catch is KeyFailure {}
  }

  private static func material(_ key: KeyMaterial, of secret: Secret) throws {
    switch key.kind {
    case .passphrase(let bytes):
      try demand(bytes.isEqual(to: secret) && key.engineKey.isEqual(to: secret), "changed")
    case .raw(let raw, let hmac, let salt):
      try demand(raw.count == 32 && [nil, 32].contains(hmac?.count), "a raw key of another length")
      try demand([nil, 16].contains(salt?.count), "a salt of another length")
      let again = try KeyMaterial(key.engineKey)
      guard case .raw(let other, _, let otherSalt) = again.kind else {
        throw Broken(description: "the engine would not take it as a raw key")
      }
      try demand(other.isEqual(to: raw) && otherSalt == salt, "the engine would take another key")
    }
    let variants = key.variants()
    try demand(variants.count <= 20, "\(variants.count) readings")
    for (index, one) in variants.enumerated() {
      let other = variants[..<index].contains { $0.key.engineKey.isEqual(to: one.key.engineKey) }
      try demand(!other, "a reading twice")
      _ = KeyText.words(for: one.variant)
    }
    _ = (key.oddity, key.shape, KeyMaterial.cut(secret))
  }

  /// Judged by Foundation.
  private static func encodings(_ bytes: [UInt8], _ secret: Secret) throws {
    let hex = KeyBytes.hex(of: secret)
    let digits = Array("0123456789abcdef".utf8)
    try demand(
      content(hex) == bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, "other digits"
    )
    try demand(KeyBytes.bytes(ofHex: hex)?.isEqual(to: secret) == true, "digits are not read back")
    // Foundation also takes other letters, and padding anywhere.
    let letters = bytes.prefix { $0 != 0x3d }
    let padding = bytes[letters.count...]
    if letters.count >= 2, bytes.count % 4 == 0, padding.count <= 2,
      padding.allSatisfy({ $0 == 0x3d }), bytes.allSatisfy({ $0 > 0x20 }),
      let theirs = Data(base64Encoded: Data(bytes))
    {
      guard let ours = KeyBytes.bytes(ofBase64: secret) else {
        throw Broken(description: "base64 that is not taken")
      }
      try demand(content(ours) == Array(theirs), "base64 of other bytes")
    }
    for isTerminal in [true, false] {
      let line = content(SecretText.line(secret, forTerminal: isTerminal))
      try demand(line.last == 0x0a, "a line without an end")
      if isTerminal {
        try demand(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7f }, "a control character")
      }
    }
    let object = content(
      SecretText.line(JSON.object([JSON.Field("a", .bool(true))]), withKey: secret))
    guard let read = try JSONSerialization.jsonObject(with: Data(object)) as? [String: Any] else {
      throw Broken(description: "no JSON object")
    }
    let key = (read["key"] as? String).map { Array($0.utf8) }
    // Foundation drops byte-order marks.
    if bytes.firstRange(of: [0xef, 0xbb, 0xbf]) != nil { return }
    try demand(key == nil || key == bytes, "JSON of another key")
    try demand(key != nil || read["key_hex"] as? String != nil, "JSON without a key")
  }

  /// A command line, split as POSIX has it.
  private static func words(_ line: String) throws {
    guard let words = try? ShellWords.split(line) else { return }
    let quoted = words.map {
      "'"
        + $0.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
    }
    let again = try ShellWords.split(quoted.joined(separator: " \t"))
    let isSame = zip(words, again).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    try demand(isSame && words.count == again.count, "quoted words are split another way")
  }
}
