// What a row of `sqlite_master` calls a tree: enough to say whose a page is, or how many rows a
// table has, without asking an engine that may not understand the schema.

/// One row of `sqlite_master`, as far as it names something.
struct SchemaEntry: Sendable, Equatable {
  /// `table`, `index`, `view` or `trigger`.
  var type: String
  var name: String
  /// The table that it belongs to.
  var table: String
  /// 0 where there is no tree.
  var root: UInt32
  /// The SQL text; nil for automatic indexes, and where it is not all there.
  var sql: String?

  /// Reads a row's payload, or as much of one as is there; nil where the name is not. `encoding` is
  /// the header's.
  init?(_ payload: UnsafeRawBufferPointer, encoding: UInt32) {
    guard let header = Varint.read(payload, at: 0), let size = Int(exactly: header.value),
      size >= header.length, size <= payload.count
    else { return nil }
    let head = UnsafeRawBufferPointer(rebasing: payload[..<size])
    var place = header.length
    var body = size
    var texts: [String?] = []
    root = 0
    for column in 0..<5 {
      guard let serial = Varint.read(head, at: place), let length = SerialType.length(serial.value),
        length <= payload.count - body
      else { break }
      place += serial.length
      let value = payload[body..<(body + length)]
      let isText = serial.value >= 13 && serial.value % 2 == 1
      texts.append(
        isText ? Self.text(UnsafeRawBufferPointer(rebasing: value), encoding) : nil)
      if column == 3 { root = SerialType.pageNumber(serial.value, value) ?? 0 }
      body += length
    }
    guard texts.count >= 2, let type = texts[0], let name = texts[1] else { return nil }
    self.type = type
    self.name = name
    table = (texts.count > 2 ? texts[2] : nil) ?? name
    sql = texts.count > 4 ? texts[4] : nil
  }

  private init(type: String, name: String, root: UInt32) {
    self.type = type
    self.name = name
    table = name
    self.root = root
  }

  /// The table that holds the schema itself.
  static let schema = SchemaEntry(type: "table", name: "sqlite_master", root: 1)

  private static func text(_ bytes: UnsafeRawBufferPointer, _ encoding: UInt32) -> String {
    guard encoding == 2 || encoding == 3 else { return String(decoding: bytes, as: UTF8.self) }
    let units = (0..<(bytes.count / 2)).map { index in
      let (a, b) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
      return encoding == 2 ? b << 8 | a : a << 8 | b
    }
    return String(decoding: units, as: UTF16.self)
  }
}
