// Where an output goes, decided and checked before any work: nothing that stands there is touched
// without `--force`, source and target are never one file, and what is replaced is replaced whole.

/// The place of an output and what has to happen to what stands there.
struct OutputPlan {
  /// The final name; for a conversion in place the source's, symbolic links followed.
  let path: String
  let isInPlace: Bool
  /// The name under which the old file is kept.
  let backup: String?
  let options: OutputOptions
  /// The backup's name is taken, and not by what a killed run left.
  private let backupExists: Bool
  /// An existing target, under its exclusive lock, until it is replaced.
  private let replaced: Snapshot?

  /// Checks everything that can be known before the work, but not yet whether the backup's name is
  /// free: whatever has nothing to do needs none. Throws `.exists`, `.locked`, `.io`.
  init(_ options: OutputOptions, source: String, _ context: OperationContext) throws {
    self.options = options
    try Self.requireInputs(options, source: source)
    var halfMade = false
    switch options.destination {
    case .inPlace:
      path = try System.realPath(source)
      isInPlace = true
      replaced = nil
      halfMade = try Self.isHalfMade(options.backupSuffix.map { [path] in path + $0 }, of: path)
      try Self.requireReplaceable(path, options, names: halfMade ? 2 : 1)
    case .target(let target):
      path = target
      isInPlace = false
      replaced = try Self.requireFree(target, source: source, options, context)
    }
    backup = options.backupSuffix.map { [path] in path + $0 }
    // All the work would be for a name that nothing can have.
    for name in [path, backup].compactMap({ $0 }) { try Path.requireName(name) }
    if let backup { try Path.requireOrdinary(backup) }
    // SQLite would take a file of these names for the new database's own, and remove it.
    if let backup, Sidecars(of: path).all.contains(backup) {
      throw SealError.exists(path: backup, .companion)
    }
    backupExists =
      try !halfMade && backup.map { try FileStatus.of($0, followLinks: false) != nil } ?? false
    try Self.requireUnrelated([path, backup].compactMap { $0 }, to: source, isInPlace: isInPlace)
    let folder = Path.folder(of: path)
    try SourceCheck.folder(folder)
    try System.requireWritable(folder: folder, for: path)
    if halfMade, !options.dryRun, let backup { try System.unlink(backup) }
  }

  /// Throws where something has the backup's name.
  func requireFreeBackup() throws {
    if let backup, backupExists { throw SealError.exists(path: backup, .backup) }
  }

  /// Throws where source, output or backup, or what SQLite keeps beside them, is a file that the run
  /// reads a key or a list from: forced or not, that file would be lost.
  private static func requireInputs(_ options: OutputOptions, source: String) throws {
    var outputs = [source]
    if case .target(let target) = options.destination { outputs.append(target) }
    if let suffix = options.backupSuffix {
      let output =
        options.destination == .inPlace ? try System.realPath(source) : outputs[outputs.count - 1]
      outputs.append(output + suffix)
    }
    for output in outputs { try options.inputs.requireApart(from: output) }
  }

  /// Throws where the output, or the backup, would be one of the files that SQLite keeps beside the
  /// source, or the source one of those beside the output: forced or not, one destroys the other.
  private static func requireUnrelated(_ outputs: [String], to source: String, isInPlace: Bool)
    throws
  {
    let real = try System.realPath(source)
    let beside = Set(Sidecars(of: source).all + Sidecars(of: real).all)
    let identities = try Set(beside.compactMap { try FileStatus.of($0)?.identity })
    let own = try FileStatus.of(source)?.identity
    for output in outputs {
      try Sidecars.requireNone(at: output)
      let status = try FileStatus.of(output)
      var isRelated = try beside.contains { try Path.isSame($0, output) }
      if let status, identities.contains(status.identity) { isRelated = true }
      if !isInPlace {
        for sidecar in Sidecars(of: output).all
        where try own != nil && FileStatus.of(sidecar)?.identity == own { isRelated = true }
      }
      if isRelated { throw SealError.exists(path: output, .companion) }
    }
  }

