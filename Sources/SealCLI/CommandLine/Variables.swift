// What dbseal reads from the environment and which files it makes and reads without being given
// their names, as data: for the manual pages and the reference.

/// Variables that go together, and what they do.
struct VariableSpec: Sendable {
  /// Without the dollar sign; with the value, where there is only one.
  let names: [String]
  /// Sentences.
  let help: String

  /// Those that a command reads, which takes these options; a key's first.
  static func all(for options: [OptionSpec]) -> [VariableSpec] {
    var found = KeyOptions.sets.filter { options.contains($0.file) }.map(keys)
    if options.contains(KeyOptions.keyringBackend) { found += stores }
    if options.contains(KeyOptions.database.command) { found.append(path) }
    return found + common
  }

  /// Those of one key.
  private static func keys(_ set: KeyOptions) -> VariableSpec {
    VariableSpec(
      names: ["_FILE", "_COMMAND", ""].map { set.variable + $0 },
      help: """
        A file, a command, or the key itself, where no option says where to take the key of \
        \(set.whose). The first of the three that is set counts.
        """)
  }

  private static let stores = [
    VariableSpec(
      names: ["CREDENTIALS_DIRECTORY"],
      help: "The folder where systemd puts the credentials of a service: the first key store."),
    VariableSpec(
      names: ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"],
      help: "Where the Secret Service of the desktop session is looked for."),
    VariableSpec(
      names: ["DISPLAY", "WAYLAND_DISPLAY"],
      help: "With either, a key store may ask its user to unlock it, and is waited for longer."),
  ]
  private static let path = VariableSpec(
    names: ["PATH"], help: "Where the program of a key command is looked for.")
  /// What every command reads.
  static let common = [
    VariableSpec(names: ["NO_COLOR"], help: "If it is set and not empty, messages have no color."),
    VariableSpec(names: ["TERM"], help: "Where it is dumb, messages have no color."),
    VariableSpec(
      names: ["DBSEAL_CRYPTO=openssl"],
      help: "Keeps the work to libcrypto, where several pages at once would be quicker."),
  ]
}

/// A file that no argument names.
struct FileSpec: Sendable {
  let name: String
  /// Sentences.
  let help: String

  /// Those of a command.
  static func all(of command: CommandSpec) -> [FileSpec] {
    var found: [FileSpec] = []
    if command.operands.completion == .file { found.append(sidecars) }
    if command.option(named: Options.inPlace.name) != nil { found.append(temporary) }
    if command.option(named: Options.backup.name) != nil { found.append(backup) }
    if command.option(named: KeyOptions.keyringBackend.name) != nil { found.append(credential) }
    return found
  }

  private static let sidecars = FileSpec(
    name: "DATABASE-wal, DATABASE-shm, DATABASE-journal",
    help: """
      The log and the journal of SQLite. What is committed in them is part of the database, and is \
      read with it.
      """)
  private static let temporary = FileSpec(
    name: ".NAME.dbseal-XXXXXX",
    help: """
      The output NAME while it is made, beside it, with mode 600. It is removed on every way out; \
      what SIGKILL or a power cut leaves, the next run for the same output removes.
      """)
  private static let backup = FileSpec(
    name: "DATABASE + SUFFIX", help: "The file that --backup SUFFIX keeps.")
  private static let credential = FileSpec(
    name: "$CREDENTIALS_DIRECTORY/NAME", help: "The key of the name, where systemd hands out one.")
}
