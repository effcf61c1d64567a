// The one value of a database that a new layout must change: the root page number in each row of
// `sqlite_master`. The rest of the record stays byte for byte; no SQL is parsed.

/// Where the root page number stands in a row of `sqlite_master`.
struct SchemaRecord: Equatable {
  /// The column of the root page, counted from 0: type, name, tbl_name, rootpage, sql.
  private static let column = 3

  /// The root page; 0 where the row has no tree (views, triggers, virtual tables).
  private(set) var root: UInt32 = 0
  private var headerStart = 0
  private var headerEnd = 0
  private var type = 0..<0
  private var value = 0..<0

  /// Understands a record; nil where it cannot be a row of `sqlite_master`.
  init?(_ payload: UnsafeRawBufferPointer) {
    guard let header = Varint.read(payload, at: 0),
      let size = Int(exactly: header.value), size >= header.length, size <= payload.count
    else { return nil }
    headerStart = header.length
    headerEnd = size
    let head = UnsafeRawBufferPointer(rebasing: payload[..<size])
    var place = header.length
    var body = size
    for column in 0...Self.column {
      guard let serial = Varint.read(head, at: place), let length = Self.length(serial.value),
        length <= payload.count - body
      else { return nil }
      if column == Self.column {
        type = place..<(place + serial.length)
        value = body..<(body + length)
        guard let root = Self.number(serial.value, payload[value]) else { return nil }
        self.root = root
      }
      place += serial.length
      body += length
    }
  }

  /// The record with `root` in place of its root page.
  func replacingRoot(in payload: UnsafeRawBufferPointer, with root: UInt32) -> [UInt8] {
    let (serial, bytes) = Self.encode(root)
    let inner = headerEnd - headerStart - type.count + 1
    var size = inner + 1
    while size != inner + Varint.length(UInt64(size)) {
      size = inner + Varint.length(UInt64(size))
    }
    var record = Varint.bytes(UInt64(size))
    record.reserveCapacity(payload.count + 16)
    record += payload[headerStart..<type.lowerBound]
    record.append(serial)
    record += payload[type.upperBound..<value.lowerBound]
    record += bytes
    record += payload[value.upperBound...]
    return record
  }

  /// Bytes of a value of serial type `serial`; nil for the two that are not used.
  private static func length(_ serial: UInt64) -> Int? {
    switch serial {
    case 0, 8, 9: 0
    case 1...4: Int(serial)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: Int(exactly: (serial - 12) / 2)
    }
  }

  /// A value as a page number, NULL as 0; nil where it is none.
  private static func number(_ serial: UInt64, _ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32? {
    switch serial {
    case 0, 8: return 0
    case 9: return 1
    case 1...6:
      var value: Int64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
      for byte in bytes { value = value &<< 8 | Int64(byte) }
      return UInt32(exactly: value)
    default: return nil
    }
  }

  /// The shortest serial type that holds `root`, and its bytes.
  private static func encode(_ root: UInt32) -> (UInt8, [UInt8]) {
    let length: Int
    switch root {
    case 0...0x7f: length = 1
    case ...0x7fff: length = 2
    case ...0x7f_ffff: length = 3
    case ...0x7fff_ffff: length = 4
    default: length = 6
    }
    let bytes = (0..<length).reversed().map { UInt8(truncatingIfNeeded: UInt64(root) >> (8 * $0)) }
    return (length == 6 ? 5 : UInt8(length), bytes)
  }
}
