// `dbseal key`: makes keys, and keeps them where people keep keys.

internal import SealCore

/// One run of key.
struct CustodyCommand {
  private let parsed: ParsedCommand
  private let session: Session
  private let action: KeyAction
  private let stores: KeyStores
  private let backend: KeyBackend?

  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    try CustodyCommand(parsed, session).run()
  }

  private init(_ parsed: ParsedCommand, _ session: Session) throws(UsageFlaw) {
    self.parsed = parsed
    self.session = session
    let word = parsed.operands.first ?? ""
    guard let action = KeyAction(rawValue: word) else {
      let words = KeyAction.allCases.map(\.rawValue)
      let suggestion = Suggestions.nearest(to: word, among: words)
      // `key KEY`: what somebody may have taken for the way to give one.
      throw .unknownAction(
        suggestion == nil ? nil : word, of: parsed.command.name, suggestion: suggestion)
    }
    self.action = action
    stores = session.keys.stores(timeout: parsed.seconds(KeyOptions.keyTimeout))
    backend = parsed.text(KeyOptions.keyringBackend).flatMap(KeyBackend.init(rawValue:))
    try requireSense()
  }

  /// What options and operands mean for the action.
  private func requireSense() throws(UsageFlaw) {
    let name = "\(parsed.command.name) \(action.rawValue)"
    let wanted = action.takesName ? 2 : 1
    guard parsed.operands.count >= wanted else { throw .tooFew(command: name, operands: "NAME") }
    guard parsed.operands.count == wanted else {
      let flag = parsed.behindFlags[wanted]
      if action == .generate, flag != nil || parsed.operands.count == 2 { throw .generateOperand }
      if let flag { throw .valueOfFlag(flag.flag, isFile: false, takesStore: false) }
      throw .tooMany(
        command: name, operands: action.takesName ? "NAME" : "no operand",
        count: parsed.operands.count - 1)
    }
    for option in KeyCommandOptions.all
    where parsed.has(option) {
      if KeyCommandOptions.shared.contains(option) { continue }
      if action.options.contains(option) { continue }
      let takers = KeyAction.allCases.filter { $0.options.contains(option) }
      throw .notAllowed(
        option.flag, command: name,
        takenBy: takers.map { "\(parsed.command.name) \($0.rawValue)" })
    }
    try requireNoKeyAsName()
    if action == .generate, parsed.has(KeyOptions.keyringBackend),
      !parsed.has(KeyCommandOptions.keyring)
    {
      throw .needs(KeyOptions.keyringBackend.flag, oneOf: [KeyCommandOptions.keyring.flag])
    }
  }

  /// A key that is made does not get one as its name, in whatever form: the name is listed and shown.
  private func requireNoKeyAsName() throws(UsageFlaw) {
    if action == .store, KeyArguments.holdsKey(name) { throw .keyOperand }
    try KeyArguments.requireName(parsed, KeyCommandOptions.keyring)
  }

  private func run() throws -> Int32 {
    switch action {
    case .generate: try generate()
    case .store: try naming(backend) { try store() }
    case .show: try naming(backend) { try show() }
    case .delete: return try naming(backend) { try delete() }
    case .list: try list()
    }
    return 0
  }

  private var asJSON: Bool { parsed.has(Options.json) }
  private var quiet: Bool { parsed.has(Options.quiet) }
  private var name: String { parsed.operands.last ?? "" }

  /// Runs `body`, with the key's name in what it throws.
  private func naming<R>(_ backend: KeyBackend?, _ body: () throws -> R) throws -> R {
    guard let name = parsed.text(KeyCommandOptions.keyring) else {
      return try KeyStores.naming(name, backend, body)
    }
    return try KeyStores.naming(name, backend, from: KeyCommandOptions.keyring.flag, body)
  }

  // MARK: The actions

  private func generate() throws {
    let wantsPassphrase = parsed.has(KeyCommandOptions.passphrase)
    let withSalt = parsed.has(KeyCommandOptions.withSalt)
    let bits = wantsPassphrase ? KeyGenerator.passphraseBits : 256
    var facts: [JSON.Field] = [
      .init("kind", .string(wantsPassphrase ? "passphrase" : withSalt ? "raw_salt" : "raw")),
      .init("bits", .integer(bits)),
    ]
    let what =
      wantsPassphrase
      ? "a passphrase of \(bits) bits"
      : "a raw key of \(bits) bits" + (withSalt ? " and a salt" : "")
    func make() throws -> Secret {
      try wantsPassphrase ? KeyGenerator.passphrase() : KeyGenerator.rawKey(withSalt: withSalt)
    }
    if let path = parsed.text(KeyCommandOptions.output), path != "-" {
      do {
        try KeyFile.make(path, make())
      } catch SealError.exists(_, let obstacle) where ![.companion, .system].contains(obstacle) {
        let isDirectory = (try? session.core.look(path))?.special == .directory
        throw isDirectory ? KeyExists.directory(path) : KeyExists.file(path)
      }
      facts.append(.init("path", .string(path)))
      say("made \(what): \(path), which only you can read", facts)
    } else if let name = parsed.text(KeyCommandOptions.keyring) {
      try naming(backend) {
        let target = try stores.make(name, in: backend, make)
        say("made \(what): key \(name) in \(target.title)", facts + place(name, target))
        warn(name, target)
      }
    } else {
      let instead = "use \(KeyCommandOptions.output.flag) or \(KeyCommandOptions.keyring.flag)"
      if asJSON { throw UsageFlaw.keyInJSON(instead: instead) }
      guard !session.console.outputIsTerminal else {
        throw UsageFlaw.keyOnTerminal(
          "key generate", instead: instead + ", or give it to a program")
      }
      try session.console.secret(SecretText.line(make(), forTerminal: false))
      if !quiet { session.console.say([Span("made \(what)")]) }
    }
  }

  private func store() throws {
    let target = try stores.target(backend)
    try KeyStores.requireName(name)
    var selection = KeyOptions.database.selection(from: parsed)
    if parsed.has(KeyCommandOptions.passphrase) { selection.reading = .passphrase }
    let material = try session.keys.resolve(selection, label: "Key \(name)", new: true)
    let before = try stores.replace(
      material.engineKey, as: name, in: target, force: parsed.has(KeyCommandOptions.force))
    let word =
      switch before {
      case .nothing: "stored"
      case .theSame: "unchanged"
      case .another: "replaced"
      }
    say(
      "\(word): key \(name) in \(target.backend.title)",
      place(name, target.backend) + [
        .init("replaced", .bool(before == .another)),
        .init("unchanged", .bool(before == .theSame)),
      ])
    warn(name, target.backend)
    if let oddity = material.oddity, !quiet {
      let words =
        material.looksRaw
        ? "the key is hex digits and stands for a passphrase; \(KeyOptions.database.raw.flag)"
          + " stores it as the key itself"
        : ConversionRendering.keyForm(oddity)
      session.console.say([Span("note: ", .note), Span(words)])
    }
  }

  private func show() throws {
    let isRevealed = parsed.has(KeyCommandOptions.reveal)
    let hint = "\(KeyCommandOptions.reveal.flag) shows it"
    let found = try stores.read(name, in: backend)
    if asJSON, !isRevealed { throw UsageFlaw.keyInJSON(instead: hint) }
    let key = try KeyText.line(of: found.key, from: .keyring(name, found.backend))
    if asJSON {
      let facts = place(name, found.backend) + [.init("kind", .string(Self.kind(of: key)))]
      let answer = answer("key \(name) in \(found.backend.title)", facts)
      return try session.console.secret(SecretText.line(answer, withKey: key))
    }
    if session.console.outputIsTerminal, !isRevealed {
      throw UsageFlaw.keyOnTerminal("key show", instead: hint + ", or give it to a program")
    }
    try session.console.secret(
      SecretText.line(key, forTerminal: session.console.outputIsTerminal))
  }

  /// On a terminal, whether somebody means it, and what: it may be the only copy. Without one, nobody is
  /// asked.
  private func isMeant() throws -> (Bool, KeyStores.Asked?) {
    guard !parsed.has(KeyCommandOptions.force), session.keys.surroundings.inputIsTerminal(),
      let holder = try stores.holder(of: name, in: backend)
    else { return (true, nil) }
    // Several of the name are read by nobody.
    let key = try? stores.read(name, in: holder).key
    let question =
      "Delete \(KeyStoreDiagnostics.subject(name, holder))? Databases may need it, and backups."
    if try session.keys.surroundings.confirm(question, session.cancellation) {
      return (true, (holder, key))
    }
    say(
      "kept: key \(name) in \(holder.title)",
      place(name, holder) + [.init("deleted", .bool(false))],
      .exists)
    return (false, nil)
  }

  /// The exit status: what somebody declined is not done, so that what depends on it does not go on.
  private func delete() throws -> Int32 {
    let (isMeant, asked) = try isMeant()
    guard isMeant else { return ErrorCode.exists.exitStatus }
    guard let (holder, deleted) = try stores.remove(name, in: backend, asked: asked) else {
      say(
        "no key \(name): nothing to delete",
        [.init("name", .string(name)), .init("backend", .null), .init("deleted", .bool(false))])
      return 0
    }
    say(
      "deleted: key \(name) in \(holder.title)",
      place(name, holder) + [.init("deleted", .bool(deleted))])
    warnOfOthers(name, holder, isAnother: false)
    return 0
  }

  private func list() throws {
    if let backend {
      // One that was asked for by name has to be there.
      _ = try KeyStores.naming(nil, backend) { try stores.usable(backend, forWriting: false) }
    }
    let listing = try KeyListing(stores, only: backend)
    if asJSON { return session.console.result(answer(listing.sentence, listing.facts).text) }
    for line in quiet ? listing.keyLines : listing.lines { session.console.result(line) }
  }

  // MARK: What is said

  private func place(_ name: String, _ backend: KeyBackend) -> [JSON.Field] {
    [
      .init("name", .string(name)), .init("backend", .string(backend.rawValue)),
      .init("volatile", .bool(backend.isVolatile)),
    ]
  }

  private func answer(
    _ sentence: String, _ facts: [JSON.Field], _ code: ErrorCode = .ok
  ) -> JSON {
    Diagnosis(code, sentence, facts: [.init("action", .string(action.rawValue))] + facts)
      .json(command: parsed.command.name, database: nil)
  }

  private func say(_ sentence: String, _ facts: [JSON.Field], _ code: ErrorCode = .ok) {
    if asJSON {
      session.console.result(answer(sentence, facts, code).text)
    } else if !quiet {
      session.console.result(sentence)
    }
  }

  /// What the user has to know of the place, with `--quiet` too: a key may be lost.
  private func warn(_ name: String, _ backend: KeyBackend) {
    KeyStoreDiagnostics.warn(name, backend, on: session.console)
    warnOfOthers(name, backend)
  }

  /// Another store has a key of that name: `--keyring` takes the first one.
  private func warnOfOthers(_ name: String, _ own: KeyBackend, isAnother: Bool = true) {
    guard !quiet, backend == nil || isAnother,
      let found = try? stores.quiet.find(name, in: nil).found
    else { return }
    var words: String?
    if found.backend != own {
      words =
        "there is a key \(name) in \(found.backend.title)\(isAnother ? " too" : ""), and"
        + " \(KeyOptions.database.keyring.flag) takes that one"
    } else if let other = stores.quiet.others(with: KeyPlace(name: name, backend: own)).first {
      words =
        "there is a key \(name) in \(other.title) too, which \(KeyOptions.database.keyring.flag)"
        + " takes no more: \(KeyOptions.keyringBackend.flag) \(other.rawValue) does"
    }
    guard let words else { return }
    session.console.say([Span("note: ", .note), Span(words)])
  }

  /// What the key would be taken for.
  private static func kind(of key: Secret) -> String {
    guard let material = try? KeyMaterial(key) else { return "none" }
    switch material.kind {
    case .passphrase: return "passphrase"
    case .raw(_, nil, nil): return "raw"
    case .raw(_, nil, _): return "raw_salt"
    case .raw: return "raw_hmac_salt"
    }
  }
}
