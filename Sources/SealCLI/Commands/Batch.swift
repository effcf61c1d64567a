// What commands that take several databases have in common: the surroundings of each, how far all are,
// and how a failure of one is said. The summary at the end is in BatchSummary.swift.

internal import SealCore
internal import Synchronization

/// The databases of one command line.
struct Batch {
  let parsed: ParsedCommand
  let session: Session
  /// How many databases were named.
  let count: Int

  var asJSON: Bool { parsed.has(Options.json) }
  var quiet: Bool { parsed.has(Options.quiet) }
  /// Several files were named, or a list of whatever length: each gets its line, and a failure ends
  /// with status 1.
  var isSeveral: Bool {
    count > 1 || parsed.has(Options.resume)
      || parsed.command.operands.instead.contains { parsed.has($0) }
  }

  /// How many of several databases have their wrong keys looked into, and how far. By place and not
  /// by failure, so that every run says the same.
  private static let hints: [(below: Int, hints: KeyHints)] = [(16, .derivations), (128, .free)]

  /// What the operation on one of the databases is given.
  func context(of index: Int) -> OperationContext {
    var context = OperationContext()
    context.keyHints = Self.hints.first { index < $0.below }?.hints ?? .none
    context.cancellation = session.cancellation
    if let seconds = parsed.seconds(Options.busyTimeout) { context.busyTimeout = seconds }
    if let number = parsed.integer(Options.jobs) { context.workers = number }
    return context
  }

  /// Does `work` for each of `subjects` (by index): one with its progress on the terminal, several
  /// side by side. `answer` says what came of each, in their order, and gives the exit status. After
  /// an interruption the rest is left out; so is one of several whose work throws `.interrupted`,
  /// which says that nothing came of it.
  func forEach<Report: Sendable>(
    _ subjects: [String], work: @escaping @Sendable (Int, OperationContext) throws -> Report,
    isUnchanged: @escaping @Sendable (Report) -> Bool = { _ in false },
    answer: @escaping @Sendable (Int, Result<Report, any Error>) -> Int32
  ) -> Outcome {
    let progress = progress(of: subjects)
    guard isSeveral else {
      let result = Result { try work(0, showing(progress, 0, context(of: 0))) }
      progress?.end(0)
      progress?.finish(isDone: (try? result.get()) != nil)
      return Outcome(status: answer(0, result))
    }
    let cores = parsed.integer(Options.jobs) ?? OperationContext.processorCount
    let tally = Mutex(Outcome())
    let ended = Result {
      try SideBySide.run(
        subjects, atOnce: cores, cancellation: session.cancellation,
        context: { index in
          var context = context(of: index)
          context.workers = max(1, cores / subjects.count)
          return showing(progress, index, context)
        },
        work: { index, context in
          // It may have waited for its turn while the end was asked for.
          if let number = session.cancellation.requested {
            throw SealError.interrupted(signal: number)
          }
          // In place another file stands there afterwards.
          let size = FileMark.of(subjects[index])?.size ?? 0
          return (size, try work(index, context))
        }
      ) { index, result in
        if case .failure(SealError.interrupted) = result { return }
        progress?.end(index)
        if case .failure(is DoneBefore) = result {
          sayDone(subjects[index])
          return tally.withLock { $0.skipped += 1 }
        }
        let status = answer(index, result.map(\.1))
        let found = try? result.get()
        tally.withLock {
          $0.add(
            status, bytes: found?.0 ?? 0, isUnchanged: found.map { isUnchanged($0.1) } ?? false)
        }
      }
    }
    progress?.finish(isDone: tally.withLock { $0.answered + $0.skipped == subjects.count })
    return tally.withLock { outcome in
      if case .failure(let error) = ended { outcome.interruption = error }
      if outcome.succeeded + outcome.skipped < subjects.count, outcome.interruption == nil,
        let number = session.cancellation.requested
      {
        outcome.interruption = SealError.interrupted(signal: number)
      }
      return outcome
    }
  }

