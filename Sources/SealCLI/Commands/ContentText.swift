// The inside of a database as lines of text.

internal import SealCore

/// Words for the content of a database.
struct ContentText {
  private let content: ContentFacts
  private let verbose: Bool
  /// Damaged places that are listed without `--verbose`.
  private static let listed = 10

  init(_ content: ContentFacts, _ verbose: Bool) {
    self.content = content
    self.verbose = verbose
  }

  func lines(_ depth: Inspect.Depth) -> [String] {
    var lines = settings + (content.header.map { HeaderText($0).lines } ?? [])
    lines += damage
    guard depth == .contents else { return lines }
    let tables = tree("tables", .table)
    let isWhole = content.damage.isEmpty && lacking.isEmpty
    lines += tables.isEmpty && isWhole ? ["  tables: none"] : tables
    lines += tree("indexes", .index) + views + triggers + virtualTables
    return lines + lacking
  }

  private var settings: [String] {
    guard let profile = content.profile else { return [] }
    let tags = profile.hmacAlgorithm.map { "\($0.rawValue) tags" } ?? "no tags"
    var lines = [
      "  cipher: pages of \(profile.pageSize) bytes, \(profile.kdfAlgorithm.rawValue) with"
        + " \(Diagnostics.count(UInt64(clamping: profile.kdfIterations), "round")), \(tags)",
      "  salt: \(Hex.text(content.salt ?? []))",
    ]
    let pragmas = content.openingPragmas.map(Facts.statement)
    if !pragmas.isEmpty { lines.append("  opens with: " + pragmas.joined(separator: " ")) }
    return lines
  }

  private var damage: [String] {
    let shown = verbose ? content.damage[...] : content.damage.prefix(Self.listed)
    var lines = shown.map { "  " + DamageDiagnostics.explain($0).sentence }
    let rest = content.damage.count - shown.count
    if rest > 0 { lines.append("  damaged: \(rest) more places (--verbose lists them)") }
    return lines
  }

  /// Tables or indexes, with what their trees hold.
  private func tree(_ title: String, _ kind: SchemaObject.Kind) -> [String] {
    let objects = content.objects.filter { $0.kind == kind }
    guard !objects.isEmpty else { return [] }
    let names = objects.map { object -> String in
      let name = Console.escaped(object.name)
      return kind == .index ? name + " on " + Console.escaped(object.table) : name
    }
    let rows = objects.map { object -> String in
      guard let usage = object.usage else { return "?" }
      return (usage.isPartial ? "at least " : "") + "\(usage.rows)"
    }
    let bytes = objects.map { $0.usage.map { "\($0.bytes)" } ?? "?" }
    let word = kind == .index ? "entries" : "rows"
    let widths = [names, rows + [word], bytes + ["bytes"]].map { column in
      column.reduce(0) { max($0, TextWidth.columns($1)) }
    }
    // The title stands where the names do.
    let room = max(title.count, min(120, widths[0]))
    func line(_ name: String, _ rows: String, _ bytes: String) -> String {
      "    " + TextWidth.padded(name, to: room)
        + "  " + TextWidth.padded(rows, to: widths[1], right: true)
        + "  " + TextWidth.padded(bytes, to: widths[2], right: true)
    }
    let heading = line("", word, "bytes").dropFirst(2 + title.count + 1)
    return ["  \(title):" + heading]
      + objects.indices.map { line(names[$0], rows[$0], bytes[$0]) }
  }

  private var views: [String] {
    list("views", .view) { $0.name + problem($0) }
  }

  private var triggers: [String] {
    list("triggers", .trigger) { "\($0.name) on \($0.table)" }
  }

  private var virtualTables: [String] {
    list("virtual tables", .virtualTable) { "\($0.name) using \($0.module ?? "?")" + problem($0) }
  }

  private func problem(_ object: SchemaObject) -> String {
    object.problem.map { " (not usable here: \($0))" } ?? ""
  }

  private func list(_ title: String, _ kind: SchemaObject.Kind, _ words: (SchemaObject) -> String)
    -> [String]
  {
    let objects = content.objects.filter { $0.kind == kind }
    return objects.isEmpty ? [] : ["  \(title):"] + objects.map { "    " + words($0) }
  }

  /// What the engine lacks, or why it could not be found out.
  private var lacking: [String] {
    if let message = content.schemaMessage {
      return ["  this engine does not understand the schema: \(message)"]
    }
    guard let lacks = content.lacks, !lacks.isEmpty else { return [] }
    let kinds: [(MissingPart.Kind, String)] = [
      (.collation, "collation"), (.function, "function"), (.module, "module"),
      (.tokenizer, "tokenizer"),
    ]
    let words = kinds.flatMap { kind, word in
      lacks.filter { $0.kind == kind }.map { "\(word) \($0.name)" }
    }
    return ["  this engine lacks: " + words.joined(separator: ", ")]
  }
}
