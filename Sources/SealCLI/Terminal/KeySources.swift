// Finds the key: the source that an option names, else the environment, else the terminal. The
// bytes go from the source into a Secret; no String ever holds them.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the command line says about one key.
struct KeySelection: Sendable, Hashable {
  /// nil: the environment, then the terminal.
  var source: KeySource?
  var reading: KeyMaterial.Reading
  var binary: Bool
  /// The name of the option that asks for binary, for messages.
  var binaryFlag: String
  var allowsOpenFile: Bool
  /// `DBSEAL_KEY`; `_FILE` and `_COMMAND` are appended for the other two.
  var variable: String
  /// What stands before `key` in the options' names.
  var prefix = ""
  /// Where a list of keys to try is, in the place of one key.
  var list: KeySource?

  /// Variables that hold other keys of the command, as its options say.
  var keyVariables: Set<String> = []
  /// Seconds to wait for it, where that was said.
  var timeout: Double?
  /// A database is to be sealed with it, so that one which nobody has afterwards loses the database.
  var seals = false
  /// The command takes keys from stores.
  var takesStore = true

  /// An option says where the key is.
  var isNamed: Bool { source != nil || list != nil }
}

/// Reads keys from where they are.
struct KeySources: Sendable {
  /// What the caller's surroundings offer; tests put others in their place.
  struct Surroundings: Sendable {
    /// The bytes of an environment variable, nil if it is not set.
    var variable: @Sendable (String) -> Secret? = KeyVariables.look
    /// The same of one that holds a key.
    var keyVariable: @Sendable (String) -> Secret? = KeyVariables.take
    /// Asks on the terminal.
    var prompt: @Sendable (String, Cancellation) throws -> Secret = {
      try Prompt.ask($0, cancellation: $1)
    }
    /// Asks yes or no there.
    var confirm: @Sendable (String, Cancellation) throws -> Bool = Prompt.confirm
    var inputIsTerminal: @Sendable () -> Bool = { isatty(0) == 1 }
    /// Whether what somebody types comes from there, and is shown while it is typed.
    var isTerminal: @Sendable (KeySource) -> Bool = KeyFileReader.isTerminal
    /// Where keys are kept.
    var stores: @Sendable (Double?, Cancellation) -> KeyStores = KeyStores.ofMachine
  }

  var surroundings = Surroundings()
  var cancellation = Cancellation()
  let found = FoundKeys()

  /// The key that `selection` means. A typed one is asked for with `label`, twice if it is `new`.
  /// Throws `KeyFailure`, `UsageFlaw`, or `SealError.interrupted`.
  func resolve(_ selection: KeySelection, label: String, new: Bool) throws -> KeyMaterial {
    do {
      return try material(selection, label: label, new: new)
    } catch var failure as KeyFailure {
      failure.prefix = selection.prefix
      failure.seals = selection.seals
      failure.takesStore = selection.takesStore
      failure.isNew = new
      throw failure
    }
  }

  private func material(_ selection: KeySelection, label: String, new: Bool) throws -> KeyMaterial {
    var (source, origin) = try place(selection)
    do {
      return try material(&source, selection, label: label, new: new)
    } catch var failure as KeyFailure {
      failure.origin = origin
      throw failure
    }
  }

  /// Where the key is, and what says so.
  private func place(_ selection: KeySelection) throws -> (KeySource, origin: String) {
    if let source = selection.source {
      return (source, KeyOptions.set(selection.prefix).flag(of: source))
    }
    return try defaultSource(selection)
  }

  private func material(
    _ source: inout KeySource, _ selection: KeySelection, label: String, new: Bool
  ) throws -> KeyMaterial {
    if isTerminal(source) { source = .terminal }
    if source == .terminal, selection.binary { throw UsageFlaw.binaryPrompt(selection.binaryFlag) }
    let key =
      source == .terminal
      ? try typed(label, selection.reading, new: new)
      : try naming(source) { try bytes(of: source, selection) }
    if key.count == 0 { throw KeyFailure(source: source, flaw: .empty) }
    if key.count > KeyMaterial.limit {
      throw KeyFailure(source: source, flaw: .tooLong(limit: KeyMaterial.limit))
    }
    // Who had to seal with such bytes before can say that they are meant.
    if selection.seals || selection.reading != .passphrase,
      let format = key.withBytes(OtherFormat.sealer)
    {
      throw KeyFailure(source: source, flaw: .sealed(format))
    }
    if selection.seals, let flaw = key.withBytes(KeyText.plainDatabase) {
      throw KeyFailure(source: source, flaw: flaw)
    }
    var material: KeyMaterial
    do {
      material = try KeyMaterial(key, as: selection.reading)
    } catch SealError.badKey(let flaw) { throw KeyFailure(source: source, flaw: .refused(flaw)) }
    if selection.seals, case .command = source { try requireAgain(key, source, selection) }
    if selection.seals { material.lookForFile() }
    return material
  }

  /// A command that makes up a key gives another one each time, and this one to nobody else.
  private func requireAgain(
    _ key: Secret, _ source: KeySource, _ selection: KeySelection
  ) throws {
    let second: Secret
    do {
      second = try naming(source) { try bytes(of: source, selection) }
    } catch let failure as KeyFailure {
      throw KeyFailure(source: source, flaw: .notAgain(failure.flaw))
    }
    guard second.isEqual(to: key) else { throw KeyFailure(source: source, flaw: .notAgain(nil)) }
  }

