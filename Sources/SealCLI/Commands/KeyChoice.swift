// The key for the databases of one command line: one for all, or a list from which each gets the one
// that fits.

internal import SealCore

/// One key or several.
enum KeyChoice: Sendable {
  /// With the store that it was in, if it was in one.
  case one(KeyMaterial, from: KeyPlace? = nil)
  case list([KeyCandidate])

  /// A key for one database.
  struct Fit: Sendable {
    let key: KeyMaterial
    /// Its line in a list.
    var line: Int?
    /// The store that it was in.
    var place: KeyPlace?

    /// What is said of it, with `verbose` also where it was.
    func notes(_ verbose: Bool) -> [String] {
      [
        line.map { "the key on line \($0) fits" },
        verbose ? place.map { "used: \($0.words)" } : nil,
      ].compactMap { $0 }
    }
    /// The same for `--json`.
    var facts: [JSON.Field] {
      [line.map { .init("key_line", .integer($0)) }, place?.field("keyring")].compactMap { $0 }
    }
  }

  /// What `selection` means. A typed key is asked for with `label`.
  static func resolve(
    _ selection: KeySelection, label: String, new: Bool = false, _ session: Session
  ) throws -> KeyChoice {
    if let list = try session.keys.candidates(selection) { return .list(list) }
    let key = try session.keys.resolve(selection, label: label, new: new)
    return .one(key, from: session.keys.found.place(of: selection.source))
  }

  /// The key that opens `path`; one alone is not tried. Throws `KeyListFailure`.
  func fit(
    _ path: String, _ settings: CipherSettings, _ context: OperationContext, _ core: CoreFunctions
  ) throws -> Fit {
    switch self {
    case .one(let key, let place): return Fit(key: key, place: place)
    case .list(let candidates):
      do {
        let index = try core.fittingKey(
          path, candidates.count, { try candidates[$0].key() }, settings, context)
        return Fit(key: try candidates[index].key(), line: candidates[index].line)
      } catch SealError.wrongKey(let facts) {
        throw KeyListFailure(count: candidates.count, error: SealError.wrongKey(facts))
      }
    }
  }
}
