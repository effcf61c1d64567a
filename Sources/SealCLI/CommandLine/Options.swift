// The options that are not a set of their own: where output goes, and what every command takes.

internal import SealCore

/// Single options, by what they do.
enum Options {
  static let filesFrom = OptionSpec(
    name: "files-from", value: .text("LIST", .file), section: .databases,
    help: "take the names from a file; - is standard input",
    detail: """
      One name a line, in the place of the names on the command line; empty lines are passed over. \
      Names are taken as they are: nothing in them is a comment, a quote or a pattern. Lines may all \
      end in CR LF. However many names are listed, the answer is that about several databases.
      """)
  static let null = OptionSpec(
    name: "null", short: "0", section: .databases,
    help: "names end with NUL, as find -print0 has them",
    detail: "Then a name may have line feeds in it.")

  static let inPlace = OptionSpec(
    name: "in-place", section: .output, help: "replace the database itself",
    detail: """
      The new file is made beside the old one, proven, and takes its name in one step. The file's \
      mode and owner are kept.
      """)
  static let outputDir = OptionSpec(
    name: "output-dir", value: .text("DIR", .directory), section: .output,
    help: "write several outputs into a directory",
    detail: "Each output has the base name of its source. The directory must exist.")
  static let backup = OptionSpec(
    name: "backup", value: .suffix("SUFFIX"), section: .output,
    help: "keep the replaced file under its name + SUFFIX")
  static let force = OptionSpec(
    name: "force", short: "f", section: .output, help: "replace a target that exists",
    detail: """
      It also allows hard-linked files, files that other processes have open, and write-protected \
      ones, and removes a stale -wal, -shm or -journal beside the target. It never allows source \
      and target to be one file.
      """)
  static let dryRun = OptionSpec(
    name: "dry-run", short: "n", section: .output,
    help: "check key, target and space, write nothing",
    detail: "Key, settings, target and space are checked as in a real run.")
  static let shred = OptionSpec(
    name: "shred", section: .output, help: "then overwrite and remove the plaintext",
    detail: """
      Only after the output was proven. On SSDs and on file systems that copy on write, old \
      blocks may survive an overwrite.
      """)
  static let createKey = OptionSpec(
    name: "create", section: .key, help: "with --keyring: make the key if there is none",
    detail: """
      A random raw key of 256 bits, stored and read back before the database is written. Where the \
      key is there, it is used.
      """)
  static let exact = OptionSpec(
    name: "exact", section: .output, help: "keep page size and reserved bytes",
    detail: "Every page keeps its number and its place, deleted content included.")
  static let outputPageSize = OptionSpec(
    name: "page-size", value: .choice("BYTES", CipherOptions.pageSizes), section: .output,
    help: "page size to write (default: the source's)")

  static let json = OptionSpec(
    name: "json", section: .common, help: "one JSON object a line, errors too",
    detail: "The objects go to standard output; nothing else does.")
  static let quiet = OptionSpec(
    name: "quiet", short: "q", section: .common, help: "say nothing but errors",
    detail: "A salt that the output does not hold is said all the same.")
  static let verbose = OptionSpec(
    name: "verbose", short: "v", section: .common, help: "say more about what was done")
  static let progress = OptionSpec(
    name: "progress", value: .choice("WHEN", ProgressForm.words), section: .common,
    help: "show progress (default: on a terminal)",
    detail: """
      json writes an object a line to standard error, at most two a second and one at the end. A line \
      is never drawn where $TERM is dumb, unless it is always.
      """)
  static let color = OptionSpec(
    name: "color", value: .choice("WHEN", Display.words), section: .common,
    help: "color messages (default: on a terminal)",
    detail: "$NO_COLOR turns color off where this option does not ask for it.")
  static let busyTimeout = OptionSpec(
    name: "busy-timeout", value: .seconds("SECONDS"), section: .common,
    help: "wait that long for a lock (default: 5)")
  static let jobs = OptionSpec(
    name: "jobs", short: "j", value: .integer("N", 1...1024), section: .common,
    help: "worker threads (default: one a core)")
  static let help = OptionSpec(
    name: "help", short: "h", section: .common, help: "show this help and exit")
  static let version = OptionSpec(
    name: "version", section: .common, help: "show versions and exit")

  static let resume = OptionSpec(
    name: "resume", value: .text("JOURNAL", .file), section: .output,
    help: "go on where a run that was stopped was",
    detail: """
      Each database that is finished is written to the file JOURNAL, which is made where there is \
      none. The same command line after a signal, a kill or a power cut passes over those that are \
      finished and did not change since. Options that decide what becomes of a database, and the \
      keys, have to be the same, also where nothing is left to do; no key is in the file.
      """)

  /// Names in the place of operands.
  static let list = [filesFrom, null]
  /// What a journal demands.
  static let resumeRule = OptionRule.exclusive(
    [resume, dryRun], because: "a dry run leaves nothing to go on with")
  /// What a list demands.
  static let listRule = OptionRule.needs(null, oneOf: [filesFrom])

  /// What every command takes.
  static let common = [json, quiet, verbose, progress, color, busyTimeout, jobs, help, version]
  /// What excludes what among them.
  static let commonRules: [OptionRule] = [
    .exclusive([quiet, verbose], because: "one asks for less, the other for more")
  ]
}

/// When to show something that belongs on a terminal.
enum Display: String, Sendable, CaseIterable {
  case auto, always, never
  static let words = allCases.map(\.rawValue)
}
