// The one error type of the core. A case carries facts (paths, numbers, page lists), never prose
// and never a part of a key: the sentences and hints are made in SealCLI's Diagnostics.

/// Everything that can go wrong in the core, as facts.
public enum SealError: Error, Sendable, Equatable {
  /// A cipher setting that no SQLCipher could have.
  case badProfile(ProfileFlaw)
  /// The bytes given as a key cannot be one.
  case badKey(KeyFlaw)
  /// No key that was tried opens the database.
  case wrongKey(WrongKey)
  /// The key fits (or none is needed), and the file is damaged.
  case damaged(Damage)
  /// The new key is the one that the database has, and no setting changes.
  case sameKey(path: String)
  /// The file is not of the kind that the command needs.
  case wrongKind(path: String, found: FileKind)
  /// It is of a format that is recognised and not read.
  case otherFormat(path: String, OtherFormat)
  /// It is no regular file.
  case notRegular(path: String, SpecialFile)
  /// Something stands where the output should go, or the output is the source.
  case exists(path: String, Obstacle)
  /// Others use the database. `holders` names those that could be found.
  case locked(path: String, holders: [ProcessName])
  /// Others have the file open and it would be replaced under them. Waiting changes nothing: it is
  /// not a lock, and `--force` may be what is wanted.
  case inUse(path: String, holders: [ProcessName])
  /// The file's mode says that its owner may not write it.
  case writeProtected(path: String)
  /// The file changed while it was read although nobody held a lock that dbseal could see.
  case changedWhileReading(path: String)
  /// The output `target` is complete and proven, and its source could not be removed.
  case notShredded(target: String, IOFailure)
  /// A system call failed.
  case io(IOFailure)
  /// The file system of `path` has too little room. Sizes in bytes.
  case noSpace(path: String, needed: UInt64, available: UInt64)
  /// This engine cannot do it.
  case unsupported(Shortcoming)
  /// The output did not prove equal to its source; it was removed.
  case selfCheckFailed(path: String, stage: ProofStage)
  /// Schema migrations that cannot be applied, or one that failed and was rolled back.
  case migration(MigrationFlaw)
  /// A signal asked the program to stop.
  case interrupted(signal: Int32)
  /// A query of the user's that is not run, or that cannot be.
  case query(QueryFlaw)
  /// The engine answered something that no other case describes.
  case engine(path: String, code: Int32, message: String)

  /// The stable outcome that scripts see.
  public var code: ErrorCode {
    switch self {
    case .badProfile: .usage
    case .badKey: .noKey
    case .sameKey: .usage
    case .wrongKey: .wrongKey
    case .damaged: .damaged
    case .wrongKind, .otherFormat, .notRegular: .wrongKind
    case .exists: .exists
    case .locked, .inUse, .changedWhileReading: .locked
    case .io, .noSpace, .writeProtected, .notShredded: .io
    case .unsupported: .unsupported
    case .selfCheckFailed: .selfCheckFailed
    case .migration(let flaw): flaw.code
    case .interrupted: .interrupted
    case .query: .usage
    // SQLITE_CORRUPT: the engine met a page that contradicts the file format.
    case .engine(_, let code, _): code & 0xff == 11 ? .damaged : .io
    }
  }
}

/// Why a set of cipher settings is impossible.
public enum ProfileFlaw: Sendable, Equatable {
  /// Not a power of two from 512 to 65536.
  case pageSize(Int)
  /// Fewer than 480 usable bytes would be left in a page.
  case usableSize(pageSize: Int, reserve: Int)
  case kdfIterations(Int)
  case fastKDFIterations(Int)
  /// Not 0 or a multiple of 16, or as long as the page or longer.
  case plaintextHeader(Int)
  /// The file holds no salt of its own and none was given.
  case saltNeeded
  /// A salt is 16 bytes. The number is the length in bytes that was given.
  case saltLength(Int)
  /// The salt that the raw key carries and the one given beside it differ.
  case saltConflict
  /// The salt is the text that plaintext databases begin with, so the output would look like one.
  case saltIsMagic
  /// The salt would stand in the report alone while the source goes: one has to be given.
  case saltWouldBeLost
}

/// What is broken in a database whose key is right or that needs none.
public struct Damage: Sendable, Equatable {
  public var path: String
  public var flaw: Flaw

  public init(path: String, flaw: Flaw) {
    self.path = path
    self.flaw = flaw
  }

