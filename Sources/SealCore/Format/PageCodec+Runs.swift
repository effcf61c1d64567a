// Several pages in a row: side by side where the multi-buffer library is there and the run is long
// enough, else one after the other. The results are the same, byte for byte.

/// Makes the multi-buffer library's form of the keys when a run first wants it: a database of ten
/// pages never does. For one thread at a time.
final class MultiBufferLoader {
  private let provider: CryptoProvider
  private let keys: PageKeys
  private let hash: HashAlgorithm?
  private var isLoaded = false
  private var loaded: MultiBuffer?

  init(_ provider: CryptoProvider, keys: PageKeys, hash: HashAlgorithm?) {
    self.provider = provider
    self.keys = keys
    self.hash = hash
  }

  /// The library, where it is to do `count` pages.
  func `for`(_ count: Int) -> MultiBuffer? {
    // Fewer pages than half the lanes are done sooner one by one.
    guard provider == .multiBuffer, count >= 4 else { return nil }
    if !isLoaded {
      isLoaded = true
      loaded = MultiBuffer(keys: keys, hash: hash)
    }
    return loaded
  }
}

extension PageCodec {
  /// Pages that are handed over at once: what the tags' scratch memory has room for.
  private static let batch = 128

  /// Opens `count` consecutive pages from page `first`, as `open(page:in:)` does. `report` hears
  /// of every page that is not `.opened`, in ascending order.
  func open(
    first: UInt32, count: Int, in buffer: UnsafeMutableRawPointer,
    report: (UInt32, PageVerdict) throws -> Void
  ) rethrows {
    try forEachBatch(first, count, buffer) { number, count, pages in
      guard let many = many.for(count) else {
        for index in 0..<count {
          let page = number &+ UInt32(truncatingIfNeeded: index)
          let verdict = open(page: page, in: pages + index &* pageSize)
          if verdict != .opened { try report(page, verdict) }
        }
        return
      }
      let run = run(number, count, pages)
      var verdicts = verdicts(run, many)
      if !many.decrypt(run, where: verdicts.map { $0 == .opened ? 1 : 0 }) {
        verdicts = verdicts.map { $0 == .opened ? .forged : $0 }
      }
      for index in 0..<count {
        let page = number &+ UInt32(truncatingIfNeeded: index)
        if verdicts[index] == .opened {
          restore(page: page, in: pages + index &* pageSize)
        } else {
          try report(page, verdicts[index])
        }
      }
    }
  }

  /// Authenticates `count` consecutive pages from page `first`; `report` as in `open`. The pages
  /// are used as room meanwhile, and are as before afterwards.
  func authenticate(
    first: UInt32, count: Int, _ buffer: UnsafeMutableRawPointer,
    report: (UInt32, PageVerdict) throws -> Void
  ) rethrows {
    try forEachBatch(first, count, buffer) { number, count, pages in
      let verdicts =
        if let many = many.for(count) {
          verdicts(run(number, count, pages), many)
        } else {
          (0..<count).map {
            authenticate(
              page: number &+ UInt32(truncatingIfNeeded: $0), pages + $0 &* pageSize)
          }
        }
      for (index, verdict) in verdicts.enumerated() where verdict != .opened {
        try report(number &+ UInt32(truncatingIfNeeded: index), verdict)
      }
    }
  }

  /// Seals `count` consecutive pages from page `first`. The lock-byte page must not be among them.
  func seal(first: UInt32, count: Int, in buffer: UnsafeMutableRawPointer) throws {
    try forEachBatch(first, count, buffer) { number, count, pages in
      let many = many.for(count)
      for index in 0..<count {
        let page = number &+ UInt32(truncatingIfNeeded: index)
        let place = pages + index &* pageSize
        if many == nil {
          try seal(page: page, in: place)
        } else {
          try prepare(page: page, in: place)
        }
      }
      if let many, !many.seal(run(number, count, pages)) {
        throw SealError.unsupported(.crypto(function: "dbseal_mb_seal"))
      }
    }
  }

  private func forEachBatch(
    _ first: UInt32, _ count: Int, _ buffer: UnsafeMutableRawPointer,
    _ body: (UInt32, Int, UnsafeMutableRawPointer) throws -> Void
  ) rethrows {
    for start in stride(from: 0, to: max(0, count), by: Self.batch) {
      try body(
        first &+ UInt32(truncatingIfNeeded: start), min(Self.batch, count - start),
        buffer + start &* pageSize)
    }
  }

  private func run(_ first: UInt32, _ count: Int, _ pages: UnsafeMutableRawPointer)
    -> MultiBuffer.Run
  {
    MultiBuffer.Run(
      pages: pages, pageSize: pageSize, usableSize: usableSize, firstStart: start(of: first),
      numbers: (0..<count).map { suffix(first &+ UInt32(truncatingIfNeeded: $0)) })
  }

  /// What each page is. A refusal by the library must not pass for a right tag.
  private func verdicts(_ run: MultiBuffer.Run, _ many: MultiBuffer) -> [PageVerdict] {
    let count = run.numbers.count
    var verdicts = (0..<count).map { index -> PageVerdict in
      isBlank(run.pages + index &* pageSize) ? .blank : .opened
    }
    guard tagLength > 0 else { return verdicts }
    withUnsafeTemporaryAllocation(
      byteCount: count * MultiBuffer.tagStride, alignment: 64
    ) { tags in
      guard let base = tags.baseAddress else { return }
      let isTagged = many.tags(of: run, into: base)
      for index in 0..<count where verdicts[index] == .opened {
        let stored = run.pages + index &* pageSize + usableSize + Self.ivLength
        let isRight = LibCrypto.isEqual(
          base + index &* MultiBuffer.tagStride, stored, count: tagLength)
        if !isTagged || !isRight { verdicts[index] = .forged }
      }
    }
    return verdicts
  }
}
