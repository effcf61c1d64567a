// What the conversions have in common: check the sources, get the key once, convert one file
// after the other, say what came of each, and end with the right status.

internal import SealCore

/// Runs the conversions of one command line.
struct Conversions {
  let parsed: ParsedCommand
  let session: Session
  /// How the report says what was done: `encrypted`.
  let verb: String
  /// Cipher settings of the encrypted side, or what to write where both are encrypted.
  let settings: CipherSettings
  /// Refuses a source that cannot be converted, before a key is asked for.
  let precheck: (String, OutputOptions) throws -> Void
  /// The key is to be made up now, so a typed one is asked for twice.
  let newKey: Bool
  /// The command changes databases: without a TARGET, it does so in place.
  var inPlaceByDefault = false
  /// The key to get, beside the key that is there.
  var replacementKey: KeyOptions?
  /// Converts one file; with the replacement key, where the command takes one.
  let convert: (ConversionRequest, KeyMaterial?) throws -> ConversionReport

  private var asJSON: Bool { parsed.has(Options.json) }
  private var quiet: Bool { parsed.has(Options.quiet) }

  /// The exit status. Throws what concerns the command line as a whole.
  func run() throws -> Int32 {
    let plan = try ConversionPlan(parsed, inPlaceByDefault: inPlaceByDefault)
    let batch = Batch(parsed: parsed, session: session, count: plan.steps.count)
    var ready: [ConversionPlan.Step] = []
    var failures = 0
    for step in plan.steps {
      do {
        try precheck(step.source, output(for: step))
        ready.append(step)
      } catch {
        let status = batch.report(Diagnostics.explain(error), on: step.source)
        if !batch.isSeveral || Batch.ends(error) { return status }
        failures += 1
      }
    }
    guard let first = ready.first else { return summary(batch, failures) }
    let key: KeyMaterial
    let replacement: KeyMaterial?
    do {
      key = try session.keys.resolve(
        KeyOptions.database.selection(from: parsed), label: label(first, batch, newKey),
        new: newKey)
      replacement = try replacementKey.map {
        try session.keys.resolve(
          $0.selection(from: parsed), label: label(first, batch, true), new: true)
      }
    } catch let error where !batch.isSeveral {
      // The key of this one database.
      return batch.report(Diagnostics.explain(error), on: first.source)
    }
    for step in ready {
      do {
        say(try convertOne(step, key, replacement, batch), step)
      } catch {
        let status = batch.report(Diagnostics.explain(error), on: step.source)
        if !batch.isSeveral || Batch.ends(error) { return status }
        failures += 1
      }
    }
    return batch.isSeveral ? summary(batch, failures) : 0
  }

  private func convertOne(
    _ step: ConversionPlan.Step, _ key: KeyMaterial, _ replacement: KeyMaterial?, _ batch: Batch
  ) throws -> ConversionReport {
    try batch.withContext(step.source) { context in
      let request = ConversionRequest(
        source: step.source, output: output(for: step), key: key, settings: settings,
        context: context)
      return try convert(request, replacement)
    }
  }

  private func output(for step: ConversionPlan.Step) -> OutputOptions {
    var output = OutputOptions(step.destination)
    output.force = parsed.has(Options.force)
    output.backupSuffix = parsed.text(Options.backup)
    output.dryRun = parsed.has(Options.dryRun)
    return output
  }

  private func label(_ first: ConversionPlan.Step, _ batch: Batch, _ isNew: Bool) -> String {
    if isNew, case .target(let path) = first.destination {
      return batch.label(path, isNew: true)
    }
    return batch.label(first.source, isNew: isNew)
  }

  private func say(_ report: ConversionReport, _ step: ConversionPlan.Step) {
    let rendering = ConversionRendering(
      report, verb: verb, inPlace: step.destination == .inPlace,
      shredded: parsed.has(Options.shred))
    if asJSON {
      session.console.result(rendering.json(command: parsed.command.name).text)
      return
    }
    for line in quiet ? rendering.indispensable : rendering.lines(parsed.has(Options.verbose)) {
      session.console.result(line)
    }
    for note in quiet ? [] : rendering.notes {
      session.console.say([Span("note: ", .note), Span("\(report.source): \(note)")])
    }
  }

  private func summary(_ batch: Batch, _ failures: Int) -> Int32 {
    let words = parsed.has(Options.dryRun) ? "would be \(verb)" : verb
    return batch.summary(failures: failures, words: words)
  }
}
