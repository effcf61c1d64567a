// The Test Anything Protocol (testanything.org): a plan, a line for each database, and under one that is
// not as it should be a block of YAML. Versions 13 and 14 both describe what is written; 13 is named,
// because prove of Perl 5.36 calls 14 an error and those who know 14 read 13. Texts in a block are JSON
// texts, which YAML 1.2 reads as they are.

internal import SealCore

/// Renders reports for TAP consumers.
enum TAPReport {
  /// Version and plan; without a count no plan, because nothing will follow.
  static func head(count: Int?) -> String {
    "TAP version 13\n" + (count.map { "1..\($0)\n" } ?? "")
  }

  /// One test, from 1.
  static func text(of test: ReportCase, number: Int) -> String {
    let diagnosis = test.diagnosis
    let verdict = test.outcome == .passed ? "ok" : "not ok"
    var lines = ["\(verdict) \(number) - \(description(test.name))"]
    if test.outcome != .passed {
      lines += ["  ---", "  message: \(quoted(diagnosis.sentence))"]
      lines.append("  severity: \(test.outcome == .failed ? "fail" : "error")")
      lines += ["  code: \(diagnosis.code.rawValue)", "  exit: \(diagnosis.exit)"]
      if let path = test.path { lines.append("  file: \(quoted(path))") }
      if let subject = diagnosis.subject, subject != test.path {
        lines.append("  about: \(quoted(subject))")
      }
      if let hint = diagnosis.hint { lines.append("  hint: \(quoted(hint))") }
      // The first line only says whose these are. In a list perl would take `a: b` for a mapping.
      let details = test.details.dropFirst().map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0[...] }
      if !details.isEmpty {
        lines.append("  details: |")
        lines += details.map { "    " + ReportCase.escaped(String($0)) }
      }
      lines.append("  ...")
    }
    // That a failure was expected, and came.
    if test.outcome == .passed, diagnosis.facts.contains(where: { $0.name == "expected_code" }) {
      lines.append("# \(ReportCase.escaped(diagnosis.sentence))")
    }
    lines += test.notes.map { "# note: \(ReportCase.escaped($0))" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The run ends here.
  static func bail(_ diagnosis: Diagnosis) -> String {
    let about = diagnosis.subject.map { $0 + ": " } ?? ""
    return "Bail out! \(description(about + diagnosis.sentence))\n"
  }

  /// A `#` would begin a directive.
  private static func description(_ text: String) -> String {
    ReportCase.escaped(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }

  /// JSON, without the two characters that YAML wants escaped besides.
  private static func quoted(_ text: String) -> String {
    JSON.string(text).text.replacing("\u{fffe}", with: "\\ufffe")
      .replacing("\u{ffff}", with: "\\uffff")
  }
}
