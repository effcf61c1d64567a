// What the conversions have in common: check the sources, get the key once, convert the files side
// by side, say what came of each in their order, and end with the right status.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Runs the conversions of one command line.
struct Conversions: Sendable {
  let parsed: ParsedCommand
  let session: Session
  /// How the report says what was done: `encrypted`.
  let verb: String
  /// Cipher settings of the encrypted side, or what to write where both are encrypted.
  let settings: CipherSettings
  /// Refuses a source that cannot be converted, before a key is asked for.
  let precheck: @Sendable (String, OutputOptions) throws -> Void
  /// The key is to be made up now, so a typed one is asked for twice.
  let newKey: Bool
  /// The command changes databases: without a TARGET, it does so in place.
  var inPlaceByDefault = false
  /// What names the settings of encrypted sources.
  var sourceOptions: CipherOptions?
  /// The key to get, beside the key that is there.
  var replacementKey: KeyOptions?
  /// The key is made where there is none.
  var createsKey = false
  /// What the run reads beside its databases; looked up when it begins.
  var inputs = InputFiles()
  /// Converts one file; with the replacement key, where the command takes one.
  let convert: @Sendable (ConversionRequest, KeyMaterial?) throws -> ConversionReport

  var writesPlaintext: Bool { verb == DecryptCommand.verb }
  /// The source is plaintext.
  var readsPlaintext: Bool { sourceOptions == nil }
  /// What names the settings of encrypted sources, as it is given.
  var readSettings: CipherSettings {
    sourceOptions?.settings(from: parsed) ?? CipherSettings()
  }
  var shreds: Bool { parsed.has(Options.shred) }
  private var asJSON: Bool { parsed.has(Options.json) }
  private var quiet: Bool { parsed.has(Options.quiet) }

  /// The keys of a command line.
  typealias Keys = (old: KeyChoice, new: KeyMaterial?)

  /// The exit status. Throws what concerns the command line as a whole.
  func run() throws -> Int32 {
    var conversions = self
    conversions.inputs = session.keys.inputs(of: parsed)
    return try conversions.work()
  }

  private func work() throws -> Int32 {
    let plan = try ConversionPlan(parsed, inPlaceByDefault: inPlaceByDefault)
    try plan.requireDistinct()
    if parsed.has(Options.inPlace), !parsed.has(Options.filesFrom) { try plan.requireNoTarget() }
    let batch = Batch(parsed: parsed, session: session, count: plan.steps.count)
    if let folder = parsed.text(Options.outputDir) { try requireFolder(folder) }
    var resumption = try Resumption(self, plan)
    let (checks, keys, made): Prepared
    do {
      (checks, keys, made) = try prepare(plan, batch, &resumption)
    } catch SealError.interrupted(let number) where batch.isSeveral {
      return batch.finish(interruptedBy: number, words: verb)
    } catch let failure as NoKey {
      return batch.report(
        noKey: explain(failure.cause), on: [failure.step.source],
        skipped: plan.steps.count { resumption?.isDone($0) == true })
    }
    let outcome = batch.forEach(plan.steps.map(\.source)) {
      [keys, made, resumption] index, context in
      let step = plan.steps[index]
      let convert = {
        try checks[index].get()
        guard let keys else { throw SealError.badKey(.empty) }
        return try self.convert(step, keys, made, context)
      }
      guard let resumption else { return try convert() }
      return try resumption.convert(step, keys, context, convert)
    } isUnchanged: {
      $0.0.isUnchanged
    } answer: { [keys, made] index, result in
      switch result {
      case .success((let report, let fit)):
        let isRaw = (keys?.new ?? fit.key).isRaw
        say(report, plan.steps[index], fit, isRaw: isRaw, made?.facts ?? [], batch)
      case .failure(let error):
        let step = plan.steps[index]
        made?.sayThatItStays(session)
        return batch.report(
          assured(explain(error, step), error, step).adding(made?.facts ?? []), on: step.source)
      }
      return 0
    }
    if let given = newKey ? .database : replacementKey, made?.isNew != true {
      session.noteSealing(given, parsed, after: outcome)
    }
    return batch.finish(
      outcome, words: parsed.has(Options.dryRun) ? "would be \(verb)" : verb)
  }

