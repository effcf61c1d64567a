// The files that a run reads beside its databases: keys, lists, a journal. None of them may be a
// database of the run, a file that SQLite keeps beside one, or a name that an output gets: what is
// written, renamed or removed there would cost somebody the only copy of a key.

/// Files that are read and never touched.
public struct InputFiles: Sendable {
  /// Paths, whether something is there or not.
  public var paths: [String]

  public init(_ paths: [String] = []) { self.paths = paths }

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
