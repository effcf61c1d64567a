// Man pages in roff: one of the tool, one a command. They carry no date, so that the same catalog
// always makes the same bytes.

internal import SealCore

/// Renders man pages from the catalog.
enum ManPage {
  private static let tool = Catalog.tool

  /// `dbseal(1)`.
  static func ofTool() -> String {
    var lines = head(tool, Catalog.summary)
    lines += [".SH SYNOPSIS", "\\fB\(tool)\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]..."]
    lines.append(".SH COMMANDS")
    for command in Catalog.visible {
      lines += [".TP", "\\fB\(command.name)\\fR", sentence(command.summary)]
    }
    lines += options(.common, Catalog.globalOptions)
    lines += outcomes(ErrorCode.allCases.filter(HelpText.isUsed))
    lines.append(".SH SEE ALSO")
    lines += pages.map { "\\fB\(escape(name($0)))\\fR(1)" }.joined(separator: ",\n")
      .split(separator: "\n").map(String.init)
    return lines.joined(separator: "\n") + "\n"
  }

  /// `dbseal-COMMAND(1)`.
  static func of(_ command: CommandSpec) -> String {
    var lines = head(name(command), command.summary)
    lines.append(".SH SYNOPSIS")
    for (index, synopsis) in command.synopses.enumerated() {
      if index > 0 { lines.append(".br") }
      lines.append("\\fB\(tool) \(command.name)\\fR \(escape(synopsis))")
    }
    lines.append(".SH DESCRIPTION")
    for (index, paragraph) in command.description.enumerated() {
      if index > 0 { lines.append(".PP") }
      lines.append(prose(paragraph))
    }
    for heading in OptionSection.allCases {
      lines += options(heading, command.options.filter { $0.section == heading })
    }
    lines.append(".SH EXAMPLES")
    for example in command.examples {
      lines += [".PP", sentence(example.purpose) + ":", ".PP", ".nf", ".RS 4"]
      lines += [escape(example.line), ".RE", ".fi"]
    }
    lines += outcomes(command.outcomes)
    lines += [".SH SEE ALSO", "\\fB\(tool)\\fR(1)"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The commands that have a page.
  static var pages: [CommandSpec] { Catalog.visible.filter { $0.name != Catalog.help.name } }
  /// The page's name, without the section.
  static func name(_ command: CommandSpec) -> String { "\(tool)-\(command.name)" }

  private static func head(_ name: String, _ summary: String) -> [String] {
    [
      ".\\\" Made by `\(tool) generate man` from the catalog. Change that instead.",
      ".TH \(escape(name.uppercased())) 1 \"\" \"\(tool) \(Tool.version)\" \"User Commands\"",
      ".SH NAME", "\(escape(name)) \\- \(escape(summary))",
    ]
  }

  private static func options(_ heading: OptionSection, _ options: [OptionSpec]) -> [String] {
    guard !options.isEmpty else { return [] }
    return [".SH \(heading.rawValue.uppercased())"]
      + options.flatMap { option in
        let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        let value = option.valueName.map { " \\fI\($0)\\fR" } ?? ""
        var text = sentence(option.help)
        if let allowed = option.allowed {
          if case .choice = option.value { text += ". One of: " } else { text += ". It takes " }
          text += allowed
        }
        if case .integer = option.value { text = sentence(option.help) }
        if case .seconds = option.value { text = sentence(option.help) }
        if case .hex(_, let count) = option.value {
          text = sentence(option.help) + ". \(2 * count) hex digits"
        }
        if !option.detail.isEmpty { text += ". " + prose(option.detail) } else { text += "." }
        return [".TP", "\(short)\\fB\(escape(option.flag))\\fR\(value)", text]
      }
  }

  private static func outcomes(_ codes: [ErrorCode]) -> [String] {
    [".SH EXIT STATUS"]
      + codes.flatMap { code in
        [".TP", "\\fB\(code.exitStatus)\\fR \(code.rawValue)", sentence(code.meaning)]
      }
  }

  private static func sentence(_ text: String) -> String {
    prose(text.prefix(1).uppercased() + text.dropFirst())
  }

  /// Escaped, with option names and variables in bold.
  private static func prose(_ text: String) -> String {
    text.split(separator: " ").map { word in
      guard word.hasPrefix("--") || word.hasPrefix("$") else { return escape(String(word)) }
      let end = word.lastIndex { $0.isLetter || $0 == "_" } ?? word.startIndex
      return "\\fB\(escape(String(word[...end])))\\fR\(escape(String(word[end...].dropFirst())))"
    }.joined(separator: " ")
  }

  /// Backslashes, dashes, and what roff takes for a request at the start of a line.
  static func escape(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "'": out += "\\(aq"
      default: out.append(character)
      }
    }
    return out.hasPrefix(".") ? "\\&" + out : out
  }
}
