// Plan: what is written is JSON by another reader's judgment (Foundation), one line, fields in
// order, integers exact, and any bytes of a name make valid text.

import Foundation
import Testing

@testable import SealCLI

private func readBack(_ json: JSON) throws -> [String: Any] {
  let data = Data(JSON.object([.init("v", json)]).text.utf8)
  return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
}

@Suite struct JSONTests {
  @Test(arguments: [
    "", "plain", "quote \" backslash \\", "line\nfeed\r\ttab", "\u{0}\u{1}\u{1f}\u{7f}", "é 漢 🦉",
    "\u{2028}\u{2029}", "a'b", "</script>",
  ])
  func escapesText(_ text: String) throws {
    let json = JSON.string(text)
    #expect(try readBack(json)["v"] as? String == text)
    #expect(!json.text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 })
  }

  @Test func escapesAsTheStandardSays() {
    #expect(JSON.string("a\u{1}\"\\\n").text == #""a\u0001\"\\\n""#)
  }

  @Test(arguments: [Int64.min, -1, 0, 9_007_199_254_740_993, Int64.max])
  func keepsIntegersExact(_ number: Int64) {
    #expect(JSON.integer(number).text == String(number))
  }

  @Test func keepsUnsignedExact() {
    #expect(JSON.unsigned(.max).text == "18446744073709551615")
  }

  @Test(arguments: [
    (0.0, "0.000"), (0.0126, "0.013"), (-2.5, "-2.500"), (12.999, "12.999"),
    (.infinity, "null"), (.nan, "null"),
  ])
  func writesThreeDecimals(_ number: Double, _ expected: String) {
    #expect(JSON.decimal(number).text == expected)
  }

  @Test func makesTextOfAnyBytes() throws {
    #expect(try readBack(.name([0x61, 0xff, 0x62]))["v"] as? String == "a\u{fffd}b")
  }

  @Test func keepsTheOrderOfFields() {
    let json = JSON.object([
      .init("b", .null), .init("a", .array([.bool(true), .hex([0, 255])])), .init("c", .object([])),
    ])
    #expect(json.text == #"{"b":null,"a":[true,"00ff"],"c":{}}"#)
  }
}
