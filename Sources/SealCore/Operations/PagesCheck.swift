// The first verdict: every tag, the file's size, the log and the journal. No SQL, no engine.

/// Checks the pages of a database.
struct PagesCheck {
  let source: VerifySource
  /// The share of pages to look at, in percent; nil is all.
  let sample: Int?
  let workers: Int
  let context: OperationContext

  private var store: PageStore { source.store }

  func run() throws -> PagesVerdict {
    let profile = source.cipher?.profile
    var verdict = PagesVerdict(
      total: store.pageCount, hasTags: profile?.hmacAlgorithm != nil, size: source.size)
    verdict.plaintextHeader = profile?.plaintextHeader ?? 0
    let lockPage = PageGeometry.lockPage(pageSize: store.pageSize)
    if lockPage <= store.pageCount { verdict.lockBytePage = lockPage }
    if let overlay = source.snapshot.overlay, overlay.origin == .journal {
      verdict.journalPages = overlay.offsets.count
    }
    verdict.journalFlaw = source.snapshot.journalFlaw
    let skipped = verdict.hasTags ? sample.flatMap(skipping) : nil
    verdict.sample = skipped == nil ? nil : sample
    let countable = store.pageCount - (verdict.lockBytePage == nil ? 0 : 1)
    if verdict.hasTags {
      verdict.checked = countable - UInt32(clamping: skipped?.cardinality ?? 0)
    }
    let scan = PageScan(
      store: store, workers: workers, cancellation: context.cancellation,
      meter: ProgressMeter(
        .checking, total: UInt64(verdict.checked) * UInt64(store.pageSize), context.progress))
    let found = try scan.run(skipping: skipped)
    verdict.damaged = try damage(found)
    try findMissing(&verdict)
    verdict.log = try LogCheck(source: source, context: context).run()
    return verdict
  }

  /// The pages that the sample leaves out: from each stretch of the file one is taken by chance.
  private func skipping(_ percent: Int) -> PageBitmap? {
    let lockPage = PageGeometry.lockPage(pageSize: store.pageSize)
    let pages = UInt64(store.pageCount)
    let wanted = max(1, (pages * UInt64(max(0, percent)) + 99) / 100)
    guard wanted < pages else { return nil }
    let skipped = PageBitmap(count: store.pageCount)
    var number: UInt32 = 1
    for index in 0..<wanted {
      let (start, end) = (index * pages / wanted, (index + 1) * pages / wanted)
      let taken = UInt32(clamping: UInt64.random(in: start..<max(start + 1, end)) + 1)
      while number < taken {
        if number != lockPage { _ = skipped.insert(number) }
        number += 1
      }
      number = taken + 1
    }
    while number <= store.pageCount, number != 0 {
      if number != lockPage { _ = skipped.insert(number) }
      number &+= 1
    }
    return skipped
  }

  /// What the header counts beyond the end of the file. A header may count anything, so the list is
  /// cut.
  private func findMissing(_ verdict: inout PagesVerdict) throws {
    guard source.size.isWrong, let expected = source.size.expected else { return }
    let pageSize = UInt64(store.pageSize)
    let (whole, all) = (source.size.actual / pageSize, expected / pageSize)
    guard whole < all else { return }
    let known = Set(verdict.damaged.map(\.number))
    let numbers = (whole + 1...all).lazy.compactMap { UInt32(exactly: $0) }
      .filter { !known.contains($0) }.prefix(Damage.limit)
    let owners = try owners(of: Array(numbers))
    verdict.missing = numbers.map {
      DamagedPage(number: $0, flaw: .missing, owner: owners[$0])
    }
    let cut = known.filter { UInt64($0) > whole }.count
    verdict.missingTotal = Int(clamping: all - whole) - cut
  }

