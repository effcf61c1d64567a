// All key stores and what of dbseal is in them, as text and as JSON.

internal import SealCore

/// The stores at one moment.
struct KeyListing {
  private struct Entry {
    let backend: KeyBackend
    let isReadOnly: Bool
    /// In words; nil where it can be used.
    var obstacle: String?
    var names: [String] = []
    /// It may have a key and cannot be asked, so that no store behind it is.
    var endsSearch = false
    /// What keeps new keys out until somebody does something.
    var closure: KeyStoreFlaw?
    /// A keyring that was never unlocked does not say what is in it.
    var hidesNames: Bool { closure == .locked && names.isEmpty }
  }

  private let entries: [Entry]

  /// Looks at all stores, or at one. Throws `.interrupted` only.
  init(_ stores: KeyStores, only backend: KeyBackend?) throws {
    var entries: [Entry] = []
    for store in stores.all where backend == nil || store.backend == backend {
      var entry = Entry(backend: store.backend, isReadOnly: store.isReadOnly)
      do {
        if let obstacle = try store.obstacle() {
          entry.obstacle = KeyStoreDiagnostics.words(obstacle).0
          entry.endsSearch = obstacle.endsSearch
        } else {
          entry.closure = try store.closure()
          entry.names = try store.names().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
      } catch let failure as KeyStoreFailure {
        entry.obstacle = KeyStoreDiagnostics.words(failure.flaw).0
        entry.endsSearch = true
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  /// Where a new key goes; nil where none can.
  private var target: KeyBackend? {
    let first = entries.first { $0.endsSearch || $0.obstacle == nil && !$0.isReadOnly }
    return first.flatMap { $0.endsSearch ? nil : $0.backend }
  }

  private static func condition(_ closure: KeyStoreFlaw?) -> String {
    switch closure {
    case nil: ""
    case .noCollection: " once a keyring is made in it"
    default: " once it is unlocked"
    }
  }

  /// All in one line.
  var sentence: String {
    let usable = entries.filter { $0.obstacle == nil }
    let count = usable.reduce(0) { $0 + $1.names.count }
    return "\(Diagnostics.count(UInt64(count), "key")) in"
      + " \(Diagnostics.count(UInt64(usable.count), "key store"))"
      + (entries.contains(where: \.hidesNames) ? ", and what is in a locked one" : "")
  }

  /// A line for each store, and one for each key in it.
  var lines: [String] {
    entries.flatMap { entry in
      let state: String
      if let obstacle = entry.obstacle {
        state = "not here: \(obstacle)"
      } else {
        state =
          (entry.hidesNames
            ? "locked, names unknown until it is unlocked"
            : Diagnostics.count(UInt64(entry.names.count), "key")
              + (entry.closure == .locked ? "; locked" : ""))
          + (entry.backend == target ? "; new keys go here" + Self.condition(entry.closure) : "")
      }
      return ["\(entry.backend.rawValue): \(state)"] + entry.names.map { "  \($0)" }
    }
  }

  /// The names alone.
  var keyLines: [String] { entries.flatMap(\.names) }

  /// The fields for `--json`.
  var facts: [JSON.Field] {
    [
      .init("target", .optional(target?.rawValue)),
      .init(
        "stores",
        .array(
          entries.map { entry in
            .object([
              .init("backend", .string(entry.backend.rawValue)),
              .init("available", .bool(entry.obstacle == nil)),
              .init("obstacle", .optional(entry.obstacle)),
              .init("read_only", .bool(entry.isReadOnly)),
              .init("volatile", .bool(entry.backend.isVolatile)),
              .init("locked", .bool(entry.closure != nil)),
              .init("keys", entry.hidesNames ? .null : .array(entry.names.map { .string($0) })),
            ])
          })),
    ]
  }
}
