// A sum over decoded pages that does not care for their order, to prove that an output's pages are what
// was given to be written: where pages keep their places, and where they have no tags and the digest of
// records does not see what stands between them. It is against accidents: one changed bit always
// changes it, two pages in each other's place do.

/// The sum of some pages with their numbers.
struct PageSum: Sendable, Equatable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// Adds page `number`; `count` is a multiple of 32.
  mutating func add(_ number: UInt32, _ page: UnsafeRawPointer, _ count: Int) {
    let seed = (UInt64(number) &+ 1) &* Self.factor
    var (a, b, c, d) = (seed, seed ^ 0x55, seed ^ 0xaa, ~seed)
    // Each step is one to one, so a difference once made stays; four of them run side by side.
    for offset in stride(from: 0, to: count, by: 32) {
      a = (a ^ page.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* Self.factor
      b = (b ^ page.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)) &* Self.factor
      c = (c ^ page.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)) &* Self.factor
      d = (d ^ page.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self)) &* Self.factor
    }
    first &+= a &+ b.byteSwapped &+ c ^ (d >> 7)
    second &+= (a ^ b &+ c &* Self.factor) &+ d.byteSwapped
  }

  /// Adds another sum.
  mutating func add(_ other: PageSum) {
    first &+= other.first
    second &+= other.second
  }
}
