// Completion for fish: one `complete` an option and place, under conditions that read the words
// before the cursor.

extension Completions {
  /// The script for fish.
  static func fish() -> String {
    var lines = [origin, values, reader, conditions]
    for place in places {
      lines += ["", "# \(([Catalog.tool] + place.path).joined(separator: " "))"]
      let here = "-n '__\(Catalog.tool)_at \"\(place.key)\"'"
      if place.operands == .none { lines.append("complete -c \(Catalog.tool) \(here) -f") }
      for word in place.next {
        lines.append(
          "complete -c \(Catalog.tool) \(here) -n '__\(Catalog.tool)_first' -a \(word.name)"
            + (word.summary.isEmpty ? "" : " -d \(quote(word.summary))"))
      }
      lines += place.options.map { line($0, in: place, here) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ option: OptionSpec, in place: CompletionPlace, _ here: String)
    -> String
  {
    var line = "complete -c \(Catalog.tool) \(here)"
    let gone = place.excluded(by: option)
    if !gone.isEmpty {
      line += " -n '__\(Catalog.tool)_free \(gone.joined(separator: " "))'"
    }
    if let short = option.short { line += " -s \(short)" }
    line += " -l \(option.name)"
    if option.valueName != nil {
      switch completion(of: option) {
      case .none: line += " -x"
      case .file: line += " -r -F"
      case .directory: line += " -x -a '(__\(Catalog.tool)_folders)'"
      case .variable: line += " -x -a '(set -nx)'"
      case .words(let words): line += " -x -a \(quote(words.joined(separator: " ")))"
      }
    }
    return line + " -d \(quote(option.help))"
  }

  private static func quote(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }

  /// The words of a case, on as many lines as they need.
  private static func cases(_ words: [String]) -> Substring {
    Layout.wrap(words.joined(separator: " "), indent: 12, width: 94).joined(separator: " \\\n")
      .drop { $0 == " " }
  }

  /// Names of folders, and which options take a value.
  private static var values: String {
    let tool = Catalog.tool
    let valued = CompletedValues(places).kinds.flatMap(\.patterns).map { "'\($0)'" }
    return """

      # Names of folders, behind --name= too.
      function __\(tool)_folders
          set -l word (string replace -r -- '^--[^=]*=' '' (commandline -ct))
          __fish_complete_directories "$word" ''
      end

      # The option ("place:option") takes a value.
      function __\(tool)_valued
          switch "$argv"
              case \(cases(valued))
                  return 0
          end
          return 1
      end
      """
  }

  /// What reads the command line.
  private static var reader: String {
    let tool = Catalog.tool
    let steps = places.filter { !$0.path.isEmpty }.map(\.key)
    return """

      # Reads the words before the cursor: into the caller's place, operand and given, where an option
      # whose value is at the cursor is not.
      function __\(tool)_read --no-scope-shadowing
          set -l dashes ''
          set -l value ''
          set -l words (commandline -opc)
          for word in $words[2..-1]
              if test -n "$value"
                  set -a given $value
                  set value ''
              else if test -n "$dashes"; or not string match -q -- '-?*' $word
                  set -l further (string join / -- $place $word)
                  switch "$operand$further"
                      case \(cases(steps))
                          set place $further
                      case '*'
                          set operand ': '
                  end
              else if test "$word" = --
                  set dashes 1
              else if string match -q -- '--*=*' $word
                  set -a given (string replace -r -- '=.*' '' $word)
              else if string match -q -- '--*' $word
                  if __\(tool)_valued "$place:$word"
                      set value $word
                  else
                      set -a given $word
                  end
              else
                  set -l letters (string split '' -- (string sub -s 2 -- $word))
                  while set -q letters[1]
                      if __\(tool)_valued "$place:-$letters[1]"; and not set -q letters[2]
                          set value -$letters[1]
                          break
                      end
                      set -a given -$letters[1]
                      __\(tool)_valued "$place:-$letters[1]"; and break
                      set -e letters[1]
                  end
              end
          end
      end
      """
  }

  /// The conditions themselves.
  private static var conditions: String {
    let tool = Catalog.tool
    return """

      # The cursor is in that place.
      function __\(tool)_at
          set -l place
          set -l operand ''
          set -l given
          __\(tool)_read
          test "$place" = "$argv"
      end

      # The cursor is at the first operand of its place.
      function __\(tool)_first
          set -l place
          set -l operand ''
          set -l given
          __\(tool)_read
          test -z "$operand"
      end

      # None of these options was given.
      function __\(tool)_free
          set -l place
          set -l operand ''
          set -l given
          __\(tool)_read
          for option in $argv
              contains -- $option $given; and return 1
          end
          return 0
      end
      """
  }
}
