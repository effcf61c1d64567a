// One database of a manifest: its fields become values of verify's options, checked by the parser's own
// rules.

internal import SealCore

/// The fields of an entry.
enum ManifestFields {
  static let file = "file"
  static let name = "name"
  static let encrypted = "encrypted"
  static let tables = "tables"
  static let expectedCode = "expect_code"

  /// The options about a key that a field may name.
  static let key: [OptionSpec] = {
    let set = KeyOptions.database
    return [
      set.file, set.environment, set.command, set.keyring, set.raw, set.passphrase, set.binary,
      set.allowOpenFile, set.backend, set.timeout,
    ]
  }()

  /// Of those, what says where the key is.
  static let sources: [OptionSpec] = {
    let set = KeyOptions.database
    return [set.file, set.environment, set.command, set.keyring]
  }()

  /// The options that are fields under their own names.
  static let plain = key + CipherOptions.examined.all + [VerifyOptions.quick, VerifyOptions.sample]

  /// The options whose names begin with `expect-`, which a field leaves out.
  static let expected = [
    VerifyOptions.userVersion, VerifyOptions.applicationID, VerifyOptions.expectDigest,
  ]

  /// The name of an option as a field.
  static func name(_ option: OptionSpec) -> String {
    let bare = option.name.hasPrefix("expect-") ? String(option.name.dropFirst(7)) : option.name
    return String(bare.map { $0 == "-" ? "_" : $0 })
  }

  /// Those of which an entry has one for what was found, as far as it wants that to be so.
  static let facts = expected.map(name) + [tables]

  /// The failure of a key source that a field names.
  static func named(in failure: KeyFailure, of manifest: String) -> KeyFailure {
    guard let origin = failure.origin, let option = sources.first(where: { $0.flag == origin })
    else { return failure }
    var named = failure
    // A word that is no name of a file has the manifest's folder before it by now.
    if case .file(let path) = failure.source, case .unreadable = failure.flaw,
      let word = ManifestPaths.written(path, in: manifest), !KeyArguments.isRepeatable(path: word)
    {
      named = KeyFailure(source: .file(word), flaw: failure.flaw, prefix: failure.prefix)
    }
    named.origin = name(option)
    return named
  }

  /// All fields, in the order in which they are written.
  static let all =
    [file, name, encrypted] + plain.map(name) + expected.map(name) + [tables, expectedCode]

  /// How checking a database can end.
  static let codes: [ErrorCode] = [
    .checkFailed, .noKey, .wrongKey, .damaged, .wrongKind, .locked, .io, .unsupported,
  ]
}

/// Reads one entry.
struct ManifestEntry {
  private let object: ManifestObject
  private let base: ParsedCommand

  /// `base`: the command line.
  init(_ object: ManifestObject, _ base: ParsedCommand) {
    self.object = object
    self.base = base
  }

  /// The database with everything that is to be checked about it.
  func task() throws -> VerifyTask {
    try object.requireFields(ManifestFields.all)
    guard let file = object[ManifestFields.file] else {
      throw object.flaw(.missing(ManifestFields.file))
    }
    let expected = try object[ManifestFields.expectedCode].map(code) ?? .ok
    var task = VerifyTask(place(try object.text(file)), base)
    task.expected = expected
    if base.has(VerifyOptions.writeManifest) { task.entry = object }
    task.parsed = try options(comparing: !task.isRefreshed)
    task.name = try object[ManifestFields.name].map { try object.text($0) }
    task.tables = try tables(comparing: !task.isRefreshed)
    if let member = object[ManifestFields.encrypted] {
      task.isPlain = try !object.bool(member)
      if task.isPlain { try requireAgreement(base.has(encrypted) ? false : nil, member, encrypted) }
      if !task.isPlain { task.parsed.values[encrypted.name] = .flag }
    }
    let source = ManifestFields.sources.lazy.compactMap { object[ManifestFields.name($0)] }.first
    (task.hasOwnKey, task.keyLine) = (source != nil, source?.line)
    do {
      try Parser.checkRules(task.parsed)
      _ = try task.settings.candidates()
    } catch { throw object.flaw(.refused(error)) }
    return task
  }