  /// What a first look at each database said, the keys, and the one that was made.
  private typealias Prepared = ([Result<Void, any Error>], Keys?, CreatedKey?)

  /// There is no key, which `step` is the first to need.
  private struct NoKey: Error {
    let cause: any Error
    let step: ConversionPlan.Step
  }

  private func prepare(
    _ plan: ConversionPlan, _ batch: Batch, _ resumption: inout Resumption?
  ) throws -> Prepared {
    // Whether anything is left to do is only said to who has the keys of the run before.
    let isKnown = resumption?.knowsKeys == true
    var (keys, made): (Keys?, CreatedKey?) = (nil, nil)
    var checks: [Result<Void, any Error>] = []
    func look(_ first: ConversionPlan.Step?) throws {
      guard let first else { return }
      do {
        (keys, made) = try self.keys(for: first, batch, isKnown: isKnown) {
          if !isKnown { try oldKey($0, plan, checks, batch) }
        }
      } catch let refused as OldKeyRefused {
        for (index, error) in refused.errors { checks[index] = .failure(error) }
      } catch  where !batch.isSeveral || explain(error).code == .noKey {
        throw NoKey(cause: error, step: first)
      }
      if let keys { try resumption?.admit(keys) }
    }
    if isKnown { try look(plan.steps.first) }
    checks = plan.steps.map { step in
      Result {
        if resumption?.isDone(step) == true { throw DoneBefore() }
        try precheck(step.source, output(for: step))
      }
    }
    guard !isKnown else { return (checks, keys, made) }
    try look(
      zip(plan.steps, checks).first { _, check in
        switch check {
        case .success: true
        case .failure(let error): resumption?.mayBeFinished(after: error) == true
        }
      }?.0)
    return (checks, keys, made)
  }

  /// The keys, of which `ready` is the first to need one, and the one that was made. `isKnown`: an
  /// earlier run had them, so that none is to be made. `check` is given the old one before somebody is
  /// asked for the new one.
  private func keys(
    for ready: ConversionPlan.Step, _ batch: Batch, isKnown: Bool,
    _ check: (KeyChoice) throws -> Void
  ) throws -> (Keys, CreatedKey?) {
    var selection = KeyOptions.database.selection(from: parsed)
    selection.seals = newKey
    if createsKey, isKnown { _ = try session.keys.resolve(selection, label: "", new: false) }
    let made = createsKey ? try CreatedKey(selection, session, parsed) : nil
    let old =
      try made.map { KeyChoice.one($0.key) }
      ?? KeyChoice.resolve(selection, label: label(ready, batch, newKey), new: newKey, session)
    let new = try replacementKey.map {
      var selection = $0.selection(from: parsed)
      selection.seals = true
      if session.keys.isTyped(selection) { try check(old) }
      return try session.keys.resolve(selection, label: label(ready, batch, true), new: true)
    }
    return ((old, new), made)
  }

  private func convert(
    _ step: ConversionPlan.Step, _ keys: Keys, _ made: CreatedKey?, _ context: OperationContext
  ) throws -> (ConversionReport, KeyChoice.Fit) {
    let fit = try keys.old.fit(step.source, settings, context, session.core)
    var output = output(for: step)
    if let kept = kept(keys.new ?? fit.key, isNew: made?.isNew == true) {
      output.lastCheck = { [session] in try kept.require(session) }
    }
    let request = ConversionRequest(
      source: step.source, output: output, key: fit.key, settings: settings,
      context: context)
    return (try convert(request, keys.new), fit)
  }

  /// The key that seals, where it is one of a store.
  private func kept(_ key: KeyMaterial, isNew: Bool) -> KeptKey? {
    (newKey ? .database : replacementKey).flatMap {
      KeptKey(key, $0.selection(from: parsed), isNew: isNew)
    }
  }

