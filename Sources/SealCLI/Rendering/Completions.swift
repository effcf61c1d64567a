// Completions for bash, zsh and fish.

internal import SealCore

/// Renders completions from the catalog.
enum Completions {
  private static let tool = Catalog.tool
  private static let origin =
    "# Made by `\(Catalog.tool) generate completions` from the catalog. Change that instead."

  /// How a shell completes the value of an option.
  static func completion(of option: OptionSpec) -> Completion {
    switch option.value {
    case .none, .suffix, .integer, .seconds, .hex: .none
    case .text(_, let completion): completion
    case .choice(_, let words): .words(words)
    }
  }

  /// `-q` and `--quiet` for each option.
  private static func flags(_ options: [OptionSpec]) -> [String] {
    options.flatMap { option in (option.short.map { ["-\($0)"] } ?? []) + [option.flag] }
  }

  /// The options of all commands that take a value, each once.
  private static var valued: [OptionSpec] {
    var seen: Set<String> = []
    return Catalog.visible.flatMap(\.options).filter {
      $0.valueName != nil && seen.insert($0.name).inserted
    }
  }

  static func bash() -> String {
    var values: [String] = []
    for option in valued {
      let names = flags([option]).joined(separator: "|")
      let action =
        switch completion(of: option) {
        case .none: "COMPREPLY=()"
        case .file: "COMPREPLY=($(compgen -f -- \"$word\"))"
        case .directory: "COMPREPLY=($(compgen -d -- \"$word\"))"
        case .variable: "COMPREPLY=($(compgen -e -- \"$word\"))"
        case .words(let words):
          "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\"))"
        }
      values.append("    \(names)) \(action); return ;;")
    }
    let commands = Catalog.visible.map { command in
      "    \(command.name)) options='\(flags(command.options).joined(separator: " "))' ;;"
    }
    let names = Catalog.visible.map(\.name).joined(separator: " ")
    let operands = Catalog.visible.compactMap { command -> String? in
      guard case .words(let words) = command.operands.completion else { return nil }
      return "      \(command.name)) COMPREPLY=($(compgen -W '\(words.joined(separator: " "))'"
        + " -- \"$word\")) ;;"
    }
    return """
      \(origin)
      _\(tool)() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' options i
        compopt -o filenames 2>/dev/null
        case $before in
      \(values.joined(separator: "\n"))
        esac
        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
          \(Catalog.visible.map(\.name).joined(separator: "|"))) command=${COMP_WORDS[i]}; break ;;
          esac
        done
        case $command in
      \(commands.joined(separator: "\n"))
          *) options='\(flags(Catalog.globalOptions).joined(separator: " "))' ;;
        esac
        if [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$word"))
        else
          case $command in
            '') COMPREPLY=($(compgen -W '\(names)' -- "$word")) ;;
      \(operands.joined(separator: "\n"))
            *) COMPREPLY=($(compgen -f -- "$word")) ;;
          esac
        fi
      }
      complete -F _\(tool) \(tool)

      """
  }

  static func zsh() -> String {
    let describe = Catalog.visible.map { "    '\($0.name):\(zshText($0.summary))'" }
    let cases = Catalog.visible.map { command in
      let operand =
        switch command.operands.completion {
        case .words(let words): "'*: :(\(words.joined(separator: " ")))'"
        case .directory: "'*: :_files -/'"
        case .file, .none, .variable: "'*: :_files'"
        }
      let specs = command.options.map { "        \(zshSpec($0)) \\" }.joined(separator: "\n")
      return "    \(command.name))\n      _arguments -s -S \\\n\(specs)\n        \(operand) ;;"
    }
    let global = Catalog.globalOptions.map { "    \(zshSpec($0)) \\" }.joined(separator: "\n")
    return """
      #compdef \(tool)
      \(origin)
      _\(tool)() {
        local context state state_descr line
        typeset -A opt_args
        local -a commands=(
      \(describe.joined(separator: "\n"))
        )
        _arguments -s -S -C \\
      \(global)
          '1: :->command' '*:: :->rest' && return
        case $state in
        command) _describe command commands ;;
        rest)
          case $words[1] in
      \(cases.joined(separator: "\n"))
          esac ;;
        esac
      }
      _\(tool) "$@"

      """
  }

  private static func zshSpec(_ option: OptionSpec) -> String {
    let text = "[\(zshText(option.help))]"
    var value = ""
    if let name = option.valueName {
      let action =
        switch completion(of: option) {
        case .none: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .variable: "_parameters -g '*export*'"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
      value = ":\(name):\(action.replacing("'", with: "'\\''"))"
    }
    guard let short = option.short else {
      let again = option.repeats ? "*" : ""
      return "'\(again)\(option.flag)\(value.isEmpty ? "" : "=")\(text)\(value)'"
    }
    let plus = value.isEmpty ? "" : "+"
    let equals = value.isEmpty ? "" : "="
    return "'(-\(short) \(option.flag))'{-\(short)\(plus),\(option.flag)\(equals)}'\(text)\(value)'"
  }

  private static func zshText(_ text: String) -> String {
    text.replacing("'", with: "'\\''").replacing(":", with: "\\:").replacing("[", with: "\\[")
      .replacing("]", with: "\\]")
  }

  static func fish() -> String {
    var lines = [origin, "complete -c \(tool) -n __fish_use_subcommand -f"]
    let quote = { (text: String) in "'\(text.replacing("'", with: "\\'"))'" }
    for command in Catalog.visible {
      lines.append(
        "complete -c \(tool) -n __fish_use_subcommand -a \(command.name)"
          + " -d \(quote(command.summary))")
    }
    for command in Catalog.visible {
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options {
        var line = "complete -c \(tool) \(condition)"
        if let short = option.short { line += " -s \(short)" }
        line += " -l \(option.name)"
        if option.valueName != nil {
          switch completion(of: option) {
          case .none: line += " -x"
          case .file: line += " -r -F"
          case .directory: line += " -x -a '(__fish_complete_directories)'"
          case .variable: line += " -x -a '(set -x --names)'"
          case .words(let words): line += " -x -a '\(words.joined(separator: " "))'"
          }
        }
        lines.append(line + " -d \(quote(option.help))")
      }
      if case .words(let words) = command.operands.completion {
        lines.append("complete -c \(tool) \(condition) -f -a '\(words.joined(separator: " "))'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
