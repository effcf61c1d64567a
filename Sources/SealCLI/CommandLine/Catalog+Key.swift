// The catalog's entry of key, the options that only it has, and which of them each action takes.

internal import SealCore

/// What `dbseal key` does, by its first operand.
enum KeyAction: String, Sendable, CaseIterable {
  case generate, store, show, delete, list

  /// It is about one key, whose name is the second operand.
  var takesName: Bool { self != .generate && self != .list }

  /// What it does, in one line.
  var summary: String {
    switch self {
    case .generate: "make a random key"
    case .store: "keep a key under a name"
    case .show: "print a key that is kept"
    case .delete: "remove a key"
    case .list: "name the key stores and the keys in them"
    }
  }

  /// The same as data, for help texts and completions.
  var spec: ActionSpec {
    let place = self == .generate ? "[--output FILE | --keyring NAME] " : takesName ? "NAME " : ""
    return ActionSpec(
      name: rawValue, summary: summary, synopsis: place + "[OPTION]...",
      options: options + KeyCommandOptions.shared + Options.common)
  }

  /// The options that are its own.
  var options: [OptionSpec] {
    switch self {
    case .generate:
      [
        KeyCommandOptions.output, KeyCommandOptions.keyring, KeyCommandOptions.withSalt,
        KeyCommandOptions.passphrase,
      ]
    case .store:
      KeyCommandOptions.sources + [KeyCommandOptions.passphrase, KeyCommandOptions.force]
    case .show: [KeyCommandOptions.reveal]
    case .delete: [KeyCommandOptions.force]
    case .list: []
    }
  }
}

/// The options of key.
enum KeyCommandOptions {
  static let output = OptionSpec(
    name: "output", short: "o", value: .text("FILE", .file), section: .output,
    help: "generate: to a new file that only you can read",
    detail: "Its mode is 600. A file that is there is never replaced. - is standard output.")
  static let keyring = OptionSpec(
    name: "keyring", value: .text("NAME", .none), section: .output,
    help: "generate: to a key store, under this name",
    detail: "A key that is there is never replaced.")
  static let reveal = OptionSpec(
    name: "reveal", section: .output, help: "show: print the key to a terminal, or in JSON",
    detail: "Without it a key is printed to files and programs only.")
  static let force = OptionSpec(
    name: "force", short: "f", section: .output,
    help: "store: replace another key; delete: do not ask",
    detail: """
      Of a key that is replaced or deleted no copy is kept, and what only it opens is lost with it. \
      Without a terminal delete asks nobody.
      """)
  static let withSalt = OptionSpec(
    name: "with-salt", section: .key, help: "generate: key and salt, 96 hex digits",
    detail: """
      The salt is the first 16 bytes of a database. Wanted where the salt is not in the file, as \
      with a plaintext header.
      """)
  static let passphrase = OptionSpec(
    name: "passphrase", section: .key, help: "generate, store: it is a passphrase, not a raw key",
    detail: """
      generate makes one of letters and digits, to be read and typed by people. store takes \
      the text as it is, whatever it looks like.
      """)

  /// Where store takes the key from.
  static let sources: [OptionSpec] = {
    let set = KeyOptions.database
    return [set.file, set.descriptor, set.environment, set.command, set.raw, set.allowOpenFile]
  }()

  static let all =
    [output, keyring, reveal, force, withSalt, passphrase] + sources + shared

  /// What every action takes.
  static let shared = [KeyOptions.keyringBackend, KeyOptions.keyTimeout]

  /// Which excludes which.
  static let rules: [OptionRule] = [
    .exclusive([output, keyring], because: "a key goes to one place"),
    .exclusive([withSalt, passphrase], because: "a passphrase has no salt of its own"),
    .exclusive(
      [KeyOptions.database.raw, passphrase], because: "a key is either raw or a passphrase"),
    .exclusive(
      [
        KeyOptions.database.file, KeyOptions.database.descriptor, KeyOptions.database.environment,
        KeyOptions.database.command,
      ], because: "a key has one source"),
  ]
}

extension Catalog {
  static let key = CommandSpec(
    name: "key",
    summary: "make keys, and keep them in a key store",
    synopses: KeyAction.allCases.map { "\($0.rawValue) \($0.spec.synopsis)" },
    description: [
      """
      generate makes a random key: a raw key of 256 bits, or a passphrase. It goes to a new file, to \
      a key store, or to standard output where that is no terminal. A raw key has the form x'...', \
      and works as it is wherever a key is taken.
      """,
      """
      store keeps a key under a name. Where another key has that name it is refused, unless --force says \
      to replace it. show prints it. delete removes it, and asks before on a terminal; one that is not there is \
      no failure. list \
      names the key stores, says which can be \
      used here, and which keys of dbseal are in them. With --keyring every command \
      takes a key from there.
      """,
      """
      The stores are: credentials (files that systemd gives a service, in $CREDENTIALS_DIRECTORY, only \
      read), keychain (macOS), secret-service (GNOME Keyring, KWallet and others, in a desktop \
      session, through libsecret) and kernel (the Linux kernel keyring of the user, which a reboot \
      empties). Keys are looked for in this order; a new one goes to the first that can be used. \
      --keyring-backend names one.
      """,
      """
      A key that was made or stored was read back and compared before that is said. There is no way \
      to give a key as an argument, because other users and the shell history would see it.
      """,
    ],
    operands: OperandSpec(
      names: "ACTION [NAME]", minimum: 1, maximum: 2, completion: .none),
    actions: KeyAction.allCases.map(\.spec),
    options: KeyCommandOptions.all + Options.common,
    rules: KeyCommandOptions.rules + Options.commonRules,
    examples: [
      Example(purpose: "A random key in a new file", line: "dbseal key generate --output app.key"),
      Example(
        purpose: "A random key in the key store of this machine",
        line: "dbseal key generate --keyring app"),
      Example(
        purpose: "Keep a key that is typed twice", line: "dbseal key store app"),
      Example(
        purpose: "Hand a key to another program", line: "dbseal key show app"),
      Example(purpose: "Which stores and keys are there?", line: "dbseal key list"),
    ],
    outcomes: [.ok, .usage, .noKey, .exists, .io, .unsupported, .interrupted])
}
