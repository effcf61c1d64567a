// The text rule: what of a file's bytes is the key. One rule for files, descriptors, standard
// input and the output of commands.

internal import SealCore

/// Bytes of a text to the key in it.
enum KeyText {
  /// Drops exactly one final LF or CRLF. Refuses what no single line of text has.
  static func line(of bytes: Secret, from source: KeySource) throws(KeyFailure) -> Secret {
    if let flaw = bytes.withBytes({ flaw(in: $0) }) {
      throw KeyFailure(source: source, flaw: flaw)
    }
    return bytes.slice(0..<bytes.withBytes { length(of: $0) })
  }

  /// The bytes before a final LF or CRLF.
  private static func length(of bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.last == 0x0a else { return bytes.count }
    let count = bytes.count - 1
    return count > 0 && bytes[count - 1] == 0x0d ? count - 1 : count
  }

  /// An editor's mark of UTF-8 or UTF-16, which is no part of a key.
  static func startsWithByteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let marks: [[UInt8]] = [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]]
    return marks.contains { bytes.starts(with: $0) }
  }

  private static func flaw(in bytes: UnsafeRawBufferPointer) -> KeyFailure.Flaw? {
    let count = length(of: bytes)
    if count == 0 { return .empty }
    if startsWithByteOrderMark(bytes) { return .byteOrderMark }
    let line = bytes[..<count]
    if line.contains(0x0a) { return .severalLines }
    return line.contains(0) ? .nul : nil
  }
}
