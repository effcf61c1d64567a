// What is fuzzed: every part that reads bytes which somebody else may have made. A target turns any
// input into calls of its part and demands more than that nothing traps: what came out must be true
// of what went in, by a model of the target's own or by asking another part. Inputs that would end
// at a checksum are completed by the target, so that mutations reach what lies behind it.
//
// Plan: `ReplayTests` runs every corpus file through its target in the ordinary build; `make fuzz`
// builds the same targets with libFuzzer and AddressSanitizer (`Driver.swift`, Docs/testing.md).
import Foundation

@testable import SealCore

/// One thing to fuzz.
struct FuzzTarget: Sendable {
  /// As in `make fuzz FUZZ_TARGET=name`, and the name of its folder of the corpus.
  let name: String
  /// The longest input that is worth trying, in bytes.
  let longest: Int
  /// Throws `Broken` where the part did something wrong, and what the part threw and must not.
  let run: @Sendable ([UInt8]) throws -> Void

  static let all = [
    FuzzTarget(name: "header", longest: 8192, run: HeaderTarget.run),
    FuzzTarget(name: "log", longest: 4096, run: LogTarget.run),
    FuzzTarget(name: "journal", longest: 4096, run: JournalTarget.run),
    FuzzTarget(name: "pages", longest: 32768, run: PagesTarget.run),
    FuzzTarget(name: "schema", longest: 4096, run: SchemaTarget.run),
    FuzzTarget(name: "codec", longest: 4096, run: CodecTarget.run),
    FuzzTarget(name: "arguments", longest: 1024, run: ArgumentsTarget.run),
    FuzzTarget(name: "keys", longest: 1024, run: KeysTarget.run),
    FuzzTarget(name: "scripts", longest: 4096, run: ScriptsTarget.run),
  ]

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// An invariant that does not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String
}

/// Throws `Broken` unless `condition` holds.
func demand(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw Broken(description: what()) }
}

/// An input, read from front to back; behind its end everything is zero.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
  mutating func number() -> UInt32 { (0..<4).reduce(0) { sum, _ in sum << 8 | UInt32(byte()) } }

  /// A number that is small, unless the byte says that all 32 bits follow.
  mutating func count() -> UInt32 {
    let small = byte()
    return small == 255 ? number() : UInt32(small)
  }

  mutating func take(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - rest.count))
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}

/// A file that is written anew for each input, in memory where the system has such a folder.
final class ScratchFile {
  let path: String
  private let file: File

  init(_ name: String) throws {
    let folder = try FileStatus.of("/dev/shm") == nil ? "/tmp" : "/dev/shm"
    path = "\(folder)/dbseal-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(name)"
    file = try File(path, .create)
  }

  deinit { try? System.unlink(path) }

  func fill(_ bytes: [UInt8]) throws {
    try file.truncate(to: 0)
    try bytes.withUnsafeBytes { try file.write(at: 0, $0) }
  }
}

/// The big-endian bytes of a number.
func bigEndian(_ number: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}
