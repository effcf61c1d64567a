// What is wrong with a manifest, in words, with its line. No value that may be a key is repeated.

internal import SealCore

extension ManifestFlaw: ExplainedError {
  var diagnosis: Diagnosis { ManifestDiagnostics.explain(self) }
}

extension ManifestMismatch: ExplainedError {
  var diagnosis: Diagnosis { ManifestDiagnostics.explain(self) }
}

/// Explains flaws of manifests.
enum ManifestDiagnostics {
  static func explain(_ flaw: ManifestFlaw) -> Diagnosis {
    let words = words(flaw.kind)
    let place = flaw.line.map { "line \($0): " } ?? ""
    return Diagnosis(
      .usage, place + words.0, about: flaw.path, hint: words.1 ?? fields,
      facts: flaw.line.map { [.init("line", .integer($0))] } ?? [])
  }

  /// Where somebody finds what a manifest is made of.
  private static let fields =
    "man \(Catalog.tool)-\(Catalog.verify.name) has its fields, and"
    + " \(VerifyOptions.writeManifest.flag) makes one"

  static func explain(_ mismatch: ManifestMismatch) -> Diagnosis {
    switch mismatch {
    case .encrypted(let path, let count):
      let difference = ExpectationsVerdict.Difference.encryption(expected: false)
      let verdict = ExpectationsVerdict(checked: count, differences: [difference])
      let fields = JSON.object(VerifyJSON.expectations(verdict))
      return Diagnosis(
        .checkFailed, VerifyRendering.difference(difference), about: path,
        hint: "if it is meant to be, its entry says so, and where its key is:"
          + " \"\(ManifestFields.encrypted)\": true",
        facts: [
          .init("kind", .string(FileKind.sqlcipher.rawValue)),
          .init("verdicts", .object([.init("expectations", fields)])),
        ])
    }
  }

  private static func words(_ kind: ManifestFlaw.Kind) -> (String, String?) {
    switch kind {
    case .json(let kind): return json(kind)
    case .tooLong(let limit): return ("the manifest is longer than \(limit >> 20) MiB", nil)
    case .version(let number):
      return (
        "this is a manifest of version \(number), and only \(Manifest.version) is known",
        number > Manifest.version ? "a newer \(Catalog.tool) reads it" : nil
      )
    case .noDatabases: return ("the manifest lists no database, so nothing was checked", nil)
    case .unknownField(let name, let suggestion):
      return (
        KeyArguments.isRepeatable(field: name)
          ? "unknown field \(name)" : "a field whose name is none of a manifest's",
        suggestion.map { "did you mean \($0)?" } ?? fields
      )
    case .keyField(let name):
      return (
        "\(name): a manifest holds no key, because everybody who has the files would see it",
        "say where the key is: key_file, key_env, key_command or keyring"
      )
    case .contradicted(let name, let flag):
      return (
        "\(name) says otherwise than \(flag) on the command line",
        "what stands there is expected of every database: leave \(flag) out, or change the manifest"
      )
    case .missing(let name): return ("the field \(name) is missing", nil)
    case .wrongType(let name, let wanted, let found):
      return ("\(name) has to be \(wanted), and is \(found)", nil)
    case .badValue(let name, let allowed): return ("\(name) has a bad value: \(allowed)", nil)
    case .unknownCode(let suggestion):
      return (
        "\(ManifestFields.expectedCode) is one of "
          + ManifestFields.codes.map(\.rawValue).joined(separator: ", "),
        suggestion.map { "did you mean \($0)?" }
      )
    case .nul(let name): return ("\(name) has a NUL character in it", nil)
    case .refused(let error):
      let found = Diagnostics.explain(error)
      return (ManifestFields.named(in: found.sentence), found.hint.map(ManifestFields.named))
    }
  }

  private static func json(_ kind: JSONFlaw.Kind) -> (String, String?) {
    switch kind {
    case .notUTF8: ("a text is not UTF-8", "save the file as UTF-8")
    case .byteOrderMark: ("the file begins with a byte-order mark", "save it as UTF-8 without one")
    case .expected(let words): ("this is no JSON: \(words) was expected", nil)
    case .ended(let words): ("the file ends where \(words) was expected", nil)
    case .tooDeep(let limit): ("values are nested more than \(limit) deep", nil)
    case .twice(let name): ("the field \(name.prefix(24)) is there twice", nil)
    case .control: ("a text has a control character or a line feed in it", "\\n is a line feed")
    case .escape: ("a backslash in a text begins nothing that JSON knows", "\\\\ is a backslash")
    case .more: ("something follows the end of the manifest", nil)
    }
  }
}
