// Man pages in roff: one of the tool, one a command. Their date is the version's, so that the same
// catalog always makes the same bytes.

internal import SealCore

/// Renders man pages from the catalog.
enum ManPage {
  private static let tool = Catalog.tool

  /// `dbseal(1)`.
  static func ofTool() -> String {
    var lines = head(tool, Catalog.summary)
    lines += [".SH SYNOPSIS", "\(Roff.bold(tool)) \(Roff.usage("COMMAND [OPTION]..."))"]
    lines.append(".SH DESCRIPTION")
    lines += paragraphs(Catalog.description)
    lines.append(".SH COMMANDS")
    for command in Catalog.visible {
      lines += [".TP", Roff.bold(command.name)] + Roff.sentences(command.summary)
    }
    lines += options(.common, Catalog.globalOptions)
    lines += outcomes(ErrorCode.allCases.filter(HelpText.isUsed))
    lines += variables(VariableSpec.all(for: Catalog.visible.flatMap(\.options)))
    lines += examples(Catalog.visible.compactMap(\.examples.first))
    return text(lines + seeAlso(pages.map(name) + ["sqlcipher", "sqlite3"]))
  }

  /// `dbseal-COMMAND(1)`.
  static func of(_ command: CommandSpec) -> String {
    var lines = head(name(command), command.summary)
    lines.append(".SH SYNOPSIS")
    for (index, synopsis) in command.synopses.enumerated() {
      if index > 0 { lines.append(".br") }
      lines.append("\(Roff.bold("\(tool) \(command.name)")) \(Roff.usage(synopsis))")
    }
    lines.append(".SH DESCRIPTION")
    lines += paragraphs(command.description, actions: command.actions.map(\.name))
    lines += actions(of: command)
    for heading in OptionSection.allCases {
      lines += options(
        heading, command.options.filter { $0.section == heading },
        actions: heading == .common ? [] : command.actions.map(\.name))
    }
    lines += outcomes(command.outcomes)
    lines += variables(VariableSpec.all(for: command.options))
    lines += files(FileSpec.all(of: command))
    lines += examples(command.examples)
    let others = pages.filter { $0.name != command.name }.map(name)
    return text(lines + seeAlso([tool] + others))
  }

  /// The commands that have a page.
  static var pages: [CommandSpec] { Catalog.visible.filter { $0.name != Catalog.help.name } }
  /// The page's name, without the section.
  static func name(_ command: CommandSpec) -> String { "\(tool)-\(command.name)" }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  private static func head(_ name: String, _ summary: String) -> [String] {
    let title = Roff.escape(name.uppercased())
    return [
      ".\\\" Made by `\(tool) generate man` from the catalog. Change that instead.",
      ".TH \(title) 1 \(Tool.date) \"\(tool) \(Tool.version)\" \"User Commands\"",
      // No blanks are put between words and no names of options broken: both hide what is to be typed.
      ".ad l", ".nr HY 0", ".nh", ".SH NAME", "\(Roff.escape(name)) \\-", Roff.escape(summary),
    ]
  }

  private static func paragraphs(_ texts: [String], actions: [String] = []) -> [String] {
    texts.enumerated().flatMap { index, text in
      (index == 0 ? [] : [".PP"]) + Roff.sentences(text, actions: actions)
    }
  }

  private static func actions(of command: CommandSpec) -> [String] {
    guard !command.actions.isEmpty else { return [] }
    return [".SH ACTIONS"]
      + command.actions.flatMap { action in
        let own = action.options.filter { !Options.common.contains($0) }.map(\.flag)
        return [".TP", "\(Roff.bold(action.name)) \(Roff.usage(action.synopsis))"]
          + Roff.sentences(action.summary)
          + Roff.sentences("Options beside the common ones: \(own.joined(separator: ", "))")
      }
  }

  private static func options(
    _ heading: OptionSection, _ options: [OptionSpec], actions: [String] = []
  ) -> [String] {
    guard !options.isEmpty else { return [] }
    return [".SH \(heading.rawValue.uppercased())"]
      + options.flatMap { option in
        let short = option.short.map { "\(Roff.bold("-\($0)")), " } ?? ""
        let value = option.valueName.map { " \(Roff.italic($0))" } ?? ""
        var lines = [".TP", "\(short)\(Roff.bold(option.flag))\(value)"]
        lines += Roff.sentences(option.help, actions: actions)
        switch option.value {
        case .choice(_, let words):
          lines += Roff.sentences("One of: \(words.joined(separator: ", "))")
        case .suffix: lines += Roff.sentences("It takes \(option.allowed ?? "text")")
        case .hex(_, let count): lines += Roff.sentences("\(2 * count) hex digits")
        case .none, .text, .integer, .seconds: break
        }
        if option.repeats { lines += Roff.sentences("It may be given more than once") }
        return option.detail.isEmpty
          ? lines : lines + Roff.sentences(option.detail, actions: actions)
      }
  }

  private static func outcomes(_ codes: [ErrorCode]) -> [String] {
    [".SH EXIT STATUS"]
      + codes.flatMap { code in
        [".TP", "\(Roff.bold(String(code.exitStatus))) \(Roff.escape(code.rawValue))"]
          + Roff.sentences(code.meaning)
      }
  }

  private static func variables(_ specs: [VariableSpec]) -> [String] {
    [".SH ENVIRONMENT"]
      + specs.flatMap { spec in
        [".TP", spec.names.map(Roff.bold).joined(separator: ", ")] + Roff.sentences(spec.help)
      }
  }

  private static func files(_ specs: [FileSpec]) -> [String] {
    guard !specs.isEmpty else { return [] }
    return [".SH FILES"]
      + specs.flatMap { [".TP", Roff.usage($0.name)] + Roff.sentences($0.help) }
  }

  private static func examples(_ examples: [Example]) -> [String] {
    [".SH EXAMPLES"]
      + examples.flatMap { example in
        let end = example.purpose.last.map { "?!".contains($0) } == true ? "" : ":"
        return [".TP"] + [Roff.sentences(example.purpose + end).joined(separator: " ")]
          + [".EX", Roff.escape(example.line), ".EE"]
      }
  }

  private static func seeAlso(_ names: [String]) -> [String] {
    let last = names.count - 1
    return [".SH SEE ALSO"]
      + names.enumerated().map { index, name in
        ".BR \(Roff.escape(name)) (1)\(index == last ? "" : ",")"
      }
  }
}
