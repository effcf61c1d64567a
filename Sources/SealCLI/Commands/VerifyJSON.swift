// The facts of a verify report for `--json`. Every field is described in Docs/json.md.

internal import SealCore

/// The fields of one report.
struct VerifyJSON {
  let report: VerifyReport

  private let content: ContentWords

  init(_ report: VerifyReport, _ content: ContentWords) {
    self.report = report
    self.content = content
  }

  /// In the order in which they are written.
  var facts: [JSON.Field] {
    let pages = report.pages
    let damaged = (pages.damaged + pages.missing).map { JSON.integer(Int64($0.number)) }
    return [
      .init("kind", .string(kind)),
      .init("format", report.profile?.formatNumber.map { .integer($0) } ?? .null),
      .init("settings", report.profile.map(Facts.settings) ?? .null),
      .init("salt", report.salt.map { .hex($0) } ?? .null),
      .init("page_size", report.pageSize.map { .integer($0) } ?? .null),
      .init("user_version", report.userVersion.map { .integer(Int64($0)) } ?? .null),
      .init("application_id", report.applicationID.map { .integer(Int64($0)) } ?? .null),
      .init("digest", .optional(content.digest)),
      .init("pages", .integer(Int64(pages.total))),
      .init("damaged_pages", .array(damaged)),
      .init("damaged_total", .integer(pages.damaged.count + pages.missingTotal)),
      .init(
        "verdicts",
        .object([
          .init("pages", .object(pageFields)), .init("structure", .object(structureFields)),
          .init("references", .object(referenceFields)),
          .init("expectations", .object(expectationFields)),
          .init("content", content.json),
        ])),
      .init("notes", Facts.notes(report.notes)),
      .init("seconds", .decimal(report.seconds)),
    ]
  }

  private var kind: String {
    guard let profile = report.profile else { return FileKind.plaintext.rawValue }
    return (profile.plaintextHeader > 0 ? FileKind.sqlcipherPlaintextHeader : .sqlcipher).rawValue
  }

  private var pageFields: [JSON.Field] {
    let pages = report.pages
    let verdict = pages.isDamaged ? "damaged" : pages.hasTags ? "sound" : "no_tags"
    return [
      .init("verdict", .string(verdict)), .init("total", .integer(Int64(pages.total))),
      .init("checked", .integer(Int64(pages.checked))),
      .init("sample", pages.sample.map { .integer($0) } ?? .null),
      .init("damaged", .array((pages.damaged + pages.missing).map(Self.page))),
      .init("size", .unsigned(pages.size.actual)),
      .init("expected_size", pages.size.expected.map { .unsigned($0) } ?? .null),
      .init("preallocated", .unsigned(pages.size.preallocated)),
      .init("wal", pages.log.map(Self.log) ?? .null),
      .init("journal_pages", pages.journalPages.map { .integer($0) } ?? .null),
      .init("journal_flaw", pages.journalFlaw.map(DamageDiagnostics.journal) ?? .null),
      .init("plaintext_header", .integer(pages.plaintextHeader)),
      .init("lock_byte_page", pages.lockBytePage.map { .integer(Int64($0)) } ?? .null),
    ]
  }

  private static func page(_ page: DamagedPage) -> JSON {
    .object([
      .init("page", .integer(Int64(page.number))), .init("flaw", .string(page.flaw.rawValue)),
      .init("role", .optional(page.owner?.role.rawValue)),
      .init("type", .optional(page.owner?.type)), .init("name", .optional(page.owner?.name)),
    ])
  }

  private static func log(_ log: LogFinding) -> JSON {
    .object([
      .init("committed", .integer(log.committed)), .init("uncommitted", .integer(log.uncommitted)),
      .init("ignored", .integer(log.ignored)),
      .init("first_bad", log.firstBad.map { .integer($0) } ?? .null),
      .init("lost", .integer(log.lost)), .init("lost_commits", .integer(log.lostCommits)),
      .init(
        "bad_tags",
        .array(
          log.badTags.map {
            .object([
              .init("frame", .integer($0.frame)), .init("page", .integer(Int64($0.page))),
            ])
          })),
    ])
  }

