// A manifest of what was just found: everything that is the same for the same content, one field a line,
// sorted, so that a change of a fixture is a change of a few lines.

internal import SealCore
internal import Synchronization

/// Gathers reports and writes them as a manifest. Threads may share it.
final class ManifestWriter: Sendable {
  private let path: String
  private let replaces: Bool
  private let entries = Mutex([(file: String, fields: [JSON.Field])]())

  /// Throws where it has no place; nil where none is asked for.
  init?(_ parsed: ParsedCommand) throws {
    guard let path = parsed.text(VerifyOptions.writeManifest) else { return nil }
    // What it lists is relative to where it is.
    guard !OptionValues.same(path, "-") else {
      throw UsageFlaw.badValue(
        VerifyOptions.writeManifest.flag, value: path, allowed: "the name of a file")
    }
    self.path = path
    replaces = parsed.has(VerifyOptions.replace)
    do {
      try TextFile.requirePlace(path) { replaces && Manifest.isManifest($0) }
    } catch SealError.exists(let path, .foreign) where !replaces {
      throw SealError.exists(path: path, .target)
    }
  }

  /// The next database.
  func add(_ task: VerifyTask, _ report: VerifyReport) {
    let file = ManifestPaths.relative(task.path, to: path)
    var fields = [JSON.Field(ManifestFields.file, .string(file))]
    fields.append(.init(ManifestFields.encrypted, .bool(report.profile != nil)))
    fields += options(of: task, report)
    func add(_ option: OptionSpec, _ value: JSON?) {
      if let value { fields.append(.init(ManifestFields.name(option), value)) }
    }
    add(VerifyOptions.userVersion, report.userVersion.map { .integer(Int64($0)) })
    add(VerifyOptions.applicationID, report.applicationID.map { .integer(Int64($0)) })
    if let content = report.content.fingerprint {
      add(VerifyOptions.expectDigest, .hex(content.digest))
      fields.append(.init(ManifestFields.tables, tables(content)))
    }
    entries.withLock { $0.append((file, fields)) }
  }

  /// Writes it, if all databases passed, and says whether it did.
  func write(isComplete: Bool, on console: Console, _ batch: Batch) throws {
    var isWritten = false
    defer {
      if batch.asJSON {
        console.result(
          JSON.object([.init("manifest", .string(path)), .init("written", .bool(isWritten))]).text)
      }
    }
    func say(_ words: String) {
      guard !batch.asJSON, !batch.quiet else { return }
      console.say([Span("note: ", .note), Span("\(path): \(words)")])
    }
    guard isComplete else { return say("not written, because not all passed") }
    let sorted = entries.withLock { $0 }.sorted {
      $0.file.utf8.lexicographicallyPrecedes($1.file.utf8)
    }
    let manifest = JSON.object([
      .init(Manifest.versionField, .integer(Manifest.version)),
      .init(Manifest.listField, .array(sorted.map { .object($0.fields) })),
    ])
    try TextFile.make(path, manifest.page + "\n") { replaces && Manifest.isManifest($0) }
    isWritten = true
    say("written, with \(Diagnostics.count(UInt64(sorted.count), "database"))")
  }

  /// What opens it and how it was checked, as the options said.
  private func options(of task: VerifyTask, _ report: VerifyReport) -> [JSON.Field] {
    var fields: [JSON.Field] = []
    for option in ManifestFields.plain {
      let isAboutKey = ManifestFields.key.contains(option)
      if isAboutKey || option.section == .cipher, report.profile == nil { continue }
      var value = task.parsed.values[option.name].flatMap { json($0, option) }
      if option == CipherOptions.examined.format, let number = report.profile?.formatNumber {
        value = .integer(number)
      }
      if let value { fields.append(.init(ManifestFields.name(option), value)) }
    }
    return fields
  }

  private func json(_ value: ParsedCommand.Value, _ option: OptionSpec) -> JSON? {
    switch value {
    case .flag: return .bool(true)
    case .text(let text):
      // Standard input is another one next time.
      if option == KeyOptions.database.file {
        return OptionValues.same(text, "-")
          ? nil : .string(ManifestPaths.relative(text, to: path))
      }
      // A choice of numbers; the name of a variable stays a text, whatever it looks like.
      if case .choice = option.value, let number = Int64(text) { return .integer(number) }
      return .string(text)
    case .texts: return nil
    case .integer(let number): return .integer(number)
    case .seconds(let number): return .real(number)
    case .bytes(let bytes): return .hex(bytes)
    }
  }

  /// Those that a schema names; SQLite's own come and go.
  private func tables(_ content: ContentFingerprint) -> JSON {
    let own = content.counts.compactMap { count in
      count.table.flatMap { $0.utf8.starts(with: "sqlite_".utf8) ? nil : ($0, count.rows) }
    }
    return .object(
      own.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map {
        JSON.Field($0.0, .unsigned($0.1))
      })
  }
}

extension JSON {
  /// The value on several lines, indented by two.
  var page: String { page(indent: 0) }

  private func page(indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    func block(_ open: String, _ items: [String], _ close: String) -> String {
      items.isEmpty
        ? open + close
        : "\(open)\n" + items.map { margin + "  " + $0 }.joined(separator: ",\n")
          + "\n\(margin)\(close)"
    }
    switch self {
    case .array(let values): return block("[", values.map { $0.page(indent: indent + 2) }, "]")
    case .object(let fields):
      return block(
        "{",
        fields.map { "\(JSON.string($0.name).text): \($0.value.page(indent: indent + 2))" }, "}")
    default: return text
    }
  }
}
