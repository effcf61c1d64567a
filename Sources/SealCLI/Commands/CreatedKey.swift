// `--keyring NAME --create`: the key of that name, made where there is none. It is stored and read back
// before the first database depends on it.

internal import SealCore

/// A key that was there, or that was made.
struct CreatedKey: Sendable {
  let key: KeyMaterial
  /// What the answer says of it.
  let facts: [JSON.Field]

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
      return (KeyStores.Found(key: try make(), backend: try stores.target(wanted).backend), true)
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
    guard isNew else { return }
    if !parsed.has(Options.quiet) {
      let what = isDry ? "would be made" : "was made"
      session.console.say([
        Span("note: ", .note), Span("key \(name) \(what) in \(found.backend.title)"),
      ])
    }
    if !isDry { KeyStoreDiagnostics.warn(name, found.backend, on: session.console) }
  }
}
