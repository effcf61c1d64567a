import Testing

@testable import SealCore

private func secret(_ text: String) -> Secret {
  Array(text.utf8).withUnsafeBytes { Secret(copying: $0) }
}

@Suite struct KeyMaterialTests {
  @Test func takesQuotedDigitsAsRaw() throws {
    let key = try KeyMaterial(secret("x'" + String(repeating: "0f", count: 32) + "'"))
    guard case .raw(let bytes, nil, nil) = key.kind else {
      Issue.record("not raw")
      return
    }
    #expect(bytes.withBytes { Array($0) } == Array(repeating: 0x0f, count: 32))
  }
}