  /// The options of the command line with the entry's on top. A key source of its own replaces the
  /// command line's, with all that was said about that. Without `comparing`, what was found before is
  /// not expected.
  private func options(comparing: Bool) throws -> ParsedCommand {
    var parsed = base
    let set = KeyOptions.database
    let named = ManifestFields.key.filter { object[ManifestFields.name($0)] != nil }
    if named.contains(where: ManifestFields.sources.contains) {
      for option in set.own + [KeyOptions.tryKeys] { parsed.values[option.name] = nil }
    } else if named.contains(set.raw) || named.contains(set.passphrase) {
      for option in [set.raw, set.passphrase] { parsed.values[option.name] = nil }
    }
    for option in ManifestFields.plain + ManifestFields.expected {
      guard let member = object[ManifestFields.name(option)] else { continue }
      let value = try value(member, option)
      if ManifestFields.expected.contains(option) {
        guard comparing else { continue }
        try requireAgreement(base.values[option.name].map { Self.same($0, value) }, member, option)
      }
      parsed.values[option.name] = value
    }
    return parsed
  }

  private var encrypted: OptionSpec { VerifyOptions.encrypted }

  /// Throws where the command line expects something else: every database has to be as it says.
  private func requireAgreement(
    _ agrees: Bool?, _ member: JSONNode.Member, _ option: OptionSpec, of field: String? = nil
  ) throws {
    guard agrees == false else { return }
    throw object.flaw(.contradicted(field ?? member.name, by: option.flag), at: member)
  }

  /// Header fields are 32 bits, with and without a sign.
  private static func same(_ a: ParsedCommand.Value, _ b: ParsedCommand.Value?) -> Bool {
    if case (.integer(let a), .integer(let b)) = (a, b) {
      return UInt32(truncatingIfNeeded: a) == UInt32(truncatingIfNeeded: b)
    }
    return a == b
  }

  /// The value of `option`; nil for a flag that is false.
  private func value(_ member: JSONNode.Member, _ option: OptionSpec) throws -> ParsedCommand.Value?
  {
    var text: String
    switch option.value {
    case .none: return try object.bool(member) ? .flag : nil
    case .integer, .seconds, .choice:
      switch (member.value.value, isWords(option)) {
      case (.integer(let number), false): text = String(number)
      case (.number(let number), false): text = number
      case (.string(let word), true): text = word
      case (_, let words): throw object.wrongType(member, wanted: words ? "a text" : "a number")
      }
    case .text(_, let completion):
      text = try object.text(member)
      if KeyArguments.looksRaw(text) { throw object.flaw(.keyField(member.name), at: member) }
      if completion == .file { text = place(text) }
    case .hex, .suffix: text = try object.text(member)
    }
    do {
      return try OptionValues.parse(text, for: option)
    } catch {
      throw object.flaw(.badValue(member.name, allowed: option.allowed ?? "a text"), at: member)
    }
  }

  /// A choice of words; of one of numbers a number is wanted.
  private func isWords(_ option: OptionSpec) -> Bool {
    guard case .choice(_, let words) = option.value else { return false }
    return words.contains { Int($0) == nil }
  }

  private func tables(comparing: Bool) throws -> [Expectations.Table] {
    guard let member = object[ManifestFields.tables] else { return [] }
    let tables = try ManifestObject(member.value, object.path, ManifestFields.tables)
    return try tables.members.map { table in
      switch table.value.value {
      case .null: return Expectations.Table(name: table.name, rows: nil)
      case .integer(let rows) where rows >= 0:
        let given = base.texts(VerifyOptions.table).map(VerifyCommand.table).first {
          $0.name.isSameName(as: table.name) && $0.rows != nil
        }
        if comparing {
          try requireAgreement(
            given.map { $0.rows == UInt64(rows) }, table, VerifyOptions.table,
            of: ManifestFields.tables)
        }
        return Expectations.Table(name: table.name, rows: UInt64(rows))
      default:
        throw object.flaw(
          .badValue(ManifestFields.tables, allowed: "a number of rows for each table, or null"),
          at: table)
      }
    }
  }

  private func code(_ member: JSONNode.Member) throws -> ErrorCode {
    let word = try object.text(member)
    let words = ManifestFields.codes.map(\.rawValue)
    guard let code = ErrorCode(rawValue: word), ManifestFields.codes.contains(code) else {
      throw object.flaw(
        .unknownCode(suggestion: Suggestions.nearest(to: word, among: words)), at: member)
    }
    return code
  }

  /// Names are relative to the manifest.
  private func place(_ path: String) -> String { ManifestPaths.resolve(path, from: object.path) }
}
