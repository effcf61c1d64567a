// A list of names of databases: one a line, or each with a NUL at its end. Names are bytes: nothing in
// them is a comment, a quote or a pattern, and no blank is cut off.

internal import SealCore

/// Reads `--files-from`.
enum FileList {
  /// The longest list.
  static let limit = 64 << 20

  /// The command with the names of its list as operands, where it has one. Throws `UsageFlaw` and
  /// `SealError`.
  static func named(in parsed: ParsedCommand, _ session: Session) throws -> ParsedCommand {
    guard let list = parsed.text(Options.filesFrom) else { return parsed }
    if list == "-" { try requireFreeInput(parsed, session) }
    var whole = parsed
    let title = list == "-" ? "standard input" : list
    let bytes = try read(list, title, session.cancellation)
    whole.operands =
      parsed.has(Options.null) ? try ended(bytes, title) : try lines(bytes, title)
    guard !whole.operands.isEmpty else { throw UsageFlaw.list(title, .empty) }
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
    for part in bytes.split(separator: 0) {
      names.append(try name(part, names.count + 1, title))
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
    let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
    let filled = lines.enumerated().filter { !$0.element.isEmpty }
    let returns = filled.filter { $0.element.last == 0x0d }
    if let first = returns.first, returns.count < filled.count {
      throw .list(title, .carriageReturn(line: first.offset + 1))
    }
    var names: [String] = []
    for (index, line) in filled {
      let part = returns.isEmpty ? line : line.dropLast()
      if part.contains(0) { throw .list(title, .nul(line: index + 1)) }
      if !part.isEmpty { names.append(try name(part, index + 1, title)) }
    }
    return names
  }

  private static func name(_ bytes: ArraySlice<UInt8>, _ number: Int, _ title: String)
    throws(UsageFlaw) -> String
  {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .list(title, .notUTF8(number, Arguments.escaped(Array(bytes))))
    }
    // A key file in the place of a list: what stands in it is not repeated.
    if KeyArguments.looksRaw(text) { throw .list(title, .key(number)) }
    return text
  }
}
