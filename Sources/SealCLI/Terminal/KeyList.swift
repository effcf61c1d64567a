// A list of keys that the user has, one a line, to find the one that fits. Of a key in it only the number
// of its line is ever said.

internal import SealCore

/// A key of a list, made when it is asked for: a key has a page of memory, and a list may hold half a
/// million.
struct KeyCandidate: Sendable {
  /// From 1.
  let line: Int
  private let list: Secret
  private let place: Range<Int>
  private let reading: KeyMaterial.Reading

  /// Throws `SealError.badKey` for what is no key.
  fileprivate init(
    line: Int, of list: Secret, at place: Range<Int>, _ reading: KeyMaterial.Reading
  ) throws {
    self.line = line
    self.list = list
    self.place = place
    self.reading = reading
    _ = try key()
  }

  /// The key. Throws `SealError.badKey`.
  func key() throws -> KeyMaterial { try KeyMaterial(list.slice(place), as: reading) }
}

/// Bytes of a list to its keys.
enum KeyList {
  /// The keys, in order. Each line is read as a key file is. Throws `KeyFailure`.
  static func candidates(
    in bytes: Secret, from source: KeySource, _ reading: KeyMaterial.Reading
  ) throws -> [KeyCandidate] {
    if let flaw = bytes.withBytes(flaw) { throw failure(source, flaw) }
    var found: [KeyCandidate] = []
    for (index, range) in bytes.withBytes(lines).enumerated() where !range.isEmpty {
      do {
        found.append(
          try KeyCandidate(line: index + 1, of: bytes, at: range, reading))
      } catch SealError.badKey(let flaw) {
        throw failure(source, .line(index + 1, flaw))
      }
    }
    if found.isEmpty { throw failure(source, .empty) }
    return found
  }

  private static func failure(_ source: KeySource, _ flaw: KeyFailure.Flaw) -> KeyFailure {
    KeyFailure(source: source, flaw: flaw, isList: true)
  }

  private static func flaw(in bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    KeyText.otherForm(of: bytes) ?? (bytes.contains(0) ? .nul : nil)
  }

  /// Where each line is, without its LF or CRLF.
  private static func lines(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    for index in 0...bytes.count where index == bytes.count || bytes[index] == 0x0a {
      let hasReturn = index > start && index < bytes.count && bytes[index - 1] == 0x0d
      lines.append(start..<(hasReturn ? index - 1 : index))
      start = index + 1
    }
    return lines
  }
}
