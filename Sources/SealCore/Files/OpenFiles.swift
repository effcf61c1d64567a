// Who else has a file open. On Linux /proc tells; elsewhere nobody is found, and the locks alone
// decide.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

enum OpenFiles {
  /// Other processes that have the file at `path` open, by ascending id. Processes that may not be
  /// looked into are not found.
  static func holders(of path: String) -> [ProcessName] {
    #if os(Linux)
      guard let wanted = try? FileStatus.of(path)?.identity,
        let entries = try? System.names(in: "/proc")
      else { return [] }
      let own = getpid()
      return entries.compactMap { Int32($0) }.filter { $0 != own }.sorted().compactMap { id in
        let folder = "/proc/\(id)/fd"
        guard let names = try? System.names(in: folder) else { return nil }
        // Most descriptors are sockets, pipes and terminals: only those that look like a path are
        // followed, because looking at each takes a system call.
        let holds = names.contains { name in
          guard System.linkTarget("\(folder)/\(name)")?.utf8.first == UInt8(ascii: "/") else {
            return false
          }
          return (try? FileStatus.of("\(folder)/\(name)"))??.identity == wanted
        }
        return holds ? ProcessName(id: id, name: name(of: id)) : nil
      }
    #else
      return []
    #endif
  }

  private static func name(of process: Int32) -> String {
    guard let file = try? File("/proc/\(process)/comm"),
      let bytes = try? file.bytes(at: 0, count: 64)
    else { return "?" }
    return String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
  }
}
