// A copy that is made while somebody reads: every page that a walk of the trees asks for goes to the
// output under its own number. So a database whose pages keep their places is read once, and what is
// broken in it is found on the way.

/// Passes pages on to a reader, and each once to a sink.
final class PageTee: PageReading {
  private let reader: ReadAhead
  private let sink: PageSink
  var pageSize: Int { reader.pageSize }
  var pageCount: UInt32 { reader.pageCount }

  init(_ reader: ReadAhead, to sink: PageSink) {
    self.reader = reader
    self.sink = sink
  }

  func prefetch(_ numbers: [UInt32], now: Bool) { reader.prefetch(numbers, now: now) }

  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    let isNew = !reader.visited.contains(number)
    try reader.read(number, into: buffer)
    if isNew { try sink.write(number, buffer) }
  }
}

/// The pages that no tree and no free list led a reader to: free ones, pointer maps, and what was
/// forgotten.
struct RestOfPages {
  /// Pages to be read in one go by the threads.
  private static let window = 1024

  let reader: ReadAhead
  /// Zeros without a tag: there is nothing to read. Ascending.
  let blank: [UInt32]

  /// Reads them in ascending order, passes them to `sink` and digests them under `key` with their
  /// numbers. The lock-byte page is not among them.
  func digest(under key: Secret, copyingTo sink: PageSink? = nil) throws -> [UInt8] {
    let digest = try StreamDigest(key: key)
    let buffer = PageBuffer(bytes: reader.pageSize)
    let lockPage = PageGeometry.lockPage(pageSize: reader.pageSize)
    let blank = Set(blank)
    var next: UInt32 = 1
    while next <= reader.pageCount {
      var numbers: [UInt32] = []
      while next <= reader.pageCount, numbers.count < Self.window {
        if next != lockPage, !reader.visited.contains(next), !blank.contains(next) {
          numbers.append(next)
        }
        guard next < UInt32.max else { break }
        next += 1
      }
      guard !numbers.isEmpty else { break }
      reader.prefetch(numbers, now: true)
      for number in numbers {
        try reader.read(number, into: buffer.start)
        withUnsafeBytes(of: number) { bytes in
          if let start = bytes.baseAddress { digest.update(start, bytes.count) }
        }
        digest.update(buffer.start, reader.pageSize)
        try sink?.write(number, buffer.start)
      }
    }
    return try digest.finish()
  }
}

/// Memory for a run of pages.
final class PageBuffer {
  let start: UnsafeMutableRawPointer
  init(bytes: Int) { start = .allocate(byteCount: bytes, alignment: 4096) }
  deinit { start.deallocate() }
}
