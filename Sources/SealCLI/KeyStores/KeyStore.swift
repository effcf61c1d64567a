// Where people keep keys: what every store can do, and how it may fail. A store keeps texts under
// names, because that is what the field's other programs keep there; what is no text is refused
// before a store sees it.

internal import SealCore

/// A kind of store, by the word that names it.
enum KeyBackend: String, Sendable, CaseIterable {
  case credentials
  case keychain
  case secretService = "secret-service"
  case kernel

  /// In sentences.
  var title: String {
    switch self {
    case .credentials: "the systemd credentials"
    case .keychain: "the macOS Keychain"
    case .secretService: "the Secret Service"
    case .kernel: "the kernel keyring"
    }
  }

  /// What is kept there is gone after a reboot.
  var isVolatile: Bool { self == .kernel }
}

/// Why a store cannot be used, or did not do what it was asked, as facts.
enum KeyStoreFlaw: Sendable, Equatable {
  /// No key of that name in those that were looked through.
  case missing([KeyBackend])
  /// No store that could be used, with why not.
  case noStore([KeyBackend: KeyStoreObstacle])
  case unavailable(KeyStoreObstacle)
  case locked
  /// The Secret Service has no collection for it, and nobody was there to make one.
  case noCollection
  /// More than one key of that name.
  case several
  case timedOut(seconds: Double)
  /// A change was begun, and the store did not say whether it was made.
  case unanswered
  case readOnly
  /// The permission bits of a credential that others can read.
  case openToOthers(mode: UInt32)
  /// The same, where another store has a key of that name too.
  case readOnlyBeside(KeyBackend)
  /// What was read back is not what was stored, and at most a piece of it, which was removed.
  case notReadBack
  /// Something else is there than this process put or found there: another one's, which is left.
  case changed
  /// Not UTF-8.
  case notText
  /// The rule for texts would not give it back as it is.
  case notOneLine
  case tooLong(limit: Int)
  /// The user's share of the kernel's memory for keys is used up.
  case quota
  /// Another process makes a key.
  case busy
  /// Another user keeps this one from making keys; the number, where it is known.
  case lockTaken(by: UInt32?)
  /// Nothing here keeps two processes from making a key at once.
  case noLock
  case badName
  case system(errno: Int32)
  /// The store's own words.
  case failed(String)

  /// The stores answered, and have no such key.
  var isMissing: Bool {
    if case .missing = self { true } else { false }
  }
}

/// Why there is no such store here.
enum KeyStoreObstacle: Sendable, Equatable {
  case otherSystem
  case variableUnset
  case noLibrary
  case noSessionBus
  /// One is named, and cannot be reached.
  case deadBus(String)
  case noService(String)
  case timedOut
  /// The folder that the variable names.
  case folder(errno: Int32)
  case system(errno: Int32)

  /// The store is here and may have the key: another one's of that name may be another key.
  var endsSearch: Bool {
    switch self {
    case .deadBus, .timedOut, .folder: true
    case .otherSystem, .variableUnset, .noLibrary, .noSessionBus, .noService, .system: false
    }
  }
}

/// A failure of one store.
struct KeyStoreFailure: Error, Sendable, Equatable {
  let flaw: KeyStoreFlaw
  init(_ flaw: KeyStoreFlaw) { self.flaw = flaw }
}

/// A new key that would stand where one is already.
enum KeyExists: ExplainedError, Equatable {
  case file(String)
  case directory(String)
  case stored(String, KeyBackend)
  /// One that is to be stored would take the place of another.
  case other(String, KeyBackend)

  var diagnosis: Diagnosis { KeyStoreDiagnostics.explain(self) }
}

/// A place that keeps keys under names. All functions throw `KeyStoreFailure`, or
/// `SealError.interrupted`.
protocol KeyStore: Sendable {
  var backend: KeyBackend { get }
  var isReadOnly: Bool { get }
  /// Why it cannot be used; nil where it can.
  func obstacle() throws -> KeyStoreObstacle?
  /// The bytes under `name`, or nil.
  func read(_ name: String) throws -> Secret?
  /// Keeps `key` under `name`, where nothing is, by the store's own word where it can tell. Throws
  /// `.changed` where something is.
  func add(_ key: Secret, as name: String) throws
  /// Keeps `key` under `name`, in the place of what was there.
  func store(_ key: Secret, as name: String) throws
  /// Answers whether there was one.
  func delete(_ name: String) throws -> Bool
  /// Names, in no order.
  func names() throws -> [String]
  /// Why a new key could not be kept (`locked`, `noCollection`) before somebody does something about it,
  /// which nobody is asked to do here.
  func closure() throws -> KeyStoreFlaw?
  /// Somebody is asked when a key is to be kept, and can answer.
  var canAsk: Bool { get }
  /// The same, which asks nobody to unlock it: what that takes is `.locked`.
  var quiet: Self { get }
  /// The same, which no signal ends, and which is waited for a few seconds only: for the end of what was
  /// begun.
  var steadfast: Self { get }
}

extension KeyStore {
  var isReadOnly: Bool { false }
  var canAsk: Bool { false }
  func closure() throws -> KeyStoreFlaw? { nil }
  func add(_ key: Secret, as name: String) throws { try store(key, as: name) }
  var quiet: Self { self }
  var steadfast: Self { self }
}
