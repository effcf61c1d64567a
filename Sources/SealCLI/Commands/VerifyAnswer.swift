// What came of one database of a verify run, ready for every form in which it can be said: text, JSON,
// a test report. How it was expected to end is part of it.

internal import SealCore

/// One outcome.
struct VerifyAnswer: Sendable {
  let task: VerifyTask
  /// The outcome, in one sentence.
  private(set) var diagnosis: Diagnosis
  /// For standard output, where there is a verdict.
  private(set) var lines: [String]
  /// For standard error beside those lines.
  private(set) var alarm: Diagnosis
  let notes: [String]
  let seconds: Double

  /// A verdict. `fit`: the key that a list gave.
  init(_ task: VerifyTask, _ report: VerifyReport, _ fit: KeyChoice.Fit?) {
    let all = task.parsed.has(Options.verbose)
    let rendering = VerifyRendering(report, values: all)
    let found = rendering.diagnosis
    self.task = task
    diagnosis = found.adding(fit?.facts ?? [])
    lines = rendering.lines(all: all)
    alarm = rendering.alarm
    notes = rendering.notes + (fit?.notes(all) ?? [])
    seconds = report.seconds
    if found.code == .unsupported, task.entry == nil, task.parsed.has(VerifyOptions.writeManifest) {
      // --quick would say of all of them how they are checked from then on.
      let hint =
        "leave it out here, and write its entry by hand, with"
        + " \"\(ManifestFields.expectedCode)\": \"\(found.code.rawValue)\""
      (diagnosis, alarm) = (diagnosis.hinting(hint), alarm.hinting(hint))
    }
    compareWithExpected()
  }

  /// No verdict.
  init(_ task: VerifyTask, failure: Diagnosis) {
    self.task = task
    diagnosis = failure.naming(task.path).about(keyOf: task.path)
    lines = []
    alarm = diagnosis
    notes = []
    seconds = 0
    compareWithExpected()
  }

  /// What text calls it: its file, and beside that what a manifest calls it.
  var title: String { task.title }

  /// `lines`, under that title.
  var text: [String] {
    guard let first = lines.first, first.hasPrefix(task.path) else { return lines }
    return [title + first.dropFirst(task.path.count)] + lines.dropFirst()
  }

  /// For standard error. `alone`: nothing is on standard output.
  func failure(alone: Bool) -> Diagnosis {
    let found = alone ? diagnosis : alarm
    guard let subject = found.subject, OptionValues.same(subject, task.path) else { return found }
    return found.with(subject: title)
  }

  /// The object for `--json`.
  func json(command: String) -> JSON {
    let name = task.name.map { [JSON.Field("name", .string($0))] } ?? []
    return diagnosis.adding(name).json(command: command, database: task.path)
  }

  /// What was expected to fail passes if it fails so, and in no other way.
  private mutating func compareWithExpected() {
    let expected = task.expected
    guard expected != .ok, diagnosis.code != .interrupted else { return }
    let word = expected.rawValue
    let facts = diagnosis.facts + [.init("expected_code", .string(word))]
    switch diagnosis.code {
    case expected:
      let found = diagnosis.sentence
      let rest = found.hasPrefix("\(word): ") ? found.dropFirst(word.count + 2) : found[...]
      diagnosis = Diagnosis(
        .ok, "ok: \(word), as expected: \(rest)", about: task.path, facts: facts)
      lines = ["\(task.path): \(diagnosis.sentence)"]
    case .ok:
      let sentence = "nothing is wrong with it, and \(word) was expected"
      diagnosis = Diagnosis(.checkFailed, sentence, about: task.path, facts: facts)
      alarm = Diagnosis(.checkFailed, "not as it should be", about: task.path)
      lines = ["\(task.path): not as it should be", "  outcome: \(sentence)"]
    default:
      diagnosis = Diagnosis(
        diagnosis.code, "\(diagnosis.sentence); \(word) was expected", about: diagnosis.subject,
        hint: diagnosis.hint, facts: facts, exit: diagnosis.exit)
      if lines.isEmpty { alarm = diagnosis } else { lines.append("  expected: \(word)") }
    }
  }
}
