// The pipeline must lose no page, whatever the order of asking, the number of threads, or the
// errors under way. Plan:
//   1 read-ahead gives every page's own bytes, announced or not, in any order
//   2 announcements that are wrong, hostile or never asked for do no harm
//   3 a forged page is reported when it is asked for, and only then
//   4 the sink writes every page once where it belongs, in any order, plain and sealed
//   5 the first error of a thread ends the work and is the one that is thrown
//   6 a cancelled run ends with the signal
//   7 a page that is looked at where it stands stays what it is while others are read

import Foundation
import Testing

@testable import SealCore

/// Pages in memory, each filled with its number.
private final class NumberedPages: RawPages, @unchecked Sendable {
  let path = "numbered"
  let pageSize: Int
  init(pageSize: Int) { self.pageSize = pageSize }

  func read(first: UInt32, count: Int, pageSize: Int, into buffer: UnsafeMutableRawPointer) throws {
    for index in 0..<(count * pageSize / 4) {
      let number = first + UInt32(index * 4 / pageSize)
      buffer.storeBytes(of: number, toByteOffset: index * 4, as: UInt32.self)
    }
  }
}

@Suite struct PipelineTests {
  private let pageSize = 1024

  private func reader(pages: UInt32, workers: Int) throws -> ReadAhead {
    let store = PageStore(
      pages: NumberedPages(pageSize: pageSize), pageSize: pageSize, pageCount: pages, codec: nil)
    return try ReadAhead(store, workers: workers, cancellation: Cancellation())
  }

  private func expectPage(_ number: UInt32, _ reader: ReadAhead, _ buffer: PageBuffer) throws {
    try reader.read(number, into: buffer.start)
    let words = UnsafeRawBufferPointer(start: buffer.start, count: pageSize)
      .bindMemory(to: UInt32.self)
    #expect(words.allSatisfy { $0 == number }, "page \(number)")
  }

  @Test(arguments: [0, 1, 2, 5], [UInt64(1), 2, 3])
  func givesEveryPageItsOwnBytes(workers: Int, seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let reader = try reader(pages: 20_000, workers: workers)
    let buffer = PageBuffer(bytes: pageSize)
    var order = Array(UInt32(1)...20_000)
    // Runs of random length in random order: what a fragmented database looks like.
    if seed > 1 {
      var runs: [[UInt32]] = []
      while !order.isEmpty {
        let count = min(order.count, Int.random(in: 1...(seed == 2 ? 300 : 3), using: &random))
        runs.append(Array(order.prefix(count)))
        order.removeFirst(count)
      }
      order = runs.shuffled(using: &random).flatMap { $0 }
    }
    var position = 0
    while position < order.count {
      let count = Int.random(in: 1...400, using: &random)
      let group = Array(order[position...].prefix(count))
      if Bool.random(using: &random) { reader.prefetch(group, now: Bool.random(using: &random)) }
      for number in group { try expectPage(number, reader, buffer) }
      position += group.count
    }
    #expect(reader.visited.cardinality == 20_000)
  }

