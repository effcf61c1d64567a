// The files that a run reads beside its databases: keys, lists, a journal. None of them may be a
// database of the run, a file that SQLite keeps beside one, or a name that an output gets: what is
// written, renamed or removed there would cost somebody the only copy of a key.

/// Files that are read and never touched.
public struct InputFiles: Sendable {
  /// Paths, whether something is there or not.
  public var paths: [String]

  public init(_ paths: [String] = []) { self.paths = paths }

  /// Adds what a key command's line names: each word and part of a word that is the name of a file
  /// which cannot be a database, because no database has such a size. (A command may be told of the
  /// database whose key it is to print.) No part is given to the system that is not such a name.
  public mutating func add(namedBy words: [String]) {
    let parts = words.flatMap { word in
      [word] + word.split { " \t\n\"'`()<>|&;=".contains($0) }.map(String.init)
    }
    for part in Set(parts) where Self.isNoDatabase(part) { paths.append(part) }
  }

  private static func isNoDatabase(_ name: String) -> Bool {
    let isFile = Array(name.utf8).withUnsafeBytes {
      System.isFile(named: Secret(copying: $0))
    }
    guard isFile, let status = try? FileStatus.of(name) else { return false }
    // Whole pages of 512 bytes or more.
    return status.size % 512 != 0
  }

  /// Throws `.exists(.input)` where one of them is the file `path`, or one of those that SQLite keeps
  /// beside it, by whatever name and link.
  public func requireApart(from path: String) throws {
    guard !paths.isEmpty else { return }
    let own = Set(paths.compactMap(Self.identity))
    guard !own.isEmpty else { return }
    let real = (try? System.realPath(path)) ?? path
    for name in [path] + Sidecars(of: path).all + Sidecars(of: real).all {
      if let found = Self.identity(name), own.contains(found) {
        throw SealError.exists(path: name, .input)
      }
    }
  }

  private static func identity(_ path: String) -> FileIdentity? {
    // A pipe, a terminal and a folder are nothing that an output could replace, and a file that
    // cannot be looked at is for whoever opens it to report.
    guard let status = try? FileStatus.of(path), status.kind == .regular else { return nil }
    return status.identity
  }
}
