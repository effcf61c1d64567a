// Which pages read-ahead loads next, and which chunks of memory hold what. Pure bookkeeping: the
// threads and the waiting are in ReadAhead.swift, and everything here happens under its lock.

/// Consecutive pages, being loaded or ready. Some were announced, the others stand between those.
final class Chunk: @unchecked Sendable {
  let buffer: UnsafeMutableRawPointer
  var first: UInt32 = 0
  var count = 0
  var verdicts: [PageVerdict]
  /// Reading it failed, as a whole.
  var isUnreadable = false
  var isReady = false
  /// Grows with every chunk that is planned.
  var age = 0
  /// Announced pages that were not asked for yet, and pages between them that were not.
  var remaining = 0
  var between = 0
  /// How many pages nobody had announced when it was planned.
  var extra = 0
  /// Of each page: whether nobody announced it.
  var isBetween: [Bool]

  init(capacity: Int, pageSize: Int) {
    buffer = .allocate(byteCount: capacity * pageSize, alignment: 4096)
    verdicts = Array(repeating: .opened, count: capacity)
    isBetween = Array(repeating: false, count: capacity)
  }

  deinit { buffer.deallocate() }

  @inline(__always)
  func contains(_ number: UInt32) -> Bool { number &- first < UInt32(truncatingIfNeeded: count) }
}

/// How many pages that nobody announced are read along between two that somebody did. Mostly they
/// are the overflow pages of a leaf or the pages of the next level, which are wanted soon; in a
/// file whose trees are interleaved they are another tree's. Found out by trying.
struct GapPolicy {
  private static let sample = 256

  /// Pages that may stand between two announced ones, and how many at the most: four chunks.
  private(set) var limit: UInt32
  private let most: UInt32
  private let usual: UInt32
  private var read = 0
  private var used = 0
  private var plans = 0

  /// `capacity`: pages of a chunk.
  init(capacity: Int) {
    most = UInt32(clamping: 4 * capacity)
    usual = UInt32(clamping: (capacity + 1) / 2)
    limit = usual
  }

  /// A chunk was given back: so many pages of it nobody had announced, and so many of these were
  /// asked for all the same.
  mutating func note(read: Int, used: Int) {
    self.read += read
    self.used += used
    guard self.read >= Self.sample else { return }
    limit = self.used * 2 < self.read ? limit / 4 : min(most, max(1, limit) * 2)
    (self.read, self.used) = (0, 0)
  }

  /// A chunk was planned. A limit of 0 is tried anew now and then.
  mutating func planned() {
    plans += 1
    if limit == 0, plans % 128 == 0 { limit = usual }
  }
}

/// Which pages come next, and which chunks hold what.
struct Schedule {
  private struct Announcement {
    var numbers: [UInt32]
    var position = 0
    /// Before all others: what stands before it was planned with those, or is not wanted.
    let isNow: Bool
  }

  /// Chunks that must be free before pages are planned, so that threads are woken for several.
  private static let refill = 6
  /// A chunk whose announced pages were all asked for is kept until so many later ones were begun.
  private static let patience = 3

  var isStopped = false
  private var free: [Chunk]
  /// The chunks that hold pages or will, in the order in which they were planned.
  private var active: [Chunk] = []
  private var queue: [Chunk] = []
  private var due = 0
  private let capacity: Int
  private let last: UInt32
  private var announcements: [Announcement] = []
  private var planned = 0
  private var misses = 0
  private var policy: GapPolicy
  /// The age of the newest chunk that a page was asked from.
  private var reached = 0
  /// The chunk that pages are asked from now.
  private var current: Chunk?
  /// The page that was planned last of those that are announced in their turn.
  private var tail: UInt32 = 0

  init(chunks: Int, capacity: Int, pageSize: Int, last: UInt32) {
    self.capacity = capacity
    policy = GapPolicy(capacity: capacity)
    self.last = last
    free = (0..<chunks).map { _ in Chunk(capacity: capacity, pageSize: pageSize) }
  }

  mutating func announce(_ numbers: [UInt32], now: Bool) {
    guard !numbers.isEmpty else { return }
    let new = Announcement(numbers: numbers, isNow: now)
    if now { announcements.insert(new, at: 0) } else { announcements.append(new) }
  }

  /// Forgets what was announced and is not planned yet.
  mutating func forgetAnnouncements() { announcements.removeAll() }

  /// The chunk that holds `number`, ready or not. It stays until another one is looked for.
  mutating func find(_ number: UInt32) -> Chunk? {
    current = active.first { $0.contains(number) }
    guard let current else { return nil }
    reached = max(reached, current.age)
    misses = 0
    return current
  }

  /// The chunk to be loaded next.
  mutating func nextDue() -> Chunk? {
    guard due < queue.count else { return nil }
    let chunk = queue[due]
    due += 1
    if due == queue.count {
      queue.removeAll(keepingCapacity: true)
      due = 0
    }
    return chunk
  }

