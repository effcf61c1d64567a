// A key that opens nothing, in words: what was tried, and what would open the file, where the core
// found it by trying, or else what the key looks like. No hint has a part of a key.

internal import SealCore

/// Explains wrong keys.
enum WrongKeyDiagnostics {
  /// `cipher` are the options that name the settings of the database; those of its key follow.
  /// `parsed`: what was given of them.
  static func explain(
    _ wrong: WrongKey, reading cipher: CipherOptions, from parsed: ParsedCommand? = nil
  ) -> Diagnosis {
    let formats = wrong.tried.isEmpty ? "" : " (\(list(wrong.tried)))"
    let tried = UInt64(clamping: wrong.pagesTried)
    let pages = tried == wrong.pagesInFile ? "page" : "tried page"
    let share =
      wrong.pagesInFile == 0
      ? "the file is shorter than a page"
      : "0 of \(Diagnostics.count(tried, pages)) \(Diagnostics.verb("authenticate", tried))"
    let isOther = cipher.format.name == CipherOptions.against.format.name
    let key = isOther ? KeyOptions.against : KeyOptions.database
    let hint =
      wrong.fit.map { found($0, wrong, key, cipher, parsed) }
      ?? (parsed.map { given(wrong, $0, cipher) } ?? "") + guess(wrong, key, cipher)
    let fits = wrong.fit.map { fit in
      JSON.object([
        .init("key", .string(fit.variant.rawValue)),
        .init("also", .array(fit.also.map { .string($0.rawValue) })),
        .init("settings", .string(fit.settings)),
      ])
    }
    let sentence =
      wrong.fit?.plaintextHeader.map {
        "the key is right, and the database has "
          + ($0 == 0 ? "no plaintext header" : "a plaintext header of \($0) bytes")
      } ?? "wrong key, or other cipher settings: \(share)\(formats)"
    return Diagnosis(
      .wrongKey, sentence, about: wrong.path,
      hint: hint,
      facts: [
        .init("tried", .array(wrong.tried.map { .string($0) })),
        .init("pages_tried", .integer(wrong.pagesTried)),
        .init("pages", .unsigned(wrong.pagesInFile)),
        .init("fits", fits ?? .null),
        .init("key_shape", .optional(wrong.shape?.rawValue)),
      ])
  }

  /// What opens the file.
  private static func found(
    _ fit: KeyFit, _ wrong: WrongKey, _ key: KeyOptions, _ cipher: CipherOptions,
    _ parsed: ParsedCommand?
  ) -> String {
    if let header = fit.plaintextHeader {
      let option = cipher.plaintextHeader.flag
      return header == 0 ? "leave \(option) out" : "\(option) \(header), and all else as it was"
    }
    // It may have been given other settings with that key.
    if fit.variant == .newKey { return words(fit, key, cipher, parsed) }
    guard fit.variant != .asGiven else {
      return "the key opens the file with \(named(fit, cipher))"
    }
    let isTried = wrong.tried.contains(fit.settings)
    return words(fit, key, cipher, parsed) + (isTried ? "" : ", with \(named(fit, cipher))")
  }

  /// The settings as options where there are some for them.
  private static func named(_ fit: KeyFit, _ cipher: CipherOptions) -> String {
    guard let number = fit.format, let base = CipherProfile.format(number) else {
      return fit.settings
    }
    let size = fit.pageSize == base.pageSize ? "" : " \(cipher.pageSize.flag) \(fit.pageSize)"
    let rounds =
      fit.kdfIterations == base.kdfIterations
      ? "" : " \(cipher.kdfIterations.flag) \(fit.kdfIterations)"
    return "\(cipher.format.flag) \(number)\(size)\(rounds) and no other setting"
  }

