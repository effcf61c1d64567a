// Conversions with a journal: what is finished is passed over, what becomes finished is written down
// before anything is said of it, and what a run finished in its last moment is recognised.

internal import SealCore

/// The journal of a command line's conversions.
struct Resumption: Sendable {
  private let conversions: Conversions
  private var journal: ResumeJournal
  private let plan: ConversionPlan

  /// nil where the command line has no journal.
  init?(_ conversions: Conversions, _ plan: ConversionPlan) throws {
    guard let journal = try ResumeJournal(conversions.parsed) else { return nil }
    (self.conversions, self.journal, self.plan) = (conversions, journal, plan)
    try journal.requireApart(
      from: plan.steps.flatMap { [$0.source, $0.target].compactMap { $0 } })
  }

  /// An earlier run finished it, and it is as it was left.
  func isDone(_ step: ConversionPlan.Step) -> Bool { entry(of: step)?.isCurrent ?? false }

  private func entry(of step: ConversionPlan.Step) -> JournalEntry? {
    journal.entry(of: step.source, target: step.target)
  }

  /// Whether an earlier run may have finished what was refused with `error`.
  func mayBeFinished(after error: any Error) -> Bool {
    journal.isResumed && Finished.isPossible(after: error, shreds: conversions.shreds)
  }

  /// An earlier run had keys, so that this one has to have them whatever is left to do.
  var knowsKeys: Bool { KeyRole.allCases.contains { journal.knows($0) } }

  /// Remembers the keys. Throws where they are not those of the run before.
  mutating func admit(_ keys: Conversions.Keys) throws {
    let new = keys.new.map { [(KeyRole.newKey, KeyChoice.one($0))] } ?? []
    try journal.admit(
      [(.key, keys.old)] + new, rounds: RunKeys.rounds(conversions.parsed),
      until: conversions.session.cancellation)
  }

  /// Does `work` on a database and remembers that it is finished. Throws `DoneBefore` where it was.
  func convert<Report>(
    _ step: ConversionPlan.Step, _ keys: Conversions.Keys?, _ context: OperationContext,
    _ work: () throws -> Report
  ) throws -> Report {
    try journal.requireWritable(for: step.source)
    let read = DatabaseMark.of(step.source)
    let report: Report
    do {
      report = try work()
    } catch {
      guard let keys, mayBeFinished(after: error) else { throw error }
      let finished = Finished(conversions: conversions, keys: keys)
      guard try finished.isFinished(step, error, context) else { throw explained(error, step) }
      // By which run, and so with which keys, is not known.
      try record(step, read, used: [])
      throw DoneBefore()
    }
    try record(step, read, used: KeyRole.always(in: conversions.parsed.command))
    return report
  }

  private func record(_ step: ConversionPlan.Step, _ read: DatabaseMark, used: [KeyRole]) throws {
    try journal.record(
      step.source, target: step.target, read: step.target == nil ? nil : read, used: used)
  }

  /// What the journal knows about a refused database.
  private func explained(_ error: any Error, _ step: ConversionPlan.Step) -> any Error {
    guard case SealError.exists(_, .target) = error, let target = step.target,
      let entry = entry(of: step)
    else { return error }
    if !entry.sourceIsCurrent { return ResumeFlaw.sourceChanged(step.source, target: target) }
    return entry.targetIsCurrent ? error : ResumeFlaw.targetChanged(target)
  }
}

extension ConversionPlan.Step {
  /// Where its output goes; nil in place.
  var target: String? {
    if case .target(let path) = destination { return path }
    return nil
  }
}
