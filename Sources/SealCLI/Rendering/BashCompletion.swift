// Completion for bash, with and without the package bash-completion. Names of files are left to
// readline, which knows how to quote them; what the user typed is never expanded or evaluated.

extension Completions {
  /// The script for bash.
  static func bash() -> String {
    [
      origin, valuesOfBash(), placesOfBash(), wordsOfBash, offerOfBash, mainOfBash,
      """
      if type compopt &>/dev/null; then
        complete -F _\(Catalog.tool) \(Catalog.tool)
      else
        complete -o filenames -F _\(Catalog.tool) \(Catalog.tool)
      fi

      """,
    ].joined(separator: "\n\n")
  }

  /// The patterns of a case, on as many lines as they need.
  private static func alternatives(_ patterns: [String], indent: Int) -> String {
    Layout.wrap(patterns.joined(separator: " | "), indent: indent, width: 98)
      .joined(separator: " \\\n")
  }

  private static func valuesOfBash() -> String {
    let cases = CompletedValues(places).kinds.map { kind, patterns in
      let word =
        switch kind {
        case .none: "text"
        case .file: "files"
        case .directory: "folders"
        case .variable: "variables"
        case .words(let words): words.joined(separator: " ")
        }
      return alternatives(patterns, indent: 4) + ")\n      kind='\(word)' ;;"
    }
    return """
      # What the value of an option is ("place:option"), in `kind`; empty for a flag.
      _\(Catalog.tool)_kind() {
        kind=''
        case $1 in
      \(cases.joined(separator: "\n"))
        esac
      }
      """
  }

  private static func placesOfBash() -> String {
    let cases = places.map { place in
      let options = place.options.flatMap(flags).joined(separator: " ")
      let groups = place.groups.map { $0.flatMap(flags).joined(separator: ",") }
      let next = place.next.map(\.name).joined(separator: " ")
      let operands = place.operands == .none ? "" : "files"
      return """
            '\(place.key)')
              options='\(options)'
              groups='\(groups.joined(separator: " "))'
              next='\(next)' operands='\(operands)' ;;
        """
    }
    return """
      # What may stand in a place: options, which of them exclude each other, the next word, files.
      _\(Catalog.tool)_place() {
        case $1 in
      \(cases.joined(separator: "\n"))
        esac
      }
      """
  }

  /// Reads what stands before the cursor.
  private static var wordsOfBash: String {
    let steps = places.filter { !$0.path.isEmpty }.map(\.key)
    return """
      # Reads the words before the cursor: into the place, the options that were given, the option
      # whose value comes next, and whether there was an operand, or a --.
      _\(Catalog.tool)_words() {
        local i n word letter
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          if [[ -n $option ]]; then
            # Where = breaks words, --name=value is three of them.
            [[ $word == '=' ]] || option=''
          elif [[ -n $dashes || $word != -?* ]]; then
            case ${place:+$place/}$word in
      \(alternatives(steps, indent: 8)))
                if [[ -z $operand ]]; then place+=${place:+/}$word; else operand=1; fi ;;
              *) operand=1 ;;
            esac
          elif [[ $word == -- ]]; then
            dashes=1
          elif [[ $word == --*=* ]]; then
            given+="${word%%=*} "
          elif [[ $word == --* ]]; then
            given+="$word "
            _\(Catalog.tool)_kind "$place:$word"
            [[ -z $kind ]] || option=$word
          else
            for ((n = 1; n < ${#word}; n++)); do
              letter=-${word:n:1}
              given+="$letter "
              _\(Catalog.tool)_kind "$place:$letter"
              [[ -n $kind ]] || continue
              ((n + 1 < ${#word})) || option=$letter
              break
            done
          fi
        done
      }
      """
  }

  /// Offers words and files.
  private static var offerOfBash: String {
    """
    # Offers those of the words $1 that begin with $word.
    _\(Catalog.tool)_offer() {
      local each
      for each in $1; do
        if [[ $each == "$word"* ]]; then COMPREPLY+=("$prefix$each"); fi
      done
    }

    # Leaves the names of files ($1 is default) or folders (dirnames) to readline, where it sees them as
    # words of their own, and where bash, from 4 on, lets a function say so.
    _\(Catalog.tool)_names() {
      local each
      if [[ -z $prefix ]] && type compopt &>/dev/null; then
        compopt -o "$1" 2>/dev/null
      else
        while IFS='' read -r each; do COMPREPLY+=("$prefix$each"); done < <(
          if [[ $1 == dirnames ]]; then compgen -d -- "$word"; else compgen -f -- "$word"; fi)
      fi
    }

    # Offers the options of the place that can still be given.
    _\(Catalog.tool)_options() {
      local group each gone=' '
      for group in $groups; do
        for each in ${group//,/ }; do
          if [[ $given == *" $each "* ]]; then gone+="${group//,/ } "; fi
        done
      done
      for each in $options; do
        if [[ $gone != *" $each "* ]]; then _\(Catalog.tool)_offer "$each"; fi
      done
    }
    """
  }

  private static var mainOfBash: String {
    """
    _\(Catalog.tool)() {
      local IFS=$' \\t\\n' place='' given=' ' option='' operand='' dashes='' kind='' prefix=''
      local options='' groups='' next='' operands='' word=${COMP_WORDS[COMP_CWORD]}
      COMPREPLY=()
      if [[ ${COMP_WORDS[COMP_CWORD-1]} == *[\\<\\>] ]]; then _\(Catalog.tool)_names default; return; fi
      _\(Catalog.tool)_words
      _\(Catalog.tool)_place "$place"
      if [[ -n $option ]]; then
        if [[ $word == '=' ]]; then word=''; fi
      elif [[ -z $dashes && $word == --*=* ]]; then
        option=${word%%=*} prefix=${word%%=*}= word=${word#*=}
      fi
      if [[ -n $option ]]; then
        _\(Catalog.tool)_kind "$place:$option"
        case $kind in
          '' | text) ;;
          files) _\(Catalog.tool)_names default ;;
          folders) _\(Catalog.tool)_names dirnames ;;
          variables) _\(Catalog.tool)_offer "$(compgen -e)" ;;
          *) _\(Catalog.tool)_offer "$kind" ;;
        esac
      elif [[ -z $dashes && $word == -* ]]; then
        _\(Catalog.tool)_options
      elif [[ -n $next && -z $operand ]]; then
        _\(Catalog.tool)_offer "$next"
      elif [[ -n $operands ]]; then
        _\(Catalog.tool)_names default
      fi
    }
    """
  }
}
