// Plan: how far the work is never goes back and ends with all of it; rate and remaining time are not
// said before they mean something and do not jump; a line fits any width and tells what matters most
// first; texts are as wide as a terminal shows them.

import Foundation
import Testing

@testable import SealCLI
@testable import SealCore

@Suite struct ProgressTests {
  private let shares: WorkProgress.Shares = [.converting: 0...0.5, .proving: 0.5...1]

  private func progress(_ phase: SealCore.Progress.Phase, _ done: UInt64) -> SealCore.Progress {
    SealCore.Progress(phase, done: done, total: 100)
  }

  @Test func goesOnlyForwardAndEndsWithAll() {
    let work = WorkProgress(["a", "b"], sizes: [1000, 3000], shares: shares)
    var seen: [UInt64] = []
    func look() { seen.append(work.view(at: 0).done) }
    look()
    work.show(1, progress(.converting, 50))
    look()
    work.show(0, progress(.proving, 50))
    look()
    // One that comes late, and a phase that tells nothing.
    work.show(1, progress(.converting, 10))
    work.show(1, SealCore.Progress(.syncing, done: 0, total: 0))
    look()
    work.show(1, progress(.proving, 200))
    look()
    work.end(1)
    work.end(0)
    look()
    #expect(seen == [0, 750, 1500, 1500, 3750, 4000])
    #expect(work.view(at: 0).ended == 2 && work.view(at: 0).phase == nil)
  }

  @Test func countsTheFailedToo() {
    let work = WorkProgress(["a", "none"], sizes: [1000, 0], shares: shares)
    work.end(0)
    work.end(1)
    #expect(work.view(at: 1).done == 1000 && work.view(at: 1).total == 1000)
  }

  @Test func saysNoRateBeforeItMeansSomethingAndNoneThatJumps() throws {
    let work = WorkProgress(["a"], sizes: [100_000], shares: [.converting: 0...1])
    var left: [Double] = []
    // A hundred bytes a moment, and now and then none or three times as many.
    var done: UInt64 = 0
    for step in 1...300 {
      done += step % 10 == 0 ? 3 : step % 10 < 3 ? 0 : 1
      work.show(0, SealCore.Progress(.converting, done: done, total: 1000))
      let view = work.view(at: Double(step) * 0.1)
      if step < 15 { #expect(view.rate == nil && view.left == nil) }
      if let seconds = view.left { left.append(seconds) }
    }
    #expect(left.count > 200)
    for (before, after) in zip(left, left.dropFirst()) {
      #expect(abs(after - before) < before * 0.25)
    }
    // It stands still: nobody knows how long.
    for step in 301...400 { _ = work.view(at: Double(step) * 0.1) }
    #expect(work.view(at: 40.1).rate == nil)
  }

  private func view(_ count: Int = 1, rate: Double? = 512 * 1_048_576, left: Double? = 6)
    -> WorkProgress.View
  {
    WorkProgress.View(
      phase: .converting, subject: "backups/application.db", count: count, ended: count / 2,
      done: 1 << 30, total: 4 << 30, rate: rate, left: left)
  }

  @Test(arguments: [
    (80, "backups/application.db: converting 25%, 512 MiB/s, 6 s left"),
    (50, "...ication.db: converting 25%, 512 MiB/s, 6 s left"),
    (44, ".../application.db: converting 25%, 6 s left"),
    (30, "...lication.db: converting 25%"), (20, "25%"), (2, "25"),
  ])
  func fitsOneDatabaseIntoALine(_ width: Int, _ expected: String) {
    #expect(ProgressLine(view()).text(width: width) == expected)
  }

  @Test(arguments: [
    (90, "4 of 9 done, 25%, 512 MiB/s, 6 s left; backups/application.db: converting"),
    (40, "4 of 9 done, 25%, 512 MiB/s, 6 s left"), (30, "4 of 9 done, 25%, 6 s left"),
    (18, "4 of 9 done, 25%"), (12, "4 of 9 done"), (5, "25%"),
  ])
  func fitsSeveralIntoALine(_ width: Int, _ expected: String) {
    #expect(ProgressLine(view(9)).text(width: width) == expected)
  }

  @Test func leavesOutWhatIsNotKnown() {
    #expect(
      ProgressLine(view(rate: nil, left: nil)).text(width: 80)
        == "backups/application.db: converting 25%")
    var unknown = view(rate: nil, left: nil)
    (unknown.total, unknown.done, unknown.phase) = (0, 0, .deriving)
    #expect(ProgressLine(unknown).text(width: 80) == "backups/application.db: deriving the key")
    unknown.phase = nil
    #expect(ProgressLine(unknown).text(width: 80).isEmpty)
  }

  @Test(arguments: [
    (6.9, "6 s left"), (89, "89 s left"), (95, "2 min left"), (5399, "90 min left"),
    (5400, "1 h 30 min left"), (-1, "0 s left"), (.infinity, "277777 h 46 min left"),
  ])
  func saysTimeAsPeopleDo(_ seconds: Double, _ expected: String) {
    #expect(ProgressLine.time(seconds) == expected)
  }

  /// Widths by Unicode: EastAsianWidth.txt, and UTS #51 for sequences.
  @Test(arguments: [
    ("漢字", 4), ("e\u{301}", 1), ("👍", 2), ("👍🏽", 2), ("👨\u{200d}👩\u{200d}👧", 2),
    ("🇩🇪🇫🇷", 4), ("❤\u{fe0f}", 2), ("❤", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2),
    ("ไทยที่", 4), ("ｱ", 1), ("a\u{200b}b", 2),
  ])
  func measuresAsATerminalDoes(_ text: String, _ columns: Int) {
    #expect(TextWidth.columns(text) == columns)
    let tail = TextWidth.tail(text + text + text + text, of: 7)
    #expect(TextWidth.columns(tail) <= 7)
    #expect(TextWidth.columns(TextWidth.cut(text + text, to: 3)) <= 3)
  }
}
