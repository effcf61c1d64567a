// How verify says what came of each database, and what it writes beside its answers: a report, a manifest.
// One that cannot be written is a failure of the run, and what stood there before is called by its name.

internal import SealCore

extension VerifyCommand {
  /// What `error` means for `task`.
  func diagnosis(_ error: any Error, _ task: VerifyTask) -> Diagnosis {
    if let failure = error as? KeyFailure, task.hasOwnKey {
      let named = ManifestFields.named(in: failure, of: parsed.text(VerifyOptions.manifest) ?? "")
      return ManifestKeys.explain(Diagnostics.explain(named), named, task)
    }
    let found = session.explain(
      error, of: task.path, reading: .examined, from: task.parsed)
    switch error {
    case SealError.wrongKey where parsed.has(VerifyOptions.manifest):
      return found.hint.map { found.hinting(ManifestFields.named(in: $0)) } ?? found
    case SealError.wrongKind(_, .plaintext):
      return found.hinting("leave key and settings out to check it as it is")
    case SealError.wrongKind(let path, .other) where Manifest.isThere(path):
      return found.hinting(
        "it is a manifest: \(Catalog.tool) verify --manifest \(ShellWords.quoted(path))")
    default: return found
    }
  }

  /// Says it in every form that is wanted; the exit status.
  func say(_ answer: VerifyAnswer) -> Int32 {
    let console = session.console
    let status = answer.diagnosis.exit
    report?.add(answer)
    if batch.asJSON {
      console.result(answer.json(command: parsed.command.name).text)
      return status
    }
    let isSilent = batch.quiet || report?.isOnOutput == true
    if !isSilent {
      answer.text.forEach(console.result)
      for note in answer.notes {
        console.say([Span("note: ", .note), Span("\(answer.title): \(note)")])
      }
    }
    if status != 0 { answer.failure(alone: isSilent).say(on: console) }
    return status
  }

  /// Writes the files that are wanted; what kept one from being written, which was said.
  func write(after outcome: Batch.Outcome) -> Diagnosis? {
    let stopped = outcome.interruption.map { Diagnostics.explain($0) }
    let writes: [() throws -> Void] = [
      { try report?.end(stopped: stopped) },
      { try writer?.write(after: outcome, on: session.console, batch) },
    ]
    var failure: Diagnosis?
    for (write, path) in zip(writes, [report?.path, writer?.path]) {
      do {
        try write()
      } catch {
        let found = Self.explain(error, writing: path)
        Tool.say(
          found, command: parsed.command.name, database: nil, asJSON: batch.asJSON,
          on: session.console)
        failure = failure ?? found
      }
    }
    return failure
  }

  /// Ends the report of a run that cannot go on; `error` itself is said elsewhere.
  static func end(_ report: TestReport?, _ error: any Error, _ session: Session) {
    do {
      try report?.end(stopped: Diagnostics.explain(error))
    } catch { explain(error, writing: report?.path).say(on: session.console) }
  }

  /// What `make` makes; that it has no place is said as below.
  static func placing<Output>(_ make: () throws -> Output) throws -> Output {
    do {
      return try make()
    } catch let error as SealError { throw Unplaced(diagnosis: explain(error, writing: nil)) }
  }

  /// A report or manifest that cannot be where it is to be.
  private struct Unplaced: ExplainedError { let diagnosis: Diagnosis }

  /// Why `path` was not written, and what stands there.
  private static func explain(_ error: any Error, writing path: String?) -> Diagnosis {
    var found = Diagnostics.explain(error)
    if let hint = found.hint {
      let file = hint.replacing("name a place", with: "name a file")
      found = found.hinting(file.replacing("TARGET", with: "file"))
    }
    guard found.code != .exists, let path, FileMark.of(path).map({ $0.size > 0 }) ?? false else {
      return found
    }
    return found.adding("what stands there is from an earlier run")
  }

  /// Says that a key was named for nothing: each entry of the manifest has its own, or needs none.
  static func noteUnusedKey(_ parsed: ParsedCommand, _ tasks: [VerifyTask], _ session: Session) {
    guard parsed.has(VerifyOptions.manifest), !parsed.has(Options.quiet),
      KeyOptions.database.selection(from: parsed).isNamed,
      tasks.allSatisfy({ $0.hasOwnKey || $0.isPlain })
    else { return }
    session.console.say([
      Span("note: ", .note),
      Span(
        "the key of the command line is not used: each entry of the manifest says where its key is,"
          + " or that it has none"),
    ])
  }
}
