// The catalog's entry of verify, with the options that are its own.

internal import SealCore

/// The options of verify.
enum VerifyOptions {
  static let quick = OptionSpec(
    name: "quick", section: .checks, help: "stop after the pages",
    detail: "Structure and references are not checked. What is expected still is.")
  static let sample = OptionSpec(
    name: "sample", value: .integer("PERCENT", 1...100), section: .checks,
    help: "authenticate a random share of the pages",
    detail: """
      The pages are spread over the whole file, and another run takes others. Without --quick all \
      pages are read all the same, to check the structure.
      """)
  static let encrypted = OptionSpec(
    name: "expect-encrypted", section: .checks, help: "it has to be encrypted",
    detail: """
      A plaintext database, sound or not, is then not as it should be. Without this option only an \
      option that names its key or a cipher setting says so; a key from a variable does not.
      """)
  static let userVersion = OptionSpec(
    name: "expect-user-version", value: .integer("N", number), section: .checks,
    help: "the user_version that has to be there")
  static let applicationID = OptionSpec(
    name: "expect-application-id", value: .integer("N", number), section: .checks,
    help: "the application_id that has to be there")
  static let table = OptionSpec(
    name: "expect-table", value: .text("NAME[=ROWS]", .none), section: .checks,
    help: "that table has to be there, with so many rows",
    detail: """
      It may be given for any number of tables. Rows are counted from the table's pages, whatever \
      its indexes, collations and modules are.
      """, repeats: true)
  static let digest = OptionSpec(
    name: "digest", section: .checks, help: "compute the content digest",
    detail: """
      256 bits over schema, rows, user_version and application_id, the same whatever key, format, \
      page size, encoding or free space a database has.
      """)
  static let expectDigest = OptionSpec(
    name: "expect-digest", value: .hex("HEX", bytes: 32), section: .checks,
    help: "the content digest that has to come out")
  static let against = OptionSpec(
    name: "against", value: .text("OTHER", .file), section: .checks,
    help: "compare the content with another database",
    detail: """
      Schema, rows, rowids and storage classes, table by table; either side may be plaintext or \
      encrypted in any format. Of each table that differs, the first row and column are told, and \
      with --verbose the values. OTHER is opened with the key of the database unless it is given \
      its own, by an option or by $DBSEAL_AGAINST_KEY_FILE, $DBSEAL_AGAINST_KEY_COMMAND or \
      $DBSEAL_AGAINST_KEY.
      """)

  static let manifest = OptionSpec(
    name: "manifest", value: .text("FILE", .file), section: .databases,
    help: "check the databases that a fixture manifest lists",
    detail: """
      A file in JSON with each database, where its key is, and what it has to hold or how opening it \
      has to fail. What it does not say is taken from the command line; what is expected there is \
      expected of every database. Each of its databases has some of these fields: \
      \(ManifestFields.all.joined(separator: ", ")).
      """)
  static let report = OptionSpec(
    name: "report", value: .choice("FORM", ReportForm.words), section: .output,
    help: "a test report",
    detail: """
      JUnit XML or TAP, with a test for each database: on standard output, in the place of all \
      other answers, unless --report-file names a file.
      """)
  static let reportFile = OptionSpec(
    name: "report-file", value: .text("FILE", .file), section: .output,
    help: "write the report to a file",
    detail: """
      The usual answer then stays on standard output. The file gets its name once it is complete, \
      in the place of an earlier report; no other file is replaced.
      """)
  static let writeManifest = OptionSpec(
    name: "write-manifest", value: .text("FILE", .file), section: .output,
    help: "write a fixture manifest of what was found",
    detail: """
      With the content digest, the versions and the rows of all tables, and where the key came from. \
      Nothing is written unless all databases pass. With --manifest and the same file it refreshes \
      that manifest: of every entry that passes, what it says of the content becomes what is there, \
      and all else in it stays.
      """)
  static let replace = OptionSpec(
    name: "force", short: "f", section: .output, help: "replace a manifest that exists",
    detail: """
      It never replaces a file that is no manifest, nor one with entries or fields that the new one \
      would not have.
      """)

  /// What is written beside the answers.
  static let output = [report, reportFile, writeManifest, replace, Options.resume]

