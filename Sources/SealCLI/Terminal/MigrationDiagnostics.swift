// What is wrong with schema migrations, in words.

internal import SealCore

/// Explains migrations that were not applied.
enum MigrationDiagnostics {
  static func explain(_ flaw: MigrationFlaw) -> Diagnosis {
    let words = words(flaw)
    return Diagnosis(
      flaw.code, words.sentence, about: words.subject, hint: words.hint, facts: facts(flaw))
  }

  /// A sentence, what it is about, and what to do.
  private struct Words {
    var sentence: String
    var subject: String?
    var hint: String?
    init(_ sentence: String, about subject: String? = nil, hint: String? = nil) {
      self.sentence = sentence
      self.subject = subject
      self.hint = hint
    }
  }

  private static func words(_ flaw: MigrationFlaw) -> Words {
    switch flaw {
    case .none(let folder):
      return Words(
        "no migrations here", about: folder,
        hint: "a migration is called digits, _description if you like, and .sql: 003_add_users.sql")
    case .duplicate(let version, let files):
      return Words(
        "version \(version) is there twice: \(list(files))", hint: "give one another number")
    case .versionOutside(let file, let least, let limit):
      let hint =
        "--to with a version below it leaves the file out;"
        + " \(SchemaOptions.track.flag) \(VersionTrack.table.rawValue) takes larger ones"
      return Words(
        "\(file): versions go from \(least) to \(limit) here",
        hint: limit < Int64.max ? hint : nil)
    case .notText(let file, let line):
      return Words(
        "\(file), line \(line): this is not text in UTF-8", hint: "save the file as UTF-8")
    case .tooLarge(let file, let limit):
      return Words(
        "\(file): more than \(Diagnostics.bytes(limit))", hint: "make several migrations of it")
    case .blank(let file):
      return Words(
        "\(file) is empty", hint: "write it first; a comment makes it one that does nothing")
    case .notRegular(let file):
      return Words(
        "\(file): it is named as a migration and is no regular file", hint: "rename it, or mend it")
    case .notRecorded(let path, let file):
      return Words(
        "\(file) was rolled back: after it, what was applied cannot be recorded", about: path,
        hint: "a trigger on \(VersionTrack.table.rawValue), for instance, keeps the row away")
    case .unknownVersion(let version, let folder):
      return Words(
        "no file has version \(version)", about: folder,
        hint: "name the version of a file that is there, or leave it out for the newest")
    case .refused(let place, let refusal):
      return Words(
        "\(at(place)): \(Self.words(refusal)): \(quoted(place))", hint: hint(refusal))
    case .changed(let path, let files, let newest):
      return Words(
        "changed since it was applied: \(list(files))", about: path,
        hint:
          "restore the file and put the change into a new one; --baseline \(newest) accepts it as"
          + " it is")
    case .outOfOrder(let path, let files, let newest):
      return Words(
        "not applied, and below version \(newest), which is: \(list(files))", about: path,
        hint: "--allow-out-of-order applies them now")
    case .beyond(let path, let newest, let wanted):
      return Words(
        "the database is at version \(newest), beyond \(wanted), and nothing goes back",
        about: path, hint: "name a higher version, or restore a backup of before")
    case .foreignTable(let path, let table, let number):
      return Words(
        "its table \(table) was made by another program, and is not understood", about: path,
        hint: "--track user_version keeps the version in the header instead" + warning(number))
    case .failed(let path, let place, let failure):
      return Words(
        "\(at(place)) failed and was rolled back: \(failure.message): \(quoted(place))",
        about: path, hint: hint(failure) ?? again)
    case .brokenReferences(let path, let file, let count, let before, let first):
      let old = before == 0 ? "" : ", \(before) of them there before"
      let rows = Diagnostics.count(UInt64(clamping: count), "broken reference")
      return Words(
        "\(file) was rolled back: it leaves \(rows)\(old): \(first)", about: path, hint: again)
    case .uncheckedReferences(let path, let file, let message):
      return Words(
        "\(file) was rolled back: its foreign keys cannot be checked: \(message)", about: path,
        hint: again)
    }
  }

  /// Behind a migration that was rolled back.
  private static let again =
    "the database is as it was before that file: mend it, and run this again"

