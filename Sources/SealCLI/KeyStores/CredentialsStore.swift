// What systemd hands to a service: files under $CREDENTIALS_DIRECTORY, decrypted by systemd, readable by
// the service alone, and never written by it.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `$CREDENTIALS_DIRECTORY/NAME`.
struct CredentialsStore: KeyStore {
  let backend = KeyBackend.credentials
  let isReadOnly = true
  let cancellation: Cancellation
  let timeout: Double?
  /// The value of the variable; tests put their own in its place.
  var folder: @Sendable () -> String? = {
    getenv("CREDENTIALS_DIRECTORY").flatMap { String(validatingCString: $0) }
  }

  func obstacle() -> KeyStoreObstacle? {
    guard let folder = folder(), !folder.isEmpty else { return .variableUnset }
    // Whatever is not there may have the key.
    var facts = stat()
    guard stat(folder, &facts) == 0 else { return .folder(errno: errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return .folder(errno: ENOTDIR) }
    return access(folder, X_OK) == 0 ? nil : .folder(errno: errno)
  }

  func read(_ name: String) throws -> Secret? {
    // A name is that of a file in the folder, and leads nowhere else.
    guard let folder = folder(), !name.utf8.contains(0x2f), name != ".", name != ".." else {
      return nil
    }
    do {
      // systemd lets a service read through an access control list, which shows as a group's bits, in a
      // folder of mode 500 or 550. What everybody can reach and read is none of its files.
      let path = "\(folder)/\(name)"
      if let mode = Self.mode(of: path), mode & 0o004 != 0, let reach = Self.mode(of: folder),
        reach & 0o001 != 0
      {
        throw KeyStoreFailure(.openToOthers(mode: mode))
      }
      return try KeyFileReader.bytes(
        of: path, allowsOpen: true,
        deadline: Deadline(seconds: timeout ?? Deadline.usual), cancellation: cancellation)
    } catch let failure as KeyFileReader.Failure {
      switch failure.flaw {
      case .unreadable(ENOENT): return nil
      case .unreadable(let number): throw KeyStoreFailure(.system(errno: number))
      case .directory: throw KeyStoreFailure(.system(errno: EISDIR))
      case .slow(let seconds): throw KeyStoreFailure(.timedOut(seconds: seconds))
      case .refused(.tooLong(let limit)): throw KeyStoreFailure(.tooLong(limit: limit))
      default: throw failure
      }
    }
  }

  private static func mode(of path: String) -> UInt32? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return UInt32(facts.st_mode & 0o777)
  }

  func store(_ key: Secret, as name: String) throws { throw KeyStoreFailure(.readOnly) }
  func delete(_ name: String) throws -> Bool { throw KeyStoreFailure(.readOnly) }

  func names() throws -> [String] {
    guard let folder = folder() else { return [] }
    do { return try Folder.fileNames(of: folder) } catch SealError.io(let failure) {
      throw KeyStoreFailure(.system(errno: failure.errno))
    }
  }
}
