// What is to be typed where a manifest says it: the fields in the place of the options.

internal import SealCore

extension ManifestFields {
  /// `words` with options as the fields that they are in a manifest.
  static func named(in words: String) -> String {
    let ways = KeyDiagnostics.ways(KeyOptions.database)
    let own = sources.map(name).joined(separator: ", ") + " in the manifest"
    var parts = words.replacing(ways, with: own).split(
      separator: " ", omittingEmptySubsequences: false
    ).map(String.init)
    for option in plain {
      for index in parts.indices {
        let mark = parts[index].last.flatMap { ",;:".contains($0) ? String($0) : nil } ?? ""
        guard OptionValues.same(parts[index], option.flag + mark) else { continue }
        parts[index] = field(option, mark, &parts, index)
      }
    }
    return parts.filter { $0 != "\u{0}" }.joined(separator: " ")
  }

  /// The field for the option at `index`, with a value that stands behind it.
  private static func field(
    _ option: OptionSpec, _ mark: String, _ parts: inout [String], _ index: Int
  ) -> String {
    if case .none = option.value { return "\"\(name(option))\": true\(mark)" }
    let next = index + 1
    guard mark.isEmpty, next < parts.count, Int(parts[next]) != nil else {
      return name(option) + mark
    }
    let value = parts[next]
    parts[next] = "\u{0}"
    return "\"\(name(option))\": \(value)"
  }
}

/// Failures of keys, where a manifest says where the key is.
enum ManifestKeys {
  /// `found` about the key of `task`, in the words of a manifest. What `key_env` holds is not
  /// repeated: somebody may have put the key itself there.
  static func explain(_ found: Diagnosis, _ failure: KeyFailure, _ task: VerifyTask) -> Diagnosis {
    let hint = found.hint.map(ManifestFields.named)
    guard case .environment = failure.source else {
      return hint.map(found.hinting) ?? found
    }
    let place = ManifestFields.name(KeyOptions.database.environment)
    let isUnset = failure.flaw == .unset
    let others = ManifestFields.sources.map(ManifestFields.name).filter { $0 != place }
    return Diagnosis(
      found.code,
      isUnset ? "the variable that it names for the key is not set" : found.sentence,
      about: place + (task.keyLine.map { " on line \($0)" } ?? ""),
      hint: isUnset
        ? "set and export it, or name another source there:"
          + " \(others.joined(separator: ", "))" : hint,
      facts: found.facts)
  }
}
