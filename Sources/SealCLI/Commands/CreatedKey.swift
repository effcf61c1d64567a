// `--keyring NAME --create`: the key of that name, made where there is none. It is stored and read back
// before the first database depends on it.

internal import SealCore
internal import Synchronization

extension Session {
  /// Warns of the key that databases were given where a reboot loses it. It was there before the run, so
  /// that `--quiet` hides that.
  func noteVolatile(
    _ set: KeyOptions, _ parsed: ParsedCommand, after outcome: Batch.Outcome
  ) {
    guard outcome.status == 0 || outcome.succeeded > 0, !parsed.has(Options.quiet),
      !parsed.has(Options.dryRun),
      let place = keys.found.place(of: set.selection(from: parsed).source)
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
  /// Throws where the store no longer has it: what depends on it is not to be there then.
  let requireKept: @Sendable () throws -> Void
  /// What is said where nothing else said that it was made.
  private let note: String?
  /// Stores are asked by one thread at a time.
  private static let asking = Mutex(())

  /// nil where no store is named. In a dry run nothing is stored. Throws `KeyFailure`.
  init?(_ selection: KeySelection, _ session: Session, _ parsed: ParsedCommand) throws {
    guard case .keyring(let name, let wanted) = selection.source else { return nil }
    let isDry = parsed.has(Options.dryRun)
    let stores = session.keys.stores(timeout: selection.timeout)
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
    requireKept = { [key] in
      let now: KeyMaterial
      do {
        now = try Self.asking.withLock { _ in
          try session.keys.resolve(selection, label: "", new: false)
        }
      } catch let failure as KeyFailure {
        // One that others made may be in a store that was locked since.
        if !isNew, case .store(let flaw) = failure.flaw, !flaw.isMissing { return }
        throw failure
      }
      guard now.engineKey.isEqual(to: key.engineKey) else {
        return try KeyStores.naming(name, wanted, from: origin) { throw KeyStoreFailure(.changed) }
      }
    }
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
