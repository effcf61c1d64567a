// What a store of keys did not do, in words. What stands here of a key is its name.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Explains failures of stores.
enum KeyStoreDiagnostics {
  /// Which key it is about.
  static func subject(_ name: String, _ backend: KeyBackend?) -> String {
    // A name that is refused for its length would fill the screen.
    let short = name.utf8.count > KeyStores.longestName ? name.prefix(40) + "…" : name[...]
    return (KeyArguments.mayBeKey(name) ? "a key" : "key \(short)")
      + (backend.map { " in \($0.title)" } ?? "")
  }

  /// Warns of a place that loses keys.
  static func warn(_ name: String, _ backend: KeyBackend, on console: Console) {
    guard backend.isVolatile else { return }
    console.say([
      Span("note: ", .note),
      Span(
        "key \(name) is in the kernel's memory only, and gone after a reboot: keep a copy"
          + " (\(show(name, backend)))"),
    ])
  }

  /// A name that is taken.
  static func explain(_ failure: KeyExists) -> Diagnosis {
    switch failure {
    case .file(let path):
      Diagnosis(
        .exists, "the file exists, and a key in it may be needed", about: path,
        hint: "choose another name")
    case .directory(let path):
      Diagnosis(
        .exists, "this is a directory, and not replaced by a key", about: path,
        hint: "name a file in it")
    case .stored(let name, let backend):
      Diagnosis(
        .exists, "there is a key of that name, and databases may need it",
        about: subject(name, backend),
        hint: backend == .credentials
          ? "choose another name: this one is given by systemd (LoadCredential= in the unit)"
          : "choose another name")
    case .other(let name, let backend):
      Diagnosis(
        .exists, "there is another key of that name, and databases may need it",
        about: subject(name, backend),
        hint: "choose another name; \(KeyCommandOptions.force.flag) replaces the key, which is then"
          + " lost: keep a copy first (\(show(name, backend)))")
    }
  }

  /// What prints that key, and not one of the same name in a store that is asked before.
  private static func show(_ name: String, _ backend: KeyBackend) -> String {
    "\(Catalog.tool) key show \(KeyCommandOptions.reveal.flag) \(KeyOptions.keyringBackend.flag)"
      + " \(backend.rawValue) \(name.hasPrefix("-") ? "-- " : "")\(ShellWords.quoted(name: name))"
  }

  /// A time, as it was given.
  static func words(seconds: Double) -> String {
    let whole = Int(exactly: seconds)
    return "\(whole.map(String.init) ?? "\(seconds)") second\(whole == 1 ? "" : "s")"
  }

  /// A sentence, and what to do about the key that `source` names.
  static func words(
    _ flaw: KeyStoreFlaw, of source: KeySource = .store(nil), isNew: Bool = false,
    byCreate: Bool = false
  ) -> (String, String?) {
    switch flaw {
    case .openToOthers(let mode):
      return (
        "others can read it (mode \(String(mode, radix: 8))), and systemd's are of mode 400",
        "look who made it; \(KeyOptions.database.file.flag) with"
          + " \(KeyOptions.database.allowOpenFile.flag) takes it, if they may read the key"
      )
    case .missing(let searched): return missing(searched, isNew ? source : .store(nil), byCreate)
    case .noStore(let obstacles): return noStore(obstacles)
    case .unavailable(let obstacle): return words(obstacle)
    case .locked:
      return (
        "the key store is locked, or did not allow it",
        "unlock it in the program that keeps it or in its dialog, and allow dbseal there"
      )
    case .noCollection:
      return (
        "the Secret Service has no keyring to put it in, and could ask nobody to make one",
        "log in to the desktop, or make one in its program for passwords; without a desktop, end"
          + " gnome-keyring-daemon, and before anything asks it give a password to gnome-keyring-daemon"
          + " --unlock"
      )
    case .several:
      return (
        "there is more than one item of that name, and they may differ",
        several(source)
      )
    case .timedOut(let seconds):
      return (
        "the key store did not answer within \(words(seconds: seconds))",
        "it may wait for you to unlock it; \(KeyOptions.keyTimeout.flag) waits longer"
      )
    case .unanswered:
      return (
        "the key store was told to change this key, and did not say whether it did",
        "\(Catalog.tool) key list says whether it is there; look before you try again"
      )
    case .readOnly:
      return (
        "these are given by systemd and cannot be changed",
        "change what LoadCredential= in the unit names"
      )
    case .readOnlyBeside(let other):
      return (
        "this one is given by systemd and cannot be changed",
        "the one in \(other.title) is meant with \(KeyOptions.keyringBackend.flag) \(other.rawValue)"
      )
    case .notReadBack:
      return ("what was read back is not what was stored, so the key is not kept there", inFile)
    case .notText:
      return (
        "the key is no text (UTF-8), and key stores keep texts",
        "give a key of bytes as hex digits, with \(KeyOptions.database.raw.flag)"
      )
    case .tooLong(let limit):
      return ("the store keeps keys of up to \(limit) bytes", inFile)
    case .quota:
      return (
        "your share of the kernel's memory for keys is used up",
        "see /proc/key-users, and remove keys that nobody needs"
      )
    case .notOneLine:
      return (
        "the key has a line end in it or behind it, and key stores keep one line",
        "give a key of bytes as hex digits, with \(KeyOptions.database.raw.flag)"
      )
    case .changed:
      return (
        "another process put another key there, or removed this one, in the meantime",
        "look who else uses the name, and try again"
      )
    case .lockTaken(let user):
      return (
        "\(user.map { "user \($0)" } ?? "another user") holds the name of the lock under which you make"
          + " and change keys",
        "end that user's program: it has the socket @dbseal-key-\(getuid()) (ss -xlp)"
      )
    case .noLock:
      return (
        "nothing here keeps two processes from making or changing one key at once, so neither does",
        "it takes Unix sockets, or a folder that is yours: /run/user/\(getuid())"
      )
    case .busy: return ("another process is making or changing a key", "try again")
    case .badName:
      return (
        "a name has up to \(KeyStores.longestName) bytes and no control characters",
        "choose another name"
      )
    case .system(let number): return (SystemCalls.words(number), listing)
    case .failed(let message):
      return ("the key store failed" + (message.isEmpty ? "" : ": \(message)"), listing)
    }
  }

