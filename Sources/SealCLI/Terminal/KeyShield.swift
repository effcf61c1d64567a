// What other programs get to see of keys in the environment: commands, and what the library of a key
// store starts, such as dbus-launch.

internal import SealCore

extension KeySources {
  /// Those that a key is taken from without being named.
  private static let ownVariables = Set(KeyOptions.sets.map(\.variable))

  /// Variables that hold keys: no command gets to see them.
  func hiddenVariables(_ selection: KeySelection) -> Set<String> {
    Self.ownVariables.union(selection.keyVariables).union([selection.variable])
  }

  /// The stores of this machine, for the key that is meant.
  func stores(_ selection: KeySelection) -> KeyStores {
    stores(timeout: selection.timeout, hiding: hiddenVariables(selection))
  }

  /// The stores of this machine. `timeout`: seconds to wait for an answer, where that was said. The
  /// keys that variables hold are in the environment no more.
  func stores(timeout: Double?, hiding variables: Set<String> = ownVariables) -> KeyStores {
    for name in variables { _ = surroundings.keyVariable(name) }
    return surroundings.stores(timeout, cancellation)
  }
}
