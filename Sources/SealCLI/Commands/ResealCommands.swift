// `dbseal rekey` and `dbseal migrate`: an encrypted database to another encrypted one.

internal import SealCore

/// Parsed values to a request.
enum RekeyCommand {
  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    let settings = CipherOptions.rewritten.settings(from: parsed)
    if settings.format != nil { _ = try settings.profile() }
    return try Resealing(
      parsed: parsed, session: session, verb: "rekeyed", settings: settings,
      replacement: KeyOptions.new
    ).run()
  }
}

/// Parsed values to a request.
enum MigrateCommand {
  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    if let folder = parsed.text(SchemaOptions.schema) {
      return try SchemaCommand(parsed, session, folder: folder).run()
    }
    let settings = CipherOptions.written.settings(from: parsed)
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try settings.profile()
    return try Resealing(
      parsed: parsed, session: session, verb: "migrated", settings: settings, replacement: nil
    ).run()
  }
}

/// What both do.
private struct Resealing {
  let parsed: ParsedCommand
  let session: Session
  let verb: String
  let settings: CipherSettings
  let replacement: KeyOptions?

  func run() throws -> Int32 {
    let sourceSettings = CipherOptions.source.settings(from: parsed)
    _ = try sourceSettings.candidates()
    let conversions = Conversions(
      parsed: parsed, session: session, verb: verb, settings: settings,
      precheck: { try session.core.precheckReseal($0, $1, sourceSettings) }, newKey: false,
      inPlaceByDefault: true, sourceOptions: .source, replacementKey: replacement
    ) { request, replacement in
      try session.core.reseal(
        request, replacement.map { .key($0) } ?? .format, sourceSettings)
    }
    return try conversions.run()
  }
}