  private var structureFields: [JSON.Field] {
    let structure = report.structure
    return [
      .init("verdict", .string(structure.state.rawValue)),
      .init("total", .integer(structure.messages.count)),
      .init("total_is_exact", .bool(!structure.isCapped)),
      .init("findings", .array(structure.messages.map { .string($0) })),
      .init("unvalidated", .array(structure.unvalidated.map { .string($0) })),
      .init(
        "missing",
        .array(
          structure.missing.map {
            .object([
              .init("kind", .string($0.kind.rawValue)), .init("name", .string($0.name)),
            ])
          })),
      .init("reason", .optional(Self.word(structure.hindrance))),
      .init("sqlite_message", .optional(Self.message(structure.hindrance))),
      .init("trees_walked", .bool(structure.wasWalked)),
      .init("rules_checked", .bool(structure.checkedRules)),
    ]
  }

  private var referenceFields: [JSON.Field] {
    let references = report.references
    return [
      .init("verdict", .string(references.state.rawValue)),
      .init("rows", .unsigned(references.rows)),
      .init(
        "violations",
        .array(
          references.violations.map {
            .object([
              .init("table", .string($0.table)), .init("parent", .string($0.parent)),
              .init("constraint", .integer($0.constraint)), .init("rows", .unsigned($0.rows)),
              .init("first_rowid", $0.firstRowid.map { .integer($0) } ?? .null),
            ])
          })),
      .init(
        "unchecked",
        .array(
          references.unchecked.map {
            .object([
              .init("table", .string($0.table)), .init("parent", .string($0.parent)),
              .init("constraint", .integer($0.constraint)), .init("message", .string($0.message)),
            ])
          })),
      .init("reason", .optional(Self.word(references.hindrance))),
    ]
  }

  private var expectationFields: [JSON.Field] { Self.expectations(report.expectations) }

  /// The fourth verdict.
  static func expectations(_ expectations: ExpectationsVerdict) -> [JSON.Field] {
    let verdict =
      expectations.checked == 0 ? "none" : expectations.differences.isEmpty ? "met" : "not_met"
    return [
      .init("verdict", .string(verdict)), .init("checked", .integer(expectations.checked)),
      .init("differences", .array(expectations.differences.map(difference))),
    ]
  }

  private static func difference(_ difference: ExpectationsVerdict.Difference) -> JSON {
    var fields: [JSON.Field]
    switch difference {
    case .encryption(let expected):
      fields = [
        .init("expectation", .string("encrypted")), .init("name", .null),
        .init("expected", .bool(expected)), .init("found", .bool(!expected)),
      ]
    case .userVersion(let expected, let found):
      fields = [
        .init("expectation", .string("user_version")), .init("name", .null),
        .init("expected", .integer(Int64(expected))), .init("found", .integer(Int64(found))),
      ]
    case .applicationID(let expected, let found):
      fields = [
        .init("expectation", .string("application_id")), .init("name", .null),
        .init("expected", .integer(Int64(expected))), .init("found", .integer(Int64(found))),
      ]
    case .noTable(let name, _):
      fields = [
        .init("expectation", .string("table")), .init("name", .string(name)),
        .init("expected", .null), .init("found", .null),
      ]
    case .rows(let name, let expected, let found):
      fields = [
        .init("expectation", .string("rows")), .init("name", .string(name)),
        .init("expected", .unsigned(expected)), .init("found", .unsigned(found)),
      ]
    case .digest(let expected, let found):
      fields = [
        .init("expectation", .string("digest")), .init("name", .null),
        .init("expected", .hex(expected)), .init("found", .hex(found)),
      ]
    case .unknown(let what, _):
      fields = [
        .init("expectation", .string("unknown")), .init("name", .string(what)),
        .init("expected", .null), .init("found", .null),
      ]
    }
    fields.append(.init("message", .string(VerifyRendering.difference(difference))))
    return .object(fields)
  }

  static func word(_ hindrance: Hindrance?) -> String? {
    switch hindrance {
    case nil: nil
    case .damagedPages: "damaged_pages"
    case .damagedHeader: "damaged_header"
    case .damagedStructure: "damaged_structure"
    case .missingParts: "missing_parts"
    case .schema: "schema_not_understood"
    }
  }

  static func message(_ hindrance: Hindrance?) -> String? {
    if case .schema(let message) = hindrance { return message }
    return nil
  }
}