  /// Where a key can be that a store does not take, one that is there already or a new one.
  private static let inFile =
    "keep it in a file that only you can read, for \(KeyOptions.database.file.flag);"
    + " \(Catalog.tool) key generate \(KeyCommandOptions.output.flag) FILE makes a new key in one"
  /// What tells about all stores.
  private static let listing =
    "\(Catalog.tool) key list says which stores work here; \(KeyOptions.keyringBackend.flag) names one"

  /// Why there is no such store.
  static func words(_ obstacle: KeyStoreObstacle) -> (String, String?) {
    switch obstacle {
    case .otherSystem:
      return (
        "this system has none", "\(KeyOptions.keyringBackend.flag) names another store"
      )
    case .variableUnset:
      return (
        "$CREDENTIALS_DIRECTORY is not set", "systemd sets it for a service with LoadCredential="
      )
    case .noLibrary:
      return (
        "libsecret is not installed", "install libsecret-1-0, or libsecret where packages say so"
      )
    case .noSessionBus:
      return (
        "there is no session bus", "run it in a desktop session, or under dbus-run-session"
      )
    case .deadBus(let message):
      return (
        "$DBUS_SESSION_BUS_ADDRESS names a bus that cannot be reached"
          + (message.isEmpty ? "" : ": \(message)"),
        "unset it where there is no desktop session, or name the store:"
          + " \(KeyOptions.keyringBackend.flag)"
      )
    case .folder(let number):
      return (
        "$CREDENTIALS_DIRECTORY names a folder that cannot be read: \(SystemCalls.words(number))",
        "unset it outside of a service, or name the store: \(KeyOptions.keyringBackend.flag)"
      )
    case .noService(let message):
      return (
        "no Secret Service answers" + (message.isEmpty ? "" : ": \(message)"),
        "start one: gnome-keyring-daemon, kwalletd5 or KeePassXC"
      )
    case .timedOut:
      return (
        "the Secret Service is there and does not answer",
        "\(KeyOptions.keyringBackend.flag) names another store"
      )
    case .system(let number): return (SystemCalls.words(number), nil)
    }
  }

  /// Which of them is the right one, only their owner can tell.
  private static func several(_ source: KeySource) -> String {
    var search = "secret-tool search --all service dbseal"
    if case .keyring(let name, _) = source { search += " account \(ShellWords.quoted(name: name))" }
    return "look at each (\(search)), and remove what is wrong in the program that keeps them, such"
      + " as Seahorse, KWalletManager or KeePassXC"
  }

  /// `making`: a key that is to be a new one, which can be made.
  private static func missing(
    _ searched: [KeyBackend], _ making: KeySource, _ byCreate: Bool
  ) -> (String, String?) {
    var hint = "\(Catalog.tool) key list shows what there is"
    if case .keyring(_, let backend) = making {
      let place = backend.map { " \(KeyOptions.keyringBackend.flag) \($0.rawValue)" } ?? ""
      hint =
        "\(Catalog.tool) key generate \(KeyCommandOptions.keyring.flag) NAME\(place) makes one"
        + (byCreate ? ", as encrypt \(Options.createKey.flag) does" : "") + "; \(hint)"
    }
    guard !searched.isEmpty else {
      return ("no key store can be used here", "\(Catalog.tool) key list says why")
    }
    let places = searched.map(\.title).joined(separator: " or ")
    return ("no key of that name in \(places)", hint)
  }

  private static func noStore(_ obstacles: [KeyBackend: KeyStoreObstacle]) -> (String, String?) {
    let reasons = KeyBackend.allCases.compactMap { backend in
      obstacles[backend].map { "\(backend.rawValue): \(words($0).0)" }
    }
    return (
      "no key store can be used here"
        + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"),
      inFile
    )
  }
}
