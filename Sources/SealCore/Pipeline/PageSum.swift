// A sum over decoded pages that does not care for their order, to prove that an output's pages are what
// was given to be written: where pages keep their places, and where they have no tags and the digest of
// records does not see what stands between them. Each page is hashed with its number under a random key of
// the run: NH of its blocks (BlockHash.swift), one multiplication more for each, and one for the number.
// Whatever differs, in one page or in several, the sums agree with a chance of about 2^-60.

/// The sum of some pages with their numbers, as one `PageSummer` makes it.
struct PageSum: Sendable, Equatable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0

  init() {}

  fileprivate init(_ first: UInt64, _ second: UInt64) {
    (self.first, self.second) = (first, second)
  }

  /// Adds another sum.
  @inline(__always)
  mutating func add(_ other: PageSum) {
    first &+= other.first
    second &+= other.second
  }
}

/// Makes sums of pages under one key. Safe for concurrent callers.
final class PageSummer: @unchecked Sendable {
  private let blockKey: BlockKey
  /// Behind the key of the blocks: odd factors for their hashes, and what is added to these at the end.
  private let factors: (low: UInt64, high: UInt64)
  private let starts: (low: UInt64, high: UInt64)

  /// `key`: `StreamDigest.keyLength` bytes.
  init(key: Secret) {
    let words = key.withBytes { bytes in
      (0..<4).map { index in
        bytes.count >= 8 * (index + 1)
          ? bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) : 0
      }
    }
    factors = (words[0] | 1, words[1] | 1)
    starts = (words[2], words[3])
    blockKey = BlockKey(endOf: key)
  }

  /// The sum of page `number` alone; `count` is a multiple of 16.
  func sum(_ number: UInt32, _ page: UnsafeRawPointer, _ count: Int) -> PageSum {
    var block = BlockHash(key: blockKey.start)
    var (low, high) = (UInt64(0), UInt64(0))
    var place = 0
    while place < count {
      let share = block.share(of: count &- place)
      guard share > 0 else { break }
      block.add(page + place, share)
      let hash = block.finish()
      low = low &* factors.low &+ hash.low
      high = high &* factors.high &+ hash.high
      place &+= share
    }
    // The number goes into both factors, so that two pages in each other's place make another sum.
    let number = UInt64(number)
    let product = (low &+ starts.low &+ number &* 0x9e37_79b9_7f4a_7c15)
      .multipliedFullWidth(by: high &+ starts.high &+ number &* 0xc2b2_ae3d_27d4_eb4f)
    return PageSum(product.low, product.high)
  }
}
