// Which pages read-ahead loads next, and which chunks of memory hold what. Pure bookkeeping: the
// threads and the waiting are in ReadAhead.swift, and everything here happens under its lock.

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
  /// The chunk that the reader waits for.
  var awaited: Chunk?

  init(chunks: Int, capacity: Int, pageSize: Int, sums: Bool, last: UInt32) {
    self.capacity = capacity
    policy = GapPolicy(capacity: capacity)
    self.last = last
    free = (0..<chunks).map { _ in Chunk.make(capacity: capacity, pageSize: pageSize, sums: sums) }
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
    current = active.first { $0.pointee.contains(number) }
    guard let current else { return nil }
    reached = max(reached, current.pointee.age)
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

  /// Fills free chunks with what was announced, in order. How many there are to load now.
  mutating func plan(skipping visited: PageBitmap) -> Int {
    guard !announcements.isEmpty else { return 0 }
    if free.count < Self.refill { reclaim() }
    guard free.count >= Self.refill || active.isEmpty || free.count >= active.count else {
      return 0
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
    return planned - before
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
      while position < numbers.count, chunk.pointee.count < capacity {
        let number = numbers[position]
        let next = chunk.pointee.first + UInt32(chunk.pointee.count)
        guard number >= next, number - next <= policy.limit, isWanted(number, visited) else {
          break
        }
        extend(chunk, to: number, visited)
        guard chunk.pointee.contains(number) else { break }
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
    guard !visited.contains(number),
      let chunk = active.first(where: { $0.pointee.contains(number) })
    else { return }
    let index = Int(number - chunk.pointee.first)
    guard chunk.pointee.isBetween[index] else { return }
    chunk.pointee.isBetween[index] = false
    chunk.pointee.between -= 1
    chunk.pointee.remaining += 1
  }

  /// Adds the pages up to `number`, as far as there is room.
  private func extend(_ chunk: Chunk, to number: UInt32, _ visited: PageBitmap) {
    while chunk.pointee.count < capacity {
      let index = chunk.pointee.count
      let next = chunk.pointee.first + UInt32(index)
      // A page that was asked for already says nothing about whether such pages are worth it.
      let isBetween = next != number && !visited.contains(next)
      chunk.pointee.verdicts[index] = .opened
      chunk.pointee.isBetween[index] = isBetween
      chunk.pointee.count = index + 1
      if isBetween {
        chunk.pointee.between += 1
        chunk.pointee.extra += 1
      }
      if next == number {
        chunk.pointee.remaining += 1
        return
      }
    }
  }

  private func isWanted(_ number: UInt32, _ visited: PageBitmap) -> Bool {
    number >= 1 && number <= last && !visited.contains(number)
      && !active.contains { $0.pointee.contains(number) }
  }

  private func start(_ chunk: Chunk, at first: UInt32) {
    chunk.pointee.first = first
    chunk.pointee.count = 0
    chunk.pointee.remaining = 0
    chunk.pointee.between = 0
    chunk.pointee.extra = 0
    chunk.pointee.isReady = false
    chunk.pointee.isUnreadable = false
  }

  private mutating func activate(_ chunk: Chunk) {
    planned += 1
    policy.planned()
    chunk.pointee.age = planned
    active.append(chunk)
    queue.append(chunk)
  }

  /// Takes back the chunks of which only pages are left that nobody announced, once the reader is
  /// well past them.
  private mutating func reclaim() {
    for chunk in active
    where chunk.pointee.isReady && chunk.pointee.remaining == 0 && chunk != current
      && chunk.pointee.age + Self.patience <= reached
    {
      release(chunk)
    }
  }

  /// Takes a chunk back whose pages were all asked for, or are given up. One that is lent stays.
  mutating func release(_ chunk: Chunk) {
    guard !chunk.pointee.isLent, let place = active.firstIndex(of: chunk) else { return }
    active.remove(at: place)
    policy.note(read: chunk.pointee.extra, used: chunk.pointee.extra - chunk.pointee.between)
    free.append(chunk)
  }

  /// A page was asked for that nobody announced. Where that goes on although much was announced,
  /// the chunks hold pages that nobody asks for: the oldest are given up. How many
  /// there are to load now.
  mutating func missed(skipping visited: PageBitmap) -> Int {
    misses += 1
    guard misses > 64, queue.isEmpty, !announcements.isEmpty else { return 0 }
    misses = 0
    for chunk in active.prefix(Self.refill) where chunk.pointee.isReady { release(chunk) }
    return plan(skipping: visited)
  }

  /// Gives all memory back. Nothing can be planned then.
  mutating func freeChunks() {
    for chunk in free + active { chunk.free() }
    (free, active, queue, due) = ([], [], [], 0)
  }
}
