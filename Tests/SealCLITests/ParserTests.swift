// Plan: argv is taken apart as the catalog says, and every mistake has its own flaw.
// - values: both spellings, bundled letters, `--`, options before the command, numbers, hex;
// - mistakes: one row each in a table of argv and expected flaw;
// - help and version win over any mistake;
// - no flaw repeats what might be a key.
// The expectations are read off the documented command line, not off the parser.

import Testing

@testable import SealCLI
@testable import SealCore

private func parse(_ line: [String]) throws -> ParsedCommand {
  guard case .run(let parsed) = try Parser.parse(line) else {
    throw UsageFlaw.noCommand
  }
  return parsed
}

@Suite struct ParserTests {
  @Test(arguments: [
    ["encrypt", "--format", "3", "a", "b"], ["encrypt", "--format=3", "a", "b"],
    ["encrypt", "a", "--format", "3", "b"], ["encrypt", "a", "b", "--format=3"],
  ])
  func takesAValueInBothSpellingsAndAnywhere(_ line: [String]) throws {
    let parsed = try parse(line)
    #expect(parsed.text(CipherOptions.written.format) == "3")
    #expect(parsed.operands == ["a", "b"])
  }

  @Test func bundlesLettersWithAndWithoutAValue() throws {
    let parsed = try parse(["encrypt", "-qnj4", "a", "b"])
    #expect(parsed.has(Options.quiet) && parsed.has(Options.dryRun))
    #expect(parsed.integer(Options.jobs) == 4)
    #expect(try parse(["encrypt", "-j", "7", "a", "b"]).integer(Options.jobs) == 7)
  }

  @Test func takesDashedNamesAfterTwoDashes() throws {
    let parsed = try parse(["encrypt", "--", "-a.db", "--in-place"])
    #expect(parsed.operands == ["-a.db", "--in-place"] && !parsed.has(Options.inPlace))
  }

  @Test func takesCommonOptionsBeforeTheCommand() throws {
    let parsed = try parse(["--json", "--jobs", "2", "decrypt", "a", "b"])
    #expect(parsed.command.name == "decrypt" && parsed.has(Options.json))
    #expect(parsed.integer(Options.jobs) == 2)
  }

  @Test func readsADashAsAValueAndAsAnOperand() throws {
    let parsed = try parse(["encrypt", "--key-file", "-", "-", "b"])
    #expect(parsed.text(KeyOptions.database.file) == "-" && parsed.operands == ["-", "b"])
  }

  @Test func readsNumbersSecondsAndHex() throws {
    let salt = "000102030405060708090a0B0C0D0E0F"
    let parsed = try parse([
      "encrypt", "a", "b", "--kdf-iter", "10", "--busy-timeout", "0.5", "--salt", salt,
      "--hmac-salt-mask", "0x3a", "--hmac-algorithm", "none", "--page-size", "65536",
    ])
    let settings = CipherOptions.written.settings(from: parsed)
    #expect(settings.kdfIterations == 10 && settings.salt == Array(0...15))
    #expect(settings.saltMask == 0x3a && settings.tag == CipherSettings.Tag.none)
    #expect(settings.pageSize == 65536 && parsed.seconds(Options.busyTimeout) == 0.5)
  }

  @Test func readsTheTwoPageSizesOfDecryptApart() throws {
    let parsed = try parse([
      "decrypt", "--page-size", "8192", "--source-page-size", "1024", "a", "b",
    ])
    #expect(parsed.text(Options.outputPageSize) == "8192")
    #expect(CipherOptions.read.settings(from: parsed).pageSize == 1024)
  }

  @Test(arguments: [
    ["--help"], ["-h"], ["encrypt", "--nonsense", "--help"], ["nothing", "-h"], ["help"],
    ["encrypt", "-qh"], ["help", "encrypt"], ["--version"],
    ["encrypt", "--format", "9", "--version"],
  ])
  func letsHelpAndVersionWin(_ line: [String]) throws {
    switch try Parser.parse(line) {
    case .help, .version: break
    case .run: Issue.record("\(line) ran")
    }
  }

  @Test(arguments: mistakes) func namesTheMistake(_ row: Mistake) {
    #expect(throws: row.flaw) { try Parser.parse(row.line) }
  }

  @Test func repeatsNothingThatMayBeAKey() {
    for line in [
      ["encrypt", "--key=hunter2", "a", "b"], ["encrypt", "-khunter2", "a", "b"],
      ["encrypt", "--passphrase=hunter2", "a", "b"], ["encrypt", "--raw-key=hunter2", "a", "b"],
      ["encrypt", "--key-fd", "hunter2", "a", "b"], ["encrypt", "--password", "hunter2", "a"],
      ["encrypt", "--secret-word=hunter2", "a", "b"],
    ] {
      do {
        _ = try Parser.parse(line)
        Issue.record("\(line) was taken")
      } catch {
        let said = Diagnostics.explain(error)
        #expect(!"\(error) \(said)".contains("hunter2"), "\(line)")
      }
    }
  }

  @Test func comparesNamesByBytes() {
    // Precomposed and decomposed letters are equal to Swift, and are two different words here.
    #expect(!OptionValues.same("caf\u{e9}", "cafe\u{301}"))
  }
}

