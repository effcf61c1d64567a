// Plan: every error has one plain sentence and the exit status that is documented for it.
// - a sample of every case and of every payload: sentence in style, status by the table;
// - the sentences that the documentation quotes, word for word;
// - the form on standard error and the fields of the JSON object.

import Testing

@testable import SealCLI
@testable import SealCore

private let path = "app.db"

private let samples: [(SealError, Int32)] =
  [
    .pageSize(1000), .usableSize(pageSize: 512, reserve: 80), .kdfIterations(0),
    .fastKDFIterations(0), .plaintextHeader(20), .saltNeeded, .saltLength(3), .saltConflict,
    .saltIsMagic,
  ].map { (SealError.badProfile($0), 2) }
  + [
    .empty, .rawMalformed(characters: 3), .rawAmbiguous(characters: 3, isClosed: true),
    .passphraseTakenRaw, .tooLong(limit: 1),
  ]
  .map { (SealError.badKey($0), 3) }
  + [
    WrongKey(path: path, tried: [], pagesTried: 0, pagesInFile: 0),
    WrongKey(path: path, tried: ["format 4"], pagesTried: 2, pagesInFile: 9, looksRaw: true),
    WrongKey(path: path, tried: ["format 4"], pagesTried: -1, pagesInFile: 9, saltDiffers: true),
  ].map { (SealError.wrongKey($0), 4) }
  + KeyShape.allCases.map {
    (.wrongKey(WrongKey(path: path, tried: [], pagesTried: 1, pagesInFile: 1, shape: $0)), 4)
  }
  + KeyVariant.allCases.flatMap { variant in
    [("format 4", 4), ("format 3 with 9 rounds", nil)].map { settings, format in
      let fit = KeyFit(
        variant: variant, settings: settings, format: format, pageSize: 4096, kdfIterations: 1)
      return (
        .wrongKey(WrongKey(path: path, tried: [], pagesTried: 1, pagesInFile: 1, fit: fit)), 4
      )
    }
  }
  + [
    .pages([3, 4, 9], total: 3, pagesInFile: 10), .pages([], total: 0, pagesInFile: 0),
    .header(field: "page size"), .size(actual: 1, expected: 2), .structure(page: 5, .pageTwice),
    .log(firstBad: 4, lostCommits: 2, badTags: 0), .log(firstBad: nil, lostCommits: 0, badTags: 1),
  ].map { (SealError.damaged(Damage(path: path, flaw: $0)), 5) }
  + SpecialFile.allCases.map { (SealError.notRegular(path: path, $0), 6) }
  + FileKind.allCases.map { (SealError.wrongKind(path: path, found: $0), 6) }
  + [
    .target, .sameFile, .directory, .directoryForFile, .notRegular, .system, .danglingLink,
    .hardLinked(links: 2),
    .shared(canBeForced: true), .shared(canBeForced: false),
    .sidecar("app.db"), .backup, .companion, .input, .foreign,
  ].map { (SealError.exists(path: path, $0), 7) }
  + [
    (.locked(path: path, holders: []), 8), (.inUse(path: path, holders: []), 8),
    (.writeProtected(path: path), 9),
    (.locked(path: path, holders: [ProcessName(id: 7, name: "app")]), 8),
    (.changedWhileReading(path: path), 8), (.io(IOFailure(.open, path: path, errno: 2)), 9),
    (.io(IOFailure(.sync, path: path, errno: 5)), 9),
    (.noSpace(path: path, needed: 1 << 40, available: 0), 9),
    (.engine(path: path, code: 1, message: "SQL logic error"), 9),
    (.unsupported(.noCodec(sqlite: "3.40.1")), 10),
    (.unsupported(.engineTooOld(engine: "3.4.1", needed: "4.0", feature: "format 4")), 10),
    (.unsupported(.schema(message: "malformed")), 10),
    (.unsupported(.crypto(function: "RAND_bytes")), 10), (.unsupported(.logVersion(1)), 10),
    (.unsupported(.fileFormat(3)), 10),
    (.interrupted(signal: 2), 130),
    (.interrupted(signal: 15), 143), (.interrupted(signal: 1), 129),
  ]
  + [.size, .pages, .header, .engine, .content, .oldKey]
  .map { (SealError.selfCheckFailed(path: path, stage: $0), 70) }

@Suite struct DiagnosticsTests {
  @Test(arguments: samples.indices) func hasASentenceAndAStatus(_ index: Int) {
    let (error, status) = samples[index]
    let said = Diagnostics.explain(error)
    #expect(said.exit == status && said.code == error.code, "\(error)")
    let start = said.sentence.prefix(1)
    #expect(start == start.lowercased() || said.sentence.hasPrefix("SQLite"), "\(said.sentence)")
    for text in [said.sentence, said.hint ?? "x"] {
      #expect(!text.isEmpty && text.last != "." && !text.contains("\n"), "\(text)")
    }
    #expect(!said.sentence.contains("file is not a database"))
    // A usage error without a hint of its own gets the help of its command, where that is known.
    #expect(said.hint != nil || [.usage, .interrupted].contains(said.code), "\(error)")
  }

