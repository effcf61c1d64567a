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
    folder()?.isEmpty == false ? nil : .variableUnset
  }

  func read(_ name: String) throws -> Secret? {
    // A name is that of a file in the folder, and leads nowhere else.
    guard let folder = folder(), !name.utf8.contains(0x2f), name != ".", name != ".." else {
      return nil
    }
    do {
      // systemd lets a service read through an access control list, which shows as a group's bits.
      return try KeyFileReader.bytes(
        of: "\(folder)/\(name)", allowsOpen: true,
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

  func store(_ key: Secret, as name: String) throws { throw KeyStoreFailure(.readOnly) }
  func delete(_ name: String) throws -> Bool { throw KeyStoreFailure(.readOnly) }

  func names() throws -> [String] {
    guard let folder = folder() else { return [] }
    do { return try Folder.fileNames(of: folder) } catch SealError.io(let failure) {
      throw KeyStoreFailure(.system(errno: failure.errno))
    }
  }
}
