// The one way a database becomes another file: read from a snapshot, re-laid where the layout
// changes, sealed where the target is encrypted, synced, proven, and only then named. Encrypt and
// decrypt are two settings of this; nothing in here knows which of them is at work.

/// How the output is encrypted.
struct TargetCipher {
  let profile: CipherProfile
  let keys: PageKeys
  let salt: [UInt8]
  /// The key as the engine is given it for the proof: derived, because it would derive the same.
  let material: KeyMaterial

  var codec: CodecMaker {
    { [profile, keys, salt] in try PageCodec(profile: profile, keys: keys, salt: salt) }
  }
}

extension TargetCipher {
  /// Derives the keys.
  init(
    _ material: KeyMaterial, profile: CipherProfile, salt: [UInt8], _ context: OperationContext
  ) throws {
    let request = KeyRequest(material: material, profile: profile, salt: salt)
    self.init(
      request,
      try KeyDerivation.derive(material, profile: profile, salt: salt, by: context.deriver))
  }

  /// With what was derived for `request`.
  init(_ request: KeyRequest, _ keys: PageKeys) {
    self.init(
      profile: request.profile, keys: keys, salt: request.salt,
      material: Self.underived(request.material, keys, request.salt))
  }

  /// `material` in the form that costs the engine no derivation.
  static func underived(_ material: KeyMaterial, _ keys: PageKeys, _ salt: [UInt8]) -> KeyMaterial {
    if case .raw = material.kind { return material }
    return KeyMaterial(derived: keys.encryption, salt: salt)
  }

  /// The salt to report: none where it was drawn for a dry run, because another run draws another.
  static func knownSalt(
    _ material: KeyMaterial, _ settings: CipherSettings, _ salt: [UInt8], dryRun: Bool
  ) -> [UInt8] {
    dryRun && material.salt == nil && settings.salt == nil ? [] : salt
  }

  /// The salt to write: the raw key's own, the given one, or a random one. `losesSource`: the
  /// command removes what it reads.
  static func salt(
    _ material: KeyMaterial, profile: CipherProfile, given givenSalt: [UInt8]?, losesSource: Bool
  ) throws -> [UInt8] {
    if let own = material.salt, let givenSalt, own != givenSalt {
      throw SealError.badProfile(.saltConflict)
    }
    // A salt that is in no file is known from the report alone. Where the source goes, that is too
    // little: the report may not reach anybody.
    if profile.plaintextHeader > 0, losesSource, material.salt == nil, givenSalt == nil {
      throw SealError.badProfile(.saltWouldBeLost)
    }
    let salt = try material.salt ?? givenSalt ?? drawSalt()
    guard salt != DatabaseHeader.magic else { throw SealError.badProfile(.saltIsMagic) }
    return salt
  }

  /// A random salt that does not begin as files of another format do.
  private static func drawSalt() throws -> [UInt8] {
    while true {
      let salt = try LibCrypto.randomBytes(KeyDerivation.saltLength)
      if !FileClassifier.isMisleading(salt: salt) { return salt }
    }
  }
}

/// A conversion, ready to run.
struct ConversionJob {
  let source: OpenedDatabase
  let plan: OutputPlan
  let pageSize: Int
  /// Bytes at the end of each page of the output that the B-trees leave alone.
  let reserve: Int
  /// Every page keeps its number and place; page size and reserve must be the source's.
  var keepsPages = false
  /// nil: the output is plaintext.
  let cipher: TargetCipher?
  /// Permission bits of the output; nil in place means those of the old file.
  let mode: UInt32?
  /// The source goes after success, with whatever the output does not have.
  var losesSource = false
  let context: OperationContext
  /// A key that must not open the output any more.
  var oldKey: OldKey?

  /// What the run found out.
  struct Outcome {
    var pages: UInt32
    var proof: Proof?
    var notes: [Note]
    /// Where the old file was kept.
    var backup: String?
  }

  var workers: Int { context.threads(pages: source.pageCount) }

  /// Does everything, or in a dry run everything that writes nothing.
  func run() throws -> Outcome {
    try plan.requireFreeBackup()
    guard !plan.options.dryRun else {
      try requireSpace()
      return Outcome(pages: 0, proof: nil, notes: [])
    }
    let leftovers = Replacement.removeLeftovers(of: plan.path).map(Note.leftover)
    try requireSpace()
    try Memory.requireRoom(for: plan.path)
    let replacement = try Replacement(of: plan.path)
    defer { replacement.discard() }
    let written = try write(to: replacement.temporary)
    try prepare(replacement.temporary)
    let prover = Prover(
      file: replacement.temporary, path: plan.path, pageSize: pageSize,
      pageCount: written.pageCount, source: source.header, cipher: cipher, workers: workers,
      context: context, oldKey: oldKey)
    // The device takes the pages while they are read back and proven. Both must succeed before the
    // file gets its name.
    context.progress?(Progress(.syncing, done: 0, total: 0))
    let file = replacement.temporary
    let ((proof, notes), _) = try ParallelRuns.both(
      { try prover.prove(written.content) }, { try file.sync() })
    try source.snapshot.requireUnchanged()
    try plan.options.lastCheck?()
    try context.cancellation.check()
    let backup = try plan.commit(replacement, source: source.snapshot)
    return Outcome(
      pages: written.pageCount, proof: proof, notes: leftovers + written.notes + notes,
      backup: backup)
  }

