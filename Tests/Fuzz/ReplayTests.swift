// Every file of the corpus goes through its target in the ordinary build, each target in a process of
// its own, with a limit to its memory and its time: a trap, an endless loop or a broken invariant
// fails the test, which names the input.
import Foundation
import Testing

struct ReplayTests {
  @Test(arguments: FuzzTarget.all.map(\.name))
  func holdsForEveryInputOfTheCorpus(name: String) async throws {
    let note = FileManager.default.temporaryDirectory
      .appendingPathComponent("dbseal-replay-\(UUID().uuidString)")
    let path: String = note.path
    defer { try? FileManager.default.removeItem(at: note) }
    let result = await #expect(processExitsWith: .success) { [name, path = path as String] in
      try Replay.run(name, note: path)
    }
    guard result == nil else { return }
    Issue.record("\(try String(contentsOf: note, encoding: .utf8))")
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

  static func run(_ name: String, note: String) throws {
    let target = try #require(FuzzTarget.named(name))
    // AddressSanitizer takes terabytes of addresses, and no memory for most of them.
    let hasSanitizer = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil
    let limits = [(RLIMIT_CPU, time)] + (hasSanitizer ? [] : [(RLIMIT_AS, memory)])
    for (resource, value) in limits {
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
      let place = "\(name)/\(file.lastPathComponent)"
      try Data(place.utf8).write(to: URL(fileURLWithPath: note))
      do {
        try target.run(input)
        // And cut short, as a file that was not written to its end.
        for part in 1..<4 { try target.run(Array(input.prefix(input.count * part / 4))) }
      } catch {
        try Data("\(place): \(error)".utf8).write(to: URL(fileURLWithPath: note))
        throw error
      }
    }
  }
}
