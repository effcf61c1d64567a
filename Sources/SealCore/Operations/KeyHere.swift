// What of a key's looks only the machine can tell: that a file is called so. A variable that was to
// name a key file was then taken for one that holds the key.

extension KeyMaterial {
  /// The same as `oddity`, with a look at the file system.
  var oddityHere: KeyOddity? { oddity ?? (isAsTyped || !isPath ? nil : .shape(.path)) }

  /// The same as `shape`.
  var shapeHere: KeyShape? { isPath ? .path : shape }

  private var isPath: Bool {
    if case .passphrase(let bytes) = kind { System.isFile(named: bytes) } else { false }
  }
}
