// Looks at a file from outside: no key, no lock, nothing written, and only its start is read, so
// that it takes no longer for a large file than for a small one.

/// Looks at one file.
final class Survey {
  /// Logs and hot journals up to this size are read through in passing.
  /// SQLite checkpoints one of the default settings at 4 MiB.
  static let longestLog: UInt64 = 5 << 20
  private static let firstBytes = 32

  private let path: String
  private let real: String
  private let file: File
  private let status: FileStatus
  /// What a log or hot journal beside the file replaces, where that is read in passing.
  private var overlay: PageOverlay?

  /// Opens it. Throws `.io`.
  init(_ path: String) throws {
    self.path = path
    file = try File(path)
    status = try file.status()
    real = try System.realPath(path)
  }

  /// What can be said. Throws `.io` where the file cannot be read.
  func facts() throws -> FileFacts {
    var facts = FileFacts(path: path, kind: .other)
    facts.target = try FileStatus.of(path, followLinks: false)?.kind == .link ? real : nil
    guard status.kind == .regular else {
      facts.reasons = [.notRegular(status.special ?? .device)]
      return facts
    }
    facts.size = status.size
    let start = try file.bytes(at: 0, count: FileClassifier.sampleSize)
    judge(start, status.size, &facts)
    facts.holders = OpenFiles.holders(of: real)
    if facts.kind == .wal || facts.kind == .journal {
      alone(&facts)
    } else {
      facts.sidecars = sidecars(facts)
      try lookBeside(&facts)
      let hasLog = facts.sidecars.contains { $0.suffix == "-wal" }
      if facts.kind == .plaintext, facts.header?.isWAL == true, !hasLog {
        facts.notes = [.walMissing]
      }
      if status.size == 0, overlay != nil { facts.notes.append(.fileEmpty) }
    }
    choosePageSize(&facts)
    return facts
  }

  /// Kind, reasons, and what stands in clear at the start.
  private func judge(_ start: [UInt8], _ size: UInt64, _ facts: inout FileFacts) {
    start.withUnsafeBytes { bytes in
      facts.kind = FileClassifier.kind(start: bytes, size: size)
      facts.mayBeEncrypted = FileClassifier.mayBeEncrypted(bytes, facts.kind, size: size)
      facts.reasons = FileClassifier.reasons(facts.kind, start: bytes, size: size)
      facts.header = (try? DatabaseHeader(bytes, path: path)).map {
        facts.kind == .sqlcipherPlaintextHeader
          ? HeaderFacts($0, start: bytes, size: size) : HeaderFacts($0)
      }
    }
    // A short file, or one of text, may be a key file: its content is nobody's business.
    let isText = facts.reasons.contains(where: \.isText)
    facts.firstBytes = isText || size < 512 ? [] : Array(start.prefix(Self.firstBytes))
    let hasSalt = facts.kind == .sqlcipher || facts.mayBeEncrypted
    facts.salt = hasSalt && start.count >= 16 ? Array(start.prefix(16)) : nil
  }

  /// The page 1 that counts may stand in a log or a hot journal.
  private func lookBeside(_ facts: inout FileFacts) throws {
    guard let overlay, overlay.offsets[1] != nil else { return }
    var page = [UInt8](repeating: 0, count: overlay.pageSize)
    guard try page.withUnsafeMutableBytes({ try overlay.read(1, into: $0) }) else { return }
    judge(page, max(status.size, UInt64(page.count)), &facts)
    facts.reasons.insert(.firstPageBeside, at: 0)
  }

  private func choosePageSize(_ facts: inout FileFacts) {
    let said = facts.sidecars.compactMap(\.pageSize).first
    if let header = facts.header, facts.kind != .sqlcipher {
      facts.pageSize = header.pageSize
    } else {
      facts.pageSize = said
    }
    if facts.pageSize == nil, facts.kind == .sqlcipher || facts.mayBeEncrypted {
      facts.pageSizes = FileClassifier.pageSizes(dividing: facts.size)
    }
  }

  // MARK: What lies beside

  private func sidecars(_ facts: FileFacts) -> [SidecarFacts] {
    let names = Sidecars(of: real)
    let all: [(String, String, (String, UInt64) throws -> SidecarFacts)] = [
      (names.log, "-wal", log), (names.journal, "-journal", journal),
      (names.sharedMemory, "-shm", index),
    ]
    return all.compactMap { name, suffix, look in
      guard let status = try? FileStatus.of(name), status.kind == .regular else { return nil }
      return (try? look(name, status.size))
        ?? SidecarFacts(path: name, suffix: suffix, size: status.size, state: .unreadable)
    }
  }

