// Text files that a command makes beside its work: reports, lists of what was found. They get their name
// in one step, as outputs do, and only ever replace a file of their own kind: a wrong name on a command
// line costs nobody a database or a key.

/// Writes text files.
public enum TextFile {
  /// How much of a file that stands there is looked at.
  private static let start = 4096

  /// Throws unless a file may be made as `path`: nothing has that name, or a regular file that is empty
  /// or of whose start `isOwn` says that it may go.
  public static func requirePlace(_ path: String, isOwn: ([UInt8]) -> Bool) throws {
    try Path.requireName(path)
    try Path.requireOrdinary(path)
    try Sidecars.requireNone(at: path)
    let behind = try FileStatus.of(path)
    switch try FileStatus.of(path, followLinks: false)?.kind {
    case nil: return try System.requireWritable(folder: Path.folder(of: path), for: path)
    case .link where behind == nil: throw SealError.exists(path: path, .danglingLink)
    case .link, .regular, .directory, .other: break
    }
    guard let behind, behind.kind == .regular else {
      throw SealError.exists(
        path: path, behind?.kind == .directory ? .directoryForFile : .notRegular)
    }
    guard try behind.size == 0 || isOwn(File(path).bytes(at: 0, count: start)) else {
      throw SealError.exists(path: path, .foreign)
    }
    try System.requireWritable(folder: Path.folder(of: path), for: path)
  }

  /// The file that `path` leads to, where it is a link to one; else `path`. Throws where it leads to a
  /// name in one of the system's own folders.
  public static func behind(_ path: String) throws -> String {
    try Path.requireOrdinary(path)
    guard try FileStatus.of(path, followLinks: false)?.kind == .link else { return path }
    return (try? System.realPath(path)) ?? path
  }

  /// Makes `path`, readable as any new file is, or with `asBefore` with the mode and owner of the one
  /// that stands there. Throws as `requirePlace` does, and `SealError.io`.
  public static func make(
    _ path: String, _ text: String, asBefore: Bool = false, isOwn: ([UInt8]) -> Bool
  ) throws {
    try requirePlace(path, isOwn: isOwn)
    let expected = try FileStatus.of(path)?.identity
    // A run that was killed may have left one.
    _ = Replacement.removeLeftovers(of: path)
    let new = try Replacement(of: path)
    try Array(text.utf8).withUnsafeBytes { try new.temporary.write(at: 0, $0) }
    if asBefore, expected != nil {
      try Attributes.copy(from: File(path), to: new.temporary, mode: nil)
    } else {
      try new.temporary.setMode(0o666 & ~UInt32(System.currentUmask()))
    }
    try new.temporary.sync()
    try new.commit(replacing: expected != nil, expected: expected, backup: nil)
  }
}
