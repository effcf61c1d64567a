// The options of schema migrations: what `migrate` takes beside a folder of numbered SQL files.

internal import SealCore

/// The options that go with `--schema`.
enum SchemaOptions {
  static let schema = OptionSpec(
    name: "schema", value: .text("DIR", .directory), section: .schema,
    help: "apply the numbered SQL files of a directory",
    detail: """
      Files are called digits, optionally an underscore and a description, and .sql, as \
      FMDBMigrationManager has it. Each is applied once, in ascending order, in a transaction of \
      its own.
      """)
  static let status = OptionSpec(
    name: "status", section: .schema, help: "say what was applied and what is pending",
    detail: "The database is only read.")
  static let check = OptionSpec(
    name: "check", section: .schema, help: "with --status: status 1 if one is pending",
    detail: "A file that changed since it was applied counts as well.")
  static let to = OptionSpec(
    name: "to", value: .integer("VERSION", 0...Int.max), section: .schema,
    help: "apply files up to this version")
  static let baseline = OptionSpec(
    name: "baseline", value: .integer("VERSION", 0...Int.max), section: .schema,
    help: "record files up to VERSION, run none",
    detail: """
      For a database that has their schema already. It also accepts a file that changed since it \
      was applied.
      """)
  static let create = OptionSpec(
    name: "create", section: .schema, help: "make a new, encrypted database",
    detail: """
      The database must not exist. The cipher settings say how it is encrypted. It gets its name \
      when the last file was applied; if one fails, nothing is made.
      """)
  static let plaintext = OptionSpec(
    name: "plaintext", section: .schema, help: "with --create: do not encrypt it")
  static let allowOutOfOrder = OptionSpec(
    name: "allow-out-of-order", section: .schema,
    help: "apply files below the newest applied one")
  static let track = OptionSpec(
    name: "track", value: .choice("WHERE", VersionTrack.allCases.map(\.rawValue)),
    section: .schema, help: "where the version is kept",
    detail: """
      The table schema_migrations, as FMDBMigrationManager makes it, is the default. With \
      user_version the version is that number, and no table is made.
      """)

  /// All of them, in the order of the help texts.
  static let all = [
    schema, status, check, to, baseline, create, plaintext, allowOutOfOrder, track,
  ]

  /// What they demand of each other.
  static let rules: [OptionRule] =
    [
      .needs(check, oneOf: [status]), .needs(plaintext, oneOf: [create]),
      .exclusive([status, baseline, create], because: "each is a thing of its own"),
      .exclusive([status, to], because: "status shows all versions"),
      .exclusive([status, Options.dryRun], because: "status changes nothing"),
      .exclusive([baseline, to], because: "a baseline runs nothing"),
      .exclusive([baseline, allowOutOfOrder], because: "a baseline runs nothing"),
      .exclusive(
        [schema, Options.outputDir], because: "a schema is migrated in the database itself"),
      .exclusive([schema, Options.backup], because: "a schema is migrated in the database itself"),
      .exclusive([schema, Options.resume], because: "each database says itself what was applied"),
    ] + all.dropFirst().map { .needs($0, oneOf: [schema]) }
}
