// Plan: a key is exactly the bytes that were meant, from each source, or a failure that says why.
// - the text rule, by a table of file contents;
// - sources: file, descriptor, variable, command, terminal; their order; what each refuses;
// - sources that never end are bounded; keys of a mebibyte arrive whole;
// - a command runs without a shell, without our key variables, with nothing to read.

import Foundation
import Testing

@testable import SealCLI
@testable import SealCore

private func select(
  _ source: KeySource?, binary: Bool = false, allowsOpen: Bool = false,
  reading: KeyMaterial.Reading = .automatic
) -> KeySelection {
  KeySelection(
    source: source, reading: reading, binary: binary, binaryFlag: "--key-binary",
    allowsOpenFile: allowsOpen, variable: "DBSEAL_KEY")
}

/// The key as text.
private func key(
  _ sources: KeySources, _ selection: KeySelection, new: Bool = false
) throws -> String {
  text(try sources.resolve(selection, label: "Key", new: new).engineKey)
}

private func failure(_ body: () throws -> Void) -> KeyFailure.Flaw? {
  do { try body() } catch let failure as KeyFailure { return failure.flaw } catch {}
  return nil
}

@Suite struct KeySourcesTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  @Test(arguments: [
    ("word", "word"), ("word\n", "word"), ("word\r\n", "word"), (" a b \n", " a b "),
    ("word\r", "word\r"), ("00123\n", "00123"), ("o'brien\"\n", "o'brien\""),
    ("e\u{301}", "e\u{301}"),
    ("\r\r\n", "\r"),
  ])
  func takesALineOfText(_ content: String, _ expected: String) throws {
    let got = try key(keySources(), select(.file(folder.file("k", content))))
    #expect(Array(got.utf8) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ("", .empty), ("\n", .empty), ("\r\n", .empty), ("a\nb", .severalLines(blank: 0)),
      ("a\n\n", .severalLines(blank: 1)), ("\n\n", .severalLines(blank: 0)), ("a\0b", .nul),
      ("\u{feff}word\n", .byteOrderMark), ("a\r\n\r\n\n", .severalLines(blank: 2)),
      ("w\0o\0", .utf16), ("\0w\0o", .utf16), ("a\u{1}\nb", .notText),
      ("SQLite format 3\0", .database(isEncrypted: false)),
    ] as [(String, KeyFailure.Flaw)])
  func refusesWhatIsNoLineOfText(_ content: String, _ flaw: KeyFailure.Flaw) throws {
    let file = try folder.file("k", content)
    #expect(failure { _ = try key(keySources(), select(.file(file))) } == flaw)
  }

  @Test func takesBytesAsTheyAreWhereAsked() throws {
    let bytes: [UInt8] = [0xff, 0x00, 0x0a, 0x0a]
    let file = try folder.file("k", bytes)
    let material = try keySources().resolve(
      select(.file(file), binary: true), label: "", new: false)
    #expect(material.engineKey.withBytes { Array($0) } == bytes)
  }

  @Test(arguments: [0o640, 0o604, 0o644]) func refusesAFileThatOthersRead(_ mode: Int) throws {
    let file = try folder.file("k", "word", mode: mode)
    let flaw = failure { _ = try key(keySources(), select(.file(file))) }
    #expect(flaw == .openToOthers(mode: UInt32(mode)))
    #expect(try key(keySources(), select(.file(file), allowsOpen: true)) == "word")
  }

  @Test func saysWhyAFileCannotBeRead() {
    let missing = folder.path + "/none"
    let flaw = failure { _ = try key(keySources(), select(.file(missing))) }
    #expect(flaw == .unreadable(errno: ENOENT))
    #expect(failure { _ = try key(keySources(), select(.file(folder.path))) } == .directory)
  }

  @Test(.timeLimit(.minutes(1))) func boundsWhatNeverEnds() throws {
    let limit = KeyFailure.Flaw.tooLong(limit: 1 << 20)
    let zero = select(.file("/dev/zero"), binary: true)
    #expect(failure { _ = try key(keySources(), zero) } == limit)
    let yes = select(.command("yes"))
    #expect(failure { _ = try key(keySources(), yes) } == limit)
  }

  @Test(.timeLimit(.minutes(1))) func boundsAFIFOWhoseWriterNeverStops() throws {
    let fifo = folder.path + "/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "exec yes > \"$0\"", fifo]
    try writer.run()
    let flaw = failure { _ = try key(keySources(), select(.file(fifo))) }
    #expect(flaw == .tooLong(limit: 1 << 20))
    writer.waitUntilExit()
  }

  @Test(.timeLimit(.minutes(1))) func stopsWaitingWhenASignalAsks() throws {
    let fifo = folder.path + "/quiet"
    #expect(mkfifo(fifo, 0o600) == 0)
    var sources = keySources()
    sources.cancellation = Cancellation()
    let cancellation = sources.cancellation
    Thread.detachNewThread { cancellation.cancel(signal: 2) }
    #expect(throws: SealError.interrupted(signal: 2)) {
      try key(sources, select(.file(fifo)))
    }
  }

  @Test func takesAKeyOfAMebibyteAndNotAByteMore() throws {
    let long = String(repeating: "k", count: 1 << 20)
    let file = try folder.file("k", long + "\r\n")
    #expect(try key(keySources(), select(.file(file))) == long)
    let longer = try folder.file("l", long + "k")
    #expect(
      failure { _ = try key(keySources(), select(.file(longer))) } == .tooLong(limit: 1 << 20))
  }

  @Test func readsFromADescriptorThatIsOpenForReading() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(write(ends[1], "word\n", 5) == 5)
    close(ends[1])
    #expect(try key(keySources(), select(.descriptor(ends[0]))) == "word")
    close(ends[0])
    #expect(failure { _ = try key(keySources(), select(.descriptor(65535))) } == .notOpen)
    let null = open("/dev/null", O_WRONLY)
    #expect(failure { _ = try key(keySources(), select(.descriptor(null))) } == .notOpen)
    close(null)
  }

  @Test func takesAVariableAsItIs() throws {
    let sources = keySources(variables: ["K": " word \n", "E": ""])
    #expect(try key(sources, select(.environment("K"))) == " word \n")
    #expect(failure { _ = try key(sources, select(.environment("E"))) } == .empty)
    #expect(failure { _ = try key(sources, select(.environment("U"))) } == .unset)
  }

  @Test func asksTheEnvironmentInOrder() throws {
    let file = try folder.file("k", "from file")
    var variables = [
      "DBSEAL_KEY_FILE": file, "DBSEAL_KEY_COMMAND": "echo from command",
      "DBSEAL_KEY": "from variable",
    ]
    #expect(try key(keySources(variables: variables), select(nil)) == "from file")
    variables["DBSEAL_KEY_FILE"] = nil
    #expect(try key(keySources(variables: variables), select(nil)) == "from command")
    variables["DBSEAL_KEY_COMMAND"] = nil
    #expect(try key(keySources(variables: variables), select(nil)) == "from variable")
    #expect(try key(keySources(answers: ["typed"]), select(nil)) == "typed")
    #expect(failure { _ = try key(keySources(), select(nil)) } == .noTerminal)
    for name in ["DBSEAL_KEY_FILE", "DBSEAL_KEY_COMMAND", "DBSEAL_KEY"] {
      let empty = keySources(variables: [name: ""])
      // Of the first two it is the name that is empty, of the last the key.
      #expect(
        failure { _ = try key(empty, select(nil)) } == (name == "DBSEAL_KEY" ? .empty : .emptyName))
    }
  }

  @Test func letsAnOptionWinOverTheEnvironment() throws {
    let sources = keySources(variables: ["DBSEAL_KEY": "other", "K": "mine"])
    #expect(try key(sources, select(.environment("K"))) == "mine")
  }

  @Test func asksForANewKeyTwice() throws {
    #expect(try key(keySources(answers: ["a", "a"]), select(nil), new: true) == "a")
    #expect(
      failure { _ = try key(keySources(answers: ["a", "b"]), select(nil), new: true) } == .mismatch)
    // Equal to Swift, but not the same bytes.
    let accents = keySources(answers: ["\u{e9}", "e\u{301}"])
    #expect(failure { _ = try key(accents, select(nil), new: true) } == .mismatch)
    #expect(failure { _ = try key(keySources(answers: [""]), select(nil), new: true) } == .empty)
  }

  @Test func asksOnTheTerminalWhereStandardInputIsOne() throws {
    let sources = keySources(answers: ["typed"], inputIsTerminal: true)
    #expect(try key(sources, select(.standardInput)) == "typed")
    #expect(throws: UsageFlaw.binaryPrompt("--key-binary")) {
      try key(sources, select(nil, binary: true))
    }
  }
}

