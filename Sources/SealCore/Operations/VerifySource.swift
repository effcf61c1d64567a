// A database as verify and inspect open it: as every command does, except that damage is a finding and not the
// end. With a broken page 1 or header there is still a list of pages to check.

/// A database that may be damaged, ready to be checked.
struct VerifySource {
  let snapshot: Snapshot
  /// nil for a plaintext database.
  let cipher: DetectedCipher?
  /// nil where page 1 or the header in it is broken.
  let header: DatabaseHeader?
  /// What is wrong with page 1, mostly a field of the header; nil where it cannot be read at all.
  let flaw: Damage.Flaw?
  let store: PageStore
  let size: SizeFinding
  let notes: [Note]

  var path: String { snapshot.path }

  /// Opens a database. Throws `.wrongKey`, `.wrongKind`, `.locked` and the like, but not `.damaged`.
  init(_ database: NamedDatabase, _ context: OperationContext) throws {
    self = try Snapshot.reading(
      System.realPath(database.path), timeout: context.busyTimeout,
      cancellation: context.cancellation
    ) { try VerifySource($0, database, context) }
  }

  private init(_ snapshot: Snapshot, _ database: NamedDatabase, _ context: OperationContext) throws
  {
    self.snapshot = snapshot
    var header: DatabaseHeader?
    var flaw: Damage.Flaw?
    if let key = database.key {
      let (found, isFirstPageDamaged) = try OpenedDatabase.unlock(
        snapshot, key: key, settings: database.settings, context)
      cipher = found
      // Without tags nothing but what page 1 holds can tell what is wrong with it.
      if !isFirstPageDamaged || found.profile.hmacAlgorithm == nil {
        (header, flaw) = try Self.header {
          try OpenedDatabase.header(of: snapshot, found, context)
        }
        // Only a header that no tag covers can say less than the codec takes.
        if let read = header, found.profile.plaintextHeader > 20,
          read.reserve < found.profile.reserve
        {
          (header, flaw) = (nil, .header(field: "reserved space"))
        }
      }
    } else {
      cipher = nil
      let start = try snapshot.start(count: FileClassifier.sampleSize)
      let kind = OpenedDatabase.kind(of: snapshot, start)
      guard kind == .plaintext else {
        throw OpenedDatabase.refusal(of: kind, database.path, start)
      }
      (header, flaw) = try Self.header {
        try start.withUnsafeBytes { try DatabaseHeader($0, path: database.path) }
      }
    }
    if header?.isWAL == true {
      try snapshot.protectLog(timeout: context.busyTimeout, cancellation: context.cancellation)
    }
    self.header = header
    self.flaw = flaw
    let pageSize = cipher?.profile.pageSize ?? header?.pageSize ?? 4096
    let (count, size) = try Self.measure(snapshot, header, pageSize, context)
    self.size = size
    store = PageStore(
      pages: snapshot, pageSize: pageSize, pageCount: count, codec: cipher?.codec)
    var notes = OpenedDatabase.notes(on: snapshot, header, cipher)
    if size.preallocated > 0 { notes.append(.preallocated(bytes: size.preallocated)) }
    self.notes = notes
  }

  private static func header(_ read: () throws -> DatabaseHeader) throws
    -> (DatabaseHeader?, Damage.Flaw?)
  {
    do {
      return (try read(), nil)
    } catch SealError.damaged(let damage) {
      switch damage.flaw {
      case .header, .structure: return (nil, damage.flaw)
      case .pages, .size, .log, .emptied, .journal, .reported: return (nil, nil)
      }
    }
  }

  /// Pages to check, and what the size says.
  private static func measure(
    _ snapshot: Snapshot, _ header: DatabaseHeader?, _ pageSize: Int, _ context: OperationContext
  ) throws -> (UInt32, SizeFinding) {
    // A log or journal may claim any number of pages: only what something holds is looked at.
    let inFile = (snapshot.fileSize + UInt64(pageSize) - 1) / UInt64(pageSize)
    let held = min(
      snapshot.overlay?.pageCount ?? .max,
      max(UInt32(clamping: inFile), snapshot.overlay?.offsets.keys.max() ?? 0))
    let bytes =
      snapshot.overlay.map { UInt64($0.pageCount) * UInt64($0.pageSize) } ?? snapshot.fileSize
    var finding = SizeFinding(actual: bytes)
    guard let header else { return (held, finding) }
    finding.expected = header.pageCount.map { UInt64($0) * UInt64(pageSize) }
    do {
      let size = try SizeCheck(
        snapshot: snapshot, header: header, cancellation: context.cancellation
      ).run()
      finding.preallocated = size.preallocated
      if snapshot.isEmptied {
        finding.isEmptied = true
        (finding.actual, finding.expected) = (0, UInt64(size.pageCount) * UInt64(pageSize))
      }
      return (size.pageCount, finding)
    } catch SealError.damaged {
      finding.isWrong = true
      return (min(header.pageCount ?? held, held), finding)
    }
  }
}
