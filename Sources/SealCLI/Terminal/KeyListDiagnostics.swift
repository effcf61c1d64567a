// Why no key of a list opened a database, in words.

internal import SealCore

/// None of `count` keys opened it; `error` is what one of them got.
struct KeyListFailure: ExplainedError {
  let count: Int
  let error: any Error

  /// Each of a list is tried as it stands there.
  private static let alone =
    "a key alone, with \(KeyOptions.database.file.flag), is tried without blanks, quotes and the like too"

  /// The sentence of a wrong key, with how many there were.
  var diagnosis: Diagnosis {
    let found = Diagnostics.explain(error)
    guard case SealError.wrongKey(let wrong) = error else { return found }
    // One of them is right, and was given with other settings.
    if wrong.fit?.plaintextHeader != nil {
      return found.adding([.init("keys_tried", .integer(count))])
    }
    return Diagnosis(
      found.code,
      (count == 1 ? "the one key of the list does not open it" : "none of \(count) keys opens it")
        + ": \(found.sentence)",
      about: found.subject,
      hint: [found.hint, Self.alone].compactMap { $0 }.joined(separator: "; "),
      facts: found.facts + [.init("keys_tried", .integer(count))])
  }
}