  @Test func saysWhatTheDocumentationQuotes() {
    let captured = Captured()
    Diagnostics.explain(
      SealError.wrongKey(
        WrongKey(path: "app.db", tried: ["format 4"], pagesTried: 202, pagesInFile: 202))
    ).say(on: captured.console)
    let lines = captured.error.split(separator: "\n")
    #expect(
      lines.first
        == "dbseal: app.db: wrong key, or other cipher settings: 0 of 202 pages authenticate (format 4)"
    )
    #expect(lines.count == 2 && lines.last?.hasPrefix("hint: ") == true)
    #expect(captured.output.isEmpty)
  }

  @Test func saysWhichFormatsWereTried() {
    let tried = ["format 4", "format 3", "format 2", "format 1"]
    let said = Diagnostics.explain(
      SealError.wrongKey(WrongKey(path: "a", tried: tried, pagesTried: 8, pagesInFile: 2)))
    #expect(
      said.sentence
        == "wrong key, or other cipher settings: 0 of 8 tried pages authenticate"
        + " (formats 4, 3, 2, 1)")
  }

  @Test(
    arguments: [
      (["format 4 with page size 8192"], "format 4 with page size 8192"),
      (
        ["format 4 with page size 8192", "format 3 with page size 8192"],
        "formats 4, 3 with page size 8192"
      ),
      (["format 4", "format 3 with 9 rounds"], "format 4; format 3 with 9 rounds"),
    ] as [([String], String)])
  func saysWhichSettingsWereTried(_ tried: [String], _ expected: String) {
    let said = Diagnostics.explain(
      SealError.wrongKey(WrongKey(path: "a", tried: tried, pagesTried: 2, pagesInFile: 2)))
    #expect(said.sentence.hasSuffix(" authenticate (\(expected))"))
  }

  @Test func namesTheOptionsOfTheKeyThatIsMissing() {
    for set in KeyOptions.sets {
      let said = Diagnostics.explain(
        KeyFailure(source: .terminal, flaw: .noTerminal, prefix: set.prefix))
      #expect(said.hint?.hasPrefix("use \(set.file.flag), \(set.descriptor.flag), ") == true)
      #expect(said.hint?.hasSuffix(", or $\(set.variable)_FILE") == true)
    }
  }

  @Test func countsPagesInGrammar() {
    let one = Damage(path: "a", flaw: .pages([7], total: 1, pagesInFile: 115))
    #expect(
      Diagnostics.explain(SealError.damaged(one)).sentence
        == "damaged: 1 of 115 pages does not authenticate (page 7)")
    let two = Damage(path: "a", flaw: .pages([7, 9], total: 2, pagesInFile: 115))
    #expect(
      Diagnostics.explain(SealError.damaged(two)).sentence
        == "damaged: 2 of 115 pages do not authenticate (pages 7, 9)")
  }

  @Test func namesTheSidecarThatIsInTheWay() {
    let said = Diagnostics.explain(
      SealError.exists(path: "d/out.db-wal", .sidecar("d/out.db")))
    #expect(said.subject == "d/out.db")
    #expect(said.sentence.hasPrefix("out.db-wal stands beside the target"))
  }

  @Test(
    arguments: [
      ([3, 4, 9], 3, "pages 3-4, 9"), ([7], 1, "page 7"), ([1, 2, 3], 40, "pages 1-3 and 37 more"),
      ([], 0, "pages "), ([4_294_967_295], 1, "page 4294967295"),
    ] as [([UInt32], Int, String)])
  func listsPagesInRuns(_ pages: [UInt32], _ total: Int, _ expected: String) {
    #expect(DamageDiagnostics.list(pages, total) == expected)
  }

  @Test func putsEveryFieldIntoJSON() {
    let said = Diagnostics.explain(SealError.wrongKind(path: "a\"b", found: .empty))
    #expect(
      said.json(command: "encrypt", database: "a\"b").text
        == #"{"command":"encrypt","database":"a\"b","ok":false,"code":"wrong_kind","exit":6,"#
        + #""message":"the file is empty","hint":"check the name; if there was a database, "#
        + #"restore it from a backup","kind":"empty"}"#)
  }

  @Test func namesTheFileInTheMessageWhereItIsAnother() {
    let said = Diagnostics.explain(KeyFailure(source: .file("k"), flaw: .empty))
    #expect(said.exit == 3)
    let text = said.json(command: "encrypt", database: "app.db").text
    #expect(text.contains(#""message":"key file k: the database's key is empty""#))
  }

  @Test func saysEveryUsageErrorInStyle() {
    let flaws: [UsageFlaw] = [
      .noCommand, .unknownCommand("a", suggestion: "b"), .notUTF8("\\xff"),
      .noDestination(command: "encrypt"), .targetBesideInPlace("x"),
      .severalSources(count: 3, source: "SOURCE"),
      .sameBaseName("x/a", "y/a"), .binaryPrompt("--key-binary"), .generateKind("x"), .keyOperand,
      .keyOption("--key"), .needs("--a", oneOf: ["--b", "--c"]), .emptyArgument,
    ]
    for flaw in flaws {
      let said = Diagnostics.explain(flaw)
      #expect(said.exit == 2 && !said.sentence.isEmpty && said.sentence.last != ".")
    }
  }
}
