// What keeps keys inside the process: no core files, no crash report with registers and memory in it,
// no peeking by other processes of the user, and no database behind a descriptor that a message is
// written to.

internal import CSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Settings of the process, made once at its start.
enum Hardening {
  /// Which of descriptors 0, 1 and 2 the caller had closed.
  static func apply() -> Set<Int32> {
    let closed = openStandardDescriptors()
    forbidCoreFiles()
    forbidCrashReports()
    keepMemoryPredictable()
    return closed
  }

  /// A caller may have closed 0, 1 or 2: then the next file to be opened would get that number,
  /// and a message could be written into a database.
  private static func openStandardDescriptors() -> Set<Int32> {
    var closed: Set<Int32> = []
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      if descriptor < 0 { return closed }
      if descriptor > 2 {
        close(descriptor)
        return closed
      }
      closed.insert(descriptor)
    }
  }

  private static func forbidCoreFiles() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      dbseal_forbid_dumps()
    #else
      _ = setrlimit(RLIMIT_CORE, &none)
    #endif
  }

  /// Swift's runtime answers a crash with a report (docs/Backtracing.rst of Swift), which prints every
  /// register with the bytes that it points to: keys may be among them. It works by handlers of these
  /// signals, which it sets before main. Without them a crash is what it is to any other program.
  private static func forbidCrashReports() {
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
      _ = signal(number, SIG_DFL)
    }
  }

  /// Where the address space is limited, glibc would give each thread 64 MiB of it for a heap of its
  /// own, whatever the thread needs: then all share one.
  private static func keepMemoryPredictable() {
    #if canImport(Glibc)
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return }
      if limit.rlim_cur < 1 << 40 { dbseal_share_heap() }
    #endif
  }
}
