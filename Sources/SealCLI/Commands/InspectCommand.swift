// `dbseal inspect`: what a file is, and what is in it.

internal import SealCore

/// Parsed values to requests, one file after the other.
enum InspectCommand {
  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    let settings = CipherOptions.examined.settings(from: parsed)
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try settings.candidates()
    let query = try parsed.text(InspectOptions.query).map {
      Query(
        sql: $0,
        parameters: try parsed.texts(InspectOptions.param).map(QueryParameter.parse))
    }
    return try Inspection(parsed: parsed, session: session, settings: settings, query: query)
      .run()
  }
}

/// One run of inspect.
private final class Inspection {
  private let parsed: ParsedCommand
  private let session: Session
  private let batch: Batch
  private let settings: CipherSettings
  private let query: Query?
  private let writer: QueryWriter
  /// The key, once it was needed: it is the same for all files.
  private var key: KeyChoice?
  /// Why there is none.
  private var keyFailure: (any Error)?
  /// The one that the last file took.
  private var fit: KeyChoice.Fit?
  /// Things to know of databases whose rows are a part of something longer.
  private var held: [(notes: [String], path: String)] = []

  init(parsed: ParsedCommand, session: Session, settings: CipherSettings, query: Query?) {
    self.parsed = parsed
    self.session = session
    batch = Batch(parsed: parsed, session: session, count: parsed.operands.count)
    self.settings = settings
    self.query = query
    let form = parsed.text(InspectOptions.outputFormat).flatMap(QueryForm.init(rawValue:))
    writer = QueryWriter(form ?? .table, on: session.console)
  }

  private var asJSON: Bool { batch.asJSON }

  /// One file after the other: rows are written while they are read.
  func run() throws -> Int32 {
    var outcome = Batch.Outcome()
    let progress = batch.progress(of: depth == nil && query != nil ? [] : parsed.operands)
    for (index, path) in parsed.operands.enumerated() where !session.console.isDeaf {
      if index > 0, !asJSON, depth != nil || query == nil { session.console.result("") }
      do {
        defer { progress?.end(index) }
        try inspect(path, index, progress)
        outcome.add(0, bytes: FileMark.of(path)?.size ?? 0)
      } catch SealError.interrupted(let number) where batch.isSeveral {
        outcome.interruption = SealError.interrupted(signal: number)
        break
      } catch {
        let diagnosis = session.explain(
          error, of: path, reading: .examined, from: parsed)
        outcome.add(batch.report(diagnosis, on: path))
        // The key is the same for all files: it is not asked for again.
        if diagnosis.code == .noKey {
          guard batch.isSeveral, needNoKey else { return batch.finish(noKey: diagnosis) }
          keyFailure = error
        }
      }
    }
    writer.finish()
    held.forEach { say($0.notes, on: $0.path) }
    progress?.finish(isDone: outcome.answered == parsed.operands.count && outcome.failures == 0)
    return batch.finish(outcome, words: "inspected", inText: false)
  }

  /// Whether some of the files can be looked into without a key.
  private var needNoKey: Bool {
    parsed.operands.contains {
      (try? session.core.needsKey($0, settings, selection.isNamed)) == false
    }
  }

  /// What is asked for beyond the outside; nil: nothing.
  private var depth: Inspect.Depth? {
    if parsed.has(InspectOptions.schema) { return .schema }
    if parsed.has(InspectOptions.pages) { return .map }
    return parsed.has(InspectOptions.tables) ? .contents : nil
  }

  private func inspect(_ path: String, _ index: Int, _ progress: ProgressDisplay?) throws {
    fit = nil
    var file = try session.core.look(path)
    let isAsked = depth != nil || query != nil
    let wantsKey = isEncrypted(file)
    // A key in the environment is for the databases that need one.
    let unused: [Note] =
      file.kind == .plaintext && !wantsKey && session.keys.isNamed(selection) ? [.keyNotUsed] : []
    file.notes += unused
    let hasKey = wantsKey ? session.keys.isNamed(selection) : selection.isNamed
    guard isAsked || hasKey else { return say(InspectRendering(file: file)) }
    if !wantsKey, file.kind != .plaintext {
      guard !isAsked else {
        throw file.special.map { SealError.notRegular(path: path, $0) }
          ?? file.otherFormat.map { SealError.otherFormat(path: path, $0) }
          ?? SealError.wrongKind(path: path, found: file.kind)
      }
      return say(InspectRendering(file: file))
    }
    let database = try database(path, file, batch.context(of: index), withKey: wantsKey)
    if let query { return try rows(of: query, database, file, unused, batch.context(of: index)) }
    var rendering = InspectRendering(file: file)
    rendering.depth = depth ?? .contents
    rendering.content = try session.core.contents(
      database, rendering.depth, batch.showing(progress, index, batch.context(of: index)))
    rendering.content?.notes += unused
    say(rendering)
  }