/// A row of the table.
struct Mistake: Sendable, CustomTestStringConvertible {
  let line: [String]
  let flaw: UsageFlaw
  init(_ line: String..., flaw: UsageFlaw) {
    self.line = line
    self.flaw = flaw
  }
  var testDescription: String { line.joined(separator: " ") }
}

private let hex64 = String(repeating: "a1", count: 32)

private let mistakes = [
  Mistake(flaw: .noCommand),
  Mistake("--json", flaw: .noCommand),
  Mistake("encrpyt", flaw: .unknownCommand("encrpyt", suggestion: "encrypt")),
  Mistake("xyz", flaw: .unknownCommand("xyz", suggestion: nil)),
  Mistake("help", "decript", flaw: .unknownCommand("decript", suggestion: "decrypt")),
  Mistake(
    "encrypt", "--fromat", "4",
    flaw: .unknownOption("--fromat", suggestion: "--format", command: "encrypt")),
  Mistake(
    "encrypt", "--out", "x",
    flaw: .unknownOption("--out", suggestion: "--output-dir", command: "encrypt")),
  Mistake("encrypt", "-z", flaw: .unknownOption("-z", suggestion: nil, command: "encrypt")),
  Mistake(
    "encrypt", "--exact", "a", "b",
    flaw: .notAllowed("--exact", command: "encrypt", takenBy: ["decrypt"])),
  Mistake(
    "decrypt", "--shred", "a", "b",
    flaw: .notAllowed("--shred", command: "decrypt", takenBy: ["encrypt"])),
  Mistake("encrypt", "a", "--format", flaw: .missingValue("--format", valueName: "N")),
  Mistake(
    "encrypt", "--format", "--force", flaw: .missingValue("--format", valueName: "N", hasDash: true)
  ),
  Mistake("encrypt", "--key-file=", "a", flaw: .missingValue("--key-file", valueName: "PATH")),
  Mistake("encrypt", "-j", flaw: .missingValue("--jobs", valueName: "N")),
  Mistake("encrypt", "--force=yes", flaw: .unexpectedValue("--force")),
  Mistake(
    "encrypt", "--format", "5",
    flaw: .badValue("--format", value: "5", allowed: "1, 2, 3, 4")),
  Mistake(
    "encrypt", "--kdf-iter", "0",
    flaw: .badValue("--kdf-iter", value: "0", allowed: "a whole number from 1")),
  Mistake(
    "encrypt", "--kdf-iter", "99999999999999999999",
    flaw: .badValue(
      "--kdf-iter", value: "99999999999999999999", allowed: "a whole number from 1")),
  Mistake(
    "encrypt", "--salt", "00ff",
    flaw: .badValue("--salt", value: "00ff", allowed: "32 hex digits")),
  Mistake(
    "encrypt", "--busy-timeout", "soon",
    flaw: .badValue(
      "--busy-timeout", value: "soon", allowed: "seconds, for instance 5 or 0.5")),
  Mistake("encrypt", "--format", "3", "--format", "4", flaw: .twice("--format")),
  Mistake("--jobs", "1", "encrypt", "-j", "2", flaw: .twice("--jobs")),
  Mistake(
    "encrypt", "--in-place", "--output-dir", "d", "a",
    flaw: .exclusive(
      "--in-place", "--output-dir", because: "an output goes to one place")),
  Mistake(
    "encrypt", "--key-file", "a", "--key-env", "B", "a", "b",
    flaw: .exclusive("--key-file", "--key-env", because: "a key has one source")),
  Mistake(
    "encrypt", "--shred", "--in-place", "a",
    flaw: .exclusive(
      "--in-place", "--shred",
      because: "only a source that stays beside its output can be shredded")),
  Mistake(
    "encrypt", "-q", "-v", "a", "b",
    flaw: .exclusive("--quiet", "--verbose", because: "one asks for less, the other for more")),
  Mistake(
    "decrypt", "--exact", "--page-size", "512", "a", "b",
    flaw: .exclusive("--exact", "--page-size", because: "an exact copy keeps the page size")),
  Mistake(
    "encrypt", "--backup", ".old", "a", "b",
    flaw: .needs("--backup", oneOf: ["--in-place", "--force"])),
  Mistake("encrypt", flaw: .tooFew(command: "encrypt", operands: "SOURCE [TARGET]")),
  Mistake(
    "help", "encrypt", "decrypt", flaw: .tooMany(command: "help", operands: "[COMMAND]", count: 2)),
  Mistake("encrypt", "--key", "k", flaw: .keyOption("--key")),
  Mistake("encrypt", "-k", "k", flaw: .keyOption("-k")),
  Mistake("encrypt", "--passphrase=k", flaw: .keyOption("--passphrase")),
  Mistake(hex64, "encrypt", "a", flaw: .keyOperand),
  Mistake("encrypt", "--raw-key", hex64, "a", flaw: .keyOperand),
  Mistake("encrypt", "a", "x'\(hex64)'", flaw: .keyOperand),
  Mistake("encrypt", "", "b", flaw: .emptyArgument),
]
