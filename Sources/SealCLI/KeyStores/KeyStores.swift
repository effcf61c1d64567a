// All stores of this machine, in the order in which they are asked. Reading goes through them until one
// has the name; writing takes the first that can be written. `--keyring-backend` leaves one of them.

internal import SealCore

/// The stores, and what is done with more than one.
struct KeyStores: Sendable {
  /// In order.
  let all: [any KeyStore]
  var cancellation = Cancellation()

  /// Those of this machine. `timeout`: seconds for which an answer is waited for, where that was said.
  static func ofMachine(_ timeout: Double?, _ cancellation: Cancellation) -> KeyStores {
    KeyStores(
      all: [
        CredentialsStore(cancellation: cancellation, timeout: timeout), KeychainStore(),
        SecretServiceStore(cancellation: cancellation, timeout: timeout), KernelKeyring(),
      ], cancellation: cancellation)
  }

  /// The same, which ask nobody to unlock them.
  var quiet: KeyStores { KeyStores(all: all.map { $0.quiet }, cancellation: cancellation) }

  /// Bytes of the longest name that every store can keep.
  static let longestName = 200

  /// A name that every store can keep: no longer than that, no control characters.
  static func requireName(_ name: String) throws {
    guard !name.isEmpty, name.utf8.count <= longestName,
      name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
    else { throw KeyStoreFailure(.badName) }
  }

  /// A key and where it was.
  struct Found: Sendable {
    let key: Secret
    let backend: KeyBackend
  }

  /// The key under `name`, in `wanted` or in the first store that has it; nil where none has.
  func find(_ name: String, in wanted: KeyBackend?) throws -> (
    found: Found?, searched: [KeyBackend]
  ) {
    try Self.requireName(name)
    var searched: [KeyBackend] = []
    for store in try candidates(wanted, forWriting: false) where try isUsable(store, wanted) {
      if let key = try store.read(name) {
        return (Found(key: key, backend: store.backend), searched + [store.backend])
      }
      searched.append(store.backend)
    }
    return (nil, searched)
  }

  /// The first store that has something under `name`, be it more than one key.
  func holder(
    of name: String, in wanted: KeyBackend?, forWriting: Bool = false
  ) throws -> KeyBackend? {
    try Self.requireName(name)
    return try candidates(wanted, forWriting: forWriting).first { store in
      do {
        return try isUsable(store, wanted) && store.read(name) != nil
      } catch let failure as KeyStoreFailure where failure.flaw == .several {
        return true
      }
    }?.backend
  }

  /// The key under `name`. Throws `.missing`.
  func read(_ name: String, in wanted: KeyBackend?) throws -> Found {
    let (found, searched) = try find(name, in: wanted)
    guard let found else { throw KeyStoreFailure(.missing(searched)) }
    return found
  }

  /// Makes a key and keeps it under `name`, which no usable store may have; where it is. Throws
  /// `KeyExists`.
  func make(_ name: String, in wanted: KeyBackend?, _ new: () throws -> Secret) throws -> KeyBackend
  {
    let (found, isNew) = try findOrMake(name, in: wanted, new)
    guard isNew else { throw KeyExists.stored(name, found.backend) }
    return found.backend
  }

  /// The key under `name`, made and kept there where there is none. One process at a time looks and
  /// makes.
  func findOrMake(
    _ name: String, in wanted: KeyBackend?, _ new: () throws -> Secret
  ) throws -> (Found, isNew: Bool) {
    // Nobody is waited for where it is there.
    if let found = try find(name, in: wanted).found { return (found, false) }
    return try KeyMakingLock.held(seconds: 10, cancellation) {
      if let found = try find(name, in: wanted).found { return (found, false) }
      let target = try target(wanted)
      let key = try new()
      try save(key, as: name, in: target, over: nil)
      return (Found(key: key, backend: target.backend), true)
    }
  }

  /// What became of what was there when a key was stored.
  enum Before: Sendable {
    case nothing, theSame, another
  }

  /// Keeps `key` under `name`, with `force` in the place of another one. One process at a time does: two
  /// would each take the other's key for one that was not kept whole. Throws `KeyExists`.
  func replace(
    _ key: Secret, as name: String, in store: any KeyStore, force: Bool
  ) throws -> Before {
    try KeyMakingLock.held(seconds: 10, cancellation) {
      try requireText(key, name, store)
      let before = try store.read(name)
      if before?.isEqual(to: key) == true { return .theSame }
      guard before == nil || force else { throw KeyExists.other(name, store.backend) }
      try save(key, as: name, in: store, over: before)
      return before == nil ? .nothing : .another
    }
  }

  /// What somebody was asked about: a store, and the key in it where it could be read.
  typealias Asked = (backend: KeyBackend, key: Secret?)

  /// Removes what the first store that has something under `name` has; where that was, or nil. Throws
  /// `.changed` where that is not what `asked` says.
  func remove(
    _ name: String, in wanted: KeyBackend?, asked: Asked? = nil
  ) throws -> (KeyBackend, wasThere: Bool)? {
    try KeyMakingLock.held(seconds: 10, cancellation) {
      guard let holder = try holder(of: name, in: wanted) else { return nil }
      let isGiven = wanted == nil && all.contains { $0.backend == holder && $0.isReadOnly }
      if isGiven, let other = try self.holder(of: name, in: nil, forWriting: true) {
        throw KeyStoreFailure(.readOnlyBeside(other))
      }
      guard let store = try usable(holder, forWriting: true).first else { return nil }
      if let asked, asked.backend != holder { throw KeyStoreFailure(.changed) }
      if let key = asked?.key, try !Self.isSame(store.read(name), key) {
        throw KeyStoreFailure(.changed)
      }
      return (holder, try store.delete(name))
    }
  }

