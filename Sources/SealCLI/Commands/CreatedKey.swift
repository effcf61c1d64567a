// `--keyring NAME --create`: the key of that name, made where there is none. It is stored and read back
// before the first database depends on it.

internal import SealCore

extension Session {
  /// Says of the key that databases were given what its user may not know: that a reboot loses it, or
  /// that a variable gave it. It was there before the run, so that `--quiet` hides that.
  func noteSealing(
    _ set: KeyOptions, _ parsed: ParsedCommand, after outcome: Batch.Outcome
  ) {
    guard outcome.status == 0 || outcome.succeeded > 0, !parsed.has(Options.quiet) else { return }
    let selection = set.selection(from: parsed)
    if let variable = keys.variable(of: selection) {
      let others = ["_FILE", "_COMMAND", ""].map { set.variable + $0 }.filter {
        $0 != variable && keys.surroundings.variable($0) != nil
      }
      let unused = others.map { "; $\($0) is set too, and was not used" }.joined()
      console.say([Span("note: ", .note), Span("the key is that of $\(variable)\(unused)")])
    }
    guard !parsed.has(Options.dryRun), let place = keys.found.place(of: selection.source)
    else { return }
    KeyStoreDiagnostics.warn(place.name, place.backend, on: console)
  }
}

/// A key that was there, or that was made.
struct CreatedKey: Sendable {
  let key: KeyMaterial
  /// It was not there, and its place was told.
  let isNew: Bool
  /// What the answer says of it.
  let facts: [JSON.Field]
  /// What is said where nothing else said that it was made.
  private let note: String?

  /// nil where no store is named. In a dry run nothing is stored. Throws `KeyFailure`.
  init?(_ selection: KeySelection, _ session: Session, _ parsed: ParsedCommand) throws {
    guard case .keyring(let name, let wanted) = selection.source else { return nil }
    let isDry = parsed.has(Options.dryRun)
    let stores = session.keys.stores(selection)
    let origin = KeyOptions.set(selection.prefix).keyring.flag
    let (found, isNew) = try KeyStores.naming(name, wanted, from: origin) {
      let make = { try KeyGenerator.rawKey(withSalt: false) }
      guard isDry else { return try stores.findOrMake(name, in: wanted, make) }
      if let found = try stores.find(name, in: wanted).found { return (found, false) }
      let target = try stores.target(wanted)
      try stores.requireRoom(in: target)
      return (KeyStores.Found(key: try make(), backend: target.backend), true)
    }
    key =
      try isNew ? KeyMaterial(found.key) : session.keys.resolve(selection, label: "", new: false)
    facts = [
      .init(
        "keyring",
        .object([
          .init("name", .string(name)), .init("backend", .string(found.backend.rawValue)),
          .init("created", .bool(isNew && !isDry)),
          .init("volatile", .bool(found.backend.isVolatile)),
        ]))
    ]
    self.isNew = isNew
    note =
      isNew && !isDry && parsed.has(Options.quiet)
      ? "key \(name) was made in \(found.backend.title), and stays there" : nil
    guard isNew else { return }
    if !parsed.has(Options.quiet) {
      let what = isDry ? "would be made" : "was made"
      session.console.say([
        Span("note: ", .note), Span("key \(name) \(what) in \(found.backend.title)"),
      ])
    }
    if !isDry { KeyStoreDiagnostics.warn(name, found.backend, on: session.console) }
  }

  /// After a failure, with `--quiet` too: somebody has to know of the key.
  func sayThatItStays(_ session: Session) {
    guard let note, session.console.isNew(note) else { return }
    session.console.say([Span("note: ", .note), Span(note)])
  }
}
