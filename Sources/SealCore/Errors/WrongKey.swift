// Why a key is none, or opens nothing, and what would open the file instead: names of what was
// tried, never a byte of a key.

/// Why bytes cannot be a key.
public enum KeyFlaw: Sendable, Equatable {
  case empty
  /// Asked for as a raw key, but not 64, 96 or 160 hex digits; with how many digits it is, where it is
  /// nothing else, what it looks like, and what would make it one.
  case rawMalformed(
    characters: Int, digits: Int? = nil, shape: KeyShape? = nil, without: KeyVariant? = nil)
  /// Starts with `x'` and is not a raw key: SQLCipher would silently take it as a passphrase. With
  /// the characters in it, the same of digits, whether its apostrophe is closed, and what would make
  /// it one.
  case rawAmbiguous(
    characters: Int, digits: Int? = nil, isClosed: Bool, without: KeyVariant? = nil)
  /// Meant as typed, and some SQLCipher takes a key of this form as a raw one.
  case passphraseTakenRaw
  /// Longer than `limit` bytes.
  case tooLong(limit: Int)
}

/// What was tried before a key was called wrong.
public struct WrongKey: Sendable, Equatable {
  public var path: String
  /// The formats tried, as `CipherProfile.name` says them.
  public var tried: [String]
  public var pagesTried: Int
  public var pagesInFile: UInt64
  /// The key is 64, 96 or 160 bare hex digits and was taken as a passphrase.
  public var looksRaw: Bool
  /// The salt in the raw key differs from the one in the file.
  public var saltDiffers: Bool
  /// What opens the file instead, where that was found by trying.
  public var fit: KeyFit?
  /// What the key looks like, where that could be why it is wrong.
  public var shape: KeyShape?

  public init(
    path: String, tried: [String], pagesTried: Int, pagesInFile: UInt64, looksRaw: Bool = false,
    saltDiffers: Bool = false, fit: KeyFit? = nil, shape: KeyShape? = nil
  ) {
    self.path = path
    self.tried = tried
    self.pagesTried = pagesTried
    self.pagesInFile = pagesInFile
    self.looksRaw = looksRaw
    self.saltDiffers = saltDiffers
    self.fit = fit
    self.shape = shape
  }
}

/// Another reading of the bytes that were given as a key.
public enum KeyVariant: String, Sendable, CaseIterable {
  /// As it was given: the settings are what differs.
  case asGiven = "as_given"
  /// Digits that were taken as a passphrase are the key itself.
  case raw
  /// Digits that were taken as the key itself are a passphrase.
  case passphrase
  /// The first 64 digits of a raw key with a salt, over the salt in the file.
  case withoutSalt = "without_salt"
  /// The hex digits alone, without what stands before, between and around them, are the key itself.
  case digitsAsRaw = "digits_as_raw"
  /// As it was given, over the salt in the file instead of the one that was given apart from it.
  case withoutGivenSalt = "without_given_salt"
  /// The bytes that hex digits stand for are a passphrase.
  case bytesOfDigits = "bytes_of_digits"
  /// The first 40 bytes, or of those that hex digits stand for: `PRAGMA hexkey` takes no more
  /// (zKey in sqlite3Pragma, src/pragma.c).
  case firstBytes = "first_40_bytes"
  /// 32, 48 or 80 bytes that were taken as a passphrase are the key itself.
  case bytesAsRaw = "bytes_as_raw"
  /// The bytes that base64 stands for are the key itself.
  case base64AsRaw = "base64_as_raw"
  /// The bytes that base64 stands for are a passphrase.
  case bytesOfBase64 = "bytes_of_base64"
  case withoutMark = "without_byte_order_mark"
  case withoutNewline = "without_newline"
  /// Without a carriage return that no line feed follows.
  case withoutReturn = "without_carriage_return"
  /// Without all of several line ends.
  case withoutNewlines = "without_newlines"
  case withNewline = "with_newline"
  /// With CRLF, which a text of bytes may have lost.
  case withReturn = "with_carriage_return"
  case withoutBlanks = "without_blanks"
  case withoutQuotes = "without_quotes"
  case withoutSemicolon = "without_semicolon"
  /// Each two apostrophes of SQL text as the one that they stand for.
  case undoubled = "without_doubled_quotes"
  /// The value in a PRAGMA statement.
  case withoutStatement = "without_statement"
  /// UTF-16 text as UTF-8.
  case fromUTF16 = "utf8_of_utf16"
  /// Letters with their accents as one character (NFC).
  case composed
  /// Letters and accents apart (NFD).
  case decomposed
  /// UTF-8 text as Latin-1.
  case latin1
  /// Latin-1 text as UTF-8.
  case utf8
  /// UTF-8 text as the modified UTF-8 of Java's native interface.
  case modifiedUTF8 = "modified_utf8"
  /// UTF-8 text as UTF-16, little-endian.
  case utf16
  /// The same behind a byte-order mark.
  case markedUTF16 = "utf16_with_mark"
  /// Not the key: bytes of zero, of any number, which are what an app's cleared key is.
  case cleared
  /// No reading of it at all: the key that the database was to get.
  case newKey = "new_key"
}

/// What opens a file that the key as it was given does not open.
public struct KeyFit: Sendable, Equatable {
  public var variant: KeyVariant
  /// What had to be cut off before `variant` fitted.
  public var also: [KeyVariant]
  /// The settings, as `CipherProfile.name` says them; where page size and rounds are all that is
  /// not its format's, these.
  public var settings: String
  public var format: Int?
  public var pageSize: Int
  public var kdfIterations: Int
  /// Bytes of the plaintext header, where their number is what was wrong.
  public var plaintextHeader: Int?

  public init(
    variant: KeyVariant, also: [KeyVariant] = [], settings: String, format: Int?, pageSize: Int,
    kdfIterations: Int
  ) {
    self.variant = variant
    self.also = also
    self.settings = settings
    self.format = format
    self.pageSize = pageSize
    self.kdfIterations = kdfIterations
  }
}

/// Why a new key may not be what its owner thinks it is.
public enum KeyOddity: Sendable, Equatable {
  /// Another reading that it has.
  case reading(KeyVariant)
  case shape(KeyShape)
}

/// What a key looks like that apps keep in another form than they use it, or that is none.
public enum KeyShape: String, Sendable, CaseIterable {
  /// Begins as what Electron's safeStorage or Windows' data protection made of a key.
  case encrypted
  /// Hex digits of another number than a raw key has.
  case hex
  case base64
  /// 64 bytes, as they are or as hex digits or base64: a key of Realm's.
  case realm
  /// Text beyond ASCII: other encodings and Unicode forms are other bytes.
  case notASCII = "not_ascii"
  /// An object or an array of JSON, in which the key may be.
  case json
  /// What stands where a value is missing or hidden: `null`, `***`, `$NAME`.
  case placeholder
  /// Text with control characters in it.
  case controls = "control_characters"
  /// The name of a file that is there.
  case path = "file_name"
}
