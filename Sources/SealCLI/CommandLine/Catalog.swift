// THE table of commands. Help texts, man pages, completions, the reference, the parser and its
// suggestions are all made from it, so that nothing about a command is written twice. A command is
// added here and in a file of its own in Commands/.

internal import SealCore

/// The commands of the tool.
enum Catalog {
  /// The tool's own name.
  static let tool = "dbseal"
  /// What the tool is, in one line.
  static let summary = "encrypt, decrypt, rekey, verify, migrate and inspect SQLCipher databases"

  /// What it is, in paragraphs.
  static let description = [
    """
    Each command works on whole databases: it reads what SQLite and SQLCipher write, formats 1 to 4, \
    and proves what it wrote before the output gets its name. Each command has a page of its own; \
    help COMMAND shows the same in short.
    """,
    """
    An option may stand anywhere behind its command, and its value behind a blank or behind an \
    equals sign. What follows -- is never an option.
    """,
    keyWithoutOption,
  ]

  /// All commands, in the order of the help text.
  static let commands = [
    encrypt, decrypt, rekey, verify, migrate, inspect, key, help, generate,
  ]
  /// Those that people see.
  static let visible = commands.filter { !$0.hidden }

  /// The command of that name.
  static func command(named name: String) -> CommandSpec? { commands.first { $0.name == name } }

  /// What the tool takes before a command is named.
  static let globalOptions = Options.common

  static let conversionOutcomes: [ErrorCode] = [
    .ok, .checkFailed, .usage, .noKey, .wrongKey, .damaged, .wrongKind, .exists, .locked, .io,
    .unsupported, .selfCheckFailed, .interrupted,
  ]

  /// Where a key comes from that no option names.
  static let keyWithoutOption = """
    Without an option that names a key, the key is taken from $DBSEAL_KEY_FILE, \
    $DBSEAL_KEY_COMMAND or $DBSEAL_KEY, in this order, and else asked for on the terminal. No \
    option takes a key as its value, because other users and the shell history would see it.
    """

  private static let conversionOperands = OperandSpec(
    names: "SOURCE [TARGET]", minimum: 1, maximum: nil, completion: .file,
    instead: [Options.filesFrom])

  private static let outputRules: [OptionRule] = [
    .exclusive([Options.inPlace, Options.outputDir], because: "an output goes to one place"),
    .needs(Options.backup, oneOf: [Options.inPlace, Options.force]), Options.resumeRule,
    .needs(Options.filesFrom, oneOf: [Options.outputDir, Options.inPlace]),
    Options.listRule,
  ]

  /// What encrypt and decrypt promise alike.
  static let promise = [
    """
    The source is only read, its -wal and -journal included, until in place the proven output \
    takes its name; committed content of both is part of what is converted. The output appears under its name only after it was \
    synced, read back, authenticated page by page, and compared equal to the source. Rows are \
    copied as bytes: collations, functions and modules that this machine lacks do not matter.
    """,
    keyWithoutOption,
  ]

