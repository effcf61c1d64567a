// The tool as a function: arguments in, words and an exit status out. `Entry` gives it the real
// process, tests give it one of their own.

internal import SealCore

/// The tool.
enum Tool {
  /// Its version. Packages are named by it too: they read it from here.
  static let version = "0.1.0"
  /// The day of the version, which manual pages carry.
  static let date = "2026-11-30"

  /// Runs one command line, without the program's own name; the exit status.
  static func run(_ arguments: [[UInt8]], _ session: Session) -> Int32 {
    let console = session.console
    console.setColor(.auto, noColor: session.noColor, dumb: session.dumbTerminal)
    var command: String?
    var asJSON = false
    do {
      // Even arguments that cannot be read may ask for their error as JSON.
      asJSON = Parser.asksForJSON(arguments.map { String(decoding: $0, as: UTF8.self) })
      let words = try Arguments.decode(arguments)
      command = Parser.command(in: words)?.name
      return finish(try dispatch(Parser.parse(words), session, asJSON: asJSON), on: console)
    } catch {
      var diagnosis = Diagnostics.explain(error)
      if diagnosis.code == .usage, diagnosis.hint == nil, let command {
        diagnosis = diagnosis.hinting("\(Catalog.tool) \(command) --help")
      }
      say(diagnosis, command: command, database: nil, asJSON: asJSON, on: console)
      if case UsageFlaw.noCommand = error, !asJSON { console.errorPage("\n" + HelpText.ofTool()) }
      return diagnosis.exit
    }
  }

  private static func dispatch(_ invocation: Invocation, _ session: Session, asJSON: Bool) throws
    -> Int32
  {
    switch invocation {
    case .help(let command):
      let text = command.map(HelpText.of) ?? HelpText.ofTool()
      if asJSON {
        let facts = [JSON.Field("text", .string(text))]
        say(Catalog.help.name, command?.summary ?? Catalog.summary, facts, on: session.console)
      } else {
        session.console.page(text)
      }
      return 0
    case .version:
      let engine = session.engine()
      if asJSON {
        let facts = [
          JSON.Field("version", .string(version)), .init("engine", .optional(engine.sqlcipher)),
          .init("sqlite", .string(engine.sqlite)), .init("crypto", .string(engine.crypto)),
        ]
        say(nil, "\(Catalog.tool) \(version)", facts, on: session.console)
      } else {
        session.console.page(versionText(engine))
      }
      return 0
    case .run(let parsed):
      let display = parsed.display(Options.color)
      session.console.setColor(display, noColor: session.noColor, dumb: session.dumbTerminal)
      try ValuesOfFlags.refuse(in: parsed, session)
      // verify reads its list itself: a report says what was wrong with it.
      let readsList = parsed.command.name == Catalog.verify.name
      let whole = try readsList ? parsed : FileList.named(in: parsed, session)
      return try runners[parsed.command.name]?(whole, session) ?? ErrorCode.usage.exitStatus
    }
  }

  /// Every command of the catalog that does something, by name.
  static let runners: [String: @Sendable (ParsedCommand, Session) throws -> Int32] = [
    Catalog.encrypt.name: EncryptCommand.run,
    Catalog.decrypt.name: DecryptCommand.run,
    Catalog.rekey.name: RekeyCommand.run,
    Catalog.verify.name: VerifyCommand.run,
    Catalog.migrate.name: MigrateCommand.run,
    Catalog.inspect.name: InspectCommand.run,
    Catalog.key.name: CustodyCommand.run,
    Catalog.generate.name: GenerateCommand.run,
  ]

  /// Says the answer to a question that no database is needed for, as JSON.
  private static func say(
    _ command: String?, _ message: String, _ facts: [JSON.Field], on console: Console
  ) {
    let answer = Diagnosis(.ok, message, facts: facts)
    console.result(answer.json(command: command, database: nil).text)
  }

  /// Says a failure, as text or as JSON.
  static func say(
    _ diagnosis: Diagnosis, command: String?, database: String?, asJSON: Bool, on console: Console
  ) {
    // Where nothing can be written there, the object would not be seen.
    if asJSON, !console.isDeaf, !console.outputIsClosed {
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