  /// Fills free chunks with what was announced, in order. Whether there is something to load now.
  mutating func plan(skipping visited: PageBitmap) -> Bool {
    guard !announcements.isEmpty else { return false }
    if free.count < Self.refill { reclaim() }
    guard free.count >= Self.refill || active.isEmpty || free.count >= active.count else {
      return false
    }
    let before = planned
    while !free.isEmpty, let first = announcements.first {
      let position = fill(from: first, skipping: visited)
      if position < first.numbers.count {
        announcements[0].position = position
      } else {
        announcements.removeFirst()
      }
    }
    return planned > before
  }

  /// Fills free chunks with runs of pages; how far it came.
  private mutating func fill(from announcement: Announcement, skipping visited: PageBitmap) -> Int {
    let numbers = announcement.numbers
    var position = announcement.position
    while position < numbers.count, let chunk = free.last {
      guard isWanted(numbers[position], visited) else {
        claim(numbers[position], visited)
        position += 1
        continue
      }
      // What stands before the page, back to the one that was planned before it.
      let wanted = numbers[position]
      let isNear = !announcement.isNow && wanted > tail && wanted - tail - 1 <= policy.limit
      let first = isNear ? firstMissing(after: tail, before: wanted, visited) : wanted
      free.removeLast()
      start(chunk, at: first)
      while position < numbers.count, chunk.count < capacity {
        let number = numbers[position]
        let next = chunk.first + UInt32(chunk.count)
        guard number >= next, number - next <= policy.limit, isWanted(number, visited) else {
          break
        }
        extend(chunk, to: number, visited)
        guard chunk.contains(number) else { break }
        if !announcement.isNow { tail = number }
        position += 1
      }
      activate(chunk)
    }
    return position
  }

  /// The first page behind `low` and not behind `high` that is not there yet.
  private func firstMissing(after low: UInt32, before high: UInt32, _ visited: PageBitmap) -> UInt32
  {
    var first = low + 1
    while first < high, !isWanted(first, visited) { first += 1 }
    return first
  }

  /// A page that was read along is announced now.
  private func claim(_ number: UInt32, _ visited: PageBitmap) {
    guard !visited.contains(number), let chunk = active.first(where: { $0.contains(number) }),
      chunk.isBetween[Int(number - chunk.first)]
    else { return }
    chunk.isBetween[Int(number - chunk.first)] = false
    chunk.between -= 1
    chunk.remaining += 1
  }

  /// Adds the pages up to `number`, as far as there is room.
  private func extend(_ chunk: Chunk, to number: UInt32, _ visited: PageBitmap) {
    while chunk.count < capacity {
      let next = chunk.first + UInt32(chunk.count)
      // A page that was asked for already says nothing about whether such pages are worth it.
      let isBetween = next != number && !visited.contains(next)
      chunk.verdicts[chunk.count] = .opened
      chunk.isBetween[chunk.count] = isBetween
      chunk.count += 1
      if isBetween {
        chunk.between += 1
        chunk.extra += 1
      }
      if next == number {
        chunk.remaining += 1
        return
      }
    }
  }

  private func isWanted(_ number: UInt32, _ visited: PageBitmap) -> Bool {
    number >= 1 && number <= last && !visited.contains(number)
      && !active.contains { $0.contains(number) }
  }

  private func start(_ chunk: Chunk, at first: UInt32) {
    chunk.first = first
    chunk.count = 0
    chunk.remaining = 0
    chunk.between = 0
    chunk.extra = 0
    chunk.isReady = false
    chunk.isUnreadable = false
  }

  private mutating func activate(_ chunk: Chunk) {
    planned += 1
    policy.planned()
    chunk.age = planned
    active.append(chunk)
    queue.append(chunk)
  }

  /// Takes back the chunks of which only pages are left that nobody announced, once the reader is
  /// well past them.
  private mutating func reclaim() {
    for chunk in active
    where chunk.isReady && chunk.remaining == 0 && chunk !== current
      && chunk.age + Self.patience <= reached
    {
      release(chunk)
    }
  }

  /// Takes a chunk back whose pages were all asked for, or are given up.
  mutating func release(_ chunk: Chunk) {
    guard let place = active.firstIndex(where: { $0 === chunk }) else { return }
    active.remove(at: place)
    policy.note(read: chunk.extra, used: chunk.extra - chunk.between)
    free.append(chunk)
  }

  /// A page was asked for that nobody announced. Where that goes on although much was announced,
  /// the chunks hold pages that nobody asks for: the oldest are given up. Whether there is
  /// something to load now.
  mutating func missed(skipping visited: PageBitmap) -> Bool {
    misses += 1
    guard misses > 64, queue.isEmpty, !announcements.isEmpty else { return false }
    misses = 0
    for chunk in active.prefix(Self.refill) where chunk.isReady { release(chunk) }
    return plan(skipping: visited)
  }
}
