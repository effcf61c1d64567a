// A folder of migrations, read once and whole before any database is touched. Names are read as
// FMDBMigrationManager reads them: digits, optionally `_` and a description of letters, digits,
// marks, blanks, `_` and `-` that does not end in `_`, and `.sql`.

/// One numbered SQL file.
public struct MigrationFile: Sendable, Equatable {
  public let version: Int64
  /// The file's name, without its folder.
  public let name: String
  /// SHA-256 of its bytes, 64 lower-case hex digits.
  public let checksum: String
  /// What it does, or why it cannot be one.
  let script: Result<SqlScript, SealError>
}

/// All migrations that a folder holds.
public struct MigrationFolder: Sendable {
  public let path: String
  /// By version, ascending.
  public let files: [MigrationFile]
  /// Names of what else is there, sorted; those that begin with a dot are left out.
  public let ignored: [String]

  /// The largest file that is read: SQLite takes no statement beyond a billion bytes.
  private static let sizeLimit: UInt64 = 1_000_000_000

  /// Reads the folder `path`. Throws `.io`, and `.migration` for a version that is there twice or
  /// is beyond 2^63-1, and for a folder without migrations.
  public init(_ path: String) throws {
    self.path = path
    var found: [MigrationFile] = []
    var ignored: [String] = []
    for name in try System.names(in: path).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    ) {
      let full = Path.join(path, name)
      guard let digits = Self.digits(of: name) else {
        if name.utf8.first != UInt8(ascii: ".") { ignored.append(name) }
        continue
      }
      // A step that is left out is worse than a run that ends.
      guard let kind = try FileStatus.of(full)?.kind else {
        throw SealError.io(IOFailure(.open, path: full, errno: SystemError.notFound))
      }
      guard kind == .regular else {
        throw SealError.migration(.notRegular(file: name))
      }
      guard let version = Int64(digits) else {
        throw SealError.migration(
          .versionOutside(file: name, least: 0, limit: Int64.max))
      }
      found.append(try Self.read(full, name, version))
    }
    guard !found.isEmpty else { throw SealError.migration(.none(folder: path)) }
    files = found.sorted { ($0.version, $0.name) < ($1.version, $1.name) }
    self.ignored = ignored
    for (one, other) in zip(files, files.dropFirst()) where one.version == other.version {
      throw SealError.migration(
        .duplicate(version: one.version, files: [one.name, other.name]))
    }
  }

  private static func read(_ path: String, _ name: String, _ version: Int64) throws -> MigrationFile
  {
    let file = try File(path)
    let size = try file.size()
    guard size <= sizeLimit else {
      throw SealError.migration(.tooLarge(file: name, limit: sizeLimit))
    }
    let bytes = try file.bytes(at: 0, count: Int(size))
    let script: Result<SqlScript, SealError>
    do {
      let read = try SqlScript(bytes, file: name)
      if read.isBlank { throw SealError.migration(.blank(file: name)) }
      try MigrationRules.check(read, file: name)
      script = .success(read)
    } catch let error as SealError { script = .failure(error) }
    return MigrationFile(
      version: version, name: name, checksum: try Checksum.sha256(bytes), script: script)
  }

  /// The digits at the start of a migration's name; nil where it is no migration's.
  static func digits(of name: String) -> String? {
    guard name.utf8.suffix(4).elementsEqual(".sql".utf8) else { return nil }
    let stem = name.unicodeScalars.dropLast(4)
    let digits = stem.prefix { (0x30...0x39).contains($0.value) }
    guard !digits.isEmpty else { return nil }
    let rest = stem.dropFirst(digits.count)
    guard let first = rest.first else { return String(digits) }
    guard first == "_", rest.count > 1, rest.last != "_", rest.allSatisfy(isDescriptive) else {
      return nil
    }
    return String(digits)
  }

  /// `[\w\s-]` of a regular expression with Unicode's properties.
  private static func isDescriptive(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    if scalar == "-" || properties.isAlphabetic || properties.isWhitespace { return true }
    if scalar.value == 0x200c || scalar.value == 0x200d { return true }
    switch properties.generalCategory {
    case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark:
      return true
    default: return false
    }
  }

  /// The file of a version.
  func file(_ version: Int64) -> MigrationFile? { files.first { $0.version == version } }
}
