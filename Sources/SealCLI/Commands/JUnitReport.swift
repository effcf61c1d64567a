// JUnit XML as CI servers read it: one suite, a test for each database. The format has no standard;
// these are elements that GitLab documents and that the schema of Jenkins' xUnit plugin (junit-10.xsd)
// allows, which is strict. XML can hold no control characters, not even escaped, so they are made visible
// as on a terminal.

internal import SealCore

/// Renders reports for CI servers.
enum JUnitReport {
  /// The document. `time`: when the run ended, as ISO 8601 has it.
  static func text(_ cases: [ReportCase], at time: String) -> String {
    let failed = cases.filter { $0.outcome == .failed }.count
    let errors = cases.filter { $0.outcome == .error }.count
    let seconds = seconds(cases.reduce(0) { $0 + $1.seconds })
    let counts =
      "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"\(errors)\" time=\"\(seconds)\""
    let name = "name=\"\(Catalog.tool) \(Catalog.verify.name)\""
    let host = "hostname=\"\(attribute(SystemCalls.hostName()))\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites \(name) \(counts)>",
      "  <testsuite \(name) \(counts) skipped=\"0\" timestamp=\"\(time)\" \(host)>",
    ]
    for each in cases { lines += test(each) }
    lines += ["  </testsuite>", "</testsuites>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func test(_ test: ReportCase) -> [String] {
    let start =
      "    <testcase classname=\"\(Catalog.tool).\(Catalog.verify.name)\""
      + " name=\"\(attribute(test.name))\" time=\"\(seconds(test.seconds))\""
    var inner: [String] = []
    let diagnosis = test.diagnosis
    switch test.outcome {
    case .passed: break
    case .failed, .error:
      let name = test.outcome == .failed ? "failure" : "error"
      // Some servers show the attribute, some the text.
      let lines =
        (test.details.isEmpty ? [sentence(test)] : test.details)
        + (diagnosis.hint.map { ["hint: \($0)"] } ?? [])
      inner.append(
        "      <\(name) type=\"\(diagnosis.code.rawValue)\""
          + " message=\"\(attribute(sentence(test)))\">\(content(lines))</\(name)>")
    }
    let output = (test.outcome == .passed ? test.details : []) + test.notes.map { "note: \($0)" }
    if !output.isEmpty {
      inner.append("      <system-out>\(content(output))</system-out>")
    }
    return inner.isEmpty ? [start + "/>"] : [start + ">"] + inner + ["    </testcase>"]
  }

  /// With what it is about, where the test's name does not say that: the other database, a key file.
  private static func sentence(_ test: ReportCase) -> String {
    let about = test.diagnosis.subject.flatMap { $0 == test.name ? nil : $0 + ": " } ?? ""
    return about + test.diagnosis.sentence
  }

  private static func content(_ lines: [String]) -> String {
    lines.map(escaped).joined(separator: "\n")
  }

  private static func attribute(_ text: String) -> String {
    escaped(text).replacing("\"", with: "&quot;")
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in ReportCase.escaped(text).unicodeScalars {
      switch scalar.value {
      case 0x26: out += "&amp;"
      case 0x3c: out += "&lt;"
      case 0x3e: out += "&gt;"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// With three decimals.
  private static func seconds(_ number: Double) -> String { JSON.decimal(number).text }
}
