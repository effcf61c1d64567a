// One bit a page: which pages of a database were met. Every walk marks the pages that it uses, so
// that cycles and pages with two owners show themselves, whatever a hostile file claims. Memory
// follows the pages that were met, not the number that a file claims to have.

/// A set of page numbers from 1 to `count`.
final class PageBitmap {
  let count: UInt32
  /// Bits of a block of `blockPages` pages; nil while none of them is in the set.
  private let blocks: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>?>
  private let blockCount: Int
  private static let blockPages: UInt32 = 1 << 15
  private static let blockWords = Int(blockPages / 64)

  init(count: UInt32) {
    self.count = count
    blockCount = Int(count / Self.blockPages) + 1
    blocks = .allocate(capacity: blockCount)
    blocks.initialize(repeating: nil, count: blockCount)
  }

  deinit {
    for index in 0..<blockCount { blocks[index]?.deallocate() }
    blocks.deallocate()
  }

  /// The same set, which goes its own way from now on.
  func copy() -> PageBitmap {
    let copy = PageBitmap(count: count)
    for index in 0..<blockCount {
      guard let block = blocks[index] else { continue }
      let words = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.blockWords)
      words.initialize(from: block, count: Self.blockWords)
      copy.blocks[index] = words
    }
    return copy
  }

  /// Adds `number`. False where it was there already; numbers outside count as there.
  func insert(_ number: UInt32) -> Bool {
    guard number >= 1, number <= count else { return false }
    let word = words(of: number) + Int(number % Self.blockPages / 64)
    let bit: UInt64 = 1 &<< UInt64(number % 64)
    guard word.pointee & bit == 0 else { return false }
    word.pointee |= bit
    return true
  }

  /// The block of `number`, made where there is none yet.
  private func words(of number: UInt32) -> UnsafeMutablePointer<UInt64> {
    let index = Int(number / Self.blockPages)
    if let block = blocks[index] { return block }
    let block = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.blockWords)
    block.initialize(repeating: 0, count: Self.blockWords)
    blocks[index] = block
    return block
  }

  func contains(_ number: UInt32) -> Bool {
    guard number >= 1, number <= count, let block = blocks[Int(number / Self.blockPages)] else {
      return false
    }
    return block[Int(number % Self.blockPages / 64)] & (1 &<< UInt64(number % 64)) != 0
  }

  /// The last page up to which, from `number` on, none is in the set, as far as that is known at once:
  /// to the end of a block. nil where the block of `number` holds a page, or lies outside.
  func emptyEnd(from number: UInt32) -> UInt32? {
    guard number >= 1, number <= count else { return nil }
    let block = number / Self.blockPages
    guard blocks[Int(block)] == nil else { return nil }
    return min(count, block * Self.blockPages + (Self.blockPages - 1))
  }

  /// How many pages it holds.
  var cardinality: Int {
    (0..<blockCount).reduce(0) { sum, index in
      guard let block = blocks[index] else { return sum }
      return (0..<Self.blockWords).reduce(sum) { $0 + block[$1].nonzeroBitCount }
    }
  }
}
