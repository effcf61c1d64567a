// What is wrong with bytes that were given as a key, in words: they are no raw key, or they are something
// in which the key is.

internal import SealCore

extension KeyDiagnostics {
  /// What was to be a raw key, and is none.
  private static func instead(of shape: KeyShape?, _ raw: String, characters: Int) -> String {
    let passphrase = "without \(raw) it is a passphrase"
    // As many bytes as a raw key stands for.
    let isAsLong = KeyMaterial.digitCounts.contains(2 * characters)
    return switch shape {
    case .encrypted:
      "it looks encrypted itself, as apps store it: decrypt it first, as the app does"
    case .base64 where [43, 44, 64, 107, 108].contains(characters):
      "it looks like base64: write the bytes that it stands for as hex digits"
        + " (tr -- '-_' '+/' <FILE | base64 -d | xxd -p -c 99)"
    case .base64:
      "it looks like base64, of another length than that of a raw key (43, 44, 64, 107 or 108"
        + " characters): check whether it is whole; \(passphrase)"
    case .realm: "it looks like a key of Realm's (64 bytes), whose files are not SQLCipher's"
    case .json: "it is JSON: the key is one of the values in it, which jq -r .NAME takes out"
    case .placeholder: "it stands where a key should be: look for what was to put that in"
    case .notASCII, .controls, nil:
      isAsLong
        ? "bytes of a key are written as hex digits (xxd -p -c 99 FILE); \(passphrase)" : passphrase
    case .hex, .path: passphrase
    }
  }

  /// What makes a raw key of text that is none.
  private static func without(_ variant: KeyVariant) -> String {
    "\(KeyText.words(for: variant) ?? "written as hex digits"), it is a raw key"
  }

  /// The same where its apostrophe is open, which may be all that is missing.
  private static func closing(_ variant: KeyVariant) -> String {
    variant == .digitsAsRaw ? "with one, it is a raw key" : without(variant)
  }

  /// What to do with digits of another number than a raw key has: a part of one is no passphrase.
  /// nil for a few, which may be one.
  private static func whole(_ digits: Int, _ check: String) -> String? {
    guard digits >= 32 else { return nil }
    guard let near = KeyMaterial.digitCounts.first(where: { abs($0 - digits) <= 8 }) else {
      return "\(check), whether it is whole"
    }
    let count = Diagnostics.count(UInt64(abs(near - digits)), "digit")
    return (digits > near ? "\(count) more than \(near)" : "\(count) less than \(near)")
      + ": \(check)"
  }

  /// `origin`: what named the source, where one did.
  static func words(
    _ flaw: KeyFlaw, _ options: KeyOptions, _ origin: String? = nil, takesStore: Bool = true
  ) -> (String, String?) {
    let key = name(options)
    switch flaw {
    case .empty: return ("\(key) is empty", without(options, takesStore: takesStore))
    case .rawMalformed(let characters, let digits, let shape, let without):
      let count = Diagnostics.count(UInt64(clamping: characters), "character")
      let part = shape == nil || shape == .hex ? digits : nil
      let isAsLong = KeyMaterial.digitCounts.contains(characters)
      let what =
        digits != nil
        ? "has \(characters) of them"
        : isAsLong
          ? "has others among its \(characters) characters" : "is something else of \(count)"
      return (
        "\(key) is to be raw, which is 64, 96 or 160 hex digits, and \(what)",
        without.map(Self.without) ?? part.flatMap { whole($0, check(origin, options)) }
          ?? instead(of: shape, options.raw.flag, characters: characters)
      )
    case .rawAmbiguous(let characters, let digits, let isClosed, let without):
      let count = Diagnostics.count(
        UInt64(clamping: characters), digits == nil ? "character" : "hex digit")
      let isAsLong = digits == nil && KeyMaterial.digitCounts.contains(characters)
      let what =
        isClosed
        ? isAsLong ? "some of its \(count) are none" : "it has \(count)"
        // What has to be cut off stands behind it.
        : without == nil || without == .digitsAsRaw
          ? "the ' at its end is missing" : "its last ' is not its end"
      let sentence =
        "\(key) starts with x' and is not a raw key of 64, 96 or 160 hex digits: \(what)"
      if let digits, without == nil, let hint = whole(digits, check(origin, options)) {
        return (sentence, hint)
      }
      return (
        sentence,
        (without.map { (isClosed ? Self.without($0) : Self.closing($0)) + "; " } ?? "")
          + "\(options.passphrase.flag) takes it as typed"
      )
    case .passphraseTakenRaw:
      return (
        "some SQLCipher takes a key of the form x'…' with 64, 96 or 160 digits as a raw key,"
          + " whatever it is meant as, and \(key) has this form",
        "choose another passphrase, or leave \(options.passphrase.flag) out"
      )
    case .tooLong(let limit):
      return ("\(key) is longer than \(limit) bytes", check(origin, options))
    }
  }

  /// The file in a command line that is to be typed: its name, where that needs no quotes in quotes.
  static func file(_ source: KeySource) -> String {
    if case .file(let path) = source, ShellWords.quoted(path) == path { path } else { "FILE" }
  }

  /// How to take the first line alone; nil where that cannot be said.
  static func firstLine(of source: KeySource, _ options: KeyOptions) -> String? {
    switch source {
    case .file:
      "a file of its own for the key; or \(options.command.flag) 'head -n 1 \(file(source))' takes"
        + " its first line, if that is the key"
    case .command:
      "\(options.command.flag) \"sh -c 'CMD | head -n 1'\" takes the first line, if that is the key"
    case .standardInput, .descriptor:
      "give it the line that is the key; \(options.command.flag) \"sh -c 'CMD | head -n 1'\" takes the"
        + " first one that a command prints"
    case .environment, .keyring, .store, .terminal: nil
    }
  }

  /// An encrypted file in the place of the key that is in it.
  static func sealed(
    _ format: OtherFormat, _ options: KeyOptions, _ failure: KeyFailure
  ) -> (String, String?) {
    let file = file(failure.source)
    let command =
      switch format {
      case .age: "age --decrypt --identity IDENTITY \(file)"
      case .openSSL: "openssl enc -d -CIPHER OPTIONS -in \(file)"
      default: "gpg --quiet --batch --decrypt \(file)"
      }
    let sentence =
      "this is \(OtherFormatWords.name(format)), not \(failure.isList ? "a list of keys" : name(options))"
    if failure.isList {
      return (sentence, "\(command) | \(Catalog.tool) COMMAND \(KeyOptions.tryKeys.flag) - ...")
    }
    return (
      sentence, "\(options.command.flag) '\(command)' takes the key that is in it"
    )
  }
}
