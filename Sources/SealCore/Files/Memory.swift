// Whether there is memory for what is about to be done. An allocation that fails in the middle of the
// work ends the process, because Swift's own cannot fail otherwise, and a temporary file would stay;
// so room is asked for before, and threads are left out where there is too little for them.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Room in the address space, which is what `ulimit -v` and systems that do not overcommit limit.
enum Memory {
  /// What a conversion or a check needs beside its threads, in bytes.
  static let basis = 10 << 20

  /// What `workers` threads of each step need: up to three steps run at once, one thread waits for
  /// the disk, one digests, and what is read ahead for all of them has its room.
  static func need(workers: Int) -> Int {
    guard workers > 0 else { return basis }
    return 2 * basis + (3 * workers + 2) * stack + workers * (4 << 20)
  }

  /// Whether so many bytes could be had now.
  static func hasRoom(for bytes: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANON
    guard let place = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), place != MAP_FAILED
    else { return false }
    munmap(place, bytes)
    return true
  }

  /// Throws `.io` where there is too little for any work on the file `path`.
  static func requireRoom(for path: String) throws {
    guard hasRoom(for: basis) else {
      throw SealError.io(IOFailure(.allocate, path: path, errno: ENOMEM))
    }
  }

  /// Bytes that the system gives a thread for its stack.
  private static let stack: Int = {
    #if canImport(Glibc)
      let usual = 8 << 20
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { return usual }
      return limit.rlim_cur < 1 << 40 ? Int(limit.rlim_cur) : usual
    #else
      return 512 << 10
    #endif
  }()
}
