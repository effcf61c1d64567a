// The report of a schema migration as lines of text and as a JSON object.

internal import SealCore

/// The words for one report.
struct SchemaRendering {
  let report: MigrationReport
  /// Something pending is a failure.
  let checks: Bool

  init(_ report: MigrationReport, checks: Bool) {
    self.report = report
    self.checks = checks
  }

  /// `--check` fails where a file is pending or has changed.
  var code: ErrorCode {
    let isBehind = report.states.contains { $0.state == .pending || $0.state == .changed }
    return checks && isBehind ? .checkFailed : .ok
  }

  /// What `--quiet` says of a failed check.
  var alarm: Diagnosis? {
    guard code != .ok else { return nil }
    return Diagnosis(code, "\(version), \(counts)", about: report.database)
  }

  func lines(_ verbose: Bool) -> [String] {
    var lines = [sentence]
    if report.action == .status { lines += report.states.map(Self.line) }
    if verbose {
      lines += report.applied.map {
        "  \($0.name): \(Diagnostics.count(UInt64(clamping: $0.statements), "statement"))"
      }
    }
    if report.dryRun { lines += difference }
    if !report.openingPragmas.isEmpty {
      lines.append("after the key, these open \(report.database):")
      lines += report.openingPragmas.map { "  " + Facts.statement($0) }
    }
    return lines + indispensable
  }

  /// What is said even with `--quiet`: a salt that is stored nowhere else.
  var indispensable: [String] {
    report.notes.compactMap { note in
      guard case .saltOutside(let salt) = note else { return nil }
      return "salt of \(report.database), which the file does not hold: \(Hex.text(salt))"
    }
  }

  /// `migrated app.db: 2 migrations applied (2, 3), version 1 -> 3`.
  var sentence: String {
    switch report.action {
    case .status: return "\(report.database): \(version), \(counts)"
    case .apply, .baseline: break
    case .create: return "\(action("created")): \(applied), \(version), \(format)"
    }
    guard !report.applied.isEmpty else { return "\(report.database): nothing to do, \(version)" }
    let verb = report.action == .apply ? "migrated" : "recorded"
    return "\(action(verb)): \(applied), \(move)"
  }

  private func action(_ verb: String) -> String {
    report.dryRun ? "would be \(verb): \(report.database)" : "\(verb) \(report.database)"
  }

  private var applied: String {
    let count = Diagnostics.count(UInt64(clamping: report.applied.count), "migration")
    let names = report.applied.prefix(5).map(\.name).joined(separator: ", ")
    let rest = report.applied.count > 5 ? ", …" : ""
    return report.applied.isEmpty ? count : "\(count) (\(names)\(rest))"
  }

  private var version: String { report.version.map { "version \($0)" } ?? "no version" }

  private var move: String {
    report.versionBefore == report.version
      ? version
      : "version \(report.versionBefore.map(String.init) ?? "none")"
        + " -> \(report.version.map(String.init) ?? "none")"
  }

  private var format: String { report.profile?.name ?? "plaintext" }

  private var counts: String {
    let words: [MigrationState.State] = [.applied, .pending, .changed, .missing]
    return words.compactMap { state in
      let count = report.states.filter { $0.state == state }.count
      let isShown = count > 0 || state == .applied || state == .pending
      return isShown ? "\(count) \(state.rawValue)" : nil
    }.joined(separator: ", ")
  }

  private static func line(_ state: MigrationState) -> String {
    let word = state.state.rawValue
    let padding = String(repeating: " ", count: max(0, 8 - word.count))
    let name = state.name ?? "(version \(state.version), no file)"
    return ["  \(word)\(padding) \(name)", state.appliedAt].compactMap { $0 }
      .joined(separator: "  ")
  }

  /// The schema's changes, each line marked by what became of it.
  private var difference: [String] {
    func marked(_ mark: String, _ sql: String?) -> [String] {
      guard let sql else { return [] }
      return sql.split(separator: "\n", omittingEmptySubsequences: false).map {
        mark + " "
          + $0.split(separator: "\t", omittingEmptySubsequences: false)
          .joined(separator: "  ")
      }
    }
    return report.changes.flatMap { marked("-", $0.old) + marked("+", $0.new) }
  }

  /// Things to know of this database, a line each.
  var sentences: [String] {
    report.notes.compactMap { note in
      switch note {
      case .saltOutside, .ignoredFiles: nil
      default: Self.sentence(note)
      }
    }
  }

