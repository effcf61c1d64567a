// `dbseal verify`: look at the files, get the key if one is needed, check them side by side, and
// say what came of each in the order in which they were named.

internal import SealCore
internal import Synchronization

/// Parsed values to requests.
struct VerifyCommand {
  private let parsed: ParsedCommand
  private let session: Session
  private let settings: CipherSettings
  private let otherSettings: CipherSettings
  private let selection: KeySelection
  private let expectations: Expectations

  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    try VerifyCommand(parsed, session).run()
  }

  private init(_ parsed: ParsedCommand, _ session: Session) throws {
    self.parsed = parsed
    self.session = session
    settings = CipherOptions.examined.settings(from: parsed)
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try settings.candidates()
    otherSettings = CipherOptions.against.settings(from: parsed)
    _ = try otherSettings.candidates()
    try KeyOptions.requireTwoStreams(.database, .against, parsed)
    selection = KeyOptions.database.selection(from: parsed)
    expectations = Self.expectations(parsed)
  }

  private var asJSON: Bool { parsed.has(Options.json) }
  private var quiet: Bool { parsed.has(Options.quiet) }
  private var isBatch: Bool { parsed.operands.count > 1 }

  /// What the `--expect-` options say.
  static func expectations(_ parsed: ParsedCommand) -> Expectations {
    var expected = Expectations()
    expected.userVersion = parsed.integer(VerifyOptions.userVersion).map(
      Int32.init(truncatingIfNeeded:))
    expected.applicationID = parsed.integer(VerifyOptions.applicationID).map(
      Int32.init(truncatingIfNeeded:))
    expected.tables = parsed.texts(VerifyOptions.table).map(table)
    expected.digest = parsed.bytes(VerifyOptions.expectDigest)
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

  private func run() throws -> Int32 {
    let paths = parsed.operands
    let needs = paths.map { path in
      Result { try session.core.needsKey(path, settings, selection.source != nil) }
    }
    let locked = zip(paths, needs).filter { (try? $0.1.get()) == true }.map(\.0)
    var key: KeyMaterial?
    if let first = locked.first {
      let label = locked.count > 1 ? "Key of \(locked.count) databases" : "Key of \(first)"
      key = try session.keys.resolve(selection, label: label, new: false)
    }
    // The key was fetched although nobody needs it: a source that fails is then no failure.
    let other = try other(key)
    let sorted = zip(paths, needs).map { path, needs in
      needs.map { request(path, $0 ? key : nil, other) }
    }
    return try check(sorted)
  }

  /// The database to compare with. `key`: the one of the databases that are checked.
  private func other(_ key: KeyMaterial?) throws -> Verify.Other? {
    guard let path = parsed.text(VerifyOptions.against) else { return nil }
    let own = KeyOptions.against.selection(from: parsed)
    guard try session.core.needsKey(path, otherSettings, own.source != nil) else {
      return Verify.Other(path: path, key: nil, settings: otherSettings)
    }
    if let key, !session.keys.isNamed(own) {
      return Verify.Other(path: path, key: key, settings: otherSettings)
    }
    let selected = session.keys.isNamed(own) ? own : selection
    let found = try session.keys.resolve(selected, label: "Key of \(path)", new: false)
    return Verify.Other(path: path, key: found, settings: otherSettings)
  }

  private func request(_ path: String, _ key: KeyMaterial?, _ other: Verify.Other?)
    -> Verify.Request
  {
    var context = OperationContext()
    context.cancellation = session.cancellation
    if let seconds = parsed.seconds(Options.busyTimeout) { context.busyTimeout = seconds }
    if !isBatch, let number = parsed.integer(Options.jobs) { context.workers = number }
    if isBatch { context.workers = 1 }
    var request = Verify.Request(path: path, key: key, settings: settings, context: context)
    request.quick = parsed.has(VerifyOptions.quick)
    request.sample = parsed.integer(VerifyOptions.sample)
    request.expectations = expectations
    request.digest = parsed.has(VerifyOptions.digest)
    request.against = other
    return request
  }

  private func check(_ sorted: [Result<Verify.Request, any Error>]) throws -> Int32 {
    let line =
      isBatch
      ? nil
      : ProgressLine(
        quiet ? .never : parsed.display(Options.progress), on: session.console,
        subject: parsed.operands[0])
    defer { line?.finish() }
    var requests: [Verify.Request] = []
    // Where the answer to a request belongs among the operands.
    var places: [Int] = []
    for (place, result) in sorted.enumerated() {
      guard case .success(var request) = result else { continue }
      if let line { request.context.progress = { line.show($0) } }
      requests.append(request)
      places.append(place)
    }
    let tally = Mutex(Tally())
    let cores = parsed.integer(Options.jobs) ?? OperationContext.processorCount
    do {
      try session.core.verify(requests, cores, session.cancellation) { [places] index, result in
        if case .failure(SealError.interrupted) = result { return }
        line?.finish()
        tally.withLock { tally in
          while tally.next < places[index] { self.answer(sorted[tally.next], &tally) }
          self.say(result, self.parsed.operands[places[index]], &tally)
        }
      }
    } catch  where !isBatch {
      tally.withLock { say(.failure(error), parsed.operands[0], &$0) }
    }
    return tally.withLock { tally in
      while tally.next < sorted.count { answer(sorted[tally.next], &tally) }
      guard isBatch else { return tally.status }
      return summary(tally)
    }
  }

  /// What was answered so far.
  private struct Tally {
    var next = 0
    var failed = 0
    /// Of the last file.
    var status: Int32 = 0
  }

  /// A file that was refused before any work.
  private func answer(_ result: Result<Verify.Request, any Error>, _ tally: inout Tally) {
    guard case .failure(let error) = result else {
      tally.next += 1
      return
    }
    say(.failure(error), parsed.operands[tally.next], &tally)
  }

  private func say(
    _ result: Result<VerifyReport, any Error>, _ path: String, _ tally: inout Tally
  ) {
    tally.next += 1
    switch result {
    case .success(let report):
      let rendering = VerifyRendering(report, values: parsed.has(Options.verbose))
      tally.status = rendering.diagnosis.exit
      say(rendering)
    case .failure(let error):
      let diagnosis = diagnosis(error)
      tally.status = diagnosis.exit
      Tool.say(
        diagnosis, command: parsed.command.name, database: path, asJSON: asJSON,
        on: session.console)
    }
    if tally.status != 0 { tally.failed += 1 }
  }

  private func diagnosis(_ error: any Error) -> Diagnosis {
    let found = Diagnostics.explain(error)
    guard case SealError.wrongKind(_, let kind) = error else { return found }
    switch kind {
    case .plaintext:
      return Diagnosis(
        found.code, found.sentence, about: found.subject,
        hint: "leave the key out to check it as it is", facts: found.facts)
    case .sqlcipherPlaintextHeader:
      return Diagnosis(
        found.code, "this is a SQLCipher database with a plaintext header", about: found.subject,
        hint: "--plaintext-header with its bytes (32 for iOS), and --salt unless the key has it",
        facts: found.facts)
    default: return found
    }
  }

  private func say(_ rendering: VerifyRendering) {
    let console = session.console
    if asJSON {
      console.result(rendering.json(command: parsed.command.name).text)
      return
    }
    let isOK = rendering.diagnosis.exit == 0
    if !quiet {
      rendering.lines(all: parsed.has(Options.verbose)).forEach(console.result)
      for note in rendering.notes {
        console.say([Span("note: ", .note), Span("\(rendering.report.path): \(note)")])
      }
    }
    if !isOK { rendering.diagnosis.say(on: console) }
  }

  private func summary(_ tally: Tally) -> Int32 {
    let files = parsed.operands.count
    let status = tally.failed == 0 ? ErrorCode.ok : .checkFailed
    if asJSON {
      let facts: [JSON.Field] = [
        .init("command", .string(parsed.command.name)), .init("ok", .bool(tally.failed == 0)),
        .init("code", .string(status.rawValue)), .init("exit", .integer(Int64(status.exitStatus))),
        .init("files", .integer(files)), .init("succeeded", .integer(files - tally.failed)),
        .init("failed", .integer(tally.failed)),
      ]
      session.console.result(JSON.object([.init("summary", .object(facts))]).text)
    } else if !quiet {
      let failed = tally.failed == 0 ? "" : ", \(tally.failed) failed"
      session.console.result("\(files - tally.failed) of \(files) databases passed\(failed)")
    }
    return status.exitStatus
  }
}
