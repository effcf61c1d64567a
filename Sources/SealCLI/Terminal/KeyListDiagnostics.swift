// Why no key of a list opened a database, in words.

internal import SealCore

/// None of `count` keys opened it; `error` is what one of them got.
struct KeyListFailure: ExplainedError {
  let count: Int
  let error: any Error

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
      (count == 1 ? "the one key of the list" : "none of \(count) keys")
        + " opens it: \(found.sentence)",
      about: found.subject, hint: found.hint,
      facts: found.facts + [.init("keys_tried", .integer(count))])
  }
}
