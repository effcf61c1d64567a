// What a replaced file keeps besides its content: permission bits, and where permitted its owner
// and extended attributes.

internal import CSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

enum Attributes {
  /// Gives `new` the owner, extended attributes and (unless `mode` says another) mode of `old`.
  /// Owner and attributes are kept as far as the system permits.
  static func copy(from old: File, to new: File, mode: UInt32?) throws {
    let status = try old.status()
    if let own = try? new.status(), own.user != status.user || own.group != status.group {
      do {
        try System.setOwner(new.descriptor, new.path, user: status.user, group: status.group)
      } catch {
        _ = try? System.setOwner(
          new.descriptor, new.path, user: uid_t.max, group: status.group)
      }
    }
    copyExtended(from: old.descriptor, to: new.descriptor)
    // After the owner: changing it clears the set-id bits.
    try System.setMode(new.descriptor, new.path, mode_t(mode ?? status.mode))
  }

  private static func copyExtended(from old: Int32, to new: Int32) {
    let length = dbseal_listxattr(old, nil, 0)
    guard length > 0 else { return }
    var names = [CChar](repeating: 0, count: length)
    guard dbseal_listxattr(old, &names, names.count) == length else { return }
    for name in names.split(separator: 0) {
      let key = Array(name) + [0]
      let size = dbseal_getxattr(old, key, nil, 0)
      guard size >= 0 else { continue }
      var value = [UInt8](repeating: 0, count: max(size, 1))
      guard dbseal_getxattr(old, key, &value, size) == size else { continue }
      _ = dbseal_setxattr(new, key, value, size)
    }
  }
}
