// What can be said about a file without a key: plain values, from Survey.

/// A file, seen from outside.
public struct FileFacts: Sendable {
  /// As it was named.
  public var path: String
  /// The real file, where a symbolic link was named.
  public var target: String?
  public var kind: FileKind
  /// A key may fit although the kind says otherwise.
  public var mayBeEncrypted = false
  public var reasons: [KindReason] = []
  /// Bytes.
  public var size: UInt64 = 0
  /// Bytes of a page, where the file or what lies beside it says so.
  public var pageSize: Int?
  /// The page sizes that the file's size allows, where it does not.
  public var pageSizes: [Int] = []
  /// The salt of an encrypted database, if it is one.
  public var salt: [UInt8]?
  /// The first 32 bytes; none of text or of a file shorter than a page, which may be a key.
  public var firstBytes: [UInt8] = []
  /// Of a plaintext database, or of an encrypted one with a plaintext header.
  public var header: HeaderFacts?
  public var sidecars: [SidecarFacts] = []
  /// Other processes that have it open, as far as they could be found.
  public var holders: [ProcessName] = []
  /// What a user should know: `.walMissing`.
  public var notes: [Note] = []
  /// The database that a log or journal lies beside, by its name.
  public var owner: Owner?

  /// A database that a log or journal seems to belong to.
  public struct Owner: Sendable, Equatable {
    public var path: String
    /// There is a file of that name.
    public var exists: Bool
  }
}

/// The header of a database.
public struct HeaderFacts: Sendable, Equatable {
  public enum AutoVacuum: String, Sendable { case none, full, incremental }

  public var pageSize: Int
  /// Bytes at the end of each page that the trees leave alone.
  public var reserve: Int
  /// Write-ahead log, not rollback journal.
  public var isWAL: Bool
  /// As stored; nil where an old writer left it stale.
  public var pageCount: UInt32?
  public var changeCounter: UInt32
  /// nil where those fields are encrypted.
  public var rest: Rest?

  /// The fields behind the first 32 bytes.
  public struct Rest: Sendable, Equatable {
    public var freePages: UInt32
    public var autoVacuum: AutoVacuum
    /// `UTF-8`, `UTF-16le`, `UTF-16be`; nil while there is no table.
    public var encoding: String?
    public var userVersion: Int32
    public var applicationID: Int32
    public var schemaVersion: UInt32
    public var schemaFormat: UInt32
    /// SQLite's version number of the last writer.
    public var writer: UInt32
  }

  init(_ header: DatabaseHeader) {
    pageSize = header.pageSize
    reserve = header.reserve
    isWAL = header.isWAL
    pageCount = header.pageCount
    changeCounter = header.changeCounter
    let encoding: String? =
      switch header.encoding {
      case 1: "UTF-8"
      case 2: "UTF-16le"
      case 3: "UTF-16be"
      default: nil
      }
    rest = Rest(
      freePages: header.freePages,
      autoVacuum: !header.hasAutoVacuum
        ? .none : header.incrementalVacuum != 0 ? .incremental : .full,
      encoding: encoding, userVersion: header.userVersion, applicationID: header.applicationID,
      schemaVersion: header.schemaCookie, schemaFormat: header.schemaFormat,
      writer: header.writerVersion)
  }

  /// Of a database of `size` bytes whose `start` is plain for nobody knows how many bytes: at least
  /// 32, as iOS has it. What is behind them counts only where SQLite's unused bytes, 72 to 91, are
  /// the zeros that they have to be.
  init(_ header: DatabaseHeader, start: UnsafeRawBufferPointer, size: UInt64) {
    self.init(header)
    guard start.count < 92 || start[72..<92].contains(where: { $0 != 0 }) else {
      // Version 3 of SQLite, or the field is encrypted.
      if (rest?.writer ?? 0) / 1_000_000 != 3 { rest?.writer = 0 }
      return
    }
    rest = nil
    // Whether the count is fresh is said by an encrypted field.
    let isFresh = UInt64(header.storedPageCount) * UInt64(header.pageSize) == size
    pageCount = isFresh ? header.storedPageCount : nil
  }
}

/// A log, journal or index: beside a database, or the file itself that was named.
public struct SidecarFacts: Sendable, Equatable {
  public enum State: Sendable, Equatable {
    /// A log: whole frames in it, those up to the last commit, those behind; and of these the
    /// commits that are lost behind a bad frame (from 1; 0 is the log's header).
    case log(frames: UInt64, committed: UInt64, beyond: UInt64, lostCommits: Int, firstBad: Int?)
    /// A log that is too long to be read in passing.
    case longLog(frames: UInt64)
    /// A log or journal whose header SQLite would not believe.
    case invalid
    case empty
    /// A journal whose transaction was committed or rolled back.
    case finished
    /// A journal that SQLite rolls back on the next open.
    case hot
    /// A journal of a writer who is at work.
    case active
    /// A journal on its own: whether it is hot is decided beside its database.
    case pending
    /// An index that other connections share now.
    case shared
    /// An index that nobody uses.
    case idle
    /// It is there and could not be read.
    case unreadable
  }

  public var path: String
  /// `-wal`, `-journal`, `-shm`.
  public var suffix: String
  public var size: UInt64
  /// Bytes of a page, as a log or journal says it.
  public var pageSize: Int?
  public var state: State
}
