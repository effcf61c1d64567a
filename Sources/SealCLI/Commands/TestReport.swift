// verify's answers as a test report: gathered in their order, and written where the command line says.
// A run that cannot go on still leaves a report, in which what was not checked is an error: an old one,
// or none, would be taken for success.

internal import SealCore
internal import Synchronization

/// One test: a database.
struct ReportCase: Sendable {
  enum Outcome: Sendable { case passed, failed, error }

  var name: String
  /// nil where the run as a whole is meant.
  var path: String?
  var diagnosis: Diagnosis
  /// The particulars, a line each.
  var details: [String] = []
  /// Things to know, a line each.
  var notes: [String] = []
  var seconds = 0.0

  /// A line with everything made visible that no form of report can hold.
  static func escaped(_ line: String) -> String {
    Console.escaped(line).replacing("\u{fffe}", with: "\\u{fffe}")
      .replacing("\u{ffff}", with: "\\u{ffff}")
  }

  /// A database that is not as it should be failed; where that could not be found out, it is an error.
  var outcome: Outcome {
    switch diagnosis.code {
    case .ok: .passed
    case .checkFailed, .wrongKey, .damaged, .wrongKind: .failed
    case .usage, .noKey, .exists, .locked, .io, .unsupported, .migrationFailed, .selfCheckFailed,
      .interrupted:
      .error
    }
  }
}

/// The report of one run. Threads may share it.
final class TestReport: Sendable {
  private struct State {
    /// Of all tests, each once.
    var names: [String] = []
    var cases: [ReportCase] = []
    var hasBegun = false
  }

  private let form: ReportForm
  /// nil: standard output.
  let path: String?
  private let console: Console
  private let state = Mutex(State())

  /// The report that the command line asks for, or nil. Throws where it has no place.
  init?(_ parsed: ParsedCommand, on console: Console) throws {
    guard let form = parsed.text(VerifyOptions.report).flatMap(ReportForm.init(rawValue:)) else {
      return nil
    }
    let file = parsed.text(VerifyOptions.reportFile)
    self.form = form
    path = file == "-" ? nil : file
    self.console = console
    guard let path else {
      guard !parsed.has(Options.json) else {
        throw UsageFlaw.exclusive(
          Options.json.flag, VerifyOptions.report.flag,
          because: "both answer on standard output; \(VerifyOptions.reportFile.flag) gives the"
            + " report a place of its own")
      }
      return
    }
    try TextFile.requirePlace(path, isOwn: Self.isReport)
  }

  /// It stands in the place of all other answers.
  var isOnOutput: Bool { path == nil }

  /// A file of which a report may take the place.
  static func isReport(_ start: [UInt8]) -> Bool {
    let text = String(decoding: start, as: UTF8.self)
    return text.hasPrefix("TAP version ")
      || text.hasPrefix("<?xml ") && (text.contains("<testsuites") || text.contains("<testsuite "))
  }

  /// There will be these tests, in this order.
  func begin(_ names: [String]) {
    var used: Set<String> = []
    let unique = names.map { name in
      var number = 1
      var candidate = name
      // A server shows the first of several tests of one name, and no other.
      while !used.insert(candidate).inserted {
        number += 1
        candidate = "\(name) (\(number))"
      }
      return candidate
    }
    state.withLock {
      $0.names = unique
      $0.hasBegun = true
    }
    if isOnOutput, form == .tap { console.page(TAPReport.head(count: unique.count)) }
  }

  /// The next test.
  func add(_ answer: VerifyAnswer) {
    let diagnosis = answer.diagnosis
    let number = state.withLock { state in
      let index = state.cases.count
      state.cases.append(
        ReportCase(
          name: index < state.names.count ? state.names[index] : answer.task.path,
          path: answer.task.path, diagnosis: diagnosis, details: answer.lines, notes: answer.notes,
          seconds: answer.seconds))
      return index
    }
    if isOnOutput, form == .tap {
      let added = state.withLock { $0.cases[number] }
      console.page(TAPReport.text(of: added, number: number + 1))
    }
  }

  /// Writes what is left to write. `stopped`: why some have no answer. Throws `SealError`.
  func end(stopped: Diagnosis? = nil) throws {
    let state = state.withLock { $0 }
    switch form {
    case .tap:
      let bail = stopped.map(TAPReport.bail) ?? ""
      let head = TAPReport.head(count: state.hasBegun ? state.names.count : nil)
      guard let path else { return console.page((state.hasBegun ? "" : head) + bail) }
      let tests = state.cases.enumerated().map { TAPReport.text(of: $1, number: $0 + 1) }
      try TextFile.make(path, head + tests.joined() + bail, isOwn: Self.isReport)
    case .junit:
      var cases = state.cases
      if let stopped {
        let left =
          state.hasBegun ? Array(state.names.dropFirst(cases.count)) : [Catalog.verify.name]
        cases += left.map { ReportCase(name: $0, diagnosis: stopped) }
      }
      let text = JUnitReport.text(cases, at: SystemCalls.universalTime())
      guard let path else { return console.page(text) }
      try TextFile.make(path, text, isOwn: Self.isReport)
    }
  }
}
