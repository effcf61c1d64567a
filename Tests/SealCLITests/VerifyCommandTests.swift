// Plan: what verify's own options mean, and how its text stays short.
// - NAME=ROWS is split at the last `=`, and only digits are a number; numbers may be negative;
// - a list of findings is cut in the text; notes and errors stay on standard error.
import Testing

@testable import SealCLI
@testable import SealCore

@Suite struct VerifyCommandTests {
  @Test(
    arguments: [
      ("users", "users", nil), ("users=3", "users", 3), ("a=b", "a=b", nil), ("a=b=0", "a=b", 0),
      ("=5", "=5", nil), ("==5", "=", 5), ("users=", "users=", nil), ("users=-1", "users=-1", nil),
      ("t=99999999999999999999", "t=99999999999999999999", nil),
    ] as [(String, String, UInt64?)])
  func splitsATableFromItsRows(_ text: String, _ name: String, _ rows: UInt64?) {
    #expect(VerifyCommand.table(text) == Expectations.Table(name: name, rows: rows))
  }

  private func expectations(_ words: [String]) throws -> Expectations? {
    guard case .run(let parsed) = try Parser.parse(["verify", "a.db"] + words) else { return nil }
    return VerifyCommand.expectations(parsed)
  }

  @Test func takesNumbersOfEitherSign() throws {
    #expect(try expectations(["--expect-user-version", "-7"])?.userVersion == -7)
    #expect(try expectations(["--expect-user-version=-7"])?.userVersion == -7)
    #expect(try expectations(["--expect-application-id", "4294967295"])?.applicationID == -1)
    #expect(try expectations(["--expect-application-id", "7"])?.applicationID == 7)
    for bad in ["--", "-", "7-", "--7", "-2147483649", "4294967296", "1.0"] {
      #expect(throws: UsageFlaw.self) { try expectations(["--expect-user-version", bad]) }
    }
  }

  @Test func takesATableMoreThanOnce() throws {
    let found = try expectations(["--expect-table", "a", "--expect-table=b=2"])
    #expect(found?.tables.map(\.name) == ["a", "b"])
    #expect(throws: UsageFlaw.self) {
      try expectations(["--expect-user-version", "1", "--expect-user-version", "1"])
    }
  }

  private func report(_ change: (inout VerifyReport) -> Void) -> VerifyRendering {
    var report = VerifyReport(
      path: "a.db", profile: .format4, salt: nil, pageSize: 4096, userVersion: 0, applicationID: 0,
      pages: PagesVerdict(total: 9, checked: 9, hasTags: true, size: SizeFinding(actual: 36864)),
      structure: StructureVerdict(state: .sound), references: ReferencesVerdict(state: .sound),
      expectations: ExpectationsVerdict(), notes: [], seconds: 0)
    change(&report)
    return VerifyRendering(report)
  }

  @Test func saysASoundDatabaseOnOneLine() {
    let lines = report { _ in }.lines(all: false)
    #expect(
      lines == ["a.db: ok: 9 pages authenticate (format 4); structure sound; references sound"])
  }

  @Test func cutsLongListsInTheText() {
    let rendering = report {
      $0.structure = StructureVerdict(
        state: .damaged, messages: (0..<5000).map { "finding \($0)" })
    }
    #expect(rendering.lines(all: true).count < 40)
    #expect(rendering.lines(all: false).contains("    and 4980 more (--json lists all)"))
    #expect(rendering.json(command: "verify").text.contains("finding 4999"))
  }

  /// Damage, then rows, then what could not be checked.
  @Test func ranksItsOutcomes() {
    let unchecked = StructureVerdict(state: .notChecked, hindrance: .schema("words"))
    let difference = ExpectationsVerdict.Difference.noTable("t", isView: false)
    #expect(report { $0.structure = unchecked }.diagnosis.exit == 10)
    let both = report {
      $0.structure = unchecked
      $0.expectations.differences = [difference]
    }
    #expect(both.diagnosis.exit == 1)
    let damaged = report {
      $0.pages.damaged = [DamagedPage(number: 3, flaw: .tag)]
      $0.structure = unchecked
      $0.expectations.differences = [difference]
    }
    #expect(damaged.diagnosis.exit == 5)
    #expect(report { $0.references.state = .notChecked }.diagnosis.exit == 0)
  }
}
