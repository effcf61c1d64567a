// The phrases of verify's verdicts: lower case, no full stop.

internal import SealCore

extension VerifyRendering {
  private static func count(_ number: Int, _ noun: String) -> String {
    Diagnostics.count(UInt64(clamping: number), noun)
  }

  /// All verdicts of a sound database, or what is wrong with another one.
  static func sentence(_ report: VerifyReport, _ content: ContentWords) -> String {
    switch report.code {
    case .ok:
      var parts = [pages(report)]
      if report.structure.state == .skipped {
        parts.append("structure and references not asked for")
      } else {
        parts.append("structure \(structure(report.structure))")
        parts.append("references \(references(report.references))")
      }
      if report.expectations.checked > 0 {
        parts.append("expectations: \(expectations(report.expectations))")
      }
      if let verdict = content.verdict { parts.append("content " + verdict) }
      if let digest = content.digest { parts.append("digest " + digest) }
      return parts.joined(separator: "; ")
    case .damaged: return "damaged: " + damage(report).joined(separator: "; ")
    case .unsupported:
      guard report.structure.state != .notChecked else {
        return "structure \(structure(report.structure))"
      }
      return "content " + (content.verdict ?? "not read")
    default: return (violations(report) + content.summary).joined(separator: "; ")
    }
  }

  static func hint(_ report: VerifyReport) -> String? {
    switch report.code {
    case .damaged:
      if report.pages.journalFlaw != nil { return DamageDiagnostics.journalHint }
      if report.pages.size.isEmptied { return DamageDiagnostics.emptiedHint }
      if report.pages.damaged.isEmpty, report.structure.state != .damaged,
        !report.pages.size.isWrong
      {
        return "keep the -wal; what it holds is in no other file"
      }
      return report.profile == nil
        ? "restore the file from a backup" : "the key is right; restore the file from a backup"
    case .unsupported:
      return report.structure.state == .notChecked ? "--quick checks the pages alone" : nil
    default: return nil
    }
  }

  private static func damage(_ report: VerifyReport) -> [String] {
    var parts: [String] = []
    let damaged = report.pages.damaged
    if !damaged.isEmpty {
      let list = DamageDiagnostics.list(damaged.map(\.number), damaged.count)
      parts.append("\(pageDamage(report)) (\(list))")
    }
    parts += otherDamage(report.pages)
    if report.structure.state == .damaged {
      parts.append(
        "structure \(structure(report.structure)): \(report.structure.messages.first ?? "")")
    }
    return parts
  }

  private static func pageDamage(_ report: VerifyReport) -> String {
    let damaged = report.pages.damaged
    var share = "\(damaged.count) of \(count(Int(report.pages.total), "page"))"
    if let percent = report.pages.sample {
      share =
        "\(damaged.count) of \(count(Int(report.pages.checked), "page")) that were looked at,"
        + " a sample of \(percent) percent of \(report.pages.total),"
    }
    if damaged.allSatisfy({ $0.flaw == .tag }) {
      return "\(share) \(Diagnostics.does(damaged.count)) not authenticate"
    }
    if damaged.allSatisfy({ $0.flaw == .wiped }) {
      return "\(share) \(damaged.count == 1 ? "was" : "were") wiped to zeros"
    }
    return "\(share) do not authenticate or were wiped to zeros"
  }

  private static func otherDamage(_ pages: PagesVerdict) -> [String] {
    var parts: [String] = []
    if pages.size.isWrong {
      let expected = pages.size.expected.map { "its header says \($0)" }
      var words =
        "the file has \(pages.size.actual) bytes, and "
        + (expected ?? "that is no whole number of pages")
      if pages.missingTotal > 0 {
        let list = DamageDiagnostics.list(pages.missing.map(\.number), pages.missingTotal)
        words += ": \(list) \(pages.missingTotal == 1 ? "is" : "are") missing"
      }
      parts.append(words)
    }
    if pages.size.isEmptied { parts.append(DamageDiagnostics.emptied) }
    if let flaw = pages.journalFlaw {
      parts.append("the journal beside it is damaged: \(DamageDiagnostics.words(flaw))")
    }
    guard let log = pages.log else { return parts }
    return parts + DamageDiagnostics.log(log.firstBad, log.lostCommits, log.badTags.count)
  }

  /// The first verdict.
  static func pages(_ report: VerifyReport) -> String {
    let verdict = report.pages
    let format = report.profile?.name ?? "plaintext"
    var parts: [String] = []
    if !verdict.damaged.isEmpty { parts.append("damaged: \(pageDamage(report))") }
    let other = otherDamage(verdict)
    if !other.isEmpty { parts.append((parts.isEmpty ? "damaged: " : "") + other[0]) }
    parts += other.dropFirst()
    if parts.isEmpty {
      let all = count(Int(verdict.total), "page")
      let have = verdict.total == 1 ? "has" : "have"
      let authenticate = Diagnostics.verb("authenticate", UInt64(verdict.total))
      if !verdict.hasTags {
        return report.profile == nil
          ? "\(all), which \(have) no tags (\(format))"
          : "\(all), which \(have) no tags: authenticity cannot be proven (\(format))"
      }
      guard let percent = verdict.sample else { return "\(all) \(authenticate) (\(format))" }
      return
        "\(verdict.checked) of \(all), a sample of \(percent) percent, authenticate (\(format))"
    }
    return parts.joined(separator: "; ")
  }

