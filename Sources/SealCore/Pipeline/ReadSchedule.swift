// Which pages read-ahead loads next, and which chunks of memory hold what. Pure bookkeeping: the
// threads and the waiting are in ReadAhead.swift, and everything here happens under its lock.

/// A run of consecutive pages, being loaded or ready.
final class Chunk: @unchecked Sendable {
  let buffer: UnsafeMutableRawPointer
  var first: UInt32 = 0
  var count = 0
  var verdicts: [PageVerdict]
  var failure: (any Error)?
  var isReady = false
  /// Pages that were not asked for yet.
  var remaining = 0
  /// Grows with every chunk that is planned.
  var age = 0

  init(capacity: Int, pageSize: Int) {
    buffer = .allocate(byteCount: capacity * pageSize, alignment: 4096)
    verdicts = Array(repeating: .opened, count: capacity)
  }

  deinit { buffer.deallocate() }
}

/// Which pages come next, and which chunks hold what.
struct Schedule {
  private struct Announcement {
    var numbers: [UInt32]
    var position = 0
  }

  var isStopped = false
  var free: [Chunk]
  /// Page number to the chunk that holds it or will.
  var chunks: [UInt32: Chunk] = [:]
  var queue: [Chunk] = []
  var due = 0
  private let capacity: Int
  private let last: UInt32
  private var announcements: [Announcement] = []
  private var planned = 0
  private var misses = 0

  init(chunks: Int, capacity: Int, pageSize: Int, last: UInt32) {
    self.capacity = capacity
    self.last = last
    free = (0..<chunks).map { _ in Chunk(capacity: capacity, pageSize: pageSize) }
  }

  mutating func announce(_ numbers: [UInt32], now: Bool) {
    let new = Announcement(numbers: numbers)
    if now { announcements.insert(new, at: 0) } else { announcements.append(new) }
  }

  /// Fills free chunks with what was announced, in order.
  mutating func plan(skipping visited: PageBitmap) {
    while !free.isEmpty, let first = announcements.first {
      let position = fill(from: first, skipping: visited)
      if position < first.numbers.count {
        announcements[0].position = position
      } else {
        announcements.removeFirst()
      }
    }
  }

  /// Fills free chunks with runs of consecutive pages; how far it came.
  private mutating func fill(from announcement: Announcement, skipping visited: PageBitmap) -> Int {
    let numbers = announcement.numbers
    var position = announcement.position
    while position < numbers.count, let chunk = free.last {
      let first = numbers[position]
      position += 1
      guard isWanted(first, visited) else { continue }
      var count = 1
      while count < capacity, position < numbers.count, numbers[position] == first &+ UInt32(count),
        isWanted(numbers[position], visited)
      {
        count += 1
        position += 1
      }
      free.removeLast()
      add(chunk, first: first, count: count)
    }
    return position
  }

  private func isWanted(_ number: UInt32, _ visited: PageBitmap) -> Bool {
    number >= 1 && number <= last && chunks[number] == nil && !visited.contains(number)
  }

  private mutating func add(_ chunk: Chunk, first: UInt32, count: Int) {
    chunk.first = first
    chunk.count = count
    chunk.remaining = count
    chunk.isReady = false
    chunk.failure = nil
    planned += 1
    chunk.age = planned
    for index in 0..<count {
      chunk.verdicts[index] = .opened
      chunks[first + UInt32(index)] = chunk
    }
    queue.append(chunk)
  }

  mutating func nextDue() -> Chunk {
    let chunk = queue[due]
    due += 1
    if due > 256 {
      queue.removeFirst(due)
      due = 0
    }
    return chunk
  }

  /// Takes a chunk back whose pages were all asked for, or are given up.
  mutating func release(_ chunk: Chunk) {
    for index in 0..<chunk.count {
      let number = chunk.first + UInt32(index)
      if chunks[number] === chunk { chunks[number] = nil }
    }
    free.append(chunk)
  }

  /// A page was asked for that nobody announced. Where all chunks hold pages that nobody asks for,
  /// the oldest is given up after a while. Whether chunks were planned.
  mutating func missed(skipping visited: PageBitmap) -> Bool {
    guard free.isEmpty, due == queue.count else {
      misses = 0
      return false
    }
    misses += 1
    guard misses > 64, let oldest = chunks.values.min(by: { $0.age < $1.age }), oldest.isReady
    else { return false }
    misses = 0
    release(oldest)
    plan(skipping: visited)
    return true
  }
}