  /// What has to be done with the key.
  private static func words(
    _ fit: KeyFit, _ key: KeyOptions, _ cipher: CipherOptions, _ parsed: ParsedCommand?
  ) -> String {
    let (raw, binary) = (key.raw.flag, key.binary.flag)
    let also = fit.also.compactMap(KeyText.words(for:))
    switch fit.variant {
    case .asGiven: return "the key opens the file as it is"
    case .withoutGivenSalt:
      return "the key opens the file with the salt that is in it: leave \(cipher.salt.flag) out"
    case .raw:
      return "the digits open the file as the key itself, not as a passphrase: \(raw)"
    case .digitsAsRaw:
      return "the hex digits alone, without what is before, between or around them, open the file"
        + " as the key itself: write them so, with \(raw)"
    case .passphrase:
      return "the digits open the file as a passphrase: give them bare, without \(raw)"
    case .withoutSalt:
      return "the key's own digits, the first 64, open the file; the salt behind them is another's"
    case .bytesOfDigits:
      return "the bytes that the digits stand for open the file as a passphrase:"
        + " give those bytes with \(binary)"
    case .firstBytes:
      return "its first 40 bytes (of what digits stand for, where it is hex digits) open the file,"
        + " for PRAGMA hexkey takes no more: give those with \(binary)"
    case .bytesAsRaw:
      return "the bytes open the file as the key itself, not as a passphrase: write them as hex"
        + " digits, with \(raw)"
    case .base64AsRaw:
      return "the key is base64, and what it stands for opens the file as the key itself: write"
        + " that as hex digits, with \(raw)"
    case .bytesOfBase64:
      return "the key is base64, and the bytes that it stands for open the file as a passphrase:"
        + " give those bytes with \(binary)"
    case .withNewline:
      return "the key opens the file with a newline at its end: \(binary) takes it from a key file"
    case .withReturn:
      return "the key opens the file with a carriage return and a newline at its end:"
        + " \(binary) takes them from a key file"
    case .newKey:
      return
        "the database has the key that was given as the new one: it was rekeyed before, or the two"
        + " keys are swapped"
    case .composed: return opens(also, "with each accent as one character with its letter (NFC)")
    case .decomposed: return opens(also, "with accents apart from their letters (NFD)")
    case .latin1: return opens(also, "in Latin-1 instead of UTF-8")
    case .utf8: return opens(also, "in UTF-8 instead of Latin-1")
    case .modifiedUTF8:
      return opens(also, "in modified UTF-8, as old versions of SQLCipher for Android wrote it")
        + ": give those bytes with \(binary)"
    case .utf16:
      return opens(also, "in UTF-16 (little-endian): give those bytes with \(binary)")
    case .markedUTF16:
      return opens(
        also, "in UTF-16 (little-endian) behind a byte-order mark: give those bytes with \(binary)")
    case .cleared:
      return "bytes of zero open the file, which is what an app's key array holds once it was"
        + " cleared: one such byte in the key file, with \(binary), is that key; rekey the database"
    case .withoutNewline:
      let rest = ", which " + newline(binary, parsed.map(key.selection))
      return opens(also, (KeyText.words(for: fit.variant) ?? "") + (also.isEmpty ? rest : ""))
    case .withoutNewlines:
      // Without all of them is without the first one too.
      return opens(
        fit.also.filter { $0 != .withoutNewline }.compactMap(KeyText.words(for:)),
        (KeyText.words(for: fit.variant) ?? "") + "; a key file may have one")
    case .withoutReturn:
      let rest = ", which " + carriageReturn(parsed.map(key.selection))
      return opens(also, (KeyText.words(for: fit.variant) ?? "") + (also.isEmpty ? rest : ""))
    case .withoutMark, .withoutBlanks, .withoutQuotes, .withoutSemicolon, .withoutStatement,
      .undoubled, .fromUTF16:
      return opens(also, KeyText.words(for: fit.variant) ?? "")
    }
  }

  /// Where the final newline may stay, or how it goes.
  private static func newline(_ binary: String, _ selection: KeySelection?) -> String {
    let variable = "NAME=$(printf %s \"$NAME\" | tr -d '\\r') takes out of a variable"
    let file = "a key file may have where \(binary) is left out"
    switch selection?.source {
    case .environment: return variable
    case nil where selection?.list == nil: return "\(file), and which \(variable)"
    default: return file
    }
  }

