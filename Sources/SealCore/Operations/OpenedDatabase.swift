// A source, opened as far as every command needs it: a snapshot under a lock, its kind, its
// settings and key where it is encrypted, its header, and its size against that header. Here a
// failure gets its diagnosis: wrong key, damage, plaintext, not a database are told apart.

/// A database that is ready to be read page by page.
struct OpenedDatabase {
  let snapshot: Snapshot
  let header: DatabaseHeader
  /// Pages in the snapshot.
  let pageCount: UInt32
  /// nil for a plaintext database.
  let cipher: DetectedCipher?
  let notes: [Note]

  var path: String { snapshot.path }

  /// The pages as the pipeline takes them.
  var store: PageStore {
    PageStore(
      pages: snapshot, pageSize: header.pageSize, pageCount: pageCount, codec: cipher?.codec)
  }

  /// Opens a plaintext database. `exclusive`: for a command that replaces the file.
  static func plaintext(_ path: String, exclusive: Bool, _ context: OperationContext) throws
    -> OpenedDatabase
  {
    try opening(path, exclusive, context) { snapshot in
      let start = try snapshot.start(count: FileClassifier.sampleSize)
      let kind = kind(of: snapshot, start)
      guard kind == .plaintext else { throw refusal(of: kind, path, start) }
      let header = try start.withUnsafeBytes { try DatabaseHeader($0, path: path) }
      return try finish(snapshot, header, nil, context)
    }
  }

  /// Opens an encrypted database: detects the settings where none are given, checks the key.
  static func encrypted(
    _ path: String, key: KeyMaterial, settings: CipherSettings, exclusive: Bool,
    _ context: OperationContext
  ) throws -> OpenedDatabase {
    try opening(path, exclusive, context) { snapshot in
      let (cipher, isFirstPageDamaged) = try unlock(
        snapshot, key: key, settings: settings, context)
      if isFirstPageDamaged {
        throw KeySearch.firstPageDamage(of: snapshot, cipher)
      }
      let header = try header(of: snapshot, cipher, context)
      return try finish(snapshot, header, cipher, context)
    }
  }

  /// Finds the settings that the key fits; page 1 may be damaged. Throws `.wrongKey` and
  /// `.wrongKind`.
  static func unlock(
    _ snapshot: Snapshot, key: KeyMaterial, settings: CipherSettings, _ context: OperationContext
  ) throws -> (cipher: DetectedCipher, isFirstPageDamaged: Bool) {
    let path = snapshot.path
    let start = try snapshot.start(count: FileClassifier.sampleSize)
    let kind = kind(of: snapshot, start)
    // Who names the size of a plaintext header says why it begins as a plaintext database.
    let isNamed = kind == .plaintext && settings.plaintextHeader ?? 0 > 0
    let isDoubtful =
      !isNamed
      && start.withUnsafeBytes {
        FileClassifier.mayBeEncrypted(
          $0, kind, size: max(snapshot.fileSize, UInt64(start.count)),
          plaintextHeader: settings.plaintextHeader ?? 0)
      }
    if !isDoubtful { try requireEncrypted(kind, snapshot, start, settings) }
    context.progress?(Progress(.deriving, done: 0, total: 0))
    do {
      return try KeySearch(
        snapshot: snapshot, key: key, settings: settings,
        depth: isDoubtful ? .none : context.keyHints,
        cancellation: context.cancellation, deriver: context.deriver
      ).find()
    } catch SealError.wrongKey(let wrong) where isDoubtful && wrong.fit == nil {
      // Ciphertext right behind the magic: a plaintext header of 16 bytes, or a salt like it.
      if kind == .plaintext {
        throw SealError.wrongKind(path: path, found: .sqlcipherPlaintextHeader)
      }
      // No key fits, so the file is what it looks like.
      try requireEncrypted(kind, snapshot, start, settings)
      throw refusal(of: kind, path, start)
    }
  }

  /// Why a file of that kind is not opened.
  static func refusal(of kind: FileKind, _ path: String, _ start: [UInt8]) -> SealError {
    guard kind == .other, let format = start.withUnsafeBytes(OtherFormat.recognised(in:)) else {
      return .wrongKind(path: path, found: kind)
    }
    return .otherFormat(path: path, format)
  }

