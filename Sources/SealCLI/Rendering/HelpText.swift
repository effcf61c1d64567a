// The help texts: of the tool and of a command. 80 columns, an example in each.

internal import SealCore

/// Renders help from the catalog.
enum HelpText {
  /// The column where the explanations of options start.
  static let column = 30
  private static let tool = Catalog.tool

  /// `dbseal --help`.
  static func ofTool() -> String {
    var lines = ["\(tool): \(Catalog.summary)", "", "Usage:", "  \(tool) COMMAND [OPTION]..."]
    lines += ["", "Commands:"]
    for command in Catalog.visible {
      lines += Layout.row("  " + command.name, command.summary, start: 12)
    }
    lines += ["", "Examples:"]
    for command in Catalog.visible {
      if let example = command.examples.first { lines.append("  " + example.line) }
    }
    lines += section(.common, Catalog.globalOptions)
    lines += ["", "Exit status:"] + outcomes(ErrorCode.allCases.filter(isUsed))
    lines += ["", "More: \(tool) help COMMAND"]
    return text(lines)
  }

  /// `dbseal COMMAND --help`.
  static func of(_ command: CommandSpec) -> String {
    var lines = ["\(tool) \(command.name): \(command.summary)", "", "Usage:"]
    lines += command.synopses.map { "  \(tool) \(command.name) \($0)" }
    for paragraph in command.description { lines += [""] + Layout.wrap(paragraph) }
    lines += ["", "Examples:"]
    for (index, example) in command.examples.enumerated() {
      if index > 0 { lines.append("") }
      lines += ["  # " + example.purpose, "  " + example.line]
    }
    for heading in OptionSection.allCases {
      lines += section(heading, command.options.filter { $0.section == heading })
    }
    lines += ["", "Exit status:"] + outcomes(command.outcomes)
    return text(lines)
  }

  /// `-q, --quiet`, `    --key-file PATH`.
  static func left(_ option: OptionSpec) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    return short + option.flag + (option.valueName.map { " " + $0 } ?? "")
  }

  /// The one line, with the words that a choice allows.
  static func right(_ option: OptionSpec) -> String {
    guard case .choice(_, let words) = option.value, words != CipherOptions.pageSizes else {
      return option.help
    }
    return "\(option.help): \(words.joined(separator: ", "))"
  }

  private static func section(_ heading: OptionSection, _ options: [OptionSpec]) -> [String] {
    guard !options.isEmpty else { return [] }
    return ["", heading.rawValue + ":"]
      + options.flatMap { Layout.row("  " + left($0), right($0), start: column) }
  }

  /// Some visible command can end with it.
  static func isUsed(_ code: ErrorCode) -> Bool {
    Catalog.visible.contains { $0.outcomes.contains(code) }
  }

  private static func outcomes(_ codes: [ErrorCode]) -> [String] {
    codes.flatMap { code in
      let number = String(code.exitStatus)
      let padding = String(repeating: " ", count: max(1, 5 - number.count))
      return Layout.row("  \(number)\(padding)\(code.rawValue)", code.meaning, start: 26)
    }
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}