  /// Keys that may all be the right one, one a line, each with the number of its line. Blank lines
  /// are passed over. Throws as `resolve` does.
  func candidates(_ selection: KeySelection) throws -> [KeyCandidate]? {
    guard let list = selection.list else { return nil }
    do {
      return try naming(list) {
        if isTerminal(list) {
          return try KeyList.candidates(in: typedList(), from: .terminal, selection.reading)
        }
        var binary = selection
        binary.binary = true
        return try KeyList.candidates(in: bytes(of: list, binary), from: list, selection.reading)
      }
    } catch var failure as KeyFailure {
      failure.origin = KeyOptions.tryKeys.flag
      failure.isList = true
      throw failure
    }
  }

  /// Runs `body`, with the source in what it throws.
  private func naming<R>(_ source: KeySource, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let failure as KeyFileReader.Failure {
      throw KeyFailure(source: source, flaw: failure.flaw)
    } catch let failure as KeyStoreFailure {
      throw KeyFailure(source: source, flaw: .store(failure.flaw))
    }
  }

  /// Whether an option or a variable says where this key is, so that nobody has to be asked.
  func isNamed(_ selection: KeySelection) -> Bool {
    selection.isNamed
      || ["_FILE", "_COMMAND", ""].contains {
        surroundings.variable(selection.variable + $0) != nil
      }
  }

  /// The variable that gives this key, without a dollar sign, where no option names one.
  func variable(of selection: KeySelection) -> String? {
    guard !selection.isNamed, let place = try? defaultSource(selection), place.0 != .terminal
    else { return nil }
    return String(place.origin.dropFirst())
  }

  /// Whether somebody has to type this key.
  func isTyped(_ selection: KeySelection) -> Bool {
    !isNamed(selection) || selection.source.map(isTerminal) == true
  }

  /// Whether what somebody types is the source.
  private func isTerminal(_ source: KeySource) -> Bool {
    source == .standardInput ? surroundings.inputIsTerminal() : surroundings.isTerminal(source)
  }

  /// `$DBSEAL_KEY_FILE`, `$DBSEAL_KEY_COMMAND`, `$DBSEAL_KEY`, the terminal.
  private func defaultSource(_ selection: KeySelection) throws -> (KeySource, origin: String) {
    let name = selection.variable
    if let path = try text(name + "_FILE") {
      return (path == "-" ? .standardInput : .file(path), "$\(name)_FILE")
    }
    if let line = try text(name + "_COMMAND") { return (.command(line), "$\(name)_COMMAND") }
    return (surroundings.variable(name) == nil ? .terminal : .environment(name), "$" + name)
  }

  /// A variable that holds a path or a command.
  func text(_ name: String) throws -> String? {
    guard let value = surroundings.variable(name) else { return nil }
    guard value.count > 0 else { throw KeyFailure(source: .environment(name), flaw: .emptyName) }
    guard let text = value.withBytes({ String(validating: $0, as: UTF8.self) }) else {
      throw KeyFailure(source: .environment(name), flaw: .nameNotUTF8)
    }
    return text
  }

  private func bytes(of source: KeySource, _ selection: KeySelection) throws -> Secret {
    let deadline = Deadline(seconds: selection.timeout ?? Deadline.usual)
    let read: Secret
    switch source {
    case .file(let path):
      read = try KeyFileReader.bytes(
        of: path, allowsOpen: selection.allowsOpenFile, deadline: deadline,
        cancellation: cancellation)
    case .standardInput: read = try descriptor(0, source, deadline)
    case .descriptor(let number): read = try descriptor(number, source, deadline)
    case .environment(let name):
      guard let value = surroundings.keyVariable(name) else {
        throw KeyFailure(source: source, flaw: .unset)
      }
      return value
    case .command(let line):
      let output = try KeyCommand.output(
        of: line, from: source, limit: KeyFileReader.limit, hiding: hiddenVariables(selection),
        deadline: deadline, cancellation: cancellation)
      guard let output else {
        throw KeyFileReader.Failure(flaw: .tooLong(limit: KeyMaterial.limit))
      }
      read = output
    case .keyring(let name, let backend):
      let key = try stores(selection).read(name, in: backend)
      found.note(source, KeyPlace(name: name, backend: key.backend))
      read = key.key
    case .terminal, .store: throw KeyFailure(source: source, flaw: .noTerminal)
    }
    if selection.binary { return read }
    let line = try KeyText.line(of: read, from: source)
    // Bytes that happen to have no line end inside, and may have lost one at their end.
    if selection.seals, !line.withBytes(KeyForm.isUTF8) {
      throw KeyFailure(source: source, flaw: .notText)
    }
    return line
  }

  private func descriptor(
    _ number: Int32, _ source: KeySource, _ deadline: Deadline
  ) throws -> Secret {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, flags & O_ACCMODE != O_WRONLY else {
      throw KeyFailure(source: source, flaw: .notOpen)
    }
    return try KeyFileReader.bytes(from: number, deadline, cancellation)
  }
}
