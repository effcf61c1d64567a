// In which store each key of a run was found: two stores may have different keys of one name, and who is told
// that a key is wrong has to know which one was tried.

internal import SealCore
internal import Synchronization

/// A key of a store.
struct KeyPlace: Sendable {
  let name: String
  let backend: KeyBackend

  /// `key app in the kernel keyring`.
  var words: String { KeyStoreDiagnostics.subject(name, backend) }

  /// For `--json`, under the name of the option that takes it.
  func field(_ name: String) -> JSON.Field {
    .init(
      name,
      .object([
        .init("name", .string(self.name)), .init("backend", .string(backend.rawValue)),
        .init("volatile", .bool(backend.isVolatile)),
      ]))
  }
}

/// What was found so far.
final class FoundKeys: Sendable {
  private struct Known {
    let place: KeyPlace
    /// Other stores that have a key of the name, once they were looked through.
    var others: [KeyBackend]?
  }

  private let known = Mutex<[KeySource: Known]>([:])

  /// Remembers where `source` was found.
  func note(_ source: KeySource, _ place: KeyPlace) {
    known.withLock { $0[source] = Known(place: place) }
  }

  /// Where it was found; nil where it comes from no store.
  func place(of source: KeySource?) -> KeyPlace? {
    source.flatMap { source in known.withLock { $0[source]?.place } }
  }

  /// The other stores with a key of that name, which `look` gives and which is asked once.
  func others(than source: KeySource, _ look: () -> [KeyBackend]) -> [KeyBackend] {
    known.withLock { known in
      if let others = known[source]?.others { return others }
      let others = look()
      known[source]?.others = others
      return others
    }
  }
}