  public enum Flaw: Sendable, Equatable {
    /// Pages whose tag does not verify, ascending; `total` counts them all, `pages` may be capped.
    case pages([UInt32], total: Int, pagesInFile: UInt32)
    /// The database header contradicts itself. `field` is SQLite's name of it.
    case header(field: String)
    /// The file is shorter or longer than its header says. Sizes in bytes.
    case size(actual: UInt64, expected: UInt64)
    /// The write-ahead log: commits stand behind its bad frame (from 1; 0 is the log's header) and
    /// are lost, or committed frames have a tag that does not verify.
    case log(firstBad: Int?, lostCommits: Int, badTags: Int)
    /// The file is empty and the log beside it holds the database: SQLite would open it as an empty
    /// one and remove the log (pagerOpenWalIfPresent in pager.c). `expected`: bytes of the database.
    /// `isPlaintext`: whether it is known to need no key.
    case emptied(expected: UInt64, isPlaintext: Bool = false)
    /// A B-tree page, or a chain of pages, cannot be read.
    case structure(page: UInt32, StructureFlaw)
    /// The hot journal beside the file: rolling back would leave a mix of two states.
    case journal(JournalFlaw)
    /// SQLite met it and says no more than this.
    case reported(message: String)
  }
}

/// How a page contradicts the file format (sqlite.org/fileformat2.html).
public enum StructureFlaw: String, Sendable, Equatable {
  case pageType = "is no B-tree page"
  case cellOutside = "has a cell that leaves the page"
  case cellCount = "claims more cells than fit"
  case pageOutside = "is beyond the end of the database"
  case pageTwice = "is used twice"
  case tooDeep = "lies deeper than any real tree"
  case mixedTree = "is of another kind than its tree"
  case overflowShort = "ends an overflow chain too early"
  case payloadTooLarge = "claims a payload larger than the file"
  case schemaRecord = "holds a schema record that cannot be read"
  case blank = "was wiped to zeros"
  case freelist = "breaks the list of free pages"
  /// Not a danger by itself; thrown where such a page would be lost for good.
  case unused = "belongs to no table, index or list of free pages, and would be lost"
  case malformed = "is the root of a tree that SQLite calls malformed"
}

/// What a file turned out to be.
public enum FileKind: String, Sendable, Equatable, CaseIterable {
  case plaintext
  case sqlcipher
  case sqlcipherPlaintextHeader = "sqlcipher_plaintext_header"
  case journal
  case wal
  case empty
  case truncated
  case other
}

/// What a file can be besides a regular one.
public enum SpecialFile: String, Sendable, Equatable, CaseIterable {
  case directory, pipe, socket, device
}

/// What stands in the way of an output.
public enum Obstacle: Sendable, Equatable {
  case target
  case sameFile
  /// Where databases go to a file or into a directory.
  case directory
  /// Where only a file can be meant.
  case directoryForFile
  case notRegular
  /// A name in /dev or /proc, or one that leads there.
  case system
  case danglingLink
  case hardLinked(links: Int)
  /// What is to be overwritten is no regular file with one name: links of any kind lead to it, or from it.
  case shared(canBeForced: Bool)
  case sidecar(String)
  case backup
  /// The output would be one of the files that SQLite keeps beside a database at hand, and one of
  /// the two would be taken for the other.
  case companion
  /// A file that is not of the kind that may be replaced there.
  case foreign
  /// The run reads a key or a list from that file, and it would be lost.
  case input
}

/// A process that has a file open.
public struct ProcessName: Sendable, Equatable {
  public var id: Int32
  public var name: String
  public init(id: Int32, name: String) {
    self.id = id
    self.name = name
  }
}

/// A system call that failed.
public struct IOFailure: Sendable, Equatable {
  public enum Call: String, Sendable {
    case open, read, write, sync, rename, link, unlink, truncate, stat, lock, chmod, chown, list
    case allocate, map
    /// Making a file in the folder of `path`.
    case create
    /// The sync of the folder after the rename: the new file stands, but a power cut could undo it.
    case syncName = "sync_name"
  }
  public var call: Call
  public var path: String
  public var errno: Int32
  public init(_ call: Call, path: String, errno: Int32) {
    self.call = call
    self.path = path
    self.errno = errno
  }
}

/// What this engine or machine cannot do.
public enum Shortcoming: Sendable, Equatable {
  /// The SQL library that was loaded has no codec: it is not SQLCipher.
  case noCodec(sqlite: String)
  /// SQLCipher is too old for what is asked. `engine` is its version.
  case engineTooOld(engine: String, needed: String, feature: String)
  /// The engine cannot read the schema. `message` is SQLite's.
  case schema(message: String)
  /// libcrypto refused: no such algorithm, no random bytes. `function` is the one that failed.
  case crypto(function: String)
  /// The write-ahead log beside the database is of a version that SQLite does not have yet.
  case logVersion(UInt32)
  /// The database header asks for a read version above 2, which no SQLite has.
  case fileFormat(UInt8)
}

/// Where the proof of an output failed.
public enum ProofStage: String, Sendable, Equatable {
  case size, pages, header, engine, content
  case oldKey = "old_key"
}