  /// What the scan found, as damage with owners. A page of zeros is sound where it is free.
  private func damage(_ found: PageScan.Findings) throws -> [DamagedPage] {
    let lockPage = PageGeometry.lockPage(pageSize: store.pageSize)
    var damaged = found.forged.map { DamagedPage(number: $0, flaw: .tag) }
    var blank = found.blank.filter { $0 != lockPage }
    var isListKnown = false
    if !blank.isEmpty, let free = try freeList() {
      blank.removeAll { free.leaves.contains($0) }
      isListKnown = true
    }
    let owners = try owners(of: found.forged + blank)
    // Where the list of free pages cannot be read, a page of zeros that nobody claims may be free.
    let wiped = blank.filter { isListKnown || owners[$0] != nil || $0 == 1 }
    damaged += wiped.map { DamagedPage(number: $0, flaw: .wiped) }
    damaged.sort { $0.number < $1.number }
    return damaged.map {
      DamagedPage(number: $0.number, flaw: $0.flaw, owner: owners[$0.number])
    }
  }

  private func freeList() throws -> FreeList? {
    guard let header = source.header else { return nil }
    let reader = try ReadAhead(store, workers: 0, cancellation: context.cancellation)
    do {
      return try FreeList(reading: reader, header: header, path: source.path)
    } catch SealError.damaged { return nil }
  }

  private func owners(of pages: [UInt32]) throws -> [UInt32: PageOwner] {
    guard !pages.isEmpty, let header = source.header else { return [:] }
    let reader = try ReadAhead(store, workers: 0, cancellation: context.cancellation)
    return try PageOwners.find(pages, in: reader, header: header)
  }
}

/// Checks the write-ahead log beside a database: what counts of it, what does not, and the tags of
/// all committed frames, also of those that later ones replaced.
struct LogCheck {
  let source: VerifySource
  let context: OperationContext
  private static let batchBytes = 1 << 20

  func run() throws -> LogFinding? {
    let snapshot = source.snapshot
    let path = Sidecars(of: snapshot.path).log
    let look =
      snapshot.lock.strength == .shared ? WriteAheadLog.patientAudit : WriteAheadLog.audit
    let audit = try look(path, snapshot.log, source.store.pageSize, context.cancellation)
    guard var found = audit else { return nil }
    if !found.isDamaged {
      // Frames of a transaction that was rolled back, or written over while it went on.
      found.ignored += found.lost
      (found.lost, found.firstBad) = (0, nil)
    }
    var finding = LogFinding(
      committed: found.committed, uncommitted: found.uncommitted, ignored: found.ignored,
      firstBad: found.firstBad, lost: found.lost, lostCommits: found.lostCommits)
    finding.badTags = try badTags(path, frames: found.committed)
    return finding
  }

  private func badTags(_ path: String, frames: Int) throws -> [LogFinding.BadFrame] {
    let pageSize = source.store.pageSize
    guard frames > 0, let codec = try source.store.codec?(),
      source.snapshot.log?.overlay?.pageSize == pageSize
    else { return [] }
    let file = try File(path)
    let frameSize = WriteAheadLog.frameHeaderSize + pageSize
    let batch = max(1, Self.batchBytes / frameSize)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: batch * frameSize, alignment: 16)
    let page = PageBuffer(bytes: pageSize)
    defer { buffer.deallocate() }
    var bad: [LogFinding.BadFrame] = []
    var frame = 0
    while frame < frames {
      try context.cancellation.check()
      let offset = UInt64(WriteAheadLog.headerSize) + UInt64(frame) * UInt64(frameSize)
      let got = try file.read(at: offset, into: buffer)
      let whole = min(got / frameSize, frames - frame)
      guard whole > 0 else { break }
      for index in 0..<whole {
        let bytes = UnsafeRawBufferPointer(
          rebasing: buffer[(index * frameSize)...].prefix(frameSize))
        let number = bytes.bigEndian32(at: 0)
        page.start.copyMemory(
          from: UnsafeRawPointer(bytes.baseAddress ?? UnsafeRawPointer(page.start))
            + WriteAheadLog.frameHeaderSize, byteCount: pageSize)
        if codec.authenticate(page: number, page.start) == .forged {
          bad.append(LogFinding.BadFrame(frame: frame + index + 1, page: number))
        }
      }
      frame += whole
    }
    return bad
  }
}
