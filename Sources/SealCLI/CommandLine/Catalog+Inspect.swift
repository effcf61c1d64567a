// The catalog's entry of inspect, and the options that only it has.

internal import SealCore

/// What inspect shows.
enum InspectOptions {
  static let tables = OptionSpec(
    name: "tables", section: .content, help: "rows and sizes of all tables and indexes",
    detail: """
      The same as a key gives for an encrypted database. Every page is read: rows are counted as \
      records of the trees, sizes as pages.
      """)
  static let schema = OptionSpec(
    name: "schema", section: .content, help: "print the SQL text of the schema",
    detail: """
      As it stands in the database. What SQLite and the modules of virtual tables make for \
      themselves is left out.
      """)
  static let pages = OptionSpec(
    name: "pages", section: .content, help: "draw what the pages are used for")
  static let query = OptionSpec(
    name: "query", value: .text("SQL", .none), section: .content,
    help: "run one read-only statement, print its rows",
    detail: """
      The statement cannot change anything, reach another file or load code. Only the rows are \
      printed; of several databases, the name of each with them.
      """)
  static let param = OptionSpec(
    name: "param", value: .text("NAME=VALUE", .none), section: .content,
    help: "give a parameter of the query its value",
    detail: """
      The value is text, as with NAME:text=VALUE. NAME:integer=N, NAME:real=X, NAME:blob=HEX and NAME:null give other \
      values; of a nameless ? the NAME is its number, from 1. It may be given many times.
      """, repeats: true)
  static let outputFormat = OptionSpec(
    name: "output-format", value: .choice("FORM", QueryForm.words), section: .content,
    help: "how rows are printed (default: table)",
    detail: """
      Blobs are hex digits. NULL is NULL in a table, empty in csv (an empty text is ""), and \\N in \
      tsv. Control characters are escaped in table and line always, in csv and tsv on a terminal.
      """)
  static let all = [tables, schema, pages, query, param, outputFormat]
}

/// How the rows of a query are printed.
enum QueryForm: String, Sendable, CaseIterable {
  case table, csv, tsv, json, line
  static let words = allCases.map(\.rawValue)
}

extension Catalog {
  static let inspect = CommandSpec(
    name: "inspect",
    summary: "say what a file is, and what is in it",
    synopses: ["[OPTION]... DATABASE...", "[OPTION]... --files-from LIST"],
    description: [
      """
      Without a key: what the file is and why that is thought, its size, page size and salt, the \
      log and journal beside it and their state, and who has it open. This reads only the start of \
      the file, and a short log beside it, and never asks for anything.
      """,
      """
      With a key (from an option or the environment): cipher format and settings, the header, \
      tables with rows and bytes, indexes, views, triggers and virtual tables, and the \
      collations, functions and modules that this machine lacks. A damaged database is described \
      as far as it can be read, with what is damaged.
      """,
      """
      Of a plaintext database --tables shows the same. --tables, --schema, --pages and --query \
      exclude each other. Nothing is ever written: neither to the database nor beside it.
      """,
    ],
    operands: OperandSpec(
      names: "DATABASE...", minimum: 1, maximum: nil, completion: .file,
      instead: [Options.filesFrom]),
    options: Options.list + InspectOptions.all + KeyOptions.database.allWithList
      + CipherOptions.examined.all
      + Options.common,
    rules: [
      .exclusive(
        [
          InspectOptions.tables, InspectOptions.schema, InspectOptions.pages, InspectOptions.query,
        ], because: "each is an answer of its own"),
      .needs(InspectOptions.param, oneOf: [InspectOptions.query]),
      .needs(InspectOptions.outputFormat, oneOf: [InspectOptions.query]),
      .exclusive(
        [Options.json, InspectOptions.outputFormat],
        because: "with the first, rows are a part of the object"),
      KeyOptions.storeRule(.database), Options.listRule,
    ] + KeyOptions.database.rules + KeyOptions.database.listRules + Options.commonRules,
    examples: [
      Example(purpose: "What is this file?", line: "dbseal inspect app.db"),
      Example(
        purpose: "What is in this database?", line: "dbseal inspect --key-file app.key app.db"),
      Example(
        purpose: "Rows of an encrypted database as CSV",
        line: "dbseal inspect --query 'SELECT * FROM people' --output-format csv app.db"),
    ],
    outcomes: [
      .ok, .checkFailed, .usage, .noKey, .wrongKey, .damaged, .wrongKind, .locked, .io,
      .unsupported, .interrupted,
    ])
}
