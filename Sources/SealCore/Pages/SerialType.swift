// The types of values in a record, as far as rows of `sqlite_master` need them
// (sqlite.org/fileformat2.html, section 2.1).

/// What the serial type of a value says of its bytes.
enum SerialType {
  /// Bytes of a value of serial type `serial`; nil for the two that are not used.
  static func length(_ serial: UInt64) -> Int? {
    switch serial {
    case 0, 8, 9: 0
    case 1...4: Int(serial)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: Int(exactly: (serial - 12) / 2)
    }
  }

  /// A value as a page number; nil where SQLite finds none in it: NULL, a fraction, other text.
  static func pageNumber(_ serial: UInt64, _ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32? {
    switch serial {
    case 8: return 0
    case 9: return 1
    case 1...6:
      var value: Int64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
      for byte in bytes { value = value &<< 8 | Int64(byte) }
      return UInt32(exactly: value)
    case 12...: return digits(bytes)
    default: return nil
    }
  }

  /// The number that a text of digits says, as sqlite3GetUInt32; UTF-16 has zero bytes in between.
  private static func digits(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32? {
    let digits = bytes.prefix(64).filter { $0 != 0 }
    guard !digits.isEmpty, bytes.count <= 64 else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, past) = tens.addingReportingOverflow(UInt32(digit - 0x30))
      guard !over, !past else { return nil }
      value = sum
    }
    return value
  }
}
