// The one way to a database through SQLite or SQLCipher. It opens what is there and never makes a
// file, takes the key as bytes, and turns every answer of the engine into a value or an error.
// The order for an encrypted database is: open, `key`, `apply` the settings, `probe`.

internal import CSQLCipher

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An open database. Its calls are serialized by SQLite; a `Statement` belongs to one thread.
final class Connection: @unchecked Sendable {
  /// How a file is opened. None of these creates one.
  enum Access: Sendable {
    case readOnly
    /// Throws where the file or its file system may not be written.
    case readWrite
    /// Read-only without locks and without looking at or making a `-wal`, `-shm` or `-journal`:
    /// for a file that nobody else can have open.
    case immutable
  }

  /// The name in errors.
  let path: String
  private var handle: OpaquePointer?
  /// A key was given.
  private(set) var isKeyed = false
  /// The key derivation has run, which happens in the first read.
  private var isSettled = false
  /// The first bytes of the file are said to be plain, so reading them proves no key.
  var hasPlainHeader = false
  /// The salt mask to derive with, where it is not SQLCipher's own; see `SaltMaskGate`.
  var saltMask: UInt8?
  /// What ends the statements of this connection; see `stop(on:)`.
  var stopping: Cancellation?
  /// How it waits for locks where not by SQLite's own timeout; see `wait(upTo:cancellation:)`.
  var patience: LockPatience?

  /// Opens the file `path`, taken as a plain name whatever it looks like. Waits up to
  /// `busyTimeout` seconds for locks. Throws `SealError`, for instance `.io` for a missing file, in
  /// which the file is called `subject` where that is named.
  init(
    path: String, access: Access = .readOnly, busyTimeout: Double = 5, subject: String? = nil
  ) throws {
    self.path = subject ?? path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SealError.io(IOFailure(.open, path: path, errno: ENOENT))
    }
    if access != .immutable { try Sidecars(of: path).requireRegular() }
    // A leading ./ keeps SQLite from taking `:memory:` and `file:…` for what they are not.
    let plain = path.utf8.first == 0x2f ? path : "./" + path
    let flags: Int32
    switch access {
    case .readOnly: flags = SQLITE_OPEN_READONLY
    case .readWrite: flags = SQLITE_OPEN_READWRITE
    case .immutable: flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    let name = access == .immutable ? "file:\(Self.percentEncoded(plain))?immutable=1" : plain
    try open(name, flags: flags, vfs: nil, busyTimeout: busyTimeout)
    if access == .readWrite, sqlite3_db_readonly(handle, "main") != 0 {
      throw SealError.io(IOFailure(.open, path: path, errno: EACCES))
    }
  }

  /// Opens a database that `snapshot` serves, read-only, without locks or other files. Raw pages
  /// of an encrypted database want a key as the file would. `path` is the name in errors.
  ///
  /// `keepingChecks`: SQLite's parser leaves CHECK constraints out of the schema of a database that
  /// it cannot write (sqlite3AddCheckConstraint in build.c), and integrity_check then passes over
  /// them. It is told that it could; what it would write is refused all the same.
  ///
  /// `byOneThread`: nobody but the thread that makes it calls it, and SQLite takes no lock for every
  /// column of every row.
  init(
    snapshot: any SnapshotFile, path: String, keepingChecks: Bool = false, byOneThread: Bool = false
  ) throws {
    self.path = path
    let ticket = try SnapshotVFS.enter(snapshot)
    defer { SnapshotVFS.leave(ticket) }
    try open(
      SnapshotVFS.fileName(ticket),
      flags: keepingChecks ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, vfs: SnapshotVFS.name,
      busyTimeout: 0, byOneThread: byOneThread)
    if keepingChecks { try run("PRAGMA query_only = ON") }
  }

  /// Opens a database that `scratch` serves and takes the changes of. Nothing else is written: the
  /// rollback journal is kept in memory.
  init(scratch: any ScratchFile, path: String) throws {
    self.path = path
    let ticket = try SnapshotVFS.enter(scratch)
    defer { SnapshotVFS.leave(ticket) }
    try open(
      SnapshotVFS.fileName(ticket), flags: SQLITE_OPEN_READWRITE, vfs: SnapshotVFS.name,
      busyTimeout: 0)
    try run("PRAGMA journal_mode = MEMORY")
  }

