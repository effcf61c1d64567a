// How cipher settings reach the engine: each known, each in a form from a closed list, each read
// back. A setting that an engine ignores would otherwise look like a wrong key.

extension Connection {
  /// Applies cipher settings, in order, between `key` and the first read. They say what differs
  /// from this engine's own defaults, which are format 4 or, before SQLCipher 4, format 3. Each is
  /// sent only if the engine knows it, and read back. Throws `.unsupported` for one that the engine
  /// does not know, that cannot have this value, or that it answers otherwise.
  func apply(settings: [(name: String, value: String)]) throws {
    let engine = Engine.current
    var settings = settings
    // Where there is no PRAGMA that names a format, the settings that it stands for are sent.
    if let first = settings.first, first.name == CipherPragma.compatibility.rawValue,
      !engine.knows(.compatibility), let format = Int(first.value),
      let spelledOut = CipherPragma.spelledOut(format: format)
    {
      settings = spelledOut + settings.dropFirst()
    }
    for setting in settings {
      guard let pragma = CipherPragma(rawValue: setting.name) else {
        throw unsupported(setting.name, since: "4.0")
      }
      guard engine.knows(pragma) else {
        throw unsupported("PRAGMA \(setting.name)", since: pragma.since)
      }
      guard let value = pragma.normalized(setting.value) else {
        throw unsupported("PRAGMA \(setting.name) of this value", since: pragma.since)
      }
      if pragma == .hmacSaltMask {
        saltMask = UInt8(value.dropFirst(2).dropLast(), radix: 16)
      } else {
        try send(pragma, value)
        if pragma == .plaintextHeader { hasPlainHeader = value != "0" }
      }
    }
  }

  /// Sends one setting and asks for it. Throws `.unsupported` where the answer differs.
  func send(_ pragma: CipherPragma, _ value: String) throws {
    try run(pragma.sql(value))
    guard let wanted = pragma.answer(to: value) else { return }
    guard let found = try run("PRAGMA \(pragma.rawValue)"), Self.text(found) == wanted else {
      throw unsupported("PRAGMA \(pragma.rawValue) = \(value)", since: pragma.since)
    }
  }

  private static func text(_ value: Value) -> String? {
    value.integer.map(String.init) ?? value.string?.trimmed
  }

  private func unsupported(_ feature: String, since: String) -> SealError {
    let engine = Engine.current.cipherVersion ?? Engine.current.sqliteVersion
    return .unsupported(.engineTooOld(engine: engine, needed: since, feature: feature))
  }
}

extension String {
  /// Without blanks at both ends.
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\n" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
