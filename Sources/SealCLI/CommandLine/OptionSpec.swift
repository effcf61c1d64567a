// What an option and a command are, as data. Nothing here prints or reads: the catalog is made of
// these values, and the parser, the help, the man pages, the completions and the reference are
// functions of them.

internal import SealCore

/// One option, as every reader of the catalog sees it.
struct OptionSpec: Sendable, Equatable {
  /// What stands after the name.
  enum Value: Sendable, Equatable {
    /// A flag: nothing.
    case none
    /// Any text but an empty one.
    case text(String, Completion)
    /// What is put behind a file's name: no path, and more than a dot.
    case suffix(String)
    /// A whole number of the range.
    case integer(String, ClosedRange<Int>)
    /// Seconds, with or without a fraction, up to a day.
    case seconds(String)
    /// One of a closed list of words.
    case choice(String, [String])
    /// Twice as many hex digits as the bytes.
    case hex(String, bytes: Int)
  }

  /// The long name, without the dashes.
  let name: String
  var short: Character?
  var value: Value = .none
  let section: OptionSection
  /// One line, lower case, no full stop.
  let help: String
  /// More sentences, for the man page and the reference.
  var detail = ""
  /// It may be given more than once; only options with a text as their value may.
  var repeats = false

  /// `--name`.
  var flag: String { "--" + name }

  /// The name of the value in help texts; nil for a flag.
  var valueName: String? {
    switch value {
    case .none: nil
    case .text(let name, _), .suffix(let name), .integer(let name, _), .seconds(let name),
      .choice(let name, _), .hex(let name, _):
      name
    }
  }

  /// What a value may be, in words; nil where anything goes.
  var allowed: String? {
    switch value {
    case .none, .text: nil
    case .suffix: "an ending without a slash, for instance .old"
    case .integer(_, let range) where range.upperBound == Int(Int32.max):
      "a whole number from \(range.lowerBound)"
    case .integer(_, let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds: "seconds, for instance 5 or 0.5"
    case .choice(_, let words): words.joined(separator: ", ")
    case .hex(_, let bytes): "\(2 * bytes) hex digits"
    }
  }
}

/// How a shell completes a value or an operand.
enum Completion: Sendable, Equatable {
  case none, file, directory, variable
  case words([String])
}

/// Under which heading an option stands, in the order of the help texts.
enum OptionSection: String, Sendable, CaseIterable {
  case databases = "Which databases"
  case output = "Output"
  case checks = "What to check"
  case schema = "Schema migrations"
  case content = "What to show"
  case key = "Key of the database"
  case newKey = "New key"
  case cipher = "Cipher settings"
  case sourceCipher = "Cipher settings of the source"
  case otherKey = "Key of the other database"
  case other = "Cipher settings of the other database"
  case common = "Common options"

  /// What is given to an option in it may be a key, and is not repeated.
  var mayHoldKey: Bool { [.key, .newKey, .otherKey].contains(self) }
}

/// What a command demands of its options beyond their values.
enum OptionRule: Sendable, Equatable {
  /// At most one of these, and why.
  case exclusive([OptionSpec], because: String)
  /// The first one makes sense only beside one of the others.
  case needs(OptionSpec, oneOf: [OptionSpec])
}

/// The operands of a command.
struct OperandSpec: Sendable {
  /// As the usage line says them.
  let names: String
  let minimum: Int
  /// nil: any number.
  let maximum: Int?
  let completion: Completion
  /// Options that name them in the place of operands.
  var instead: [OptionSpec] = []
}

/// One of the things that a command does, named by its first operand.
struct ActionSpec: Sendable {
  let name: String
  /// One line, lower case, no full stop.
  let summary: String
  /// What follows `dbseal COMMAND NAME` in the usage lines.
  let synopsis: String
  /// Those that it takes, of the command's.
  let options: [OptionSpec]
}

/// A command line worth showing.
struct Example: Sendable {
  let purpose: String
  let line: String
}

/// One command, as every reader of the catalog sees it.
struct CommandSpec: Sendable {
  let name: String
  /// One line, lower case, no full stop.
  let summary: String
  /// What follows `dbseal NAME` in the usage lines.
  let synopses: [String]
  /// Paragraphs.
  let description: [String]
  let operands: OperandSpec
  /// What the first operand chooses among, each with options of its own; none for most commands.
  var actions: [ActionSpec] = []
  let options: [OptionSpec]
  var rules: [OptionRule] = []
  let examples: [Example]
  /// The exit codes that the command can end with.
  let outcomes: [ErrorCode]
  /// Left out of help texts and completions.
  var hidden = false

  /// The option of that name, if this command takes it.
  func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }
  /// The option of that letter, if this command takes it.
  func option(letter: Character) -> OptionSpec? { options.first { $0.short == letter } }
}
