// The key for the databases of one command line: one for all, or a list from which each gets the one
// that fits.

internal import SealCore

/// One key or several.
enum KeyChoice: Sendable {
  case one(KeyMaterial)
  case list([KeyCandidate])

  /// A key for one database.
  struct Fit: Sendable {
    let key: KeyMaterial
    /// Its line in a list.
    var line: Int?

    /// What is said of it.
    var note: String? { line.map { "the key on line \($0) fits" } }
    /// The same for `--json`.
    var facts: [JSON.Field] { line.map { [.init("key_line", .integer($0))] } ?? [] }
  }

  /// What `selection` means. A typed key is asked for with `label`.
  static func resolve(
    _ selection: KeySelection, label: String, new: Bool = false, _ session: Session
  ) throws -> KeyChoice {
    if let list = try session.keys.candidates(selection) { return .list(list) }
    return .one(try session.keys.resolve(selection, label: label, new: new))
  }

  /// The key that opens `path`; one alone is not tried. Throws `KeyListFailure`.
  func fit(
    _ path: String, _ settings: CipherSettings, _ context: OperationContext, _ core: CoreFunctions
  ) throws -> Fit {
    switch self {
    case .one(let key): return Fit(key: key)
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