  private func log(_ name: String, _ size: UInt64) throws -> SidecarFacts {
    var facts = SidecarFacts(path: name, suffix: "-wal", size: size, state: .empty)
    guard size > 0 else { return facts }
    guard let pageSize = try WriteAheadLog.pageSize(of: name) else {
      facts.state = .invalid
      return facts
    }
    facts.pageSize = pageSize
    let frame = UInt64(pageSize + WriteAheadLog.frameHeaderSize)
    let frames = (size - min(size, UInt64(WriteAheadLog.headerSize))) / frame
    guard size <= Self.longestLog else {
      facts.state = .longLog(frames: frames)
      return facts
    }
    let contents = try WriteAheadLog.read(name, cancellation: Cancellation())
    overlay = contents?.overlay ?? overlay
    let audit = try WriteAheadLog.patientAudit(
      name, contents: contents, pageSize: pageSize, cancellation: Cancellation())
    let isDamaged = audit?.isDamaged == true
    facts.state = .log(
      frames: frames, committed: UInt64(clamping: contents?.committed ?? 0),
      beyond: UInt64(clamping: contents?.beyond ?? 0),
      lostCommits: isDamaged ? audit?.lostCommits ?? 0 : 0,
      firstBad: isDamaged ? audit?.firstBad : nil)
    return facts
  }

  private func journal(_ name: String, _ size: UInt64) throws -> SidecarFacts {
    var facts = SidecarFacts(path: name, suffix: "-journal", size: size, state: .empty)
    guard size > 0 else { return facts }
    let plain = try? DatabaseHeader.flawless(file)
    switch try RollbackJournal.look(name, pageSize: plain) {
    case .finished: facts.state = .finished
    case .pending(let pageSize):
      facts.pageSize = pageSize
      // As hasHotJournal in pager.c: a writer holds the reserved lock; an empty database needs none.
      let isActive =
        (try? System.isLockedByOthers(
          file.descriptor, real, start: DatabaseLock.reserved, length: 1)) ?? false
      facts.state = isActive ? .active : status.size > 0 ? .hot : .finished
      guard facts.state == .hot, overlay == nil, size <= Self.longestLog else { break }
      overlay = try RollbackJournal.read(
        name, pageSize: plain, cancellation: Cancellation())?.overlay
    }
    return facts
  }

  private func index(_ name: String, _ size: UInt64) throws -> SidecarFacts {
    let memory = try File(name)
    let isShared = try System.isLockedByOthers(
      memory.descriptor, name, start: DatabaseLock.deadMansSwitch, length: 1)
    return SidecarFacts(
      path: name, suffix: "-shm", size: size, state: isShared ? .shared : .idle)
  }

  // MARK: A log or journal by itself

  private func alone(_ facts: inout FileFacts) {
    let isLog = facts.kind == .wal
    let suffix = isLog ? "-wal" : "-journal"
    let found = try? isLog ? log(real, status.size) : lone(real, status.size)
    facts.sidecars =
      [found ?? SidecarFacts(path: real, suffix: suffix, size: status.size, state: .unreadable)]
    guard real.hasSuffix(suffix), real.utf8.count > suffix.utf8.count else { return }
    let owner = String(real.dropLast(suffix.count))
    facts.owner = FileFacts.Owner(
      path: owner, exists: (try? FileStatus.of(owner)) ?? nil != nil)
  }

  private func lone(_ name: String, _ size: UInt64) throws -> SidecarFacts {
    let found = try RollbackJournal.look(name, pageSize: nil)
    guard case .pending(let pageSize) = found else {
      return SidecarFacts(path: name, suffix: "-journal", size: size, state: .finished)
    }
    return SidecarFacts(
      path: name, suffix: "-journal", size: size, pageSize: pageSize, state: .pending)
  }
}

extension DatabaseHeader {
  /// The page size in the plain header of a file; nil where there is none.
  fileprivate static func flawless(_ file: File) throws -> Int? {
    let start = try file.bytes(at: 0, count: length)
    return try start.withUnsafeBytes { try DatabaseHeader($0, path: file.path).pageSize }
  }
}
