// Every error to its sentence, hint and exit status. No switch here has a default, so that a new
// case cannot go without its words. Sentences are lower case without a full stop; a hint is
// something to do. No sentence can hold a key, because no error does.

internal import SealCore

/// Explains errors.
enum Diagnostics {
  /// What `error` means to the user.
  static func explain(_ error: any Error) -> Diagnosis {
    switch error {
    case let error as SealError: explain(error)
    case let flaw as UsageFlaw: UsageDiagnostics.explain(flaw)
    case let failure as KeyFailure: KeyDiagnostics.explain(failure)
    case let failure as OtherFailure: OtherDiagnostics.explain(failure)
    case let failure as any ExplainedError: failure.diagnosis
    default:
      Diagnosis(
        .io, "unexpected error: \(error)",
        hint:
          "this is a mistake in \(Catalog.tool): please report it, with \(Catalog.tool) --version")
    }
  }

  /// The same for a command that reads encrypted databases, whose settings `options` name.
  static func explain(
    _ error: any Error, reading options: CipherOptions?, from parsed: ParsedCommand? = nil
  ) -> Diagnosis {
    let found = explain(error)
    guard let options else { return found }
    switch error {
    case SealError.wrongKey(let wrong):
      return WrongKeyDiagnostics.explain(wrong, reading: options, from: parsed)
    case SealError.wrongKind(_, .sqlcipherPlaintextHeader):
      return Diagnosis(
        found.code, "this is a SQLCipher database with a plaintext header", about: found.subject,
        hint: "\(options.plaintextHeader.flag) 32 (for iOS), and \(options.salt.flag)"
          + " unless the key has it", facts: found.facts)
    case SealError.badProfile(.saltNeeded):
      return Diagnosis(
        found.code, found.sentence, about: found.subject,
        hint: "\(options.salt.flag) with its 32 hex digits, from the report of \(Catalog.tool) or"
          + " from the app; a key of 96 hex digits has it in it: \(raw(options))",
        facts: found.facts)
    default: return found
    }
  }

  /// The option that makes digits a key with its salt.
  private static func raw(_ options: CipherOptions) -> String {
    let isOther = options.format.name == CipherOptions.against.format.name
    return (isOther ? KeyOptions.against : KeyOptions.database).raw.flag
  }

  private static func explain(_ error: SealError) -> Diagnosis {
    switch error {
    case .badProfile(let flaw): return ProfileDiagnostics.explain(flaw)
    case .badKey(let flaw): return KeyDiagnostics.explain(flaw)
    case .wrongKey(let wrong): return WrongKeyDiagnostics.explain(wrong, reading: .examined)
    case .sameKey(let path):
      return Diagnosis(
        .usage, "the new key is the key that it has, and no setting changes", about: path,
        hint: "give another key, or name the settings to change")
    case .damaged(let damage): return DamageDiagnostics.explain(damage)
    case .wrongKind(let path, let found): return kind(path, found)
    case .otherFormat(let path, let format): return OtherFormatWords.explain(path, format)
    case .notRegular(let path, let special):
      return Diagnosis(
        .wrongKind, "this is a \(special.rawValue), not a file", about: path,
        hint: special == .directory ? "name a database in it" : "name the file of a database",
        facts: [
          .init("kind", .string(FileKind.other.rawValue)),
          .init("file_type", .string(special.rawValue)),
        ])
    case .exists(let path, let obstacle): return exists(path, obstacle)
    case .locked(let path, let holders):
      return locked(path, holders, hint: "close it, or wait longer: --busy-timeout 60")
    case .inUse(let path, let holders):
      return locked(
        path, holders, hint: "close it; with --force, what it writes from now on would be lost")
    case .writeProtected(let path):
      return Diagnosis(
        .io, "the file is write-protected", about: path,
        hint: "chmod u+w \(ShellWords.quoted(path)); or --force, as root")
    case .changedWhileReading(let path):
      return Diagnosis(
        .locked, "the file changed while it was read", about: path,
        hint: "close the program that writes it, and run this again")
    case .io(let failure): return io(failure)
    case .notShredded(let target, let failure):
      let found = io(failure)
      return Diagnosis(
        found.code,
        "\(target) is complete and proven, but the source could not be removed: \(found.sentence)",
        about: failure.path,
        hint: "it may be overwritten in part: keep \(target), and remove the source by hand",
        facts: found.facts + [.init("target", .string(target))])
    case .noSpace(let path, let needed, let available): return noSpace(path, needed, available)
    case .unsupported(let shortcoming): return unsupported(shortcoming)
    case .selfCheckFailed(let path, let stage): return selfCheck(path, stage)
    case .migration(let flaw): return MigrationDiagnostics.explain(flaw)
    case .interrupted(let number):
      return Diagnosis(
        .interrupted, "interrupted by \(signalName(number)); nothing was changed",
        facts: [.init("signal", .integer(Int64(number)))], exit: ExitStatus.ended(by: number))
    case .query(let flaw): return query(flaw)
    case .engine(let path, let code, let message):
      return Diagnosis(
        error.code, "SQLite says: \(message) (code \(code))", about: path,
        hint: "\(Catalog.tool) verify says whether the database is sound",
        facts: [.init("sqlite_code", .integer(Int64(code)))])
    }
  }

