// argv as bytes to texts. A file's name may be any bytes; one that is not UTF-8 is refused, because
// a repaired name would be the name of another file.

/// Decodes the arguments of the process.
enum Arguments {
  /// The arguments as texts, each with exactly the bytes that were given.
  static func decode(_ arguments: [[UInt8]]) throws(UsageFlaw) -> [String] {
    var texts: [String] = []
    for bytes in arguments {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .notUTF8(escaped(bytes))
      }
      texts.append(text)
    }
    return texts
  }

  /// The bytes of argv without the first.
  static func ofProcess() -> [[UInt8]] {
    let count = Int(CommandLine.argc)
    guard count > 1 else { return [] }
    return (1..<count).compactMap { index in
      CommandLine.unsafeArgv[index].map { text in
        var bytes: [UInt8] = []
        var next = text
        while next.pointee != 0 {
          bytes.append(UInt8(bitPattern: next.pointee))
          next = next.advanced(by: 1)
        }
        return bytes
      }
    }
  }

  /// ASCII as it is, every other byte as `\xNN`.
  static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      (0x20..<0x7f).contains(byte)
        ? String(UnicodeScalar(byte)) : "\\x" + Hex.text([byte])
    }.joined()
  }
}
