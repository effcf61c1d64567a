// `dbseal migrate --schema`: numbered SQL files to one database or many.

internal import SealCore
internal import Synchronization

/// Parsed values to requests.
struct SchemaCommand: Sendable {
  private let parsed: ParsedCommand
  private let session: Session
  private let folder: String
  private let batch: Batch

  init(_ parsed: ParsedCommand, _ session: Session, folder: String) {
    self.parsed = parsed
    self.session = session
    self.folder = folder
    batch = Batch(parsed: parsed, session: session, count: parsed.operands.count)
  }

  /// A failure behind migrations that had become permanent.
  private struct Stopped: Error {
    let cause: any Error
    let applied: [AppliedMigration]
  }

  /// The exit status. Throws what concerns the command line or the folder as a whole.
  func run() throws -> Int32 {
    try requireSense()
    let migrations = try MigrationFolder(folder)
    let versions = [SchemaOptions.to, SchemaOptions.baseline].compactMap { parsed.integer($0) }
    try SchemaMigration.check(migrations, track: track, versions: versions.map { Int64($0) })
    let databases = parsed.operands
    if creates { for each in databases { try ConversionPlan.requireFile(each) } }
    if !parsed.has(SchemaOptions.status) { try ConversionPlan.requireDistinct(databases) }
    let needs = databases.map { path in Result { try needsKey(path, migrations) } }
    let key: Result<KeyMaterial?, any Error>
    do {
      key = try batch.key(for: databases, needs) { try self.key(for: $0[0]) }
    } catch SealError.interrupted(let number) where batch.isSeveral {
      return batch.finish(interruptedBy: number, words: words)
    } catch let error where !batch.isSeveral || Diagnostics.explain(error).code == .noKey {
      let found = batch.isSeveral ? Diagnostics.explain(error) : explain(error, databases[0])
      return batch.report(noKey: found, on: databases)
    }
    sayIgnored(migrations)
    let outcome = batch.forEach(databases) { index, context in
      let key = try needs[index].get() ? key.get() : nil
      var report = try migrate(request(databases[index], migrations, key, context))
      if key == nil, !creates, session.keys.isNamed(selection) { report.notes.append(.keyNotUsed) }
      return report
    } answer: { index, result in
      switch result {
      case .success(let report): say(report)
      case .failure(let error): report(error, databases[index])
      }
    }
    if creates { session.noteSealing(.database, parsed, after: outcome) }
    return batch.finish(outcome, words: words)
  }

  /// Throws `Stopped` where a failure leaves something behind.
  private func migrate(_ request: SchemaMigration.Request) throws -> MigrationReport {
    let applied = Mutex([AppliedMigration]())
    var request = request
    request.onApplied = { each in applied.withLock { $0.append(each) } }
    do {
      return try session.core.migrate(request)
    } catch {
      let stays = request.dryRun || creates ? [] : applied.withLock { $0 }
      throw stays.isEmpty ? error : Stopped(cause: error, applied: stays)
    }
  }

  private var track: VersionTrack {
    parsed.text(SchemaOptions.track).flatMap(VersionTrack.init(rawValue:)) ?? .table
  }

  private var creates: Bool { parsed.has(SchemaOptions.create) }
  private var isPlain: Bool { parsed.has(SchemaOptions.plaintext) }

  /// What options mean together with these.
  private func requireSense() throws {
    if let option = CipherOptions.written.all.first(where: { parsed.has($0) }) {
      let schema = SchemaOptions.schema.flag
      guard creates else {
        throw UsageFlaw.exclusive(
          option.flag, schema, because: "the format and the schema of a database change one by one")
      }
      guard !isPlain else { throw plaintextFlaw(option) }
    }
    if isPlain, let option = KeyOptions.database.all.first(where: { parsed.has($0) }) {
      throw plaintextFlaw(option)
    }
    if creates, let option = CipherOptions.source.all.first(where: { parsed.has($0) }) {
      throw UsageFlaw.exclusive(
        option.flag, SchemaOptions.create.flag, because: "a new database has no settings to read")
    }
    if track == .userVersion, parsed.has(SchemaOptions.allowOutOfOrder) {
      throw UsageFlaw.exclusive(
        SchemaOptions.allowOutOfOrder.flag, "\(SchemaOptions.track.flag) \(track.rawValue)",
        because: "one number cannot say which files were applied")
    }
    _ = try CipherOptions.written.settings(from: parsed).profile()
    _ = try CipherOptions.source.settings(from: parsed).candidates()
  }

  private func plaintextFlaw(_ option: OptionSpec) -> UsageFlaw {
    .exclusive(
      option.flag, SchemaOptions.plaintext.flag, because: "a plaintext database is not encrypted")
  }

  private func needsKey(_ database: String, _ migrations: MigrationFolder) throws -> Bool {
    try session.keys.inputs(of: parsed).requireApart(from: database)
    guard !creates else {
      try SchemaMigration.precheckCreation(database, migrations)
      return !isPlain
    }
    let settings = CipherOptions.source.settings(from: parsed)
    return try session.core.needsKey(database, settings, selection.isNamed)
  }

  private var selection: KeySelection { KeyOptions.database.selection(from: parsed) }