  private static func facts(_ flaw: MigrationFlaw) -> [JSON.Field] {
    func all(_ word: String, _ more: JSON.Field...) -> [JSON.Field] {
      [.init("flaw", .string(word))] + more
    }
    func files(_ names: [String]) -> JSON.Field {
      .init("files", .array(names.map { .string($0) }))
    }
    switch flaw {
    case .none: return all("none")
    case .duplicate(let version, let names):
      return all("duplicate", .init("version", .integer(version)), files(names))
    case .versionOutside(let file, _, _): return all("version", .init("file", .string(file)))
    case .notText(let file, let line):
      return all("not_text", .init("file", .string(file)), .init("line", .integer(line)))
    case .tooLarge(let file, _): return all("too_large", .init("file", .string(file)))
    case .blank(let file): return all("empty", .init("file", .string(file)))
    case .notRegular(let file): return all("not_regular", .init("file", .string(file)))
    case .notRecorded(_, let file): return all("not_recorded", .init("file", .string(file)))
    case .unknownVersion(let version, _):
      return all("unknown_version", .init("version", .integer(version)))
    case .refused(let place, let refusal):
      return all("refused", .init("reason", .string(word(refusal)))) + facts(place)
    case .changed(_, let names, _): return all("changed", files(names))
    case .outOfOrder(_, let names, let newest):
      return all("out_of_order", files(names), .init("version", .integer(newest)))
    case .beyond(_, let newest, _): return all("beyond", .init("version", .integer(newest)))
    case .foreignTable(_, let table, _):
      return all("foreign_table", .init("table", .string(table)))
    case .failed(_, let place, let failure): return all("failed") + facts(place) + facts(failure)
    case .brokenReferences(_, let file, let count, let before, _):
      return all(
        "broken_references", .init("file", .string(file)), .init("broken", .integer(count)),
        .init("broken_before", .integer(before)))
    case .uncheckedReferences(_, let file, let message):
      return all(
        "unchecked_references", .init("file", .string(file)),
        .init("sqlite_message", .string(message)))
    }
  }

  private static func facts(_ place: StatementPlace) -> [JSON.Field] {
    [
      .init("file", .string(place.file)), .init("line", .integer(place.line)),
      .init("statement", .string(place.statement)),
    ]
  }

  private static func facts(_ failure: StatementFailure) -> [JSON.Field] {
    [
      .init("sqlite_code", .integer(Int64(failure.code))),
      .init("sqlite_message", .string(failure.message)),
      .init("needs", .optional(failure.needs)), .init("module", .optional(failure.module)),
    ]
  }

  private static func hint(_ failure: StatementFailure) -> String? {
    if let version = failure.needs {
      return "this needs SQLite \(version), and the engine is \(failure.engine)"
    }
    return failure.module.map { "this engine, SQLite \(failure.engine), has no module \($0)" }
  }

  private static func at(_ place: StatementPlace) -> String { "\(place.file), line \(place.line)" }

  /// The statement inside of a sentence, which may go on behind it.
  private static func quoted(_ place: StatementPlace) -> String {
    place.statement.hasSuffix(";") ? String(place.statement.dropLast()) : place.statement
  }

  /// What the other store would mean at once, where it is in use already.
  private static func warning(_ number: Int64?) -> String {
    guard let number, number != 0 else { return "" }
    return number < 0
      ? "; it is \(number) now, which is no version"
      : "; it is \(number) now, and files up to \(number) would count as applied"
  }

  private static func list(_ files: [String]) -> String {
    let rest = files.count - 5
    return files.prefix(5).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private static func words(_ refusal: Refusal) -> String {
    switch refusal {
    case .transaction: "a migration is one transaction already, and cannot begin or end one"
    case .notInTransaction: "this cannot run inside a transaction, and a migration is one"
    case .otherDatabase: "another database is not part of the transaction"
    case .idlePragma: "this PRAGMA fails or does nothing inside a transaction"
    case .foreignKeys:
      "foreign keys are off while a migration runs and checked at its end; inside a transaction"
        + " this PRAGMA does nothing"
    case .cipherPragma: "keys and cipher settings are not a migration's"
    case .uselessPragma: "this PRAGMA leaves nothing in the database"
    case .unknownPragma(let needs?):
      "this PRAGMA needs SQLite \(needs), and this engine ignores it"
    case .unknownPragma(nil): "SQLite has no such PRAGMA, and ignores it"
    case .versionTable: "what was applied is kept in this table, and only rows may be added to it"
    }
  }

  private static func hint(_ refusal: Refusal) -> String? {
    switch refusal {
    case .transaction, .foreignKeys, .uselessPragma, .idlePragma: "take the statement out"
    case .notInTransaction, .otherDatabase: "run it by itself, outside of the migrations"
    case .cipherPragma: "\(Catalog.tool) rekey and \(Catalog.tool) migrate --format change those"
    case .unknownPragma(.some): nil
    case .unknownPragma(nil): "correct its name, or take the statement out"
    case .versionTable:
      "take the statement out; --baseline and --track change what counts as applied"
    }
  }

  private static func word(_ refusal: Refusal) -> String {
    switch refusal {
    case .transaction: "transaction"
    case .notInTransaction: "not_in_transaction"
    case .otherDatabase: "other_database"
    case .idlePragma: "idle_pragma"
    case .foreignKeys: "foreign_keys"
    case .cipherPragma: "cipher_pragma"
    case .uselessPragma: "useless_pragma"
    case .unknownPragma: "unknown_pragma"
    case .versionTable: "version_table"
    }
  }
}