  /// Runs `body`, with what it is about in what it throws. No name: the store as a whole. `origin`: the
  /// option that names it.
  static func naming<R>(
    _ name: String?, _ backend: KeyBackend?, from origin: String? = nil, _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let failure as KeyStoreFailure {
      var found = KeyFailure(
        source: name.map { .keyring($0, backend) } ?? .store(backend), flaw: .store(failure.flaw))
      found.origin = origin
      throw found
    }
  }

  /// The store that a new key goes to. Throws `.noStore` or `.unavailable`.
  func target(_ wanted: KeyBackend?) throws -> any KeyStore {
    let store = try candidates(wanted, forWriting: true).first { try isUsable($0, wanted) }
    guard let store else { throw KeyStoreFailure(.noStore(try obstacles())) }
    return store
  }

  /// Keeps `key` under `name` in the place of `before`, reads it back, and proves it the same. Where not
  /// all of it is there, what was there before is again. What somebody else put there stays. Throws
  /// `.notReadBack` or `.changed`.
  func save(
    _ key: Secret, as name: String, in store: any KeyStore, over before: Secret?
  ) throws {
    try requireText(key, name, store)
    guard Self.isSame(try store.read(name), before) else { throw KeyStoreFailure(.changed) }
    if before == nil { try store.add(key, as: name) } else { try store.store(key, as: name) }
    // Who asks for the end now is told what became of it.
    let store = store.steadfast
    let kept: Secret?
    do {
      kept = try store.read(name)
    } catch let failure as KeyStoreFailure {
      if case .timedOut = failure.flaw { throw KeyStoreFailure(.unanswered) }
      throw failure
    }
    if Self.isSame(kept, key) { return }
    if let kept, !Self.isPiece(kept, of: key) {
      throw KeyStoreFailure(Self.isSame(kept, before) ? .notReadBack : .changed)
    }
    if let before {
      try store.store(before, as: name)
    } else if kept != nil {
      _ = try store.delete(name)
    }
    throw KeyStoreFailure(.notReadBack)
  }

  private static func isSame(_ key: Secret?, _ other: Secret?) -> Bool {
    guard let key, let other else { return key == nil && other == nil }
    return key.isEqual(to: other)
  }

  /// A store kept the beginning of it only.
  private static func isPiece(_ kept: Secret, of key: Secret) -> Bool {
    kept.count < key.count && kept.isEqual(to: key.slice(0..<kept.count))
  }

  /// Throws where no store keeps such a key.
  private func requireText(_ key: Secret, _ name: String, _ store: any KeyStore) throws {
    try Self.requireName(name)
    let isText = key.withBytes { String(validating: $0, as: UTF8.self) != nil }
    guard isText else { throw KeyStoreFailure(.notText) }
    // As it is read from a store, and from what `key show` prints.
    let printed = Secret(count: key.count + 1) { printed in
      key.withBytes { printed.copyMemory(from: $0) }
      printed[key.count] = 0x0a
    }
    let line = try KeyText.line(of: printed, from: .keyring(name, store.backend))
    guard line.isEqual(to: key) else { throw KeyStoreFailure(.notOneLine) }
  }

  /// The usable ones among `wanted` or all, in order. Throws `.unavailable` and `.readOnly` for one
  /// that was asked for by name.
  func usable(_ wanted: KeyBackend?, forWriting: Bool) throws -> [any KeyStore] {
    try candidates(wanted, forWriting: forWriting).filter { try isUsable($0, wanted) }
  }

  /// `wanted`, or all that can be asked at all, in order.
  private func candidates(_ wanted: KeyBackend?, forWriting: Bool) throws -> [any KeyStore] {
    guard let wanted else { return all.filter { !forWriting || !$0.isReadOnly } }
    guard let store = all.first(where: { $0.backend == wanted }) else { return [] }
    if forWriting, store.isReadOnly { throw KeyStoreFailure(.readOnly) }
    return [store]
  }

  /// Throws where it may have the key and cannot be asked, so that no other one's is taken for it.
  private func isUsable(_ store: any KeyStore, _ wanted: KeyBackend?) throws -> Bool {
    guard let obstacle = try store.obstacle() else { return true }
    if wanted != nil || obstacle.endsSearch { throw KeyStoreFailure(.unavailable(obstacle)) }
    return false
  }

  /// Which other stores have a key of that name, as far as they say so unasked.
  func others(with place: KeyPlace) -> [KeyBackend] {
    all.filter { store in
      guard store.backend != place.backend, (try? store.obstacle() == nil) == true else {
        return false
      }
      return (try? store.names())?.contains(place.name) == true
    }.map(\.backend)
  }

  /// Throws what would keep a new key from being stored, where that can be known without storing one.
  func requireRoom(in store: any KeyStore) throws {
    // On a screen somebody may be asked.
    if let flaw = try store.closure(), !store.canAsk { throw KeyStoreFailure(flaw) }
  }

  private func obstacles() throws -> [KeyBackend: KeyStoreObstacle] {
    var found: [KeyBackend: KeyStoreObstacle] = [:]
    for store in all where !store.isReadOnly { found[store.backend] = try store.obstacle() }
    return found
  }
}
