// Several databases at once, answered in the order in which they were named: a key's derivation
// takes a tenth of a second on one core, and ten thousand files have one each.

/// Work on several databases.
public enum SideBySide {
  /// Does `work` for each of `paths` (by index), up to `atOnce` of them side by side, and gives
  /// `deliver` each outcome, one at a time and in order. They are begun in order, and more of them
  /// while their keys are derived, many at once. Throws `.interrupted` where some were left out because the end was asked
  /// for.
  public static func run<Report: Sendable>(
    _ paths: [String], atOnce: Int, cancellation: Cancellation,
    context: @escaping @Sendable (Int) -> OperationContext,
    work: @escaping @Sendable (Int, OperationContext) throws -> Report,
    deliver: @escaping @Sendable (Int, Result<Report, any Error>) -> Void
  ) throws {
    let outcomes = Monitor(Outcomes<Report>())
    let twins = earlierTwins(of: paths)
    let turns = DerivationTurns(turns: max(1, atOnce), cancellation: cancellation)
    try ParallelRuns.forEach(
      count: paths.count, workers: DerivationTurns.threads(turns: max(1, atOnce)),
      cancellation: cancellation
    ) {
      { index in
        if let twin = twins[index] { outcomes.wait { $0.done.contains(twin) ? () : nil } }
        var shared = context(index)
        shared.sharedDeriver = { try turns.derive($0, index) }
        let outcome = Result { try turns.take(index) { try work(index, shared) } }
        // Under the lock, so that two that are ready at once are delivered one after the other.
        outcomes.update { outcomes in
          outcomes.done.insert(index)
          outcomes.ready[index] = outcome
          while let next = outcomes.ready.removeValue(forKey: outcomes.next) {
            deliver(outcomes.next, next)
            outcomes.next += 1
          }
        }
      }
    }
  }

  /// A file, or a name that is still free: two names may mean one of either.
  private enum Place: Hashable {
    case file(FileIdentity)
    case free(in: FileIdentity, String)

    init?(_ path: String) {
      if let file = try? FileStatus.of(path) {
        self = .file(file.identity)
      } else if let folder = try? FileStatus.of(Path.folder(of: path)) {
        self = .free(in: folder.identity, Path.name(of: path))
      } else {
        return nil
      }
    }
  }

  /// The one before, where two names lead to one place: both would wait for each other until one
  /// gives up, or make one new file.
  private static func earlierTwins(of paths: [String]) -> [Int: Int] {
    var last: [Place: Int] = [:]
    var twins: [Int: Int] = [:]
    for (index, path) in paths.enumerated() {
      guard let place = Place(path) else { continue }
      twins[index] = last.updateValue(index, forKey: place)
    }
    return twins
  }

  private struct Outcomes<Report: Sendable> {
    var next = 0
    var done: Set<Int> = []
    /// Those that wait for an earlier one.
    var ready: [Int: Result<Report, any Error>] = [:]
  }
}
