// What is broken in a database, in words.

internal import SealCore

/// Explains damage.
enum DamageDiagnostics {
  /// How many page numbers a sentence names.
  private static let named = 10

  static func explain(_ damage: Damage) -> Diagnosis {
    let advice =
      "the key is right; restore the file from a backup, or see what the pages hold, with its key:"
      + " \(Catalog.tool) verify \(ShellWords.quoted(damage.path))"
    switch damage.flaw {
    case .pages(let pages, let total, let pagesInFile):
      return Diagnosis(
        .damaged,
        "damaged: \(total) of \(Diagnostics.count(UInt64(pagesInFile), "page"))"
          + " \(Diagnostics.does(total)) not authenticate (\(list(pages, total)))",
        about: damage.path, hint: advice,
        facts: [
          .init("damaged_pages", .array(pages.map { .integer(Int64($0)) })),
          .init("damaged_total", .integer(total)),
          .init("pages", .integer(Int64(pagesInFile))),
        ])
    case .header("header string"):
      return Diagnosis(
        .damaged,
        "damaged: its first 16 bytes are not those of a database, and what follows is one",
        about: damage.path, hint: "restore the file from a backup",
        facts: [.init("field", .string("header string"))])
    case .header(let field):
      return Diagnosis(
        .damaged, "damaged: the header's \(field) cannot be right", about: damage.path,
        hint: "restore the file from a backup",
        facts: [.init("field", .string(field))])
    case .size(let actual, let expected):
      return Diagnosis(
        .damaged,
        "damaged: the file has \(actual) bytes, and its header says \(expected)",
        about: damage.path, hint: "restore the file from a backup",
        facts: [.init("size", .unsigned(actual)), .init("expected_size", .unsigned(expected))])
    case .log(let firstBad, let lostCommits, let badTags):
      return Diagnosis(
        .damaged, "damaged: " + log(firstBad, lostCommits, badTags).joined(separator: "; "),
        about: damage.path, hint: "keep the -wal; what it holds is in no other file",
        facts: [
          .init("first_bad", firstBad.map { .integer($0) } ?? .null),
          .init("lost_commits", .integer(lostCommits)), .init("bad_frames", .integer(badTags)),
        ])
    case .emptied(let expected, let isPlaintext):
      return Diagnosis(
        .damaged, "damaged: " + emptied, about: damage.path,
        hint: isPlaintext ? emptiedPlaintextHint(damage.path) : emptiedHint,
        facts: [.init("size", .unsigned(0)), .init("expected_size", .unsigned(expected))])
    case .structure(let page, let flaw):
      return Diagnosis(
        .damaged, "damaged: page \(page) \(flaw.rawValue)", about: damage.path, hint: hint(flaw),
        facts: [.init("page", .integer(Int64(page)))])
    case .journal(let flaw):
      return Diagnosis(
        .damaged, "the journal beside it is damaged: \(words(flaw))", about: damage.path,
        hint: journalHint, facts: [.init("journal_flaw", journal(flaw))])
    case .reported(let message):
      return Diagnosis(
        .damaged, "damaged: SQLite says: \(message)", about: damage.path,
        hint: "restore the file from a backup",
        facts: [.init("sqlite_message", .string(message))])
    }
  }

  /// What is wrong with an empty file beside a log.
  static let emptied =
    "the file is empty, and its rows are in the -wal alone, which SQLite would remove"
  /// What to do about it.
  static let emptiedHint =
    "copy both files, and open them with nothing else: \(Catalog.tool) decrypt, or encrypt where it is"
    + " plaintext, makes a whole TARGET of them"

  /// The same where it was to be read with a key and is plaintext.
  private static func emptiedPlaintextHint(_ path: String) -> String {
    "it is plaintext: copy both files, and open them with nothing else: \(Catalog.tool) encrypt"
      + " \(ShellWords.quoted(path)) TARGET makes a whole one of them, which decrypt can read"
  }

  /// What is broken in a log.
  static func log(_ firstBad: Int?, _ lostCommits: Int, _ badTags: Int) -> [String] {
    var parts: [String] = []
    if lostCommits > 0 {
      let commits = Diagnostics.count(UInt64(clamping: lostCommits), "commit")
      let place = firstBad.map { $0 == 0 ? "its broken header" : "its bad frame \($0)" }
      parts.append(
        "\(commits) of the -wal \(lostCommits == 1 ? "stands" : "stand") behind"
          + " \(place ?? "a bad frame"), and SQLite ignores what does")
    }
    if badTags > 0 {
      let frames = Diagnostics.count(UInt64(clamping: badTags), "committed frame")
      parts.append("\(frames) of the -wal \(Diagnostics.does(badTags)) not authenticate")
    }
    return parts
  }

  /// What to do about a damaged journal.
  static let journalHint =
    "keep the -journal, what it holds is in no other file; SQLite would leave a mix of two states"
    + " and delete it"

  /// What is wrong with a journal.
  static func words(_ flaw: JournalFlaw) -> String {
    let record = "record \(flaw.record) of \(flaw.records)"
    return switch flaw.cause {
    case .header where flaw.record == 0: "its header is broken"
    case .header: "the header behind its record \(flaw.record) is broken"
    case .checksum: "the checksum of \(record) is wrong"
    case .pageNumber: "\(record) is of a page that the database did not have"
    case .repeated: "\(record) is of a page that it holds already"
    case .cut: "it ends before or in \(record)"
    case .count: "record \(flaw.record) is sound, and its header does not count it"
    }
  }

  /// The same as facts.
  static func journal(_ flaw: JournalFlaw) -> JSON {
    .object([
      .init("flaw", .string(flaw.cause.rawValue)), .init("record", .unsigned(flaw.record)),
      .init("records", flaw.records == 0 ? .null : .unsigned(flaw.records)),
    ])
  }

  private static func hint(_ flaw: StructureFlaw) -> String? {
    switch flaw {
    case .unused: "keep the old file with --backup, or convert to a new file"
    case .freelist: "VACUUM makes a new one"
    case .pageType, .cellOutside, .cellCount, .pageOutside, .pageTwice, .tooDeep, .mixedTree,
      .overflowShort, .payloadTooLarge, .schemaRecord, .blank, .malformed:
      "\(Catalog.tool) verify lists all that is damaged; restore the file from a backup"
    }
  }

  /// `page 7`, `pages 3-5, 9`, `pages 1, 3, ... and 12 more`.
  static func list(_ pages: [UInt32], _ total: Int) -> String {
    var runs: [ClosedRange<UInt32>] = []
    for page in pages {
      if let last = runs.last, last.upperBound &+ 1 == page {
        runs[runs.count - 1] = last.lowerBound...page
      } else {
        runs.append(page...page)
      }
    }
    let shown = runs.prefix(named)
    let words = shown.map { run in
      run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)-\(run.upperBound)"
    }
    let rest = total - shown.reduce(0) { $0 + $1.count }
    return (total == 1 ? "page " : "pages ") + words.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
