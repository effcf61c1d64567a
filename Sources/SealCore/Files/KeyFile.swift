// A new file with a key in it. It is as careful as an output: it has its name only once its content
// is on the disk and was read back, because a database may soon depend on it.

/// Writes key files.
public enum KeyFile {
  /// Makes the file `path`, mode 0600, with the line `key`. Throws `.exists` where something has that
  /// name already, which is never replaced, or where SQLite would take it for a part of a database.
  public static func make(_ path: String, _ key: Secret) throws {
    try Path.requireName(path)
    try Path.requireOrdinary(path)
    try Sidecars.requireNone(at: path)
    if let found = try FileStatus.of(path, followLinks: false) {
      throw SealError.exists(path: path, found.kind == .directory ? .directoryForFile : .target)
    }
    let line = Secret(count: key.count + 1) { out in
      key.withBytes { out.copyMemory(from: $0) }
      out[key.count] = 0x0a
    }
    // A run that was killed may have left a key there.
    _ = Replacement.removeLeftovers(of: path)
    let new = try Replacement(of: path)
    // Whatever the process's umask takes away.
    try new.temporary.setMode(0o600)
    try line.withBytes { try new.temporary.write(at: 0, $0) }
    try new.temporary.sync()
    let stored = try Secret(count: line.count) { out in
      guard try new.temporary.read(at: 0, into: out) == out.count else { return }
    }
    guard try new.temporary.size() == UInt64(line.count), stored.isEqual(to: line) else {
      throw SealError.selfCheckFailed(path: path, stage: .content)
    }
    try new.commit(replacing: false, backup: nil)
  }
}
