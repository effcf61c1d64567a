// The tool as a function: arguments in, words and an exit status out. `Entry` gives it the real
// process, tests give it one of their own.

internal import SealCore

/// The tool.
enum Tool {
  /// Its version.
  static let version = "0.1.0"

  /// Runs one command line, without the program's own name; the exit status.
  static func run(_ arguments: [[UInt8]], _ session: Session) -> Int32 {
    let console = session.console
    console.setColor(.auto, noColor: session.noColor, dumb: session.dumbTerminal)
    var command: String?
    var asJSON = false
    do {
      let words = try Arguments.decode(arguments)
      asJSON = Parser.asksForJSON(words)
      command = words.first { !$0.hasPrefix("-") }.flatMap(Catalog.command(named:))?.name
      return finish(try dispatch(Parser.parse(words), session), on: console)
    } catch {
      let diagnosis = Diagnostics.explain(error)
      say(diagnosis, command: command, database: nil, asJSON: asJSON, on: console)
      if case UsageFlaw.noCommand = error, !asJSON { console.errorPage("\n" + HelpText.ofTool()) }
      return diagnosis.exit
    }
  }

  private static func dispatch(_ invocation: Invocation, _ session: Session) throws -> Int32 {
    switch invocation {
    case .help(let command):
      session.console.page(command.map(HelpText.of) ?? HelpText.ofTool())
      return 0
    case .version:
      session.console.page(versionText(session.engine()))
      return 0
    case .run(let parsed):
      let display = parsed.display(Options.color)
      session.console.setColor(display, noColor: session.noColor, dumb: session.dumbTerminal)
      return try runners[parsed.command.name]?(parsed, session) ?? ErrorCode.usage.exitStatus
    }
  }

  /// Every command of the catalog that does something, by name.
  static let runners: [String: @Sendable (ParsedCommand, Session) throws -> Int32] = [
    Catalog.encrypt.name: EncryptCommand.run,
    Catalog.decrypt.name: DecryptCommand.run,
    Catalog.rekey.name: RekeyCommand.run,
    Catalog.migrate.name: MigrateCommand.run,
    Catalog.generate.name: GenerateCommand.run,
  ]

  /// Says a failure, as text or as JSON.
  static func say(
    _ diagnosis: Diagnosis, command: String?, database: String?, asJSON: Bool, on console: Console
  ) {
    if asJSON {
      console.result(diagnosis.json(command: command, database: database).text)
    } else {
      diagnosis.say(on: console)
    }
  }

  /// A success whose answer could not be written is none; a reader that went away is no failure.
  private static func finish(_ status: Int32, on console: Console) -> Int32 {
    guard status == 0, let number = console.outputFailure else { return status }
    let failure = OutputFailure(
      path: "standard output", errno: number, hint: "the work itself was done")
    let diagnosis = Diagnostics.explain(failure)
    diagnosis.say(on: console)
    return diagnosis.exit
  }

  private static func versionText(_ engine: EngineFacts) -> String {
    let cipher = engine.sqlcipher.map { "SQLCipher \($0)" } ?? "no SQLCipher"
    return """
      \(Catalog.tool) \(version)
      engine: \(cipher), SQLite \(engine.sqlite)
      crypto: \(engine.crypto)

      """
  }
}
