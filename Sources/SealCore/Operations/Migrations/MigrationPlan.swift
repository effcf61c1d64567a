// The folder against the database: which files were applied, which are pending, which changed since,
// and which applied versions have no file. Everything that forbids a run is found here.

/// One migration as `--status` shows it.
public struct MigrationState: Sendable, Equatable {
  public enum State: String, Sendable {
    case applied, pending
    /// Applied, and the file has other bytes now.
    case changed
    /// Applied, and there is no such file.
    case missing
  }

  public var version: Int64
  /// The file's name; of a missing one, the name that was recorded, if any was.
  public var name: String?
  public var state: State
  /// The file's checksum now; nil where there is no file.
  public var checksum: String?
  /// As recorded: UTC, `2026-01-31T12:00:00Z`; nil where dbseal did not apply it.
  public var appliedAt: String?
}

/// What there is to do.
struct MigrationPlan {
  let path: String
  let folder: MigrationFolder
  let track: VersionTrack
  let applied: AppliedVersions

  private func isApplied(_ version: Int64) -> Bool {
    switch track {
    case .table: applied.versions.contains(version)
    case .userVersion: version <= applied.newest ?? 0
    }
  }

  /// All migrations, by version.
  var states: [MigrationState] {
    let known = folder.files.map { file -> MigrationState in
      let details = applied.details[file.version]
      var state = MigrationState.State.pending
      if isApplied(file.version) {
        state = details.map { $0.checksum == file.checksum } ?? true ? .applied : .changed
      }
      return MigrationState(
        version: file.version, name: file.name, state: state, checksum: file.checksum,
        appliedAt: state == .pending ? nil : details?.time)
    }
    let missing = applied.versions.filter { folder.file($0) == nil }.map { version in
      let details = applied.details[version]
      return MigrationState(
        version: version, name: details?.name, state: .missing, checksum: nil,
        appliedAt: details?.time)
    }
    return (known + missing).sorted { $0.version < $1.version }
  }

  /// The files to run, in order. Throws `.migration` where one of them may not, or where the
  /// database and the folder disagree.
  func pending(upTo target: Int64?, allowOutOfOrder: Bool) throws -> [MigrationFile] {
    try requireUnchanged()
    let newest = applied.newest
    if let target, let newest, newest > target {
      throw SealError.migration(.beyond(path: path, newest: newest, wanted: target))
    }
    let files = folder.files.filter { !isApplied($0.version) && $0.version <= target ?? Int64.max }
    if let newest, !allowOutOfOrder {
      let below = files.filter { $0.version < newest }
      guard below.isEmpty else {
        throw SealError.migration(
          .outOfOrder(path: path, files: below.map(\.name), newest: newest))
      }
    }
    for file in files { _ = try file.script.get() }
    return files
  }

  /// The files to record for a baseline: those that are not, or with other bytes.
  func unrecorded(upTo target: Int64) throws -> [MigrationFile] {
    if track == .userVersion {
      if let newest = applied.newest, newest > target {
        throw SealError.migration(.beyond(path: path, newest: newest, wanted: target))
      }
      return folder.files.filter { $0.version == target && !isApplied(target) }
    }
    return folder.files.filter {
      $0.version <= target
        && !(isApplied($0.version) && applied.details[$0.version]?.checksum == $0.checksum)
    }
  }

  private func requireUnchanged() throws {
    let changed = states.filter { $0.state == .changed }
    guard let newest = changed.last?.version else { return }
    throw SealError.migration(
      .changed(path: path, files: changed.compactMap(\.name), newest: newest))
  }

  /// Throws where the version of a file, up to `last` if that is named, does not fit into the store.
  static func requireRange(_ folder: MigrationFolder, _ track: VersionTrack, upTo last: Int64?)
    throws
  {
    let range = VersionStore.range(track)
    for file in folder.files
    where !range.contains(file.version) && file.version <= last ?? Int64.max {
      throw SealError.migration(
        .versionOutside(file: file.name, least: range.lowerBound, limit: range.upperBound))
    }
  }

  /// Throws where no file has this version.
  static func requireKnown(_ version: Int64?, in folder: MigrationFolder) throws {
    guard let version, folder.file(version) == nil else { return }
    throw SealError.migration(.unknownVersion(version, folder: folder.path))
  }
}
