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

  /// Both header fields are 32 bits, signed to SQLite and unsigned to some programs.
  private static let number = Int(Int32.min)...Int(UInt32.max)

  static let all = [quick, sample, userVersion, applicationID, table]
}

extension Catalog {
  static let verify = CommandSpec(
    name: "verify",
    summary: "check pages, structure, references, content",
    synopses: ["[OPTION]... DATABASE..."],
    description: [
      """
      Says whether a database is sound, encrypted or not, in four verdicts. Pages: every page \
      authenticates under the key, the size fits, log and journal are in order. Structure: \
      SQLite's integrity_check finds nothing. References: foreign_key_check finds nothing. \
      Expectations: what the options say is so.
      """,
      """
      Damaged pages are listed with the table or index that they belong to. A page of an older \
      copy of the same database, put back in its place, has a right tag: no check of single pages \
      can tell.
      """,
      """
      Nothing is written, neither to the database nor to its -wal, -shm and -journal; committed \
      content of a log, or of a hot journal, is part of what is checked. A plaintext database \
      needs no key; one that is named for it is an error, because then it should be encrypted.
      """,
      keyWithoutOption,
    ],
    operands: OperandSpec(names: "DATABASE...", minimum: 1, maximum: nil, completion: .file),
    options: VerifyOptions.all + KeyOptions.database.all + CipherOptions.examined.all
      + Options.common,
    rules: KeyOptions.database.rules + Options.commonRules,
    examples: [
      Example(purpose: "Check everything", line: "dbseal verify --key-file app.key app.db"),
      Example(
        purpose: "Authenticate the pages of many backups, and no more",
        line: "dbseal verify --quick --key-file app.key backups/*.db"),
      Example(
        purpose: "Check a fixture in CI, as JSON",
        line: "dbseal verify --json --key-env KEY --expect-table users=3 fixture.db"),
    ],
    outcomes: [
      .ok, .checkFailed, .usage, .noKey, .wrongKey, .damaged, .wrongKind, .locked, .io,
      .unsupported, .interrupted,
    ])
}
