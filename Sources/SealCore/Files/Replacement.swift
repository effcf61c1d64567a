// How an output gets its name: written under a temporary one in the same folder, mode 0600 from
// its first byte, synced, and then named by one atomic rename, followed by a sync of the folder.
// Until that rename nothing of the old file is touched, and on every way out before it the
// temporary file is removed. A kill leaves at most that file; the next run finds and removes it.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A new file on its way to `path`.
final class Replacement {
  let path: String
  let temporary: File
  private let folder: String
  private var isDone = false

  /// Makes the empty temporary file beside `path`. `leftovers` are temporary files of runs that
  /// were killed, which were removed.
  init(of path: String) throws {
    self.path = path
    folder = Path.folder(of: path)
    var made = try Self.makeTemporary(for: path)
    _ = System.markInUse(made.descriptor)
    do {
      // Before the mark another run may have taken it for one that was left behind.
      while try FileStatus.of(made.path)?.identity != made.status().identity {
        made = try Self.makeTemporary(for: path)
        _ = System.markInUse(made.descriptor)
      }
    } catch {
      _ = try? System.unlink(made.path)
      guard case SealError.io(let failure) = error else { throw error }
      throw SealError.io(IOFailure(failure.call, path: path, errno: failure.errno))
    }
    temporary = made
  }

  deinit { discard() }

  /// Removes the temporary file, unless it has its final name.
  func discard() {
    guard !isDone else { return }
    isDone = true
    // SQLite makes a journal only for a file that it writes; none is written through it here.
    _ = try? System.unlink(temporary.path)
  }

  /// Gives the file its name. `replacing`: something may stand there; otherwise what appeared in
  /// the meantime is `.exists`. `expected`: what has to stand there at the last moment, or it is
  /// `.changedWhileReading`. `backup`: the old file is kept under this name, which must be free.
  /// After this returns, or throws from the folder's sync, the new file stands under `path`.
  func commit(replacing: Bool, expected: FileIdentity? = nil, backup: String?) throws {
    if let backup { try Self.keep(path, as: backup) }
    do {
      if let expected, try FileStatus.of(path)?.identity != expected {
        throw SealError.changedWhileReading(path: path)
      }
      if replacing {
        try System.rename(temporary.path, to: path)
      } else {
        try System.renameNew(temporary.path, to: path)
      }
    } catch SealError.io(let failure) where failure.errno == EEXIST && !replacing {
      throw SealError.exists(path: path, .target)
    } catch {
      if let backup { _ = try? System.unlink(backup) }
      throw error
    }
    isDone = true
    do {
      try Path.syncFolder(folder)
    } catch SealError.io(let failure) {
      throw SealError.io(IOFailure(.syncName, path: path, errno: failure.errno))
    }
  }

  private static func keep(_ path: String, as backup: String) throws {
    do {
      try System.link(path, to: backup)
    } catch SealError.io(let failure) where failure.errno == EEXIST {
      throw SealError.exists(path: backup, .backup)
    }
  }

  /// Removes temporary files for `path` that no living process uses; their paths.
  static func removeLeftovers(of path: String) -> [String] {
    let folder = Path.folder(of: path)
    let prefix = Array(prefix(for: path).utf8)
    guard let names = try? System.names(in: folder) else { return [] }
    return names.filter { $0.utf8.starts(with: prefix) && isOurs($0.utf8.dropFirst(prefix.count)) }
      .sorted().compactMap { name in
        let leftover = Path.join(folder, name)
        guard let status = try? FileStatus.of(leftover, followLinks: false),
          status.kind == .regular,
          let file = try? File(leftover, .readWriteItself), System.markInUse(file.descriptor)
        else { return nil }
        return (try? System.unlink(leftover)) == nil ? nil : leftover
      }
  }

  /// Whether a suffix is one of ours: a digit and five more letters or digits. No word is.
  private static func isOurs(_ suffix: Substring.UTF8View) -> Bool {
    guard suffix.count == 6, let first = suffix.first else { return false }
    return (0x30...0x39).contains(first)
      && suffix.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }
  }

  private static func prefix(for path: String) -> String {
    // A name may have 255 bytes; a long one is cut between two characters so that the temporary
    // name fits.
    var name = Substring(Path.name(of: path)).unicodeScalars
    while name.reduce(0, { $0 + UTF8.width($1) }) > 255 - 19 { name.removeLast() }
    return "." + String(name) + ".dbseal-"
  }

  private static func makeTemporary(for path: String) throws -> File {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    var random = SystemRandomNumberGenerator()
    for attempt in 0... {
      let suffix = String(
        (0..<6).map { letters[Int.random(in: $0 == 0 ? 26..<36 : 0..<36, using: &random)] })
      do {
        return try File(
          Path.join(Path.folder(of: path), prefix(for: path) + suffix), .create, subject: path)
      } catch SealError.io(let failure) {
        if failure.errno == EEXIST && attempt < 100 { continue }
        let call = failure.call == .open ? .create : failure.call
        throw SealError.io(IOFailure(call, path: path, errno: failure.errno))
      }
    }
    throw SealError.io(IOFailure(.create, path: path, errno: EEXIST))
  }
}
