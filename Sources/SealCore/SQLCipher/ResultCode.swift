// SQLite's result codes as a type of their own, so that no bare number travels through the core.
// https://sqlite.org/rescode.html

internal import CSQLCipher

/// A primary or extended result code of SQLite.
public struct ResultCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The primary code that an extended one belongs to.
  public var primary: ResultCode { ResultCode(rawValue & 0xff) }

  public static let ok = ResultCode(0)
  /// SQLITE_ERROR: SQL that does not compile, a missing table, a schema that is not understood.
  public static let error = ResultCode(1)
  /// SQLITE_BUSY: another connection holds a lock.
  public static let busy = ResultCode(5)
  /// SQLITE_LOCKED: this process holds a lock itself.
  public static let locked = ResultCode(6)
  public static let noMemory = ResultCode(7)
  public static let readOnly = ResultCode(8)
  public static let interrupted = ResultCode(9)
  /// SQLITE_IOERR and its extended codes.
  public static let ioError = ResultCode(10)
  /// SQLITE_CORRUPT: page or schema bytes contradict the file format.
  public static let corrupt = ResultCode(11)
  public static let full = ResultCode(13)
  public static let cannotOpen = ResultCode(14)
  public static let constraint = ResultCode(19)
  public static let misuse = ResultCode(21)
  public static let range = ResultCode(25)
  /// SQLITE_NOTADB: a wrong key, other cipher settings, or no database at all.
  public static let notADatabase = ResultCode(26)
  public static let row = ResultCode(100)
  public static let done = ResultCode(101)

  /// SQLITE_IOERR_SHORT_READ, answered by a VFS at the end of a file.
  static let shortRead = ResultCode(10 | 2 << 8)
  static let readError = ResultCode(10 | 1 << 8)
  static let writeError = ResultCode(10 | 3 << 8)

  /// What the system was asked for, where this is an I/O error.
  var call: IOFailure.Call {
    // SQLITE_IOERR_FSYNC and those after it, as sqlite.org/rescode.html numbers them.
    switch rawValue >> 8 {
    case 3, 19: .write
    case 4, 5: .sync
    case 6: .truncate
    case 7, 13: .stat
    case 8, 9, 14, 15, 20: .lock
    case 10, 23: .unlink
    case 12: .allocate
    case 18: .open
    case 21, 24: .map
    default: .read
    }
  }

  /// SQLite's own name of the primary code, such as `SQLITE_NOTADB`.
  public var name: String { Self.names[primary.rawValue] ?? "SQLITE_\(rawValue)" }

  /// What this engine says of the code where it has nothing special to say.
  var text: String { sqlite3_errstr(rawValue).map { String(cString: $0) } ?? name }

  public var description: String { primary == self ? name : "\(name) (\(rawValue))" }

  private static let names: [Int32: String] = [
    0: "SQLITE_OK", 1: "SQLITE_ERROR", 2: "SQLITE_INTERNAL", 3: "SQLITE_PERM", 4: "SQLITE_ABORT",
    5: "SQLITE_BUSY", 6: "SQLITE_LOCKED", 7: "SQLITE_NOMEM", 8: "SQLITE_READONLY",
    9: "SQLITE_INTERRUPT", 10: "SQLITE_IOERR", 11: "SQLITE_CORRUPT", 12: "SQLITE_NOTFOUND",
    13: "SQLITE_FULL", 14: "SQLITE_CANTOPEN", 15: "SQLITE_PROTOCOL", 16: "SQLITE_EMPTY",
    17: "SQLITE_SCHEMA", 18: "SQLITE_TOOBIG", 19: "SQLITE_CONSTRAINT", 20: "SQLITE_MISMATCH",
    21: "SQLITE_MISUSE", 22: "SQLITE_NOLFS", 23: "SQLITE_AUTH", 24: "SQLITE_FORMAT",
    25: "SQLITE_RANGE", 26: "SQLITE_NOTADB", 27: "SQLITE_NOTICE", 28: "SQLITE_WARNING",
    100: "SQLITE_ROW", 101: "SQLITE_DONE",
  ]

  /// A primary code matches itself and every extended code of its family.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == code || pattern == code.primary
  }
}
