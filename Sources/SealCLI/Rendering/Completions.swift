// What the completions of all shells are made from: the places on the command line that have
// options and operands of their own, as data. Each shell's file only says it in its language.

/// One place on the command line: before the command, behind a command, or behind an action of it.
struct CompletionPlace: Sendable {
  /// The words that lead there: none, `encrypt`, or `key` and `generate`.
  let path: [String]
  /// The same as one word: `key/generate`.
  var key: String { path.joined(separator: "/") }
  let options: [OptionSpec]
  /// What the next operand is one of; empty where it is no word of a list.
  let next: [(name: String, summary: String)]
  /// What operands are otherwise.
  let operands: Completion
  /// How the operands are called.
  let operandNames: String
  /// Of the options of a group one may be given, and once.
  let groups: [[OptionSpec]]

  /// The names of all options that go once `option` is given, its own among them where it cannot be
  /// given again.
  func excluded(by option: OptionSpec) -> [String] {
    var names: [String] = []
    for group in groups where group.contains(option) {
      for name in group.flatMap(Completions.flags) where !names.contains(name) {
        names.append(name)
      }
    }
    return option.repeats ? names.filter { !Completions.flags(option).contains($0) } : names
  }
}

/// Renders completions from the catalog.
enum Completions {
  static let origin =
    "# Made by `\(Catalog.tool) generate completions` from the catalog. Change that instead."

  /// All places, the one before the command first.
  static let places: [CompletionPlace] =
    [
      place(
        [], Catalog.globalOptions, next: Catalog.visible.map { ($0.name, $0.summary) },
        rules: Options.commonRules)
    ] + Catalog.visible.flatMap(places)

  /// How a shell completes the value of an option.
  static func completion(of option: OptionSpec) -> Completion {
    switch option.value {
    case .none, .suffix, .integer, .seconds, .hex: .none
    case .text(_, let completion): completion
    case .choice(_, let words): .words(words)
    }
  }

  /// `-q` and `--quiet`.
  static func flags(_ option: OptionSpec) -> [String] {
    (option.short.map { ["-\($0)"] } ?? []) + [option.flag]
  }

  private static func places(of command: CommandSpec) -> [CompletionPlace] {
    var next = command.actions.map { ($0.name, $0.summary) }
    if case .words(let words) = command.operands.completion {
      next = words.map { ($0, Catalog.command(named: $0)?.summary ?? "") }
    }
    let own = place(
      [command.name], command.options, next: next, operands: command.operands,
      rules: command.rules)
    return [own]
      + command.actions.map { action in
        place([command.name, action.name], action.options, rules: command.rules)
      }
  }

  private static func place(
    _ path: [String], _ options: [OptionSpec], next: [(name: String, summary: String)] = [],
    operands: OperandSpec? = nil, rules: [OptionRule]
  ) -> CompletionPlace {
    var groups: [[OptionSpec]] = options.filter { !$0.repeats }.map { [$0] }
    var exclusions = [operands?.instead ?? []]
    for case .exclusive(let members, _) in rules { exclusions.append(members) }
    for members in exclusions {
      let here = members.filter(options.contains)
      guard here.count > 1 else { continue }
      // A group holds what a group of one says.
      groups.removeAll { $0.count == 1 && here.contains($0[0]) }
      groups.append(here)
    }
    var completion = operands?.completion ?? .none
    if case .words = completion { completion = .none }
    return CompletionPlace(
      path: path, options: options, next: next, operands: completion,
      operandNames: operands?.names ?? "", groups: groups)
  }
}

/// The options of all places that take a value, sorted by how that is completed.
struct CompletedValues {
  /// How, and the patterns that name the options: `key/store:--raw-key`; `*` stands for any place,
  /// where the option means the same in all.
  let kinds: [(completion: Completion, patterns: [String])]

  /// What is in `places`.
  init(_ places: [CompletionPlace]) {
    var kinds: [(completion: Completion, patterns: [String])] = []
    func add(_ completion: Completion, _ pattern: String) {
      if let index = kinds.firstIndex(where: { $0.completion == completion }) {
        kinds[index].patterns.append(pattern)
      } else {
        kinds.append((completion, [pattern]))
      }
    }
    var done: Set<String> = []
    for option in places.flatMap(\.options) where done.insert(option.name).inserted {
      let takers = places.compactMap { place in
        place.options.first { $0.name == option.name }.map { (place, $0) }
      }
      let same = takers.allSatisfy {
        ($0.1.valueName == nil) == (option.valueName == nil)
          && Completions.completion(of: $0.1) == Completions.completion(of: option)
      }
      if same, option.valueName == nil { continue }
      for (place, option) in same ? [takers[0]] : takers where option.valueName != nil {
        for flag in Completions.flags(option) {
          add(Completions.completion(of: option), "\(same ? "*" : place.key):\(flag)")
        }
      }
    }
    self.kinds = kinds
  }
}
