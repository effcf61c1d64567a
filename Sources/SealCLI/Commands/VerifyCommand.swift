// `dbseal verify`: look at the files, get the key if one is needed, check them side by side, and
// say what came of each in the order in which they were named.

internal import SealCore

/// Parsed values to requests.
struct VerifyCommand: Sendable {
  private let parsed: ParsedCommand
  private let session: Session
  private let settings: CipherSettings
  private let otherSettings: CipherSettings
  private let selection: KeySelection
  private let expectations: Expectations
  private let batch: Batch

  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    try VerifyCommand(parsed, session).run()
  }

  private init(_ parsed: ParsedCommand, _ session: Session) throws {
    self.parsed = parsed
    self.session = session
    batch = Batch(parsed: parsed, session: session, count: parsed.operands.count)
    settings = CipherOptions.examined.settings(from: parsed)
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try settings.candidates()
    otherSettings = CipherOptions.against.settings(from: parsed)
    _ = try otherSettings.candidates()
    try KeyOptions.requireTwoStreams(.database, .against, parsed)
    selection = KeyOptions.database.selection(from: parsed)
    expectations = Self.expectations(parsed)
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
    expected.encrypted = parsed.has(VerifyOptions.encrypted)
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
      Result { try session.core.needsKey(path, settings, selection.isNamed) }
    }
    let key = try batch.key(for: paths, needs) { locked in
      let label = locked.count > 1 ? "Key of \(locked.count) databases" : "Key of \(locked[0])"
      return try KeyChoice.resolve(selection, label: label, session)
    }
    // The key was fetched although nobody needs it: a source that fails is then no failure.
    let other = try other(key)
    let outcome = batch.forEach(paths) { index, context in
      let needsKey = try needs[index].get()
      let fit = try needsKey ? key.get()?.fit(paths[index], settings, context, session.core) : nil
      var report = try session.core.verify(request(paths[index], fit?.key, other, context))
      if !needsKey, session.keys.isNamed(selection) { report.notes.append(.keyNotUsed) }
      return (report, fit)
    } answer: { index, result in
      switch result {
      case .success((let report, let fit)):
        say(VerifyRendering(report, values: parsed.has(Options.verbose)), fit)
      case .failure(let error): batch.report(diagnosis(error), on: paths[index])
      }
    }
    return batch.finish(outcome, words: "passed")
  }

  /// The database to compare with. `key`: the one of the databases that are checked.
  private func other(_ key: Result<KeyChoice?, any Error>) throws -> NamedDatabase? {
    guard let path = parsed.text(VerifyOptions.against) else { return nil }
    let own = KeyOptions.against.selection(from: parsed)
    var other = NamedDatabase(path: path, settings: otherSettings)
    try other.explaining {
      guard try session.core.needsKey(path, otherSettings, own.isNamed) else { return }
      let hasOwn = session.keys.isNamed(own) || !session.keys.isNamed(selection)
      let shared = try session.keys.isNamed(own) ? nil : key.get()
      other.hasSharedKey = shared != nil
      let choice =
        try shared ?? KeyChoice.resolve(hasOwn ? own : selection, label: "Key of \(path)", session)
      other.key = try choice.fit(path, otherSettings, batch.context(of: 0), session.core).key
    }
    return other
  }

  private func request(
    _ path: String, _ key: KeyMaterial?, _ other: NamedDatabase?, _ context: OperationContext
  ) -> Verify.Request {
    var request = Verify.Request(NamedDatabase(path: path, key: key, settings: settings), context)
    request.quick = parsed.has(VerifyOptions.quick)
    request.sample = parsed.integer(VerifyOptions.sample)
    request.expectations = expectations
    request.digest = parsed.has(VerifyOptions.digest)
    request.against = other
    return request
  }

  private func diagnosis(_ error: any Error) -> Diagnosis {
    let found = Diagnostics.explain(error, reading: .examined)
    guard case SealError.wrongKind(_, .plaintext) = error else { return found }
    return Diagnosis(
      found.code, found.sentence, about: found.subject,
      hint: "leave key and settings out to check it as it is", facts: found.facts)
  }

  private func say(_ rendering: VerifyRendering, _ fit: KeyChoice.Fit?) -> Int32 {
    let console = session.console
    let status = rendering.diagnosis.exit
    if batch.asJSON {
      console.result(
        rendering.json(command: parsed.command.name).adding(fit?.facts ?? []).text)
      return status
    }
    if !batch.quiet {
      rendering.lines(all: parsed.has(Options.verbose)).forEach(console.result)
      for note in rendering.notes + [fit?.note].compactMap({ $0 }) {
        console.say([Span("note: ", .note), Span("\(rendering.report.path): \(note)")])
      }
    }
    if status != 0 { (batch.quiet ? rendering.diagnosis : rendering.alarm).say(on: console) }
    return status
  }
}