  /// What was written, and what its content must prove equal to.
  private struct Written {
    var pageCount: UInt32
    var content: WrittenContent
    var notes: [Note]
  }

  private func write(to file: File) throws -> Written {
    try explaining { try convert(to: file) }
  }

  /// Runs `body`; damage that it meets is told with all pages that do not authenticate.
  func explaining<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch SealError.damaged(let damage) {
      throw SealError.damaged(damage.completed(by: scan(of: source.store)))
    }
  }

  private func convert(to file: File) throws -> Written {
    let store = source.store
    let reader = try reader(.converting)
    defer { reader.stop() }
    let key = try StreamDigest.randomKey()
    let writers = cipher == nil ? min(workers, 1) : workers
    let sink = try PageSink(
      file, pageSize: pageSize, codec: cipher?.codec,
      sums: keepsPages || cipher == nil ? PageSummer(key: key) : nil,
      expected: aboutSize, workers: writers, cancellation: context.cancellation)
    defer { sink.stop() }
    var (content, pageCount) = try passTrees(from: reader, to: sink, key)
    let used = reader.visited.copy()
    let rest = try scan(of: store).run(skipping: used)
    if let damage = Damage(forged: rest.forged, in: store) { throw SealError.damaged(damage) }
    try BlankPages(store: store, header: source.header, context: context).require(rest.blank)
    if keepsPages {
      try RestOfPages(reader: reader, blank: rest.blank).pass(to: sink.write)
      content.blank = rest.blank
    }
    content.sum = try sink.finish(pageCount: pageCount)
    let unused = try UnusedPages(
      in: reader, header: source.header, used: used, path: source.path)
    if keepsPages, let page = unused.brokenFreeList {
      throw SealError.structure(source.path, page, .freelist)
    } else if !keepsPages, losesSource || (plan.isInPlace && plan.backup == nil) {
      try unused.requireNothingToLose(in: reader, path: source.path)
    }
    return Written(pageCount: pageCount, content: content, notes: unused.notes)
  }

  /// The source's pages, in whatever order; `phase` is what its progress is called.
  func reader(_ phase: Progress.Phase) throws -> ReadAhead {
    let store = source.store
    // Plain pages need no decoding: what a thread would hand over is read sooner.
    return try ReadAhead(
      store, workers: store.codec == nil ? 0 : workers,
      meter: ProgressMeter(phase, total: store.bytes, context.progress),
      cancellation: context.cancellation)
  }

  /// What the trees hold goes to the output, in their pages' own places or in new ones.
  private func passTrees(
    from reader: ReadAhead, to sink: PageSink, _ key: Secret
  ) throws -> (WrittenContent, pageCount: UInt32) {
    if keepsPages {
      // What proves the output is the sum of its pages.
      let summary = try ContentWalk.summary(
        of: PageTee(reader, to: sink.write), path: source.path, key: nil)
      return (WrittenContent(key: key, summary: summary), source.pageCount)
    }
    let result = try Relayout.run(
      from: reader, path: source.path, to: sink, pageSize: pageSize, reserve: reserve, key: key)
    return (WrittenContent(key: key, summary: result.content), result.pageCount)
  }

  private func scan(of store: PageStore) -> PageScan {
    PageScan(store: store, workers: max(1, workers), cancellation: context.cancellation)
  }

  /// Mode, owner and attributes.
  private func prepare(_ file: File) throws {
    if plan.isInPlace {
      try Attributes.copy(from: source.snapshot.file, to: file, mode: mode)
    } else if let mode {
      try file.setMode(mode)
    }
  }
}

extension UnusedPages {
  /// What a user should know of them.
  var notes: [Note] {
    if let page = brokenFreeList { return [.freeListBroken(page: page)] }
    return total == 0 ? [] : [.unusedPages(first: first, total: total)]
  }
}

/// What passed by while an output was written: its proof must find the same.
struct WrittenContent {
  /// Key of the digests and sums.
  let key: Secret
  let summary: ContentSummary
  /// Of the pages as they were written, decoded: where they kept their places, or have no tags.
  var sum: PageSum?
  /// Where pages kept their places: those of zeros on the disk, as never-written ones are,
  /// ascending. They were not written and are not in the sum.
  var blank: [UInt32]?
}
