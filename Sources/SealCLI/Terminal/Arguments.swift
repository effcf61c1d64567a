// argv as bytes to texts. A file's name may be any bytes; one that is not UTF-8 is refused, because
// a repaired name would be the name of another file.

internal import CProcess

/// Decodes the arguments of the process.
enum Arguments {
  /// The arguments as texts, each with exactly the bytes that were given.
  static func decode(_ arguments: [[UInt8]]) throws(UsageFlaw) -> [String] {
    var texts: [String] = []
    for bytes in arguments {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        let shown = escaped(bytes)
        let isName = KeyArguments.isRepeatable(path: shown) && !isOfKey(bytes, after: texts.last)
        throw .notUTF8(isName ? shown : nil)
      }
      texts.append(text)
    }
    return texts
  }

  /// Whether `bytes` are given to an option about keys, which `before` or they themselves begin with.
  private static func isOfKey(_ bytes: [UInt8], after before: String?) -> Bool {
    let own = String(decoding: bytes.prefix { $0 != 0x3d }, as: UTF8.self)
    return Catalog.visible.flatMap(\.options).contains { option in
      option.section.mayHoldKey
        && [before, own].contains { $0.map { OptionValues.same($0, option.flag) } ?? false }
    }
  }

  /// The bytes of argv without the first.
  static func ofProcess() -> [[UInt8]] {
    let count = dbseal_argument_count()
    if count > 0 { return (1..<max(1, count)).compactMap { dbseal_argument($0).map(bytes) } }
    return (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { bytes(UnsafePointer($0)) }
    }
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    var bytes: [UInt8] = []
    var next = text
    while next.pointee != 0 {
      bytes.append(UInt8(bitPattern: next.pointee))
      next = next.advanced(by: 1)
    }
    return bytes
  }

  /// ASCII as it is, every other byte as `\xNN`.
  static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      (0x20..<0x7f).contains(byte)
        ? String(UnicodeScalar(byte)) : "\\x" + Hex.text([byte])
    }.joined()
  }
}