  /// Whether a key is needed to look inside.
  private func isEncrypted(_ file: FileFacts) -> Bool {
    if settings.plaintextHeader ?? 0 > 0, file.kind == .plaintext || file.otherFormat != nil {
      return true
    }
    return [.sqlcipher, .sqlcipherPlaintextHeader].contains(file.kind) || file.mayBeEncrypted
  }

  private var selection: KeySelection { KeyOptions.database.selection(from: parsed) }

  private func database(
    _ path: String, _ file: FileFacts, _ context: OperationContext, withKey: Bool
  ) throws -> NamedDatabase {
    var settings = settings
    if withKey {
      if let keyFailure { throw keyFailure }
      let label = batch.isSeveral ? "Key of the databases" : "Key of \(path)"
      key = try key ?? KeyChoice.resolve(selection, label: label, session)
      // The one plaintext header in use is iOS's.
      if file.kind == .sqlcipherPlaintextHeader, settings.plaintextHeader == nil {
        settings.plaintextHeader = 32
      }
    }
    fit = withKey ? try key?.fit(path, settings, context, session.core) : nil
    return NamedDatabase(path: path, key: fit?.key, settings: settings)
  }

  private func rows(
    of query: Query, _ database: NamedDatabase, _ file: FileFacts, _ notes: [Note],
    _ context: OperationContext
  ) throws {
    guard !asJSON else { return try object(of: query, database, file, notes, context) }
    var found: [Note] = []
    do {
      let facts = try Inspect.query(
        database, query, context, opened: { found = $0.notes },
        begin: { writer.begin($0, of: batch.isSeveral ? database.path : nil) },
        row: { try writer.row($0) })
      writer.end()
      hold(
        (fit?.notes(parsed.has(Options.verbose)) ?? [])
          + facts.damage.map { DamageDiagnostics.explain($0).sentence }
          + (facts.notes + notes).map(ConversionRendering.sentence), on: database.path)
    } catch is ReaderGone {
    } catch {
      // What was read before is true.
      writer.end()
      if !batch.isSeveral { writer.finish() }
      // What the query did not find may be in a log that is not there.
      if QueryFailure.isPossible(error) {
        hold(found.map(ConversionRendering.sentence), on: database.path)
      }
      throw error
    }
  }

  /// The rows as a part of the one object.
  private func object(
    of query: Query, _ database: NamedDatabase, _ file: FileFacts, _ notes: [Note],
    _ context: OperationContext
  ) throws {
    var columns: [String] = []
    var rows: [JSON] = []
    var rendering = InspectRendering(file: file)
    var found: [Note] = []
    do {
      rendering.content = try Inspect.query(
        database, query, context, opened: { found = $0.notes }, begin: { columns = $0 },
        row: { rows.append(.array($0.map(QueryValue.json))) })
    } catch  where QueryFailure.isPossible(error) {
      throw QueryFailure(error: error, notes: found)
    }
    rendering.content?.notes += notes
    let facts: [JSON.Field] = [
      .init("columns", .array(columns.map { .string($0) })), .init("rows", .array(rows)),
    ]
    session.console.result(
      Diagnosis(
        .ok, Diagnostics.count(UInt64(rows.count), "row"), facts: rendering.opened + facts
      ).json(command: parsed.command.name, database: database.path).adding(fit?.facts ?? []).text)
  }

  private func say(_ rendering: InspectRendering) {
    if asJSON {
      session.console.result(
        rendering.json(command: parsed.command.name).adding(fit?.facts ?? []).text)
      return
    }
    if !batch.quiet || parsed.has(InspectOptions.schema) {
      rendering.write(to: session.console, verbose: parsed.has(Options.verbose))
    }
    say(rendering.notes + (fit?.notes(parsed.has(Options.verbose)) ?? []), on: rendering.file.path)
  }

  /// Says things to know, once they are not in the middle of one array of all databases.
  private func hold(_ notes: [String], on path: String) {
    guard batch.isSeveral, writer.isOneText else { return say(notes, on: path) }
    held.append((notes, path))
  }

  /// Says things to know.
  private func say(_ notes: [String], on path: String) {
    for note in batch.quiet ? [] : notes {
      session.console.say([Span("note: ", .note), Span("\(path): \(note)")])
    }
  }
}

/// A query that failed, with what is to be known of the database.
private struct QueryFailure: ExplainedError {
  let error: any Error
  let notes: [Note]

  static func isPossible(_ error: any Error) -> Bool {
    if case SealError.query(.failed) = error { return true }
    return false
  }

  var diagnosis: Diagnosis {
    Diagnostics.explain(error).adding([.init("notes", Facts.notes(notes))])
  }
}
