// What can be wrong with a command line, as facts. The sentences are made in Diagnostics. No case
// carries the value of an option that has to do with keys: it might be one.

/// A mistake in the words of a command line.
enum UsageFlaw: Error, Sendable, Equatable {
  case noCommand
  /// The word is nil where it must not be repeated.
  case unknownCommand(String?, suggestion: String?)
  /// The same of what a command does.
  case unknownAction(String?, of: String, suggestion: String?)
  /// `command` is nil before a command is named.
  case unknownOption(String, suggestion: String?, command: String?)
  /// Other commands take it.
  case notAllowed(String, command: String, takenBy: [String])
  /// `hasDash`: what follows begins with a dash.
  case missingValue(String, valueName: String, hasDash: Bool = false)
  /// A flag with `=value`.
  case unexpectedValue(String)
  /// `value` is nil where it must not be repeated.
  case badValue(String, value: String?, allowed: String)
  case twice(String)
  case exclusive(String, String, because: String)
  case needs(String, oneOf: [String])
  case tooFew(command: String, operands: String)
  case tooMany(command: String, operands: String, count: Int)
  /// `key generate FILE`.
  case generateOperand
  /// A key as a value: `--key ...`, `-k ...`.
  case keyOption(String)
  /// An operand that has the form of a raw key.
  case keyOperand
  /// A value of that form, where the name of something is wanted.
  case keyValue(OptionSpec)
  /// Behind a flag of a key stands a word, which may be one. `isFile`: where a file is wanted.
  case valueOfFlag(String, isFile: Bool, takesStore: Bool = true)
  case emptyArgument
  /// The argument with everything that is not ASCII escaped; nil where it must not be repeated.
  case notUTF8(String?)
  /// What is wrong with a list of names.
  case list(String, ListFlaw)
  case noDestination(command: String)
  /// `-` where a database would be written.
  case outputStream
  /// A name of no file.
  case targetBesideInPlace(String)
  /// `source`: what the command calls the file that it reads.
  case severalSources(count: Int, source: String)
  /// Two sources, whose outputs would have one name.
  case sameBaseName(String, String)
  /// Two names of one file that is to be changed.
  case sameFile(String, String)
  /// Two sources, one called as SQLite calls a companion of the other.
  case companionNames(String, String)
  /// `--key-binary` where the key would be typed.
  case binaryPrompt(String)
  /// verify would compare a database with itself.
  case againstItself(String)
  /// A manifest is refreshed, and another one was named to be written.
  case otherManifest(String)
  /// `--param` of another form.
  case badParameter(String)
  /// A parameter's value is not of the type that is named: the value and its name with type.
  case badParameterValue(String, of: String)
  case generateKind(String)
  /// A key would be shown on the terminal. What else can be done.
  case keyOnTerminal(String, instead: String)
  /// A key would be a part of a JSON object.
  case keyInJSON(instead: String)
}

/// What can be wrong with a list of names. Numbers of lines and names are from 1.
enum ListFlaw: Sendable, Equatable {
  /// No name is in it.
  case empty
  /// The limit in bytes.
  case tooLong(limit: Int)
  /// The limit in names.
  case tooMany(limit: Int)
  /// The limit in bytes.
  case longName(Int, limit: Int)
  /// A NUL where names end with line feeds.
  case nul(line: Int)
  case utf16
  /// Of some lines and not of all.
  case carriageReturn(line: Int)
  /// The name with everything that is not ASCII escaped; nil where it must not be repeated.
  case notUTF8(Int, String?)
  /// A database in the place of a list.
  case database
  /// None of so many names is that of a file.
  case noFile(Int)
  /// A line that has the form of a raw key.
  case key(Int)
}
