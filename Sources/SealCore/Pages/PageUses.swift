// The uses of all pages, a byte each, in memory that follows the pages that something leads to and
// not the number that a file claims to have.

/// What a page is used for.
public enum PageUse: UInt8, Sendable, CaseIterable {
  /// No tree and no list leads to it.
  case unused
  case tableLeaf, tableInterior, indexLeaf, indexInterior, overflow
  case freeTrunk, freeLeaf
  case pointerMap, lockByte
  case damaged
  /// Nothing that could be read leads to it, and something could not be read.
  case unreached
}

/// The use of each page of a database.
public struct PageUses: Sendable {
  /// Pages with the same use, one after another, by number.
  public struct Run: Sendable, Equatable {
    public var first: UInt32
    public var last: UInt32
    public var use: PageUse
  }

  /// What the pages are that nothing was found to lead to: unused, or behind damage.
  var rest = PageUse.unused
  /// Number of pages; they are numbered from 1.
  public let count: UInt32
  /// Uses of `blockPages` pages; nil where all of them are unused.
  private var blocks: [[PageUse]?]
  private static let blockPages: UInt32 = 1 << 15

  init(count: UInt32) {
    self.count = count
    blocks = Array(repeating: nil, count: Int(count / Self.blockPages) + 1)
  }

  /// The use of page `number`; unused outside.
  subscript(number: UInt32) -> PageUse {
    get {
      guard number >= 1, number <= count else { return .unused }
      let index = number - 1
      return blocks[Int(index / Self.blockPages)]?[Int(index % Self.blockPages)] ?? .unused
    }
    set {
      guard number >= 1, number <= count else { return }
      let index = number - 1
      let block = Int(index / Self.blockPages)
      if blocks[block] == nil {
        blocks[block] = Array(repeating: .unused, count: Int(Self.blockPages))
      }
      blocks[block]?[Int(index % Self.blockPages)] = newValue
    }
  }

  /// Gives all pages to `body` as runs, in ascending order.
  public func forEachRun(_ body: (Run) -> Void) {
    guard count > 0 else { return }
    var run = Run(first: 1, last: 1, use: self[1] == .unused ? rest : self[1])
    func take(_ number: UInt32, _ last: UInt32, _ found: PageUse) {
      let use = found == .unused ? rest : found
      if use == run.use {
        run.last = last
      } else {
        body(run)
        run = Run(first: number, last: last, use: use)
      }
    }
    for (index, block) in blocks.enumerated() {
      let first = UInt32(index) * Self.blockPages + 1
      guard first <= count else { break }
      let last = min(count - first, Self.blockPages - 1) + first
      guard let block else {
        take(first, last, .unused)
        continue
      }
      for number in first...last { take(number, number, block[Int(number - first)]) }
    }
    body(run)
  }
}
