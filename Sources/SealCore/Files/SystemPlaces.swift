// Names in /dev and /proc are for devices, processes and their streams. A file that took the place of
// one, /dev/stdout for instance, would break what the whole machine uses, and would not be what the
// name was given for.

extension Path {
  /// The folders; what is below `kept` is ordinary: shared memory is a file system of files.
  private static let system = ["/dev/", "/proc/"]
  private static let kept = "/dev/shm/"
  /// Links that are followed, as Linux has it.
  private static let mostLinks = 40

  /// Throws `.exists(.system)` where `path`, or whatever it leads to over links, is a name in one of
  /// the system's own folders.
  static func requireOrdinary(_ path: String) throws {
    var next = path
    for _ in 0..<mostLinks {
      // Where there is no such folder nothing can be made, and whoever makes it says so.
      guard let folder = try? System.realPath(Path.folder(of: next)) else { return }
      let place = join(folder, name(of: next))
      if system.contains(where: { place.utf8.starts(with: $0.utf8) }),
        !place.utf8.starts(with: kept.utf8)
      {
        throw SealError.exists(path: path, .system)
      }
      guard let target = System.linkTarget(place) else { return }
      next = target.utf8.first == UInt8(ascii: "/") ? target : join(folder, target)
    }
  }
}
