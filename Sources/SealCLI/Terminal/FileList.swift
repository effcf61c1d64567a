// A list of names of databases: one a line, or each with a NUL at its end. Names are bytes: nothing in
// them is a comment, a quote or a pattern, and no blank is cut off.

internal import SealCore

/// Reads `--files-from`.
enum FileList {
  /// The longest list, in bytes.
  static let limit = 64 << 20
  /// The most names of a list: each is a task in memory.
  static let nameLimit = 500_000
  /// The longest name, in bytes: PATH_MAX of Linux, and more than macOS takes.
  static let nameLength = 4096

  /// The command with the names of its list as operands, where it has one. Throws `UsageFlaw` and
  /// `SealError`.
  static func named(in parsed: ParsedCommand, _ session: Session) throws -> ParsedCommand {
    guard let list = parsed.text(Options.filesFrom) else { return parsed }
    if list == "-" { try requireFreeInput(parsed, session) }
    var whole = parsed
    let title = list == "-" ? "standard input" : list
    let bytes = try read(list, title, session.cancellation)
    if bytes.withUnsafeBytes(KeyText.database) != nil { throw UsageFlaw.list(title, .database) }
    whole.operands =
      parsed.has(Options.null) ? try ended(bytes, title) : try lines(bytes, title)
    guard !whole.operands.isEmpty else { throw UsageFlaw.list(title, .empty) }
    // A file of keys in the place of a list: what stands in it is not repeated. Where the databases are
    // made now, or were finished by an earlier run and removed, there may be none.
    let mayBeGone = parsed.has(SchemaOptions.create) || parsed.has(Options.resume)
    if !mayBeGone, whole.operands.allSatisfy(SourceCheck.isMissing) {
      throw UsageFlaw.list(title, .noFile(whole.operands.count))
    }
    return whole
  }

  /// Throws where a variable says that a key comes from standard input, too.
  private static func requireFreeInput(_ parsed: ParsedCommand, _ session: Session) throws {
    for set in KeyOptions.sets where parsed.command.options.contains(set.file) {
      let selection = set.selection(from: parsed)
      let name = set.variable + "_FILE"
      guard !selection.isNamed, let value = session.keys.surroundings.variable(name),
        value.withBytes({ $0.elementsEqual([UInt8(ascii: "-")]) })
      else { continue }
      throw UsageFlaw.exclusive(
        "$" + name, Options.filesFrom.flag, because: "both would be read from standard input")
    }
  }

  private static func read(_ path: String, _ title: String, _ cancellation: Cancellation) throws
    -> [UInt8]
  {
    do {
      let bytes =
        path == "-"
        ? try BoundedRead.plain(0, limit: limit, cancellation: cancellation)
        : try BoundedRead.file(path, limit: limit, cancellation: cancellation)
      guard let bytes else { throw UsageFlaw.list(title, .tooLong(limit: limit)) }
      return bytes
    } catch let failure as BoundedRead.Failure {
      throw SealError.io(IOFailure(.read, path: title, errno: failure.errno))
    }
  }

  /// Names that end with NUL; the last one may end with the list.
  static func ended(_ bytes: [UInt8], _ title: String) throws(UsageFlaw) -> [String] {
    var names: [String] = []
    try forEach(bytes[...], endedBy: 0) { (part, _) throws(UsageFlaw) in
      try add(part, names.count + 1, to: &names, title)
    }
    return names
  }

  /// Names on lines.
  static func lines(_ bytes: [UInt8], _ title: String) throws(UsageFlaw) -> [String] {
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      throw .list(title, .utf16)
    }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    let hasReturns = try hasReturns(text, title)
    var names: [String] = []
    try forEach(text, endedBy: 0x0a) { (line, number) throws(UsageFlaw) in
      let part = hasReturns ? line.dropLast() : line
      if part.contains(0) { throw .list(title, .nul(line: number)) }
      try add(part, number, to: &names, title)
    }
    return names
  }

  /// Whether the lines end in CRLF; an error where some do and others do not.
  private static func hasReturns(_ text: ArraySlice<UInt8>, _ title: String) throws(UsageFlaw)
    -> Bool
  {
    var first: Int?
    var others = false
    try forEach(text, endedBy: 0x0a) { (line, number) throws(UsageFlaw) in
      if line.last == 0x0d { first = first ?? number } else { others = true }
    }
    if let first, others { throw .list(title, .carriageReturn(line: first)) }
    return first != nil
  }

  /// Calls `body` with each part that is not empty, and its number; nothing is kept of what is passed.
  private static func forEach(
    _ bytes: ArraySlice<UInt8>, endedBy end: UInt8,
    _ body: (ArraySlice<UInt8>, Int) throws(UsageFlaw) -> Void
  ) throws(UsageFlaw) {
    var rest = bytes
    var number = 0
    while !rest.isEmpty {
      number += 1
      let part = rest.prefix { $0 != end }
      rest = rest.dropFirst(part.count + 1)
      if !part.isEmpty { try body(part, number) }
    }
  }

  private static func add(
    _ bytes: ArraySlice<UInt8>, _ number: Int, to names: inout [String], _ title: String
  ) throws(UsageFlaw) {
    guard !bytes.isEmpty else { return }
    guard bytes.count <= nameLength else {
      throw .list(title, .longName(number, limit: nameLength))
    }
    guard names.count < nameLimit else { throw .list(title, .tooMany(limit: nameLimit)) }
    names.append(try name(bytes, number, title))
  }

  private static func name(_ bytes: ArraySlice<UInt8>, _ number: Int, _ title: String)
    throws(UsageFlaw) -> String
  {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let shown = Arguments.escaped(Array(bytes))
      throw .list(title, .notUTF8(number, KeyArguments.isRepeatable(path: shown) ? shown : nil))
    }
    // A key file in the place of a list: what stands in it is not repeated.
    if KeyArguments.looksRaw(text) { throw .list(title, .key(number)) }
    return text
  }
}
