// What is wrong with a key or its source, in words. Where a hint names an option, it is one.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Explains why there is no key.
enum KeyDiagnostics {
  /// Bytes that cannot be the key of a database.
  static func explain(_ flaw: KeyFlaw) -> Diagnosis {
    let words = words(flaw, .database)
    return Diagnosis(.noKey, words.0, hint: words.1)
  }

  /// A source that gave no key.
  static func explain(_ failure: KeyFailure) -> Diagnosis {
    let options = KeyOptions.set(failure.prefix)
    let words: (String, String?) =
      switch failure.flaw {
      case .store(let flaw):
        KeyStoreDiagnostics.words(
          flaw, of: failure.source, isNew: failure.isNew,
          byCreate: failure.isNew && options.prefix.isEmpty)
      case .refused(.empty) where failure.isList:
        ("the list holds no key", "it has one key a line")
      case .refused(.tooLong(let limit)) where failure.isList:
        ("the list is longer than \(limit) bytes", check(failure.origin, options))
      default: words(failure.flaw, options, failure)
      }
    var hint = words.1
    if case (.file(let path), .openToOthers) = (failure.source, failure.flaw) {
      // What is named there is the terminal's, or nothing, in the shell where it is typed.
      let isElsewhere = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
      hint =
        "chmod 600 \(isElsewhere ? "the file behind it" : ShellWords.quoted(path)); or"
        + " --allow-open-key-file, if they may read the key"
    }
    if case .file(let path) = failure.source, case .unreadable(ENOENT) = failure.flaw,
      path.hasPrefix("~"), let origin = failure.origin
    {
      hint =
        "a shell expands ~ at the start of a word only, as in \(origin) ~/..., not behind ="
        + " and not in quotes"
    }
    return Diagnosis(.noKey, words.0, about: subject(failure), hint: hint)
  }

  /// What it is about. What names a source is repeated where the source is there, so that a key in the
  /// place of its name is not; a path also where it can hardly be anything else.
  private static func subject(_ failure: KeyFailure) -> String? {
    switch failure.source {
    case .file(let path):
      return isThere(failure) || KeyArguments.isRepeatable(path: path)
        ? "key file \(path)" : failure.origin
    case .standardInput: return "key from standard input"
    case .descriptor(let number): return "key from descriptor \(number)"
    case .environment(let name): return isThere(failure) ? "$\(name)" : failure.origin
    case .command: return failure.origin
    case .keyring(let name, let backend):
      // Without an option it is an operand of the key command, whose names are no keys.
      guard let origin = failure.origin, !isThere(failure) else {
        return KeyStoreDiagnostics.subject(name, backend)
      }
      return origin
    case .store(let backend): return backend?.title
    case .terminal: return nil
    }
  }

  /// The source is there, so that what names it is a name.
  private static func isThere(_ failure: KeyFailure) -> Bool {
    switch failure.flaw {
    case .unset: return false
    case .unreadable(let number): return ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(number)
    case .store(let flaw):
      switch flaw {
      case .several, .notReadBack, .readOnlyBeside, .openToOthers: return true
      default: return false
      }
    default: return true
    }
  }

  /// Which of a command's keys it is.
  static func name(_ options: KeyOptions) -> String {
    switch options.prefix {
    case KeyOptions.new.prefix: "the new key"
    case KeyOptions.against.prefix: "the other database's key"
    default: "the database's key"
    }
  }

  /// The options and the variable that give this key.
  static func ways(_ options: KeyOptions, takesStore: Bool = true) -> String {
    let ways =
      [options.file, options.descriptor, options.environment, options.command]
      + (takesStore ? [options.keyring] : [])
    return "\(ways.map(\.flag).joined(separator: ", ")), or $\(options.variable)_FILE"
  }

  /// What to do without a key, for those who want that.
  static func without(_ options: KeyOptions, takesStore: Bool = true) -> String {
    let ways = ways(options, takesStore: takesStore)
    switch options.prefix {
    case KeyOptions.new.prefix:
      return "\(Catalog.tool) decrypt makes a database without a key; a new one comes from \(ways)"
    case KeyOptions.against.prefix:
      return "a plaintext database needs no key; another's comes from \(ways)"
    default: return "an empty key protects nothing; a key comes from \(ways)"
    }
  }

  /// Where the mistake may be.
  static func check(_ origin: String?, _ options: KeyOptions) -> String {
    "check what \(origin ?? options.file.flag) names"
  }

