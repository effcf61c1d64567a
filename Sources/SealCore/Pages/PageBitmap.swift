// One bit a page: which pages of a database were met. Every walk marks the pages that it uses, so
// that cycles and pages with two owners show themselves, whatever a hostile file claims.

/// A set of page numbers from 1 to `count`.
final class PageBitmap {
  let count: UInt32
  private var words: [UInt64]

  init(count: UInt32) {
    self.count = count
    words = Array(repeating: 0, count: Int(count / 64) + 1)
  }

  /// Adds `number`. False where it was there already; numbers outside count as there.
  func insert(_ number: UInt32) -> Bool {
    guard number >= 1, number <= count else { return false }
    let bit: UInt64 = 1 &<< UInt64(number % 64)
    let word = Int(number / 64)
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    return true
  }

  func contains(_ number: UInt32) -> Bool {
    guard number >= 1, number <= count else { return false }
    return words[Int(number / 64)] & (1 &<< UInt64(number % 64)) != 0
  }

  /// How many pages it holds.
  var cardinality: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
