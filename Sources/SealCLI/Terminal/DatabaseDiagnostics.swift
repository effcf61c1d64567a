// What went wrong with one database, where the command line tells more of it than the error does: which
// store its key came from, which option names what was forgotten, what was swapped.

internal import SealCore

extension Session {
  /// What `error` of `database` means to a command that reads databases whose settings `options` name,
  /// and what the command line has to do with it.
  func explain(
    _ error: any Error, of database: String, reading options: CipherOptions?,
    from parsed: ParsedCommand
  ) -> Diagnosis {
    let found = Diagnostics.explain(error, reading: options, from: parsed)
    switch error {
    case SealError.wrongKind(_, .other):
      return swapped(parsed).map(found.hinting) ?? found
    case SealError.badProfile(.saltNeeded):
      guard let options, !parsed.has(options.plaintextHeader), let hint = found.hint else {
        return found.with(subject: database)
      }
      return found.with(subject: database).hinting(
        "\(options.plaintextHeader.flag) 32 (for iOS), and \(hint)")
    case SealError.badProfile(.saltWouldBeLost):
      let named = found.with(subject: database)
      guard parsed.command.name != Catalog.migrate.name, let hint = found.hint else { return named }
      return named.hinting(
        "\(hint); or a key that has it in it: \(Catalog.tool) key generate"
          + " \(KeyCommandOptions.withSalt.flag)")
    default: return storeNamed(found, error, parsed)
    }
  }

  /// The file that was named for a key is a database, and the one for a database is none.
  private func swapped(_ parsed: ParsedCommand) -> String? {
    for set in KeyOptions.sets {
      guard case .file(let path) = set.selection(from: parsed).source,
        let kind = (try? core.look(path))?.kind,
        [.plaintext, .sqlcipher, .sqlcipherPlaintextHeader].contains(kind)
      else { continue }
      return "\(path) looks like a database: \(set.file.flag) names the key file, and the database"
        + " stands by itself"
    }
    return nil
  }

  /// Of a wrong key from a store or from a variable that no option names, which one it was.
  private func storeNamed(_ found: Diagnosis, _ error: any Error, _ parsed: ParsedCommand)
    -> Diagnosis
  {
    let (cause, other) = (error as? OtherFailure).map { ($0.error, true) } ?? (error, false)
    guard case SealError.wrongKey(let wrong) = cause, wrong.fit?.plaintextHeader == nil else {
      return found
    }
    let own = KeyOptions.database.selection(from: parsed)
    let selection = other ? KeyOptions.against.selection(from: parsed) : own
    let named = other && keys.isNamed(selection) ? selection : own
    if let variable = keys.variable(of: named) {
      return Diagnosis(
        found.code, "\(found.sentence) with the key of $\(variable)", about: found.subject,
        hint: found.hint, facts: found.facts + [.init("key_variable", .string(variable))],
        exit: found.exit)
    }
    guard let source = selection.source ?? own.source, let place = keys.found.place(of: source)
    else { return found }
    let others =
      wrong.fit == nil
      ? keys.found.others(than: source) {
        keys.stores(own).others(with: place)
      } : []
    // The option would mean the store of another key of the run too.
    let stores = KeyOptions.sets.count {
      if case .keyring = $0.selection(from: parsed).source { true } else { false }
    }
    let choices = others.map {
      "there is a key of that name in \($0.title) too"
        + (stores > 1 ? "; " : ": \(KeyOptions.keyringBackend.flag) \($0.rawValue); ")
    }
    return Diagnosis(
      found.code, "\(found.sentence) with \(place.words)", about: found.subject,
      hint: found.hint.map { choices.joined() + $0 }, facts: found.facts + [place.field("keyring")],
      exit: found.exit)
  }
}
