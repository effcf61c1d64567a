// Every file of the corpus goes through its target in the ordinary build, each target in a process of
// its own, with a limit to its memory and its time: a trap, an endless loop or a broken invariant
// fails the test, and the last line on standard error names the input.
import Foundation
import Testing

struct ReplayTests {
  @Test(arguments: FuzzTarget.all.map(\.name))
  func holdsForEveryInputOfTheCorpus(name: String) async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [name] in
      try Replay.run(name)
    }
    guard let result else { return }
    if case .exitCode(EXIT_SUCCESS) = result.exitStatus { return }
    Issue.record("\(String(decoding: result.standardErrorContent.suffix(2000), as: UTF8.self))")
  }
}

#if canImport(Darwin)
  private func identifier(_ resource: Int32) -> Int32 { resource }
#else
  private func identifier(_ resource: __rlimit_resource) -> __rlimit_resource_t {
    __rlimit_resource_t(resource.rawValue)
  }
#endif

/// What runs in the other process.
private enum Replay {
  /// Bytes of address space, and seconds of processor time.
  private static let memory: rlim_t = 4 << 30
  private static let time: rlim_t = 60

  static func run(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    for (resource, value) in [(RLIMIT_CPU, time), (RLIMIT_AS, memory)] {
      var limit = rlimit(rlim_cur: value, rlim_max: value)
      try #require(setrlimit(identifier(resource), &limit) == 0)
    }
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    try #require(!files.isEmpty)
    for file in files.sorted(by: { $0.path < $1.path }) {
      let input = [UInt8](try Data(contentsOf: file))
      FileHandle.standardError.write(Data("\(name)/\(file.lastPathComponent)\n".utf8))
      try target.run(input)
      // And cut short, as a file that was not written to its end.
      for part in 1..<4 { try target.run(Array(input.prefix(input.count * part / 4))) }
    }
  }
}
