// SQLite's variable-length integers and the big-endian numbers of its pages, read and written
// through raw pointers. Callers see to it that the bytes may be read: nothing is checked here
// except where a function takes a limit.

/// SQLite's varint: 1 to 9 bytes, seven bits each, the ninth byte whole.
enum Varint {
  /// The longest one, in bytes.
  static let maxLength = 9

  /// Reads one. Up to 9 bytes at `bytes` must be readable.
  @inline(__always)
  static func read(_ bytes: UnsafeRawPointer) -> (value: UInt64, length: Int) {
    let first = bytes.load(as: UInt8.self)
    if first < 0x80 { return (UInt64(first), 1) }
    let second = bytes.load(fromByteOffset: 1, as: UInt8.self)
    if second < 0x80 { return (UInt64(first & 0x7f) &<< 7 | UInt64(second), 2) }
    return readLong(bytes)
  }

  @inline(never)
  private static func readLong(_ bytes: UnsafeRawPointer) -> (value: UInt64, length: Int) {
    var value: UInt64 = 0
    for i in 0..<8 {
      let byte = bytes.load(fromByteOffset: i, as: UInt8.self)
      value = value &<< 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, i &+ 1) }
    }
    return (value &<< 8 | UInt64(bytes.load(fromByteOffset: 8, as: UInt8.self)), 9)
  }

  /// Reads the one at `offset`; nil where it leaves `bytes`.
  static func read(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> (value: UInt64, length: Int)?
  {
    var value: UInt64 = 0
    for i in 0..<maxLength {
      let (place, over) = offset.addingReportingOverflow(i)
      guard !over, place >= 0, place < bytes.count else { return nil }
      let byte = bytes[place]
      if i == 8 { return (value &<< 8 | UInt64(byte), 9) }
      value = value &<< 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, i &+ 1) }
    }
    return nil
  }

  /// Bytes that `value` needs.
  static func length(_ value: UInt64) -> Int {
    if value >= 1 &<< 56 { return 9 }
    var length = 1
    var rest = value >> 7
    while rest != 0 {
      length &+= 1
      rest >>= 7
    }
    return length
  }

  /// Writes `value` in as few bytes as it needs, at most 9, and returns their number.
  @discardableResult
  static func write(_ value: UInt64, to bytes: UnsafeMutableRawPointer) -> Int {
    let count = length(value)
    var rest = value
    var i = count &- 1
    if count == 9 {
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: 8, as: UInt8.self)
      rest >>= 8
      i = 7
    }
    let last = count == 9 ? -1 : i
    while i >= 0 {
      let more: UInt8 = i == last ? 0 : 0x80
      let byte = UInt8(truncatingIfNeeded: rest & 0x7f) | more
      bytes.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
      rest >>= 7
      i &-= 1
    }
    return count
  }

  /// `value` as bytes.
  static func bytes(_ value: UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: maxLength) { buffer, count in
      count = buffer.baseAddress.map { write(value, to: UnsafeMutableRawPointer($0)) } ?? 0
    }
  }
}

extension UnsafeRawPointer {
  /// The byte at `offset`.
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }

  /// The 2-byte big-endian number at `offset`.
  @inline(__always)
  func big16(_ offset: Int) -> Int {
    Int(UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  /// The 4-byte big-endian number at `offset`.
  @inline(__always)
  func big32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

extension UnsafeMutableRawPointer {
  /// Writes the low 16 bits of `value` big-endian at `offset`.
  @inline(__always)
  func storeBig16(_ value: Int, _ offset: Int) {
    storeBytes(
      of: UInt16(truncatingIfNeeded: value).bigEndian, toByteOffset: offset, as: UInt16.self)
  }

  /// Writes `value` big-endian at `offset`.
  @inline(__always)
  func storeBig32(_ value: UInt32, _ offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
  }
}
