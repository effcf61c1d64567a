// The Linux kernel's keyring of the user: keys of type `user` called `dbseal:NAME`, as keyctl(1) shows
// them. They are in the kernel's memory and nowhere else, so they are gone after a reboot.

internal import CSystem
internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `@u`.
struct KernelKeyring: KeyStore {
  let backend = KeyBackend.kernel
  /// The longest payload of a key of type `user`.
  private static let limit = 32767
  private static let prefix = "dbseal:"

  func obstacle() -> KeyStoreObstacle? {
    #if os(Linux)
      return dbseal_keyring_possess() < 0 ? .system(errno: errno) : nil
    #else
      return .otherSystem
    #endif
  }

  func read(_ name: String) throws -> Secret? {
    guard let key = try find(name) else { return nil }
    return try payload(of: key)
  }

  func store(_ key: Secret, as name: String) throws {
    guard key.count <= Self.limit else { throw KeyStoreFailure(.tooLong(limit: Self.limit)) }
    try possess()
    let added = key.withBytes { dbseal_key_add(Self.prefix + name, $0.baseAddress, $0.count) }
    if added < 0 { throw failure() }
  }

  func delete(_ name: String) throws -> Bool {
    guard let key = try find(name) else { return false }
    if dbseal_key_unlink(key) < 0, errno != ENOENT { throw failure() }
    return true
  }

  func names() throws -> [String] {
    try possess()
    let numbers = try payload(of: Int(DBSEAL_KEYRING_USER)) ?? Secret(count: 0) { _ in }
    return numbers.withBytes { bytes in
      stride(from: 0, to: bytes.count - 3, by: 4).compactMap {
        name(of: Int(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self)))
      }
    }
  }

  /// The key's name, if it is one of ours.
  private func name(of key: Int) -> String? {
    var text = [CChar](repeating: 0, count: 4400)
    let count = dbseal_key_describe(key, &text, text.count)
    guard count > 0, count <= text.count else { return nil }
    let bytes = text.prefix(count).prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // `type;uid;gid;permissions;description`
    let fields = bytes.split(separator: 0x3b, maxSplits: 4, omittingEmptySubsequences: false)
    guard fields.count == 5, fields[0].elementsEqual("user".utf8),
      fields[4].starts(with: Self.prefix.utf8)
    else { return nil }
    return String(validating: fields[4].dropFirst(Self.prefix.utf8.count), as: UTF8.self)
  }

  private func find(_ name: String) throws -> Int? {
    try possess()
    let key = dbseal_key_find(Self.prefix + name)
    if key >= 0 { return key }
    switch errno {
    case ENOKEY, EKEYEXPIRED, EKEYREVOKED: return nil
    default: throw failure()
    }
  }

  /// nil: it was removed meanwhile. The length is asked for first, and again where it grew.
  private func payload(of key: Int) throws -> Secret? {
    var size = dbseal_key_read(key, nil, 0)
    while size >= 0 {
      var count = size
      let bytes = Secret(count: size) { count = dbseal_key_read(key, $0.baseAddress, $0.count) }
      if count < 0 { break }
      if count <= size { return bytes.slice(0..<count) }
      size = count
    }
    if [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(errno) { return nil }
    throw failure()
  }

  private func possess() throws {
    if dbseal_keyring_possess() < 0 { throw failure() }
  }

  private func failure() -> KeyStoreFailure {
    KeyStoreFailure(errno == EDQUOT ? .quota : .system(errno: errno))
  }
}

#if !os(Linux)
  // Errors that only Linux has; nothing is asked of the kernel elsewhere.
  private let ENOKEY: Int32 = 126
  private let EKEYEXPIRED: Int32 = 127
  private let EKEYREVOKED: Int32 = 128
#endif
