// A fixture manifest: which databases there are, where the key of each is, and what each has to hold or
// how opening it has to fail. Its fields are options of verify under the same names and checked as they
// are, so that whatever can be said on the command line can be said there. Docs/manifest.md describes it.

internal import SealCore

/// What is wrong with a manifest, and where.
struct ManifestFlaw: Error {
  enum Kind {
    case json(JSONFlaw.Kind)
    case tooLong(limit: Int)
    case version(Int64)
    case noDatabases
    case unknownField(String, suggestion: String?)
    /// A field that would hold a key.
    case keyField(String)
    case missing(String)
    /// A field, and the option that expects something else.
    case contradicted(String, by: String)
    /// What it has to be, and what it is.
    case wrongType(String, wanted: String, found: String)
    /// Not repeated, since it may be a key.
    case badValue(String, allowed: String)
    case unknownCode(suggestion: String?)
    case nul(String)
    /// What the options that the fields are say of each other, or of their values.
    case refused(any Error)
  }

  let path: String
  /// From 1; nil where it is about the file as a whole.
  var line: Int?
  let kind: Kind
}

/// A manifest that was read.
struct Manifest {
  /// The longest one.
  static let limit = 16 << 20
  /// The version that is read and written.
  static let version: Int64 = 1
  /// The field that says so.
  static let versionField = "dbseal_manifest"
  /// The field with the databases.
  static let listField = "databases"

  let tasks: [VerifyTask]

  /// Reads `path`. What it does not say is taken from `parsed`. Throws `ManifestFlaw`, `SealError`.
  init(_ path: String, _ parsed: ParsedCommand, _ cancellation: Cancellation) throws {
    try self.init(Self.bytes(of: path, cancellation), path, parsed)
  }

  /// The manifest that `bytes` are. Throws `ManifestFlaw`.
  init(_ bytes: [UInt8], _ path: String, _ parsed: ParsedCommand) throws {
    var tasks = try Self.entries(in: bytes, path).map { try ManifestEntry($0, parsed).task() }
    let variables = tasks.reduce(KeyOptions.keyVariables(of: parsed)) {
      $0.union(KeyOptions.keyVariables(of: $1.parsed))
    }
    for index in tasks.indices { tasks[index].parsed.keyVariables = variables }
    self.tasks = tasks
  }

  /// What stands in `path`.
  static func bytes(of path: String, _ cancellation: Cancellation) throws -> [UInt8] {
    let read = try BoundedRead.file(path, limit: limit, cancellation: cancellation)
    guard let read else { throw ManifestFlaw(path: path, kind: .tooLong(limit: limit)) }
    return read
  }

  /// The entries of the manifest that `bytes` are, as they stand there.
  static func entries(in bytes: [UInt8], _ path: String) throws(ManifestFlaw) -> [ManifestObject] {
    let node: JSONNode
    do {
      node = try JSONReader.read(bytes)
    } catch { throw ManifestFlaw(path: path, line: error.line, kind: .json(error.kind)) }
    let top = try ManifestObject(node, path, "the manifest")
    try top.requireFields([versionField, listField])
    guard let version = top[versionField] else { throw top.flaw(.missing(versionField)) }
    guard case .integer(let number) = version.value.value else {
      throw top.wrongType(version, wanted: "a whole number")
    }
    guard number == Self.version else { throw top.flaw(.version(number), at: version) }
    guard let list = top[listField] else { throw top.flaw(.missing(listField)) }
    guard case .array(let nodes) = list.value.value else {
      throw top.wrongType(list, wanted: "a list")
    }
    guard !nodes.isEmpty else { throw top.flaw(.noDatabases, at: list) }
    var entries: [ManifestObject] = []
    for node in nodes { entries.append(try ManifestObject(node, path, "a database")) }
    return entries
  }

  /// Whether `path` is one, as far as its start can tell.
  static func isThere(_ path: String) -> Bool {
    guard let mark = FileMark.of(path), mark.size <= limit,
      let bytes = try? BoundedRead.file(path, limit: limit, cancellation: Cancellation())
    else { return false }
    return isManifest(bytes)
  }

  /// A file of which a manifest may take the place.
  static func isManifest(_ start: [UInt8]) -> Bool {
    let text = String(decoding: start, as: UTF8.self)
    return text.first == "{" && text.contains("\"\(versionField)\"")
  }
}

/// An object of a manifest.
struct ManifestObject: Sendable {
  let path: String
  let line: Int
  let members: [JSONNode.Member]

  init(_ node: JSONNode, _ path: String, _ what: String) throws(ManifestFlaw) {
    guard case .object(let members) = node.value else {
      throw ManifestFlaw(
        path: path, line: node.line,
        kind: .wrongType(what, wanted: "an object", found: node.kind))
    }
    self.path = path
    line = node.line
    self.members = members
  }

  subscript(name: String) -> JSONNode.Member? {
    members.first { OptionValues.same($0.name, name) }
  }

  /// The flaw, at a member or at the whole.
  func flaw(_ kind: ManifestFlaw.Kind, at member: JSONNode.Member? = nil) -> ManifestFlaw {
    ManifestFlaw(path: path, line: member?.line ?? line, kind: kind)
  }

  func wrongType(_ member: JSONNode.Member, wanted: String) -> ManifestFlaw {
    flaw(.wrongType(member.name, wanted: wanted, found: member.value.kind), at: member)
  }

  /// Throws where there is a field that is none of `names`.
  func requireFields(_ names: [String]) throws(ManifestFlaw) {
    for member in members where !names.contains(where: { OptionValues.same($0, member.name) }) {
      let name = member.name
      if KeyArguments.names.contains(String(name.map { $0 == "_" ? "-" : $0 })) {
        throw flaw(.keyField(name), at: member)
      }
      throw flaw(
        .unknownField(
          String(name.prefix(24)), suggestion: Suggestions.nearest(to: name, among: names)),
        at: member)
    }
  }

  /// A text without NUL, and not empty.
  func text(_ member: JSONNode.Member) throws(ManifestFlaw) -> String {
    guard case .string(let text) = member.value.value else {
      throw wrongType(member, wanted: "a text")
    }
    guard !text.utf8.contains(0) else { throw flaw(.nul(member.name), at: member) }
    guard !text.isEmpty else {
      throw flaw(.badValue(member.name, allowed: "it may not be empty"), at: member)
    }
    return text
  }

  func bool(_ member: JSONNode.Member) throws(ManifestFlaw) -> Bool {
    guard case .bool(let value) = member.value.value else {
      throw wrongType(member, wanted: "true or false")
    }
    return value
  }
}