  /// The second verdict.
  static func structure(_ verdict: StructureVerdict) -> String {
    let found = (verdict.isCapped ? "at least " : "") + count(verdict.messages.count, "finding")
    switch verdict.state {
    case .sound: return "sound"
    case .damaged: return "damaged, \(found)"
    case .violated:
      let rest = verdict.hindrance == nil ? "sound, but " : ""
      return "\(rest)rows break the schema's rules, \(found)"
    case .skipped: return "not asked for"
    case .notChecked: return "not checked: " + reason(verdict.hindrance, verdict)
    }
  }

  /// The third verdict.
  static func references(_ verdict: ReferencesVerdict) -> String {
    let unchecked = verdict.unchecked.first.map {
      "not checked in \(count(verdict.unchecked.count, "foreign key")): \($0.message)"
    }
    switch verdict.state {
    case .sound: return "sound"
    case .damaged: return "damaged"
    case .violated:
      let rows = "broken: \(Diagnostics.count(verdict.rows, "row")) without a parent"
      return rows + (unchecked.map { "; " + $0 } ?? "")
    case .skipped: return "not asked for"
    case .notChecked:
      return unchecked ?? "not checked: " + reason(verdict.hindrance, nil)
    }
  }

  /// The fourth verdict.
  static func expectations(_ verdict: ExpectationsVerdict) -> String {
    guard verdict.checked > 0 else { return "none" }
    let wrong = verdict.differences.count
    return wrong == 0
      ? "\(verdict.checked) of \(verdict.checked) met" : "\(wrong) of \(verdict.checked) not met"
  }

  static func reason(_ hindrance: Hindrance?, _ verdict: StructureVerdict?) -> String {
    switch hindrance {
    case .damagedPages: return "pages are damaged"
    case .damagedHeader: return "the header is damaged"
    case .damagedStructure: return "the structure is damaged"
    case .schema(let message): return "this engine does not understand the schema: \(message)"
    case .missingParts, nil:
      let missing = (verdict?.missing ?? []).map { "\($0.kind.rawValue) \($0.name)" }
      return "this engine lacks " + missing.joined(separator: ", ")
    }
  }

  static func flaw(_ flaw: DamagedPage.Flaw) -> String {
    switch flaw {
    case .tag: "does not authenticate"
    case .wiped: "was wiped to zeros"
    case .missing: "is missing"
    }
  }

  static func owner(_ owner: PageOwner?) -> String {
    guard let owner else { return "nobody knows whose it is" }
    let tree = "\(owner.type ?? "tree") \(owner.name ?? "")"
    switch owner.role {
    case .tree: return tree
    case .overflow: return "\(tree), a long value"
    case .freeList: return "free"
    case .pointerMap: return "pointer map"
    }
  }

  static func violation(_ violation: ReferencesVerdict.Violation) -> String {
    let rows = Diagnostics.count(violation.rows, "row")
    let first = violation.firstRowid.map { ", the first is row \($0)" } ?? ""
    return "table \(violation.table): \(rows) without a parent in \(violation.parent)\(first)"
  }

  static func difference(_ difference: ExpectationsVerdict.Difference) -> String {
    switch difference {
    case .encryption(let expected):
      expected
        ? "it is not encrypted" : "it is encrypted, and a plaintext database was expected"
    case .userVersion(let expected, let found): "user_version is \(found), not \(expected)"
    case .applicationID(let expected, let found): "application_id is \(found), not \(expected)"
    case .noTable(let name, let isView):
      isView ? "\(name) is a view, not a table" : "there is no table \(name)"
    case .rows(let table, let expected, let found):
      "table \(table) has \(Diagnostics.count(found, "row")), not \(expected)"
    case .digest(let expected, let found):
      "the content digest is \(Hex.text(found)), not \(Hex.text(expected))"
    case .unknown(let what, let hindrance):
      "\(what) cannot be looked at: \(reason(hindrance, nil))"
    }
  }

  private static func violations(_ report: VerifyReport) -> [String] {
    var parts: [String] = []
    if report.structure.state == .violated {
      let messages = report.structure.messages
      let rows = count(messages.count, "row")
      let found = "\(rows) \(Diagnostics.verb("break", UInt64(messages.count)))"
      parts.append(
        "\(report.structure.isCapped ? "at least " : "")\(found) the schema's rules:"
          + " \(report.structure.messages.first ?? "")")
    }
    if report.references.state == .violated {
      parts.append("\(Diagnostics.count(report.references.rows, "row")) without a parent")
    }
    return parts + report.expectations.differences.map(difference)
  }
}