  private func requireFolder(_ folder: String) throws {
    do {
      try SourceCheck.folder(folder)
    } catch SealError.io(let failure) where failure.errno == ENOENT {
      throw OutputFailure(
        path: folder, errno: failure.errno, hint: "make it: mkdir \(ShellWords.quoted(folder))")
    }
  }

  private func explain(_ error: any Error) -> Diagnosis {
    Diagnostics.explain(error, reading: sourceOptions, from: parsed)
  }

  /// The same of one of the databases: what is in its way may be one that was meant to change too.
  private func explain(_ error: any Error, _ step: ConversionPlan.Step) -> Diagnosis {
    let found = session.explain(
      error, of: step.source, reading: sourceOptions, from: parsed)
    guard case SealError.exists(let path, .target) = error else { return found }
    let name = parsed.command.name
    if parsed.has(Options.outputDir) {
      return found.hinting(
        "name another --output-dir, or replace what is there with --force; --backup .old then keeps it"
      )
    }
    let kinds: [FileKind] = readsPlaintext ? [.plaintext] : [.sqlcipher, .sqlcipherPlaintextHeader]
    guard let kind = (try? session.core.look(path))?.kind, kinds.contains(kind) else {
      return found
    }
    return found.hinting(
      "to \(name) both databases, add --in-place; --force replaces this one, and --backup .old"
        + " then keeps it")
  }

  /// Where the database itself was at stake, a failure says that it is as it was.
  private func assured(_ found: Diagnosis, _ error: any Error, _ step: ConversionPlan.Step)
    -> Diagnosis
  {
    guard step.destination == .inPlace || parsed.has(Options.shred), !parsed.has(Options.dryRun)
    else { return found }
    switch error {
    // These say themselves how far the work came.
    case SealError.notShredded, SealError.interrupted, SealError.selfCheckFailed: return found
    case SealError.io(let failure) where failure.call == .syncName: return found
    case SealError.io(let failure) where failure.call == .open && failure.errno == ENOENT:
      return found
    default: break
    }
    switch found.code {
    case .wrongKey, .damaged, .locked, .io, .unsupported:
      return found.adding("the database is as it was")
    case .ok, .checkFailed, .usage, .noKey, .wrongKind, .exists, .migrationFailed,
      .selfCheckFailed, .interrupted:
      return found
    }
  }

  private func output(for step: ConversionPlan.Step) -> OutputOptions {
    var output = OutputOptions(step.destination)
    output.force = parsed.has(Options.force)
    output.backupSuffix = parsed.text(Options.backup)
    output.dryRun = parsed.has(Options.dryRun)
    output.inputs = inputs
    return output
  }

  private func label(_ first: ConversionPlan.Step, _ batch: Batch, _ isNew: Bool) -> String {
    if isNew, case .target(let path) = first.destination {
      return batch.label(path, isNew: true)
    }
    return batch.label(first.source, isNew: isNew)
  }

  /// The store of the replacement key, for `--json`.
  private var newPlace: [JSON.Field] {
    let source = replacementKey?.selection(from: parsed).source
    return session.keys.found.place(of: source).map { [$0.field("new_keyring")] } ?? []
  }

  private func say(
    _ report: ConversionReport, _ step: ConversionPlan.Step, _ fit: KeyChoice.Fit,
    isRaw: Bool, _ facts: [JSON.Field], _ batch: Batch
  ) {
    let rendering = ConversionRendering(
      report, verb: verb, inPlace: step.destination == .inPlace,
      shredded: parsed.has(Options.shred), keyIsRaw: isRaw)
    if asJSON {
      session.console.result(
        rendering.json(command: parsed.command.name).adding(fit.facts + facts + newPlace).text)
      return
    }
    for line in quiet ? rendering.indispensable : rendering.lines(parsed.has(Options.verbose)) {
      session.console.result(line)
    }
    let notes = rendering.notes + fit.notes(parsed.has(Options.verbose))
    for note in quiet ? [] : notes {
      batch.say(note: note, on: report.source, ofKey: rendering.keyNotes.contains(note))
    }
  }
}
