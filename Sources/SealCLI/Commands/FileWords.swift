// What a file is and why that is thought, in words: lower case, no full stop.

internal import SealCore

/// Words for the facts about a file.
enum FileWords {
  /// What the file is, in one line.
  static func sentence(_ file: FileFacts) -> String {
    switch file.kind {
    case .plaintext where file.mayBeEncrypted:
      "a broken plaintext SQLite database, or an encrypted one whose salt reads like that"
    case .plaintext where file.reasons.contains(.headerFlaw(field: "header string")):
      "plaintext SQLite database whose first 16 bytes are damaged"
    case .plaintext: "plaintext SQLite database"
    case .sqlcipher: "likely an encrypted database (SQLCipher), or other random bytes"
    case .sqlcipherPlaintextHeader:
      "likely an encrypted database (SQLCipher) with a plaintext header"
    case .journal: "rollback journal of a SQLite or SQLCipher database"
    case .wal where file.mayBeEncrypted:
      "likely a write-ahead log whose header is broken, or an encrypted database (SQLCipher) whose"
        + " salt reads like that"
    case .wal: "write-ahead log of a SQLite or SQLCipher database"
    case .empty: "empty file"
    case .truncated: "too short for a database"
    case .other where file.special != nil: "no regular file"
    case .other where file.otherFormat != nil && file.mayBeEncrypted:
      (file.otherFormat.map(OtherFormatWords.name) ?? "")
        + ", or an encrypted database (SQLCipher) whose salt reads like that: only its key can tell"
    case .other where file.otherFormat != nil:
      file.otherFormat.map(OtherFormatWords.sentence) ?? ""
    case .other where file.mayBeEncrypted:
      "no intact database; parts of it may be an encrypted one (SQLCipher)"
    case .other: "neither a SQLite nor a SQLCipher database"
    }
  }

  static func sentence(_ reason: KindReason) -> String {
    switch reason {
    case .noBytes: "it has no bytes"
    case .notRegular(let special): "it is a \(special.rawValue)"
    case .databaseMagic: "it begins with \"SQLite format 3\""
    case .journalMagic: "it begins as rollback journals do (d9 d5 05 f9 20 a1 63 d7)"
    case .logMagic: "it begins as write-ahead logs do (37 7f 06 82 or 83)"
    case .headerFits: "the fields of its header are in order"
    case .headerFlaw("header string"):
      "its first 16 bytes are not \"SQLite format 3\", and the fields behind them are in order"
    case .headerFlaw(let field): "the \(field) in its header cannot be right"
    case .firstPageFits: "page 1 is a B-tree page whose cells stay inside"
    case .randomBehindHeader: "what follows the header is spread like ciphertext"
    case .otherFormat(let format): OtherFormatWords.reason(format)
    case .random(let bytes): first(bytes) + "spread like ciphertext"
    case .regular(let bytes): first(bytes) + "too regular for ciphertext"
    case .zeros(let bytes): first(bytes) + (bytes == 1 ? "zero" : "zeros")
    case .text(let bytes): first(bytes) + "text"
    case .randomInPart: "some of its first sectors are spread like ciphertext"
    case .tooShort: "it is shorter than any page (512 bytes)"
    case .wholePages(let sizes):
      "its size is a whole number of pages of up to \(sizes.last ?? 512) bytes"
    case .noWholePages: "its size is no whole number of pages"
    case .firstPageBeside: "page 1 was taken from the log or journal beside it"
    }
  }

  private static func first(_ bytes: Int) -> String {
    bytes == 1 ? "its only byte is " : "its first \(bytes) bytes are "
  }

  /// The stable word for a reason.
  static func word(_ reason: KindReason) -> String {
    switch reason {
    case .noBytes: "no_bytes"
    case .notRegular: "not_regular"
    case .databaseMagic: "database_magic"
    case .journalMagic: "journal_magic"
    case .logMagic: "wal_magic"
    case .headerFits: "header_fits"
    case .headerFlaw: "header_flaw"
    case .firstPageFits: "first_page_fits"
    case .randomBehindHeader: "random_behind_header"
    case .otherFormat: "other_format"
    case .random: "random"
    case .regular: "regular"
    case .zeros: "zeros"
    case .text: "text"
    case .randomInPart: "random_in_part"
    case .tooShort: "too_short"
    case .wholePages: "whole_pages"
    case .noWholePages: "no_whole_pages"
    case .firstPageBeside: "first_page_beside"
    }
  }

  /// `-wal: 3 frames, ...`.
  static func sentence(_ sidecar: SidecarFacts) -> String {
    let size = sidecar.pageSize.map { ", pages of \($0) bytes" } ?? ""
    let words = state(sidecar.state) + size + ", \(Diagnostics.count(sidecar.size, "byte"))"
    guard case .log(_, _, _, let lost, let firstBad) = sidecar.state, lost > 0 else { return words }
    return words + "; damaged: " + DamageDiagnostics.log(firstBad, lost, 0).joined()
  }

  private static func state(_ state: SidecarFacts.State) -> String {
    switch state {
    case .log(_, let committed, let beyond, let lost, _):
      "log, \(Diagnostics.count(committed, "committed frame"))"
        + (beyond > 0 && lost == 0 ? ", \(beyond) behind the last commit or from before" : "")
    case .longLog(let frames): "log, \(Diagnostics.count(frames, "frame")), not read through"
    case .invalid: "not valid, SQLite ignores it"
    case .empty: "empty"
    case .finished: "journal, finished: nothing to roll back"
    case .hot: "hot journal: a writer died, SQLite rolls it back on the next open"
    case .active: "journal of a writer who is at work"
    case .pending: "journal with original pages; whether it is hot is decided beside its database"
    case .shared: "index of the log, in use"
    case .idle: "index of the log, not in use"
    case .unreadable: "cannot be read"
    }
  }

  /// The stable word for a state.
  static func word(_ state: SidecarFacts.State) -> String {
    switch state {
    case .log: "log"
    case .longLog: "long_log"
    case .invalid: "invalid"
    case .empty: "empty"
    case .finished: "finished"
    case .hot: "hot"
    case .active: "active"
    case .pending: "pending"
    case .shared: "in_use"
    case .idle: "idle"
    case .unreadable: "unreadable"
    }
  }
}

extension FileFacts {
  /// It is no regular file but this, and nothing more can be said.
  var special: SpecialFile? {
    for case .notRegular(let special) in reasons { return special }
    return nil
  }

  /// It is of this format, which is not read.
  var otherFormat: OtherFormat? {
    for case .otherFormat(let format) in reasons { return format }
    return nil
  }
}