  private static func words(
    _ flaw: KeyFailure.Flaw, _ options: KeyOptions, _ failure: KeyFailure
  ) -> (String, String?) {
    let key = failure.isList ? "the list" : name(options)
    let takesBytes = failure.takesBytes
    let check = check(failure.origin, options)
    let binary = options.binary.flag
    let text = "a key is one line of text there; bytes are hex digits, with \(options.raw.flag)"
    switch flaw {
    case .refused(let flaw):
      return words(flaw, options, failure.origin, takesStore: failure.takesStore)
    case .unset:
      return (
        "\(key) is to be in the variable of that name, which is not set",
        "give its name without $, and set and export it; a key also comes from "
          + ways(options, takesStore: failure.takesStore)
      )
    case .emptyName: return ("the variable is empty and names nothing", "set it, or unset it")
    case .nameNotUTF8: return ("what the variable holds is not UTF-8", "set it to another name")
    case .identity:
      return (
        "\(key) is an identity of age, which opens what age encrypted",
        failure.isList
          ? "a list has keys of databases"
          : "\(options.command.flag) 'age --decrypt --identity \(file(failure.source)) ENCRYPTED-FILE'"
            + " takes the key that is in such a file"
      )
    case .comment:
      return (
        "\(key) has more than one line, of which the first is a comment",
        "a file of its own for the key, of one line and without a comment"
      )
    case .severalLines(let blank):
      guard blank > 0 else {
        return (
          "\(key) has more than one line", firstLine(of: failure.source, options) ?? text
        )
      }
      return (
        "\(key) has \(Diagnostics.count(UInt64(clamping: blank), "empty line")) behind its line",
        "end it after one line"
          + (takesBytes ? "; \(binary) would take every line end as a part of the key" : "")
      )
    case .nul, .notText:
      let what = flaw == .nul ? "has a NUL byte, which no text has" : "is not text in UTF-8"
      return (
        "\(key) \(what)",
        takesBytes ? "\(check); \(binary) takes bytes as they are" : text
      )
    case .byteOrderMark:
      return (
        "\(key) starts with a byte-order mark, which an editor may have added",
        "save it without one"
          + (takesBytes ? "; \(binary) would take it, and the line end, as a part of the key" : "")
      )
    case .utf16:
      return (
        "\(key) is UTF-16 text, as PowerShell's > writes it",
        "save it as UTF-8 without a byte-order mark"
          + (takesBytes ? "; \(binary) would take these bytes as the key" : "")
      )
    case .json:
      return (
        "\(key) is JSON in more than one line",
        "the key is one of the values in it, and may be encrypted there itself:"
          + " \(options.command.flag) 'jq -r .NAME \(file(failure.source))' takes one out"
      )
    case .encryptedText:
      return (
        "\(key) is in text of several lines that another program encrypted, by its beginning",
        failure.isList
          ? "decrypt it first"
          : "\(options.command.flag) takes what the command that decrypts it prints"
      )
    case .sealed(let format): return sealed(format, options, failure)
    case .database(let isEncrypted):
      return (
        isEncrypted
          ? "this looks like an encrypted database, not a key"
          : "this is a SQLite database, not a key", check
      )
    case .unreadable(let number):
      return (SystemCalls.words(number), "\(check), and who may read it")
    case .directory: return ("this is a directory", "name a file in it")
    case .notOpen:
      return (
        "the descriptor is not open for reading",
        "the shell opens it with a redirection: \(options.descriptor.flag) 3 3<app.key"
      )
    case .openToOthers(let mode):
      return (
        "others can read it (mode \(String(mode, radix: 8)))",
        "chmod 600 takes that away; --allow-open-key-file if it is meant"
      )
    case .unfinishedQuote:
      return (
        "a quote or backslash is not finished", "close the quote, or quote the backslash: '\\\\'"
      )
    case .shellSyntax(let character):
      return (
        "\(character) means something to a shell only, and no shell runs this command",
        "quote it, or name the shell: sh -c '...'"
      )
    case .notStarted(let number):
      return (
        "the command cannot be run: \(SystemCalls.words(number))",
        "check its name and $PATH; what only a shell knows is run by sh -c '...'"
      )
    case .exited(let status):
      return (
        "the command failed with status \(status)", "run it by itself to see what it says"
      )
    case .killed(let signal):
      return ("the command was ended by signal \(signal)", "run it by itself to see why")
    case .notAgain(let flaw):
      let what =
        flaw.map { "run a second time, it failed: \(words($0, options, failure).0)" }
        ?? "run a second time, the command gave another key"
      let sentence = "\(what); a key that nobody can get again would seal the database for ever"
      if case .slow = flaw { return (sentence, "\(KeyOptions.keyTimeout.flag) waits longer") }
      return (
        sentence,
        (flaw == nil ? "" : "run it twice by itself to see why; or ")
          + "keep the key first (\(Catalog.tool) key generate --output app.key), and give it with"
          + " \(options.file.flag)"
      )
    case .noTerminal: return missing(options, takesStore: failure.takesStore)
    case .controlCharacters:
      return (
        "\(key) as it was typed has control characters, as arrow keys leave them",
        "type it again, without them; \(options.file.flag) takes a key that has them"
      )
    case .mismatch:
      return ("the two keys differ, and nothing was changed", "run it again and type the key twice")
    case .lineTooLong(let limit):
      return ("a terminal takes keys of up to \(limit) bytes", "use \(options.file.flag)")
    case .slow(let seconds):
      return (
        "\(failure.isList ? key : "the key") did not come within"
          + " \(KeyStoreDiagnostics.words(seconds: seconds))",
        "\(KeyOptions.keyTimeout.flag) waits longer"
      )
    case .store(let flaw): return KeyStoreDiagnostics.words(flaw)
    case .line(let number, let flaw):
      let found = words(flaw, options, failure.origin, takesStore: failure.takesStore)
      return ("line \(number): \(found.0)", "mend line \(number), or take it out of the list")
    }
  }

  /// Nothing names this key.
  private static func missing(
    _ options: KeyOptions, takesStore: Bool
  ) -> (String, String?) {
    let key =
      switch options.prefix {
      case KeyOptions.new.prefix: "no new key"
      case KeyOptions.against.prefix: "no key of the other database"
      default: "no key"
      }
    return (
      "\(key) was given, and there is no terminal to ask on",
      "use \(ways(options, takesStore: takesStore))"
    )
  }
}
