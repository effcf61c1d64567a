// Plan: the catalog is what everything is made from, so it is checked itself.
// - names and letters are unique within a command, and mean the same option in every command;
// - every text is there, fits its column and keeps the style;
// - every option that a text names exists, every rule's options are the command's own;
// - every command that is not only help has a runner, and every example line parses.

import Testing

@testable import SealCLI
@testable import SealCore

@Suite struct CatalogTests {
  @Test func hasUniqueCommands() {
    #expect(Set(Catalog.commands.map(\.name)).count == Catalog.commands.count)
    #expect(
      Catalog.visible.map(\.name) == [
        "encrypt", "decrypt", "rekey", "verify", "migrate", "inspect", "key", "help",
      ])
  }

  @Test(arguments: Catalog.commands.map(\.name)) func hasUniqueOptions(_ name: String) throws {
    let command = try #require(Catalog.command(named: name))
    let letters = command.options.compactMap(\.short)
    #expect(Set(command.options.map(\.name)).count == command.options.count)
    #expect(Set(letters).count == letters.count)
  }

  @Test func givesALetterOneMeaning() {
    for letter in "abcdefghijklmnopqrstuvwxyz" {
      let names = Set(Catalog.commands.compactMap { $0.option(letter: letter)?.name })
      #expect(names.count <= 1)
    }
  }

  @Test(arguments: Catalog.commands.map(\.name)) func documentsEverything(_ name: String) throws {
    let command = try #require(Catalog.command(named: name))
    #expect(!command.examples.isEmpty && !command.synopses.isEmpty)
    #expect(!command.description.isEmpty && !command.outcomes.isEmpty)
    for text in [command.summary] + command.options.map(\.help) {
      #expect(!text.isEmpty && text.count <= 80 - HelpText.column, "\(text)")
      #expect(text.first?.isUppercase == false && text.last != ".", "\(text)")
    }
    for option in command.options where !option.detail.isEmpty {
      #expect(option.detail.last == "." && !option.detail.contains("  "), "\(option.detail)")
    }
    for text in command.description { #expect(text.last == "." && !text.contains("\n")) }
    let statuses = command.outcomes.map(\.exitStatus)
    #expect(statuses == statuses.sorted())
  }

  @Test func namesOnlyOptionsThatExist() throws {
    let known = Set(Catalog.visible.flatMap(\.options).map(\.flag))
    for command in Catalog.visible {
      let texts =
        command.description + command.options.flatMap { [$0.help, $0.detail] }
        + command.examples.map(\.line)
      for word in texts.joined(separator: " ").split(separator: " ") where word.hasPrefix("--") {
        let flag = word.prefix { $0.isLetter || $0 == "-" }
        #expect(known.contains(String(flag)), "\(flag)")
      }
    }
  }

  @Test(arguments: Catalog.commands.map(\.name)) func keepsRulesToOwnOptions(_ name: String) throws
  {
    let command = try #require(Catalog.command(named: name))
    for rule in command.rules {
      let options =
        switch rule {
        case .exclusive(let options, _): options
        case .needs(let option, let others): [option] + others
        }
      for option in options { #expect(command.options.contains(option), "\(option.name)") }
    }
  }

  @Test func runsEveryCommand() {
    for command in Catalog.commands where command.name != "help" {
      #expect(Tool.runners[command.name] != nil, "\(command.name)")
    }
  }

  @Test func showsExamplesThatParse() throws {
    for example in Catalog.commands.flatMap(\.examples) {
      let words = try ShellWords.split(example.line)
      #expect(words.first == "dbseal")
      #expect(throws: Never.self) { try Parser.parse(Array(words.dropFirst())) }
    }
  }

  /// Every option against every command: it is taken, or it is said whose it is.
  @Test func takesOrPlacesEveryOption() {
    for command in Catalog.visible {
      for option in Catalog.visible.flatMap(\.options) where option.name != "help" {
        if command.option(named: option.name) != nil { continue }
        #expect(throws: UsageFlaw.self) {
          try Parser.parse([command.name, option.flag + (option.valueName == nil ? "" : "=1")])
        }
      }
    }
  }

  @Test func usesTheExitStatusesThatAreDocumented() {
    let documented: [ErrorCode: Int32] = [
      .ok: 0, .checkFailed: 1, .usage: 2, .noKey: 3, .wrongKey: 4, .damaged: 5, .wrongKind: 6,
      .exists: 7, .locked: 8, .io: 9, .unsupported: 10, .migrationFailed: 11,
      .selfCheckFailed: 70, .interrupted: 130,
    ]
    for code in ErrorCode.allCases { #expect(code.exitStatus == documented[code]) }
  }
}
