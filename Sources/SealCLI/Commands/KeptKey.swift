// A key of a store is to be there still when a database begins to depend on it: another process may
// have deleted or replaced it while the database was written.

internal import SealCore
internal import Synchronization

/// A key that seals, and the place in a store that it came from.
struct KeptKey: Sendable {
  let key: KeyMaterial
  let selection: KeySelection
  /// The run made it, so that it can be asked for again. Others may be locked by now.
  var isNew = false
  /// Stores are asked by one thread at a time.
  private static let asking = Mutex(())

  /// nil where the key is of no store.
  init?(_ key: KeyMaterial, _ selection: KeySelection, isNew: Bool = false) {
    guard case .keyring = selection.source else { return nil }
    (self.key, self.selection, self.isNew) = (key, selection, isNew)
  }

  /// Throws `KeyFailure` where the store no longer has it.
  func require(_ session: Session) throws {
    guard case .keyring(let name, let wanted) = selection.source else { return }
    let now: KeyMaterial
    do {
      now = try Self.asking.withLock { _ in
        try session.keys.resolve(selection, label: "", new: false)
      }
    } catch let failure as KeyFailure {
      if !isNew, case .store(let flaw) = failure.flaw, !flaw.isMissing { return }
      throw failure
    }
    guard now.engineKey.isEqual(to: key.engineKey) else {
      let origin = KeyOptions.set(selection.prefix).keyring.flag
      return try KeyStores.naming(name, wanted, from: origin) { throw KeyStoreFailure(.changed) }
    }
  }
}
