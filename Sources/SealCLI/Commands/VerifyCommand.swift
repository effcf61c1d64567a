// `dbseal verify`: look at the files, get the keys that are needed, check them side by side, and say
// what came of each in the order in which they were named.

internal import SealCore

/// Parsed values to requests.
struct VerifyCommand: Sendable {
  let parsed: ParsedCommand
  let session: Session
  private let tasks: [VerifyTask]
  /// Where the key of each is.
  private let selections: [KeySelection]
  private let otherSettings: CipherSettings
  let batch: Batch
  let report: TestReport?
  let writer: ManifestWriter?

  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    let report = try placing { try TestReport(parsed, on: session.console) }
    let command: VerifyCommand
    do {
      command = try VerifyCommand(FileList.named(in: parsed, session), session, report)
    } catch {
      end(report, error, session)
      throw error
    }
    do {
      let outcome = try command.check()
      let failure = command.write(after: outcome)
      let inText = report?.isOnOutput != true
      return command.batch.finish(outcome, words: "passed", inText: inText, unwritten: failure)
    } catch let failure as NoKey {
      end(report, failure.cause, session)
      return command.batch.report(
        noKey: Diagnostics.explain(failure.cause), on: command.tasks.map(\.path),
        skipped: failure.skipped)
    } catch {
      end(report, error, session)
      throw error
    }
  }

  /// There is no key, and nothing can be done without. `skipped`: what an earlier run had finished.
  private struct NoKey: Error {
    let cause: any Error
    let skipped: Int
  }

  /// Named for several databases, it is for those that need one.
  private var sharesKey: Bool { parsed.has(VerifyOptions.manifest) || writer != nil }

  private init(_ parsed: ParsedCommand, _ session: Session, _ report: TestReport?) throws {
    self.parsed = parsed
    self.session = session
    self.report = report
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try CipherOptions.examined.settings(from: parsed).candidates()
    otherSettings = CipherOptions.against.settings(from: parsed)
    _ = try otherSettings.candidates()
    if parsed.text(VerifyOptions.manifest) == "-" {
      throw UsageFlaw.badValue(
        VerifyOptions.manifest.flag, value: "-", allowed: "the name of a file")
    }
    writer = try Self.placing { try ManifestWriter(parsed, session.cancellation) }
    tasks =
      try parsed.text(VerifyOptions.manifest).map {
        try Manifest($0, parsed, session.cancellation).tasks
      } ?? parsed.operands.map { VerifyTask($0, parsed) }
    try writer?.requireNothingLost(to: tasks)
    if let other = parsed.text(VerifyOptions.against) {
      // Its own lock would be in the way, and nothing would be learned.
      let place = SourceCheck.realPath(of: other)
      if place != nil, tasks.contains(where: { SourceCheck.realPath(of: $0.path) == place }) {
        throw UsageFlaw.againstItself(other)
      }
    }
    selections = tasks.map(\.selection)
    Self.noteUnusedKey(parsed, tasks, session)
    batch = Batch(parsed: parsed, session: session, count: tasks.count)
    report?.begin(tasks.map { $0.name ?? $0.path })
  }

  /// What the `--expect-` options say.
  static func expectations(_ parsed: ParsedCommand) -> Expectations {
    var expected = Expectations()
    expected.userVersion = parsed.integer(VerifyOptions.userVersion).map(
      Int32.init(truncatingIfNeeded:))
    expected.applicationID = parsed.integer(VerifyOptions.applicationID).map(
      Int32.init(truncatingIfNeeded:))
    expected.tables = parsed.texts(VerifyOptions.table).map(table)
    expected.digest = parsed.bytes(VerifyOptions.expectDigest)
    expected.encrypted = parsed.has(VerifyOptions.encrypted) ? true : nil
    return expected
  }

  /// `users`, `users=3`: only digits behind the last `=` are a number.
  static func table(_ text: String) -> Expectations.Table {
    guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
      return Expectations.Table(name: text, rows: nil)
    }
    let digits = text[text.index(after: sign)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let rows = UInt64(digits) else {
      return Expectations.Table(name: text, rows: nil)
    }
    return Expectations.Table(name: String(text[..<sign]), rows: rows)
  }

  /// Checks all and says what came of each.
  private func check() throws -> Batch.Outcome {
    var journal = try ResumeJournal(parsed)
    try journal?.requireApart(from: tasks.map(\.path))
    let needs: [Result<Bool, any Error>]
    let keys: [KeySelection: Result<KeyChoice?, any Error>]
    let other: NamedDatabase?
    do {
      // Whether anything is left to do is only said to who has the keys of the run before.
      let known = try knownKey(&journal)
      needs = tasks.map { task in
        Result {
          if isDone(task, journal) { throw DoneBefore() }
          return try task.needsKey(session, sharesKey: sharesKey)
        }
      }
      keys = try known.map { [selections[0]: .success($0)] } ?? self.keys(needs)
      other = try self.other(keys.values.first ?? .success(nil))
      try admit(keys.values.first, other, &journal)
    } catch  where Diagnostics.explain(error).code == .noKey {
      throw NoKey(cause: error, skipped: tasks.count { isDone($0, journal) })
    } catch SealError.interrupted(let number) where batch.isSeveral {
      var outcome = Batch.Outcome()
      outcome.skipped = tasks.count { isDone($0, journal) }
      outcome.interruption = SealError.interrupted(signal: number)
      return outcome
    }
    return batch.forEach(tasks.map(\.path)) { [keys, journal] index, context in
      let task = tasks[index]
      let needsKey = try needs[index].get()
      try journal?.requireWritable(for: task.path)
      let read = DatabaseMark.of(task.path)
      let key = try needsKey ? keys[selections[index]]?.get() : nil
      let fit = try key?.fit(task.path, task.settings, context, session.core)
      var report = try session.core.verify(
        task.request(key: fit?.key, against: other, digest: writer != nil, context))
      // Of a manifest it was clear that not all need one.
      if !needsKey, !sharesKey, session.keys.isNamed(selections[index]) {
        report.notes.append(.keyNotUsed)
      }
      // What did not pass is looked at again.
      if report.code == .ok {
        try journal?.record(
          task.path, target: parsed.text(VerifyOptions.against), read: read,
          used: (key == nil ? [] : [.key]) + (other?.key == nil ? [] : [.otherKey]))
      }
      let settled = task.settle(&report)
      return (report, fit, settled)
    } answer: { index, result in
      let task = tasks[index]
      switch result {
      case .success((let report, let fit, let settled)):
        let answer = VerifyAnswer(task, report, fit)
        writer?.add(task, report, settled, passed: answer.diagnosis.code == .ok)
        return say(answer)
      case .failure(let error):
        let answer = VerifyAnswer(task, failure: diagnosis(error, task))
        writer?.keep(task, passed: answer.diagnosis.code == .ok)
        return say(answer)
      }
    }
  }

  /// An earlier run had it passed, and would now: a database that needs no key does not with one that
  /// is named, and one that needs a key did not without.
  private func isDone(_ task: VerifyTask, _ journal: ResumeJournal?) -> Bool {
    let target = parsed.text(VerifyOptions.against)
    guard let journal, let entry = journal.entry(of: task.path, target: target),
      entry.sourceIsCurrent, entry.isCurrent,
      let needs = try? task.needsKey(session, sharesKey: sharesKey),
      let otherNeeds = try? target.map(otherNeedsKey) ?? false
    else { return false }
    func knows(_ role: KeyRole) -> Bool {
      journal.knows(role) && entry.used?.contains(role) == true
    }
    return (!needs || knows(.key)) && (!otherNeeds || knows(.otherKey))
  }

  /// The key, where the run before had one.
  private func knownKey(_ journal: inout ResumeJournal?) throws -> KeyChoice? {
    guard journal?.knows(.key) == true, let selection = selections.first else { return nil }
    let label = batch.label(tasks[0].path, isNew: false)
    let key = try KeyChoice.resolve(selection, label: label, session)
    try journal?.admit(
      [(.key, key)], rounds: RunKeys.rounds(parsed), until: session.cancellation)
    return key
  }

  /// Remembers the keys that are not known yet. Throws where one is not that of the run before.
  private func admit(
    _ key: Result<KeyChoice?, any Error>?, _ other: NamedDatabase?,
    _ journal: inout ResumeJournal?
  ) throws {
    var given: [(KeyRole, KeyChoice)] = []
    if journal?.knows(.key) == false, let key = try? key?.get() { given.append((.key, key)) }
    if let key = other?.key { given.append((.otherKey, .one(key))) }
    try journal?.admit(given, rounds: RunKeys.rounds(parsed), until: session.cancellation)
  }

  /// The keys of the tasks that need one, each source asked once. A manifest's that fails is a
  /// failure of those databases alone.
  private func keys(_ needs: [Result<Bool, any Error>]) throws
    -> [KeySelection: Result<KeyChoice?, any Error>]
  {
    var keys: [KeySelection: Result<KeyChoice?, any Error>] = [:]
    let indices = tasks.indices.filter { (try? needs[$0].get()) == true }
    let users = Dictionary(indices.map { (selections[$0], 1) }, uniquingKeysWith: +)
    for index in indices where keys[selections[index]] == nil {
      let selection = selections[index]
      let count = users[selection] ?? 1
      let label = count > 1 ? "Key of \(count) databases" : "Key of \(tasks[index].path)"
      let resolve = { try KeyChoice.resolve(selection, label: label, session) }
      keys[selection] =
        try parsed.has(VerifyOptions.manifest)
        ? unlessInterrupted(resolve)
        : batch.key(for: tasks.map(\.path), needs) { _ in try resolve() }
    }
    return keys
  }

  /// What `resolve` gives or throws; a signal is thrown on.
  private func unlessInterrupted(_ resolve: () throws -> KeyChoice) throws
    -> Result<KeyChoice?, any Error>
  {
    do {
      return .success(try resolve())
    } catch SealError.interrupted(let number) {
      throw SealError.interrupted(signal: number)
    } catch {
      return .failure(error)
    }
  }

  private func otherNeedsKey(_ path: String) throws -> Bool {
    try session.core.needsKey(
      path, otherSettings, KeyOptions.against.selection(from: parsed).isNamed)
  }

  /// The database to compare with. `key`: the one of the databases that are checked.
  private func other(_ key: Result<KeyChoice?, any Error>) throws -> NamedDatabase? {
    guard let path = parsed.text(VerifyOptions.against) else { return nil }
    let own = KeyOptions.against.selection(from: parsed)
    var other = NamedDatabase(path: path, settings: otherSettings)
    try other.explaining {
      guard try otherNeedsKey(path) else { return }
      let selection = KeyOptions.database.selection(from: parsed)
      let hasOwn = session.keys.isNamed(own) || !session.keys.isNamed(selection)
      let shared = try session.keys.isNamed(own) ? nil : key.get()
      other.hasSharedKey = shared != nil
      let choice =
        try shared ?? KeyChoice.resolve(hasOwn ? own : selection, label: "Key of \(path)", session)
      other.key = try choice.fit(path, otherSettings, batch.context(of: 0), session.core).key
    }
    return other
  }
}
