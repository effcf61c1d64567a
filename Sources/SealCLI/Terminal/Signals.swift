// Signals and what the process does about them: those that end a process ask the running work to
// stop; once it has cleaned up, the process dies by the real signal, so that a shell sees it.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The signals of the process.
enum Signals {
  /// Set by a signal.
  static let cancellation = Cancellation()

  /// Lets signals cancel. One that the caller ignores (nohup) stays ignored.
  static func install() {
    // The handler must not be the first to touch the value.
    _ = cancellation.requested
    for number in [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF,
    ] {
      let before = signal(number) { Signals.cancellation.cancel(signal: $0) }
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        _ = signal(number, SIG_IGN)
      }
    }
    _ = signal(SIGPIPE, SIG_IGN)
    // A write beyond the limit then fails, and is told as what it is.
    _ = signal(SIGXFSZ, SIG_IGN)
    // Ignored by the caller, it would hide how a key command ended.
    _ = signal(SIGCHLD, SIG_DFL)
  }

  /// Ends the process by signal `number`, as if it had never been handled.
  static func die(by number: Int32) -> Never {
    _ = signal(number, SIG_DFL)
    _ = kill(getpid(), number)
    exit(ExitStatus.ended(by: number))
  }
}