  /// A thing to know.
  static func sentence(_ note: MigrationNote) -> String {
    switch note {
    case .keyNotUsed: return ConversionRendering.sentence(.keyNotUsed)
    case .ignoredFiles(let names):
      let rest = names.count > 5 ? " and \(names.count - 5) more" : ""
      return "not named as migrations are, and ignored: "
        + names.prefix(5).joined(separator: ", ") + rest
    case .missingFiles(let versions):
      let rest = versions.count > 5 ? " and \(versions.count - 5) more" : ""
      return "applied, and no such file is here: version "
        + versions.prefix(5).map(String.init).joined(separator: ", ") + rest
    case .brokenReferences(let count, let first):
      return "\(Diagnostics.count(UInt64(clamping: count), "broken reference")) before anything"
        + " was done: \(first)"
    case .uncheckedReferences(let message):
      return "its foreign keys cannot be checked: \(message)"
    case .saltOutside(let salt): return "the file does not hold its salt: \(Hex.text(salt))"
    case .keyForm(let variant): return ConversionRendering.keyForm(variant)
    case .noStatements(let file): return "\(file) holds no statement"
    case .leftover(let name):
      return "\(name) was left by a run that was killed; it was removed"
    }
  }

  private static func word(_ note: MigrationNote) -> String {
    switch note {
    case .keyNotUsed: ConversionRendering.word(.keyNotUsed)
    case .ignoredFiles: "ignored_files"
    case .missingFiles: "missing_files"
    case .brokenReferences: "broken_references"
    case .uncheckedReferences: "unchecked_references"
    case .saltOutside: "salt_outside"
    case .keyForm: "key_form"
    case .noStatements: "no_statements"
    case .leftover: "leftover"
    }
  }
}

extension SchemaRendering {
  /// The object for `--json`.
  func json(command: String) -> JSON {
    let facts: [JSON.Field] = [
      .init("action", .string(action)), .init("dry_run", .bool(report.dryRun)),
      .init("track", .string(report.track.rawValue)),
      .init("version_before", Self.number(report.versionBefore)),
      .init("version", Self.number(report.version)),
      .init("applied", Self.json(report.applied)),
      .init("migrations", .array(report.states.map(Self.json))),
      .init("pending", .integer(report.pending.count)),
      .init("schema_changes", .array(report.changes.map(Self.json))),
      .init("encrypted", .bool(report.profile != nil)),
      .init("format", report.profile?.formatNumber.map { .integer($0) } ?? .null),
      .init("salt", report.salt.map { .hex($0) } ?? .null), .init("pragmas", pragmas),
      .init("notes", .array(report.notes.map(Self.json))),
      .init("seconds", .decimal(report.seconds)),
    ]
    return Diagnosis(code, sentence, facts: facts).json(command: command, database: report.database)
  }

  /// A failure with what was done before it and stays.
  static func adding(_ applied: [AppliedMigration], to diagnosis: Diagnosis) -> Diagnosis {
    var sentence = diagnosis.sentence
    if !applied.isEmpty {
      let nothing = "; nothing was changed"
      if sentence.hasSuffix(nothing) { sentence = String(sentence.dropLast(nothing.count)) }
      let names = applied.suffix(5).map(\.name).joined(separator: ", ")
      sentence += "; applied before, and permanent: \(applied.count > 5 ? "…, " : "")\(names)"
    }
    return Diagnosis(
      diagnosis.code, sentence, about: diagnosis.subject, hint: diagnosis.hint,
      facts: diagnosis.facts + [.init("applied", json(applied))], exit: diagnosis.exit)
  }

  private var action: String {
    switch report.action {
    case .apply: "apply"
    case .status: "status"
    case .baseline: "baseline"
    case .create: "create"
    }
  }

  private static func number(_ version: Int64?) -> JSON { version.map { .integer($0) } ?? .null }

  private static func json(_ applied: [AppliedMigration]) -> JSON {
    .array(
      applied.map {
        .object([
          .init("version", .integer($0.version)), .init("file", .string($0.name)),
          .init("checksum", .string($0.checksum)), .init("statements", .integer($0.statements)),
          .init("seconds", .decimal($0.seconds)),
        ])
      })
  }

  private static func json(_ state: MigrationState) -> JSON {
    .object([
      .init("version", .integer(state.version)), .init("file", .optional(state.name)),
      .init("state", .string(state.state.rawValue)),
      .init("checksum", .optional(state.checksum)),
      .init("applied_at", .optional(state.appliedAt)),
    ])
  }

  private static func json(_ change: SchemaChange) -> JSON {
    .object([.init("old", .optional(change.old)), .init("new", .optional(change.new))])
  }

  private var pragmas: JSON {
    .array(
      report.openingPragmas.map {
        .object([.init("name", .string($0.name)), .init("value", .string($0.value))])
      })
  }

  private static func json(_ note: MigrationNote) -> JSON {
    .object([.init("note", .string(word(note))), .init("message", .string(sentence(note)))])
  }
}
