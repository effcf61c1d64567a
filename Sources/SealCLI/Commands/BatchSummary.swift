// What came of several databases: how many went well, how many failed and of what, how many an earlier
// run had finished, in text and as an object.

internal import SealCore

extension Batch {
  /// What came of all.
  struct Outcome: Sendable {
    private let began = ContinuousClock.now
    /// Of the last one.
    var status: Int32 = 0
    var answered = 0
    /// How many ended with each status.
    private(set) var statuses: [Int32: Int] = [:]
    /// Those that an earlier run had finished.
    var skipped = 0
    /// Of those that went well: as they were asked for already, and left alone.
    private(set) var unchanged = 0
    /// Of the databases that were gone through, whatever was found.
    private(set) var bytes: UInt64 = 0
    /// Why the rest was left out.
    var interruption: (any Error)?

    var succeeded: Int { statuses[0] ?? 0 }
    var failures: Int { answered - succeeded }

    /// Since it was made.
    var seconds: Double {
      let time = (ContinuousClock.now - began).components
      return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    /// How many failed with each code, in the order of the codes.
    var codes: [(code: ErrorCode, count: Int)] {
      let known = ErrorCode.allCases.filter { $0 != .ok && $0 != .interrupted }.compactMap { code in
        statuses[code.exitStatus].map { (code, $0) }
      }
      let rest = failures - known.reduce(0) { $0 + $1.1 }
      return rest > 0 ? known + [(.interrupted, rest)] : known
    }

    /// Takes the exit status of one, and its size.
    mutating func add(_ status: Int32, bytes: UInt64 = 0, isUnchanged: Bool = false) {
      self.status = status
      answered += 1
      if isUnchanged { unchanged += 1 }
      statuses[status, default: 0] += 1
      self.bytes &+= bytes
    }
  }

  /// Says how many of several went well; the exit status, which is that of the one where only one
  /// was named. `words`: what they were, such as `encrypted`. `inText`: text ends with it too.
  /// `unwritten`: why something that was to be written beside was not, which fails the run.
  func finish(
    _ outcome: Outcome, words: String, inText: Bool = true, unwritten: Diagnosis? = nil
  ) -> Int32 {
    guard isSeveral else { return outcome.status == 0 ? unwritten?.exit ?? 0 : outcome.status }
    guard let error = outcome.interruption else {
      let status = outcome.failures == 0 ? unwritten?.code ?? .ok : .checkFailed
      if asJSON {
        let message = unwritten.map { found in
          let about = found.subject.map { $0 + ": " } ?? ""
          return [JSON.Field("message", .string("\(about)\(found.sentence)"))]
        }
        say(outcome, status, exit: status.exitStatus, message ?? [])
      } else if inText, !quiet {
        let rest = unwritten.map { ", but \($0.subject ?? "a file") was not written" } ?? ""
        session.console.result(sentence(outcome, words, withCodes: true) + rest + effort(outcome))
      }
      return status.exitStatus
    }
    let found = Diagnostics.explain(error)
    let rest =
      switch count - outcome.answered - outcome.skipped {
      case 0: ""
      case count: ", and all were left as they were"
      case 1: ", the other one left as it was"
      case let left: ", the other \(left) left as they were"
      }
    let diagnosis = Diagnosis(
      found.code,
      "\(found.sentence.prefix { $0 != ";" }): \(sentence(outcome, words))\(rest)",
      hint: parsed.has(Options.resume) ? "the same command line goes on where it was" : nil,
      exit: found.exit)
    if asJSON {
      let message = JSON.Field("message", .string(diagnosis.sentence))
      say(outcome, diagnosis.code, exit: diagnosis.exit, [message])
    } else {
      diagnosis.say(on: session.console)
    }
    return diagnosis.exit
  }

  /// Ends several of which none was begun before a signal came; the exit status.
  func finish(interruptedBy number: Int32, words: String) -> Int32 {
    var outcome = Outcome()
    outcome.interruption = SealError.interrupted(signal: number)
    return finish(outcome, words: words)
  }

  /// Ends several of which none could be begun for want of a key; the exit status, which is that.
  func finish(noKey diagnosis: Diagnosis, skipped: Int = 0) -> Int32 {
    guard isSeveral, asJSON else { return diagnosis.exit }
    var outcome = Outcome()
    outcome.skipped = skipped
    for _ in 0..<max(0, count - skipped) { outcome.add(diagnosis.exit) }
    say(outcome, diagnosis.code, exit: diagnosis.exit)
    return diagnosis.exit
  }

  /// `28 of 40 databases migrated, 3 unchanged, 7 finished before, 2 failed (1 wrong_key, 1 damaged)`.
  private func sentence(_ outcome: Outcome, _ words: String, withCodes: Bool = false) -> String {
    let all = Diagnostics.count(UInt64(count), "database")
    var parts = ["\(outcome.succeeded - outcome.unchanged) of \(all) \(words)"]
    if outcome.unchanged > 0 { parts.append("\(outcome.unchanged) unchanged") }
    if outcome.skipped > 0 { parts.append("\(outcome.skipped) finished before") }
    if outcome.failures > 0 {
      let codes = outcome.codes.map { "\($0.count) \($0.code.rawValue)" }
      let list = withCodes ? " (\(codes.joined(separator: ", ")))" : ""
      parts.append("\(outcome.failures) failed\(list)")
    }
    return parts.joined(separator: ", ")
  }

  /// `; 12 MiB in 3.1 s`; nothing where nothing was gone through.
  private func effort(_ outcome: Outcome) -> String {
    guard outcome.bytes > 0 else { return "" }
    let tenths = Int64(min(outcome.seconds, 1e9) * 10)
    let time = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    return "; \(Diagnostics.bytes(outcome.bytes)) in \(time) s"
  }

  /// Says what came of all as an object.
  private func say(_ outcome: Outcome, _ code: ErrorCode, exit: Int32, _ more: [JSON.Field] = []) {
    let head: [JSON.Field] = [
      .init("command", .string(parsed.command.name)), .init("ok", .bool(code == .ok)),
      .init("code", .string(code.rawValue)), .init("exit", .integer(Int64(exit))),
    ]
    let codes = outcome.codes.map { JSON.Field($0.code.rawValue, .integer($0.count)) }
    let counts: [JSON.Field] = [
      .init("files", .integer(count)), .init("succeeded", .integer(outcome.succeeded)),
      .init("failed", .integer(outcome.failures)),
    ]
    let facts: [JSON.Field] = [
      .init("skipped", .integer(outcome.skipped)), .init("unchanged", .integer(outcome.unchanged)),
      .init("failures", .object(codes)),
      .init("bytes", .unsigned(outcome.bytes)), .init("seconds", .decimal(outcome.seconds)),
    ]
    session.console.result(
      JSON.object([.init("summary", .object(head + more + counts + facts))]).text)
  }
}
