// What a conversion is asked and what it answers: plain values, without a terminal and without a
// sentence. The work itself is in Encrypt.swift, Decrypt.swift and Reseal.swift.

/// Where an output goes and what it may replace.
public struct OutputOptions: Sendable {
  public enum Destination: Sendable, Equatable {
    case target(String)
    case inPlace
  }

  public var destination: Destination
  /// Replace an existing target, convert hard-linked and opened files, remove stale sidecars.
  public var force = false
  /// Keep the old file under its name plus this suffix.
  public var backupSuffix: String?
  /// Check everything that can be checked and write nothing.
  public var dryRun = false
  /// What the run reads beside its databases, and must not touch.
  public var inputs = InputFiles()
  /// Asked when all is done but the output's name: what it throws ends the conversion, without one.
  public var lastCheck: (@Sendable () throws -> Void)?

  public init(_ destination: Destination) { self.destination = destination }
}

/// Things of the environment that every operation takes.
public struct OperationContext: Sendable {
  /// Seconds to wait for a lock.
  public var busyTimeout: Double = 5
  /// Worker threads; 0 means one a core.
  public var workers = 0
  /// Called now and then from one thread at a time, at most about ten times a second.
  public var progress: (@Sendable (Progress) -> Void)?
  /// Set from a signal handler's thread; operations end with `.interrupted` soon after.
  public var cancellation = Cancellation()
  /// What a wrong key may cost, to say what would open the file.
  public var keyHints = KeyHints.derivations
  /// How derivations are run; nil: those that are asked for together, each by a thread.
  var sharedDeriver: Deriver?
  /// Cores of this machine.
  public static var processorCount: Int { System.processorCount }

  public init() {}

  /// What may run at once.
  var cores: Int { workers > 0 ? workers : System.processorCount }

  /// Runs derivations.
  var deriver: Deriver {
    sharedDeriver
      ?? { [cores, cancellation] in
        try ParallelRuns.derive($0, workers: cores, until: cancellation)
      }
  }

  /// More threads than this are of no help to anybody, and each has its buffers.
  static let mostThreads = 64

  /// Threads for work on a database of `pages` pages; 0: it is done before one has started.
  func threads(pages: UInt32) -> Int {
    guard pages > 64 else { return 0 }
    // More than the cores can use only take memory.
    var count = min(cores, Self.mostThreads, max(8, 2 * System.processorCount), Int(pages / 32))
    while count > 0, !Memory.hasRoom(for: Memory.need(workers: count)) { count -= 1 }
    return count
  }
}

/// What every conversion is asked.
public struct ConversionRequest: Sendable {
  public var source: String
  public var output: OutputOptions
  /// The key of the encrypted side; where both are encrypted, the one that opens the source.
  public var key: KeyMaterial
  /// Cipher settings of the encrypted side; where both are encrypted, what to write.
  public var settings: CipherSettings
  public var context: OperationContext

  public init(
    source: String, output: OutputOptions, key: KeyMaterial, settings: CipherSettings,
    context: OperationContext
  ) {
    self.source = source
    self.output = output
    self.key = key
    self.settings = settings
    self.context = context
  }
}

/// What a conversion did.
public struct ConversionReport: Sendable {
  public var source: String
  public var target: String
  /// Nothing was written: it was a dry run.
  public var dryRun: Bool
  /// The settings of the encrypted side: the output of encrypt, the source of decrypt.
  public var profile: CipherProfile
  /// The salt of the encrypted side, 16 bytes; empty where a dry run would draw one.
  public var salt: [UInt8]
  /// Geometry and size of both sides; bytes.
  public var sourcePageSize: Int
  public var targetPageSize: Int
  public var sourcePages: UInt32
  public var targetPages: UInt32
  public var bytesRead: UInt64
  public var bytesWritten: UInt64
  /// PRAGMAs, name and value in order, that open the output where a format's defaults do not.
  public var openingPragmas: [(name: String, value: String)]
  public var backup: String?
  /// What was proven about the output; nil in a dry run.
  public var proof: Proof?
  public var notes: [Note]
  public var seconds: Double
  /// The database was already as asked for, and nothing was written.
  public var isUnchanged = false
}

/// What was proven about an output after it was synced.
public struct Proof: Sendable, Equatable {
  /// Pages read back from the file, each authenticated where it has a tag.
  public var pages: UInt32
  /// B-trees and records whose content compared equal to the source's.
  public var trees = 0
  public var records: UInt64 = 0
  /// The engine's version when SQLCipher opened the output; nil when this engine cannot.
  public var openedBy: String?
  /// SQLite's words, where it opened the file but could not make sense of the schema.
  public var schemaMessage: String?

  init(pages: UInt32) { self.pages = pages }
}

/// Things that a user should know although the command succeeded.
public enum Note: Sendable, Equatable {
  /// Committed frames of the write-ahead log were part of the source.
  case walIncluded(frames: Int)
  /// A hot journal was applied in memory.
  case journalApplied(pages: Int)
  /// The file header says WAL and no log was there: it may have been left behind elsewhere.
  case walMissing
  /// The file itself is empty, and the log beside it is all there is of the database.
  case fileEmpty
  /// There is a log, and its header is none that SQLite would believe: nothing in it counts.
  case walUnusable
  /// The output has no salt of its own; it opens only with this one.
  case saltOutside([UInt8])
  /// The key was right and the file has no tags, so nobody can tell whether it was altered.
  case notAuthenticated
  /// A temporary file of an earlier run that was killed.
  case leftover(String)
  /// This engine cannot open the output, because `feature` needs a newer one; the proof rests on tags
  /// and SQLite over decoded pages.
  case notOpenedBySQLCipher(engine: String, feature: String, needed: String)
  /// The engine cannot make sense of the schema, as it stands in the source too.
  case schemaNotUnderstood(message: String)
  /// The output's mode is 0600, unlike the source's.
  case privateMode
  /// A key was given for a database that is not encrypted.
  case keyNotUsed
  /// The key was taken as a passphrase, and looks like something else, or has something around it.
  case keyForm(KeyOddity)
  /// The file is longer than its header says, by whole pages of zeros.
  case preallocated(bytes: UInt64)
  /// Pages that no tree and no list of free pages leads to; `first` may be capped.
  case unusedPages(first: [UInt32], total: Int)
  /// The list of free pages contradicts itself at this page; the output has a new one.
  case freeListBroken(page: UInt32)
}
