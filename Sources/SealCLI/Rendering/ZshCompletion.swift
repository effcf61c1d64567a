// Completion for zsh: a function a place, each a call of _arguments.

extension Completions {
  /// The script for zsh.
  static func zsh() -> String {
    let tool = Catalog.tool
    return """
      #compdef \(tool)
      \(origin)

      \(places.map(function).joined(separator: "\n\n"))

      # Autoloaded, this file is the function; read by a user's own configuration, it only makes it.
      if [[ $funcstack[1] == _\(tool) ]]; then
        _\(tool) "$@"
      else
        compdef _\(tool) \(tool)
      fi

      """
  }

  /// `_dbseal-key-generate`.
  private static func name(_ path: [String]) -> String {
    ([Catalog.tool] + path).map { $0 }.joined(separator: "-")
  }

  private static func function(_ place: CompletionPlace) -> String {
    let options = place.options.map { "    \(spec($0, in: place)) \\" }.joined(separator: "\n")
    let head = "_\(name(place.path))() {"
    if place.next.isEmpty {
      let operand =
        place.operands == .none
        ? "'*: :'" : "'*:\(escape(place.operandNames)):_files'"
      return "\(head)\n  _arguments -s -S \\\n\(options)\n    \(operand)\n}"
    }
    let words = place.next.map { "    '\($0.name):\(escape($0.summary))'" }
    let further = places.filter { $0.path.dropLast() == place.path[...] && !$0.path.isEmpty }
    let cases = further.map { next in
      "        \(next.path.last ?? "")) _\(name(next.path)) ;;"
    }
    let rest =
      further.isEmpty
      ? ""
      : """

          further)
            case $words[1] in
      \(cases.joined(separator: "\n"))
            esac ;;
      """
    return """
      \(head)
        local curcontext=$curcontext state state_descr line
        local -A opt_args
        local -a words_here=(
      \(words.joined(separator: "\n"))
        )
        _arguments -s -S -C\(further.isEmpty ? "" : " -A '-*'") \\
      \(options)
          '1: :->word' \(further.isEmpty ? "'*: :'" : "'*:: :->further'") && return
        case $state in
          word) _describe \(place.path.isEmpty ? "command" : "operand") words_here ;;\(rest)
        esac
      }
      """
  }

  private static func spec(_ option: OptionSpec, in place: CompletionPlace) -> String {
    let ends = [Options.help, Options.version].contains(option)
    let gone = ends ? "- *" : place.excluded(by: option).joined(separator: " ")
    let start = "'" + (gone.isEmpty ? "" : "(\(gone))") + (option.repeats ? "*" : "")
    var value = ""
    if let name = option.valueName {
      let action =
        switch completion(of: option) {
        case .none: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .variable: "_parameters -g \"*export*\""
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
      value = ":\(escape(name)):\(action)"
    }
    let rest = "[\(escape(option.help))]\(value)'"
    let long = option.flag + (value.isEmpty ? "" : "=")
    guard let short = option.short else { return "\(start)\(long)\(rest)" }
    return "\(start)'{-\(short)\(value.isEmpty ? "" : "+"),\(long)}'\(rest)"
  }

  private static func escape(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "'\\''")
      .replacing(":", with: "\\:").replacing("[", with: "\\[").replacing("]", with: "\\]")
  }
}
