// What commands that take several databases have in common: the surroundings of each, how a failure
// of one is said, and the summary at the end.

internal import SealCore

/// The databases of one command line.
struct Batch {
  let parsed: ParsedCommand
  let session: Session
  /// How many databases were named.
  let count: Int

  var asJSON: Bool { parsed.has(Options.json) }
  var quiet: Bool { parsed.has(Options.quiet) }
  /// Several files were named: each gets its line, and a failure ends with status 1.
  var isSeveral: Bool { count > 1 }

  /// Runs `body` for the database `subject`, with its progress on the terminal.
  func withContext<R>(_ subject: String, _ body: (OperationContext) throws -> R) rethrows -> R {
    var context = OperationContext()
    context.cancellation = session.cancellation
    if let seconds = parsed.seconds(Options.busyTimeout) { context.busyTimeout = seconds }
    if let number = parsed.integer(Options.jobs) { context.workers = number }
    let display = quiet ? .never : parsed.display(Options.progress)
    let line = ProgressLine(display, on: session.console, subject: subject)
    if let line { context.progress = { line.show($0) } }
    defer { line?.finish() }
    return try body(context)
  }

  /// Says what went wrong with `database`; the exit status.
  func report(_ diagnosis: Diagnosis, on database: String) -> Int32 {
    Tool.say(
      diagnosis, command: parsed.command.name, database: database, asJSON: asJSON,
      on: session.console)
    return diagnosis.exit
  }

  /// Nothing that follows such an error could go better.
  static func ends(_ error: any Error) -> Bool {
    if case SealError.interrupted = error { return true }
    return false
  }

  /// The key's label at a prompt.
  func label(_ path: String, isNew: Bool) -> String {
    let kind = isNew ? "New key" : "Key"
    return isSeveral ? "\(kind) of \(count) databases" : "\(kind) of \(path)"
  }

  /// Says how many went well; the exit status. `words`: what they were, such as `encrypted`.
  func summary(failures: Int, words: String) -> Int32 {
    let done = count - failures
    let status = failures == 0 ? ErrorCode.ok : .checkFailed
    if asJSON {
      let facts: [JSON.Field] = [
        .init("command", .string(parsed.command.name)), .init("ok", .bool(failures == 0)),
        .init("code", .string(status.rawValue)), .init("exit", .integer(Int64(status.exitStatus))),
        .init("files", .integer(count)), .init("succeeded", .integer(done)),
        .init("failed", .integer(failures)),
      ]
      session.console.result(JSON.object([.init("summary", .object(facts))]).text)
    } else if !quiet {
      let failed = failures == 0 ? "" : ", \(failures) failed"
      session.console.result("\(done) of \(count) databases \(words)\(failed)")
    }
    return status.exitStatus
  }
}