  /// Opens an empty database in memory.
  init(inMemory path: String) throws {
    self.path = path
    try open(
      ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, vfs: nil, busyTimeout: 0)
  }

  deinit { close() }

  /// Closes the database; statements that are still there do nothing from now on.
  func close() {
    guard let open = handle else { return }
    handle = nil
    sqlite3_close_v2(open)
  }

  private func open(
    _ name: String, flags: Int32, vfs: String?, busyTimeout: Double, byOneThread: Bool = false
  ) throws {
    let all = flags | (byOneThread ? SQLITE_OPEN_NOMUTEX : SQLITE_OPEN_FULLMUTEX)
    let code = ResultCode(sqlite3_open_v2(name, &handle, all, vfs))
    guard code == .ok, let handle else {
      let error = failure(code == .ok ? .noMemory : code)
      close()
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    let milliseconds = Int32(exactly: (busyTimeout * 1000).rounded()) ?? 5000
    sqlite3_busy_timeout(handle, max(0, milliseconds))
    try defend()
  }

  /// Settings that keep a hostile database, and a curious neighbour, from doing harm.
  private func defend() throws {
    let version = Engine.sqliteNumber
    let options: [(option: Int32, value: Int32, since: Int32)] = [
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, 3_013_000),
      (SQLITE_DBCONFIG_DEFENSIVE, 1, 3_026_000),
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 3_031_000),
    ]
    for each in options where version >= each.since {
      let code = ResultCode(dbseal_db_config_int(handle, each.option, each.value))
      guard code == .ok else { throw failure(code) }
    }
    // None of these reads the file, so they may come before the key.
    try run("PRAGMA temp_store = MEMORY")
    try run("PRAGMA cell_size_check = ON")
    try run("PRAGMA mmap_size = 0")
  }

  /// Gives the key: a passphrase, or `x'…'` for a raw key. Nothing is read yet, so a wrong key
  /// shows in `probe` only. Throws `.badKey(.empty)`, `.unsupported(.noCodec)`, `.engine`.
  func key(_ secret: Secret) throws {
    try Engine.current.requireCodec()
    try attach(secret)
  }

  /// The same without asking which engine this is: for the one that finds that out.
  func attach(_ secret: Secret) throws {
    guard secret.count > 0 else { throw SealError.badKey(.empty) }
    guard let count = Int32(exactly: secret.count) else {
      throw SealError.badKey(.tooLong(limit: KeyMaterial.limit))
    }
    let db = try open()
    let code = secret.withBytes { ResultCode(sqlite3_key_v2(db, "main", $0.baseAddress, count)) }
    guard code == .ok else { throw failure(code) }
    isKeyed = true
  }

  /// Leaves a write-ahead log and its index where they are when the last connection closes.
  /// False where the engine is too old for that (before SQLite 3.16).
  func keepLogOnClose() -> Bool {
    guard let handle else { return false }
    return dbseal_db_config_int(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) == SQLITE_OK
  }

  /// Ends what runs on this connection soon, from any thread.
  func interrupt() {
    if let handle { sqlite3_interrupt(handle) }
  }

  /// The handle. Throws after `close`.
  func open() throws -> OpaquePointer {
    guard let handle else {
      throw SealError.engine(path: path, code: ResultCode.misuse.rawValue, message: "closed")
    }
    return handle
  }

  /// Makes the first read of a keyed database under the right salt mask. Its outcome is left to
  /// the statement that follows, which meets the same.
  func settle() throws {
    guard isKeyed, !isSettled else { return }
    try SaltMaskGate.shared.pass(saltMask, on: self) {
      let code = try Statement(unsettled: self, "PRAGMA user_version").advance()
      // A lock kept the page from being read: the keys are not derived yet.
      isSettled = code.primary != .busy && code.primary != .locked
    }
  }

  /// Runs `body`, in which a new keyed database gets its first page: only then are its keys derived,
  /// and under the salt mask of that moment.
  func writeFirst<R>(_ body: () throws -> R) throws -> R {
    try settle()
    var result: R?
    try SaltMaskGate.shared.pass(saltMask, on: self) { result = try body() }
    guard let result else { throw failure(.error) }
    return result
  }

  /// A path in the form that SQLite's URIs want: everything else than plain letters as %XX.
  private static func percentEncoded(_ path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in path.utf8 {
      if plain.contains(byte) {
        out.append(byte)
      } else {
        out += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
