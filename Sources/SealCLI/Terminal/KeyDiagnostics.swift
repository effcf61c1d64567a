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

  /// A source that gave no key.
  static func explain(_ failure: KeyFailure) -> Diagnosis {
    let words = words(failure.flaw)
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

  private static func words(_ flaw: KeyFailure.Flaw) -> (String, String?) {
    let ways = "--key-file, --key-fd, --key-env, --key-command, or $DBSEAL_KEY_FILE"
    switch flaw {
    case .empty: return ("the key is empty", nil)
    case .unset: return ("the variable is not set", nil)
    case .severalLines:
      return ("the key has more than one line", "--key-binary takes all bytes as they are")
    case .nul:
      return ("the key has a NUL byte, which no text has", "--key-binary takes bytes as they are")
    case .byteOrderMark:
      return (
        "the key starts with a byte-order mark, which an editor may have added",
        "save it without one, or take bytes as they are with --key-binary"
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
    case .noTerminal: return ("no key was given, and there is no terminal to ask on", ways)
    case .mismatch: return ("the two keys differ", nil)
    case .lineTooLong(let limit):
      return ("a terminal takes keys of up to \(limit) bytes", "use --key-file")
    }
  }
}
