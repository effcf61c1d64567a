// Mistakes in a command line, in words.

internal import SealCore

/// Explains usage errors.
enum UsageDiagnostics {
  private static let tool = Catalog.tool

  static func explain(_ flaw: UsageFlaw) -> Diagnosis {
    let words = words(flaw)
    return Diagnosis(.usage, words.0, hint: words.1)
  }

  private static func words(_ flaw: UsageFlaw) -> (String, String?) {
    switch flaw {
    case .noCommand: return ("no command was given", see(nil))
    case .unknownCommand(let name, let suggestion):
      return ("unknown command" + (name.map { " \($0)" } ?? ""), meant(suggestion) ?? see(nil))
    case .unknownAction(let name, let command, let suggestion):
      return (
        "\(command) has no action of that name" + (name.map { ": \($0)" } ?? ""),
        meant(suggestion.map { "\(command) \($0)" }) ?? actions(of: command)
      )
    case .unknownOption(let name, let suggestion, let command):
      return ("unknown option \(name)", meant(suggestion) ?? see(command))
    case .notAllowed(let name, let command, let takers):
      let own = own(name, command).map { "for \(command) it is \($0); " } ?? ""
      return ("\(command) does not take \(name)", "\(own)it belongs to \(list(takers, "and"))")
    case .missingValue(let name, let value, let hasDash):
      return (
        "\(name) needs a value: \(name) \(value)",
        hasDash ? "one that begins with a dash is written \(name)=\(value)" : nil
      )
    case .unexpectedValue(let name):
      return ("\(name) takes no value", "leave = and what follows out")
    case .badValue(let name, let value, let allowed):
      return (
        value.map { "\(name) cannot be \($0): \(allowed)" } ?? "\(name) takes \(allowed)", nil
      )
    case .twice(let name): return ("\(name) was given twice", "leave one of them out")
    case .exclusive(let one, let other, let reason):
      return ("\(one) and \(other) exclude each other: \(reason)", "leave one of them out")
    case .needs(let name, let others):
      let others = list(others, "or")
      return ("\(name) goes with \(others)", "add \(others), or leave \(name) out")
    case .tooFew(let command, let operands):
      // It is not in the help, so that who types it means another one.
      return (
        "\(command) needs \(operands)",
        command == Catalog.generate.name
          ? "\(Catalog.tool) key generate makes a key; \(see(command))" : see(command)
      )
    case .tooMany(let command, let operands, let count):
      let verb = count == 1 ? "was" : "were"
      let isKey = command.hasPrefix(Catalog.key.name) && count > 1
      return (
        "\(command) takes \(operands), and \(count) \(verb) given",
        isKey
          ? "\(see(command)); a key is no argument: key store asks for it, or takes it from"
            + " \(KeyDiagnostics.ways(.database))" : see(command)
      )
    case .valueOfFlag(let flag, let isFile, let takesStore):
      let set = KeyOptions.sets.first { set in set.own.contains { $0.flag == flag } } ?? .database
      return (
        "\(flag) takes no value, and "
          + (isFile ? "no file has the name that follows it" : "a word too many follows it"),
        "the key is asked for, or comes from \(KeyDiagnostics.ways(set, takesStore: takesStore))"
          + (isFile ? "; a file that is meant can stand before \(flag)" : "")
      )
    case .generateOperand:
      return (
        "key generate takes no operand",
        "\(KeyCommandOptions.output.flag) names a file for the key, and"
          + " \(KeyCommandOptions.keyring.flag) a key in a store"
      )
    case .keyOption, .keyOperand, .keyValue: return key(flaw)
    case .emptyArgument:
      return ("an argument is empty", "look whether a variable on the command line is not set")
    case .notUTF8(let text?):
      return ("an argument is not UTF-8: \(text)", "give the file another name, or a link to it")
    case .notUTF8(nil):
      return (
        "an argument is not UTF-8", "names have to be; it is not repeated, because it may be a key"
      )
    case .list(let name, let flaw): return list(name, flaw)
    case .noDestination(let command):
      return (
        "\(command) needs to know where its output goes",
        "name a TARGET, or use --in-place or --output-dir"
      )
    case .outputStream:
      return (
        "a database cannot be written to standard output",
        "give the name of a file; one that is called - is written ./-"
      )
    case .targetBesideInPlace(let name):
      return (
        "with --in-place every file is changed, and there is no \(name); nothing was",
        "leave --in-place out to write \(name), or leave \(name) out"
      )
    case .severalSources(let count, let source):
      return (
        "\(count) files are more than \(source) and TARGET",
        "--in-place changes all of them, --output-dir DIR leaves them and writes to a folder"
      )
    case .sameBaseName(let first, let second):
      return (
        OptionValues.same(first, second)
          ? "\(first) was named twice, and only one output can have the name"
          : "\(first) and \(second) would have one name in the directory",
        "--in-place changes each where it is, and --backup .old keeps it; or run it once for each,"
          + " with another --output-dir"
      )
    case .sameFile(let first, let second):
      let words =
        OptionValues.same(first, second)
        ? "\(first) was named twice" : "\(first) and \(second) are one file"
      return ("\(words), and it would be changed twice", "name each database once")
    case .companionNames(let name, let companion):
      return (
        "SQLite would take \(companion) for a part of \(name), and remove it", "choose other names"
      )
    case .binaryPrompt(let name):
      return (
        "\(name) goes with a file, a descriptor or a command, not with a terminal",
        "leave it out to type a key, or add --key-file"
      )
    case .againstItself(let path):
      return (
        "\(VerifyOptions.against.flag) \(path): that is the database that is checked",
        "name another one, or leave \(VerifyOptions.against.flag) out"
      )
    case .otherManifest(let path):
      let (read, write) = (VerifyOptions.manifest.flag, VerifyOptions.writeManifest.flag)
      let name = ShellWords.quoted(path)
      return (
        "\(write) beside \(read) refreshes that manifest, and names another file",
        "\(read) \(name) \(write) \(name) refreshes it; a new one is made of databases that are"
          + " named"
      )
    case .badParameter(let text):
      return (
        "--param \(text): it is NAME=VALUE, NAME:text=VALUE, NAME:integer=N, NAME:real=X,"
          + " NAME:blob=HEX or NAME:null", nil
      )
    case .badParameterValue(let value, let name):
      return (
        "--param \(name): \(value) is no such value", "--param NAME:text=VALUE takes any text"
      )
    case .generateKind(let name):
      return ("generate \(name): it makes man, completions or reference", nil)
    case .keyOnTerminal(let action, let instead):
      return ("\(action) prints the key, and standard output is a terminal", instead)
    case .keyInJSON(let instead):
      return ("a key is no part of a JSON answer", instead)
    }
  }

