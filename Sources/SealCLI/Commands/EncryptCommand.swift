// `dbseal encrypt`: a plaintext database to an encrypted one.

internal import SealCore

/// Parsed values to a request.
enum EncryptCommand {
  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    let settings = CipherOptions.written.settings(from: parsed)
    // Settings that cannot work are a mistake in the command line, whatever the files are.
    _ = try settings.profile()
    if parsed.has(Options.createKey) {
      try KeyArguments.requireName(parsed, KeyOptions.database.keyring)
    }
    let shred = parsed.has(Options.shred)
    let conversions = Conversions(
      parsed: parsed, session: session, verb: "encrypted", settings: settings,
      precheck: session.core.precheckEncrypt, newKey: true,
      createsKey: parsed.has(Options.createKey)
    ) { request, _ in
      try session.core.encrypt(request, shred)
    }
    return try conversions.run()
  }
}
