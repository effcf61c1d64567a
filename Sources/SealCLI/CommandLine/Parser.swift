// argv to plain values, by the catalog alone: no I/O, no environment, no side effect. Help and
// version win before anything can fail.

internal import SealCore

/// Reads a command line. One parser reads one line.
struct Parser {
  private let arguments: [String]
  private var index = 0
  private var parsed: ParsedCommand?
  /// Options given before the command was named.
  private var early: [String: ParsedCommand.Value] = [:]
  /// The last option that says how a key is to be read, where no operand came behind it.
  private var flagBefore: OptionSpec?

  /// What `arguments`, without the program's own name, ask for.
  static func parse(_ arguments: [String]) throws(UsageFlaw) -> Invocation {
    if let asked = informational(arguments) { return asked }
    var parser = Parser(arguments: arguments)
    return try parser.run()
  }

  /// `--json` stands among the options, so that even a usage error is said as JSON.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains(Options.json.flag)
  }

  /// The command that `arguments` name, whatever else is wrong with them: the first word that is
  /// neither an option nor an option's value.
  static func command(in arguments: [String]) -> CommandSpec? {
    var isValue = false
    for word in arguments.prefix(while: { $0 != "--" }) {
      guard looksLikeOption(word) else {
        if !isValue { return Catalog.command(named: word) }
        isValue = false
        continue
      }
      isValue = wantsValue(word)
    }
    return nil
  }

  /// Whether the next word is the value of the option `word`, as far as any command takes one.
  private static func wantsValue(_ word: String) -> Bool {
    let options = Catalog.commands.flatMap(\.options).filter { $0.valueName != nil }
    if word.hasPrefix("--") {
      return options.contains { OptionValues.same($0.flag, word) }
    }
    // In `-qj` the last letter takes the next word; in `-j4` the value is there already.
    let letters = Array(word.dropFirst())
    let first = letters.firstIndex { letter in options.contains { $0.short == letter } }
    return first != nil && first == letters.count - 1
  }

  private init(arguments: [String]) { self.arguments = arguments }

  /// `--help`, `-h` and `--version` before any `--`.
  private static func informational(_ arguments: [String]) -> Invocation? {
    let options = arguments.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h") {
      return .help(command(in: arguments))
    }
    return options.contains("--version") ? .version : nil
  }

  private mutating func run() throws(UsageFlaw) -> Invocation {
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "--" {
        flagBefore = nil
        for operand in arguments[index...] { try takeOperand(operand) }
        break
      } else if argument.hasPrefix("--") {
        try takeLong(argument)
      } else if argument.hasPrefix("-"), argument.utf8.count > 1 {
        if let answer = try takeShort(argument) { return answer }
      } else {
        try takeOperand(argument)
      }
    }
    guard let parsed else { throw .noCommand }
    try check(parsed)
    if parsed.command.name == Catalog.help.name { return try helpTarget(parsed) }
    return .run(parsed)
  }

  /// `dbseal help [COMMAND [ACTION]]`; the help of an action is that of its command.
  private func helpTarget(_ parsed: ParsedCommand) throws(UsageFlaw) -> Invocation {
    guard let word = parsed.operands.first else { return .help(nil) }
    let command = try Self.command(word)
    let actions = command.actions.map(\.name)
    for action in parsed.operands.dropFirst() where !actions.contains(action) {
      if actions.isEmpty {
        throw .tooMany(command: parsed.command.name, operands: "[COMMAND]", count: 2)
      }
      let suggestion = Suggestions.nearest(to: action, among: actions)
      throw .unknownAction(suggestion == nil ? nil : action, of: word, suggestion: suggestion)
    }
    return .help(command)
  }

  private static func command(_ word: String) throws(UsageFlaw) -> CommandSpec {
    if let command = Catalog.command(named: word) { return command }
    let names = Catalog.visible.map(\.name)
    throw .unknownCommand(
      KeyArguments.isRepeatable(command: word) ? word : nil,
      suggestion: Suggestions.nearest(to: word, among: names))
  }

  private mutating func takeOperand(_ word: String) throws(UsageFlaw) {
    guard !word.isEmpty else { throw .emptyArgument }
    if KeyArguments.looksRaw(word) { throw .keyOperand }
    guard parsed != nil else {
      var found = ParsedCommand(try Self.command(word))
      found.values = early
      parsed = found
      return
    }
    if let flagBefore, let count = parsed?.operands.count {
      parsed?.behindFlags[count] = flagBefore
    }
    flagBefore = nil
    parsed?.operands.append(word)
  }

  private mutating func takeLong(_ argument: String) throws(UsageFlaw) {
    let body = argument.dropFirst(2)
    let split = body.firstIndex(of: "=")
    let name = String(split.map { body[..<$0] } ?? body)
    let attached = split.map { String(body[body.index(after: $0)...]) }
    let option = try long(name)
    if KeyArguments.flags.contains(option.name) { flagBefore = option }
    guard let valueName = option.valueName else {
      if attached != nil {
        // `--passphrase=...`: what stands there is a key.
        throw option.section.mayHoldKey ? .keyOption(option.flag) : .unexpectedValue(option.flag)
      }
      return store(.flag, for: option)
    }
    let text: String
    if let attached {
      text = attached
    } else if index < arguments.count, Self.isValue(arguments[index], of: option) {
      text = arguments[index]
      index += 1
    } else {
      throw .missingValue(option.flag, valueName: valueName, hasDash: index < arguments.count)
    }
    try keep(text, for: option)
  }

  /// `-qn`, `-j4`, `-j 4`. Answers at once for a bundled `-h`.
  private mutating func takeShort(_ argument: String) throws(UsageFlaw) -> Invocation? {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      let option = try short(letter)
      if option == Options.help { return .help(parsed?.command) }
      guard let valueName = option.valueName else {
        store(.flag, for: option)
        continue
      }
      if letters.first == "=" { letters = letters.dropFirst() }
      if letters.isEmpty {
        guard index < arguments.count, !Self.looksLikeOption(arguments[index]) else {
          throw .missingValue(option.flag, valueName: valueName, hasDash: index < arguments.count)
        }
        letters = arguments[index][...]
        index += 1
      }
      try keep(String(letters), for: option)
      return nil
    }
    return nil
  }

  /// Whether `word` may be the value of `option`: a negative number may, where it takes one.
  private static func isValue(_ word: String, of option: OptionSpec) -> Bool {
    if case .integer(_, let range) = option.value, range.lowerBound < 0, Int(word) != nil {
      return true
    }
    return !looksLikeOption(word)
  }

  /// A value may be `-` (standard input), and starts with a dash only as `--name=-value`.
  private static func looksLikeOption(_ word: String) -> Bool {
    word.hasPrefix("-") && word != "-"
  }

  private mutating func keep(_ text: String, for option: OptionSpec) throws(UsageFlaw) {
    let known = parsed?.values[option.name] ?? early[option.name]
    if option.repeats, case .text(let new) = try OptionValues.parse(text, for: option) {
      var texts: [String] = []
      if case .texts(let before) = known { texts = before }
      return store(.texts(texts + [new]), for: option)
    }
    if known != nil { throw .twice(option.flag) }
    store(try OptionValues.parse(text, for: option), for: option)
  }

  private mutating func store(_ value: ParsedCommand.Value, for option: OptionSpec) {
    if parsed == nil { early[option.name] = value } else { parsed?.values[option.name] = value }
  }

  private func long(_ given: String) throws(UsageFlaw) -> OptionSpec {
    let taken = parsed?.command.options ?? Catalog.globalOptions
    if let option = taken.first(where: { OptionValues.same($0.name, given) }) { return option }
    let name = Self.repeatable(given)
    if KeyArguments.names.contains(name) { throw .keyOption("--" + name) }
    let takers = Catalog.visible.filter { $0.option(named: given) != nil }.map(\.name)
    if !takers.isEmpty, let command = parsed?.command.name {
      throw .notAllowed("--" + name, command: command, takenBy: takers)
    }
    let names = (parsed == nil ? Catalog.visible.flatMap(\.options) : taken).map(\.name)
    let suggestion = Suggestions.option(for: name, among: names)
    throw .unknownOption(
      "--" + name + (OptionValues.same(name, given) ? "" : "…"),
      suggestion: suggestion.map { "--" + $0 }, command: parsed?.command.name)
  }

  /// What of an unknown option may stand in a message: no more than names have, and nothing behind
  /// a colon, where somebody may have put a key, nor of what may be one itself.
  private static func repeatable(_ name: String) -> String {
    if KeyArguments.mayBeKey(name) || KeyArguments.looksRandom(name) { return "" }
    return String(name.prefix { $0 != ":" && $0 != "=" }.prefix(24))
  }

  private func short(_ letter: Character) throws(UsageFlaw) -> OptionSpec {
    let taken = parsed?.command.options ?? Catalog.globalOptions
    if let option = taken.first(where: { $0.short == letter }) { return option }
    if KeyArguments.letters.contains(letter) { throw .keyOption("-\(letter)") }
    let takers = Catalog.visible.filter { $0.option(letter: letter) != nil }.map(\.name)
    if !takers.isEmpty, let command = parsed?.command.name {
      throw .notAllowed("-\(letter)", command: command, takenBy: takers)
    }
    throw .unknownOption("-\(letter)", suggestion: nil, command: parsed?.command.name)
  }

  /// Number of operands, and options against each other.
  private func check(_ parsed: ParsedCommand) throws(UsageFlaw) {
    let command = parsed.command
    try Self.checkRules(parsed)
    try KeyOptions.requireOwnStreams(parsed)
    let instead = command.operands.instead.filter { parsed.has($0) }.map(\.flag)
    let places = instead + (parsed.operands.isEmpty ? [] : [command.operands.names])
    if !instead.isEmpty {
      guard places.count == 1 else {
        throw .exclusive(places[0], places[1], because: "the names come from one place")
      }
      return
    }
    let count = parsed.operands.count
    if count < command.operands.minimum {
      throw .tooFew(command: command.name, operands: command.operands.names)
    }
    if let maximum = command.operands.maximum, count > maximum {
      if let flag = parsed.behindFlags.min(by: { $0.key < $1.key })?.value {
        throw .valueOfFlag(
          flag.flag, isFile: false, takesStore: command.name != Catalog.key.name)
      }
      throw .tooMany(command: command.name, operands: command.operands.names, count: count)
    }
  }

  /// Throws where options contradict each other.
  static func checkRules(_ parsed: ParsedCommand) throws(UsageFlaw) {
    for rule in parsed.command.rules {
      switch rule {
      case .exclusive(let options, let reason):
        let given = options.filter { parsed.has($0) }
        if given.count > 1 { throw .exclusive(given[0].flag, given[1].flag, because: reason) }
      case .needs(let option, let others):
        if parsed.has(option), !others.contains(where: { parsed.has($0) }) {
          throw .needs(option.flag, oneOf: others.map(\.flag))
        }
      }
    }
  }
}
