// The one way to ask running work to stop. The work looks at it between batches.

import Synchronization

/// A request to stop, made once, seen by every thread.
public final class Cancellation: Sendable {
  private let signal = Atomic<Int32>(0)

  public init() {}

  /// Asks for the end, as signal `number` (SIGINT, SIGTERM) would. Async-signal-safe.
  public func cancel(signal number: Int32) { signal.store(number, ordering: .relaxed) }

  /// The signal that asked, or nil.
  public var requested: Int32? {
    let number = signal.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Throws `SealError.interrupted` once the end was asked for.
  public func check() throws {
    if let number = requested { throw SealError.interrupted(signal: number) }
  }
}
