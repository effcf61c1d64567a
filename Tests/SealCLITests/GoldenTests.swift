// Plan: help texts are as they were reviewed, and the files made from the catalog are up to date.
// `DBSEAL_RECORD=1 swift test --filter GoldenTests` writes the help texts anew (and still fails, so
// that nobody records in CI); the other files are written by the command in the failure's text.

import Foundation
import Testing

@testable import SealCLI

@Suite struct GoldenTests {
  private static let texts: [(String, String)] =
    [("dbseal", HelpText.ofTool())] + Catalog.visible.map { ($0.name, HelpText.of($0)) }

  @Test(arguments: texts.indices) func showsTheHelpThatWasReviewed(_ index: Int) throws {
    let (name, text) = Self.texts[index]
    let file = repository.appending(path: "Tests/SealCLITests/Golden/help-\(name).txt")
    if ProcessInfo.processInfo.environment["DBSEAL_RECORD"] == "1" {
      try Data(text.utf8).write(to: file)
      Issue.record("recorded \(file.lastPathComponent); run again without DBSEAL_RECORD")
      return
    }
    let golden = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, pair) in zip(golden, lines).enumerated() where pair.0 != pair.1 {
      Issue.record("line \(number + 1): expected \(pair.0), got \(pair.1)")
    }
    #expect(golden.count == lines.count)
  }

  @Test(arguments: texts.indices) func fitsEightyColumnsAndShowsAnExample(_ index: Int) {
    let text = Self.texts[index].1
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(text.contains("  dbseal "))
  }

  @Test(arguments: GeneratedFiles.Kind.allCases)
  func keepsGeneratedFilesUpToDate(_ kind: GeneratedFiles.Kind) throws {
    for file in GeneratedFiles.all(kind) {
      let path = "\(kind.directory)/\(file.name)"
      let found = try? String(contentsOf: repository.appending(path: path), encoding: .utf8)
      #expect(
        found == file.content,
        "\(path) is stale: swift run dbseal generate \(kind.rawValue) \(kind.directory)")
    }
  }

  @Test func hasNoBlanksAtLineEnds() {
    for file in GeneratedFiles.Kind.allCases.flatMap(GeneratedFiles.all) {
      for line in file.content.split(separator: "\n") {
        #expect(line.last != " ", "\(file.name): \(line)")
      }
    }
  }
}
