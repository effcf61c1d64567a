// A conversion's report as lines of text and as a JSON object.

internal import SealCore

/// The words for one report.
struct ConversionRendering {
  let report: ConversionReport
  /// `encrypted`.
  let verb: String
  let inPlace: Bool
  let shredded: Bool
  /// The key of the encrypted side was given as it is, and derived from nothing.
  let keyIsRaw: Bool

  init(
    _ report: ConversionReport, verb: String, inPlace: Bool, shredded: Bool, keyIsRaw: Bool = false
  ) {
    self.report = report
    self.verb = verb
    self.inPlace = inPlace
    self.shredded = shredded
    self.keyIsRaw = keyIsRaw
  }

  /// What is said on success: the outcome, what opens the output, and, if asked for, details.
  func lines(_ verbose: Bool) -> [String] {
    var lines = [sentence]
    if !report.openingPragmas.isEmpty {
      lines.append("after the key, these open \(output):")
      lines += report.openingPragmas.map { "  " + Facts.statement($0) }
    }
    lines += indispensable
    return verbose ? lines + details : lines
  }

  /// The output, as it was named.
  private var output: String { inPlace ? report.source : report.target }

  /// What is said even with `--quiet`: a salt that is stored nowhere else.
  var indispensable: [String] {
    report.notes.compactMap { note in
      guard case .saltOutside(let salt) = note else { return nil }
      return "salt of \(output), which the file does not hold: \(Hex.text(salt))"
    }
  }

  /// `encrypted plaintext.db -> app.db: 202 pages, format 4, proven (...)`.
  var sentence: String {
    if report.isUnchanged {
      return "\(report.source) has the settings of \(report.profile.name) already: unchanged"
    }
    let files =
      inPlace ? "\(report.source) in place" : "\(report.source) -> \(report.target)"
    // How many pages it would be, only the work can tell.
    var parts =
      report.dryRun ? [] : [Diagnostics.count(UInt64(report.targetPages), "page")]
    // What is plaintext now has no format, and had one.
    parts.append((verb == DecryptCommand.verb ? "from " : "") + report.profile.name)
    if let proof = report.proof { parts.append("proven (\(words(proof)))") }
    if let backup = report.backup { parts.append("old file kept as \(backup)") }
    if shredded {
      parts.append("source \(report.dryRun ? "would be " : "")overwritten and removed")
    }
    let action = report.dryRun ? "would be \(verb): \(files)" : "\(verb) \(files)"
    return "\(action): \(parts.joined(separator: ", "))"
  }

  private func words(_ proof: Proof) -> String {
    let opened = proof.openedBy.map { ", opened by SQLCipher \($0)" } ?? ""
    let equal = Diagnostics.count(proof.records, "record") + " equal"
    return "\(Diagnostics.count(UInt64(proof.pages), "page")) read back, \(equal)\(opened)"
  }

  private var details: [String] {
    let profile = report.profile
    let tag = profile.hmacAlgorithm?.rawValue ?? "none"
    let lines = [
      "  page size: \(report.sourcePageSize) -> \(report.targetPageSize) bytes",
      "  size: \(Diagnostics.bytes(report.bytesRead))"
        + (report.dryRun ? "" : " read, \(Diagnostics.bytes(report.bytesWritten)) written"),
      "  key derivation: "
        + (keyIsRaw
          ? "none, because the key is raw"
          : "\(profile.kdfAlgorithm.rawValue),"
            + " \(Diagnostics.count(UInt64(clamping: profile.kdfIterations), "round"))"),
      "  page tags: \(tag)",
    ]
    return report.salt.isEmpty ? lines : lines + ["  salt: \(Hex.text(report.salt))"]
  }

  /// Things to know, a line each.
  var notes: [String] {
    report.notes.compactMap { note in
      if case .saltOutside = note { return nil }
      return Self.sentence(note)
    }
  }

  /// Those that are about the key, and so about each database of a run.
  var keyNotes: [String] {
    report.notes.compactMap { note in
      if case .keyForm = note { Self.sentence(note) } else { nil }
    }
  }

  /// A note in words: lower case, no full stop.
  static func sentence(_ note: Note) -> String {
    switch note {
    case .walIncluded(let frames):
      "\(Diagnostics.count(UInt64(clamping: frames), "committed frame")) of the -wal"
        + " \(frames == 1 ? "is" : "are") included"
    case .journalApplied(let pages):
      "a hot journal was applied in memory (\(Diagnostics.count(UInt64(clamping: pages), "page")))"
    case .walMissing:
      "the journal mode is WAL and there is no -wal, as after a clean close; if the file was copied"
        + " while it was in use, its newest content may be missing"
    case .fileEmpty:
      "the file itself is empty, and its rows are in the -wal alone; SQLite would open it as an empty"
        + " database and remove the -wal"
    case .walUnusable:
      "there is a -wal whose header SQLite would not believe; nothing in it counts"
    case .saltOutside(let salt): "the file does not hold its salt: \(Hex.text(salt))"
    case .notAuthenticated:
      "its pages have no tags, so nobody can tell whether it was altered; verify compares its indexes"
        + " with their tables, conversions do not"
    case .leftover(let name): "\(name) was left by a run that was killed; it was removed"
    case .notOpenedBySQLCipher(let engine, let feature, let needed):
      "SQLCipher \(engine) cannot open it (\(feature) needs \(needed)); the proof is by page tags"
        + " and content"
    case .schemaNotUnderstood(let message):
      "this engine does not understand the schema, which was copied as it is: \(message)"
    case .privateMode: "only its owner can read the output (mode 600)"
    case .keyNotUsed: "it is not encrypted; the key was not used"
    case .keyForm(let oddity): keyForm(oddity)
    case .preallocated(let bytes):
      "the file is longer than the database, by \(Diagnostics.count(bytes, "byte")) of zeros"
    case .unusedPages(let pages, let total):
      "nothing in the source uses \(DamageDiagnostics.list(pages, total)), and SQLite never reads"
        + " \(total == 1 ? "it" : "them"); integrity_check calls that never used"
    case .freeListBroken(let page):
      "the source's list of free pages is broken at page \(page), so pages that nothing uses"
        + " could not be looked for"
    }
  }

