// Plan: what SQLite reads through decoded pages is what stands in the database.
// - any offset and length, in order and not, with threads and without, gives the pages' own bytes;
// - an engine reads a database that a peer wrote, every format, and finds it sound;
// - so it does from end to start, and with pages kept, few or all of them;
// - a page that was altered is an I/O error to SQLite, and explained as the page that it is;
// - so is one that is altered after it was read, whether once or more often;
// - an error that has nothing to do with pages stays what it is.

import Foundation
import Testing

@testable import SealCore

/// Pages in memory, each filled with its number.
private final class CountedPages: RawPages, @unchecked Sendable {
  let path = "counted"

  func read(first: UInt32, count: Int, pageSize: Int, into buffer: UnsafeMutableRawPointer) throws {
    for index in 0..<(count * pageSize / 4) {
      let number = first + UInt32(index * 4 / pageSize)
      buffer.storeBytes(of: number, toByteOffset: index * 4, as: UInt32.self)
    }
  }
}

@Suite struct DecodedPagesTests {
  @Test(arguments: [0, 1, 2], [0, 4 << 10, 64 << 20])
  func servesThePagesOwnBytes(workers: Int, keeping: Int) throws {
    for (seed, step) in [(UInt64(1), 1), (2, -1), (3, 1)] {
      try serves(workers: workers, keeping: keeping, seed: seed, step: step)
    }
  }

  /// Reads pages up or down, with jumps.
  private func serves(workers: Int, keeping: Int, seed: UInt64, step: Int) throws {
    let pageSize = 512
    let pages = UInt32(30_000)
    let store = PageStore(
      pages: CountedPages(), pageSize: pageSize, pageCount: pages, codec: nil)
    let decoded = try DecodedPages(store, workers: workers, keeping: keeping)
    #expect(decoded.size == UInt64(pages) * 512)
    var random = SeededGenerator(state: seed)
    var buffer = [UInt8](repeating: 0, count: 4 * pageSize)
    var page = UInt32(2)
    for _ in 0..<40_000 {
      // Mostly on, sometimes back, sometimes anywhere.
      switch Int.random(in: 0..<100, using: &random) {
      case 0: page = UInt32.random(in: 2...(pages - 4), using: &random)
      case 1...4: page = max(2, page - min(page, 30))
      default:
        page =
          step > 0 ? (page + 1 > pages - 4 ? 2 : page + 1) : (page <= 2 ? pages - 4 : page - 1)
      }
      let isWhole = Int.random(in: 0..<10, using: &random) > 0
      let skip = isWhole ? 0 : Int.random(in: 0..<128, using: &random) * 4
      let count = isWhole ? pageSize : Int.random(in: 1...(pageSize / 2), using: &random) * 4
      let offset = UInt64(page - 1) * UInt64(pageSize) + UInt64(skip)
      let done = buffer.withUnsafeMutableBytes {
        decoded.read(offset: offset, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<count]))
      }
      try #require(done)
      buffer.withUnsafeBytes { bytes in
        for place in stride(from: 0, to: count, by: 4) {
          let wanted = UInt32((offset + UInt64(place)) / UInt64(pageSize)) + 1
          if bytes.load(fromByteOffset: place, as: UInt32.self) != wanted {
            Issue.record("page \(wanted) is another one at offset \(offset)")
          }
        }
      }
    }
  }

  @Test(arguments: Fixture.all, [0, 2])
  func isReadByAnyEngine(_ fixture: Fixture, workers: Int) throws {
    let store = try fixture.store(of: fixture.bytes())
    let decoded = try DecodedPages(store, workers: workers)
    let connection = try Connection(snapshot: decoded, path: fixture.file)
    #expect(try connection.scalar("PRAGMA integrity_check")?.string == "ok")
  }

  @Test(arguments: [1, 2, 3])
  func noticesAPageThatIsAlteredAfterItWasRead(times: Int) throws {
    let fixture = try Fixture.named("format4")
    let file = MemoryFile(try fixture.bytes())
    let decoded = try DecodedPages(fixture.store(of: file))
    var page = [UInt8](repeating: 0, count: 4096)
    func read() -> Bool {
      page.withUnsafeMutableBytes { decoded.read(offset: 4096, into: $0) }
    }
    try #require(read())
    let plain = page
    for _ in 1..<times {
      try #require(read())
      #expect(page == plain)
    }
    // What was read last is in a buffer or chunk; another page takes its place.
    try #require(page.withUnsafeMutableBytes { decoded.read(offset: 0, into: $0) })
    file.flip(at: 4096 + 100)
    let wanted = SealError.damaged(
      Damage(
        path: "memory",
        flaw: .pages([2], total: 1, pagesInFile: UInt32(file.count / 4096))))
    #expect(throws: wanted) {
      try decoded.explaining {
        guard read() else { throw SealError.unsupported(.schema(message: "read failed")) }
      }
    }
    file.flip(at: 4096 + 100)
    try #require(read())
    #expect(page == plain)
  }

  @Test func explainsAPageThatWasAltered() throws {
    let fixture = try Fixture.named("format4")
    var bytes = try fixture.bytes()
    let page = bytes.count / 4096
    bytes[(page - 1) * 4096 + 100] ^= 1
    let decoded = try DecodedPages(fixture.store(of: bytes))
    let connection = try Connection(snapshot: decoded, path: fixture.file)
    let wanted = SealError.damaged(
      Damage(
        path: "memory",
        flaw: .pages([UInt32(page)], total: 1, pagesInFile: UInt32(bytes.count / 4096))))
    #expect(throws: wanted) {
      _ = try decoded.explaining { try connection.rows("PRAGMA integrity_check") }
      try decoded.explaining {
        for table in try connection.rows("SELECT name FROM sqlite_master WHERE type='table'") {
          _ = try connection.rows("SELECT * FROM \"\(table[0].string ?? "")\"")
        }
      }
    }
    do {
      try decoded.explaining { try connection.execute("SELECT no_such_function()") }
      Issue.record("there is no such function")
    } catch SealError.engine(_, let code, _) { #expect(code == 1) }
  }
}

/// The bytes of a file as raw pages. Changed between reads only.
private final class MemoryFile: RawPages, @unchecked Sendable {
  let path = "memory"
  private var bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }
  func flip(at offset: Int) { bytes[offset] ^= 1 }

  func read(first: UInt32, count: Int, pageSize: Int, into buffer: UnsafeMutableRawPointer) throws {
    let start = Int(first - 1) * pageSize
    for index in 0..<(count * pageSize) {
      buffer.storeBytes(
        of: start + index < bytes.count ? bytes[start + index] : 0, toByteOffset: index,
        as: UInt8.self)
    }
  }
}

extension Fixture {
  /// `bytes` as the pages of this fixture's database.
  fileprivate func store(of bytes: [UInt8]) throws -> PageStore {
    try store(of: MemoryFile(bytes))
  }

  fileprivate func store(of file: MemoryFile) throws -> PageStore {
    let codec = try codec()
    let keys = try KeyDerivation.derive(material(), profile: codec.profile, salt: codec.salt)
    let (profile, salt) = (codec.profile, codec.salt)
    return PageStore(
      pages: file, pageSize: codec.pageSize, pageCount: UInt32(file.count / codec.pageSize),
      codec: { try PageCodec(profile: profile, keys: keys, salt: salt) })
  }
}