  private static func list(_ list: String, _ flaw: ListFlaw) -> (String, String?) {
    let null = Options.null.flag
    switch flaw {
    case .empty: return ("\(list) names no database, so nothing was done", nil)
    case .tooLong(let limit):
      return ("\(list) is longer than \(limit >> 20) MiB", "work on a part of it at a time")
    case .tooMany(let limit):
      return ("\(list) has more than \(limit) names", "work on a part of it at a time")
    case .longName(let number, let limit):
      return (
        "\(list), name \(number): longer than \(limit) bytes, which no file's name is",
        "names stand on lines of their own, or end with NUL and \(null) is given"
      )
    case .nul(let line):
      return ("\(list), line \(line): a NUL byte", "\(null) reads names that end with NUL")
    case .utf16: return ("\(list) is UTF-16", "save it as UTF-8")
    case .carriageReturn(let line):
      return (
        "\(list), line \(line): it ends in a carriage return, and not all lines do",
        "a name that ends so has to be given with \(null); else save the list with one kind of line end"
      )
    case .notUTF8(let number, let text):
      return (
        "\(list), name \(number) is not UTF-8" + (text.map { ": \($0)" } ?? ""),
        "give the file another name, or a link to it"
      )
    case .database:
      return (
        "\(list) is a database, and not a list of names",
        "leave \(Options.filesFrom.flag) out to name the database itself"
      )
    case .noFile(let count):
      return (
        count == 1
          ? "\(list): its one line is not the name of a file that exists"
          : "\(list): none of its \(count) lines is the name of a file that exists",
        "names are looked for from the current folder; they are not repeated here, because a file of"
          + " keys could have been named by mistake"
      )
    case .key(let line):
      return (
        "\(list), line \(line): that looks like a raw key and not like the name of a file",
        "\(Options.filesFrom.flag) takes names of databases, --key-file takes a key"
      )
    }
  }

  private static func key(_ flaw: UsageFlaw) -> (String, String?) {
    let why = "other users and the shell history would see it"
    let ways =
      "use --key-file, --key-fd, --key-env, --key-command or --keyring, or none of them to be asked"
    if case .keyOption(let name) = flaw {
      return ("\(name): no option takes a key as its value, because \(why)", ways)
    }
    if case .keyValue(let option) = flaw {
      let what = "\(option.flag): that looks like a raw key and not like \(kind(option))"
      return ("\(what); a key is never an argument, because \(why)", hint(option) ?? ways)
    }
    return ("an argument looks like a raw key; a key is never an argument, because \(why)", ways)
  }

  /// What the value of the option names.
  private static func kind(_ option: OptionSpec) -> String {
    guard case .text(_, let completion) = option.value else { return "an ending of a name" }
    switch completion {
    case .variable: return "the name of a variable"
    case .file, .directory: return "the name of a file"
    case .none, .words:
      return KeyOptions.sets.contains { $0.command == option } ? "a command" : "a name"
    }
  }

  /// How such a name would be written.
  private static func hint(_ option: OptionSpec) -> String? {
    guard case .text(let value, let completion) = option.value else { return nil }
    switch completion {
    case .variable: return "\(option.flag) \(value) takes the variable's name, without $"
    case .file, .directory: return "a file that is called so is written with ./ before its name"
    case .none, .words: return nil
    }
  }

  /// What `command` calls `--source-…`, where it reads with the bare name.
  private static func own(_ name: String, _ command: String) -> String? {
    let options = Catalog.command(named: command)?.options ?? []
    let (long, short) = (CipherOptions.source.all, CipherOptions.examined.all)
    guard let index = long.firstIndex(where: { $0.flag == name }) else { return nil }
    return options.contains(CipherOptions.examined.format) && options.contains(short[index])
      ? short[index].flag : nil
  }

  /// What the command does.
  private static func actions(of name: String) -> String {
    let names = Catalog.command(named: name)?.actions.map(\.name) ?? []
    return "\(name) takes \(list(names, "or")); see \(see(name))"
  }

  private static func meant(_ suggestion: String?) -> String? {
    suggestion.map { "did you mean \($0)?" }
  }

  private static func see(_ command: String?) -> String {
    [tool, command, "--help"].compactMap { $0 }.joined(separator: " ")
  }

  private static func list(_ words: [String], _ last: String) -> String {
    guard words.count > 1, let final = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) \(final)"
  }
}
