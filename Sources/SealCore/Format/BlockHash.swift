// NH, the hash that UMAC and VMAC begin with: two words and two words of the key make one product, and
// the products are added. Two different blocks of one length have the same sum with a chance of 2^-64,
// for a random key that nobody knows (Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC: Fast and Secure
// Message Authentication", 1999; with words of 64 bits: Krovetz, Dai, draft-krovetz-vmac-01). It costs
// a fraction of what any MAC does, and makes 16 bytes of 1024.

/// The key of NH: the last `BlockHash.blockLength` bytes of a secret, aligned to words, wiped on release.
final class BlockKey: @unchecked Sendable {
  let start: UnsafeRawPointer
  private let bytes: UnsafeMutableRawPointer
  private var all: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: bytes, count: BlockHash.blockLength)
  }

  /// Bytes that `secret` lacks are zeros.
  init(endOf secret: Secret) {
    bytes = .allocate(byteCount: BlockHash.blockLength, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: BlockHash.blockLength)
    start = UnsafeRawPointer(bytes)
    secret.withBytes { all.copyBytes(from: $0.suffix(BlockHash.blockLength)) }
  }

  deinit {
    Secret.wipe(all)
    bytes.deallocate()
  }
}

/// NH of one block after another.
struct BlockHash {
  /// Bytes of a block, and of the key.
  static let blockLength = 1024

  /// `blockLength` random bytes, aligned to words.
  let key: UnsafeRawPointer
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  /// Bytes of this block that were added.
  private(set) var count = 0

  init(key: UnsafeRawPointer) { self.key = key }

  /// How much of `left` bytes this block still takes, in whole pairs of words.
  @inline(__always)
  func share(of left: Int) -> Int { min(left & ~15, Self.blockLength &- count) }

  /// Adds `length` bytes: a multiple of 16, and no more than `share` says.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawPointer, _ length: Int) {
    let key = key + count
    count &+= length
    var (low, high, otherLow, otherHigh) = (low, high, UInt64(0), UInt64(0))
    var place = 0
    while place &+ 32 <= length {
      Self.add(bytes + place, key + place, &low, &high)
      Self.add(bytes + (place &+ 16), key + (place &+ 16), &otherLow, &otherHigh)
      place &+= 32
    }
    if place < length { Self.add(bytes + place, key + place, &low, &high) }
    let (sum, carry) = low.addingReportingOverflow(otherLow)
    self.low = sum
    self.high = high &+ otherHigh &+ (carry ? 1 : 0)
  }

  /// Adds the last 1 to 15 bytes of a block as if zeros followed; what follows must be readable, 16
  /// bytes with them.
  @inline(__always)
  mutating func addEnd(_ bytes: UnsafeRawPointer, _ length: Int) {
    let kept = ~UInt64(0)
    let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    // Shifted by 64 or more, nothing is left.
    let firstMask = ~(kept << (8 &* length))
    let secondMask = ~(kept << (8 &* max(0, length &- 8)))
    Self.add(
      (first & firstMask).littleEndian, (second & secondMask).littleEndian, key + count, &low,
      &high)
    count &+= 16
  }

  /// The hash of the block; the next one begins.
  @inline(__always)
  mutating func finish() -> (low: UInt64, high: UInt64) {
    defer { (low, high, count) = (0, 0, 0) }
    return (low, high)
  }

  @inline(__always)
  private static func add(
    _ bytes: UnsafeRawPointer, _ key: UnsafeRawPointer, _ low: inout UInt64, _ high: inout UInt64
  ) {
    add(
      bytes.loadUnaligned(as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self), key, &low, &high)
  }

  @inline(__always)
  private static func add(
    _ first: UInt64, _ second: UInt64, _ key: UnsafeRawPointer, _ low: inout UInt64,
    _ high: inout UInt64
  ) {
    let product = (first &+ key.load(as: UInt64.self))
      .multipliedFullWidth(by: second &+ key.load(fromByteOffset: 8, as: UInt64.self))
    let (sum, carry) = low.addingReportingOverflow(product.low)
    low = sum
    high = high &+ product.high &+ (carry ? 1 : 0)
  }
}