  static let encrypt = CommandSpec(
    name: "encrypt",
    summary: "make an encrypted database of a plaintext one",
    synopses: [
      "[OPTION]... SOURCE TARGET", "[OPTION]... --in-place DATABASE...",
      "[OPTION]... --output-dir DIR SOURCE...",
      "[OPTION]... --output-dir DIR --files-from LIST",
    ],
    description: [
      """
      Makes a SQLCipher database with the content of a plaintext SQLite database. The output is \
      of format 4, the default of SQLCipher 4, unless the cipher settings say otherwise.
      """
    ] + promise,
    operands: conversionOperands,
    options: Options.list + [
      Options.inPlace, Options.outputDir, Options.backup, Options.force, Options.resume,
      Options.dryRun, Options.shred,
    ] + KeyOptions.database.all + [Options.createKey] + CipherOptions.written.all + Options.common,
    rules: outputRules + [
      .exclusive(
        [Options.inPlace, Options.shred],
        because: "only a source that stays beside its output can be shredded"),
      .needs(Options.createKey, oneOf: [KeyOptions.database.keyring]),
      .exclusive(
        [Options.createKey, KeyOptions.database.passphrase], because: "a key that is made is raw"),
      KeyOptions.storeRule(.database),
    ] + KeyOptions.database.rules + Options.commonRules,
    examples: [
      Example(
        purpose: "Ask for a key on the terminal, twice",
        line: "dbseal encrypt plaintext.db app.db"),
      Example(
        purpose: "Replace a database by its encrypted form, and keep the old file",
        line: "dbseal encrypt --in-place --backup .plain --key-file app.key app.db"),
      Example(
        purpose: "Encrypt many databases with a key from a password manager",
        line: "dbseal encrypt --key-command 'pass show app/db' --output-dir out *.db"),
      Example(
        purpose: "Write what SQLCipher 3 reads",
        line: "dbseal encrypt --format 3 --key-file app.key plaintext.db app.db"),
    ],
    outcomes: conversionOutcomes)

  static let decrypt = CommandSpec(
    name: "decrypt",
    summary: "make a plaintext database of an encrypted one",
    synopses: [
      "[OPTION]... SOURCE TARGET", "[OPTION]... --in-place DATABASE...",
      "[OPTION]... --output-dir DIR SOURCE...",
      "[OPTION]... --output-dir DIR --files-from LIST",
    ],
    description: [
      """
      Makes a plaintext SQLite database with the content of a SQLCipher database. The format of \
      the source (4, 3, 2 or 1) is found by trying; other settings have to be named. The output \
      can be read by its owner only, and opens in any SQLite.
      """
    ] + promise,
    operands: conversionOperands,
    options: Options.list + [
      Options.inPlace, Options.outputDir, Options.backup, Options.force, Options.resume,
      Options.dryRun, Options.exact, Options.outputPageSize,
    ] + KeyOptions.database.allWithList + CipherOptions.read.all + Options.common,
    rules: outputRules + [
      .exclusive(
        [Options.exact, Options.outputPageSize], because: "an exact copy keeps the page size"),
      KeyOptions.storeRule(.database),
    ] + KeyOptions.database.rules + KeyOptions.database.listRules + Options.commonRules,
    examples: [
      Example(
        purpose: "Ask for the key on the terminal",
        line: "dbseal decrypt app.db plaintext.db"),
      Example(
        purpose: "Give the key as hex digits, from a file",
        line: "dbseal decrypt --raw-key --key-file app.key app.db plaintext.db"),
      Example(
        purpose: "Read a database with settings of its own",
        line: "dbseal decrypt --format 3 --kdf-iter 10000 app.db plaintext.db"),
    ],
    outcomes: conversionOutcomes)

  static let help = CommandSpec(
    name: "help",
    summary: "show the help of a command",
    synopses: ["[COMMAND [ACTION]]"],
    description: ["Shows the help of a command, or of the tool. The same as --help."],
    operands: OperandSpec(
      names: "[COMMAND [ACTION]]", minimum: 0, maximum: 2,
      completion: .words(
        [encrypt, decrypt, rekey, verify, migrate, inspect, key].map(\.name))),
    options: Options.common,
    rules: Options.commonRules,
    examples: [Example(purpose: "All about encrypt", line: "dbseal help encrypt")],
    outcomes: [.ok, .usage])

  /// For those who build the tool: writes the files that are made from this table.
  static let generate = CommandSpec(
    name: "generate",
    summary: "write man pages, completions or the reference",
    synopses: ["man|completions|reference DIR"],
    description: ["Writes the files that are made from the table of commands into a directory."],
    operands: OperandSpec(
      names: "KIND DIR", minimum: 2, maximum: 2, completion: .directory),
    options: Options.common,
    rules: Options.commonRules,
    examples: [Example(purpose: "Write the man pages", line: "dbseal generate man Docs/man")],
    outcomes: [.ok, .usage, .io],
    hidden: true)
}
