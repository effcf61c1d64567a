// What is wrong with the database that verify compares with, so that nobody takes it for the one
// that is checked.

internal import SealCore

/// Explains failures of the other database.
enum OtherDiagnostics {
  /// Its facts stand apart, because those at the top are about the database that is checked.
  static func explain(_ failure: OtherFailure) -> Diagnosis {
    let found = Diagnostics.explain(failure.error, reading: .against).naming(failure.path)
    var hint = found.hint
    if case SealError.wrongKind(_, .plaintext) = failure.error {
      hint = "leave \(KeyOptions.against.file.flag) and the like out to compare it as it is"
    }
    if failure.hasSharedKey, case SealError.wrongKey(let wrong) = failure.error, wrong.fit == nil {
      hint =
        "it was tried with the key of the database that is checked; if it has another,"
        + " \(KeyOptions.against.file.flag) and the like name it"
    }
    return Diagnosis(
      found.code, found.sentence, about: found.subject ?? failure.path, hint: hint,
      facts: [
        .init("against", .object([.init("path", .string(failure.path))] + found.facts))
      ], exit: found.exit)
  }
}
