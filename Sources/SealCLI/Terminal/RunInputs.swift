// Which files a run reads keys and lists from, so that nothing that it writes takes their place.

internal import SealCore

extension KeySources {
  /// The files that a command line reads keys and lists from, or remembers its work in, those that a
  /// variable names too; nothing that the run writes may take their place.
  func inputs(of parsed: ParsedCommand) -> InputFiles {
    var paths = [Options.filesFrom, Options.resume].compactMap { parsed.text($0) }
      .map { $0 == "-" ? Self.path(of: 0) : $0 }
    var lines: [String] = []
    for set in KeyOptions.sets {
      let selection = set.selection(from: parsed)
      let named = (try? text(set.variable + "_FILE")).flatMap { $0 }
      let variable = named.map { $0 == "-" ? KeySource.standardInput : .file($0) }
      let command = (try? text(set.variable + "_COMMAND")).flatMap { $0 }.map(KeySource.command)
      for source in [selection.source, selection.list, variable, command] {
        switch source {
        case .file(let path): paths.append(path)
        case .standardInput: paths.append(Self.path(of: 0))
        case .descriptor(let number): paths.append(Self.path(of: number))
        case .keyring(let name, _):
          if let folder = (try? text("CREDENTIALS_DIRECTORY")).flatMap({ $0 }) {
            paths.append("\(folder)/\(name)")
          }
        case .command(let line): lines.append(line)
        case .environment, .store, .terminal, nil: break
        }
      }
    }
    var inputs = InputFiles(paths)
    for line in lines { inputs.add(namedBy: (try? ShellWords.split(line)) ?? [line]) }
    return inputs
  }

  /// What leads to the file behind a descriptor.
  private static func path(of descriptor: Int32) -> String { "/dev/fd/\(descriptor)" }
}
