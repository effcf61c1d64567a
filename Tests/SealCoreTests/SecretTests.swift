// Plan: what a secret asks of the system for its memory ends with the secret.
// - after thousands of them the process has no more mappings than before, of which Linux allows 65530.

import Foundation
import Testing

@testable import SealCore

@Suite struct SecretTests {
  #if os(Linux)
    @Test func leavesNoMappingsBehind() async {
      await #expect(processExitsWith: .success) {
        func mappings() throws -> Int {
          // A file without a size: read until nothing comes.
          let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
          var lines = 0
          while let data = try file.read(upToCount: 4096), !data.isEmpty {
            lines += data.count { $0 == 0x0a }
          }
          return lines
        }
        let before = try mappings()
        var between: [UnsafeMutableRawPointer] = []
        var secrets = (0..<1000).map { _ in
          between.append(.allocate(byteCount: 4096, alignment: 4096))
          return Secret(count: 32) { $0[0] = 1 }
        }
        // Each is a mapping of its own while it is there; else this would show nothing.
        let alive = try mappings()
        try #require(alive > before + 500, "\(before) mappings became \(alive)")
        #expect(secrets.count == 1000)
        secrets = []
        let after = try mappings()
        try #require(after < before + 200, "\(before) mappings became \(after)")
        for each in between { each.deallocate() }
      }
    }
  #endif
}
