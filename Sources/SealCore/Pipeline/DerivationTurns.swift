// Key derivations on more than one core. Of one database there are one or two: a thread each. Of many
// databases there are as many: they are gathered and run side by side in the lanes of a vector,
// eight or sixteen of them in the time of two or three. So that there is something to gather, more
// databases are begun than are worked on at once: who waits for a key gives its turn to another.

extension ParallelRuns {
  /// Runs derivations on up to `workers` threads. The keys in their order.
  static func derive(
    _ wanted: [Derivation], workers: Int, until cancellation: Cancellation? = nil
  ) throws -> [Secret] {
    let parts = min(workers, wanted.count)
    guard parts > 1 else { return try Derivation.run(wanted, until: cancellation) }
    let keys = Monitor([Int: Secret]())
    try forEach(count: parts, workers: parts, cancellation: Cancellation()) {
      { part in
        let range = part * wanted.count / parts..<(part + 1) * wanted.count / parts
        let found = try Derivation.run(Array(wanted[range]), until: cancellation)
        keys.withLock { keys in for (index, key) in zip(range, found) { keys[index] = key } }
      }
    }
    return keys.withLock { keys in wanted.indices.compactMap { keys[$0] } }
  }
}

/// Turns of threads that each work on one database after the other. Databases are begun in their
/// order, and of those that could go on the first goes first: with one turn they are done one by one.
final class DerivationTurns: Sendable {
  private let shared: Monitor<State>
  private let cancellation: Cancellation

  /// `turns`: how many threads may work at once; the others wait for a turn, or for a key.
  init(turns: Int, cancellation: Cancellation) {
    shared = Monitor(State(free: max(1, turns)))
    self.cancellation = cancellation
  }

  /// Databases to begin for `turns` at once, so that the lanes get full. Each may have some files
  /// open.
  static func threads(turns: Int) -> Int {
    // One more than the lanes, because one is between two databases when the others wait.
    let width = Derivation.largestWidth
    return max(turns, min(turns * (width > 1 ? width + 1 : 1), 128))
  }

  /// Runs `body` in a turn. `order`: of the database, each once, counted from 0.
  func take<R>(_ order: Int, _ body: () throws -> R) rethrows -> R {
    shared.withLock { $0.ready.append(order) }
    let isWanted = shared.wait { $0.begin(order) ? $0.hasWork : nil }
    if isWanted { shared.update { _ in } }
    defer { end() }
    return try body()
  }

  /// Runs derivations, together with those of the other threads. To be called in a turn, which
  /// others have meanwhile. Throws `.interrupted`, and what `Derivation.run` throws.
  func derive(_ wanted: [Derivation], _ order: Int) throws -> [Secret] {
    guard !wanted.isEmpty else { return [] }
    let call = Call(count: wanted.count, order: order)
    let requests = wanted.enumerated().map { Request(wanted: $1, place: $0, call: call) }
    shared.withLock { $0.waiting += requests }
    end()
    while true {
      let next = shared.wait { state -> Next? in
        if call.isDone { return state.begin(order) ? .keys(state.hasWork) : nil }
        return state.batch().map(Next.batch)
      }
      switch next {
      case .keys(let isWanted):
        if isWanted { shared.update { _ in } }
        return try call.keys()
      case .batch(let batch): run(batch)
      }
    }
  }

  private enum Next {
    /// And whether another thread has something to do.
    case keys(Bool)
    case batch([Request])
  }

  /// Gives the turn back. Who cannot use it stays asleep.
  private func end() {
    let isWanted = shared.withLock { state in
      state.free += 1
      state.working -= 1
      return state.hasWork
    }
    if isWanted { shared.update { _ in } }
  }

  private func run(_ batch: [Request]) {
    let result = Result {
      try cancellation.check()
      return try Derivation.run(batch.map(\.wanted), until: cancellation)
    }
    shared.update { state in
      state.free += 1
      for (index, request) in batch.enumerated() {
        request.call.take(
          result.map { $0.indices.contains(index) ? $0[index] : nil }, request.place)
        if request.call.isDone { state.ready.append(request.call.order) }
      }
    }
  }

  /// What one thread asked for. Under the lock.
  private final class Call: @unchecked Sendable {
    private var found: [Secret?]
    private var missing: Int
    private var failure: (any Error)?
    let order: Int

    init(count: Int, order: Int) {
      self.order = order
      found = Array(repeating: nil, count: count)
      missing = count
    }

    var isDone: Bool { missing == 0 }

    func take(_ result: Result<Secret?, any Error>, _ place: Int) {
      missing -= 1
      switch result {
      case .success(let key): found[place] = key
      case .failure(let error): failure = failure ?? error
      }
    }

    func keys() throws -> [Secret] {
      if let failure { throw failure }
      return found.compactMap { $0 }
    }
  }

  private struct Request: Sendable {
    let wanted: Derivation
    let place: Int
    let call: Call
  }

  private struct State {
    var free: Int
    /// Threads that have a turn and work on their database.
    var working = 0
    /// Databases whose threads could work and have no turn.
    var ready: [Int] = []
    /// The one that is begun next. Its thread may still wait for another database.
    var unbegun = 0
    var waiting: [Request] = []

    /// Takes a turn for a database that is ready, if it is the next.
    mutating func begin(_ order: Int) -> Bool {
      guard free > 0, order == following, let index = ready.firstIndex(of: order) else {
        return false
      }
      ready.remove(at: index)
      unbegun = max(unbegun, order + 1)
      free -= 1
      working += 1
      return true
    }

    /// The database that may take the next turn.
    private var following: Int? {
      guard let first = ready.min(), first <= unbegun else { return nil }
      return first
    }

    /// Whether a thread that sleeps can take a turn: for its database, or for a batch.
    var hasWork: Bool { free > 0 && (following != nil || next != nil) }

    /// Takes a turn and the requests to run in it, where a batch is due: the lanes are full, or
    /// nobody is there who could add to it.
    mutating func batch() -> [Request]? {
      guard free > 0, let (kind, count) = next else { return nil }
      free -= 1
      var batch: [Request] = []
      waiting.removeAll { request in
        guard batch.count < count, request.wanted.isAlike(kind) else { return false }
        batch.append(request)
        return true
      }
      return batch
    }

    private var next: (Derivation, count: Int)? {
      for request in waiting {
        let width = Derivation.width(of: request.wanted.algorithm)
        let alike = waiting.count { $0.wanted.isAlike(request.wanted) }
        if alike >= width { return (request.wanted, width) }
        guard working == 0, following == nil else { continue }
        // Free cores share the rest.
        return (request.wanted, (alike + free - 1) / max(1, free))
      }
      return nil
    }
  }
}
