// Refreshing a manifest: what an entry says of its database becomes what was found, as far as the entry says
// anything of that, and everything else in it is a person's and stays. What fails keeps its entry, and
// whether it has to be encrypted is no finding: a database that is not any more would leave the gate.

internal import SealCore

extension VerifyTask {
  /// What its entry says of the content is found anew. One that has to fail in another way says on
  /// purpose what is not so.
  var isRefreshed: Bool { entry != nil && [.ok, .unsupported].contains(expected) }

  /// Takes out of `report` what is no failure, because its entry will say otherwise from now on.
  func settle(_ report: inout VerifyReport) -> [ExpectationsVerdict.Difference] {
    guard isRefreshed else { return [] }
    let own = Set(tables.map(\.name))
    // What the command line expects is no finding, and has to be so.
    let given = parsed.texts(VerifyOptions.table).map(VerifyCommand.table)
    let isWhole = entry.map(ManifestRefresh.listsAllTables) ?? false
    func isSettled(_ difference: ExpectationsVerdict.Difference) -> Bool {
      switch difference {
      case .rows(let table, let rows, _):
        own.contains(table)
          && !given.contains { $0.name.isSameName(as: table) && $0.rows == rows }
      case .noTable(let table, _):
        own.contains(table) && isWhole && !given.contains { $0.name.isSameName(as: table) }
      case .encryption, .userVersion, .applicationID, .digest, .unknown: false
      }
    }
    let settled = report.expectations.differences.filter(isSettled)
    report.expectations.differences.removeAll(where: isSettled)
    return settled
  }
}

/// An entry, and what was found.
struct ManifestRefresh {
  let entry: ManifestObject
  let report: VerifyReport
  /// Of its tables.
  let settled: [ExpectationsVerdict.Difference]

  /// All tables are meant, as a manifest that was written has them, and not some that somebody chose.
  static func listsAllTables(_ entry: ManifestObject) -> Bool {
    guard entry[ManifestFields.name(VerifyOptions.expectDigest)] != nil,
      case .object(let tables) = entry[ManifestFields.tables]?.value.value
    else { return false }
    return tables.allSatisfy { $0.value.value != .null }
  }

  /// The fields as they are to be, in their order.
  var fields: [JSON.Field] {
    entry.members.map { JSON.Field($0.name, found($0) ?? JSON($0.value)) }
  }

  /// What `member` is to be; nil where it stays.
  private func found(_ member: JSONNode.Member) -> JSON? {
    switch member.name {
    case ManifestFields.name(VerifyOptions.userVersion): number(member, report.userVersion)
    case ManifestFields.name(VerifyOptions.applicationID): number(member, report.applicationID)
    case ManifestFields.name(VerifyOptions.expectDigest): digest(member)
    case ManifestFields.tables: tables(member)
    default: nil
    }
  }

  /// The header's fields have 32 bits, with or without a sign.
  private func number(_ member: JSONNode.Member, _ found: Int32?) -> JSON? {
    guard let found, case .integer(let number) = member.value.value,
      UInt32(truncatingIfNeeded: number) != UInt32(bitPattern: found)
    else { return nil }
    return .integer(Int64(found))
  }

  private func digest(_ member: JSONNode.Member) -> JSON? {
    guard let found = report.content.fingerprint?.digest,
      case .string(let text) = member.value.value, OptionValues.bytes(hex: text) != found
    else { return nil }
    return .hex(found)
  }

  private func tables(_ member: JSONNode.Member) -> JSON? {
    guard case .object(let old) = member.value.value else { return nil }
    var rows: [String: UInt64] = [:]
    var gone: Set<String> = []
    for difference in settled {
      if case .rows(let table, _, let found) = difference { rows[table] = found }
      if case .noTable(let table, _) = difference { gone.insert(table) }
    }
    var fields = old.filter { !gone.contains($0.name) }.map { table in
      JSON.Field(table.name, rows[table.name].map { .unsigned($0) } ?? JSON(table.value))
    }
    let new = newTables(beside: old)
    guard !rows.isEmpty || !gone.isEmpty || !new.isEmpty else { return nil }
    let isSorted = old.map(\.name) == old.map(\.name).sorted(by: Self.precedes)
    fields += new
    if isSorted { fields.sort { Self.precedes($0.name, $1.name) } }
    return .object(fields)
  }

  /// Those that came with the new content, where the entry lists all.
  private func newTables(beside old: [JSONNode.Member]) -> [JSON.Field] {
    let name = ManifestFields.name(VerifyOptions.expectDigest)
    guard Self.listsAllTables(entry), let content = report.content.fingerprint,
      let member = entry[name], digest(member) != nil
    else { return [] }
    return ManifestWriter.tables(content).filter { table in
      !old.contains { $0.name.isSameName(as: table.name) }
    }
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}

extension JSON {
  /// What was read, to be written again.
  init(_ node: JSONNode) {
    switch node.value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let number): self = .integer(number)
    case .number(let text): self = .number(text)
    case .string(let text): self = .string(text)
    case .array(let nodes): self = .array(nodes.map { JSON($0) })
    case .object(let members): self = .object(members.map { Field($0.name, JSON($0.value)) })
    }
  }
}
