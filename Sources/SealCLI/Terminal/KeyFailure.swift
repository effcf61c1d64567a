// Where a key comes from and what can be wrong there, as facts. No case carries a byte of a key, and of a
// command no word: what was taken for a command may be a key.

internal import SealCore

/// Where the bytes of a key come from.
enum KeySource: Sendable, Hashable {
  case file(String)
  case standardInput
  case descriptor(Int32)
  case environment(String)
  /// A command line.
  case command(String)
  /// A name in the stores of this machine, or in one of them.
  case keyring(String, KeyBackend?)
  /// A store as a whole, or all of them.
  case store(KeyBackend?)
  case terminal
}

/// Why a source gave no key.
struct KeyFailure: Error, Sendable, Equatable {
  let source: KeySource
  let flaw: Flaw
  /// What stands before `key` in the names of the options that this key has: `new-`.
  var prefix = ""
  /// The option or the variable that named the source; nil where an operand did.
  var origin: String?
  /// The key was to seal a database.
  var seals = false
  /// A store could have been named instead.
  var takesStore = true
  /// The key was to be a new one, which can be made.
  var isNew = false
  /// The source is a list of keys, of which each is a line of text.
  var isList = false

  /// The source can give bytes that are no text, by the option for that.
  var takesBytes: Bool {
    switch source {
    case .file, .standardInput, .descriptor, .command: !isList
    case .environment, .keyring, .store, .terminal: false
    }
  }

  enum Flaw: Sendable, Equatable {
    /// The source gave bytes, and they are no key.
    case refused(KeyFlaw)
    case unset
    /// With the number of empty lines, where nothing else follows the first.
    case severalLines(blank: Int)
    /// What age decrypts with.
    case identity
    /// Several lines, of which the first is no key.
    case comment
    case nul
    /// Several lines, and characters that no text has.
    case notText
    case byteOrderMark
    case utf16
    /// More than one line of JSON.
    case json
    /// More than one line that begins as what other programs encrypted.
    case encryptedText
    /// A file that age or OpenPGP encrypted.
    case sealed(OtherFormat)
    /// A database, by its first bytes, or by its form where it seems to be an encrypted one.
    case database(isEncrypted: Bool)
    /// A variable that is to name a file or a command, and is empty, or not UTF-8.
    case emptyName
    case nameNotUTF8
    case unreadable(errno: Int32)
    case directory
    case notOpen
    /// Permission bits that let others read the file.
    case openToOthers(mode: UInt32)
    /// The words of a command line.
    case unfinishedQuote
    case shellSyntax(Character)
    case notStarted(errno: Int32)
    case exited(status: Int32)
    case killed(signal: Int32)
    /// The command of a key that is to seal, run a second time: it gave another key, or failed so.
    indirect case notAgain(Flaw?)
    case noTerminal
    /// A typed key has characters that a keyboard gives for keys such as arrows.
    case controlCharacters
    case mismatch
    /// The terminal passes at most `limit` bytes of a line on.
    case lineTooLong(limit: Int)
    /// Not all of it came in that time.
    case slow(seconds: Double)
    /// What the store of the key says.
    case store(KeyStoreFlaw)
    /// A line of a list that is no key, and why.
    case line(Int, KeyFlaw)

    /// The source gave nothing.
    static let empty = Flaw.refused(.empty)
    /// The source gave more than any key has.
    static func tooLong(limit: Int) -> Flaw { .refused(.tooLong(limit: limit)) }
  }
}
