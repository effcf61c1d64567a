// Plan: arguments arrive with exactly their bytes, and what is not UTF-8 is refused rather than
// repaired; the plan of a conversion names each output once.

import Testing

@testable import SealCLI
@testable import SealCore

private func plan(_ words: String...) throws -> ConversionPlan {
  guard case .run(let parsed) = try Parser.parse(words) else { throw UsageFlaw.noCommand }
  return try ConversionPlan(parsed)
}

@Suite struct ArgumentsTests {
  @Test func keepsBytes() throws {
    let decomposed = Array("cafe\u{301}.db".utf8)
    #expect(try Arguments.decode([decomposed]).map { Array($0.utf8) } == [decomposed])
  }

  @Test func refusesWhatIsNotUTF8() {
    #expect(throws: UsageFlaw.notUTF8("a\\xff.db")) {
      try Arguments.decode([[0x61], [0x61, 0xff, 0x2e, 0x64, 0x62]])
    }
  }

  @Test(arguments: [("a.db", "a.db"), ("d/a.db", "a.db"), ("/a", "a"), ("d/a/", "a"), ("/", "/")])
  func findsTheBaseName(_ path: String, _ name: String) {
    #expect(ConversionPlan.baseName(path) == name)
  }

  @Test func sendsSeveralSourcesIntoADirectory() throws {
    let steps = try plan("encrypt", "--output-dir", "out/", "a.db", "d/b.db").steps
    #expect(
      steps == [
        .init(source: "a.db", destination: .target("out/a.db")),
        .init(source: "d/b.db", destination: .target("out/b.db")),
      ])
  }

  @Test func refusesOneNameTwiceAndUnclearTargets() {
    #expect(throws: UsageFlaw.sameBaseName("a", "x/a")) {
      try plan("encrypt", "--output-dir", "d", "a", "x/a")
    }
    #expect(throws: UsageFlaw.noDestination(command: "encrypt")) { try plan("encrypt", "a") }
    #expect(throws: UsageFlaw.severalSources(count: 3, source: "SOURCE")) {
      try plan("encrypt", "a", "b", "c")
    }
  }

  @Test func changesAnyNumberInPlace() throws {
    for command in ["encrypt", "decrypt", "rekey", "migrate"] {
      let steps = try plan(command, "--in-place", "a", "b").steps
      #expect(
        steps == [
          .init(source: "a", destination: .inPlace), .init(source: "b", destination: .inPlace),
        ])
    }
  }

  @Test func takesTwoSpellingsOfALetterForTwoNames() throws {
    let steps = try plan("encrypt", "--output-dir", "d", "\u{e9}", "e\u{301}").steps
    #expect(steps.count == 2)
  }
}
