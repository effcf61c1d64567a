// What stands in the way of a manifest: another file, or one whose entries would be gone from the checks
// without a word, because the databases that were named now are fewer, or because people wrote in it.

internal import SealCore

/// Why a manifest is not written.
enum ManifestObstacle: ExplainedError {
  /// A manifest is there, and nothing says that it may be replaced.
  case there(String)
  /// A file of another kind.
  case foreign(String)
  /// What would be lost cannot be told.
  case unreadable(String, line: Int?)
  case loses(String, Loss)

  /// What a manifest says and its successor would not.
  struct Loss: Equatable {
    var entries = 0
    var lost = 0
    /// Of entries that stay.
    var fields: [String] = []
  }

  var diagnosis: Diagnosis {
    let option = VerifyOptions.writeManifest.flag
    switch self {
    case .there(let path):
      return obstacle(
        path, "target", "a manifest is there",
        "\(Self.refreshing(path)) refreshes it; --force replaces it by these databases alone")
    case .foreign(let path):
      return obstacle(
        path, "foreign", "a file of another kind stands there",
        "\(option) is followed by the name of the manifest, such as fixtures.json")
    case .unreadable(let path, let line):
      return obstacle(
        path, "entries",
        "the manifest there has a mistake\(line.map { " on line \($0)" } ?? ""), so nobody can tell"
          + " what would be lost",
        "\(Catalog.tool) verify --manifest \(ShellWords.quoted(path)) says what it is; or remove it"
      )
    case .loses(let path, let loss):
      return obstacle(
        path, "entries", Self.words(loss),
        "\(Self.refreshing(path)) refreshes all of it; to begin anew, remove it first",
        [
          .init("entries", .integer(loss.entries)), .init("lost", .integer(loss.lost)),
          .init("fields", .array(loss.fields.map { .string($0) })),
        ])
    }
  }

  private func obstacle(
    _ path: String, _ word: String, _ sentence: String, _ hint: String, _ more: [JSON.Field] = []
  ) -> Diagnosis {
    Diagnosis(
      .exists, sentence, about: path, hint: hint,
      facts: [.init("obstacle", .string(word)), .init("path", .string(path))] + more)
  }

  /// The command line that keeps everything.
  private static func refreshing(_ path: String) -> String {
    let name = ShellWords.quoted(path)
    return "\(Catalog.tool) verify --manifest \(name) --write-manifest \(name)"
  }

  private static func words(_ loss: Loss) -> String {
    let all = loss.entries == 1 ? "its entry" : "its \(loss.entries) entries"
    let fields = loss.fields.joined(separator: ", ")
    guard loss.lost > 0 else { return "replacing it would lose what \(all) say: \(fields)" }
    let rest = fields.isEmpty ? "" : ", and of others what they say: \(fields)"
    return "replacing it would lose \(loss.lost) of \(all)\(rest)"
  }
}

extension ManifestObstacle.Loss {
  /// What `old`, entries of the manifest `path`, would lose to `new`: of each database its name and its
  /// fields, or of those not yet looked at the names of the fields that it may get.
  init(
    _ old: [ManifestObject], _ path: String, to new: [(path: String, fields: [String: JSON?])]
  ) {
    entries = old.count
    var left = new.map { (SourceCheck.realPath(of: $0.path) ?? $0.path, $0.fields) }
    var names: Set<String> = []
    for entry in old {
      guard case .string(let file) = entry[ManifestFields.file]?.value.value else { continue }
      let name = ManifestPaths.resolve(file, from: path)
      let place = SourceCheck.realPath(of: name) ?? name
      guard let index = left.firstIndex(where: { OptionValues.same($0.0, place) }) else {
        lost += 1
        continue
      }
      let fields = left.remove(at: index).1
      names.formUnion(entry.members.filter { Self.isLost($0, among: fields) }.map(\.name))
    }
    fields = ManifestFields.all.filter(names.contains)
  }

  private static func isLost(_ member: JSONNode.Member, among fields: [String: JSON?]) -> Bool {
    // A flag that is false says nothing to whoever leaves it out.
    let isFalse = member.value.value == .bool(false)
    guard let new = fields[member.name] else { return !isFalse }
    switch member.name {
    // null is any number of rows, and somebody's choice.
    case ManifestFields.tables:
      guard case .object(let tables) = member.value.value else { return false }
      return tables.contains { $0.value.value == .null }
    case ManifestFields.encrypted: return !isFalse && new == .bool(false)
    default: return false
    }
  }
}
