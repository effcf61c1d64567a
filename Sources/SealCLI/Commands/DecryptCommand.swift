// `dbseal decrypt`: an encrypted database to a plaintext one.

internal import SealCore

/// Parsed values to a request.
enum DecryptCommand {
  /// How a report says what was done.
  static let verb = "decrypted"

  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    let settings = CipherOptions.read.settings(from: parsed)
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try settings.candidates()
    let pageSize = parsed.text(Options.outputPageSize).flatMap { Int($0) }
    let exact = parsed.has(Options.exact)
    let conversions = Conversions(
      parsed: parsed, session: session, verb: verb, settings: settings,
      precheck: { try session.core.precheckDecrypt($0, $1, settings) }, newKey: false,
      sourceOptions: .read
    ) { request, _ in
      try session.core.decrypt(request, pageSize, exact)
    }
    return try conversions.run()
  }
}
