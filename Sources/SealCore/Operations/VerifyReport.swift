// What verify found: four verdicts, as plain values. How they are said is the command line's.

/// The findings about one database.
public struct VerifyReport: Sendable {
  public var path: String
  /// nil for a plaintext database.
  public var profile: CipherProfile?
  /// nil for a plaintext database.
  public var salt: [UInt8]?
  /// Bytes; nil where the header could not be read.
  public var pageSize: Int?
  public var userVersion: Int32?
  public var applicationID: Int32?
  public var pages: PagesVerdict
  public var structure: StructureVerdict
  public var references: ReferencesVerdict
  public var expectations: ExpectationsVerdict
  public var content = ContentVerdict()
  public var notes: [Note]
  public var seconds: Double

  /// The outcome: damage stands above what was found in rows, that above what could not be checked.
  public var code: ErrorCode {
    if pages.isDamaged || structure.state == .damaged { return .damaged }
    if structure.state == .violated || references.state == .violated
      || !expectations.differences.isEmpty || content.differs
    {
      return .checkFailed
    }
    let isPartial = structure.state == .notChecked || content.hindrance != nil
    return isPartial ? .unsupported : .ok
  }
}

/// Tags, size, log and journal.
public struct PagesVerdict: Sendable {
  /// Pages in the file, and those whose tag was looked at.
  public var total: UInt32
  public var checked: UInt32 = 0
  /// The share that was asked for, in percent.
  public var sample: Int?
  /// Pages have tags, so that an altered one shows.
  public var hasTags: Bool
  /// Ascending.
  public var damaged: [DamagedPage] = []
  /// Pages that the header counts and the file does not have, as many as are listed; ascending.
  public var missing: [DamagedPage] = []
  /// All of them.
  public var missingTotal = 0
  public var size: SizeFinding
  public var log: LogFinding?
  /// Pages that a hot journal gave back, in memory; nil where there is none.
  public var journalPages: Int?
  /// What is wrong with that journal.
  public var journalFlaw: JournalFlaw?
  /// Bytes at the start of the file that no tag covers.
  public var plaintextHeader = 0
  /// The page that SQLite never uses and no tag covers; nil where the file is too short for it.
  public var lockBytePage: UInt32?

  /// Something here is broken.
  public var isDamaged: Bool {
    !damaged.isEmpty || size.isWrong || size.isEmptied || log?.isDamaged == true
      || journalFlaw != nil
  }
}

/// A page that is not what it was.
public struct DamagedPage: Sendable, Equatable {
  public enum Flaw: String, Sendable {
    /// Its tag does not verify.
    case tag
    /// It is zeros although something stands there.
    case wiped
    /// The file ends before it.
    case missing
  }
  public var number: UInt32
  public var flaw: Flaw
  /// nil where it could not be found out.
  public var owner: PageOwner?
}

/// The file's size against the header's, in bytes.
public struct SizeFinding: Sendable, Equatable {
  public var actual: UInt64
  /// nil where the header does not know.
  public var expected: UInt64?
  /// Zeros behind the database.
  public var preallocated: UInt64 = 0
  public var isWrong = false
  /// The file is empty, and all of the database is in its log.
  public var isEmptied = false
}

/// What stands in the write-ahead log.
public struct LogFinding: Sendable, Equatable {
  public var committed: Int
  /// Valid frames behind the last commit.
  public var uncommitted: Int
  /// Frames that do not count.
  public var ignored: Int
  /// The bad frame before commits that are lost with it, from 1; 0 is the log's header.
  public var firstBad: Int?
  public var lost: Int
  public var lostCommits: Int
  /// Committed frames whose tag does not verify.
  public var badTags: [BadFrame] = []

  /// Commits are lost, or frames are not what was written.
  public var isDamaged: Bool { lostCommits > 0 || !badTags.isEmpty }

  /// A frame, from 1, and the page that it holds.
  public struct BadFrame: Sendable, Equatable {
    public var frame: Int
    public var page: UInt32
  }
}

/// How a check that SQLite does ended.
public enum CheckState: String, Sendable {
  case sound
  /// The database is broken.
  case damaged
  /// Rows break a rule of the schema.
  case violated
  /// It could not be done.
  case notChecked = "not_checked"
  /// It was not asked for.
  case skipped
}

/// Why something was not checked.
public enum Hindrance: Sendable, Equatable {
  case damagedPages
  case damagedHeader
  case damagedStructure
  case missingParts
  /// SQLite's words about the schema.
  case schema(String)
}

/// What `integrity_check` says.
public struct StructureVerdict: Sendable {
  public var state: CheckState
  /// What SQLite, or the walk over the trees, reported.
  public var messages: [String] = []
  /// There are more, and they were not counted.
  public var isCapped = false
  /// Full-text indexes that SQLite could not look into, in its words.
  public var unvalidated: [String] = []
  public var missing: [MissingPart] = []
  /// Why it, or a part of it, was not checked: what was found in the rest counts all the same.
  public var hindrance: Hindrance?
  /// SQLite could not check all of it; every tree was walked, and the walk found nothing.
  public var wasWalked = false
  /// Rows were looked at for NOT NULL and CHECK: old engines do not.
  public var checkedRules = false
}

/// What `foreign_key_check` says.
public struct ReferencesVerdict: Sendable {
  public var state: CheckState
  /// Rows whose parent is not there.
  public var rows: UInt64 = 0
  public var violations: [Violation] = []
  /// Foreign keys that could not be checked.
  public var unchecked: [Unchecked] = []
  public var hindrance: Hindrance?

  /// What tells one foreign key from the others.
  struct Key: Hashable {
    var table: String
    var parent: String
    var constraint: Int64
  }

  /// A foreign key with rows that break it.
  public struct Violation: Sendable, Equatable {
    public var table: String
    public var parent: String
    /// The number of the constraint in its table, as `PRAGMA foreign_key_list` has it.
    public var constraint: Int64
    public var rows: UInt64
    /// The first one's; nil in a table without rowids.
    public var firstRowid: Int64?

    var key: Key { Key(table: table, parent: parent, constraint: constraint) }
  }

  /// A foreign key that SQLite cannot check, with its words.
  public struct Unchecked: Sendable, Equatable {
    public var table: String
    public var parent: String
    public var constraint: Int64
    public var message: String

    var key: Key { Key(table: table, parent: parent, constraint: constraint) }
  }
}

/// What the caller said that the database holds.
public struct ExpectationsVerdict: Sendable {
  public var checked = 0
  public var differences: [Difference] = []

  public init(checked: Int = 0, differences: [Difference] = []) {
    (self.checked, self.differences) = (checked, differences)
  }

  public enum Difference: Sendable, Equatable {
    /// It had to be encrypted and is not, or the other way round.
    case encryption(expected: Bool)
    case userVersion(expected: Int32, found: Int32)
    case applicationID(expected: Int32, found: Int32)
    /// `isView`: there is a view of that name.
    case noTable(String, isView: Bool)
    case rows(table: String, expected: UInt64, found: UInt64)
    /// 32 bytes each.
    case digest(expected: [UInt8], found: [UInt8])
    /// It could not be looked at: what was expected, and why.
    case unknown(String, Hindrance)
  }
}