@Suite struct KeyCommandTests {
  private func run(_ line: String) throws -> String {
    try key(keySources(), select(.command(line)))
  }

  @Test(arguments: [
    ("echo word", "word"), ("printf '%s' 'a b'", "a b"), ("printf %s\\\\n \"a  b\"", "a  b"),
    ("sh -c 'echo a | tr a b'", "b"), ("sh -c 'cat; echo end'", "end"),
    ("env printf '%s' \"it's\"", "it's"),
  ])
  func takesWhatACommandPrints(_ line: String, _ expected: String) throws {
    #expect(try run(line) == expected)
  }

  @Test(
    arguments: [
      ("false", .exited(status: 1)),
      ("sh -c 'echo k; exit 7'", .exited(status: 7)),
      ("sh -c 'kill -9 $$'", .killed(signal: 9)),
      ("/no/such/program", .notStarted(errno: ENOENT)),
      ("true", .empty), ("", .empty), ("   ", .empty), ("echo 'x", .unfinishedQuote),
      ("echo x\\", .unfinishedQuote), ("pass show x | head -1", .shellSyntax("|")),
      ("echo $KEY", .shellSyntax("$")), ("echo \"$KEY\"", .shellSyntax("$")),
      ("a; b", .shellSyntax(";")), ("printf 'a\\nb\\n'", .severalLines(blank: 0)),
    ] as [(String, KeyFailure.Flaw)])
  func saysWhyACommandGaveNoKey(_ line: String, _ flaw: KeyFailure.Flaw) {
    #expect(failure { _ = try run(line) } == flaw)
  }

  @Test func hidesOurKeysFromTheCommand() throws {
    setenv("DBSEAL_NEW_KEY", "secret words", 1)
    defer { unsetenv("DBSEAL_NEW_KEY") }
    #expect(try run("sh -c 'echo \"[$DBSEAL_NEW_KEY]\" \"${PATH:+path}\"'") == "[] path")
  }

  @Test(
    arguments: [
      ("a b", ["a", "b"]), ("  a\t b\n", ["a", "b"]), ("'a b' \"c d\"", ["a b", "c d"]),
      ("a'b'\"c\"d", ["abcd"]), ("'' \"\"", ["", ""]), ("a\\ b", ["a b"]), ("'\\'", ["\\"]),
      ("\"a\\\"b\\\\c\\d\"", ["a\"b\\c\\d"]), ("", []), ("'$x|;'", ["$x|;"]), ("\\$x", ["$x"]),
    ] as [(String, [String])])
  func splitsAsAShellDoes(_ line: String, _ expected: [String]) throws {
    #expect(try ShellWords.split(line) == expected)
  }
}
