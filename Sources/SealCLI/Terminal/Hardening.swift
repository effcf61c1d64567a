// What keeps keys inside the process: no core files, no peeking by other processes of the user,
// and no database behind a descriptor that a message is written to.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Settings of the process, made once at its start.
enum Hardening {
  static func apply() {
    openStandardDescriptors()
    forbidCoreFiles()
  }

  /// A caller may have closed 0, 1 or 2: then the next file to be opened would get that number,
  /// and a message could be written into a database.
  private static func openStandardDescriptors() {
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      if descriptor < 0 { return }
      if descriptor > 2 {
        close(descriptor)
        return
      }
    }
  }

  private static func forbidCoreFiles() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      // prctl is variadic, which Swift cannot call by name.
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      if let symbol = dlsym(nil, "prctl") {
        _ = unsafeBitCast(symbol, to: Control.self)(PR_SET_DUMPABLE, 0, 0, 0, 0)
      }
    #else
      _ = setrlimit(RLIMIT_CORE, &none)
    #endif
  }

  private static let PR_SET_DUMPABLE: Int32 = 4
}