  /// The header of an encrypted database, from page 1.
  static func header(
    of snapshot: Snapshot, _ cipher: DetectedCipher, _ context: OperationContext
  ) throws -> DatabaseHeader {
    let store = PageStore(
      pages: snapshot, pageSize: cipher.profile.pageSize, pageCount: 1, codec: cipher.codec)
    let first = PageBuffer(bytes: store.pageSize)
    try ReadAhead(store, workers: 0, cancellation: context.cancellation).read(1, into: first.start)
    let bytes = UnsafeRawBufferPointer(start: first.start, count: store.pageSize)
    let header = try DatabaseHeader(bytes, path: snapshot.path)
    guard header.pageSize == cipher.profile.pageSize else {
      throw SealError.damaged(Damage(path: snapshot.path, flaw: .header(field: "page size")))
    }
    if cipher.profile.hmacAlgorithm == nil, !FileClassifier.firstPageMakesSense(bytes) {
      throw SealError.damaged(Damage(path: snapshot.path, flaw: .structure(page: 1, .pageType)))
    }
    return header
  }

  private static func opening(
    _ path: String, _ exclusive: Bool, _ context: OperationContext,
    _ look: (Snapshot) throws -> OpenedDatabase
  ) throws -> OpenedDatabase {
    let (timeout, cancellation) = (context.busyTimeout, context.cancellation)
    guard exclusive else {
      return try Snapshot.reading(path, timeout: timeout, cancellation: cancellation, look)
    }
    return try look(Snapshot(replacing: path, timeout: timeout, cancellation: cancellation))
  }

  /// The kind of the file; in a log or journal there may be more of it than in the main file.
  static func kind(of snapshot: Snapshot, _ start: [UInt8]) -> FileKind {
    let size = max(snapshot.fileSize, UInt64(start.count))
    return start.withUnsafeBytes { FileClassifier.kind(start: $0, size: size) }
  }

  private static func requireEncrypted(
    _ kind: FileKind, _ snapshot: Snapshot, _ start: [UInt8], _ settings: CipherSettings
  ) throws {
    let path = snapshot.path
    switch kind {
    case .sqlcipher: return
    case .plaintext, .sqlcipherPlaintextHeader:
      // A user who names the size of a plaintext header has looked; the page tags will tell.
      if settings.plaintextHeader ?? 0 > 0 { return }
      if kind == .plaintext {
        let header = try start.withUnsafeBytes { try DatabaseHeader($0, path: path) }
        // Whoever takes it for a database that can be used as it is loses all of it.
        if let overlay = snapshot.overlay, snapshot.isEmptied {
          let bytes = UInt64(header.pageCount ?? overlay.pageCount) * UInt64(header.pageSize)
          throw SealError.damaged(
            Damage(path: path, flaw: .emptied(expected: bytes, isPlaintext: true)))
        }
      }
      throw SealError.wrongKind(path: path, found: kind)
    case .journal, .wal, .empty, .truncated, .other: throw refusal(of: kind, path, start)
    }
  }

  /// What a user should know about where the content came from.
  static func notes(on snapshot: Snapshot, _ header: DatabaseHeader?, _ cipher: DetectedCipher?)
    -> [Note]
  {
    var notes: [Note] = []
    switch snapshot.overlay?.origin {
    case .log: notes.append(.walIncluded(frames: snapshot.log?.committed ?? 0))
    case .journal: notes.append(.journalApplied(pages: snapshot.overlay?.offsets.count ?? 0))
    case nil where header?.isWAL == true && snapshot.lacksLog: notes.append(.walMissing)
    case nil: break
    }
    if snapshot.isEmptied { notes.append(.fileEmpty) }
    if snapshot.hasUnusableLog { notes.append(.walUnusable) }
    if let cipher, cipher.profile.hmacAlgorithm == nil { notes.append(.notAuthenticated) }
    return notes
  }

