// A list of keys that may all be the right one: each is tried, many at once in the lanes of a vector,
// because what takes long is the derivation.

internal import Synchronization

/// Tries keys on a database.
public enum KeyTrial {
  /// Makes a key by its number, from 0. A list may be long, and a key has memory of its own: each is
  /// made when it is tried.
  public typealias Key = @Sendable (Int) throws -> KeyMaterial

  /// The number, from 0, of the first of `count` keys that opens the database; page 1 may be damaged.
  /// Throws what a single key would have got where none does.
  public static func firstFit(
    _ path: String, _ count: Int, _ key: @escaping Key, settings: CipherSettings,
    _ context: OperationContext
  ) throws -> Int {
    try Snapshot.reading(
      System.realPath(path), timeout: context.busyTimeout, cancellation: context.cancellation
    ) { snapshot in
      try Trial(
        snapshot: snapshot, count: count, key: key, settings: settings, context: context
      ).run()
    }
  }

  private struct State {
    /// The first that fits so far.
    var fit: Int?
    /// Why the first wrong key did not, and the first that failed in another way.
    private(set) var wrong: (index: Int, error: SealError, isFit: Bool)?
    private(set) var other: (index: Int, error: SealError)?

    mutating func note(_ error: SealError, of index: Int) {
      if case .wrongKey(let found) = error {
        // One that is right and given with other settings says more than any other.
        let isFit = found.fit != nil
        let isBetter = wrong.map { $0.isFit == isFit ? index < $0.index : isFit } ?? true
        if isBetter { wrong = (index, error, isFit) }
      } else if index < other?.index ?? .max {
        other = (index, error)
      }
    }
  }

  private struct Trial: @unchecked Sendable {
    let snapshot: Snapshot
    let count: Int
    let key: Key
    let settings: CipherSettings
    let context: OperationContext

    func run() throws -> Int {
      context.progress?(Progress(.deriving, done: 0, total: 0))
      let state = Mutex(State())
      var quiet = context
      quiet.progress = nil
      // What is likely of one wrong key among many helps nobody.
      if count > 1 { quiet.keyHints = .none }
      let cores = context.workers > 0 ? context.workers : System.processorCount
      let turns = DerivationTurns(turns: cores, cancellation: context.cancellation)
      try ParallelRuns.forEach(
        count: count, workers: DerivationTurns.threads(turns: cores),
        cancellation: context.cancellation
      ) { [quiet] in
        { index in
          var own = quiet
          own.sharedDeriver = { try turns.derive($0, index) }
          // Every key takes its turn, because the turns go by number.
          try turns.take(index) {
            // They begin in ascending order: what is behind one that fits need not be tried.
            if state.withLock({ $0.fit.map { $0 < index } ?? false }) { return }
            let failure = try self.fits(index, own)
            state.withLock {
              if let failure {
                $0.note(failure, of: index)
              } else {
                $0.fit = min(index, $0.fit ?? index)
              }
            }
          }
        }
      }
      return try state.withLock { state in
        if let fit = state.fit { return fit }
        throw state.wrong?.error ?? state.other?.error ?? SealError.badKey(.empty)
      }
    }

    /// nil where the key fits, or why it does not. Throws what no other key would change.
    private func fits(_ index: Int, _ context: OperationContext) throws -> SealError? {
      do {
        _ = try OpenedDatabase.unlock(
          snapshot, key: key(index), settings: settings, context)
        return nil
      } catch let error as SealError {
        switch error {
        case .wrongKey, .wrongKind, .badProfile, .damaged: return error
        default: throw error
        }
      }
    }
  }
}
