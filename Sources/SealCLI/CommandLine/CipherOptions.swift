// The options that name cipher settings. They come as a set with a role: what to write, or what to
// read; a command that does both gives the reading ones the prefix `source-`.

internal import SealCore

/// One complete set of cipher options.
struct CipherOptions: Sendable {
  let format: OptionSpec
  let pageSize: OptionSpec
  let kdfIterations: OptionSpec
  let kdfAlgorithm: OptionSpec
  let hmacAlgorithm: OptionSpec
  let hmacPageNumber: OptionSpec
  let hmacSaltMask: OptionSpec
  let fastKDFIterations: OptionSpec
  let plaintextHeader: OptionSpec
  let salt: OptionSpec

  /// What encrypt writes.
  static let written = CipherOptions(reads: false)
  /// What decrypt reads. `--page-size` is free for the size of its output.
  static let read = CipherOptions(reads: true, pageSizeName: "source-page-size")

  /// What a command reads that writes nothing.
  static let examined = CipherOptions(reads: true)
  /// What verify reads beside its database, to compare.
  static let against = CipherOptions(prefix: "against-", reads: true, section: .other)
  /// What rekey writes: the source's settings with these on top.
  static let rewritten = CipherOptions(reads: false, keeps: true)
  /// What rekey and migrate read.
  static let source = CipherOptions(prefix: "source-", reads: true, section: .sourceCipher)

  /// The page sizes that SQLite knows.
  static let pageSizes = (9...16).map { String(1 << $0) }

  init(
    prefix: String = "", reads: Bool, keeps: Bool = false, pageSizeName: String? = nil,
    section: OptionSection = .cipher
  ) {
    let hashes = HashAlgorithm.allCases.map(\.rawValue)
    let count = 1...Int(Int32.max)
    func option(_ name: String, _ value: OptionSpec.Value, _ help: String, _ detail: String = "")
      -> OptionSpec
    {
      OptionSpec(name: prefix + name, value: value, section: section, help: help, detail: detail)
    }
    format = option(
      "format", .choice("N", CipherProfile.formatNumbers.reversed().map(String.init)),
      reads
        ? "format to read (default: find out)"
        : "format to write (default: \(keeps ? "the source's" : "4"))",
      "The format is the major version of SQLCipher whose defaults the file has.")
    pageSize = OptionSpec(
      name: pageSizeName ?? prefix + "page-size", value: .choice("BYTES", Self.pageSizes),
      section: section,
      help: reads
        ? "page size of the source"
        : "page size to write (default: the \(keeps ? "source" : "format")'s)",
      detail: reads
        ? "" : "A database with another page size than its format's needs a PRAGMA to be opened.")
    kdfIterations = option(
      "kdf-iter", .integer("N", count), "rounds of the key derivation",
      "The format's number is 256000 for 4, 64000 for 3, 4000 for 2 and 1.")
    kdfAlgorithm = option(
      "kdf-algorithm", .choice("HASH", hashes), "hash of the key derivation",
      "The format's hash is sha512 for 4, sha1 before.")
    hmacAlgorithm = option(
      "hmac-algorithm", .choice("HASH", hashes + ["none"]), "hash of the page tags",
      "With none, pages carry no tags, and nobody can tell whether the file was altered.")
    hmacPageNumber = option(
      "hmac-pgno", .choice("ORDER", PageNumberOrder.allCases.map(\.rawValue)),
      "byte order of the page number in a tag")
    hmacSaltMask = option(
      "hmac-salt-mask", .hex("HEX", bytes: 1), "mask of the salt of the tags' key (3a)")
    fastKDFIterations = option(
      "fast-kdf-iter", .integer("N", count), "rounds for the tags' key (default: 2)")
    plaintextHeader = option(
      "plaintext-header", .integer("BYTES", 0...65536), "bytes at the start that stay plain",
      """
      A multiple of 16, 32 for iOS. Such a file does not hold its own salt: it opens only with \
      the salt that the report says.
      """)
    salt = option(
      "salt", .hex("HEX", bytes: 16),
      reads ? "salt of a file that does not hold its own" : "salt to write (default: random)")
  }

  /// All of the set, in the order of the help texts.
  var all: [OptionSpec] {
    [
      format, pageSize, kdfIterations, kdfAlgorithm, hmacAlgorithm, hmacPageNumber, hmacSaltMask,
      fastKDFIterations, plaintextHeader, salt,
    ]
  }

  /// The settings that the parsed options name.
  func settings(from parsed: ParsedCommand) -> CipherSettings {
    var settings = CipherSettings()
    settings.format = parsed.text(format).flatMap { Int($0) }
    settings.pageSize = parsed.text(pageSize).flatMap { Int($0) }
    settings.kdfIterations = parsed.integer(kdfIterations)
    settings.kdfAlgorithm = parsed.text(kdfAlgorithm).flatMap(HashAlgorithm.init(rawValue:))
    settings.tag = parsed.text(hmacAlgorithm).map { word in
      HashAlgorithm(rawValue: word).map { .hmac($0) } ?? CipherSettings.Tag.none
    }
    settings.pageNumberOrder = parsed.text(hmacPageNumber).flatMap(PageNumberOrder.init(rawValue:))
    settings.saltMask = parsed.bytes(hmacSaltMask)?.first
    settings.fastKDFIterations = parsed.integer(fastKDFIterations)
    settings.plaintextHeader = parsed.integer(plaintextHeader)
    settings.salt = parsed.bytes(salt)
    return settings
  }
}
