// The multi-buffer library as the page codec calls it: one database's keys, and runs of pages.

internal import CMultiBuffer

/// Keys in the form that the multi-buffer library wants. For one thread at a time.
final class MultiBuffer {
  /// Bytes from one tag to the next in what `tags` answers.
  static let tagStride = 64

  private let context: OpaquePointer

  /// nil where the library cannot be used.
  init?(keys: PageKeys, hash: HashAlgorithm?) {
    let algorithm: dbseal_mb_hash =
      switch hash {
      case nil: DBSEAL_MB_NONE
      case .sha1: DBSEAL_MB_SHA1
      case .sha256: DBSEAL_MB_SHA256
      case .sha512: DBSEAL_MB_SHA512
      }
    let made = keys.encryption.withBytes { key in
      guard key.count == 32 else { return OpaquePointer?.none }
      guard let hmac = keys.hmac else {
        return hash == nil ? dbseal_mb_new(key.baseAddress, nil, 0, algorithm) : nil
      }
      return hmac.withBytes {
        dbseal_mb_new(key.baseAddress, $0.baseAddress, Int32(clamping: $0.count), algorithm)
      }
    }
    guard let made else { return nil }
    context = made
  }

  deinit { dbseal_mb_free(context) }

  /// Consecutive pages in memory.
  struct Run {
    let pages: UnsafeMutableRawPointer
    let pageSize: Int
    let usableSize: Int
    /// Bytes at the start of the first page that are not encrypted.
    let firstStart: Int
    /// The number of each page, as the four bytes in memory that its tag covers.
    let numbers: [UInt32]
  }

  /// Encrypts and tags the pages; their IVs stand in them. False where the library refused, and
  /// then the pages are of no use any more.
  func seal(_ run: Run) -> Bool {
    withRun(run) { dbseal_mb_seal(context, $0) == 1 }
  }

  /// Writes the tag that each page should have to `tags`, `tagStride` apart. The pages are as
  /// before afterwards.
  func tags(of run: Run, into tags: UnsafeMutableRawPointer) -> Bool {
    withRun(run) {
      dbseal_mb_tags(context, $0, tags.assumingMemoryBound(to: UInt8.self)) == 1
    }
  }

  /// Decrypts the pages whose byte in `wanted` is not 0.
  func decrypt(_ run: Run, where wanted: [UInt8]) -> Bool {
    wanted.count == run.numbers.count
      && withRun(run) { dbseal_mb_decrypt(context, $0, wanted) == 1 }
  }

  private func withRun(_ run: Run, _ body: (UnsafePointer<dbseal_mb_run>) -> Bool) -> Bool {
    run.numbers.withUnsafeBufferPointer { numbers in
      guard let first = numbers.baseAddress,
        let pageSize = UInt32(exactly: run.pageSize), let usable = UInt32(exactly: run.usableSize),
        let start = UInt32(exactly: run.firstStart), start <= usable
      else { return false }
      var described = dbseal_mb_run(
        pages: run.pages.assumingMemoryBound(to: UInt8.self), page_size: pageSize,
        usable: usable, count: UInt32(clamping: numbers.count), first_start: start, numbers: first)
      return withUnsafePointer(to: &described, body)
    }
  }
}