  /// What shows how far the work on `subjects` is; nil where nothing does.
  func progress(of subjects: [String]) -> ProgressDisplay? {
    let form = parsed.text(Options.progress).flatMap(ProgressForm.init(rawValue:)) ?? .auto
    guard !quiet || form == .json else { return nil }
    return ProgressDisplay(
      form, on: session, command: parsed.command.name, subjects, shares: shares)
  }

  /// The shares that the phases usually have of the time for one database.
  private var shares: WorkProgress.Shares {
    switch parsed.command.name {
    case Catalog.verify.name where parsed.has(VerifyOptions.quick): [.checking: 0...1]
    case Catalog.verify.name:
      [.checking: 0...0.2, .structure: 0.2...0.8, .content: 0.8...1]
    case Catalog.inspect.name: [.reading: 0...1]
    default: [.converting: 0...0.7, .proving: 0.7...1]
    }
  }

  /// `context` with what it tells shown.
  func showing(_ progress: ProgressDisplay?, _ index: Int, _ context: OperationContext)
    -> OperationContext
  {
    var context = context
    if let progress { context.progress = { progress.show(index, $0) } }
    return context
  }

  /// Says something that is good to know of `database`, or, `ofKey`, of the key of all of them, once.
  func say(note: String, on database: String, ofKey: Bool = false) {
    let isShared = ofKey && isSeveral
    guard !isShared || session.console.isNew(note) else { return }
    session.console.say([Span("note: ", .note), Span(isShared ? note : "\(database): \(note)")])
  }

  /// Says what went wrong with `database`; the exit status.
  func report(_ diagnosis: Diagnosis, on database: String) -> Int32 {
    let found = diagnosis.naming(database, parsed.text(Options.backup))
    Tool.say(
      isSeveral ? found.about(keyOf: database) : found, command: parsed.command.name,
      database: database, asJSON: asJSON, on: session.console)
    return diagnosis.exit
  }

  /// Says that nothing can be done for want of a key, once; the exit status. `skipped`: how many an
  /// earlier run had finished.
  func report(noKey diagnosis: Diagnosis, on subjects: [String], skipped: Int = 0) -> Int32 {
    if !isSeveral, let database = subjects.first { return report(diagnosis, on: database) }
    Tool.say(
      diagnosis, command: parsed.command.name, database: nil, asJSON: asJSON, on: session.console)
    return finish(noKey: diagnosis, skipped: skipped)
  }

  /// The key for those that need one, from `resolve`, which is given them. Where there is none, what
  /// needs no key is done all the same, and each of the others is answered with what is thrown then;
  /// where nothing can be done without, that is thrown here, once.
  func key<Key>(
    for subjects: [String], _ needs: [Result<Bool, any Error>],
    _ resolve: ([String]) throws -> Key
  ) throws -> Result<Key?, any Error> {
    let wanting = zip(subjects, needs).filter { (try? $0.1.get()) == true }.map(\.0)
    guard !wanting.isEmpty else { return .success(nil) }
    do {
      return .success(try resolve(wanting))
    } catch {
      let others = needs.contains { (try? $0.get()) == false }
      guard others, Diagnostics.explain(error).code == .noKey else { throw error }
      return .failure(error)
    }
  }

  /// The key's label at a prompt.
  func label(_ path: String, isNew: Bool) -> String {
    let kind = isNew ? "New key" : "Key"
    return count > 1 ? "\(kind) of \(count) databases" : "\(kind) of \(path)"
  }

  /// Says that an earlier run had finished `database`.
  private func sayDone(_ database: String) {
    let sentence = "finished by an earlier run, and as it was left"
    if asJSON {
      let done = Diagnosis(.ok, sentence, facts: [.init("skipped", .bool(true))])
      session.console.result(done.json(command: parsed.command.name, database: database).text)
    } else if parsed.has(Options.verbose) {
      session.console.result("\(database): \(sentence)")
    }
  }
}
