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
    let (found, made) = try KeyStores.naming(name, wanted) {
      if let found = try stores.find(name, in: wanted).found {
        return (found.backend, Secret?.none)
      }
      let target = try stores.target(wanted)
      let new = try KeyGenerator.rawKey(withSalt: false)
      if !isDry { try stores.save(new, as: name, in: target) }
      return (target.backend, new)
    }
    key =
      try made.map { try KeyMaterial($0) }
      ?? session.keys.resolve(selection, label: "", new: false)
    facts = [
      .init(
        "keyring",
        .object([
          .init("name", .string(name)), .init("backend", .string(found.rawValue)),
          .init("created", .bool(made != nil && !isDry)),
          .init("volatile", .bool(found.isVolatile)),
        ]))
    ]
    guard made != nil else { return }
    if !parsed.has(Options.quiet) {
      let what = isDry ? "would be made" : "was made"
      session.console.say([
        Span("note: ", .note), Span("key \(name) \(what) in \(found.title)"),
      ])
    }
    if !isDry { KeyStoreDiagnostics.warn(name, found, on: session.console) }
  }
}