  @Test(arguments: [0, 1, 3], [UInt64(5), 6])
  func lendsPagesThatStay(workers: Int, seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let reader = try reader(pages: 20_000, workers: workers)
    let (buffer, other) = (PageBuffer(bytes: pageSize), PageBuffer(bytes: pageSize))
    var asked = Set<UInt32>()
    for first in stride(from: UInt32(1), to: 2_000, by: 100) {
      if Bool.random(using: &random) { reader.prefetch(Array(first..<(first + 100)), now: false) }
      for number in first..<(first + 100) {
        let page = UnsafeRawBufferPointer(
          start: try reader.page(number, or: buffer.start), count: pageSize)
        asked.insert(number)
        // What a leaf with long records does: announced or not, near or far, up or down.
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let start = UInt32.random(in: 1...19_900, using: &random)
          let chain = Array(start..<(start + UInt32.random(in: 1...90, using: &random)))
          if Bool.random(using: &random) { reader.prefetch(chain, now: true) }
          for number in chain { try expectPage(number, reader, other) }
          asked.formUnion(chain)
        }
        #expect(page.bindMemory(to: UInt32.self).allSatisfy { $0 == number }, "page \(number)")
      }
    }
    #expect(reader.visited.cardinality == asked.count)
  }

  @Test func survivesAnnouncementsThatNobodyMeans() throws {
    let reader = try reader(pages: 5_000, workers: 2)
    let buffer = PageBuffer(bytes: pageSize)
    reader.prefetch([0, 5_001, UInt32.max, 7, 7, 7], now: false)
    for start in stride(from: UInt32(1), to: 5_000, by: 50) {
      reader.prefetch(Array(start..<(start + 50)), now: false)
    }
    reader.prefetch([], now: false)
    for number in stride(from: UInt32(5_000), to: 0, by: -1) {
      try expectPage(number, reader, buffer)
    }
    // A second time: nothing is kept, everything can still be read.
    for number in UInt32(1)...100 { try expectPage(number, reader, buffer) }
  }

  private func codecMaker() throws -> CodecMaker {
    var profile = CipherProfile.format4
    profile.pageSize = pageSize
    let salt = [UInt8](repeating: 9, count: 16)
    let sized = profile
    let keys = try KeyDerivation.derive(
      keyOf("x'" + String(repeating: "ab", count: 32) + "'"), profile: profile, salt: salt)
    return { try PageCodec(profile: sized, keys: keys, salt: salt) }
  }

  @Test(arguments: [0, 1, 3], [false, true])
  func writesEveryPageWhereItBelongs(workers: Int, sealed: Bool) throws {
    let scratch = try Scratch()
    let file = try File(scratch.file("out"), .create)
    let codec = sealed ? try codecMaker() : nil
    let sink = try PageSink(
      file, pageSize: pageSize, codec: codec, sums: sealed ? nil : PageSummer(key: digestKey),
      workers: workers,
      cancellation: Cancellation())
    let buffer = PageBuffer(bytes: pageSize)
    let source = NumberedPages(pageSize: pageSize)
    var random = SeededGenerator(state: 4)
    // Mostly ascending, some far out of order, one (like a lock-byte page) never.
    var order = (UInt32(2)...3_000).filter { $0 != 77 }
    for _ in 0..<40 {
      order.swapAt(
        Int.random(in: 0..<order.count, using: &random),
        Int.random(in: 0..<order.count, using: &random))
    }
    for number in order + [1] {
      try source.read(first: number, count: 1, pageSize: pageSize, into: buffer.start)
      try sink.write(number, buffer.start)
    }
    try sink.finish(pageCount: 3_000)
    #expect(try file.size() == UInt64(3_000 * pageSize))
    let store = PageStore(
      pages: OutputPages(file, path: "out"), pageSize: pageSize, pageCount: 3_000, codec: codec)
    let reader = try ReadAhead(store, workers: 2, cancellation: Cancellation())
    reader.prefetch(Array(2...3_000), now: false)
    let expected = PageBuffer(bytes: pageSize)
    let kept = pageSize - (sealed ? CipherProfile.format4.reserve : 0)
    for number in (UInt32(2)...3_000).filter({ $0 != 77 }) {
      try reader.read(number, into: buffer.start)
      try source.read(first: number, count: 1, pageSize: pageSize, into: expected.start)
      #expect(memcmp(buffer.start, expected.start, kept) == 0, "page \(number)")
    }
    #expect(try file.bytes(at: UInt64(76 * pageSize), count: pageSize).allSatisfy { $0 == 0 })
  }

  @Test func reportsAForgedPageOnlyWhereItIsAskedFor() throws {
    let scratch = try Scratch()
    let file = try File(scratch.file("out"), .create)
    let codec = try codecMaker()
    let sink = try PageSink(
      file, pageSize: pageSize, codec: codec, sums: nil, workers: 2, cancellation: Cancellation())
    let buffer = PageBuffer(bytes: pageSize)
    for number in UInt32(1)...500 {
      memset(buffer.start, 5, pageSize)
      try sink.write(number, buffer.start)
    }
    try sink.finish(pageCount: 500)
    let victim = UInt64(122 * pageSize + 300)
    let flipped = try file.bytes(at: victim, count: 1).map { $0 ^ 1 }
    try flipped.withUnsafeBytes { try file.write(at: victim, $0) }
    let store = PageStore(
      pages: OutputPages(file, path: "out"), pageSize: pageSize, pageCount: 500, codec: codec)
    let reader = try ReadAhead(store, workers: 2, cancellation: Cancellation())
    reader.prefetch(Array(2...500), now: false)
    for number in UInt32(2)...122 { try reader.read(number, into: buffer.start) }
    let damage = Damage(path: "out", flaw: .pages([123], total: 1, pagesInFile: 500))
    #expect(throws: SealError.damaged(damage)) { try reader.read(123, into: buffer.start) }
    for number in UInt32(124)...500 { try reader.read(number, into: buffer.start) }
    let scan = PageScan(store: store, workers: 2, cancellation: Cancellation())
    #expect(try scan.run() == PageScan.Findings(forged: [123], blank: []))
  }

  private struct Broken: Error, Equatable { let index: Int }

  @Test(arguments: [1, 4])
  func endsWithTheFirstErrorOfAThread(workers: Int) throws {
    #expect(throws: Broken(index: 50)) {
      try ParallelRuns.forEach(count: 10_000, workers: workers, cancellation: Cancellation()) {
        { index in if index == 50 { throw Broken(index: index) } }
      }
    }
  }

  @Test func doesEveryPieceOnce() throws {
    let seen = Monitor([Int: Int]())
    try ParallelRuns.forEach(count: 5_000, workers: 4, cancellation: Cancellation()) {
      { index in seen.withLock { $0[index, default: 0] += 1 } }
    }
    #expect(seen.withLock { $0.count == 5_000 && $0.values.allSatisfy { $0 == 1 } })
  }

  @Test func endsWithTheSignalThatAsked() throws {
    let cancellation = Cancellation()
    cancellation.cancel(signal: 15)
    #expect(throws: SealError.interrupted(signal: 15)) {
      try ParallelRuns.forEach(count: 10, workers: 2, cancellation: cancellation) { { _ in } }
    }
    let reader = try ReadAhead(
      PageStore(
        pages: NumberedPages(pageSize: pageSize), pageSize: pageSize, pageCount: 9, codec: nil),
      workers: 0, cancellation: cancellation)
    let buffer = PageBuffer(bytes: pageSize)
    #expect(throws: SealError.interrupted(signal: 15)) { try reader.read(1, into: buffer.start) }
  }
}
