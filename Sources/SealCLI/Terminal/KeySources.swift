// Finds the key: the source that an option names, else the environment, else the terminal. The
// bytes go from the source into a Secret; no String ever holds them.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the command line says about one key.
struct KeySelection: Sendable {
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
}

/// Reads keys from where they are.
struct KeySources: Sendable {
  /// What the caller's surroundings offer; tests put others in their place.
  struct Surroundings: Sendable {
    /// The bytes of an environment variable, nil if it is not set.
    var variable: @Sendable (String) -> Secret? = KeySources.variable
    /// Asks on the terminal.
    var prompt: @Sendable (String, Cancellation) throws -> Secret = Prompt.ask
    var inputIsTerminal: @Sendable () -> Bool = { isatty(0) == 1 }
  }

  var surroundings = Surroundings()
  var cancellation = Cancellation()

  /// The key that `selection` means. A typed one is asked for with `label`, twice if it is `new`.
  /// Throws `KeyFailure`, `UsageFlaw`, or `SealError.interrupted`.
  func resolve(_ selection: KeySelection, label: String, new: Bool) throws -> KeyMaterial {
    do {
      return try material(selection, label: label, new: new)
    } catch var failure as KeyFailure {
      failure.prefix = selection.prefix
      throw failure
    }
  }

  private func material(_ selection: KeySelection, label: String, new: Bool) throws -> KeyMaterial {
    var source = try selection.source ?? defaultSource(selection)
    if source == .standardInput, surroundings.inputIsTerminal() { source = .terminal }
    if source == .terminal, selection.binary { throw UsageFlaw.binaryPrompt(selection.binaryFlag) }
    let key =
      source == .terminal ? try typed(label, new: new) : try bytes(of: source, selection)
    if key.count == 0 { throw KeyFailure(source: source, flaw: .empty) }
    if key.count > KeyMaterial.limit {
      throw KeyFailure(source: source, flaw: .tooLong(limit: KeyMaterial.limit))
    }
    do {
      return try KeyMaterial(key, as: selection.reading)
    } catch SealError.badKey(let flaw) { throw KeyFailure(source: source, flaw: .refused(flaw)) }
  }

  /// Whether an option or a variable says where this key is, so that nobody has to be asked.
  func isNamed(_ selection: KeySelection) -> Bool {
    selection.source != nil
      || ["_FILE", "_COMMAND", ""].contains {
        surroundings.variable(selection.variable + $0) != nil
      }
  }

  /// `$DBSEAL_KEY_FILE`, `$DBSEAL_KEY_COMMAND`, `$DBSEAL_KEY`, the terminal.
  private func defaultSource(_ selection: KeySelection) throws -> KeySource {
    if let path = try text(selection.variable + "_FILE") {
      return path == "-" ? .standardInput : .file(path)
    }
    let name = selection.variable + "_COMMAND"
    if let line = try text(name) { return .command(line, name: "$" + name) }
    return surroundings.variable(selection.variable) == nil
      ? .terminal : .environment(selection.variable)
  }

  /// A variable that holds a path or a command, which is no secret.
  private func text(_ name: String) throws -> String? {
    guard let value = surroundings.variable(name) else { return nil }
    guard value.count > 0 else { throw KeyFailure(source: .environment(name), flaw: .empty) }
    let bytes = value.withBytes { Array($0) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageFlaw.notUTF8(Arguments.escaped(bytes))
    }
    return text
  }

  private func bytes(of source: KeySource, _ selection: KeySelection) throws -> Secret {
    let read: Secret?
    switch source {
    case .file(let path): read = try file(path, source, selection.allowsOpenFile)
    case .standardInput: read = try descriptor(0, source)
    case .descriptor(let number): read = try descriptor(number, source)
    case .environment(let name):
      guard let value = surroundings.variable(name) else {
        throw KeyFailure(source: source, flaw: .unset)
      }
      return value
    case .command(let line, _):
      read = try KeyCommand.output(
        of: line, from: source, limit: Self.readLimit, hiding: hiddenVariables(selection),
        cancellation: cancellation)
    case .terminal: throw KeyFailure(source: source, flaw: .noTerminal)
    }
    guard let read else {
      throw KeyFailure(source: source, flaw: .tooLong(limit: KeyMaterial.limit))
    }
    return selection.binary ? read : try KeyText.line(of: read, from: source)
  }

  /// The longest key and the end of its line.
  private static let readLimit = KeyMaterial.limit + 2

  /// Variables that hold keys: no command gets to see them.
  private func hiddenVariables(_ selection: KeySelection) -> Set<String> {
    [selection.variable, "DBSEAL_KEY", "DBSEAL_NEW_KEY", "DBSEAL_AGAINST_KEY"]
  }

  private func file(_ path: String, _ source: KeySource, _ allowsOpen: Bool) throws -> Secret? {
    // Without O_NONBLOCK, opening a FIFO waits for its writer in a way no signal ends.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw KeyFailure(source: source, flaw: .unreadable(errno: errno))
    }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else {
      throw KeyFailure(source: source, flaw: .unreadable(errno: errno))
    }
    let kind = facts.st_mode & S_IFMT
    if kind == S_IFDIR { throw KeyFailure(source: source, flaw: .directory) }
    let open = facts.st_mode & 0o044
    if kind == S_IFREG, open != 0, !allowsOpen {
      throw KeyFailure(source: source, flaw: .openToOthers(mode: UInt32(facts.st_mode & 0o777)))
    }
    return try read(descriptor, source)
  }

  private func descriptor(_ number: Int32, _ source: KeySource) throws -> Secret? {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, flags & O_ACCMODE != O_WRONLY else {
      throw KeyFailure(source: source, flaw: .notOpen)
    }
    return try read(number, source)
  }

  private func read(_ descriptor: Int32, _ source: KeySource) throws -> Secret? {
    do {
      return try BoundedRead.all(descriptor, limit: Self.readLimit, cancellation: cancellation)
    } catch let failure as BoundedRead.Failure {
      if failure.errno == EISDIR { throw KeyFailure(source: source, flaw: .directory) }
      throw KeyFailure(source: source, flaw: .unreadable(errno: failure.errno))
    }
  }

  private func typed(_ label: String, new: Bool) throws -> Secret {
    let first = try surroundings.prompt("\(label): ", cancellation)
    guard new, first.count > 0 else { return first }
    let second = try surroundings.prompt("The same key again: ", cancellation)
    guard first.isEqual(to: second) else {
      throw KeyFailure(source: .terminal, flaw: .mismatch)
    }
    return first
  }

  /// The bytes of a variable of this process.
  static let variable: @Sendable (String) -> Secret? = { name in
    guard let value = getenv(name) else { return nil }
    return Secret(copying: UnsafeRawBufferPointer(start: value, count: strlen(value)))
  }
}
