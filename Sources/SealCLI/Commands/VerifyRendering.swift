// What verify found, in words: one line where all is well, and where it is not a line for each
// verdict with its particulars. A verdict is the answer and goes to standard output; standard error
// gets one short line more, so that a log that has both does not say everything twice.

internal import SealCore

/// The words for one report.
struct VerifyRendering {
  let report: VerifyReport
  let diagnosis: Diagnosis
  private let content: ContentWords
  /// How many particulars of a kind the text lists; JSON has all.
  private static let listed = 20

  /// `values`: what stands in rows may be shown.
  init(_ report: VerifyReport, values: Bool = false) {
    self.report = report
    content = ContentWords(report.content, values: values)
    let code = report.code
    var sentence = Self.sentence(report, content)
    if code == .ok { sentence = "ok: " + sentence }
    diagnosis = Diagnosis(
      code, sentence, about: report.path, hint: Self.hint(report),
      facts: VerifyJSON(report, content).facts)
  }

  /// The object for `--json`.
  func json(command: String) -> JSON { diagnosis.json(command: command, database: report.path) }

  /// What goes to standard error beside the lines on standard output, which say it all.
  var alarm: Diagnosis {
    Diagnosis(
      diagnosis.code, Self.outcome(report.code), about: report.path, hint: diagnosis.hint,
      exit: diagnosis.exit)
  }

  /// What goes to standard output.
  func lines(all: Bool) -> [String] {
    guard report.code != .ok || all else { return ["\(report.path): \(diagnosis.sentence)"] }
    var lines = ["\(report.path): \(Self.outcome(report.code))"]
    lines.append("  pages: " + Self.pages(report))
    lines += Self.capped(
      // The verdict has the numbers of missing pages; of most, nothing else can be known.
      (report.pages.damaged + report.pages.missing.filter { $0.owner != nil }).map {
        "page \($0.number) \(Self.flaw($0.flaw)): \(Self.owner($0.owner))"
      })
    if let log = report.pages.log {
      lines += Self.capped(
        log.badTags.map { "frame \($0.frame) of the -wal, page \($0.page): its tag is wrong" })
    }
    lines.append("  structure: " + Self.structure(report.structure))
    lines += Self.capped(report.structure.messages)
    lines.append("  references: " + Self.references(report.references))
    lines += Self.capped(report.references.violations.map(Self.violation))
    lines += Self.capped(
      report.references.unchecked.map { "table \($0.table): not checked: \($0.message)" })
    lines.append("  expectations: " + Self.expectations(report.expectations))
    lines += Self.capped(report.expectations.differences.map(Self.difference))
    if let verdict = content.verdict { lines.append("  content: " + verdict) }
    lines += Self.capped(content.differences)
    if let digest = content.digest { lines.append("  digest: " + digest) }
    if all { lines += details }
    return lines
  }

  private static func capped(_ items: [String]) -> [String] {
    let shown = items.prefix(listed).map { "    " + $0 }
    let rest = items.count - shown.count
    return rest > 0 ? shown + ["    and \(rest) more (--json lists all)"] : shown
  }

  private static func outcome(_ code: ErrorCode) -> String {
    switch code {
    case .ok: "ok"
    case .damaged: "damaged"
    case .unsupported: "not all could be checked"
    default: "not as it should be"
    }
  }

  private var details: [String] {
    var lines: [String] = []
    if let size = report.pageSize { lines.append("  page size: \(size) bytes") }
    if let salt = report.salt { lines.append("  salt: \(Hex.text(salt))") }
    if let number = report.userVersion { lines.append("  user_version: \(number)") }
    if let number = report.applicationID { lines.append("  application_id: \(number)") }
    if let page = report.pages.lockBytePage {
      lines.append("  lock-byte page: \(page), which SQLite never uses and no tag covers")
    }
    return lines
  }

  /// Things to know, a line each.
  var notes: [String] {
    var notes = report.notes.filter { $0 != .notAuthenticated }.map(ConversionRendering.sentence)
    if report.pages.plaintextHeader > 0, report.pages.hasTags {
      notes.append(
        "no tag covers the first \(report.pages.plaintextHeader) bytes, the plaintext header")
    }
    let structure = report.structure
    notes += structure.unvalidated
    if let hindrance = structure.hindrance, [.damaged, .violated].contains(structure.state) {
      notes.append(
        "not all of the structure could be checked: " + Self.reason(hindrance, structure))
    }
    if structure.state == .sound, !structure.checkedRules {
      notes.append("this engine does not look for rows that break NOT NULL or CHECK")
    }
    // What stands before a bad frame or behind it is part of that damage.
    guard let log = report.pages.log, log.lostCommits == 0 else { return notes }
    let frames = log.uncommitted + log.ignored
    if frames > 0 {
      notes.append(
        "\(Diagnostics.count(UInt64(clamping: frames), "frame")) of the -wal"
          + " \(frames == 1 ? "does" : "do") not count: a transaction that never ended, or left"
          + " from before its last reset")
    }
    return notes
  }
}
