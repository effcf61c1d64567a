// The options that name a key. They come as a set, because some commands take more than one key:
// the database's (no prefix), a new one (`new-`), another database's (`against-`).

internal import SealCore

/// One complete set of key options.
struct KeyOptions: Sendable {
  /// What stands before `key` in the names: empty, `new-`, ...
  let prefix: String
  let file: OptionSpec
  let descriptor: OptionSpec
  let environment: OptionSpec
  let command: OptionSpec
  let raw: OptionSpec
  let passphrase: OptionSpec
  let binary: OptionSpec
  /// One for all sets of a command.
  let allowOpenFile: OptionSpec

  /// The key of the database that the command works on.
  static let database = KeyOptions(prefix: "", whose: "the database", section: .key)

  /// The key of a database that is only compared with.
  static let against = KeyOptions(
    prefix: "against-", whose: "the other database", section: .otherKey)

  /// The key that a database is to get.
  static let new = KeyOptions(prefix: "new-", whose: "the output", section: .newKey)

  /// All sets that some command takes.
  static let sets = [database, new, against]

  init(prefix: String, whose: String, section: OptionSection) {
    self.prefix = prefix
    file = OptionSpec(
      name: prefix + "key-file", value: .text("PATH", .file), section: section,
      help: "read the key from a file; - is standard input",
      detail: """
        The file is one line of text: exactly one final line feed, or carriage return and line \
        feed, is dropped, and nothing else. A file that group or others may read is refused.
        """)
    descriptor = OptionSpec(
      name: prefix + "key-fd", value: .integer("N", 0...65535), section: section,
      help: "read the key from an open descriptor",
      detail: "The same as a key file, from a descriptor that the caller opened.")
    environment = OptionSpec(
      name: prefix + "key-env", value: .text("NAME", .variable), section: section,
      help: "take the key from an environment variable",
      detail: "The value is taken as it is, with every blank and line feed.")
    command = OptionSpec(
      name: prefix + "key-command", value: .text("CMD", .none), section: section,
      help: "take the key from what a command prints",
      detail: """
        CMD is split into words like a shell line (quotes and backslashes), and run without a \
        shell. Its output is read as a key file is. It must end with status 0.
        """)
    raw = OptionSpec(
      name: prefix + "raw-key", section: section,
      help: "the key is 64, 96 or 160 hex digits",
      detail: """
        The text is the key itself (64 digits), key and salt (96), or key, HMAC key and salt \
        (160), bare or as x'...'. Anything else is an error before any file is touched.
        """)
    passphrase = OptionSpec(
      name: prefix + "passphrase", section: section,
      help: "the key is a passphrase, whatever it looks like",
      detail: "Without it, a text of the form x'...' is a raw key, because SQLCipher takes it so.")
    binary = OptionSpec(
      name: prefix + "key-binary", section: section,
      help: "take the bytes of the key as they are",
      detail: "Goes with a key file, a descriptor or a command: no line feed is dropped.")
    allowOpenFile = OptionSpec(
      name: "allow-open-key-file", section: section,
      help: "accept a key file that others can read")
  }

  /// All of the set, in the order of the help texts.
  var all: [OptionSpec] { own + [allowOpenFile] }

  /// Those that only this set has, for a set that stands beside another one.
  var own: [OptionSpec] {
    [file, descriptor, environment, command, raw, passphrase, binary]
  }

  /// What excludes what within the set.
  var rules: [OptionRule] {
    [
      .exclusive([file, descriptor, environment, command], because: "a key has one source"),
      .exclusive([raw, passphrase], because: "a key is either raw or a passphrase"),
      .exclusive([environment, binary], because: "a variable is taken as it is anyway"),
    ]
  }

  /// Throws where the keys of both sets would be read from one stream, which has nothing left for
  /// the second.
  static func requireTwoStreams(_ first: KeyOptions, _ second: KeyOptions, _ parsed: ParsedCommand)
    throws
  {
    guard let source = first.selection(from: parsed).source,
      source == second.selection(from: parsed).source
    else { return }
    let why = "two keys cannot be read from one stream"
    switch source {
    case .standardInput: throw UsageFlaw.exclusive(first.file.flag, second.file.flag, because: why)
    case .descriptor:
      throw UsageFlaw.exclusive(first.descriptor.flag, second.descriptor.flag, because: why)
    case .file, .environment, .command, .terminal: return
    }
  }

  /// The variable that holds the key where no option names a source: `DBSEAL_KEY`.
  var variable: String {
    "DBSEAL_" + String(prefix.map { $0 == "-" ? "_" : $0 }).uppercased() + "KEY"
  }

  /// What the parsed options say about this key.
  func selection(from parsed: ParsedCommand) -> KeySelection {
    var source: KeySource?
    if let path = parsed.text(file) { source = path == "-" ? .standardInput : .file(path) }
    if let number = parsed.integer(descriptor) { source = .descriptor(Int32(clamping: number)) }
    if let name = parsed.text(environment) { source = .environment(name) }
    if let line = parsed.text(command) { source = .command(line, name: command.flag) }
    let reading: KeyMaterial.Reading =
      parsed.has(raw) ? .raw : parsed.has(passphrase) ? .passphrase : .automatic
    return KeySelection(
      source: source, reading: reading, binary: parsed.has(binary), binaryFlag: binary.flag,
      allowsOpenFile: parsed.has(allowOpenFile), variable: variable, prefix: prefix)
  }
}