  private static func query(_ flaw: QueryFlaw) -> Diagnosis {
    let words: (String, String?) =
      switch flaw {
      case .empty:
        ("the query is empty", "--query 'SELECT count(*) FROM sqlite_master', for instance")
      case .severalStatements: ("the query has more than one statement", "run one at a time")
      case .notReadOnly:
        (
          "the query would change the database, and only reading is done",
          "\(Catalog.tool) migrate --schema DIR runs SQL that changes it"
        )
      case .refused(let action):
        ("\(action) is not allowed in a query", QueryHints.refused(action))
      case .failed(let message): ("the query failed: \(message)", QueryHints.failed(message))
      case .unknownParameter(let name):
        (
          "the query has no parameter \(name)",
          "write it as :\(name) in the query, or leave --param out"
        )
      case .repeatedParameter(let name):
        ("parameter \(name) of the query has two values", "leave one --param out")
      case .missingParameter(let name):
        ("parameter \(name) of the query has no value", "--param NAME=VALUE gives it one")
      }
    return Diagnosis(.usage, words.0, hint: words.1)
  }

  private static func kind(_ path: String, _ found: FileKind) -> Diagnosis {
    let encrypted =
      "\(Catalog.tool) rekey gives it another key, \(Catalog.tool) decrypt makes it plaintext, and"
      + " \(Catalog.tool) inspect says what it is"
    let words: (String, String?) =
      switch found {
      case .plaintext:
        (
          "this is a plaintext SQLite database",
          "it needs no key and can be used as it is; \(Catalog.tool) encrypt encrypts it"
        )
      case .sqlcipher: ("the database is encrypted already, or is none", encrypted)
      case .sqlcipherPlaintextHeader:
        (
          "the database is encrypted already, with a plaintext header",
          "\(Catalog.tool) decrypt makes it into a plaintext one, with --plaintext-header 32 (for iOS)"
        )
      case .journal:
        ("this is a rollback journal, not a database", "name the database that it belongs to")
      case .wal:
        ("this is a write-ahead log, not a database", "name the database that it belongs to")
      case .empty:
        ("the file is empty", "check the name; if there was a database, restore it from a backup")
      case .truncated:
        ("the file is too short for a database", "it may have been cut; restore it from a backup")
      case .other:
        (
          "this is neither a SQLite nor a SQLCipher database",
          "check the name; \(Catalog.tool) inspect says what can be seen of it"
        )
      }
    return Diagnosis(
      .wrongKind, words.0, about: path, hint: words.1,
      facts: [.init("kind", .string(found.rawValue))])
  }

  private static func locked(_ path: String, _ holders: [ProcessName], hint: String) -> Diagnosis {
    let who = holders.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
    return Diagnosis(
      .locked, "in use by " + (who.isEmpty ? "another process" : who), about: path,
      hint: hint,
      facts: [
        .init(
          "holders",
          .array(
            holders.map {
              .object([.init("pid", .integer(Int64($0.id))), .init("name", .string($0.name))])
            }))
      ])
  }

  private static func unsupported(_ shortcoming: Shortcoming) -> Diagnosis {
    switch shortcoming {
    case .noCodec(let sqlite):
      return Diagnosis(
        .unsupported, "the library that was loaded is SQLite \(sqlite) without encryption",
        hint: "check LD_LIBRARY_PATH, LD_PRELOAD and \(Catalog.tool) --version")
    case .engineTooOld(let engine, let needed, let feature):
      return Diagnosis(
        .unsupported, "\(feature) needs SQLCipher \(needed), and this one is \(engine)",
        hint:
          "use a \(Catalog.tool) that was built with a newer one; \(Catalog.tool) --version names it",
        facts: [
          .init("engine", .string(engine)), .init("needed", .string(needed)),
          .init("feature", .string(feature)),
        ])
    case .schema(let message):
      return Diagnosis(
        .unsupported, "this engine cannot read the schema: \(message)",
        hint: "a newer SQLite or an app's own wrote it; \(Catalog.tool) --version names the engine")
    case .logVersion(let version):
      return Diagnosis(
        .unsupported, "the -wal beside it is of version \(version), and only 3007000 is known",
        hint: "checkpoint it with the program that wrote it; it may hold committed rows")
    case .fileFormat(let version):
      return Diagnosis(
        .unsupported,
        "the database is of file format \(version), and SQLite knows 1 and 2",
        hint: "a newer SQLite wrote it, or byte 19 of its header was altered")
    case .crypto(let function):
      return Diagnosis(
        .unsupported, "libcrypto refused: \(function) failed",
        hint: "its settings may forbid it (OPENSSL_CONF, FIPS); \(Catalog.tool) --version names it")
    }
  }

  private static func selfCheck(_ path: String, _ stage: ProofStage) -> Diagnosis {
    let what =
      switch stage {
      case .size: "its size is not what was written"
      case .pages: "a page that was written does not authenticate"
      case .header: "its header is not what was written"
      case .engine: "SQLCipher does not open it"
      case .content: "its content is not the source's"
      case .oldKey: "the old key still opens it"
      }
    return Diagnosis(
      .selfCheckFailed, "the output did not prove right and was removed: \(what)", about: path,
      hint:
        "the source is unchanged; check the disk and the memory of this machine, and run this again",
      facts: [.init("stage", .string(stage.rawValue))])
  }

  private static func signalName(_ number: Int32) -> String {
    switch number {
    case 1: "SIGHUP"
    case 2: "SIGINT"
    case 15: "SIGTERM"
    default: "signal \(number)"
    }
  }

  /// `1 page`, `2 pages`.
  static func count(_ number: UInt64, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// `authenticates` of one, `authenticate` of others.
  static func verb(_ verb: String, _ number: UInt64) -> String { number == 1 ? verb + "s" : verb }

  /// The verb that goes with a number.
  static func does(_ number: Int) -> String { number == 1 ? "does" : "do" }

  /// A size in words.
  static func bytes(_ number: UInt64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (unit, scale) = (0, UInt64(1))
    while unit < units.count - 1, number / scale >= 10240 {
      unit += 1
      scale <<= 10
    }
    return "\(number / scale) \(units[unit])"
  }
}
