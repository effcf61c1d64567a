// Foreign keys around a schema change, as sqlite.org/lang_altertable.html advises: they are not
// enforced while a file runs, because a table that is made anew would lose its rows' children, and
// they are checked before the transaction ends. How they are checked is ReferencesCheck's.

/// The references at one moment.
struct References {
  private let verdict: ReferencesVerdict

  static func check(on connection: Connection) throws -> References {
    References(verdict: try ReferencesCheck(connection: connection).run())
  }

  /// Rows that refer to nothing.
  var broken: Int { Int(clamping: verdict.rows) }

  /// The first of them in words.
  var first: String {
    guard let violation = verdict.violations.first else { return "" }
    let row = violation.firstRowid.map { "row \($0)" } ?? "a row"
    return "\(row) of \(violation.table) refers to no row of \(violation.parent)"
  }

  /// Why there are keys that cannot be checked; nil where all can.
  var hindrance: String? {
    if case .schema(let message) = verdict.hindrance { return message }
    return verdict.unchecked.first?.message
  }

  /// Throws where a file left more broken references than it found, or more that cannot be checked.
  func requireNoWorse(than before: References, path: String, file: String) throws {
    // Nothing is known of what was there.
    if before.verdict.hindrance != nil { return }
    if let hindrance,
      verdict.hindrance != nil || verdict.unchecked.count > before.verdict.unchecked.count
    {
      throw SealError.migration(
        .uncheckedReferences(path: path, file: file, message: hindrance))
    }
    // Rows that could not be looked at before are no news.
    let unknown = Set(before.verdict.unchecked.map(\.key))
    let known = verdict.violations.filter { !unknown.contains($0.key) }
    guard known.reduce(0, { $0 + $1.rows }) > before.verdict.rows else { return }
    throw SealError.migration(
      .brokenReferences(
        path: path, file: file, count: broken, before: before.broken, first: first))
  }
}
