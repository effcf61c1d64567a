// Plan: nothing in a name can act on a terminal; color only where it is wanted; the progress line
// never mixes with a message; a reader that went away is no failure, a full disk is one.

import Foundation
import Testing

@testable import SealCLI
@testable import SealCore

@Suite struct ConsoleTests {
  @Test(arguments: [
    ("a\u{1b}[2Jb", "a\\x1b[2Jb"), ("a\nb\r\tc", "a\\nb\\r\\tc"), ("\u{9b}x", "\\x9bx"),
    ("\u{202e}gpj", "\\u{202e}gpj"), ("naïve 漢", "naïve 漢"), ("\u{7f}", "\\x7f"),
  ])
  func escapesWhatWouldAct(_ name: String, _ expected: String) {
    #expect(Console.escaped(name) == expected)
  }

  @Test func escapesNamesInMessagesAndResults() {
    let captured = Captured(terminal: true)
    captured.console.result("done \u{1b}]0;x\u{7}")
    captured.console.say([Span("dbseal: "), Span("a\nb")])
    #expect(captured.output == "done \\x1b]0;x\\x07\n" && captured.error == "dbseal: a\\nb\n")
  }

  @Test func colorsOnlyWhereWanted() {
    for (display, terminal, noColor, colored) in [
      (Display.auto, true, false, true), (.auto, true, true, false), (.auto, false, false, false),
      (.always, false, true, true), (.never, true, false, false),
    ] {
      let captured = Captured(terminal: terminal)
      captured.console.setColor(display, noColor: noColor, dumb: false)
      captured.console.say([Span("x", .error)])
      #expect(captured.error.contains("\u{1b}[") == colored)
    }
  }

  @Test func takesTheProgressLineAwayBeforeAMessage() {
    let captured = Captured(terminal: true, width: 20)
    captured.console.setColor(.auto, noColor: false, dumb: true)
    captured.console.draw(progress: "converting 42% of a long name")
    captured.console.say([Span("note")])
    captured.console.draw(progress: "")
    let blanks = String(repeating: " ", count: 19)
    #expect(captured.error == "\rconverting 42% of a\r\(blanks)\rnote\n")
  }

  @Test func writesOverALongerProgressLine() {
    let captured = Captured(terminal: true)
    captured.console.draw(progress: "漢字 1%")
    captured.console.draw(progress: "2%")
    captured.console.draw(progress: "3%")
    captured.console.draw(progress: "")
    #expect(captured.error == "\r漢字 1%\r2%     \r3%     \r       \r")
  }

  @Test func drawsNothingInTheBackground() {
    let captured = Captured(terminal: true, inFront: false)
    captured.console.draw(progress: "converting 42%")
    #expect(captured.error.isEmpty)
  }

  @Test func toleratesAReaderThatLeftAndReportsAFullDisk() {
    for (number, expected) in [(EPIPE, Int32(0)), (ENOSPC, 9), (0, 0)] {
      let captured = Captured(outputErrno: number)
      let status = Tool.run([Array("help".utf8)], Session(console: captured.console))
      #expect(status == expected)
    }
  }
}
