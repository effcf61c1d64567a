// Plan: a command line through the whole tool with a core that only pretends.
// - one file: a line, status 0; `--quiet` says nothing but a salt that is stored nowhere else;
// - a source that cannot be converted never leads to a prompt;
// - several files: each its line, a summary, status 1 if one failed; an interrupt ends it all;
// - JSON: one object a line on standard output, nothing on standard error.

import Synchronization
import Testing

@testable import SealCLI
@testable import SealCore

private func report(_ request: ConversionRequest, notes: [Note] = []) -> ConversionReport {
  var target = request.source
  if case .target(let path) = request.output.destination { target = path }
  var proof = Proof(pages: 202)
  proof.records = 9
  proof.openedBy = "4.6.1"
  return ConversionReport(
    source: request.source, target: target, dryRun: request.output.dryRun, profile: .format4,
    salt: Array(repeating: 0xab, count: 16), sourcePageSize: 4096, targetPageSize: 4096,
    sourcePages: 200, targetPages: 202, bytesRead: 819_200, bytesWritten: 827_392,
    openingPragmas: [], backup: nil, proof: proof, notes: notes, seconds: 0.25)
}

@Suite struct ToolTests {
  /// Runs `encrypt` with a core that fails for files called `bad` and `stop`.
  private func run(_ words: String..., notes: [Note] = [], answers: [String]? = nil)
    -> (status: Int32, said: Captured)
  {
    run(words, notes: notes, answers: answers)
  }

  private func run(_ words: [String], notes: [Note] = [], answers: [String]? = nil)
    -> (status: Int32, said: Captured)
  {
    let captured = Captured()
    var session = Session(console: captured.console)
    session.keys = keySources(variables: answers == nil ? ["K": "word"] : [:], answers: answers)
    session.core.precheckEncrypt = { source, _ in
      if source == "empty" { throw SealError.wrongKind(path: source, found: .empty) }
    }
    session.core.encrypt = { [cancellation = session.cancellation] request, _ in
      if request.source == "bad" {
        throw SealError.damaged(Damage(path: "bad", flaw: .structure(page: 7, .pageTwice)))
      }
      if request.source == "stop" {
        cancellation.cancel(signal: 15)
        try cancellation.check()
      }
      return report(request, notes: notes)
    }
    let status = Tool.run(words.map { Array($0.utf8) }, session)
    return (status, captured)
  }

  @Test func saysWhatWasDone() {
    let (status, said) = run("encrypt", "--key-env", "K", "a.db", "b.db")
    #expect(status == 0 && said.error.isEmpty)
    #expect(
      said.output
        == "encrypted a.db -> b.db: 202 pages, format 4, proven (202 pages read back, 9 records"
        + " equal, opened by SQLCipher 4.6.1)\n")
  }

  @Test func keepsQuietExceptForASaltThatIsNowhereElse() {
    let words = ["encrypt", "-q", "--key-env", "K", "a.db", "b.db"]
    let (status, said) = run(words[0], words[1], words[2], words[3], words[4], words[5])
    #expect(status == 0 && said.error.isEmpty && said.output.isEmpty)
    let salt = Note.saltOutside(Array(0...15))
    let salted = run(
      words[0], words[1], words[2], words[3], words[4], words[5],
      notes: [salt, .walIncluded(frames: 3)])
    #expect(salted.said.output.contains("000102030405060708090a0b0c0d0e0f"))
    #expect(salted.said.output.split(separator: "\n").count == 1 && salted.said.error.isEmpty)
  }

  @Test func saysNotesOnStandardError() {
    let (_, said) = run(
      "encrypt", "--key-env", "K", "a.db", "b.db", notes: [.walIncluded(frames: 1)])
    #expect(said.error == "note: a.db: 1 committed frame of the -wal is included\n")
  }

  @Test func neverAsksForAFileThatCannotBeConverted() {
    let (status, said) = run("encrypt", "empty", "b.db", answers: nil)
    #expect(status == 6)
    #expect(said.error.hasPrefix("dbseal: empty: the file is empty\n"))
  }

  @Test func endsWithOneWhereSeveralFilesWereNamedAndOneFailed() {
    let (status, said) = run(
      "encrypt", "--key-env", "K", "--output-dir", "/tmp", "a", "bad", "empty", "c")
    #expect(status == 1)
    let lines = said.output.split(separator: "\n")
    #expect(
      lines.count == 3
        && lines.last == "2 of 4 databases encrypted, 2 failed (1 damaged, 1 wrong_kind)")
    #expect(said.error.contains("dbseal: bad: damaged: page 7 is used twice\n"))
  }

  @Test func stopsAtOnceWhenInterrupted() {
    // Some of those behind it may have begun before; not the last of so many.
    let rest = (1...500).map { "c\($0)" }
    let (status, said) = run(
      ["encrypt", "-j", "1", "--key-env", "K", "--output-dir", "/tmp", "a", "stop"] + rest)
    #expect(status == 143 && said.output.contains("a -> ") && !said.output.contains("c500 -> "))
  }

  @Test func writesOneObjectALineAndNothingElse() {
    let (status, said) = run(
      "encrypt", "--json", "--key-env", "K", "--output-dir", "/tmp", "a", "bad",
      notes: [.privateMode])
    let lines = said.output.split(separator: "\n")
    #expect(status == 1 && lines.count == 3 && said.error.isEmpty)
    #expect(
      lines[0].hasPrefix(#"{"command":"encrypt","database":"a","ok":true,"code":"ok","exit":0"#))
    #expect(lines[1].contains(#""database":"bad","ok":false,"code":"damaged","exit":5"#))
    #expect(lines[2].hasPrefix(#"{"summary":{"command":"encrypt","ok":false"#))
  }

  @Test func saysUsageErrorsAsJSONToo() {
    let (status, said) = run("encrypt", "--json", "--format", "9", "a", "b")
    #expect(status == 2 && said.error.isEmpty)
    #expect(said.output.contains(#""code":"usage","exit":2"#))
  }

  @Test func refusesImpossibleSettingsBeforeAnything() {
    let (status, _) = run("encrypt", "--page-size", "512", "empty", "b")
    #expect(status == 2)
  }

  @Test func showsHelpWhereNothingWasAsked() {
    let (status, said) = run()
    #expect(status == 2 && said.output.isEmpty && said.error.contains("Commands:"))
  }
}