  /// How a carriage return goes that no newline follows.
  private static func carriageReturn(_ selection: KeySelection?) -> String {
    switch selection?.source {
    case .environment: "NAME=$(printf %s \"$NAME\" | tr -d '\\r') takes out of a variable"
    case .file, .standardInput: "(umask 077; tr -d '\\r' <FILE >NEW-FILE) takes out of a file"
    case .command: "sh -c \"CMD | tr -d '\\r'\" takes out of what a command prints"
    default: "is to be left out where the key is kept"
    }
  }

  /// `the key opens the file without this, and with that`.
  private static func opens(_ also: [String], _ last: String) -> String {
    "the key opens the file " + (also + [last]).joined(separator: ", and ")
  }

  /// What may be wrong with the settings as they were given.
  private static func given(
    _ wrong: WrongKey, _ parsed: ParsedCommand, _ cipher: CipherOptions
  ) -> String {
    var words = ""
    // `--format` says what rekey writes, and `--source-format` what it reads.
    let prefix = "source-"
    let reading = cipher.all.filter {
      $0.name.hasPrefix(prefix) && parsed.values[String($0.name.dropFirst(prefix.count))] != nil
    }
    if !reading.isEmpty, !cipher.all.contains(where: { parsed.has($0) }) {
      let flags = reading.map(\.flag)
      words +=
        "what to read is said with \(flags.joined(separator: ", ")), and without"
        + " \(prefix.dropLast()) it is what to write; else, "
    }
    // The file cannot tell that it is another.
    if hasHeader(wrong), let salt = parsed.bytes(cipher.salt) {
      words +=
        "the salt that was given (\(cipher.salt.flag) \(Hex.text(salt))) may be another than the"
        + " database's, which is not in the file; else, "
    }
    return words
  }

  /// It was read with a plaintext header.
  private static func hasHeader(_ wrong: WrongKey) -> Bool {
    wrong.tried.contains { $0.contains("plaintext header") }
  }

  /// What may be, where nothing that was tried opens the file.
  private static func guess(
    _ wrong: WrongKey, _ key: KeyOptions, _ cipher: CipherOptions
  ) -> String {
    let other =
      "the file may be another product's (SQLite3 Multiple Ciphers, wxSQLite3, SEE, Realm) instead"
      + " of SQLCipher's, "
      // A salt stands there, where no header is plain.
      + (hasHeader(wrong)
        ? "or have other settings" : "have other settings, or have lost its first 16 bytes")
    if wrong.pagesInFile == 0 {
      return "leave the settings out: it may be of another format; or it was cut"
    }
    if wrong.saltDiffers {
      return "the salt that was given is not the one in the file, whose first 16 bytes it is; also,"
        + " \(other)"
    }
    if wrong.looksRaw, wrong.shape != .encrypted {
      return "the key is hex digits and was taken as a passphrase; as the key itself"
        + " (\(key.raw.flag)) it opens nothing either; \(other)"
    }
    switch wrong.shape {
    case .encrypted:
      return "the key looks encrypted itself, as apps store it: decrypt it first, as the app does;"
        + " or \(other)"
    case .hex:
      return "the key is hex digits, but not 64, 96 or 160: an app may store it in parts, encrypted"
        + " or encoded; or \(other)"
    case .base64:
      return "the key looks like base64: an app may store it encrypted or encoded; or \(other)"
    case .realm:
      return "the key is 64 bytes, as those of Realm are: this reads SQLCipher databases, not Realm"
        + " files; or \(other)"
    case .notASCII:
      return
        "check the key; its characters beyond ASCII, in those other encodings and Unicode forms"
        + " (NFC, NFD) that were tried, open nothing either; \(other)"
    case .json:
      return
        "the key looks like JSON: it may be one of the values in it, which jq -r .NAME takes out;"
        + " or \(other)"
    case .placeholder:
      return "the key looks like what stands where a value is missing or hidden (null, ***, $NAME):"
        + " look for what was to put it in; or \(other)"
    case .controls:
      return
        "the key has control characters in it, as arrow keys and further lines leave them: type"
        + " or copy it again; or \(other)"
    case .path:
      return
        "the key is the name of a file that is there, in which it may be: \(key.file.flag) takes it"
        + " from a file; or \(other)"
    case nil: return "check the key; \(other)"
    }
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
}
