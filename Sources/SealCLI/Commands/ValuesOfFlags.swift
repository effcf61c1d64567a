// `--passphrase WORDS`: the option takes no value, so that the words would be the name of a database, and
// would be printed as one that is not there.

internal import SealCore

/// Words behind options that say how a key is to be read.
enum ValuesOfFlags {
  /// Throws where such a word is the name of no file, and hardly of one.
  static func refuse(in parsed: ParsedCommand, _ session: Session) throws(UsageFlaw) {
    // There the databases may be made now, or be gone.
    let maybeGone = parsed.has(SchemaOptions.create) || parsed.has(Options.resume)
    if parsed.command.name == Catalog.key.name { return }
    for (index, flag) in parsed.behindFlags {
      guard parsed.operands.indices.contains(index) else { continue }
      let word = parsed.operands[index]
      guard SourceCheck.isMissing(word) else { continue }
      let set = KeyOptions.sets.first { $0.own.contains(flag) } ?? .database
      let isNamed = session.keys.isNamed(set.selection(from: parsed))
      let isPath = KeyArguments.isRepeatable(path: word)
      if maybeGone, isPath { continue }
      let isMeant = isTarget(index, parsed) ? isNamed || isPath : isNamed && isPath
      if isMeant, !maybeGone { continue }
      throw .valueOfFlag(flag.flag, isFile: true)
    }
  }

  private static func isTarget(_ index: Int, _ parsed: ParsedCommand) -> Bool {
    index == 1 && parsed.operands.count == 2 && parsed.command.options.contains(Options.inPlace)
      && !parsed.has(Options.inPlace) && !parsed.has(Options.outputDir)
      && !parsed.has(SchemaOptions.schema)
  }
}