  /// Whether the backup is the file itself under a second name: a run that was killed between the
  /// two steps of keeping the old file left it so.
  private static func isHalfMade(_ backup: String?, of path: String) throws -> Bool {
    guard let backup, let own = try FileStatus.of(path), own.links == 2 else { return false }
    return try FileStatus.of(backup, followLinks: false)?.identity == own.identity
  }

  /// Throws unless the file may be changed in place: its owner may write it, it has one name, and
  /// nobody has it open, the last two unless forced.
  static func requireReplaceable(_ path: String, _ options: OutputOptions, names: Int = 1) throws {
    guard let status = try FileStatus.of(path), !options.force else { return }
    try requireOwnerWritable(path)
    guard status.links <= names || status.kind != .regular else {
      throw SealError.exists(path: path, .hardLinked(links: status.links))
    }
    let holders = OpenFiles.holders(of: path)
    guard holders.isEmpty else {
      // A connection in WAL mode keeps its lock while it lives, and no force takes that away.
      let isWAL = try FileStatus.of(path + "-shm") != nil
      throw isWAL
        ? SealError.locked(path: path, holders: holders)
        : SealError.inUse(path: path, holders: holders)
    }
  }

  /// Throws where the file's mode says that its owner may not write it, root or not.
  static func requireOwnerWritable(_ path: String) throws {
    guard let status = try FileStatus.of(path) else { return }
    guard status.kind != .regular || status.mode & 0o200 != 0 else {
      throw SealError.writeProtected(path: path)
    }
  }

  private static func requireFree(
    _ target: String, source: String, _ options: OutputOptions, _ context: OperationContext
  ) throws -> Snapshot? {
    try Path.requireOrdinary(target)
    let own = try FileStatus.of(target, followLinks: false)
    let behind = try FileStatus.of(target)
    if let behind, behind.identity == (try FileStatus.of(source))?.identity {
      throw SealError.exists(path: target, .sameFile)
    }
    switch own?.kind {
    case nil: break
    case .directory: throw SealError.exists(path: target, .directory)
    case .other: throw SealError.exists(path: target, .notRegular)
    case .link where behind == nil: throw SealError.exists(path: target, .danglingLink)
    case .link where behind?.kind == .directory:
      throw SealError.exists(path: target, .directory)
    case .link where behind?.kind != .regular: throw SealError.exists(path: target, .notRegular)
    case .link, .regular:
      guard options.force else { throw SealError.exists(path: target, .target) }
    }
    let stale = try Sidecars(of: target).present()
    if let first = stale.first, !options.force {
      throw SealError.exists(path: first, .sidecar(target))
    }
    guard own?.kind == .regular, options.force, !options.dryRun else { return nil }
    // An existing target may be somebody's live database: it is replaced under its own lock.
    return try Snapshot(
      replacing: target, timeout: context.busyTimeout, cancellation: context.cancellation)
  }

  /// Throws `.io` where no file can be made beside `path`: one is made and removed.
  static func requireRoom(beside path: String) throws {
    try Replacement(of: path).discard()
  }

  /// Bytes that the file system of the output has left.
  func availableSpace() throws -> UInt64 {
    try System.availableSpace(at: Path.folder(of: path))
  }

  /// Puts what stands at the target in order and gives the output its name. `source` is settled
  /// too where it is what is replaced. Gives the name under which an old file was kept.
  func commit(_ replacement: Replacement, source: Snapshot) throws -> String? {
    if isInPlace {
      // Somebody may have opened it while we worked: in WAL mode a waiting connection would go on
      // to make its log beside the new file.
      try source.requireNamed()
      try Self.requireReplaceable(path, options)
      try source.settle()
    } else if let replaced {
      try replaced.requireNamed()
      try replaced.settle()
    } else {
      let sidecars = Sidecars(of: path)
      if !options.force, let first = try sidecars.present().first {
        throw SealError.exists(path: first, .sidecar(path))
      }
      try sidecars.remove()
    }
    let kept = try FileStatus.of(path, followLinks: false) == nil ? nil : backup
    try replacement.commit(
      replacing: isInPlace || options.force,
      expected: isInPlace ? source.identity : replaced?.identity, backup: kept)
    return kept
  }
}
