// Several databases at once, answered in the order in which they were named: a key's derivation
// takes a tenth of a second on one core, and ten thousand files have one each.

extension Verify {
  /// Checks `requests`, up to `atOnce` of them side by side, and gives `deliver` each outcome, one
  /// at a time and in order. After an interruption the rest is left out.
  public static func runAll(
    _ requests: [Request], atOnce: Int, cancellation: Cancellation,
    deliver: @escaping @Sendable (Int, Result<VerifyReport, any Error>) -> Void
  ) throws {
    let outcomes = Monitor(Outcomes())
    try ParallelRuns.forEach(
      count: requests.count, workers: max(1, atOnce), cancellation: cancellation
    ) {
      { index in
        let outcome = Result { try run(requests[index]) }
        // Under the lock, so that two that are ready at once are delivered one after the other.
        outcomes.withLock { outcomes in
          outcomes.ready[index] = outcome
          while let next = outcomes.ready.removeValue(forKey: outcomes.next) {
            deliver(outcomes.next, next)
            outcomes.next += 1
          }
        }
      }
    }
  }

  /// Those that wait for an earlier one.
  private struct Outcomes {
    var next = 0
    var ready: [Int: Result<VerifyReport, any Error>] = [:]
  }
}
