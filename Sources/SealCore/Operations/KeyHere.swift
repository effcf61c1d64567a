// What of a key's looks only the machine can tell: that a file is called so. A variable that was to
// name a key file was then taken for one that holds the key.

extension KeyMaterial {
  /// Looks whether a file is called as the passphrase is. Once for a key, for it reads a folder.
  public mutating func lookForFile() { isFileName = isNameHere }

  /// The same as `shape`, with a look at the file system.
  var shapeHere: KeyShape? { isNameHere ? .path : shape }

  private var isNameHere: Bool {
    if case .passphrase(let bytes) = kind { System.isFile(named: bytes) } else { false }
  }
}
