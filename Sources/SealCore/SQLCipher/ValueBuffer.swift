// Rows as bytes: the form in which contents are digested and compared. Two rows are the same if
// and only if these bytes are. The form is part of what Docs/digest.md promises.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Values one behind the other: a byte for the storage class, then what it holds; numbers as 8
/// bytes, big-endian; texts and blobs with their length before them.
final class ValueBuffer {
  /// A storage class as it stands in the buffer.
  enum Class: UInt8, Sendable {
    case null, integer, real, text, blob
  }

  private var storage: UnsafeMutableRawPointer
  private var capacity = 4096
  private(set) var count = 0

  init() { storage = .allocate(byteCount: capacity, alignment: 16) }

  deinit {
    Secret.wipe(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
    storage.deallocate()
  }

  /// Everything appended; valid until the next change.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage, count: count) }

  /// Starts anew.
  @inline(__always)
  func clear() { count = 0 }

  /// Appends a value.
  func append(_ value: Value) {
    switch value {
    case .null: appendNull()
    case .integer(let number): append(number)
    case .real(let number): append(number)
    case .text(let bytes): bytes.withUnsafeBytes { append(.text, $0) }
    case .blob(let bytes): bytes.withUnsafeBytes { append(.blob, $0) }
    }
  }

  @inline(__always)
  func append(_ number: Int64) { append(.integer, UInt64(bitPattern: number)) }

  @inline(__always)
  func append(_ number: Double) { append(.real, number.bitPattern) }

  @inline(__always)
  func appendNull() {
    reserve(1)
    storage.storeBytes(of: Class.null.rawValue, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Appends a text or blob.
  @inline(__always)
  func append(_ kind: Class, _ bytes: UnsafeRawBufferPointer) {
    append(kind, UInt64(truncatingIfNeeded: bytes.count))
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).copyMemory(from: start, byteCount: bytes.count)
    count &+= bytes.count
  }

  @inline(__always)
  private func append(_ kind: Class, _ number: UInt64) {
    reserve(9)
    storage.storeBytes(of: kind.rawValue, toByteOffset: count, as: UInt8.self)
    storage.storeBytes(of: number.bigEndian, toByteOffset: count &+ 1, as: UInt64.self)
    count &+= 9
  }

  @inline(__always)
  private func reserve(_ more: Int) {
    if more > capacity &- count { grow(by: more) }
  }

  @inline(never)
  private func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    new.copyMemory(from: storage, byteCount: count)
    Secret.wipe(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
    storage.deallocate()
    storage = new
    capacity = larger
  }

  /// Whether both hold the same values.
  @inline(__always)
  func isEqual(to other: ValueBuffer) -> Bool {
    count == other.count && memcmp(storage, other.storage, count) == 0
  }

  /// The value that starts at `offset`: its class, its bytes without class and length, and where
  /// the next one starts; nil at the end.
  func value(at offset: Int) -> (kind: Class, body: UnsafeRawBufferPointer, next: Int)? {
    guard offset < count, let kind = Class(rawValue: bytes[offset]) else { return nil }
    var body = offset + 1
    var length = kind == .null ? 0 : 8
    if kind == .text || kind == .blob {
      guard count - body >= 8 else { return nil }
      let stored = UInt64(
        bigEndian: bytes.loadUnaligned(fromByteOffset: body, as: UInt64.self))
      guard let number = Int(exactly: stored) else { return nil }
      length = number
      body += 8
    }
    guard length <= count - body else { return nil }
    return (kind, UnsafeRawBufferPointer(rebasing: bytes[body...].prefix(length)), body + length)
  }
}
