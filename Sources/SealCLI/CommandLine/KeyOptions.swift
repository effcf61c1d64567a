// The options that name a key. They come as a set, because some commands take more than one key:
// the database's (no prefix), a new one (`new-`), another database's (`against-`).

internal import SealCore

/// One complete set of key options.
struct KeyOptions: Sendable {
  /// What stands before `key` in the names: empty, `new-`, ...
  let prefix: String
  /// Whose key it is, in words.
  let whose: String
  let file: OptionSpec
  let descriptor: OptionSpec
  let environment: OptionSpec
  let command: OptionSpec
  let keyring: OptionSpec
  let raw: OptionSpec
  let passphrase: OptionSpec
  let binary: OptionSpec
  /// One for all sets of a command, as are the next two.
  let allowOpenFile: OptionSpec
  let backend = Self.keyringBackend
  let timeout = Self.keyTimeout

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
    self.whose = whose
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
        shell. Its output is read as a key file is. It must end with status 0. Where the key is to \
        seal a database, it is run twice, and has to give the same key both times.
        """)
    keyring = OptionSpec(
      name: prefix + "keyring", value: .text("NAME", .none), section: section,
      help: "take the key from this machine's key store",
      detail: """
        Looked for under NAME in $CREDENTIALS_DIRECTORY, the macOS Keychain, the Secret Service of a \
        desktop session and the Linux kernel keyring, in this order, whichever there is.
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

  /// Which store of keys.
  static let keyringBackend = OptionSpec(
    name: "keyring-backend", value: .choice("STORE", KeyBackend.allCases.map(\.rawValue)),
    section: .key, help: "which key store, and no other",
    detail: "Names and state of all of them are listed by the key command.")

  /// How long a source may take.
  static let keyTimeout = OptionSpec(
    name: "key-timeout", value: .seconds("SECONDS"), section: .key,
    help: "wait that long for the key (default: 120)",
    detail: """
      A pipe, a command or a key store that has not given the whole key by then has given none; the \
      command is ended. A key store without a screen on which it could ask is given 10 seconds. The \
      terminal waits as long as it takes.
      """)

  /// A file of keys to try in the place of one key.
  static let tryKeys = OptionSpec(
    name: "try-keys", value: .text("PATH", .file), section: .key,
    help: "try the keys of a file, one a line; - is stdin",
    detail: """
      They are tried side by side, and the first that fits is used; the number of its line is said. \
      The file is one that only you can read, as a key file. Blank lines are passed over.
      """)

  /// All of the set, in the order of the help texts.
  var all: [OptionSpec] { own + [allowOpenFile, backend, timeout] }

  /// The same with a list of keys to try.
  var allWithList: [OptionSpec] { [Self.tryKeys] + all }

  /// A store is named for a key that is looked for in one. `sets`: the keys of the command.
  static func storeRule(_ sets: KeyOptions...) -> OptionRule {
    .needs(keyringBackend, oneOf: sets.map(\.keyring))
  }

  /// What a list excludes.
  var listRules: [OptionRule] {
    [file, descriptor, environment, command, keyring, binary].map {
      .exclusive([Self.tryKeys, $0], because: "a list stands in the place of a key")
    }
  }

  /// Those that only this set has, for a set that stands beside another one.
  var own: [OptionSpec] {
    [file, descriptor, environment, command, keyring, raw, passphrase, binary]
  }

  /// What excludes what within the set.
  var rules: [OptionRule] {
    [
      .exclusive(
        [file, descriptor, environment, command, keyring], because: "a key has one source"),
      .exclusive([raw, passphrase], because: "a key is either raw or a passphrase"),
      .exclusive([environment, binary], because: "a variable is taken as it is anyway"),
      .exclusive([keyring, binary], because: "key stores keep texts"),
    ]
  }

  /// Throws where two things would be read from one stream, which has nothing left for the second.
  static func requireOwnStreams(_ parsed: ParsedCommand) throws(UsageFlaw) {
    var readers: [(flag: String, stream: Int32)] = []
    for set in sets where parsed.command.options.contains(set.file) {
      let selection = set.selection(from: parsed)
      switch selection.source {
      case .standardInput: readers.append((set.file.flag, 0))
      case .descriptor(let number): readers.append((set.descriptor.flag, number))
      case .file, .environment, .command, .keyring, .store, .terminal, nil: break
      }
      if selection.list == .standardInput { readers.append((tryKeys.flag, 0)) }
    }
    let keys = readers.count
    if parsed.text(Options.filesFrom) == "-" { readers.append((Options.filesFrom.flag, 0)) }
    for (index, reader) in readers.enumerated() {
      guard let other = readers[..<index].first(where: { $0.stream == reader.stream }) else {
        continue
      }
      throw .exclusive(
        other.flag, reader.flag,
        because: index < keys
          ? "two keys cannot be read from one stream" : "both would be read from standard input")
    }
  }

  /// The variable that holds the key where no option names a source: `DBSEAL_KEY`.
  var variable: String {
    "DBSEAL_" + String(prefix.map { $0 == "-" ? "_" : $0 }).uppercased() + "KEY"
  }

  /// Where they say that it is.
  private func source(from parsed: ParsedCommand) -> KeySource? {
    if let path = parsed.text(file) { return path == "-" ? .standardInput : .file(path) }
    if let number = parsed.integer(descriptor) { return .descriptor(Int32(clamping: number)) }
    if let name = parsed.text(environment) { return .environment(name) }
    if let line = parsed.text(command) { return .command(line) }
    let backend = parsed.text(backend).flatMap(KeyBackend.init(rawValue:))
    return parsed.text(keyring).map { .keyring($0, backend) }
  }

  /// The flag that names such a source.
  func flag(of source: KeySource) -> String {
    switch source {
    case .file, .standardInput, .terminal: file.flag
    case .descriptor: descriptor.flag
    case .environment: environment.flag
    case .command: command.flag
    case .keyring, .store: keyring.flag
    }
  }

  /// The set of the options that begin so.
  static func set(_ prefix: String) -> KeyOptions {
    sets.first { $0.prefix == prefix } ?? .database
  }

  /// What the parsed options say about this key.
  func selection(from parsed: ParsedCommand) -> KeySelection {
    let list = prefix.isEmpty ? parsed.text(Self.tryKeys) : nil
    let reading: KeyMaterial.Reading =
      parsed.has(raw) ? .raw : parsed.has(passphrase) ? .passphrase : .automatic
    return KeySelection(
      source: source(from: parsed), reading: reading, binary: parsed.has(binary),
      binaryFlag: binary.flag,
      allowsOpenFile: parsed.has(allowOpenFile), variable: variable, prefix: prefix,
      list: list.map { $0 == "-" ? .standardInput : .file($0) },
      keyVariables: Self.keyVariables(of: parsed),
      timeout: parsed.seconds(timeout), takesStore: parsed.command.name != Catalog.key.name)
  }

  /// Variables that hold keys, of which no command gets to see one.
  static func keyVariables(of parsed: ParsedCommand) -> Set<String> {
    parsed.keyVariables.union(sets.compactMap { parsed.text($0.environment) })
  }
}
