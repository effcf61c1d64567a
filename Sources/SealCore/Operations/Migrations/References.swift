// Foreign keys around a schema change, as sqlite.org/lang_altertable.html advises: they are not
// enforced while a file runs, because a table that is made anew would lose its rows' children, and
// they are checked before the transaction ends.

/// What `PRAGMA foreign_key_check` says at one moment.
enum References: Equatable {
  /// Rows that refer to nothing, and the first of them in words.
  case broken(Int, first: String)
  /// SQLite could not check, for instance because a parent has no such column.
  case unchecked(message: String)

  static func check(on connection: Connection) throws -> References {
    var count = 0
    var first = ""
    do {
      try connection.forEachRow("PRAGMA main.foreign_key_check") { row in
        count += 1
        guard count == 1 else { return }
        let child = row.value(0).string ?? ""
        let rowid = row.value(1).integer.map { "row \($0) of " } ?? "a row of "
        first = "\(rowid)\(child) refers to no row of \(row.value(2).string ?? "")"
      }
    } catch SealError.engine(_, let code, let message)
      where ResultCode(rawValue: code).primary == .error
    {
      return .unchecked(message: message)
    }
    return .broken(count, first: first)
  }

  /// Throws where a file left more broken references than it found.
  func requireNoWorse(than before: References, path: String, file: String) throws {
    switch (before, self) {
    case (.unchecked, _): return
    case (.broken, .unchecked(let message)):
      throw SealError.migration(
        .uncheckedReferences(path: path, file: file, message: message))
    case (.broken(let old, _), .broken(let new, let first)):
      guard new > old else { return }
      throw SealError.migration(
        .brokenReferences(path: path, file: file, count: new, before: old, first: first))
    }
  }
}
