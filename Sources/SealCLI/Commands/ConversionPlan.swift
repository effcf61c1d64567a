// Which file becomes which: the operands and the output options of a conversion, checked against
// each other before anything is opened.

internal import SealCore

/// The conversions that one command line asks for.
struct ConversionPlan: Sendable, Equatable {
  struct Step: Sendable, Equatable {
    let source: String
    let destination: OutputOptions.Destination
  }

  let steps: [Step]

  init(_ parsed: ParsedCommand, inPlaceByDefault: Bool = false) throws(UsageFlaw) {
    let files = parsed.operands
    if let directory = parsed.text(Options.outputDir) {
      steps = try Self.intoDirectory(directory, files)
    } else if parsed.has(Options.filesFrom) || parsed.has(Options.inPlace)
      || inPlaceByDefault && files.count == 1
    {
      // No name of a list can be meant as a TARGET.
      steps = files.map { Step(source: $0, destination: .inPlace) }
    } else {
      guard files.count >= 2 else { throw .noDestination(command: parsed.command.name) }
      guard files.count == 2 else {
        let source = parsed.command.operands.names.prefix { $0 != " " }
        throw .severalSources(count: files.count, source: String(source))
      }
      if parsed.has(Options.backup), !parsed.has(Options.force) {
        throw .needs(Options.backup.flag, oneOf: [Options.inPlace.flag, Options.force.flag])
      }
      try Self.requireFile(files[1])
      steps = [Step(source: files[0], destination: .target(files[1]))]
    }
  }

  /// Throws where a database that is to be made is called as standard output is.
  static func requireFile(_ output: String) throws(UsageFlaw) {
    if OptionValues.same(output, "-") { throw .outputStream }
  }

  /// Throws where the second of two names is that of no file, as a TARGET's: the first would change
  /// against the user's will.
  func requireNoTarget() throws(UsageFlaw) {
    guard steps.count == 2, steps.allSatisfy({ $0.destination == .inPlace }),
      SourceCheck.isMissing(steps[1].source), !SourceCheck.isMissing(steps[0].source)
    else { return }
    throw .targetBesideInPlace(steps[1].source)
  }

  /// Throws where a file that changes in place is named twice.
  func requireDistinct() throws(UsageFlaw) {
    try Self.requireDistinct(steps.filter { $0.destination == .inPlace }.map(\.source))
  }

  /// Throws where two of `files`, which are to be changed, are one file.
  static func requireDistinct(_ files: [String]) throws(UsageFlaw) {
    guard let (first, second) = SourceCheck.oneFile(among: files) else { return }
    throw .sameFile(first, second)
  }

  private static func intoDirectory(_ directory: String, _ files: [String]) throws(UsageFlaw)
    -> [Step]
  {
    // By the bytes of the name, whose file it is.
    var seen: [[UInt8]: String] = [:]
    var steps: [Step] = []
    for file in files {
      let name = baseName(file)
      if let other = seen.updateValue(file, forKey: Array(name.utf8)) {
        throw .sameBaseName(other, file)
      }
      // SQLite would take one for the log or journal of the other.
      for suffix in Sidecars.suffixes {
        let base = Array(name.utf8.dropLast(suffix.utf8.count))
        if seen[Array((name + suffix).utf8)] != nil { throw .companionNames(name, name + suffix) }
        if name.hasSuffix(suffix), seen[base] != nil {
          throw .companionNames(String(name.dropLast(suffix.count)), name)
        }
      }
      let target = directory.utf8.last == 0x2f ? directory + name : "\(directory)/\(name)"
      steps.append(Step(source: file, destination: .target(target)))
    }
    return steps
  }

  /// What follows the last slash that is not at the end.
  static func baseName(_ path: String) -> String {
    let parts = path.unicodeScalars.split(separator: "/")
    return parts.last.map { String($0) } ?? path
  }
}
