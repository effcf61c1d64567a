// Something that happens several times a second beside the work, such as drawing how far it is: the
// work itself comes by at times that nobody knows.

/// Calls a function again and again, by a thread of its own.
public final class Ticker: Sendable {
  private let isStopped = Monitor(false)
  private let thread = Monitor<WorkerThread?>(nil)

  /// Calls `body` every so many seconds, for the first time after as many. Where the system has no
  /// thread to give, never.
  public init(every seconds: Double, _ body: @escaping @Sendable () -> Void) {
    let started = WorkerThread { [isStopped] in
      while !isStopped.wait(seconds: seconds, for: { $0 }) { body() }
    }
    thread.withLock { $0 = started }
  }

  /// Ends it. No call is running any more when this returns.
  public func stop() {
    isStopped.update { $0 = true }
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  deinit { stop() }
}
