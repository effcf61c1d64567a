// What makes two command lines the same run: the command and the options that decide what becomes of a
// database. How a key is given is not among them, nor how much is said, nor which databases there are.

internal import SealCore

/// The first line of a journal.
struct RunHeader: Sendable, Equatable {
  let command: String
  /// As they would be typed, in the catalog's order.
  let options: [String]
  /// Of both.
  let fingerprint: String

  init(_ parsed: ParsedCommand) throws {
    command = parsed.command.name
    options = parsed.command.options.filter { parsed.has($0) && Self.counts($0) }.map {
      Self.words($0, parsed)
    }
    let text = ([command] + options).map { "\($0.utf8.count):\($0)" }.joined()
    fingerprint = try Checksum.sha256(Array(text.utf8))
  }

  /// nil where it is none.
  init?(_ node: JSONNode) {
    guard let command = node.member("command")?.text, let items = node.member("options")?.items,
      let fingerprint = node.member("fingerprint")?.text
    else { return nil }
    (self.command, self.fingerprint) = (command, fingerprint)
    options = items.compactMap(\.text)
  }

  /// The line.
  func json(_ version: Int64) -> JSON {
    .object([
      .init("dbseal_journal", .integer(version)), .init("command", .string(command)),
      .init("options", .array(options.map { .string($0) })),
      .init("fingerprint", .string(fingerprint)),
    ])
  }

  /// Whether an option decides what becomes of a database. `--force` only lets more of them become it.
  static func counts(_ option: OptionSpec) -> Bool {
    switch option.section {
    case .common: false
    case .key, .newKey, .otherKey:
      KeyOptions.sets.contains { [$0.raw, $0.passphrase, $0.binary].contains(option) }
    default: ![Options.force, Options.resume, Options.filesFrom, Options.null].contains(option)
    }
  }

  /// A folder however it is written, or a file that need not be there.
  private static func place(_ path: String) -> String {
    SourceCheck.realPath(of: path) ?? DatabaseMark.place(of: path)
  }

  private static func words(_ option: OptionSpec, _ parsed: ParsedCommand) -> String {
    switch parsed.values[option.name] {
    case nil, .flag: return option.flag
    case .text(let text):
      var isPath = false
      if case .text(_, let completion) = option.value {
        isPath = completion == .file || completion == .directory
      }
      return "\(option.flag)=\(isPath ? place(text) : text)"
    case .texts(let texts): return texts.map { "\(option.flag)=\($0)" }.joined(separator: " ")
    case .integer(let number): return "\(option.flag)=\(number)"
    case .seconds(let seconds): return "\(option.flag)=\(seconds)"
    case .bytes(let bytes): return "\(option.flag)=\(Hex.text(bytes))"
    }
  }
}
