// What is wrong with a key or its source, in words. Where a hint names an option, it is one.

internal import SealCore

/// Explains why there is no key.
enum KeyDiagnostics {
  /// Bytes that cannot be a key.
  static func explain(_ flaw: KeyFlaw) -> Diagnosis {
    switch flaw {
    case .empty: Diagnosis(.noKey, "the key is empty")
    case .rawMalformed(let characters):
      Diagnosis(
        .noKey,
        "a raw key is 64, 96 or 160 hex digits, and this one is something else of"
          + " \(Diagnostics.count(UInt64(clamping: characters), "character"))",
        hint: "without --raw-key it is a passphrase")
    case .rawAmbiguous:
      Diagnosis(
        .noKey, "the key starts with x' and is not a raw key of 64, 96 or 160 hex digits",
        hint: "--passphrase takes it as typed")
    case .passphraseTakenRaw:
      Diagnosis(
        .noKey,
        "some SQLCipher takes a key of the form x'…' with 64, 96 or 160 digits as a raw key,"
          + " whatever it is meant as", hint: "choose another passphrase")
    case .tooLong(let limit): Diagnosis(.noKey, "the key is longer than \(limit) bytes")
    }
  }

  /// A key that fits nothing.
  static func explain(_ wrong: WrongKey) -> Diagnosis {
    let formats = wrong.tried.isEmpty ? "" : " (\(list(wrong.tried)))"
    let tried = UInt64(clamping: wrong.pagesTried)
    let pages = tried == wrong.pagesInFile ? "page" : "tried page"
    let share = "0 of \(Diagnostics.count(tried, pages)) authenticate"
    let hint =
      if wrong.looksRaw {
        "the key is hex digits and was taken as a passphrase; --raw-key takes it as the key itself"
      } else if wrong.saltDiffers {
        "the salt in the raw key is not the one in the file; give the key's own digits only"
      } else {
        "check the key and the cipher settings; a file whose first 16 bytes were overwritten"
          + " looks the same"
      }
    return Diagnosis(
      .wrongKey, "wrong key, or other cipher settings: \(share)\(formats)", about: wrong.path,
      hint: hint,
      facts: [
        .init("tried", .array(wrong.tried.map { .string($0) })),
        .init("pages_tried", .integer(wrong.pagesTried)),
        .init("pages", .unsigned(wrong.pagesInFile)),
      ])
  }

  /// `format 4`, `formats 4, 3, 2, 1`, `formats 4, 3 with page size 8192`, and where the settings
  /// have less in common, one after the other.
  private static func list(_ names: [String]) -> String {
    let prefix = "format "
    // A format's number is one digit.
    let endings = Set(names.map { $0.dropFirst(prefix.count + 1) })
    guard names.count > 1, names.allSatisfy({ $0.hasPrefix(prefix) }), endings.count == 1 else {
      return names.joined(separator: "; ")
    }
    let numbers = names.map { $0.dropFirst(prefix.count).prefix(1) }
    return "formats " + numbers.joined(separator: ", ") + (endings.first ?? "")
  }

  /// A source that gave no key.
  static func explain(_ failure: KeyFailure) -> Diagnosis {
    let words = words(failure.flaw, failure.prefix)
    return Diagnosis(.noKey, words.0, about: name(failure.source), hint: words.1)
  }

  private static func name(_ source: KeySource) -> String? {
    switch source {
    case .file(let path): "key file \(path)"
    case .standardInput: "key from standard input"
    case .descriptor(let number): "key from descriptor \(number)"
    case .environment(let name): "$\(name)"
    case .command(_, let name): name
    case .terminal: nil
    }
  }

  /// `prefix`: which of a command's keys it is, as its options say it.
  private static func words(_ flaw: KeyFailure.Flaw, _ prefix: String) -> (String, String?) {
    let options = KeyOptions.sets.first { $0.prefix == prefix } ?? KeyOptions.database
    let binary = options.binary.flag
    switch flaw {
    case .empty: return ("the key is empty", nil)
    case .unset: return ("the variable is not set", nil)
    case .severalLines:
      return ("the key has more than one line", "\(binary) takes all bytes as they are")
    case .nul:
      return ("the key has a NUL byte, which no text has", "\(binary) takes bytes as they are")
    case .byteOrderMark:
      return (
        "the key starts with a byte-order mark, which an editor may have added",
        "save it without one, or take bytes as they are with \(binary)"
      )
    case .tooLong(let limit): return ("the key is longer than \(limit) bytes", nil)
    case .unreadable(let number): return (SystemCalls.words(number), nil)
    case .directory: return ("this is a directory", nil)
    case .notOpen: return ("the descriptor is not open for reading", nil)
    case .openToOthers(let mode):
      return (
        "others can read it (mode \(String(mode, radix: 8)))",
        "chmod 600, or --allow-open-key-file if that is meant"
      )
    case .unfinishedQuote: return ("a quote or backslash is not finished", nil)
    case .shellSyntax(let character):
      return (
        "\(character) means something to a shell only, and no shell runs this command",
        "quote it, or name the shell: sh -c '...'"
      )
    case .notStarted(let program, let number):
      return ("cannot run \(program): \(SystemCalls.words(number))", nil)
    case .exited(let program, let status):
      return ("\(program) failed with status \(status)", nil)
    case .killed(let program, let signal):
      return ("\(program) was ended by signal \(signal)", nil)
    case .noTerminal: return missing(options)
    case .mismatch: return ("the two keys differ", nil)
    case .lineTooLong(let limit):
      return ("a terminal takes keys of up to \(limit) bytes", "use \(options.file.flag)")
    }
  }

  /// Nothing names this key.
  private static func missing(_ options: KeyOptions) -> (String, String?) {
    let key =
      switch options.prefix {
      case KeyOptions.new.prefix: "no new key"
      case KeyOptions.against.prefix: "no key of the other database"
      default: "no key"
      }
    let ways = [options.file, options.descriptor, options.environment, options.command]
    return (
      "\(key) was given, and there is no terminal to ask on",
      "\(ways.map(\.flag).joined(separator: ", ")), or $\(options.variable)_FILE"
    )
  }
}
