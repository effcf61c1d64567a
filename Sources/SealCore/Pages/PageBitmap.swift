// One bit a page: which pages of a database were met. Every walk marks the pages that it uses, so
// that cycles and pages with two owners show themselves, whatever a hostile file claims. Memory
// follows the pages that were met, not the number that a file claims to have.

/// A set of page numbers from 1 to `count`.
final class PageBitmap {
  let count: UInt32
  /// Bits of a block of `blockPages` pages; nil while none of them is in the set.
  private var blocks: [[UInt64]?]
  private static let blockPages: UInt32 = 1 << 15
  private static let blockWords = Int(blockPages / 64)

  init(count: UInt32) {
    self.count = count
    blocks = Array(repeating: nil, count: Int(count / Self.blockPages) + 1)
  }

  /// The same set, which goes its own way from now on.
  func copy() -> PageBitmap {
    let copy = PageBitmap(count: count)
    copy.blocks = blocks
    return copy
  }

  /// Adds `number`. False where it was there already; numbers outside count as there.
  func insert(_ number: UInt32) -> Bool {
    guard number >= 1, number <= count else { return false }
    let block = Int(number / Self.blockPages)
    let word = Int(number % Self.blockPages / 64)
    let bit: UInt64 = 1 &<< UInt64(number % 64)
    guard let known = blocks[block]?[word] else {
      var words = [UInt64](repeating: 0, count: Self.blockWords)
      words[word] = bit
      blocks[block] = words
      return true
    }
    guard known & bit == 0 else { return false }
    blocks[block]?[word] = known | bit
    return true
  }

  func contains(_ number: UInt32) -> Bool {
    guard number >= 1, number <= count else { return false }
    let words = blocks[Int(number / Self.blockPages)]
    let bit: UInt64 = 1 &<< UInt64(number % 64)
    return (words?[Int(number % Self.blockPages / 64)] ?? 0) & bit != 0
  }

  /// How many pages it holds.
  var cardinality: Int {
    blocks.reduce(0) { $0 + ($1?.reduce(0) { $0 + $1.nonzeroBitCount } ?? 0) }
  }
}