  /// The key of all that need one, of which `first` is the first.
  private func key(for first: String) throws -> KeyMaterial {
    var selection = selection
    selection.seals = creates
    return try session.keys.resolve(
      selection, label: batch.label(first, isNew: creates), new: creates)
  }

  private func request(
    _ database: String, _ migrations: MigrationFolder, _ key: KeyMaterial?,
    _ context: OperationContext
  ) -> SchemaMigration.Request {
    var action = SchemaMigration.Action.apply
    if parsed.has(SchemaOptions.status) { action = .status }
    if let version = parsed.integer(SchemaOptions.baseline) { action = .baseline(Int64(version)) }
    if creates {
      action = .create(isPlain ? nil : CipherOptions.written.settings(from: parsed))
    }
    var request = SchemaMigration.Request(
      database: database, folder: migrations, action: action, context: context)
    request.key = key
    if creates, let kept = key.flatMap({ KeptKey($0, selection) }) {
      request.lastCheck = { [session] in try kept.require(session) }
    }
    request.settings = CipherOptions.source.settings(from: parsed)
    request.track = track
    request.target = parsed.integer(SchemaOptions.to).map { Int64($0) }
    request.allowOutOfOrder = parsed.has(SchemaOptions.allowOutOfOrder)
    request.dryRun = parsed.has(Options.dryRun)
    request.force = parsed.has(Options.force)
    return request
  }

  /// Says a report; the exit status.
  private func say(_ report: MigrationReport) -> Int32 {
    let rendering = SchemaRendering(report, checks: parsed.has(SchemaOptions.check))
    if batch.asJSON {
      let place = session.keys.found.place(of: report.profile != nil ? selection.source : nil)
      session.console.result(
        rendering.json(command: parsed.command.name).adding(
          place.map { [$0.field("keyring")] } ?? []
        ).text)
      return rendering.code.exitStatus
    }
    let verbose = parsed.has(Options.verbose)
    for line in batch.quiet ? rendering.indispensable : rendering.lines(verbose) {
      session.console.result(line)
    }
    if batch.quiet {
      rendering.alarm?.say(on: session.console)
    } else {
      let ofKey = report.notes.compactMap { note in
        if case .keyForm(let variant) = note { ConversionRendering.keyForm(variant) } else { nil }
      }
      for sentence in rendering.sentences {
        batch.say(note: sentence, on: report.database, ofKey: ofKey.contains(sentence))
      }
    }
    return rendering.code.exitStatus
  }

  /// Says once, in text, what concerns the folder; each JSON object has it.
  private func sayIgnored(_ migrations: MigrationFolder) {
    guard !migrations.ignored.isEmpty, !batch.asJSON, !batch.quiet else { return }
    batch.say(note: SchemaRendering.sentence(.ignoredFiles(migrations.ignored)), on: folder)
  }

  /// Says a failure, and what had been done before and stays; the exit status.
  private func report(_ error: any Error, _ database: String) -> Int32 {
    let stopped = error as? Stopped
    let found = explain(stopped?.cause ?? error, database)
    return batch.report(
      SchemaRendering.adding(stopped?.applied ?? [], to: found), on: database)
  }

  /// The words of this command, where the conversions have others.
  private func explain(_ error: any Error, _ database: String) -> Diagnosis {
    let found = session.explain(
      error, of: database, reading: CipherOptions.source, from: parsed)
    // Of several databases the reader wants to know which, even where the folder is at fault.
    let subject = found.subject ?? (batch.isSeveral ? database : nil)
    let hint: String? =
      switch error {
      case SealError.wrongKind(_, .plaintext): "leave key and settings out to migrate it as it is"
      case SealError.wrongKind(_, .empty): "remove it, and make a database with --create"
      case SealError.io where !creates && SourceCheck.isMissing(database):
        "check the name; --create makes a new database"
      case SealError.exists(_, let obstacle) where creates: hint(obstacle, database)
      default: found.hint
      }
    return Diagnosis(
      found.code, found.sentence, about: subject, hint: hint, facts: found.facts, exit: found.exit)
  }

  /// Nothing that is there is replaced by a new database.
  private func hint(_ obstacle: Obstacle, _ database: String) -> String? {
    switch obstacle {
    case .target:
      switch (try? session.core.look(database))?.kind {
      case .plaintext, .sqlcipher, .sqlcipherPlaintextHeader:
        "name another file; without --create it is migrated"
      case .empty: "it is empty: remove it, or name another file"
      default: "name another file"
      }
    case .sidecar: "remove it, or name another file"
    case .sameFile, .directory, .directoryForFile: "name a file that does not exist"
    case .danglingLink: "remove the link"
    case .companion, .input: "choose another name"
    case .system: "give the name of a file"
    case .notRegular, .hardLinked, .shared, .backup, .foreign: nil
    }
  }

  /// What a summary says of the databases that went well.
  private var words: String {
    if parsed.has(SchemaOptions.status) {
      return parsed.has(SchemaOptions.check) ? "up to date" : "read"
    }
    let verb = parsed.has(SchemaOptions.baseline) ? "recorded" : creates ? "created" : "migrated"
    if parsed.has(Options.dryRun) { return "would be \(verb)" }
    // Nothing may have been left to do.
    return verb == "migrated" && !parsed.has(SchemaOptions.to) ? "up to date" : verb
  }
}
