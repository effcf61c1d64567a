// What a key command started in its turn, so that it can be ended together with the command. A process
// group of its own would do that too, but the command may have to ask for something on the terminal,
// which only the foreground's group can.

internal import CSystem
internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Processes that one command started. Known on Linux only; elsewhere there are none.
struct Descendants {
  /// The command itself.
  let command: pid_t
  /// `NAME=VALUE` in its environment and nowhere else: who lost the parent is known by it.
  let mark: String

  /// From now on a process whose parent ended is found as well.
  static func keepInSight() { dbseal_adopt_orphans() }

  /// Those that run in this process's own group. Who left it means to stay: an agent, a daemon.
  func living() -> [pid_t] {
    #if os(Linux)
      guard let names = try? Folder.names(of: "/proc") else { return [] }
      let all = names.compactMap { pid_t($0) }.compactMap(Entry.init)
      let parents = Dictionary(
        all.map { ($0.id, $0.parent) }, uniquingKeysWith: { first, _ in first })
      let (own, group) = (getpid(), getpgrp())
      return all.filter { entry in
        guard entry.isAlive, entry.group == group, entry.id != own, entry.id != command else {
          return false
        }
        var (id, steps, isBelow) = (entry.parent, 0, false)
        while id != own, id > 1, steps < all.count {
          isBelow = isBelow || id == command
          id = parents[id] ?? 0
          steps += 1
        }
        return id == own && (isBelow || isMarked(entry.id))
      }.map(\.id)
    #else
      return []
    #endif
  }

  private func isMarked(_ id: pid_t) -> Bool {
    let limit = 4 << 20
    guard
      let text = try? BoundedRead.file(
        "/proc/\(id)/environ", limit: limit, cancellation: Cancellation())
    else { return false }
    let wanted = Array(mark.utf8)
    return text.split(separator: 0).contains { $0.elementsEqual(wanted) }
  }

  /// A process as `/proc/ID/stat` has it.
  private struct Entry {
    let id: pid_t
    let isAlive: Bool
    let parent: pid_t
    let group: pid_t

    init?(_ id: pid_t) {
      let descriptor = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var buffer = [UInt8](repeating: 0, count: 512)
      let count = read(descriptor, &buffer, buffer.count)
      // Its name stands in brackets, and may hold anything.
      guard count > 0, let end = buffer[..<count].lastIndex(of: 0x29) else { return nil }
      let fields = buffer[(end + 1)..<count].split(separator: 0x20)
      guard fields.count > 2, let parent = pid_t(String(decoding: fields[1], as: UTF8.self)),
        let group = pid_t(String(decoding: fields[2], as: UTF8.self))
      else { return nil }
      self.id = id
      isAlive = fields[0].first != UInt8(ascii: "Z")
      self.parent = parent
      self.group = group
    }
  }
}