  /// What a passphrase looks like.
  static func keyForm(_ oddity: KeyOddity) -> String {
    switch oddity {
    case .reading(let variant): keyForm(variant)
    case .shape(.json): "the key is JSON, and all of it was taken as the key, not a value in it"
    case .shape(.placeholder):
      "the key looks like what stands where a value is missing or hidden (null, ***, $NAME), and was"
        + " taken as it is"
    case .shape(.path):
      "the key is the name of a file that is there; the name was taken as the key, and not what is in"
        + " the file"
    case .shape(.encrypted):
      "the key looks encrypted itself, as apps store theirs, and was taken as it is"
    case .shape(.hex):
      "the key is hex digits and was taken as a passphrase; a raw key has 64, 96 or 160 of them"
    case .shape:
      "the key has control characters or further lines in it, which were taken as a part of it"
    }
  }

  private static func keyForm(_ variant: KeyVariant) -> String {
    switch variant {
    case .raw: "the key is hex digits and was taken as a passphrase; a raw key is x'...'"
    case .digitsAsRaw:
      "the key has the hex digits of a raw key and was taken as a passphrase; a raw key is x'...'"
    case .withoutNewline: "the newline at the end of the key was taken as a part of it"
    case .withoutReturn: "the carriage return at the end of the key was taken as a part of it"
    case .withoutBlanks: "the blanks around the key were taken as a part of it"
    case .withoutQuotes: "the quotes around the key were taken as a part of it"
    case .withoutMark: "the byte-order mark before the key was taken as a part of it"
    case .withoutStatement: "the whole statement was taken as the key, not the value in it"
    default: "the key is UTF-16 text, and its bytes were taken as they are"
    }
  }

  /// The stable word for a note.
  static func word(_ note: Note) -> String {
    switch note {
    case .walIncluded: "wal_included"
    case .journalApplied: "journal_applied"
    case .walMissing: "wal_missing"
    case .fileEmpty: "file_empty"
    case .walUnusable: "wal_unusable"
    case .saltOutside: "salt_outside"
    case .notAuthenticated: "not_authenticated"
    case .leftover: "leftover"
    case .notOpenedBySQLCipher: "not_opened_by_sqlcipher"
    case .schemaNotUnderstood: "schema_not_understood"
    case .privateMode: "private_mode"
    case .keyNotUsed: "key_not_used"
    case .keyForm: "key_form"
    case .preallocated: "preallocated"
    case .unusedPages: "unused_pages"
    case .freeListBroken: "free_list_broken"
    }
  }

  /// The object for `--json`.
  func json(command: String) -> JSON {
    let facts: [JSON.Field] = [
      .init("target", .string(report.target)), .init("dry_run", .bool(report.dryRun)),
      .init("format", report.profile.formatNumber.map { .integer($0) } ?? .null),
      .init("settings", Facts.settings(report.profile)),
      .init("salt", report.salt.isEmpty ? .null : .hex(report.salt)),
      .init("source_page_size", .integer(report.sourcePageSize)),
      .init("page_size", .integer(report.targetPageSize)),
      .init("source_pages", .integer(Int64(report.sourcePages))),
      .init("pages", report.dryRun ? .null : .integer(Int64(report.targetPages))),
      .init("bytes_read", .unsigned(report.bytesRead)),
      .init("bytes_written", report.dryRun ? .null : .unsigned(report.bytesWritten)),
      .init("pragmas", Facts.pragmas(report.openingPragmas)),
      .init("backup", .optional(report.backup)),
      .init("shredded", .bool(shredded && !report.dryRun)), .init("proof", proof),
      .init("unchanged", .bool(report.isUnchanged)), .init("notes", Facts.notes(report.notes)),
      .init("seconds", .decimal(report.seconds)),
    ]
    return Diagnosis(.ok, sentence, facts: facts).json(command: command, database: report.source)
  }

  private var proof: JSON {
    guard let proof = report.proof else { return .null }
    return .object([
      .init("pages", .integer(Int64(proof.pages))),
      .init("trees", .integer(proof.trees)), .init("records", .unsigned(proof.records)),
      .init("opened_by", .optional(proof.openedBy)),
      .init("schema_message", .optional(proof.schemaMessage)),
    ])
  }
}
