// The catalog's entries of rekey and migrate.

internal import SealCore

extension Catalog {
  private static let resealOperands = OperandSpec(
    names: "DATABASE [TARGET]", minimum: 1, maximum: nil, completion: .file,
    instead: [Options.filesFrom])

  private static let resealSynopses = [
    "[OPTION]... DATABASE [TARGET]", "[OPTION]... --in-place DATABASE...",
    "[OPTION]... --output-dir DIR DATABASE...", "[OPTION]... --files-from LIST",
  ]

  private static let resealOutput =
    Options.list + [
      Options.inPlace, Options.outputDir, Options.backup, Options.force, Options.resume,
      Options.dryRun,
    ]

  private static let resealRules: [OptionRule] =
    [
      .exclusive([Options.inPlace, Options.outputDir], because: "an output goes to one place"),
      Options.listRule, Options.resumeRule,
    ] + KeyOptions.database.rules + Options.commonRules

  private static let resealPlace = """
    Without TARGET the database is changed in place: the new file is made beside it, proven, and \
    takes its name in one step. Two files are DATABASE and TARGET; --in-place changes any number, \
    and so does --files-from without --output-dir. A database that other programs have open, or \
    that has hard links, is not changed without --force.
    """

  static let rekey = CommandSpec(
    name: "rekey",
    summary: "give an encrypted database another key",
    synopses: resealSynopses,
    description: [
      """
      Encrypts a SQLCipher database under a new key, with a new random salt. Its cipher settings \
      stay unless options say otherwise; --format means all defaults of that format, page size \
      included. Before the output gets its name, the old key, unless it is the new one too, is \
      tried on it and must fail.
      """,
      resealPlace,
      """
      Without an option that names the new key, it is taken from $DBSEAL_NEW_KEY_FILE, \
      $DBSEAL_NEW_KEY_COMMAND or $DBSEAL_NEW_KEY, and else asked for on the terminal, twice.
      """,
    ] + promise,
    operands: resealOperands,
    options: resealOutput + KeyOptions.database.all + KeyOptions.new.own
      + CipherOptions.rewritten.all + CipherOptions.source.all + Options.common,
    rules: resealRules + KeyOptions.new.rules + [KeyOptions.storeRule(.database, .new)],
    examples: [
      Example(
        purpose: "Ask for the old key, then for the new one, twice", line: "dbseal rekey app.db"),
      Example(
        purpose: "Take keys from files, and keep the old database",
        line: "dbseal rekey --backup .old --key-file old.key --new-key-file new.key app.db"),
      Example(
        purpose: "Bring it to format 4 on the way",
        line: "dbseal rekey --format 4 --key-file old.key --new-key-file new.key app.db"),
    ],
    outcomes: conversionOutcomes)

  static let migrate = CommandSpec(
    name: "migrate",
    summary: "bring a database to another format or schema",
    synopses: resealSynopses + ["[OPTION]... --schema DIR DATABASE..."],
    description: [
      """
      Without --schema, makes a SQLCipher database of another format, or with other cipher \
      settings, under the same key: format 4 unless the options say otherwise. A database that is \
      as asked for already is not touched.
      """,
      resealPlace,
    ] + promise + [
      """
      With --schema, numbered SQL files that were not applied yet are run on the database itself, \
      plaintext or encrypted, in ascending order; its format stays. Every operand is a database. \
      A file's statements and its version are one transaction: a file that fails is rolled back, \
      and those before it stay. Other programs may have the database open; while one writes, it is \
      waited for. A plaintext database needs no key, and none is asked for.
      """
    ],
    operands: resealOperands,
    options: resealOutput + SchemaOptions.all + KeyOptions.database.all + CipherOptions.written.all
      + CipherOptions.source.all + Options.common,
    rules: resealRules + SchemaOptions.rules + [KeyOptions.storeRule(.database)],
    examples: [
      Example(purpose: "Upgrade to format 4", line: "dbseal migrate --key-file app.key app.db"),
      Example(
        purpose: "Write what SQLCipher 3 reads, to a new file",
        line: "dbseal migrate --format 3 --key-file app.key app.db old.db"),
      Example(
        purpose: "Apply what is new in a directory of SQL files",
        line: "dbseal migrate --schema migrations --key-file app.key app.db"),
      Example(
        purpose: "See what that would change",
        line: "dbseal migrate --schema migrations --dry-run --key-file app.key app.db"),
    ],
    outcomes: ErrorCode.allCases.filter {
      conversionOutcomes.contains($0) || $0 == .migrationFailed
    })
}