  /// What they demand of each other.
  static let outputRules: [OptionRule] = [
    .needs(reportFile, oneOf: [report]), .needs(replace, oneOf: [writeManifest]),
    .exclusive([manifest, against], because: "a manifest says what each database has to hold"),
    .exclusive([Options.resume, manifest], because: "a journal holds one way to check"),
    .exclusive([Options.resume, report], because: "a report tells of all databases"),
    .exclusive([Options.resume, writeManifest], because: "a manifest tells of all databases"),
  ]

  /// Both header fields are 32 bits, signed to SQLite and unsigned to some programs.
  private static let number = Int(Int32.min)...Int(UInt32.max)

  static let all = [
    quick, sample, encrypted, userVersion, applicationID, table, digest, expectDigest, against,
  ]

  /// The options about the database to compare with.
  static let other = KeyOptions.against.own + CipherOptions.against.all

  /// They need something to be about.
  static let otherRules =
    KeyOptions.against.rules + other.map { OptionRule.needs($0, oneOf: [against]) }
}

extension Catalog {
  static let verify = CommandSpec(
    name: "verify",
    summary: "check pages, structure, references, content",
    synopses: [
      "[OPTION]... DATABASE...", "[OPTION]... --files-from LIST", "[OPTION]... --manifest FILE",
    ],
    description: [
      """
      Says whether a database is sound, encrypted or not, in four verdicts. Pages: every page \
      authenticates under the key, the size fits, log and journal are in order. Structure: \
      SQLite's integrity_check finds nothing. References: foreign_key_check finds nothing. \
      Expectations: what the options say is so, the content digest and the \
      content of another database among them.
      """,
      """
      Damaged pages are listed with the table or index that they belong to. A page of an older \
      copy of the same database, put back in its place, has a right tag: no check of single pages \
      can tell.
      """,
      """
      Nothing is written, neither to the database nor to its -wal, -shm and -journal; committed \
      content of a log, or of a hot journal, is part of what is checked. A plaintext database \
      needs no key; an option that names one, or a cipher setting, is an error, because then it \
      should be encrypted.
      """,
      keyWithoutOption,
    ],
    operands: OperandSpec(
      names: "DATABASE...", minimum: 1, maximum: nil, completion: .file,
      instead: [Options.filesFrom, VerifyOptions.manifest]),
    options: Options.list + [VerifyOptions.manifest] + VerifyOptions.output + VerifyOptions.all
      + KeyOptions.database.allWithList
      + CipherOptions.examined.all
      + VerifyOptions.other + Options.common,
    rules: KeyOptions.database.rules + KeyOptions.database.listRules + VerifyOptions.otherRules
      + VerifyOptions.outputRules
      + [KeyOptions.storeRule(.database, .against), Options.listRule] + Options.commonRules,
    examples: [
      Example(purpose: "Check everything", line: "dbseal verify --key-file app.key app.db"),
      Example(
        purpose: "Authenticate the pages of many backups, and no more",
        line: "dbseal verify --quick --key-file app.key backups/*.db"),
      Example(
        purpose: "The same for those that a list names",
        line: "dbseal verify --quick --key-file app.key --files-from backups.txt"),
      Example(
        purpose: "Check a fixture in CI, as JSON",
        line: "dbseal verify --json --key-env KEY --expect-table users=3 fixture.db"),
      Example(
        purpose: "Check the fixtures of a project, with a report for the CI server",
        line: "dbseal verify --manifest fixtures.json --report junit --report-file report.xml"),
      Example(
        purpose: "Take what these databases hold now for what they have to hold",
        line: "dbseal verify --manifest fixtures.json --write-manifest fixtures.json"),
      Example(
        purpose: "Compare an encrypted database with the plaintext one that it was made of",
        line: "dbseal verify --key-file app.key --against plaintext.db app.db"),
    ],
    outcomes: [
      .ok, .checkFailed, .usage, .noKey, .wrongKey, .damaged, .wrongKind, .exists, .locked, .io,
      .unsupported, .interrupted,
    ])
}

/// The forms of a test report.
enum ReportForm: String, Sendable, CaseIterable {
  case junit, tap
  static let words = allCases.map(\.rawValue)
}
