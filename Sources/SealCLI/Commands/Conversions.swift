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
    var ready: [ConversionPlan.Step] = []
    var failures = 0
    for step in plan.steps {
      do {
        try precheck(step.source, output(for: step))
        ready.append(step)
      } catch {
        let status = report(error, on: step)
        if !plan.isBatch || ends(error) { return status }
        failures += 1
      }
    }
    guard let first = ready.first else { return summary(plan, failures) }
    let key: KeyMaterial
    let replacement: KeyMaterial?
    do {
      key = try session.keys.resolve(
        KeyOptions.database.selection(from: parsed), label: label(first, plan, newKey),
        new: newKey)
      replacement = try replacementKey.map {
        try session.keys.resolve(
          $0.selection(from: parsed), label: label(first, plan, true), new: true)
      }
    } catch let error where !plan.isBatch {
      // The key of this one database.
      return report(error, on: first)
    }
    for step in ready {
      do {
        say(try convertOne(step, key, replacement), step)
      } catch {
        let status = report(error, on: step)
        if !plan.isBatch || ends(error) { return status }
        failures += 1
      }
    }
    return plan.isBatch ? summary(plan, failures) : 0
  }

  private func convertOne(
    _ step: ConversionPlan.Step, _ key: KeyMaterial, _ replacement: KeyMaterial?
  ) throws -> ConversionReport {
    var context = OperationContext()
    context.cancellation = session.cancellation
    if let seconds = parsed.seconds(Options.busyTimeout) { context.busyTimeout = seconds }
    if let number = parsed.integer(Options.jobs) { context.workers = number }
    let display = quiet ? .never : parsed.display(Options.progress)
    let line = ProgressLine(display, on: session.console, subject: step.source)
    if let line { context.progress = { line.show($0) } }
    defer { line?.finish() }
    let request = ConversionRequest(
      source: step.source, output: output(for: step), key: key, settings: settings,
      context: context)
    return try convert(request, replacement)
  }

  private func output(for step: ConversionPlan.Step) -> OutputOptions {
    var output = OutputOptions(step.destination)
    output.force = parsed.has(Options.force)
    output.backupSuffix = parsed.text(Options.backup)
    output.dryRun = parsed.has(Options.dryRun)
    return output
  }

  private func label(_ first: ConversionPlan.Step, _ plan: ConversionPlan, _ isNew: Bool)
    -> String
  {
    let kind = isNew ? "New key" : "Key"
    if plan.isBatch { return "\(kind) of \(plan.steps.count) databases" }
    if isNew, case .target(let path) = first.destination { return "\(kind) of \(path)" }
    return "\(kind) of \(first.source)"
  }

  /// Nothing that follows could go better.
  private func ends(_ error: any Error) -> Bool {
    if case SealError.interrupted = error { return true }
    return false
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

  private func report(_ error: any Error, on step: ConversionPlan.Step) -> Int32 {
    let diagnosis = Diagnostics.explain(error)
    Tool.say(
      diagnosis, command: parsed.command.name, database: step.source, asJSON: asJSON,
      on: session.console)
    return diagnosis.exit
  }

  private func summary(_ plan: ConversionPlan, _ failures: Int) -> Int32 {
    let done = plan.steps.count - failures
    let status = failures == 0 ? ErrorCode.ok : .checkFailed
    if asJSON {
      let facts: [JSON.Field] = [
        .init("command", .string(parsed.command.name)), .init("ok", .bool(failures == 0)),
        .init("code", .string(status.rawValue)), .init("exit", .integer(Int64(status.exitStatus))),
        .init("files", .integer(plan.steps.count)), .init("succeeded", .integer(done)),
        .init("failed", .integer(failures)),
      ]
      session.console.result(JSON.object([.init("summary", .object(facts))]).text)
    } else if !quiet {
      let words = parsed.has(Options.dryRun) ? "would be \(verb)" : verb
      let failed = failures == 0 ? "" : ", \(failures) failed"
      session.console.result("\(done) of \(plan.steps.count) databases \(words)\(failed)")
    }
    return status.exitStatus
  }
}
