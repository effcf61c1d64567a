// One database of a verify run and how it is to be checked: with the options of the command line, or
// with those on top that a manifest has for it.

internal import SealCore

/// A database to check.
struct VerifyTask: Sendable {
  let path: String
  /// What a manifest calls it.
  var name: String?
  /// The options that are about it.
  var parsed: ParsedCommand
  /// Of a manifest; the options' own come first.
  var tables: [Expectations.Table] = []
  /// It may not be encrypted.
  var isPlain = false
  /// The key is named for this database, and not for all.
  var hasOwnKey = false
  /// The line of a manifest on which that stands.
  var keyLine: Int?
  /// How checking it has to end.
  var expected = ErrorCode.ok
  /// The entry of a manifest that is refreshed.
  var entry: ManifestObject?

  init(_ path: String, _ parsed: ParsedCommand) {
    self.path = path
    self.parsed = parsed
  }

  /// What text calls it: its file, and beside that what a manifest calls it.
  var title: String {
    guard let name, !OptionValues.same(name, path) else { return path }
    return "\(path) (\(name))"
  }

  var settings: CipherSettings { CipherOptions.examined.settings(from: parsed) }
  var selection: KeySelection { KeyOptions.database.selection(from: parsed) }

  /// Whether it needs a key. `sharesKey`: one that is named for several databases is none of those
  /// that prove this one to be encrypted.
  func needsKey(_ session: Session, sharesKey: Bool) throws -> Bool {
    let isNamed = sharesKey ? hasOwnKey : selection.isNamed
    do {
      let needs = try session.core.needsKey(path, settings, isPlain ? false : isNamed)
      if isPlain, needs {
        throw ManifestMismatch.encrypted(path, expectations: expectations.count)
      }
      return needs
    } catch SealError.wrongKind(_, .plaintext) where expectations.encrypted == true {
      // That it is plaintext is then what was found, and no reason to look no further.
      return false
    }
  }

  /// What the options, and a manifest, expect.
  var expectations: Expectations {
    var expected = VerifyCommand.expectations(parsed)
    expected.tables += tables
    if isPlain { expected.encrypted = false }
    return expected
  }

  /// The request for it. `digest`: it is wanted whatever the options say.
  func request(
    key: KeyMaterial?, against other: NamedDatabase?, digest: Bool, _ context: OperationContext
  ) -> Verify.Request {
    var request = Verify.Request(NamedDatabase(path: path, key: key, settings: settings), context)
    request.quick = parsed.has(VerifyOptions.quick)
    request.sample = parsed.integer(VerifyOptions.sample)
    request.expectations = expectations
    request.digest = digest || parsed.has(VerifyOptions.digest)
    request.against = other
    return request
  }
}

/// What a database is not, against its manifest.
enum ManifestMismatch: Error {
  /// With the number of expectations, of which this is the one that was looked at.
  case encrypted(String, expectations: Int)
}
