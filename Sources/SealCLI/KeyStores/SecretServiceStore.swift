// The Secret Service of a desktop session, through libsecret where it is installed. Items have the
// attributes `service` = `dbseal` and `account` = NAME, so that secret-tool(1) finds them too.

internal import CSecretService
internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// GNOME Keyring, KWallet, KeePassXC, or whatever else offers the service.
struct SecretServiceStore: KeyStore {
  let backend = KeyBackend.secretService
  let cancellation: Cancellation
  /// How long an answer is waited for, where that was said.
  let timeout: Double?
  private(set) var isQuiet = false

  /// A prompt for the keyring's password needs a screen, and time; without one nobody answers.
  private var patience: Double {
    timeout ?? (canAsk ? Deadline.usual : 10)
  }

  var canAsk: Bool { getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil }

  func obstacle() throws -> KeyStoreObstacle? {
    // Without one GLib would start a bus of its own.
    guard Self.hasSessionBus else { return .noSessionBus }
    do {
      _ = try run(DBSEAL_SECRET_PROBE, nil, seconds: min(10, patience))
      return nil
    } catch let failure as KeyStoreFailure {
      switch failure.flaw {
      case .unavailable(let obstacle): return obstacle
      case .timedOut: return .timedOut
      default: throw failure
      }
    }
  }

  func read(_ name: String) throws -> Secret? { try run(DBSEAL_SECRET_READ, name) }

  func add(_ key: Secret, as name: String) throws {
    _ = try run(DBSEAL_SECRET_ADD, name, key)
  }

  func store(_ key: Secret, as name: String) throws {
    _ = try run(DBSEAL_SECRET_STORE, name, key)
  }

  func delete(_ name: String) throws -> Bool { try run(DBSEAL_SECRET_DELETE, name) != nil }

  var steadfast: SecretServiceStore {
    SecretServiceStore(cancellation: Cancellation(), timeout: min(5, patience), isQuiet: isQuiet)
  }

  var quiet: SecretServiceStore {
    var other = self
    other.isQuiet = true
    return other
  }

  func closure() throws -> KeyStoreFlaw? {
    do {
      return try run(DBSEAL_SECRET_STATE, nil) == nil ? .noCollection : nil
    } catch let failure as KeyStoreFailure {
      // One that does not say so is asked when a key is to be kept.
      return failure.flaw == .locked ? .locked : nil
    }
  }

  func names() throws -> [String] {
    guard let listed = try run(DBSEAL_SECRET_LIST, nil) else { return [] }
    return listed.withBytes { bytes in
      bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Somebody said where the bus is, so that there has to be one.
  private static var isBusNamed: Bool {
    getenv("DBUS_SESSION_BUS_ADDRESS").map { $0.pointee != 0 } ?? false
  }

  private static var hasSessionBus: Bool {
    if isBusNamed { return true }
    guard let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 else { return false }
    var facts = stat()
    return stat(String(cString: folder) + "/bus", &facts) == 0
  }

  /// What the service answered, or nil where it has no such item.
  private func run(
    _ action: dbseal_secret_action, _ name: String?, _ key: Secret? = nil, seconds: Double? = nil
  ) throws -> Secret? {
    let seconds = seconds ?? patience
    var request = dbseal_secret_request()
    request.action = action
    request.milliseconds = Int32(1000 * min(seconds, 86400))
    request.is_quiet = isQuiet ? 1 : 0
    request.stop = { context in
      guard let context else { return 0 }
      let cancellation = Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue()
      return cancellation.requested == nil ? 0 : 1
    }
    request.stop_context = UnsafeRawPointer(Unmanaged.passUnretained(cancellation).toOpaque())
    defer { dbseal_secret_release(&request) }
    let status = Self.call(&request, name, key)
    switch status {
    case DBSEAL_SECRET_DONE:
      return Secret(
        copying: UnsafeRawBufferPointer(start: request.answer, count: request.answer_size))
    case DBSEAL_SECRET_ABSENT: return nil
    case DBSEAL_SECRET_STOPPED:
      try cancellation.check()
      return nil
    default:
      // In whole seconds, where it is the service that gave up.
      let waited = max(1, (Double(request.milliseconds) / 1000).rounded())
      let flaw = Self.flaw(status, Self.message(of: request), min(seconds, waited))
      throw KeyStoreFailure(flaw)
    }
  }

  private static func call(
    _ request: inout dbseal_secret_request, _ name: String?, _ key: Secret?
  ) -> dbseal_secret_status {
    guard let name else { return dbseal_secret_run(&request) }
    return name.withCString { name in
      request.account = name
      guard let key else { return dbseal_secret_run(&request) }
      return key.withBytes { bytes in
        request.secret = bytes.baseAddress
        request.secret_size = bytes.count
        return dbseal_secret_run(&request)
      }
    }
  }

  private static func message(of request: dbseal_secret_request) -> String {
    withUnsafeBytes(of: request.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func flaw(
    _ status: dbseal_secret_status, _ message: String, _ seconds: Double
  ) -> KeyStoreFlaw {
    switch status {
    case DBSEAL_SECRET_SEVERAL: .several
    case DBSEAL_SECRET_LOCKED: .locked
    case DBSEAL_SECRET_EXISTS: .changed
    case DBSEAL_SECRET_NO_COLLECTION: .noCollection
    case DBSEAL_SECRET_NO_LIBRARY: .unavailable(.noLibrary)
    case DBSEAL_SECRET_NO_BUS where isBusNamed, DBSEAL_SECRET_BAD_BUS where isBusNamed:
      .unavailable(.deadBus(message))
    case DBSEAL_SECRET_NO_SERVICE, DBSEAL_SECRET_NO_BUS: .unavailable(.noService(message))
    case DBSEAL_SECRET_TIMED_OUT: .timedOut(seconds: seconds)
    case DBSEAL_SECRET_UNANSWERED: .unanswered
    default: .failed(message)
    }
  }
}