  /// Size, locks and notes, once the header is known.
  private static func finish(
    _ snapshot: Snapshot, _ header: DatabaseHeader, _ cipher: DetectedCipher?,
    _ context: OperationContext
  ) throws -> OpenedDatabase {
    if let flaw = snapshot.journalFlaw {
      throw SealError.damaged(Damage(path: snapshot.path, flaw: .journal(flaw)))
    }
    if header.isWAL {
      try snapshot.protectLog(
        timeout: context.busyTimeout, cancellation: context.cancellation)
    }
    var notes = notes(on: snapshot, header, cipher)
    let size = try SizeCheck(
      snapshot: snapshot, header: header, cancellation: context.cancellation
    ).run()
    if size.preallocated > 0 { notes.append(.preallocated(bytes: size.preallocated)) }
    return OpenedDatabase(
      snapshot: snapshot, header: header, pageCount: size.pageCount, cipher: cipher, notes: notes)
  }
}

extension DetectedCipher {
  /// Makes codecs for the database's pages.
  var codec: CodecMaker {
    { try PageCodec(profile: profile, keys: keys, salt: salt) }
  }
}

/// Compares the size of a database with what its header says.
struct SizeCheck {
  let snapshot: Snapshot
  let header: DatabaseHeader
  let cancellation: Cancellation

  /// The number of pages to read, and bytes of zeros behind them. Throws `.damaged(.size)`.
  func run() throws -> (pageCount: UInt32, preallocated: UInt64) {
    let pageSize = UInt64(header.pageSize)
    if let overlay = snapshot.overlay {
      guard overlay.pageSize == header.pageSize, overlay.pageCount > 0 else {
        throw SealError.damaged(Damage(path: snapshot.path, flaw: .header(field: "page size")))
      }
      // As lockBtree in btree.c: the header's count, where it is valid, stands above the one of the
      // log or journal. What is behind it was preallocated, and SQLite never looks at it.
      let count = header.pageCount ?? overlay.pageCount
      guard count <= overlay.pageCount else {
        throw SealError.damaged(
          Damage(
            path: snapshot.path,
            flaw: .size(
              actual: UInt64(overlay.pageCount) * pageSize, expected: UInt64(count) * pageSize)))
      }
      try requireHeld(count, overlay)
      return (count, 0)
    }
    let expected = header.pageCount.map { UInt64($0) * pageSize } ?? snapshot.fileSize
    let pages = expected / pageSize
    guard snapshot.fileSize >= expected, expected % pageSize == 0, pages > 0,
      let count = UInt32(exactly: pages), try isZero(from: expected)
    else {
      throw SealError.damaged(
        Damage(
          path: snapshot.path,
          flaw: .size(actual: snapshot.fileSize, expected: max(1, pages) * pageSize)))
    }
    return (count, snapshot.fileSize - expected)
  }

  /// Throws `.damaged(.size)` where log or journal claim more pages than there can be. A page that
  /// neither they nor the file hold reads as zeros, so only a free one may be missing, and each
  /// page that is there lists fewer free pages than it has four-byte numbers.
  private func requireHeld(_ count: UInt32, _ overlay: PageOverlay) throws {
    let pageSize = UInt64(header.pageSize)
    let inFile = (snapshot.fileSize + pageSize - 1) / pageSize
    let held = max(inFile, UInt64(overlay.offsets.keys.max() ?? 0))
    guard UInt64(count) > held * (pageSize / 4) else { return }
    throw SealError.damaged(
      Damage(
        path: snapshot.path,
        flaw: .size(actual: held * pageSize, expected: UInt64(count) * pageSize)))
  }

  /// Whether nothing but whole pages of zeros stands behind `offset`: SQLite preallocates so.
  private func isZero(from offset: UInt64) throws -> Bool {
    guard (snapshot.fileSize - offset) % UInt64(header.pageSize) == 0 else { return false }
    var position = offset
    let buffer = PageBuffer(bytes: 1 << 20)
    let bytes = UnsafeMutableRawBufferPointer(start: buffer.start, count: 1 << 20)
    while position < snapshot.fileSize {
      try cancellation.check()
      // Holes are zeros that nobody has to read.
      guard let data = try snapshot.file.nextData(from: position) else { return true }
      position = data
      let got = try snapshot.file.read(at: position, into: bytes)
      guard got > 0 else { return false }
      var seen: UInt64 = 0
      for offset in stride(from: 0, to: got - got % 8, by: 8) {
        seen |= buffer.start.load(fromByteOffset: offset, as: UInt64.self)
      }
      guard seen == 0, bytes[(got - got % 8)..<got].allSatisfy({ $0 == 0 }) else { return false }
      position += UInt64(got)
    }
    return true
  }
}
