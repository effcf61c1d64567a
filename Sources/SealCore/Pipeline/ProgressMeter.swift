// Counts the bytes that threads have done and tells the listener now and then.

/// How far an operation has come.
public struct Progress: Sendable, Equatable {
  public enum Phase: String, Sendable {
    /// A key; conversions; then the disk, and the proof beside it.
    case deriving, converting, syncing, proving
    /// verify: pages and their tags; what SQLite makes of them; digest or comparison.
    case checking, structure, content
    /// inspect.
    case reading
  }
  public var phase: Phase
  /// Bytes of the database done and in all, in this phase.
  public var done: UInt64
  public var total: UInt64
  public init(_ phase: Phase, done: UInt64, total: UInt64) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}

/// The progress of one phase.
final class ProgressMeter: Sendable {
  private let phase: Progress.Phase
  private let total: UInt64
  private let listener: (@Sendable (Progress) -> Void)?
  private let state = Monitor((done: UInt64(0), told: 0.0))

  /// `total` in bytes.
  init(_ phase: Progress.Phase, total: UInt64, _ listener: (@Sendable (Progress) -> Void)?) {
    self.phase = phase
    self.total = total
    self.listener = listener
    listener?(Progress(phase, done: 0, total: total))
  }

  /// Adds bytes that are done.
  func add(_ bytes: Int) {
    guard let listener else { return }
    state.withLock { state in
      state.done += UInt64(bytes)
      let now = System.now()
      guard now - state.told > 0.1 else { return }
      state.told = now
      listener(Progress(phase, done: min(state.done, total), total: total))
    }
  }
}
