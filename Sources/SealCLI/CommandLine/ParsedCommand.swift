// What the parser makes of a command line: plain values, checked one by one, without I/O.

/// A command with its options and operands.
struct ParsedCommand: Sendable {
  enum Value: Sendable, Equatable {
    case flag
    case text(String)
    /// Of an option that may be repeated, in order.
    case texts([String])
    case integer(Int)
    case seconds(Double)
    case bytes([UInt8])
  }

  let command: CommandSpec
  var values: [String: Value] = [:]
  var operands: [String] = []
  /// Options that say how a key is to be read, by the place of the operand that follows.
  var behindFlags: [Int: OptionSpec] = [:]
  /// Variables that hold keys of other databases of the same run.
  var keyVariables: Set<String> = []

  init(_ command: CommandSpec) { self.command = command }

  /// The option was given.
  func has(_ option: OptionSpec) -> Bool { values[option.name] != nil }

  /// The text or word that was given.
  func text(_ option: OptionSpec) -> String? {
    if case .text(let text) = values[option.name] { return text }
    return nil
  }

  /// The texts that a repeated option was given.
  func texts(_ option: OptionSpec) -> [String] {
    if case .texts(let texts) = values[option.name] { return texts }
    return []
  }

  /// The number that was given.
  func integer(_ option: OptionSpec) -> Int? {
    if case .integer(let number) = values[option.name] { return number }
    return nil
  }

  /// The seconds that were given.
  func seconds(_ option: OptionSpec) -> Double? {
    if case .seconds(let seconds) = values[option.name] { return seconds }
    return nil
  }

  /// The bytes that were given as hex digits.
  func bytes(_ option: OptionSpec) -> [UInt8]? {
    if case .bytes(let bytes) = values[option.name] { return bytes }
    return nil
  }

  /// When to show something, `auto` unless said otherwise.
  func display(_ option: OptionSpec) -> Display {
    text(option).flatMap(Display.init(rawValue:)) ?? .auto
  }
}

/// What the command line asks for.
enum Invocation: Sendable {
  /// nil: of the tool.
  case help(CommandSpec?)
  case version
  case run(ParsedCommand)
}
