// The command line. Input: arguments, one a line, as bytes. What was understood is written out again
// in full and must be understood alike; what was not is explained without any word in it that has
// the form of a key.
internal import SealCore

@testable import SealCLI

enum ArgumentsTarget {
  static func run(_ bytes: [UInt8]) throws {
    let words = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
    let arguments: [String]
    do throws(UsageFlaw) {
      arguments = try Arguments.decode(words)
    } catch {
      return try explain(error, [])
    }
    try demand(
      zip(arguments, words).allSatisfy { $0.utf8.elementsEqual($1) }, "an argument was changed")
    _ = Parser.command(in: arguments)
    _ = Parser.asksForJSON(arguments)
    do {
      switch try Parser.parse(arguments) {
      case .help, .version: return
      case .run(let command): try again(command)
      }
    } catch let flaw as UsageFlaw { try explain(flaw, arguments) }
  }

  private static func explain(_ flaw: UsageFlaw, _ arguments: [String]) throws {
    let diagnosis = UsageDiagnostics.explain(flaw)
    try demand(diagnosis.exit == ErrorCode.usage.exitStatus, "a usage error with another status")
    let said = diagnosis.sentence + (diagnosis.hint ?? "")
    try demand(!diagnosis.sentence.isEmpty, "an error without a word")
    for word in arguments where KeyArguments.looksRaw(word) {
      try demand(!said.contains(word), "a word of the form of a key was said: \(flaw)")
    }
    if case .badValue(let name, let value, _) = flaw {
      let options = Catalog.commands.flatMap(\.options).filter { $0.flag == name }
      let mayHoldKey = options.contains { $0.section.mayHoldKey }
      try demand(!mayHoldKey || value == nil, "the value of \(name) was kept")
    }
  }

  /// Writes a command out in full and parses that.
  private static func again(_ command: ParsedCommand) throws {
    var words = [command.command.name]
    for (name, value) in command.values.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .flag: words.append("--\(name)")
      case .text(let text): words.append("--\(name)=\(text)")
      case .texts(let texts): words += texts.map { "--\(name)=\($0)" }
      case .integer(let number): words.append("--\(name)=\(number)")
      case .seconds(let seconds):
        // Swift writes small numbers with an exponent, which no option takes.
        if "\(seconds)".contains("e") { return }
        words.append("--\(name)=\(seconds)")
      case .bytes(let bytes): words.append("--\(name)=\(Hex.text(bytes))")
      }
    }
    words.append("--")
    words += command.operands
    do {
      guard case .run(let other) = try Parser.parse(words) else {
        throw Broken(description: "it is another command when it is written out")
      }
      try demand(other.command.name == command.command.name, "another command")
      try demand(other.operands == command.operands, "other operands")
      try demand(other.values == command.values, "other values")
    } catch let flaw as UsageFlaw {
      throw Broken(description: "written out it is wrong: \(flaw)")
    }
  }
}
