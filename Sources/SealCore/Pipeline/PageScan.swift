// Goes through pages in runs that the threads take in turn. Authenticates without decrypting them: all
// pages of a damaged database, to list what is broken, or those that no B-tree led to. Free pages and pointer
// maps hold no content, but one that somebody altered is a damaged database all the same, and an
// output whose every page was not authenticated is not proven. Or opens all and adds them up, to compare
// an output whose pages kept their places with what was written.

/// A scan over the tags of a database.
struct PageScan: Sendable {
  let store: PageStore
  let workers: Int
  let cancellation: Cancellation
  var meter: ProgressMeter?

  /// What was found; both ascending. The lock-byte page is in neither.
  struct Findings: Sendable, Equatable {
    /// Pages whose tag does not verify.
    var forged: [UInt32] = []
    /// Pages that are zeros without a tag, as never-written ones are.
    var blank: [UInt32] = []

    mutating func add(_ number: UInt32, _ verdict: PageVerdict) {
      if verdict == .blank { blank.append(number) } else { forged.append(number) }
    }

    /// The same in ascending order, without the lock-byte page.
    func ordered(without lockPage: UInt32) -> Findings {
      Findings(
        forged: forged.filter { $0 != lockPage }.sorted(),
        blank: blank.filter { $0 != lockPage }.sorted())
    }
  }

  private static let runBytes = 256 << 10

  /// Scans every page that is not in `visited`. Plain pages have nothing to check.
  func run(skipping visited: PageBitmap? = nil) throws -> Findings {
    guard let makeCodec = store.codec else { return Findings() }
    let (store, meter) = (store, meter)
    let lockPage = PageGeometry.lockPage(pageSize: store.pageSize)
    let seen = UncheckedBox(visited)
    let findings = Monitor(Findings())
    try forEachRun {
      let codec = try makeCodec()
      return { first, count, buffer in
        let wanted = (0..<count).filter {
          let number = first + UInt32($0)
          return number != lockPage && seen.value?.contains(number) != true
        }
        guard !wanted.isEmpty else { return }
        defer { meter?.add(wanted.count * store.pageSize) }
        // A sample takes few pages of a run: those are read alone.
        let isSparse = wanted.count < count / 8
        if !isSparse {
          try store.pages.read(first: first, count: count, pageSize: store.pageSize, into: buffer)
        }
        for run in Self.runs(of: wanted) {
          let start = first + UInt32(run.lowerBound)
          let pages = buffer + run.lowerBound * store.pageSize
          if isSparse {
            try store.pages.read(
              first: start, count: run.count, pageSize: store.pageSize, into: pages)
          }
          codec.authenticate(first: start, count: run.count, pages) { number, verdict in
            findings.withLock { $0.add(number, verdict) }
          }
        }
      }
    }
    return findings.withLock { $0.ordered(without: lockPage) }
  }

  /// Opens every page but those in `leftOut` and the lock-byte page, and adds up what they hold.
  /// Pages that do not open are among the findings and not in the sum.
  func sum(leavingOut leftOut: [UInt32], by summer: PageSummer) throws -> (
    sum: PageSum, findings: Findings
  ) {
    let (store, meter) = (store, meter)
    let lockPage = PageGeometry.lockPage(pageSize: store.pageSize)
    let skipped = Set(leftOut).union([lockPage])
    let result = Monitor((sum: PageSum(), findings: Findings()))
    try forEachRun {
      let codec = try store.codec?()
      return { first, count, buffer in
        try store.pages.read(first: first, count: count, pageSize: store.pageSize, into: buffer)
        var found = Findings()
        codec?.open(first: first, count: count, in: buffer) { found.add($0, $1) }
        let wrong = Set(found.blank + found.forged)
        var sum = PageSum()
        for index in 0..<count {
          let number = first + UInt32(index)
          guard !skipped.contains(number), !wrong.contains(number) else { continue }
          sum.add(summer.sum(number, buffer + index * store.pageSize, store.pageSize))
        }
        result.withLock { result in
          result.sum.add(sum)
          result.findings.blank += found.blank
          result.findings.forged += found.forged
        }
        meter?.add(count * store.pageSize)
      }
    }
    return result.withLock { ($0.sum, $0.findings.ordered(without: lockPage)) }
  }

  /// What a thread does with a run of pages: the first's number, how many there are, and room for them.
  private typealias Worker = (UInt32, Int, UnsafeMutableRawPointer) throws -> Void

  /// Cuts the database into runs, which the threads take in turn, each with a worker of its own.
  private func forEachRun(_ makeWorker: @escaping @Sendable () throws -> Worker) throws {
    let (pageSize, pageCount) = (store.pageSize, Int(store.pageCount))
    let perRun = max(1, Self.runBytes / pageSize)
    let runs = (pageCount + perRun - 1) / perRun
    try ParallelRuns.forEach(count: runs, workers: workers, cancellation: cancellation) {
      let work = try makeWorker()
      let buffer = PageBuffer(bytes: perRun * pageSize)
      return { run in
        try work(
          UInt32(run * perRun + 1), min(perRun, pageCount - run * perRun), buffer.start)
      }
    }
  }

  /// Ascending numbers as ranges.
  private static func runs(of indexes: [Int]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in indexes {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<(index + 1)
      } else {
        runs.append(index..<(index + 1))
      }
    }
    return runs
  }
}
