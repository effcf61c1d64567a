// Something that is done with pages while somebody reads them: every page that a walk of the trees asks
// for is passed on once. So a database whose pages keep their places is read once while it is copied,
// what is broken in it is found on the way.

/// Takes a page, with its number.
typealias PageTaker = (UInt32, UnsafeRawPointer) throws -> Void

/// Passes pages on to a reader, and each once to somebody else.
final class PageTee: PageReading {
  private let reader: ReadAhead
  private let take: PageTaker
  var pageSize: Int { reader.pageSize }
  var pageCount: UInt32 { reader.pageCount }

  init(_ reader: ReadAhead, to take: @escaping PageTaker) {
    self.reader = reader
    self.take = take
  }

  func prefetch(_ numbers: [UInt32], now: Bool) { reader.prefetch(numbers, now: now) }

  func read(_ number: UInt32, into buffer: UnsafeMutableRawPointer) throws {
    let isNew = !reader.visited.contains(number)
    try reader.read(number, into: buffer)
    if isNew { try take(number, buffer) }
  }

  func page(_ number: UInt32, or buffer: UnsafeMutableRawPointer) throws -> UnsafeRawPointer {
    let isNew = !reader.visited.contains(number)
    let page = try reader.page(number, or: buffer)
    if isNew { try take(number, page) }
    return page
  }

  func withPage(
    _ number: UInt32, or buffer: UnsafeMutableRawPointer, _ body: (UnsafeRawPointer) throws -> Void
  ) throws {
    let isNew = !reader.visited.contains(number)
    try reader.withPage(number, or: buffer) { page in
      if isNew { try take(number, page) }
      try body(page)
    }
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

  /// Reads them in ascending order and passes them to `take`. The lock-byte page is not among them.
  func pass(to take: PageTaker) throws {
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
        try take(number, buffer.start)
      }
    }
  }
}

/// Memory for a run of pages.
final class PageBuffer {
  let start: UnsafeMutableRawPointer
  init(bytes: Int) { start = .allocate(byteCount: bytes, alignment: 4096) }
  deinit { start.deallocate() }
}
