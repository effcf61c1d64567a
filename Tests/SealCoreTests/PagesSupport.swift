// What the tests of Pages share: databases in memory, and stock SQLite as maker and judge, driven
// through Tests/Judge/pages_judge.py. No right value comes from the code under test.
import Foundation
import Testing

@testable import SealCore

/// A database in memory, or one being written.
final class MemoryPages: PageReading, PageWriting {
  enum Fault: Error, Equatable {
    case writtenTwice(UInt32)
    case noSuchPage(UInt32)
  }

  let pageSize: Int
  var bytes: [UInt8]
  private(set) var written: Set<UInt32> = []
  /// The number of the page that was written last.
  private(set) var last: UInt32 = 0
  private(set) var hints: [[UInt32]] = []
  private(set) var reads: [UInt32] = []

  init(pageSize: Int, bytes: [UInt8] = []) {
    self.pageSize = pageSize
    self.bytes = bytes
  }

  /// The database in `file`, with the page size that its header names.
  convenience init(file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    let stored = Int(bytes[16]) << 8 | Int(bytes[17])
    self.init(pageSize: stored == 1 ? 65536 : stored, bytes: bytes)
  }

  var pageCount: UInt32 { UInt32(bytes.count / pageSize) }

  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    guard number >= 1, number <= pageCount else { throw Fault.noSuchPage(number) }
    reads.append(number)
    let start = (Int(number) - 1) * pageSize
    UnsafeMutableRawBufferPointer(start: buffer, count: pageSize)
      .copyBytes(from: bytes[start..<(start + pageSize)])
  }

  func prefetch(_ numbers: [UInt32], now: Bool) { hints.append(numbers) }

  func write(_ number: UInt32, _ page: UnsafeRawPointer) throws {
    guard written.insert(number).inserted else { throw Fault.writtenTwice(number) }
    last = number
    let end = Int(number) * pageSize
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(
      (end - pageSize)..<end, with: UnsafeRawBufferPointer(start: page, count: pageSize))
  }
}

/// A folder of its own with databases that stock SQLite made.
final class Workshop {
  let folder: URL
  let lockByte: Int

  /// Makes a database for each of `kinds` (see the judge) and a seed.
  init(_ kinds: [(String, Int)], lockByte: Int = PageGeometry.lockByte) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("dbseal-pages-\(UUID().uuidString)")
    self.lockByte = lockByte
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let said = try judge(["make", folder.path] + kinds.flatMap { [$0.0, String($0.1)] })
    #expect(said == "")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The databases that were made.
  var sources: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "db" }
        .sorted { $0.path < $1.path }
    }
  }

  /// Keeps `pages` as an output of `source` for the judge.
  func keep(_ pages: MemoryPages, of source: URL, reserve: Int) throws {
    let name = source.deletingPathExtension().lastPathComponent
    let out = folder.appendingPathComponent("\(name)@\(pages.pageSize)-\(reserve).out")
    try Data(pages.bytes).write(to: out)
  }

  /// What stock SQLite holds against the outputs; empty where all is well.
  func verdict() throws -> String { try judge(["check", folder.path]) }

  private func judge(_ arguments: [String]) throws -> String {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Judge/pages_judge.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path] + arguments
    if lockByte != PageGeometry.lockByte {
      process.environment = ProcessInfo.processInfo.environment
        .merging(["DBSEAL_PENDING_BYTE": String(lockByte)]) { $1 }
    }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? said : said + "exit \(process.terminationStatus)"
  }
}

let digestKey = Secret(count: StreamDigest.keyLength) { bytes in
  for i in bytes.indices { bytes[i] = UInt8(truncatingIfNeeded: i) }
}

/// Lays `source` out anew, checks what needs no judge, and returns the new database.
func relay(
  _ source: MemoryPages, pageSize: Int, reserve: Int, lockByte: Int = PageGeometry.lockByte
) throws -> MemoryPages {
  let output = MemoryPages(pageSize: pageSize)
  let result = try Relayout.run(
    from: source, path: "source.db", to: output, pageSize: pageSize, reserve: reserve,
    key: digestKey, lockByte: lockByte)
  #expect(result.pageCount == output.pageCount)
  #expect(output.last == 1)
  let lockPage = UInt32(lockByte / pageSize + 1)
  #expect(!output.written.contains(lockPage))
  #expect(
    output.written.count == Int(output.pageCount) - (lockPage <= output.pageCount ? 1 : 0))
  let proof = try ContentWalk.summary(
    of: output, path: "output.db", key: digestKey, lockByte: lockByte)
  #expect(proof == result.content)
  return output
}
