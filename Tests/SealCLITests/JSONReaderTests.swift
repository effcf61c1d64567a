// Plan: JSON that people write, read strictly.
// - what RFC 8259 allows is read, with lines; everything else is refused with its line;
// - Foundation's own reader is the judge of what is JSON, over many mutations of a text;
// - depth and doubled names are refused; a text's content is in no flaw; no input traps.
import Foundation
import Testing

@testable import SealCLI

@Suite struct JSONReaderTests {
  private func read(_ text: String) throws -> JSONNode { try JSONReader.read(Array(text.utf8)) }

  private func flaw(_ text: String) -> JSONFlaw? {
    do {
      _ = try JSONReader.read(Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test func readsValuesWithTheirLines() throws {
    let node = try read("\n{\"a\": [1, -2.5,\r\n true], \"b\\u00e9\\n\": null\n}\n")
    guard case .object(let members) = node.value else { return #expect(Bool(false)) }
    #expect(node.line == 2 && members.map(\.name) == ["a", "bé\n"])
    #expect(members.map(\.line) == [2, 3])
    #expect(
      members[0].value.value
        == .array([
          JSONNode(line: 2, value: .integer(1)), JSONNode(line: 2, value: .number("-2.5")),
          JSONNode(line: 3, value: .bool(true)),
        ]))
  }

  @Test(
    arguments: [
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .number("9223372036854775808")), ("-0", .integer(0)),
      ("1E+3", .number("1E+3")), ("\"\\ud83d\\udd11/\\/\"", .string("🔑//")),
      (" [ ] ", .array([])), ("{ }", .object([])),
    ] as [(String, JSONNode.Value)])
  func readsOneValue(_ text: String, _ value: JSONNode.Value) throws {
    #expect(try read(text).value == value)
  }

  @Test(
    arguments: [
      ("", 1, .ended("a value")), ("{", 1, .ended("a name in double quotes")),
      ("{\"a\" 1}", 1, .expected("a colon")),
      ("{\"a\":1,}", 1, .expected("a name in double quotes")),
      ("[1\n2]", 2, .expected("a comma or ]")),
      ("{\"a\":1\n\"b\":2}", 2, .expected("a comma or }")),
      ("[1,]", 1, .expected("a value")), ("01", 1, .more), ("1 2", 1, .more),
      ("-", 1, .ended("a digit")),
      ("1.", 1, .ended("a digit")), ("1e", 1, .ended("a digit")), ("+1", 1, .expected("a value")),
      (".5", 1, .expected("a value")), ("NaN", 1, .expected("a value")),
      ("tru", 1, .expected("a value")),
      ("\"a", 1, .ended("a double quote")), ("\"a\nb\"", 1, .control), ("\"\\x\"", 1, .escape),
      ("\"\\u12\"", 1, .escape), ("\"\\ud83d\"", 1, .escape), ("\"\\udc00\"", 1, .escape),
      ("\"\\ud83dx\"", 1, .escape), ("{\"a\":1,\n\"a\":2}", 2, .twice("a")),
      ("{'a':1}", 1, .expected("a name in double quotes")), ("// x", 1, .expected("a value")),
      ("\u{feff}1", 1, .byteOrderMark),
    ] as [(String, Int, JSONFlaw.Kind)])
  func refusesWithTheLine(_ text: String, _ line: Int, _ kind: JSONFlaw.Kind) {
    #expect(flaw(text) == JSONFlaw(line: line, kind: kind))
  }

  @Test func boundsDepth() {
    let limit = JSONReader.depthLimit
    let nested = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
    #expect(flaw(nested(limit)) == nil)
    #expect(flaw(nested(limit + 1))?.kind == .tooDeep(limit: limit))
    #expect(flaw(String(repeating: "[", count: 1_000_000))?.kind == .tooDeep(limit: limit))
  }

  @Test func refusesBytesThatAreNoText() {
    for bytes: [UInt8] in [
      [0x22, 0xff, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0xff, 0xfe, 0x31],
    ] {
      #expect(throws: JSONFlaw.self) { try JSONReader.read(bytes) }
    }
  }

  /// Every text that differs by one byte from a seed: read here if and only if Foundation reads it,
  /// except doubled names, and commas behind the last value, which Foundation lets pass.
  @Test func agreesWithFoundationOnMutations() {
    let seed = Array(#"{"ab":[1,-20.5e+3,"x\n\u00e9",true,null,{"c":false}],"d":"🔑"}"#.utf8)
    var texts: [[UInt8]] = []
    for index in seed.indices {
      texts.append(Array(seed[..<index] + seed[(index + 1)...]))
      for byte in UInt8(0)...127 {
        texts.append(Array(seed[..<index] + [byte] + seed[(index + 1)...]))
        texts.append(Array(seed[..<index] + [byte] + seed[index...]))
      }
    }
    var read = 0
    for bytes in texts {
      let judge = try? JSONSerialization.jsonObject(with: Data(bytes))
      let text = String(decoding: bytes, as: UTF8.self)
      do {
        _ = try JSONReader.read(bytes)
        read += 1
        #expect(judge != nil, "\(text)")
      } catch {
        let bare = text.filter { !$0.isWhitespace }
        if case .twice = error.kind { continue }
        #expect(judge == nil || bare.contains(",}") || bare.contains(",]"), "\(text)")
      }
    }
    #expect(read > 1000 && texts.count - read > 1000)
  }
}
