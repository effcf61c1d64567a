// Threads and the one kind of lock that the pipeline needs. Plain POSIX threads: the work is a few
// long loops over batches of pages, and the binary stays free of further libraries.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// State that threads share, with a way to wait for it to change.
final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Looks at or changes the state without waking anybody.
  @inline(__always)
  func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Changes the state and wakes all who wait.
  func update<R>(_ body: (inout State) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer {
      // Unlocked first: who wakes up wants the lock.
      pthread_mutex_unlock(mutex)
      pthread_cond_broadcast(changed)
    }
    return try body(&state)
  }

  /// Wakes so many of those who wait.
  func wake(_ count: Int) {
    for _ in 0..<count { pthread_cond_signal(changed) }
  }

  /// Waits until `body` answers something. `waking`: one of the others that wait is told that the
  /// state changed.
  func wait<R>(waking: Bool = false, for body: (inout State) throws -> R?) rethrows -> R {
    pthread_mutex_lock(mutex)
    var isChanged = false
    defer {
      pthread_mutex_unlock(mutex)
      if isChanged { pthread_cond_signal(changed) }
    }
    while true {
      if let result = try body(&state) {
        isChanged = waking
        return result
      }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// Waits until `body` says true, or for so many seconds; what it said last.
  func wait(seconds: Double, for body: (inout State) -> Bool) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = end.tv_nsec + Int(seconds * 1e9)
    end.tv_sec += nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    while !body(&state) {
      guard pthread_cond_timedwait(changed, mutex, &end) == 0 else { return body(&state) }
    }
    return true
  }
}

/// Hands a value that is used by one thread only across to it.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A running thread. It must be joined.
final class WorkerThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  #if canImport(Darwin)
    private var thread: pthread_t?
  #else
    private var thread = pthread_t()
  #endif
  private var isRunning = false

  /// Starts `run`; nil where the system has no thread to give. It does not run then: work that
  /// waits for its caller would wait for ever.
  init?(_ run: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(Body(run))
    let started = pthread_create(
      &thread, nil,
      { argument in
        // Signals are for the thread that handles them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        #if canImport(Darwin)
          Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        #else
          if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        #endif
        return nil
      }, body.toOpaque())
    guard started == 0 else {
      body.release()
      return nil
    }
    isRunning = true
  }

  /// Waits for the end.
  func join() {
    guard isRunning else { return }
    isRunning = false
    #if canImport(Darwin)
      if let thread { pthread_join(thread, nil) }
    #else
      pthread_join(thread, nil)
    #endif
  }
}

/// Independent pieces of work, numbered from 0, done by several threads.
enum ParallelRuns {
  /// Calls the function that `makeWorker` gives each thread with every number below `count` once,
  /// in ascending order of start. The first error ends the rest and is thrown.
  static func forEach(
    count: Int, workers: Int, cancellation: Cancellation,
    makeWorker: @escaping @Sendable () throws -> (Int) throws -> Void
  ) throws {
    let next = Atomic<Int>(0)
    let failure = Monitor<(any Error)?>(nil)
    @Sendable func work() {
      do {
        let run = try makeWorker()
        while failure.withLock({ $0 == nil }) {
          try cancellation.check()
          let index = next.add(1, ordering: .relaxed).oldValue
          guard index < count else { return }
          try run(index)
        }
      } catch { failure.withLock { $0 = $0 ?? error } }
    }
    withoutActuallyEscaping(work) { work in
      let helpers = (1..<max(1, min(workers, count))).compactMap { _ in WorkerThread(work) }
      work()
      for helper in helpers { helper.join() }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Does two things at once. Throws the first's error, or else the second's.
  static func both<A, B>(_ first: () throws -> A, _ second: () throws -> B) throws -> (A, B) {
    let other = UncheckedBox(Monitor<Result<B, any Error>?>(nil))
    let one = withoutActuallyEscaping(second) { second in
      let work = UncheckedBox(second)
      @Sendable func run() {
        let result = Result { try work.value() }
        other.value.withLock { $0 = result }
      }
      let helper = WorkerThread(run)
      let one = Result { try first() }
      if let helper { helper.join() } else { run() }
      return one
    }
    let a = try one.get()
    guard let b = try other.value.withLock({ $0 })?.get() else {
      throw SealError.engine(path: "", code: 0, message: "a thread ended without a result")
    }
    return (a, b)
  }
}
