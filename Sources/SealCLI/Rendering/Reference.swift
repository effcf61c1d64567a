// The reference in Markdown: a page of the tool, and one a command.

internal import SealCore

/// Renders the reference from the catalog.
enum Reference {
  private static let tool = Catalog.tool
  private static let origin =
    "<!-- Made by `\(Catalog.tool) generate reference` from the catalog. Change that instead. -->"

  /// The page of the tool.
  static func ofTool() -> String {
    var lines = [origin, "", "# \(tool)", "", capitalized(Catalog.summary) + ".", ""]
    lines += ["| command | what it does |", "| --- | --- |"]
    lines += Catalog.visible.map { "| [`\($0.name)`](\(fileName($0))) | \($0.summary) |" }
    lines += ["", "## \(OptionSection.common.rawValue)", ""] + table(Catalog.globalOptions)
    lines += ["", "## Exit status", ""] + outcomes(ErrorCode.allCases.filter(HelpText.isUsed))
    lines += variables(VariableSpec.all(for: Catalog.visible.flatMap(\.options)))
    return lines.joined(separator: "\n") + "\n"
  }

  /// The page of a command.
  static func of(_ command: CommandSpec) -> String {
    var lines = [origin, "", "# \(tool) \(command.name)", "", capitalized(command.summary) + "."]
    lines += ["", "```"] + command.synopses.map { "\(tool) \(command.name) \($0)" } + ["```"]
    for paragraph in command.description {
      lines += [""] + Layout.wrap(prose(paragraph), width: 100)
    }
    lines += ["", "## Examples"]
    for example in command.examples {
      lines += ["", capitalized(example.purpose) + ":", "", "```sh", example.line, "```"]
    }
    if !command.actions.isEmpty {
      lines += [
        "", "## Actions", "", "| action | what it does | its options |", "| --- | --- | --- |",
      ]
      lines += command.actions.map { action in
        let own = action.options.filter { !Options.common.contains($0) }.map { "`\($0.flag)`" }
        return "| `\(action.name)` | \(action.summary) | \(own.joined(separator: ", ")) |"
      }
    }
    for heading in OptionSection.allCases {
      let options = command.options.filter { $0.section == heading }
      if !options.isEmpty { lines += ["", "## \(heading.rawValue)", ""] + table(options) }
    }
    lines += ["", "## Exit status", ""] + outcomes(command.outcomes)
    if command.name != Catalog.help.name {
      lines += variables(VariableSpec.all(for: command.options))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `encrypt.md`.
  static func fileName(_ command: CommandSpec) -> String { command.name + ".md" }

  private static func table(_ options: [OptionSpec]) -> [String] {
    ["| option | what it does |", "| --- | --- |"]
      + options.map { option in
        let names = HelpText.left(option).drop { $0 == " " }
        var text = capitalized(option.help) + "."
        if case .choice(_, let words) = option.value {
          text += " One of: " + words.map { "`\($0)`" }.joined(separator: ", ") + "."
        }
        if !option.detail.isEmpty { text += " " + prose(option.detail) }
        return "| `\(names)` | \(text) |"
      }
  }

  private static func outcomes(_ codes: [ErrorCode]) -> [String] {
    ["| status | code | meaning |", "| --- | --- | --- |"]
      + codes.map { "| \($0.exitStatus) | `\($0.rawValue)` | \($0.meaning) |" }
  }

  private static func variables(_ specs: [VariableSpec]) -> [String] {
    ["", "## Environment", "", "| variable | what it does |", "| --- | --- |"]
      + specs.map { spec in
        "| \(spec.names.map { "`\($0)`" }.joined(separator: ", ")) | \(spec.help) |"
      }
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Option names and variables as code.
  private static func prose(_ text: String) -> String {
    text.split(separator: " ").map { word in
      guard word.hasPrefix("-") || word.hasPrefix("$"), word.count > 1,
        let end = word.lastIndex(where: { $0.isLetter || $0 == "_" })
      else { return String(word) }
      return "`\(word[...end])`\(word[end...].dropFirst())"
    }.joined(separator: " ")
  }
}
