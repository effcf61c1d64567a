// Short ways to run a statement, and the one place where an answer of SQLite becomes an error.

internal import CSQLCipher

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Connection {
  /// Runs one statement to its end and drops its rows. Throws `SealError`.
  func execute(_ sql: String, _ values: [Value] = []) throws {
    let statement = try Statement(self, sql)
    try statement.bind(values)
    while try statement.step() {}
  }

  /// The first column of the first row; nil where there is none. Throws `SealError`.
  func scalar(_ sql: String, _ values: [Value] = []) throws -> Value? {
    let statement = try Statement(self, sql)
    try statement.bind(values)
    return try statement.step() ? statement.value(0) : nil
  }

  /// All rows. For results that fit in memory. Throws `SealError`.
  func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    var rows: [[Value]] = []
    try forEachRow(sql, values) { rows.append($0.row) }
    return rows
  }

  /// Calls `body` at each row. Throws `SealError`, or what `body` throws.
  func forEachRow(_ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Void) throws
  {
    let statement = try Statement(self, sql)
    try statement.bind(values)
    while try statement.step() { try body(statement) }
  }

  /// Runs a PRAGMA that must not cause the first read of the file; answers its first value.
  @discardableResult
  func run(_ sql: String) throws -> Value? {
    let statement = try Statement(unsettled: self, sql)
    return try statement.step() ? statement.value(0) : nil
  }

  /// SQLite's words about the last failure.
  var lastMessage: String {
    guard let db = try? open() else { return "closed" }
    return sqlite3_errmsg(db).map { String(cString: $0) } ?? ""
  }

  /// The error that `code` stands for, with the system's error number where there is one.
  func failure(_ code: ResultCode) -> SealError {
    if let number = stopping?.requested, [.interrupted, .ioError, .busy].contains(code.primary) {
      return .interrupted(signal: number)
    }
    let db = try? open()
    let system = db.map { sqlite3_system_errno($0) } ?? 0
    func io(_ call: IOFailure.Call, _ fallback: Int32) -> SealError {
      .io(IOFailure(call, path: path, errno: system != 0 ? system : fallback))
    }
    switch code {
    case .busy, .locked: return .locked(path: path, holders: [])
    case .cannotOpen: return io(.open, EIO)
    case .full: return .io(IOFailure(.write, path: path, errno: ENOSPC))
    case .ioError: return io(code.call, EIO)
    case .corrupt, .notADatabase:
      if let number = db.flatMap(unreadable) {
        return .io(IOFailure(.read, path: path, errno: number))
      }
    default: break
    }
    let message = db == nil ? String(cString: sqlite3_errstr(code.rawValue)) : lastMessage
    return .engine(path: path, code: code.rawValue, message: message)
  }
  /// The error number of a read that failed, where SQLite calls that a malformed database (it takes an
  /// EIO for one: SQLITE_IOERR_CORRUPTFS, unixRead in os_unix.c), and SQLCipher none at all (it goes on
  /// without the salt that it could not read).
  private func unreadable(_ db: OpaquePointer) -> Int32? {
    var number: Int32 = 0
    let code = sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number)
    return code == SQLITE_OK && number > 0 ? number : nil
  }
}
