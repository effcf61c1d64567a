// Promise 1: an output is what it should be because it was read back from the file and found so.
// Every page authenticates under the new key, the content is equal to the source's, the header
// kept its meaning, and the engine opens it. Anything else is `.selfCheckFailed`.

struct Prover {
  /// The output under its temporary name, complete.
  let file: File
  /// The name that errors speak of.
  let path: String
  let pageSize: Int
  let pageCount: UInt32
  /// The source's header.
  let source: DatabaseHeader
  let cipher: TargetCipher?
  let workers: Int
  let context: OperationContext
  /// A key that must not open the output.
  let oldKey: OldKey?

  private var store: PageStore {
    PageStore(
      pages: OutputPages(file, path: path), pageSize: pageSize, pageCount: pageCount,
      codec: cipher?.codec)
  }

  /// Proves the output, or throws `.selfCheckFailed` (`.interrupted` and `.io` pass through).
  func prove(_ content: WrittenContent) throws -> (Proof, [Note]) {
    guard try file.size() == store.bytes else { throw failure(.size) }
    try stage(.header) { try header() }
    let found = try stage(.pages) {
      if let blank = content.blank { return try pages(content, blank) }
      return try walk(content)
    }
    guard found == content.summary else { throw failure(.content) }
    var proof = Proof(pages: pageCount)
    proof.trees = found.trees
    proof.records = found.records
    let notes = try engine(&proof)
    if let oldKey, let cipher, try oldKey.opens(file, cipher) { throw failure(.oldKey) }
    return (proof, notes)
  }

  private func failure(_ stage: ProofStage) -> SealError {
    .selfCheckFailed(path: path, stage: stage)
  }

  /// Damage in an output is a failed proof; a read error or a signal is itself.
  private func stage<R>(_ stage: ProofStage, _ body: () throws -> R) throws -> R {
    do { return try body() } catch SealError.damaged { throw failure(stage) }
  }

  private func header() throws {
    let buffer = PageBuffer(bytes: pageSize)
    try ReadAhead(store, workers: 0, cancellation: context.cancellation)
      .read(1, into: buffer.start)
    let bytes = UnsafeRawBufferPointer(start: buffer.start, count: pageSize)
    let header = try DatabaseHeader(bytes, path: path)
    guard header.keepsMeaning(of: source), header.pageSize == pageSize else {
      throw failure(.header)
    }
    let start = try file.bytes(at: 0, count: 16)
    // No tag covers the salt, and the codec that reads the output back has its own.
    var expected = DatabaseHeader.magic
    if let cipher, cipher.profile.plaintextHeader == 0 { expected = cipher.salt }
    guard start == expected else { throw failure(.header) }
  }

  /// Where pages kept their places they are compared as they are: equal pages hold equal content.
  private func pages(_ content: WrittenContent, _ blank: [UInt32]) throws -> ContentSummary {
    let scan = PageScan(
      store: store, workers: max(1, workers), cancellation: context.cancellation,
      meter: ProgressMeter(.proving, total: store.bytes, context.progress))
    let found = try scan.sum(leavingOut: blank, by: PageSummer(key: content.key))
    guard found.findings == PageScan.Findings(blank: cipher == nil ? [] : blank) else {
      throw failure(.pages)
    }
    guard found.sum == content.sum else { throw failure(.content) }
    return content.summary
  }

  private func walk(_ content: WrittenContent) throws -> ContentSummary {
    let meter = ProgressMeter(.proving, total: store.bytes, context.progress)
    let readers = cipher == nil ? min(workers, 1) : workers
    let reader = try ReadAhead(
      store, workers: readers, sums: cipher == nil ? PageSummer(key: content.key) : nil,
      meter: meter,
      cancellation: context.cancellation)
    defer { reader.stop() }
    let summary = try ContentWalk.summary(of: reader, path: path, key: content.key)
    guard cipher == nil else {
      let scan = PageScan(
        store: store, workers: max(1, workers), cancellation: context.cancellation)
      guard try scan.run(skipping: reader.visited) == PageScan.Findings() else {
        throw failure(.pages)
      }
      return summary
    }
    try RestOfPages(reader: reader, blank: []).pass { _, _ in }
    if let written = content.sum, written != reader.sum { throw failure(.pages) }
    return summary
  }

  /// Opens the output: SQLCipher on the real file. Immutable, because a header that says WAL would
  /// have the engine make a log and an index beside a file that nobody else knows.
  private func engine(_ proof: inout Proof) throws -> [Note] {
    let connection: Connection
    do {
      guard let cipher else {
        return try judge(try Connection(output: file), &proof)
      }
      let settings = try EngineSettings.settings(
        for: cipher.profile, salt: cipher.salt, key: cipher.material)
      connection = try Connection(output: file)
      try connection.key(cipher.material.engineKey)
      try connection.apply(settings: settings)
    } catch SealError.unsupported(.engineTooOld(let engine, let needed, let feature)) {
      let decoded = try Connection(snapshot: DecodedPages(store), path: path)
      let notes = try judge(decoded, &proof)
      proof.openedBy = nil
      return notes + [
        .notOpenedBySQLCipher(engine: engine, feature: feature, needed: needed)
      ]
    }
    return try judge(connection, &proof)
  }

  private func judge(_ connection: Connection, _ proof: inout Proof) throws -> [Note] {
    let engine = Engine.current
    proof.openedBy = engine.cipherVersion ?? engine.sqliteVersion
    switch connection.probe() {
    case .ready: return []
    case .schemaNotUnderstood(let message):
      proof.schemaMessage = message
      return [.schemaNotUnderstood(message: message)]
    case .failed(.noMemory, _):
      // That says nothing about the output.
      throw SealError.io(IOFailure(.allocate, path: path, errno: SystemError.noMemory))
    case .notADatabase, .busy, .io, .failed: throw failure(.engine)
    }
  }
}
